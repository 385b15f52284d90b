#include "sim/campaign/campaign.h"
#include "radio.h"
#include "robot/reflex/reflex.h"
#include "sim/campaign/pilot.h"
#include "sim/condition_truth.h"
#include "sim/mission/team_parts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENDS_BYTES ((size_t)1 << 20)
#define SAID_NS_MAX CAIRN_MS(1200) // older words are not said now

// Ends of our own on what a robot writes.
typedef struct watched {
    cairn_cell *command, *state, *telemetry;
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
    uint64_t collisions_seen;
    char names[CAIRN_JUDGE_ROBOTS_MAX][16];
} episode;

static cairn_err attach(cairn_arena *ends, const cairn_cell *cell, cairn_cell **ret_end)
{
    return cairn_cell_attach(ends, cell->memory, cell->value_bytes, ret_end);
}

static cairn_err watch(episode *it, uint32_t i)
{
    const cairn_robot *robot = it->team->robots[i].robot;
    const cairn_reflex_cells *cells = cairn_robot_cells(robot);
    it->robots[i].commanded.ns = -1;
    cairn_err err = attach(&it->ends, cells->command, &it->robots[i].command);
    if (err == CAIRN_OK) { err = attach(&it->ends, cells->state_behaviour, &it->robots[i].state); }
    if (err == CAIRN_OK) { err = attach(&it->ends, cairn_robot_telemetry(robot), &it->robots[i].telemetry); }
    return err;
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
                           .event_count = it->plan.event_count,
                           .events = it->plan.events,
                           .robot_count = it->plan.robot_count,
                           .without_guards = def->without_guards,
                           .workers = def->workers};
    for (uint32_t i = 0; i < team.robot_count; i++) {
        snprintf(it->names[i], sizeof it->names[i], "%.12s%u", it->plan.bodies[i]->name, i + 1);
        team.robots[i] = (cairn_team_robot_def){
            .name = it->names[i], .description = it->plan.bodies[i], .mode = CAIRN_MODE_AUTONOMOUS};
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
        cairn_pilot_init(&it->pilots[i], &it->plan.arena, i, it->plan.hostile, def->seed * 1000003 + number);
    }
    if (err == CAIRN_OK) { cairn_judge_init(&it->judge, &it->plan.arena, it->plan.robot_count, it->plan.bodies); }
    return err;
}

static void destroy(episode *it)
{
    cairn_team_destroy(it->team);
    cairn_arena_destroy(&it->ends);
    cairn_plan_finish(&it->plan);
}

// ---- running

static bool hangs(const cairn_plan *plan, uint32_t robot, bool deliberate, int64_t now_ns)
{
    for (uint32_t i = 0; i < plan->hold_count; i++) {
        const cairn_plan_hold *hold = &plan->holds[i];
        if (hold->robot != robot || hold->deliberate != deliberate) { continue; }
        if (now_ns < hold->from_ns || now_ns >= hold->to_ns) { continue; }
        if (!hold->late || (now_ns - hold->from_ns) / hold->turn_ns % 2 == 0) { return true; }
    }
    return false;
}

static void hold_levels(episode *it, cairn_mono now)
{
    for (uint32_t i = 0; i < it->plan.robot_count; i++) {
        cairn_executor_hold(it->team->executor, it->names[i], CAIRN_ROBOT_BEHAVIOUR,
                            hangs(&it->plan, i, false, now.ns));
        cairn_executor_hold(it->team->executor, it->names[i], CAIRN_ROBOT_DELIBERATE,
                            hangs(&it->plan, i, true, now.ns));
    }
}

static bool button_is_in(const episode *it, uint32_t robot, cairn_mono now)
{
    if (!it->plan.bodies[robot]->stop_button_offered) { return false; }
    for (uint32_t i = 0; i < it->plan.event_count; i++) {
        const cairn_mission_event *event = &it->plan.events[i];
        const double now_s = cairn_seconds(now.ns), to_s = event->for_s > 0 ? event->at_s + event->for_s : INFINITY;
        if (event->kind == CAIRN_EVENT_PRESS && event->robot == robot && now_s >= event->at_s && now_s < to_s) {
            return true;
        }
    }
    return false;
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

static cairn_judge_sample sample_of(episode *it, uint32_t i, cairn_mono now)
{
    cairn_judge_sample sample = {.dead = cairn_world_is_dead(it->team->world, i)};
    const cairn_body_description *body = it->plan.bodies[i];
    cairn_world_truth(it->team->world, i, &sample.truth);
    hear_command(&it->robots[i], &body->limits, now);
    sample.commanded = it->robots[i].commanded;
    const cairn_reflex_state *state = cairn_cell_latest(it->robots[i].state, NULL);
    if (state != NULL) {
        sample.told_mps = state->told_mps;
        sample.told_radps = state->told_radps;
        sample.stopped = state->stop_latched;
    }
    sample.stopped = sample.stopped || button_is_in(it, i, now);
    cairn_condition_truth_tell(&it->conditions[i], sample.told_mps, sample.told_radps);
    sample.conditions = 1u << cairn_condition_truth_step(&it->conditions[i], it->team->world, i, now);
    hear_words(it, i, &sample, now);
    const cairn_team_robot *robot = &it->team->robots[i];
    sample.believed_m = cairn_pose2_at(cairn_pose2_compose(robot->map_T_private, robot->last.private_T_base));
    return sample;
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

static void step(episode *it, cairn_mono now)
{
    cairn_judge_sample samples[CAIRN_JUDGE_ROBOTS_MAX];
    cairn_robot_truth truths[CAIRN_JUDGE_ROBOTS_MAX];
    hold_levels(it, now);
    cairn_team_run(it->team, cairn_mono_add(now, CAIRN_JUDGE_PERIOD_NS));
    // The last tick of the run was 4 ms ago: this is what was then.
    const cairn_mono then = cairn_mono_add(now, CAIRN_JUDGE_PERIOD_NS - CAIRN_PHYSICS_STEP_NS);
    for (uint32_t i = 0; i < it->plan.robot_count; i++) {
        samples[i] = sample_of(it, i, then);
        truths[i] = samples[i].truth;
    }
    judge_collisions(it, then);
    cairn_judge_step(&it->judge, samples, then);
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
