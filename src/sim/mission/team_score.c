// What is watched while a team runs, and what is made of it in the end.
#include "sim/mission/team_parts.h"
#include <math.h>
#include <stdio.h>

// ---- on the world's thread

static void record_motion(cairn_team *team, uint32_t robot, const cairn_robot_view *view,
                          const cairn_robot_truth *truth, cairn_mono now)
{
    const cairn_recorder_truth recorded = {
        .map_T_base = truth->map_T_base, .velocity_mps = truth->velocity_mps, .turn_radps = truth->turn_radps};
    cairn_lock_take(&team->lock);
    const cairn_pose2 map_T_private = team->robots[robot].map_T_private;
    cairn_lock_give(&team->lock);
    cairn_recorder_place(team->recorder, robot, map_T_private);
    cairn_recorder_add_motion(team->recorder, robot, view, now);
    cairn_recorder_add_truth(team->recorder, robot, &recorded, now);
}

static double travelled_m(const cairn_robot_view *view)
{
    double sum_m = 0;
    for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) { sum_m += view->modes.travelled_m[mode]; }
    return sum_m;
}

static void watch_home(cairn_team_robot *robot, cairn_vec2 true_m, cairn_mono now)
{
    const bool home = cairn_vec2_distance(true_m, cairn_pose2_at(robot->team->starts[robot->at])) <= CAIRN_RETURNED_M;
    if (home && !robot->home) { robot->home_since = now; }
    robot->left |= !home;
    robot->home = home;
}

// What is said of its place against how far off it is: by the robot of its own trail, by the station of where that
// lies.
static void watch_health(cairn_team_robot *robot, double error_m, bool unplaced)
{
    CAIRN_ASSERT(robot->last.health < CAIRN_HEALTH_COUNT);
    const uint8_t health = unplaced ? CAIRN_HEALTH_LOST : robot->last.health;
    robot->health_counts[health]++;
    const bool lies = health == CAIRN_HEALTH_GOOD && error_m > CAIRN_POSITION_M_GOOD;
    robot->off_good_count += lies;
    robot->off_good_count_now = lies ? robot->off_good_count_now + 1 : 0;
    if (robot->off_good_count_now > robot->off_good_count_max) {
        robot->off_good_count_max = robot->off_good_count_now;
    }
}

// Believed against true position, and the trail: on the map that the operator sees.
static void compare(cairn_team_robot *robot, cairn_vec2 true_m)
{
    cairn_lock_take(&robot->team->lock);
    const cairn_pose2 map_T_private = robot->map_T_private;
    const bool unplaced = robot->unplaced;
    cairn_lock_give(&robot->team->lock);
    const cairn_pose2 believed = cairn_pose2_compose(map_T_private, robot->last.private_T_base);
    const double error_m = cairn_vec2_distance(cairn_pose2_at(believed), true_m);
    robot->error_m_now = error_m;
    robot->error_m_sum += error_m;
    robot->error_m_max = fmax(robot->error_m_max, error_m);
    robot->error_count++;
    watch_health(robot, error_m, unplaced);
    cairn_trail_add(&robot->trail, cairn_pose2_at(believed));
}

static void compare_robot(cairn_team *team, uint32_t at, cairn_mono now)
{
    cairn_team_robot *robot = &team->robots[at];
    cairn_robot_truth truth;
    cairn_robot_view view;
    cairn_world_truth(team->world, at, &truth);
    const cairn_vec2 true_m = {truth.map_T_base.at_m.x, truth.map_T_base.at_m.y};
    watch_home(robot, true_m, now);
    if (robot->dead) { return; } // its program runs on without power; nobody may know
    if (!cairn_robot_look(robot->robot, &view)) { return; }
    robot->last = view;
    compare(robot, true_m);
    cairn_lock_take(&team->lock);
    robot->seen = (cairn_series_robot){.distance_m = (float)travelled_m(&view),
                                       .speed_mps = (float)view.forward_mps,
                                       .mode = (uint8_t)view.modes.mode,
                                       .health = view.health,
                                       .error_m = (float)robot->error_m_now};
    cairn_lock_give(&team->lock);
    if (team->recorder != NULL) { record_motion(team, at, &view, &truth, now); }
    if (cairn_world_is_dead(team->world, at)) { cairn_team_notice_death(team, at, now); }
}

// Lists what was touched since the last look, and tells the journal of it.
static void list_collisions(cairn_team *team)
{
    const cairn_collision_log *log = cairn_world_collision_log(team->world);
    cairn_collision_list *list = &team->collisions;
    CAIRN_ASSERT(list->seen_count <= log->count);
    if (log->count - list->seen_count > CAIRN_COLLISIONS_KEPT) {
        list->seen_count = log->count - CAIRN_COLLISIONS_KEPT;
    }
    for (; list->seen_count < log->count; list->seen_count++) {
        const cairn_collision *one = &log->last[list->seen_count % CAIRN_COLLISIONS_KEPT];
        cairn_robot_truth truth;
        cairn_world_truth(team->world, one->robot, &truth);
        cairn_collision_entry entry;
        cairn_collision_describe(one, team->def.arena, team->names, truth.map_T_base, &entry);
        cairn_collision_list_add(list, &entry);
        if (team->recorder == NULL) { continue; }
        char words[96];
        cairn_collision_say(&entry, team->names, sizeof words, words);
        cairn_recorder_add_mission_event(team->recorder, "collision", words,
                                         (cairn_mono){one->step * CAIRN_PHYSICS_STEP_NS});
    }
}

static void count(cairn_team *team)
{
    const cairn_medium_info air = cairn_medium_look_all(team->air.medium);
    uint32_t collision_count = 0;
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        collision_count += cairn_world_collisions(team->world, i).count;
    }
    cairn_lock_take(&team->lock);
    team->collision_count = collision_count;
    team->radio_bytes = air.sent_bytes + air.sent_count * cairn_medium_def_default().overhead_bytes;
    cairn_lock_give(&team->lock);
}

void cairn_team_compare_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    for (uint32_t i = 0; i < team->def.robot_count; i++) { compare_robot(team, i, now); }
    list_collisions(team);
    count(team);
}

// ---- on the station's thread

static cairn_score_mark take_mark(cairn_team *team, const cairn_station_view *view, double at_s)
{
    cairn_score *score = &team->score; // room; all of it is filled in again at the end
    cairn_score_victims(score, team->def.arena, view->victims);
    cairn_score_mark mark = {.at_s = at_s,
                             .explored_fraction = cairn_truth_explored(&team->truth, view->raster),
                             .found_count = score->found_count,
                             .false_count = score->false_count,
                             .action_count = view->action_count};
    cairn_lock_take(&team->lock);
    mark.dead_count = team->dead_count;
    mark.collision_count = team->collision_count;
    cairn_lock_give(&team->lock);
    return mark;
}

static void add_sample(cairn_team *team, const cairn_station_view *view, const cairn_score_mark *mark, cairn_mono now)
{
    cairn_series_sample *sample = cairn_series_add(&team->series, now);
    sample->explored_fraction = mark->explored_fraction;
    sample->found_count = mark->found_count;
    sample->report_count = cairn_victims_count(view->victims);
    sample->station_up = !team->station_down;
    cairn_lock_take(&team->lock);
    sample->radio_bytes = team->radio_bytes;
    for (uint32_t i = 0; i < team->def.robot_count; i++) { sample->robots[i] = team->robots[i].seen; }
    cairn_lock_give(&team->lock);
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        const cairn_fleet_robot *robot = &view->fleet->robots[i];
        const bool heard = robot->heard && !cairn_fleet_is_silent(robot, now) && !team->station_down;
        if (sample->robots[i].state == CAIRN_SERIES_WELL && !heard) { sample->robots[i].state = CAIRN_SERIES_LOST; }
    }
}

void cairn_team_series_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    const double now_s = cairn_seconds(now.ns);
    const bool phase_ends =
        team->mark_count < team->def.phase_count && now_s >= team->def.phases[team->mark_count].to_s;
    if (!phase_ends && !cairn_series_is_due(&team->series, now)) { return; }
    cairn_station_view view;
    cairn_station_look(team->station, &view);
    const cairn_score_mark mark = take_mark(team, &view, now_s);
    if (phase_ends) { team->marks[team->mark_count++] = mark; }
    add_sample(team, &view, &mark, now);
}

// ---- in the end

static void score_robot(cairn_team *team, uint32_t at, cairn_robot_score *score)
{
    const cairn_team_robot *robot = &team->robots[at];
    cairn_robot_truth truth;
    cairn_world_truth(team->world, at, &truth);
    snprintf(score->name, sizeof score->name, "%s", team->names[at]);
    score->position_error_m_mean = robot->error_count > 0 ? robot->error_m_sum / robot->error_count : NAN;
    score->position_error_m_max = robot->error_m_max;
    const double look_s = cairn_seconds(CAIRN_TEAM_COMPARE_NS);
    score->said_good_s = look_s * robot->health_counts[CAIRN_HEALTH_GOOD];
    score->degraded_s = look_s * robot->health_counts[CAIRN_HEALTH_DEGRADED];
    score->lost_s = look_s * robot->health_counts[CAIRN_HEALTH_LOST];
    score->off_while_good_s = look_s * robot->off_good_count;
    score->off_while_good_s_max = look_s * robot->off_good_count_max;
    score->modes = robot->last.modes;
    score->distance_m = travelled_m(&robot->last);
    score->collisions = cairn_world_collisions(team->world, at);
    score->start_m = cairn_vec2_distance((cairn_vec2){truth.map_T_base.at_m.x, truth.map_T_base.at_m.y},
                                         cairn_pose2_at(team->starts[at]));
    score->left = robot->left;
    score->returned = robot->left && score->start_m <= CAIRN_RETURNED_M;
    score->home_s = score->returned ? cairn_seconds(robot->home_since.ns) : NAN;
    score->fallen = truth.fallen;
    score->dead_s = robot->dead ? cairn_seconds(robot->dead_at.ns) : NAN;
}

static void score_robots(cairn_team *team, cairn_score *score)
{
    score->robot_count = team->def.robot_count;
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        cairn_robot_score *one = &score->robots[i];
        // Its program may have stepped since it was last looked at.
        if (!team->robots[i].dead) { (void)cairn_robot_look(team->robots[i].robot, &team->robots[i].last); }
        score_robot(team, i, one);
        score->collisions.count += one->collisions.count;
        score->collisions.speed_mps_max = fmax(score->collisions.speed_mps_max, one->collisions.speed_mps_max);
    }
}

static void score_radio(const cairn_team *team, const cairn_station_view *view, cairn_score *score)
{
    cairn_radio_ends ends[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < team->def.robot_count; i++) {
        const cairn_team_robot *robot = &team->robots[i];
        const bool ended = robot->dead && !team->def.realtime;
        ends[i] = (cairn_radio_ends){.robot = ended ? robot->last_link
                                                    : cairn_robot_link_info(robot->robot, cairn_team_now(team)),
                                     .station = view->fleet->robots[i].link};
        ends[i].station.bytes_sent += team->before[i].bytes_sent;
        for (uint32_t s = 0; s < CAIRN_LINK_STREAM_COUNT; s++) {
            ends[i].station.streams[s].sent_bytes += team->before[i].streams[s].sent_bytes;
        }
    }
    const cairn_medium_info air = cairn_medium_look_all(team->air.medium);
    cairn_score_radio(score, ends, &air);
}

// A mission without phases is one.
static void score_phases(const cairn_team *team, const cairn_score_mark *last, cairn_score *score)
{
    score->phase_count = team->def.phase_count > 0 ? team->def.phase_count : 1;
    cairn_score_mark from = {0};
    for (uint32_t i = 0; i < score->phase_count; i++) {
        cairn_phase_score *phase = &score->phases[i];
        const char *name = team->def.phase_count > 0 ? team->def.phases[i].name : "mission";
        snprintf(phase->name, sizeof phase->name, "%s", name);
        phase->from = from;
        phase->to = i < team->mark_count ? team->marks[i] : *last;
        from = phase->to;
    }
    score->phases[score->phase_count - 1].to = *last; // a run may be longer than the file says
}

static cairn_map_score score_map(const cairn_team *team, const cairn_raster *raster)
{
    cairn_comparison is;
    const bool known = cairn_truth_compare(&team->truth, raster, &is) == CAIRN_OK && is.both_known > 0;
    if (!known) { return (cairn_map_score){NAN, NAN, NAN, NAN}; }
    return (cairn_map_score){.agreeing = (double)is.agreeing / (double)is.both_known,
                             .wall_iou = is.wall_iou,
                             .precision = is.precision,
                             .recall = is.recall};
}

static cairn_err finish_journal(cairn_team *team, const cairn_raster *map, cairn_complaints *complaints,
                                uint64_t *ret_hash)
{
    if (team->recorder == NULL) { return CAIRN_OK; }
    const cairn_mono now = cairn_team_now(team);
    cairn_witness_conclude(team->witness, now);
    cairn_recorder_add_map(team->recorder, map, now);
    return cairn_recorder_finish(team->recorder, complaints, ret_hash);
}

cairn_err cairn_team_finish(cairn_team *team, cairn_score_end ended, cairn_complaints *complaints,
                            cairn_score *ret_score)
{
    cairn_station_view view;
    cairn_station_look(team->station, &view);
    const cairn_mono now = cairn_team_now(team);
    list_collisions(team);
    count(team);
    const cairn_score_mark last = take_mark(team, &view, cairn_seconds(now.ns));
    add_sample(team, &view, &last, now);
    cairn_score *score = &team->score;
    *score = (cairn_score){.seed = team->def.seed, .sim_s = cairn_seconds(now.ns), .ended = ended};
    snprintf(score->mission, sizeof score->mission, "%s", team->def.mission);
    score->explored_fraction = last.explored_fraction;
    score->reachable_m2 = team->truth.reachable_count * team->truth.cell_m * team->truth.cell_m;
    score->map_wall_rms_m = cairn_truth_wall_rms_m(&team->truth, view.raster);
    score->map = score_map(team, view.raster);
    score->closures = cairn_places_closures(view.atlas->places);
    cairn_score_victims(score, team->def.arena, view.victims);
    score_robots(team, score);
    score_radio(team, &view, score);
    score->action_count = view.action_count;
    score_phases(team, &last, score);
    score->event_count = team->event_count;
    for (uint32_t i = 0; i < team->event_count; i++) { score->events[i] = team->events[i]; }
    cairn_score_rules(score);
    const cairn_err err = finish_journal(team, view.raster, complaints, &score->hash);
    *ret_score = *score;
    return err;
}
