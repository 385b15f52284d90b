#include "sim/mission/score/score.h"
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cairn_score_ends[CAIRN_ENDED_COUNT] = {"time is up", "all is searched", "interrupted"};

static int by_time(const void *a, const void *b)
{
    const cairn_report_score *one = a, *other = b;
    return one->at_s != other->at_s ? (one->at_s > other->at_s ? 1 : -1) : 0;
}

static cairn_report_score judge(const cairn_sim_arena *arena, const cairn_victim *victim)
{
    cairn_report_score report = {.at_m = victim->at_m,
                                 .at_s = cairn_seconds(victim->first_seen.ns),
                                 .robot = victim->found_by > 0 ? victim->found_by - 1u : 0u,
                                 .error_m = INFINITY};
    for (uint32_t v = 0; v < arena->victim_count; v++) {
        const double away_m = cairn_vec2_distance(victim->at_m, cairn_pose2_at(arena->victims[v].map_T_victim));
        if (away_m >= report.error_m) { continue; }
        report.error_m = away_m;
        report.victim = v;
    }
    return report;
}

// The first report within reach finds a person.
static cairn_victim_score look_for(const cairn_score *score, const cairn_sim_victim *victim)
{
    cairn_victim_score person = {.at_m = cairn_pose2_at(victim->map_T_victim), .found_s = NAN, .error_m = NAN};
    memcpy(person.name, victim->name, sizeof person.name);
    for (uint32_t i = 0; i < score->report_count && !person.found; i++) {
        const cairn_report_score *report = &score->reports[i];
        const double away_m = cairn_vec2_distance(report->at_m, person.at_m);
        if (away_m > CAIRN_FOUND_M) { continue; }
        person.found = true;
        person.found_s = report->at_s;
        person.robot = report->robot;
        person.error_m = away_m;
    }
    return person;
}

void cairn_score_victims(cairn_score *score, const cairn_sim_arena *arena, const cairn_victims *victims)
{
    score->victim_count = arena->victim_count;
    score->found_count = score->false_count = score->person_count = 0;
    score->report_count = 0;
    for (uint32_t i = 0; i < victims->victim_count; i++) {
        if (victims->victims[i].same_as != 0) { continue; }
        const cairn_report_score report = judge(arena, &victims->victims[i]);
        score->false_count += report.error_m > CAIRN_FOUND_M;
        score->reports[score->report_count++] = report;
    }
    qsort(score->reports, score->report_count, sizeof score->reports[0], by_time);
    for (uint32_t v = 0; v < arena->victim_count; v++) {
        const cairn_victim_score person = look_for(score, &arena->victims[v]);
        score->found_count += person.found;
        if (score->person_count < CAIRN_VICTIMS_MAX) { score->people[score->person_count++] = person; }
    }
}

static double kbit_per_s(uint64_t bytes, double over_s) { return 8e-3 * (double)bytes / over_s; }

void cairn_score_radio(cairn_score *score, const cairn_radio_ends *ends, const cairn_medium_info *air)
{
    CAIRN_ASSERT(score->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    cairn_radio_score *radio = &score->radio;
    *radio = (cairn_radio_score){0};
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_link_info *robot = &ends[i].robot, *station = &ends[i].station;
        const uint64_t bytes = robot->bytes_sent + station->bytes_sent;
        radio->robots[i] =
            (cairn_robot_radio_score){robot->bytes_sent, station->bytes_sent, kbit_per_s(bytes, score->sim_s)};
        radio->bytes += bytes;
        for (uint32_t s = 0; s < CAIRN_LINK_STREAM_COUNT; s++) {
            radio->stream_bytes[s] += robot->streams[s].sent_bytes + station->streams[s].sent_bytes;
        }
    }
    radio->kbit_per_s = kbit_per_s(radio->bytes, score->sim_s);
    memcpy(radio->dropped, air->lost_count, sizeof radio->dropped);
}

// Four decimals: a tenth of a millimetre is as much as anybody will read.
static json_t *figure(double value) { return isfinite(value) ? json_real(round(value * 1e4) / 1e4) : json_null(); }

static json_t *map_json(const cairn_map_score *map)
{
    json_t *all = json_object();
    json_object_set_new(all, "agreeing", figure(map->agreeing));
    json_object_set_new(all, "wall_iou", figure(map->wall_iou));
    json_object_set_new(all, "precision", figure(map->precision));
    json_object_set_new(all, "recall", figure(map->recall));
    return all;
}

static json_t *modes_json(const cairn_mode_tally *modes)
{
    json_t *all = json_object();
    for (uint32_t mode = 0; mode < CAIRN_MODE_COUNT; mode++) {
        if (modes->spent_ns[mode] == 0) { continue; }
        json_t *one = json_object();
        json_object_set_new(one, "time_s", figure(cairn_seconds(modes->spent_ns[mode])));
        json_object_set_new(one, "distance_m", figure(modes->travelled_m[mode]));
        json_object_set_new(all, cairn_mode_name((cairn_mode)mode), one);
    }
    return all;
}

static json_t *collisions_json(cairn_collisions collisions)
{
    json_t *all = json_object();
    json_object_set_new(all, "count", json_integer(collisions.count));
    json_object_set_new(all, "speed_mps_max", figure(collisions.speed_mps_max));
    return all;
}

static json_t *victims_json(const cairn_score *score)
{
    json_t *all = json_object();
    json_object_set_new(all, "total", json_integer(score->victim_count));
    json_object_set_new(all, "found", json_integer(score->found_count));
    json_object_set_new(all, "missed", json_integer(score->victim_count - score->found_count));
    json_object_set_new(all, "false", json_integer(score->false_count));
    return all;
}

static json_t *count_json(uint64_t count) { return json_integer((json_int_t)count); }

static json_t *air_json(uint64_t bytes, double kbit_per_s)
{
    json_t *all = json_object();
    json_object_set_new(all, "bytes", count_json(bytes));
    json_object_set_new(all, "kbit_per_s", figure(kbit_per_s));
    return all;
}

static json_t *dropped_json(const uint64_t *dropped)
{
    json_t *all = json_object();
    uint64_t total = 0;
    for (uint32_t cause = 0; cause < CAIRN_MEDIUM_LOST_COUNT; cause++) {
        json_object_set_new(all, cairn_medium_loss_name((cairn_medium_loss)cause), count_json(dropped[cause]));
        total += dropped[cause];
    }
    json_object_set_new(all, "total", count_json(total));
    return all;
}

static json_t *radio_json(const cairn_score *score)
{
    const cairn_radio_score *radio = &score->radio;
    json_t *all = air_json(radio->bytes, radio->kbit_per_s), *robots = json_object(), *streams = json_object();
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_robot_radio_score *robot = &radio->robots[i];
        json_object_set_new(robots, score->robots[i].name,
                            air_json(robot->up_bytes + robot->down_bytes, robot->kbit_per_s));
    }
    for (uint32_t s = 0; s < CAIRN_LINK_STREAM_COUNT; s++) {
        json_object_set_new(streams, cairn_link_stream_name((cairn_link_stream)s), count_json(radio->stream_bytes[s]));
    }
    json_object_set_new(all, "per_robot", robots);
    json_object_set_new(all, "per_stream", streams);
    json_object_set_new(all, "dropped", dropped_json(radio->dropped));
    return all;
}

static json_t *operator_json(const cairn_score *score)
{
    json_t *all = json_object();
    json_object_set_new(all, "actions", json_integer(score->action_count));
    json_object_set_new(all, "actions_per_minute", figure(60.0 * score->action_count / score->sim_s));
    return all;
}

static json_t *robocup_json(const cairn_robocup_score *score)
{
    json_t *all = json_object();
    json_object_set_new(all, "victims", figure(score->victims));
    json_object_set_new(all, "returned", figure(score->returned));
    json_object_set_new(all, "map", figure(score->map));
    json_object_set_new(all, "bumps", figure(score->bumps));
    json_object_set_new(all, "false", figure(score->wrong));
    json_object_set_new(all, "total", figure(score->total));
    return all;
}

static json_t *magic_json(const cairn_score *score)
{
    json_t *all = json_object(), *phases = json_array();
    for (uint32_t i = 0; i < score->phase_count; i++) {
        const cairn_magic_phase_score *phase = &score->magic.phases[i];
        json_t *one = json_object();
        json_object_set_new(one, "name", json_string(score->phases[i].name));
        json_object_set_new(one, "map", figure(phase->map));
        json_object_set_new(one, "objects", figure(phase->objects));
        json_object_set_new(one, "false", figure(phase->wrong));
        json_object_set_new(one, "robots_lost", figure(phase->robots_lost));
        json_object_set_new(one, "interaction", figure(phase->interaction));
        json_object_set_new(one, "total", figure(phase->total));
        json_array_append_new(phases, one);
    }
    json_object_set_new(all, "map_quality", figure(score->magic.map_quality));
    json_object_set_new(all, "phases", phases);
    json_object_set_new(all, "total", figure(score->magic.total));
    return all;
}

static json_t *subt_json(const cairn_score *score)
{
    json_t *all = json_object();
    json_object_set_new(all, "artifacts", json_integer(score->victim_count));
    json_object_set_new(all, "reports_allowed", json_integer(score->subt.allowed_count));
    json_object_set_new(all, "reports", json_integer(score->subt.made_count));
    json_object_set_new(all, "total", json_integer(score->subt.scored_count));
    return all;
}

static json_t *returned_json(const cairn_score *score)
{
    json_t *all = json_object(), *robots = json_object();
    uint32_t count = 0;
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_robot_score *robot = &score->robots[i];
        json_t *one = json_object();
        json_object_set_new(one, "left", json_boolean(robot->left));
        json_object_set_new(one, "returned", json_boolean(robot->returned));
        json_object_set_new(one, "at_s", figure(robot->home_s));
        json_object_set_new(one, "distance_m", figure(robot->start_m));
        json_object_set_new(robots, robot->name, one);
        count += robot->returned;
    }
    json_object_set_new(all, "count", json_integer(count));
    json_object_set_new(all, "robots", robots);
    return all;
}

static json_t *fallen_json(const cairn_score *score)
{
    json_t *names = json_array();
    for (uint32_t i = 0; i < score->robot_count; i++) {
        if (score->robots[i].fallen) { json_array_append_new(names, json_string(score->robots[i].name)); }
    }
    return names;
}

static json_t *dead_json(const cairn_score *score)
{
    json_t *all = json_object();
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_robot_score *robot = &score->robots[i];
        if (!isnan(robot->dead_s)) { json_object_set_new(all, robot->name, figure(robot->dead_s)); }
    }
    return all;
}

static json_t *phases_json(const cairn_score *score)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < score->phase_count; i++) {
        const cairn_score_mark *from = &score->phases[i].from, *to = &score->phases[i].to;
        json_t *one = json_object();
        json_object_set_new(one, "name", json_string(score->phases[i].name));
        json_object_set_new(one, "from_s", figure(from->at_s));
        json_object_set_new(one, "to_s", figure(to->at_s));
        json_object_set_new(one, "explored_fraction", figure(to->explored_fraction - from->explored_fraction));
        json_object_set_new(one, "found", json_integer((json_int_t)to->found_count - from->found_count));
        json_object_set_new(one, "false", json_integer((json_int_t)to->false_count - from->false_count));
        json_object_set_new(one, "actions", json_integer((json_int_t)to->action_count - from->action_count));
        json_object_set_new(one, "robots_lost", json_integer((json_int_t)to->dead_count - from->dead_count));
        json_object_set_new(one, "collisions", json_integer((json_int_t)to->collision_count - from->collision_count));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *events_json(const cairn_score *score)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < score->event_count; i++) {
        json_t *one = json_object();
        json_object_set_new(one, "at_s", figure(score->events[i].at_s));
        json_object_set_new(one, "do", json_string(score->events[i].kind));
        json_object_set_new(one, "what", json_string(score->events[i].words));
        json_array_append_new(all, one);
    }
    return all;
}

static void add_competitions(json_t *root, const cairn_score *score)
{
    json_object_set_new(root, "phases", phases_json(score));
    json_object_set_new(root, "events", events_json(score));
    json_object_set_new(root, "returned", returned_json(score));
    json_object_set_new(root, "fallen", fallen_json(score));
    json_object_set_new(root, "dead", dead_json(score));
    json_object_set_new(root, "robocup", robocup_json(&score->robocup));
    json_object_set_new(root, "magic", magic_json(score));
    json_object_set_new(root, "subt", subt_json(score));
}

static json_t *closures_json(const cairn_closures_count *closures)
{
    json_t *object = json_object();
    json_object_set_new(object, "accepted", json_integer(closures->accepted));
    json_object_set_new(object, "refused", json_integer(closures->refused));
    json_object_set_new(object, "undecided", json_integer(closures->undecided));
    return object;
}

static json_t *health_json(const cairn_robot_score *robot)
{
    json_t *object = json_object();
    json_object_set_new(object, "good_s", figure(robot->said_good_s));
    json_object_set_new(object, "degraded_s", figure(robot->degraded_s));
    json_object_set_new(object, "lost_s", figure(robot->lost_s));
    json_object_set_new(object, "off_while_good_s", figure(robot->off_while_good_s));
    json_object_set_new(object, "off_while_good_s_max", figure(robot->off_while_good_s_max));
    return object;
}

char *cairn_score_to_json(const cairn_score *score)
{
    json_t *root = json_object(), *errors = json_object(), *modes = json_object(), *health = json_object();
    for (uint32_t i = 0; i < score->robot_count; i++) {
        const cairn_robot_score *robot = &score->robots[i];
        json_t *error = json_object();
        json_object_set_new(error, "mean", figure(robot->position_error_m_mean));
        json_object_set_new(error, "max", figure(robot->position_error_m_max));
        json_object_set_new(errors, robot->name, error);
        json_object_set_new(health, robot->name, health_json(robot));
        json_object_set_new(modes, robot->name, modes_json(&robot->modes));
    }
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, score->hash);
    const bool journalled = score->hash != 0; // without a journal there is nothing to hash
    json_object_set_new(root, "mission", json_string(score->mission));
    json_object_set_new(root, "seed", json_integer((json_int_t)score->seed));
    json_object_set_new(root, "sim_s", figure(score->sim_s));
    json_object_set_new(root, "ended", json_string(cairn_score_ends[score->ended]));
    json_object_set_new(root, "explored_fraction", figure(score->explored_fraction));
    json_object_set_new(root, "map_wall_rms_m", figure(score->map_wall_rms_m));
    json_object_set_new(root, "map", map_json(&score->map));
    json_object_set_new(root, "closures", closures_json(&score->closures));
    json_object_set_new(root, "victims", victims_json(score));
    json_object_set_new(root, "position_error_m", errors);
    json_object_set_new(root, "health", health);
    json_object_set_new(root, "modes", modes);
    json_object_set_new(root, "collisions", collisions_json(score->collisions));
    json_object_set_new(root, "radio", radio_json(score));
    json_object_set_new(root, "operator", operator_json(score));
    add_competitions(root, score);
    json_object_set_new(root, "hash", journalled ? json_string(hash) : json_null());
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(8));
    json_decref(root);
    return text;
}
