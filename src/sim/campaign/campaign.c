#include "sim/campaign/campaign.h"
#include "radio.h"
#include "robot/reflex/guards.h"
#include "robot/reflex/near.h"
#include "robot/reflex/reflex.h"
#include "sim/campaign/aim.h"
#include "sim/campaign/trace.h"
#include "sim/campaign/trouble.h"
#include "sim/condition_truth.h"
#include "sim/mission/team_parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENDS_BYTES ((size_t)1 << 20)
#define SAID_NS_MAX CAIRN_MS(1200) // older words are not said now
#define TOLD_NS_MAX CAIRN_MS(30)
#define ROUNDING_MPS 1e-9
#define SET_DOWN_M 1.5 // from another robot

// Ends of our own on what a robot writes.
typedef struct watched {
    cairn_cell *command, *state, *telemetry;
    cairn_cell *areas;
    cairn_mono commanded; // last valid
} watched;

typedef struct episode {
    cairn_plan plan;
    cairn_team *team;
    cairn_judge judge;
    cairn_arena ends;
    watched robots[CAIRN_JUDGE_ROBOTS_MAX];
    cairn_condition_truth conditions[CAIRN_JUDGE_ROBOTS_MAX];
    cairn_pilot pilots[CAIRN_JUDGE_ROBOTS_MAX];
    cairn_pilot wilds[CAIRN_JUDGE_ROBOTS_MAX]; // where minds that have gone mad drive at
    cairn_trouble trouble;
    FILE *trace; // NULL: none
    uint64_t collisions_seen;
    char names[CAIRN_JUDGE_ROBOTS_MAX][CAIRN_JUDGE_NAME_BYTES];
} episode;

static cairn_err attach(cairn_arena *ends, const cairn_cell *cell, cairn_cell **ret_end)
{
    return cairn_cell_attach(ends, cell->memory, cell->value_bytes, ret_end);
}

// What lies in the mind, and is another one when that is.
static cairn_err watch_mind(episode *it, uint32_t i)
{
    return attach(&it->ends, cairn_robot_telemetry(it->team->robots[i].robot), &it->robots[i].telemetry);
}

static cairn_err watch(episode *it, uint32_t i)
{
    const cairn_robot *robot = it->team->robots[i].robot;
    const cairn_reflex_cells *cells = cairn_robot_cells(robot);
    it->robots[i].commanded.ns = -1;
    cairn_err err = attach(&it->ends, cells->command, &it->robots[i].command);
    if (err == CAIRN_OK) { err = attach(&it->ends, cells->state_behaviour, &it->robots[i].state); }
    if (err == CAIRN_OK) { err = attach(&it->ends, cells->areas, &it->robots[i].areas); }
    return err == CAIRN_OK ? watch_mind(it, i) : err;
}

// As the station takes them.
static cairn_team_areas team_areas(const cairn_areas *areas)
{
    _Static_assert(CAIRN_AREAS_MAX <= CAIRN_FENCES_MAX, "each has a place");
    cairn_team_areas all = {.fences = {.count = areas->area_count}};
    for (uint32_t i = 0; i < areas->area_count; i++) {
        const cairn_area *area = &areas->areas[i];
        cairn_fence *fence = &all.fences.fences[i];
        *fence = (cairn_fence){.kind = (cairn_fence_kind)area->kind, .corner_count = area->corner_count};
        for (uint32_t c = 0; c < area->corner_count; c++) {
            fence->corners_m[c] = (cairn_vec2){(double)area->x_m[c], (double)area->y_m[c]};
        }
        snprintf(all.names[i], sizeof all.names[i], "area %u", i + 1);
    }
    return all;
}

static cairn_err create_team(const cairn_campaign_def *def, episode *it, cairn_complaints *complaints)
{
    const uint64_t seed = def->seed * 1000003 + it->plan.number;
    cairn_team_def team = {.mission = "campaign",
                           .arena = &it->plan.arena,
                           .physics = def->physics,
                           .seed = seed,
                           .session_seed = seed,
                           .radio = it->plan.radio,
                           .areas = team_areas(&it->plan.areas),
                           .event_count = it->plan.event_count,
                           .events = it->plan.events,
                           .robot_count = it->plan.robot_count,
                           .without_guards = def->without_guards | (def->aimed ? cairn_aim_masks(def->aim) : 0),
                           .may_die = cairn_trouble_kills(&it->plan)};
    for (uint32_t i = 0; i < team.robot_count; i++) {
        cairn_judge_name(it->plan.bodies[i], i, it->names[i]);
        team.robots[i] = (cairn_team_robot_def){.name = it->names[i],
                                                .description = it->plan.bodies[i],
                                                .mode = def->aimed ? CAIRN_MODE_PAUSED : CAIRN_MODE_AUTONOMOUS};
        cairn_team_key_from_seed(seed, it->names[i], team.robots[i].key);
    }
    return cairn_team_create(&team, complaints, &it->team);
}

static cairn_err create(const cairn_campaign_def *def, uint64_t number, cairn_complaints *complaints, episode *it)
{
    cairn_err err = cairn_plan_make(def, number, complaints, &it->plan);
    if (err == CAIRN_OK) { err = cairn_arena_create(&it->ends, ENDS_BYTES); }
    if (err == CAIRN_OK) { err = create_team(def, it, complaints); }
    for (uint32_t i = 0; i < it->plan.robot_count && err == CAIRN_OK; i++) {
        err = watch(it, i);
        cairn_pilot_init(&it->pilots[i], &it->plan.arena, i, it->plan.pilot, it->plan.overridden,
                         def->seed * 1000003 + number);
    }
    for (uint32_t i = 0; i < it->plan.robot_count && err == CAIRN_OK; i++) {
        cairn_pilot_init(&it->wilds[i], &it->plan.arena, i, CAIRN_PILOT_AWAY, 0, def->seed * 1000003 + number);
    }
    if (err != CAIRN_OK) { return err; }
    cairn_judge_init(&it->judge, &it->plan.arena, it->plan.robot_count, it->plan.bodies);
    it->judge.no_grip = it->plan.no_grip;
    if (it->plan.areas.area_count > 0) { it->judge.areas = &it->plan.areas; }
    cairn_trouble_init(&it->trouble, &it->plan, it->team, def->seed * 1000003 + number);
    it->trace = def->trace;
    if (it->trace != NULL) { cairn_trace_begin(it->trace, &it->plan, it->names); }
    return CAIRN_OK;
}

static void destroy(episode *it)
{
    cairn_team_destroy(it->team);
    cairn_arena_destroy(&it->ends);
    cairn_plan_finish(&it->plan);
}

// ---- running

// One button: when two presses overlap, the first that ends lets it out.
static bool button_is_in(const episode *it, uint32_t robot)
{
    return it->plan.bodies[robot]->stop_button_offered && cairn_world_is_pressed(it->team->world, robot);
}

static void hear_command(watched *robot, const cairn_body_limits *limits, cairn_mono now)
{
    const cairn_motion_command *command = cairn_cell_latest(robot->command, NULL);
    if (command == NULL || command->issued.ns > now.ns) { return; }
    const bool sound = fabs(command->forward_mps) <= 1.01 * limits->speed_mps_max &&
                       fabs(command->turn_radps) <= 1.01 * limits->turn_radps_max;
    if (sound && command->issued.ns > robot->commanded.ns) { robot->commanded = command->issued; }
}

static void hear_words(const episode *it, uint32_t i, cairn_judge_sample *sample, cairn_mono now)
{
    const cairn_msg_telemetry *said = cairn_cell_latest(it->robots[i].telemetry, NULL);
    sample->health = sample->condition = 255;
    sample->speaks = said != NULL && now.ns - said->mono_ns < SAID_NS_MAX;
    if (!sample->speaks) { return; }
    sample->health = said->health;
    sample->condition = said->condition;
}

// Where nobody guards it, or its gauge lies, it is not judged.
static double charge_of(const episode *it, uint32_t i)
{
    bool judged = (cairn_guards_known() >> CAIRN_GUARD_BATTERY & 1) != 0;
    for (uint32_t e = 0; e < it->plan.event_count; e++) {
        const cairn_mission_event *event = &it->plan.events[e];
        judged &= event->kind != CAIRN_EVENT_FAIL || event->robot != i || event->sensor != CAIRN_SENSOR_BATTERY;
    }
    return judged ? cairn_world_charge(it->team->world, i) : NAN;
}

// Ever: what it believes of its lean may be of then.
static bool imu_has_failed(const episode *it, uint32_t i, cairn_mono now)
{
    for (uint32_t e = 0; e < it->plan.event_count; e++) {
        const cairn_mission_event *event = &it->plan.events[e];
        const bool fails = event->kind == CAIRN_EVENT_FAIL && event->robot == i && event->sensor == CAIRN_SENSOR_IMU;
        if (fails && cairn_seconds(now.ns) >= event->at_s) { return true; }
    }
    return false;
}

// Of two failures that overlap the first that ends mends the sensor: the world knows.
static bool fails(const episode *it, uint32_t i, cairn_sensor sensor, cairn_failure_way way)
{
    return cairn_world_fails(it->team->world, i, sensor, way);
}

// What an operator may hold off: nothing tells of its lean or of a touch then, and it must be as slow as that asks for.
static bool may_lack(cairn_guard guard, const cairn_reflex_state *state, const cairn_body_description *body)
{
    if (state == NULL || (state->overridden >> guard & 1) == 0) { return false; }
    const double told_mps = fabs(state->told_mps), told_radps = fabs(state->told_radps);
    if (guard == CAIRN_GUARD_IMU) { return told_mps <= CAIRN_CREEP_MPS && told_radps <= CAIRN_CREEP_RADPS; }
    const double corner_m = 0.5 * hypot(body->length_m, body->width_m);
    return told_mps <= CAIRN_UNSIGHTED_MPS && told_radps * corner_m <= CAIRN_UNSIGHTED_MPS + ROUNDING_MPS;
}

// A robot may drive without a sense that it does not have.
static void note_failures(const episode *it, uint32_t i, const cairn_reflex_state *state, cairn_judge_sample *sample,
                          cairn_mono now)
{
    const cairn_body_description *body = it->plan.bodies[i];
    const cairn_failure_way silent = CAIRN_FAILURE_SILENT;
    sample->imu_failed = !body->imu.offered || imu_has_failed(it, i, now);
    const bool no_encoders = body->encoders.offered && fails(it, i, CAIRN_SENSOR_ENCODERS, silent);
    const bool no_imu = body->imu.offered && fails(it, i, CAIRN_SENSOR_IMU, silent);
    const bool no_bumper = body->bumper_offered && fails(it, i, CAIRN_SENSOR_BUMPER, silent);
    sample->senses_silent = no_encoders || (no_imu && !may_lack(CAIRN_GUARD_IMU, state, body)) ||
                            (no_bumper && !may_lack(CAIRN_GUARD_BUMP, state, body));
    sample->count_stands = body->encoders.offered && fails(it, i, CAIRN_SENSOR_ENCODERS, CAIRN_FAILURE_STUCK);
}

static cairn_judge_sample sample_of(episode *it, uint32_t i, cairn_mono now)
{
    cairn_judge_sample sample = {.dead = cairn_world_is_dead(it->team->world, i),
                                 .held = cairn_world_is_held(it->team->world, i)};
    const cairn_body_description *body = it->plan.bodies[i];
    cairn_world_truth(it->team->world, i, &sample.truth);
    hear_command(&it->robots[i], &body->limits, now);
    sample.commanded = it->robots[i].commanded;
    const cairn_reflex_state *state = cairn_cell_latest(it->robots[i].state, NULL);
    if (state != NULL) { sample.stopped = state->stop_latched; }
    if (state != NULL && now.ns - state->at.ns < TOLD_NS_MAX) { // a dead reflex tells nothing
        sample.told_mps = state->told_mps;
        sample.told_radps = state->told_radps;
    }
    const cairn_areas *areas = cairn_cell_latest(it->robots[i].areas, NULL);
    sample.knows_areas = areas != NULL && areas->area_count > 0;
    sample.overridden = it->pilots[i].overridden != 0;
    sample.charge = charge_of(it, i);
    sample.stopped = sample.stopped || button_is_in(it, i);
    cairn_condition_truth_tell(&it->conditions[i], sample.told_mps, sample.told_radps);
    sample.conditions = 1u << cairn_condition_truth_step(&it->conditions[i], it->team->world, i, now);
    hear_words(it, i, &sample, now);
    note_failures(it, i, state, &sample, now);
    const cairn_team_robot *robot = &it->team->robots[i];
    if (robot->unplaced && sample.speaks) { sample.health = CAIRN_HEALTH_LOST; } // nobody says where its trail lies
    sample.believed_m = cairn_pose2_at(cairn_pose2_compose(robot->map_T_private, robot->last.private_T_base));
    return sample;
}

static void steer_wild(episode *it, const cairn_plan_wild *wild, cairn_mono now, double *ret_forward, double *ret_turn)
{
    cairn_pilot *pilot = &it->wilds[wild->robot];
    cairn_robot_truth truth;
    cairn_world_truth(it->team->world, wild->robot, &truth);
    if (now.ns - wild->from_ns < CAIRN_JUDGE_PERIOD_NS) {
        pilot->aims = cairn_pilot_aim_at_solid(pilot, truth.map_T_base.at_m);
    }
    if (!pilot->aims) { return; }
    cairn_pilot_steer(pilot, cairn_pose3_to_pose2(truth.map_T_base), ret_forward, ret_turn);
}

// Between runs nobody else has the mind's end. Reflex steps before behaviours: it hears this and never them.
static void go_wild(episode *it, cairn_mono now)
{
    for (uint32_t i = 0; i < it->plan.wild_count; i++) {
        const cairn_plan_wild *wild = &it->plan.wilds[i];
        if (now.ns < wild->from_ns || now.ns >= wild->to_ns) { continue; }
        const cairn_body_limits *limits = &it->plan.bodies[wild->robot]->limits;
        double forward = wild->forward, turn = wild->turn;
        if (wild->at_solid) { steer_wild(it, wild, now, &forward, &turn); }
        const cairn_motion_command command = {
            .issued = now, .forward_mps = forward * limits->speed_mps_max, .turn_radps = turn * limits->turn_radps_max};
        cairn_cell_write(cairn_robot_cells(it->team->robots[wild->robot].robot)->command, &command, sizeof command);
        it->robots[wild->robot].commanded = now; // behaviours write over it before anybody looks
    }
}

static bool is_free(const episode *it, uint32_t robot, cairn_vec2 at_m)
{
    for (uint32_t i = 0; i < it->plan.robot_count; i++) {
        cairn_robot_truth truth;
        cairn_world_truth(it->team->world, i, &truth);
        const cairn_vec2 there_m = {truth.map_T_base.at_m.x, truth.map_T_base.at_m.y};
        if (i != robot && cairn_vec2_distance(there_m, at_m) < SET_DOWN_M) { return false; }
    }
    return true;
}

static void lift(episode *it, cairn_mono now)
{
    const cairn_plan_lift *plan = &it->plan.lift;
    const bool due = now.ns >= plan->at_ns && now.ns < plan->at_ns + CAIRN_JUDGE_PERIOD_NS;
    if (it->plan.lift_count == 0 || !due) { return; }
    cairn_robot_truth truth;
    cairn_world_truth(it->team->world, plan->robot, &truth);
    const cairn_vec2 from_m = {truth.map_T_base.at_m.x, truth.map_T_base.at_m.y};
    const cairn_vec2 start_m = cairn_pose2_at(it->plan.arena.starts[plan->start]);
    const bool away = plan->to_start && is_free(it, plan->robot, start_m);
    const cairn_lift lift = {.for_s = plan->for_s,
                             .height_m = plan->height_m,
                             .move_m = away ? cairn_vec2_sub(start_m, from_m) : (cairn_vec2){0}};
    cairn_world_lift(it->team->world, plan->robot, &lift);
}

static void judge_collisions(episode *it, cairn_mono now)
{
    const cairn_collision_log *log = cairn_world_collision_log(it->team->world);
    CAIRN_ASSERT(log->count - it->collisions_seen <= CAIRN_COLLISIONS_KEPT);
    for (; it->collisions_seen < log->count; it->collisions_seen++) {
        const cairn_collision *one = &log->last[it->collisions_seen % CAIRN_COLLISIONS_KEPT];
        if (!cairn_world_is_dead(it->team->world, one->robot)) { cairn_judge_collision(&it->judge, one, now); }
    }
}

static void trace(const episode *it, const cairn_judge_sample *samples, cairn_mono now)
{
    if (now.ns % CAIRN_TRACE_PERIOD_NS >= CAIRN_JUDGE_PERIOD_NS) { return; }
    for (uint32_t i = 0; i < it->plan.robot_count; i++) {
        const cairn_trace_row row = {.name = it->names[i],
                                     .sample = &samples[i],
                                     .state = cairn_cell_latest(it->robots[i].state, NULL),
                                     .command = cairn_cell_latest(it->robots[i].command, NULL)};
        cairn_trace_add(it->trace, &row, now);
    }
}

static void step(episode *it, cairn_mono now)
{
    cairn_judge_sample samples[CAIRN_JUDGE_ROBOTS_MAX];
    cairn_robot_truth truths[CAIRN_JUDGE_ROBOTS_MAX];
    const uint32_t new_minds = cairn_trouble_step(&it->trouble, now);
    for (uint32_t i = 0; i < it->plan.robot_count; i++) {
        if ((new_minds >> i & 1) == 0) { continue; }
        const cairn_err err = watch_mind(it, i);
        CAIRN_ASSERT(err == CAIRN_OK);
    }
    go_wild(it, now);
    lift(it, now);
    cairn_team_run(it->team, cairn_mono_add(now, CAIRN_JUDGE_PERIOD_NS));
    // The last tick of the run was 4 ms ago: this is what was then.
    const cairn_mono then = cairn_mono_add(now, CAIRN_JUDGE_PERIOD_NS - CAIRN_PHYSICS_STEP_NS);
    for (uint32_t i = 0; i < it->plan.robot_count; i++) {
        samples[i] = sample_of(it, i, then);
        truths[i] = samples[i].truth;
    }
    judge_collisions(it, then);
    cairn_judge_step(&it->judge, samples, then);
    if (it->trace != NULL) { trace(it, samples, then); }
    if (now.ns % CAIRN_PILOT_PERIOD_NS != 0) { return; }
    for (uint32_t i = 0; i < it->plan.robot_count; i++) {
        cairn_pilot_step(&it->pilots[i], truths, it->plan.robot_count, cairn_team_operators(it->team), then);
    }
}

static void tell(const episode *it, cairn_episode_result *ret_result)
{
    int used = snprintf(ret_result->words, sizeof ret_result->words, "%s;", it->plan.words);
    ret_result->robot_count = it->plan.robot_count;
    for (uint32_t i = 0; i < it->plan.robot_count; i++) {
        snprintf(ret_result->bodies[i], sizeof ret_result->bodies[i], "%s", it->names[i]);
        const size_t room = sizeof ret_result->words - (size_t)used;
        const int more = snprintf(ret_result->words + used, room, " %s", it->names[i]);
        if (more > 0 && (size_t)more < room) { used += more; }
    }
    ret_result->robot_s = it->plan.duration_s * it->plan.robot_count;
    ret_result->violation_count = it->judge.violation_count;
    memcpy(ret_result->by_kind, it->judge.by_kind, sizeof ret_result->by_kind);
    memcpy(ret_result->by_kind_overridden, it->judge.by_kind_overridden, sizeof ret_result->by_kind_overridden);
    memcpy(ret_result->violations, it->judge.violations, sizeof ret_result->violations);
}

cairn_err cairn_episode_run(const cairn_campaign_def *def, uint64_t number, cairn_complaints *complaints,
                            cairn_episode_result *ret_result)
{
    CAIRN_ASSERT(def->body_count >= 1 && ret_result != NULL);
    episode *it = calloc(1, sizeof *it);
    if (it == NULL) { return CAIRN_ERR_FULL; }
    *ret_result = (cairn_episode_result){0};
    const cairn_err err = create(def, number, complaints, it);
    if (err == CAIRN_OK) {
        const int64_t end_ns = cairn_ns_from_seconds(it->plan.duration_s);
        for (int64_t ns = 0; ns < end_ns; ns += CAIRN_JUDGE_PERIOD_NS) { step(it, (cairn_mono){ns}); }
        tell(it, ret_result);
    }
    destroy(it);
    free(it);
    return err;
}

typedef struct episodes {
    const cairn_campaign_def *def;
    uint64_t first;
    cairn_episode_outcome *outcomes;
} episodes;

static void run_one(void *context, uint32_t job)
{
    const episodes *all = context;
    cairn_episode_outcome *outcome = &all->outcomes[job];
    outcome->complaints = (cairn_complaints){0};
    outcome->err = cairn_episode_run(all->def, all->first + job, &outcome->complaints, &outcome->result);
}

void cairn_episodes_run(const cairn_campaign_def *def, cairn_workers *workers, uint64_t first, uint32_t count,
                        cairn_episode_outcome *ret_outcomes)
{
    CAIRN_ASSERT(def != NULL && ret_outcomes != NULL);
    episodes all = {.def = def, .first = first, .outcomes = ret_outcomes};
    cairn_workers_run(workers, run_one, &all, count);
}
