#include "sim/campaign/plan.h"
#include "robot/reflex/guards.h"
#include "sim/arena/import/import.h"
#include "sim/arena/make/make.h"
#include "sim/campaign/aim.h"
#include "sim/campaign/ice.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLACE_BYTES ((size_t)64 << 20)
#define PLACE_TRIES 4
#define SIDE_M_MAX 40.0   // a robot does not get farther in an episode; larger places only take time to make
#define START_CLEAR_M 1.0 // between robots' starts and forbidden places
#define WILDS_DRAWN_MAX 3
#define NIST_PART 0.3 // of the episodes, where there are such arenas

static double uniform(cairn_random *random, double low, double high) { return cairn_random_between(random, low, high); }
static bool chance(cairn_random *random, double part) { return cairn_random_uniform(random) < part; }

// ---- the place

static cairn_err make_text(cairn_random *random, cairn_plan *plan, cairn_complaints *complaints, const char **ret_text,
                           size_t *ret_bytes)
{
    cairn_make_def def = cairn_make_def_default((cairn_make_kind)cairn_random_below(random, CAIRN_MAKE_SHOWGROUND));
    double least_m, most_m;
    cairn_make_size_limits(def.kind, &least_m, &most_m);
    def.size_m.x = fmin(def.size_m.x, fmax(least_m, SIDE_M_MAX));
    def.size_m.y = fmin(def.size_m.y, fmax(least_m, SIDE_M_MAX));
    def.name = "campaign";
    def.difficulty = 1 + cairn_random_below(random, CAIRN_MAKE_DIFFICULTY_MAX);
    def.start_count = CAIRN_JUDGE_ROBOTS_MAX;
    def.victim_count = 1 + cairn_random_below(random, 3);
    def.bystander_count = cairn_random_below(random, 3);
    def.seed = 1 + cairn_random_below(random, 1000000);
    snprintf(plan->words, sizeof plan->words, "%s of difficulty %u, seed %llu", cairn_make_kind_names[def.kind],
             def.difficulty, (unsigned long long)def.seed);
    cairn_make_report report;
    return cairn_make_run(&def, &plan->memory, complaints, ret_text, ret_bytes, &report);
}

static cairn_err import_text(const cairn_campaign_def *campaign, cairn_random *random, cairn_plan *plan,
                             cairn_complaints *complaints, const char **ret_text, size_t *ret_bytes)
{
    cairn_import_def def = cairn_import_def_default();
    def.file = campaign->places[cairn_random_below(random, campaign->place_count)];
    def.name = "campaign";
    def.start_count = CAIRN_JUDGE_ROBOTS_MAX;
    def.seed = 1 + cairn_random_below(random, 1000000);
    const char *name = strrchr(def.file, '/');
    snprintf(plan->words, sizeof plan->words, "%.80s", name != NULL ? name + 1 : def.file);
    cairn_import_report report;
    return cairn_import_run(&def, &plan->memory, complaints, ret_text, ret_bytes, &report);
}

static cairn_err make_place(const cairn_campaign_def *campaign, cairn_random *random, cairn_plan *plan,
                            cairn_complaints *complaints)
{
    cairn_err err = CAIRN_ERR_INVALID;
    for (int i = 0; i < PLACE_TRIES && err != CAIRN_OK; i++) {
        *complaints = (cairn_complaints){0};
        cairn_arena_reset(&plan->memory, 0);
        const char *text = NULL;
        size_t size_bytes = 0;
        const bool nist = campaign->place_count > 0 && chance(random, NIST_PART);
        err = nist ? import_text(campaign, random, plan, complaints, &text, &size_bytes)
                   : make_text(random, plan, complaints, &text, &size_bytes);
        if (err == CAIRN_OK) {
            err = cairn_sim_arena_parse(text, size_bytes, plan->words, &plan->memory, complaints, &plan->arena);
        }
    }
    return err;
}

// ---- what goes wrong

static void spoil_radio(cairn_random *random, cairn_plan *plan)
{
    plan->radio = cairn_medium_radio_default();
    if (chance(random, 0.4)) { plan->radio.loss = uniform(random, 0.02, 0.5); }
    if (chance(random, 0.4)) { plan->radio.delay_s = uniform(random, 0.02, 0.4); }
    if (chance(random, 0.3)) { plan->radio.jitter_s = uniform(random, 0.02, 0.3); }
    if (chance(random, 0.2)) { plan->radio.duplicate = 0.2; }
    double at_s = 0;
    const uint32_t count = chance(random, 0.5) ? cairn_random_below(random, CAIRN_PLAN_SILENCES_MAX + 1) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const double from_s = at_s + uniform(random, 5, 30);
        at_s = from_s + uniform(random, 0.3, 10);
        plan->silences[i] = (cairn_medium_silence){.from_s = from_s, .to_s = at_s};
    }
    plan->radio.silence_count = count;
    plan->radio.silences = plan->silences;
}

// Amounts that robots have a hard time to notice, and gross ones.
static double amount_of(cairn_random *random, cairn_failure_figure figure)
{
    static const double typical[CAIRN_FAILURE_FIGURE_COUNT] = {
        [CAIRN_FAILURE_BY_M] = 0.5,  [CAIRN_FAILURE_BY_K] = 5,    [CAIRN_FAILURE_BY_DEGPS] = 10,
        [CAIRN_FAILURE_BY_MPS2] = 3, [CAIRN_FAILURE_BY_PCT] = 40, [CAIRN_FAILURE_BY_TICKS] = 500,
        [CAIRN_FAILURE_BY_V] = 2,    [CAIRN_FAILURE_BY_UT] = 30,  [CAIRN_FAILURE_BY_PA] = 50,
        [CAIRN_FAILURE_AT_M] = 3,    [CAIRN_FAILURE_AT_C] = 36,   [CAIRN_FAILURE_LATE_S] = 0.6,
    };
    const cairn_failure_key *key = &cairn_failure_keys[figure];
    const double sign = key->min < 0 && chance(random, 0.5) ? -1 : 1;
    const double amount = sign * typical[figure] * uniform(random, 0.2, 2);
    return fmin(fmax(amount, key->min), key->max);
}

static cairn_failure draw_failure(cairn_random *random, cairn_sensor sensor)
{
    const cairn_failure_rule *rule = NULL;
    cairn_failure failure = {0};
    do {
        failure.way = cairn_random_below(random, CAIRN_FAILURE_WAY_COUNT);
        rule = cairn_failure_rule_of(sensor, (cairn_failure_way)failure.way);
    } while (!rule->possible);
    uint32_t part_count = 0;
    while (rule->parts != NULL && rule->parts[part_count] != NULL) { part_count++; }
    if (part_count > 0) { failure.part = cairn_random_below(random, part_count); }
    while (rule->figures != 0 && (rule->figures >> failure.figure & 1) == 0) {
        failure.figure = 1 + cairn_random_below(random, CAIRN_FAILURE_FIGURE_COUNT - 1);
    }
    if (failure.figure != CAIRN_FAILURE_NO_FIGURE) {
        failure.amount = amount_of(random, (cairn_failure_figure)failure.figure);
    }
    CAIRN_ASSERT(cairn_failure_is_sound(sensor, &failure));
    return failure;
}

static cairn_mission_event draw_event(cairn_random *random, const cairn_plan *plan)
{
    cairn_mission_event event = {.kind = CAIRN_EVENT_FAIL,
                                 .at_s = floor(uniform(random, 4, plan->duration_s - 5)),
                                 .for_s = chance(random, 0.3) ? 0 : uniform(random, 0.5, 30),
                                 .robot = cairn_random_below(random, plan->robot_count)};
    const double what = cairn_random_uniform(random);
    if (what < 0.12) {
        event.kind = CAIRN_EVENT_PRESS;
    } else if (what < 0.16 && plan->arena.block_count > 0) {
        event.kind = CAIRN_EVENT_AFTERSHOCK;
        event.strength_mps = uniform(random, 0.1, 1);
        event.for_s = 0;
    } else if (what < 0.22 && plan->arena.door_count > 0) {
        event.kind = chance(random, 0.5) ? CAIRN_EVENT_OPEN : CAIRN_EVENT_CLOSE;
        event.door = cairn_random_below(random, plan->arena.door_count);
        event.for_s = 0;
        snprintf(event.door_name, sizeof event.door_name, "%s", plan->arena.doors[event.door].name);
    } else {
        event.sensor = (cairn_sensor)cairn_random_below(random, CAIRN_SENSOR_COUNT);
        event.failure = draw_failure(random, event.sensor);
    }
    return event;
}

static void draw_events(cairn_random *random, cairn_plan *plan)
{
    plan->event_count = chance(random, 0.25) ? 0 : cairn_random_below(random, 5 * plan->robot_count);
    if (plan->event_count > CAIRN_PLAN_EVENTS_MAX) { plan->event_count = CAIRN_PLAN_EVENTS_MAX; }
    for (uint32_t i = 0; i < plan->event_count; i++) {
        const cairn_mission_event event = draw_event(random, plan);
        uint32_t to = i;
        for (; to > 0 && plan->events[to - 1].at_s > event.at_s; to--) { plan->events[to] = plan->events[to - 1]; }
        plan->events[to] = event;
    }
}

static void draw_holds(cairn_random *random, cairn_plan *plan)
{
    plan->hold_count = chance(random, 0.5) ? 0 : cairn_random_below(random, CAIRN_PLAN_HOLDS_MAX + 1);
    for (uint32_t i = 0; i < plan->hold_count; i++) {
        const double from_s = uniform(random, 4, plan->duration_s), for_s = uniform(random, 0.1, 8);
        plan->holds[i] = (cairn_plan_hold){.robot = cairn_random_below(random, plan->robot_count),
                                           .deliberate = chance(random, 0.5),
                                           .late = chance(random, 0.4),
                                           .from_ns = cairn_ns_from_seconds(from_s),
                                           .to_ns = cairn_ns_from_seconds(from_s + for_s),
                                           .turn_ns = cairn_ns_from_seconds(uniform(random, 0.05, 0.5))};
    }
}

static void draw_deaths(cairn_random *random, cairn_plan *plan)
{
    plan->death_count = chance(random, 0.65) ? 0 : 1 + cairn_random_below(random, CAIRN_PLAN_DEATHS_MAX);
    for (uint32_t i = 0; i < plan->death_count; i++) {
        const double from_s = uniform(random, 4, plan->duration_s), for_s = uniform(random, 0.05, 4);
        plan->deaths[i] = (cairn_plan_death){.robot = cairn_random_below(random, plan->robot_count),
                                             .reflex = chance(random, 0.4),
                                             .from_ns = cairn_ns_from_seconds(from_s),
                                             .to_ns = cairn_ns_from_seconds(from_s + for_s)};
    }
}

// Batteries that standing alone empties within half to three times the episode.
static void draw_batteries(cairn_random *random, cairn_plan *plan)
{
    for (uint32_t i = 0; i < plan->robot_count; i++) {
        const bool small = chance(random, 0.15);
        const double part = uniform(random, 0.5, 3);
        if (!small || !plan->bodies[i]->battery.offered) { continue; }
        plan->own_bodies[i] = *plan->bodies[i];
        cairn_battery_description *battery = &plan->own_bodies[i].battery;
        battery->capacity_wh = fmax(battery->idle_w, 1) * plan->duration_s * part / 3600;
        plan->bodies[i] = &plan->own_bodies[i];
    }
}

static cairn_area square(cairn_area_kind kind, double x_m, double y_m, double half_m)
{
    const float x[] = {(float)(x_m - half_m), (float)(x_m + half_m)},
                y[] = {(float)(y_m - half_m), (float)(y_m + half_m)};
    return (cairn_area){
        .kind = (uint8_t)kind, .corner_count = 4, .x_m = {x[0], x[1], x[1], x[0]}, .y_m = {y[0], y[0], y[1], y[1]}};
}

static bool is_clear_of_starts(const cairn_plan *plan, double x_m, double y_m, double half_m)
{
    for (uint32_t i = 0; i < plan->robot_count; i++) {
        const cairn_pose2 start = plan->arena.starts[i];
        if (fmax(fabs(start.x_m - x_m), fabs(start.y_m - y_m)) < half_m + START_CLEAR_M) { return false; }
    }
    return true;
}

// Each robot may be around its start; and a few places nearby are forbidden.
static void draw_areas(cairn_random *random, cairn_plan *plan)
{
    const bool wanted = chance(random, 0.3);
    const double half_m = uniform(random, 1.5, 5);
    if (!wanted || (cairn_guards_known() >> CAIRN_GUARD_AREA & 1) == 0) { return; }
    const bool keeps_in = chance(random, 0.6);
    for (uint32_t i = 0; i < plan->robot_count && keeps_in; i++) {
        const cairn_pose2 start = plan->arena.starts[i];
        plan->areas.areas[plan->areas.area_count++] = square(CAIRN_AREA_KEEP_IN, start.x_m, start.y_m, half_m);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const cairn_pose2 near = plan->arena.starts[cairn_random_below(random, plan->robot_count)];
        const double x_m = near.x_m + uniform(random, -4, 4), y_m = near.y_m + uniform(random, -4, 4);
        const double side_m = uniform(random, 0.2, 0.8);
        if (!is_clear_of_starts(plan, x_m, y_m, side_m)) { continue; }
        plan->areas.areas[plan->areas.area_count++] = square(CAIRN_AREA_KEEP_OUT, x_m, y_m, side_m);
    }
}

static void draw_wilds(cairn_random *random, cairn_plan *plan)
{
    plan->wild_count = chance(random, 0.6) ? 0 : 1 + cairn_random_below(random, WILDS_DRAWN_MAX);
    for (uint32_t i = 0; i < plan->wild_count; i++) {
        const double from_s = uniform(random, 4, plan->duration_s), for_s = uniform(random, 1, 12);
        const double forward = uniform(random, -1, 1);
        plan->wilds[i] = (cairn_plan_wild){.robot = cairn_random_below(random, plan->robot_count),
                                           .forward = chance(random, 0.6) ? copysign(1, forward) : forward,
                                           .turn = chance(random, 0.5) ? 0 : uniform(random, -1, 1),
                                           .from_ns = cairn_ns_from_seconds(from_s),
                                           .to_ns = cairn_ns_from_seconds(from_s + for_s)};
    }
}

static bool goes_wild(const cairn_plan *plan, uint32_t robot)
{
    for (uint32_t i = 0; i < plan->wild_count; i++) {
        if (plan->wilds[i].robot == robot) { return true; }
    }
    return false;
}

static bool feels(const cairn_plan *plan, uint32_t robot)
{
    for (uint32_t i = 0; i < plan->event_count; i++) {
        const cairn_mission_event *event = &plan->events[i];
        const bool needed = event->sensor == CAIRN_SENSOR_IMU || event->sensor == CAIRN_SENSOR_ENCODERS;
        if (event->kind == CAIRN_EVENT_FAIL && event->robot == robot && needed) { return false; }
    }
    return plan->bodies[robot]->imu.offered;
}

// Only mind says that it is lifted, by what IMU and wheels tell.
static void draw_lift(cairn_random *random, cairn_plan *plan)
{
    const bool wanted = chance(random, 0.25);
    const uint32_t robot = cairn_random_below(random, plan->robot_count);
    const double at_s = uniform(random, 8, plan->duration_s - 25);
    plan->lift = (cairn_plan_lift){.robot = robot,
                                   .at_ns = cairn_ns_from_seconds(at_s),
                                   .for_s = uniform(random, 4, 20),
                                   .height_m = uniform(random, 0.3, 1),
                                   .to_start = chance(random, 0.6),
                                   .start = cairn_random_below(random, plan->arena.start_count)};
    plan->lift_count = wanted && !goes_wild(plan, robot) && feels(plan, robot);
}

// By chance of its own: what is drawn here changes nothing of what is drawn above.
static void draw_more(const cairn_campaign_def *def, cairn_plan *plan)
{
    char name[64];
    snprintf(name, sizeof name, "campaign/%llu/more", (unsigned long long)plan->number);
    cairn_random random;
    cairn_random_init(&random, def->seed, name);
    draw_deaths(&random, plan);
    draw_batteries(&random, plan);
    if (!def->ice) { draw_areas(&random, plan); } // who slides cannot keep to them
    if (chance(&random, 0.2)) { plan->overridden = CAIRN_GUARDS_OVERRIDABLE & cairn_guards_known(); }
    draw_wilds(&random, plan);
    draw_lift(&random, plan);
}

cairn_err cairn_plan_make(const cairn_campaign_def *def, uint64_t number, cairn_complaints *complaints,
                          cairn_plan *ret_plan)
{
    CAIRN_ASSERT(def->body_count >= 1 && def->bodies != NULL);
    memset(ret_plan, 0, sizeof *ret_plan);
    cairn_err err = cairn_arena_create(&ret_plan->memory, PLACE_BYTES);
    if (err != CAIRN_OK) { return err; }
    if (def->aimed) { return cairn_aim_plan(def, number, complaints, ret_plan); }
    char name[64];
    snprintf(name, sizeof name, "campaign/%llu", (unsigned long long)number);
    cairn_random random;
    cairn_random_init(&random, def->seed, name);
    ret_plan->number = number;
    ret_plan->duration_s =
        CAIRN_EPISODE_S_MIN + cairn_random_below(&random, CAIRN_EPISODE_S_MAX - CAIRN_EPISODE_S_MIN + 1);
    ret_plan->robot_count = 1 + cairn_random_below(&random, CAIRN_JUDGE_ROBOTS_MAX);
    for (uint32_t i = 0; i < ret_plan->robot_count; i++) {
        ret_plan->bodies[i] = &def->bodies[cairn_random_below(&random, def->body_count)];
    }
    ret_plan->pilot = chance(&random, 0.7) ? CAIRN_PILOT_HOSTILE : CAIRN_PILOT_PLAYS;
    err = def->ice ? cairn_ice_make(&random, complaints, ret_plan) : make_place(def, &random, ret_plan, complaints);
    if (err != CAIRN_OK) { return err; }
    if (ret_plan->robot_count > ret_plan->arena.start_count) { ret_plan->robot_count = ret_plan->arena.start_count; }
    spoil_radio(&random, ret_plan);
    draw_events(&random, ret_plan);
    draw_holds(&random, ret_plan);
    draw_more(def, ret_plan);
    return CAIRN_OK;
}

void cairn_plan_finish(cairn_plan *plan) { cairn_arena_destroy(&plan->memory); }
