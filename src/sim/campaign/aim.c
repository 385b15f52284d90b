// For each guard a place and a way by which a robot without it gets into harm, soon: a hall made for it, a mind that
// asks for more than is good, and those guards switched off that would help in its stead.
#include "sim/campaign/aim.h"
#include <math.h>
#include <stdio.h>

#define FIRST_S 4.0                        // until reflex has settled, and the gyro's bias is known
#define SLOPE_M 4.0                        // as high as the slope's top at least
#define TILT_RAD_MAX (40 * CAIRN_PI / 180) // a robot that may be steeper climbs every slope that can be made

typedef enum aim_way { AIM_STRAIGHT, AIM_TURN, AIM_AT_SOLIDS } aim_way;

#define BIT(guard) (1u << (guard))
#define KIND(kind) (1u << CAIRN_VIOLATION_##kind)
// What keeps a robot from getting to where it tilts, spins or hangs.
#define WARY (BIT(CAIRN_GUARD_OBSTACLE) | BIT(CAIRN_GUARD_BUMP))
#define STEADY (BIT(CAIRN_GUARD_TILT) | BIT(CAIRN_GUARD_TIP))

static const char holes_text[] = "holes: [{at_m: [7, 6], size_m: [1.6, 11], depth_m: 1}]\n";
static const char slope_text[] = "ramps: [{kind: slope, at_m: [8, 6], length_m: 5, width_m: 9, angle_deg: 38.4}]\n";
static const char ice_text[] = "platforms: [{at_m: [8.9, 6], size_m: [9.9, 11], top_m: 0.02, friction: 0.05}]\n";

static const struct aim {
    cairn_guard guard;
    uint32_t masks, kinds;
    aim_way way;
    const char *place; // what the hall has beside boxes
    const char *why;   // NULL, or why nothing can be aimed at
} aims[] = {
    {CAIRN_GUARD_STOP, BIT(CAIRN_GUARD_BUTTON), KIND(STOP), AIM_TURN, "", NULL},
    {CAIRN_GUARD_BUTTON, BIT(CAIRN_GUARD_STOP), KIND(STOP), AIM_TURN, "", NULL},
    {CAIRN_GUARD_TILT, WARY | BIT(CAIRN_GUARD_DROP) | BIT(CAIRN_GUARD_TIP) | BIT(CAIRN_GUARD_SPIN), KIND(TILTED),
     AIM_TURN, slope_text, NULL},
    {CAIRN_GUARD_COMMAND, 0, KIND(COMMAND) | KIND(BRAKING), AIM_AT_SOLIDS, "", NULL},
    {CAIRN_GUARD_ENCODERS, BIT(CAIRN_GUARD_WHEELS), KIND(SENSES), AIM_TURN, "", NULL},
    {CAIRN_GUARD_IMU, 0, KIND(SENSES), AIM_TURN, "", NULL},
    {CAIRN_GUARD_BUMP, 0, KIND(SENSES), AIM_TURN, "", NULL},
    {CAIRN_GUARD_WHEELS, WARY, KIND(COUNTS), AIM_AT_SOLIDS, "", NULL},
    {CAIRN_GUARD_OBSTACLE, BIT(CAIRN_GUARD_BUMP), KIND(CONTACT), AIM_AT_SOLIDS, "", NULL},
    {CAIRN_GUARD_DROP, WARY | STEADY, KIND(EDGE), AIM_STRAIGHT, holes_text, NULL},
    {CAIRN_GUARD_TIP, 0, 0, AIM_TURN, "",
     "no motion tips these robots over on ground that they are meant for; tests/robot/test_tipping.c: "
     "a_lean_that_is_near_tipping_slows_before_it_stops"},
    {CAIRN_GUARD_SPIN, WARY | BIT(CAIRN_GUARD_DROP), KIND(SPINNING), AIM_STRAIGHT, ice_text, NULL},
    {CAIRN_GUARD_CLOCK, 0, 0, AIM_TURN, "",
     "lockstep's clock cannot leap; tests/robot/test_guards.c: "
     "a_clock_that_leaps_stops_the_robot_for_half_a_second"},
    {CAIRN_GUARD_AREA, WARY, KIND(AREA), AIM_STRAIGHT, "", NULL},
    {CAIRN_GUARD_BATTERY, 0, KIND(BATTERY), AIM_TURN, "", NULL},
};

static const struct aim *find(cairn_guard guard)
{
    for (size_t i = 0; i < sizeof aims / sizeof aims[0]; i++) {
        if (aims[i].guard == guard) { return &aims[i]; }
    }
    return NULL;
}

bool cairn_aim_is_possible(cairn_guard guard, const char **ret_why)
{
    const struct aim *aim = find(guard);
    *ret_why = aim == NULL ? "nobody has said yet how to aim at it (sim/campaign/aim.c)" : aim->why;
    return *ret_why == NULL;
}

uint32_t cairn_aim_masks(cairn_guard guard)
{
    const struct aim *aim = find(guard);
    return aim != NULL ? aim->masks : 0;
}

uint32_t cairn_aim_kinds(cairn_guard guard)
{
    const struct aim *aim = find(guard);
    return aim != NULL ? aim->kinds : 0;
}

static double uniform(cairn_random *random, double low, double high) { return cairn_random_between(random, low, high); }

// Whether the guard matters for such a robot.
static bool fits(cairn_guard guard, const cairn_body_description *body)
{
    switch (guard) {
    case CAIRN_GUARD_BUTTON: return body->stop_button_offered;
    case CAIRN_GUARD_TILT: return body->limits.tilt_rad_max < TILT_RAD_MAX;
    case CAIRN_GUARD_ENCODERS:
    case CAIRN_GUARD_WHEELS: return body->encoders.offered;
    case CAIRN_GUARD_IMU: return body->imu.offered;
    case CAIRN_GUARD_BUMP: return body->bumper_offered;
    case CAIRN_GUARD_OBSTACLE: return body->laser.offered;
    case CAIRN_GUARD_DROP: return cairn_body_sees_ground(body) && !body->limits.accept_unseen_ground;
    case CAIRN_GUARD_SPIN: return body->encoders.offered && body->laser.offered;
    case CAIRN_GUARD_BATTERY: return body->battery.offered;
    default: return true;
    }
}

static const cairn_body_description *choose_body(const cairn_campaign_def *def, cairn_random *random)
{
    const uint32_t first = cairn_random_below(random, def->body_count);
    for (uint32_t i = 0; i < def->body_count; i++) {
        const cairn_body_description *body = &def->bodies[(first + i) % def->body_count];
        if (fits(def->aim, body)) { return body; }
    }
    return NULL;
}

// Nobody is set down on a slope by a file; and few robots climb one that is too steep for them.
static cairn_err put_on_slope(cairn_random *random, cairn_plan *plan)
{
    cairn_sim_arena *arena = &plan->arena;
    arena->starts[0] = (cairn_pose2){uniform(random, 7, 8), uniform(random, 4, 8), uniform(random, -3, 3)};
    if (arena->start_feet_m == NULL) { arena->start_feet_m = cairn_arena_take(&plan->memory, 1, sizeof(double)); }
    if (arena->start_feet_m == NULL) { return CAIRN_ERR_FULL; }
    arena->start_feet_m[0] = SLOPE_M;
    return CAIRN_OK;
}

// A hall with some boxes; the robot looks to the east.
static cairn_err make_place(const struct aim *aim, cairn_random *random, cairn_complaints *complaints, cairn_plan *plan)
{
    static const char frame[] =
        "name: aimed\nabout: a hall with what a guard is against\nsize_m: [14, 12]\n"
        "walls: [{kind: rectangle, corner_m: [0.05, 0.05], size_m: [13.9, 11.9], height_m: 1.2}]\n"
        "boxes: [{at_m: [%.2f, 2], size_m: [0.6, 0.6, 1]}, {at_m: [%.2f, 10], size_m: [1, 0.4, 1]}%s]\n"
        "%sstarts: [{at_m: [%.2f, %.2f], heading_deg: %.0f}]\n";
    const size_t room = sizeof frame + 256;
    char *text = cairn_arena_take(&plan->memory, room, 1);
    if (text == NULL) { return CAIRN_ERR_FULL; }
    const double west_m = uniform(random, 2, 12), east_m = uniform(random, 2, 12);
    const double x_m = uniform(random, 1.5, 3), y_m = uniform(random, 4, 8), heading_deg = uniform(random, -15, 15);
    // What lasers look over holds it on the ice: they must see that it does not move.
    const char *low = aim->place == ice_text ? ", {at_m: [7, 6], size_m: [0.3, 9, 0.25], material: concrete}" : "";
    const int bytes = snprintf(text, room, frame, west_m, east_m, low, aim->place, x_m, y_m, heading_deg);
    CAIRN_ASSERT(bytes > 0 && (size_t)bytes < room);
    snprintf(plan->words, sizeof plan->words, "a hall to try the guard '%s'", cairn_guard_name(aim->guard));
    const cairn_err err =
        cairn_sim_arena_parse(text, (size_t)bytes, plan->words, &plan->memory, complaints, &plan->arena);
    return err == CAIRN_OK && aim->place == slope_text ? put_on_slope(random, plan) : err;
}

static void add_wild(cairn_plan *plan, double from_s, double to_s, cairn_plan_wild wild)
{
    if (plan->wild_count == CAIRN_PLAN_WILDS_MAX) { return; }
    wild.from_ns = cairn_ns_from_seconds(from_s);
    wild.to_ns = cairn_ns_from_seconds(to_s);
    plan->wilds[plan->wild_count++] = wild;
}

// Its way, in stretches; under `command` each ends with behaviours that hang.
static void plan_way(const struct aim *aim, cairn_random *random, cairn_plan *plan)
{
    const bool hangs = aim->guard == CAIRN_GUARD_COMMAND;
    const double for_s = aim->way == AIM_AT_SOLIDS ? 4 : 1e3;
    double to_s = FIRST_S;
    while (to_s < plan->duration_s) {
        const double from_s = to_s;
        to_s = fmin(from_s + for_s * uniform(random, 0.6, 1.4), plan->duration_s);
        cairn_plan_wild wild = {.forward = uniform(random, 0.6, 1), .at_solid = aim->way == AIM_AT_SOLIDS};
        if (aim->way == AIM_TURN) { wild.forward = 0; }
        if (aim->way == AIM_TURN) { wild.turn = uniform(random, 0.4, 0.8) * (uniform(random, -1, 1) < 0 ? -1 : 1); }
        add_wild(plan, from_s, to_s, wild);
        if (!hangs || plan->hold_count == CAIRN_PLAN_HOLDS_MAX) { continue; }
        plan->holds[plan->hold_count++] =
            (cairn_plan_hold){.from_ns = cairn_ns_from_seconds(from_s), .to_ns = cairn_ns_from_seconds(to_s + 2)};
        to_s += 3;
    }
}

static void plan_failure(const struct aim *aim, cairn_random *random, cairn_plan *plan)
{
    cairn_mission_event event = {.kind = CAIRN_EVENT_FAIL, .at_s = floor(uniform(random, FIRST_S + 2, 12))};
    event.failure.way = CAIRN_FAILURE_SILENT;
    switch (aim->guard) {
    case CAIRN_GUARD_BUTTON:
        event.kind = CAIRN_EVENT_PRESS;
        event.for_s = 10;
        break;
    case CAIRN_GUARD_ENCODERS: event.sensor = CAIRN_SENSOR_ENCODERS; break;
    case CAIRN_GUARD_IMU: event.sensor = CAIRN_SENSOR_IMU; break;
    case CAIRN_GUARD_BUMP: event.sensor = CAIRN_SENSOR_BUMPER; break;
    case CAIRN_GUARD_WHEELS:
        event.sensor = CAIRN_SENSOR_ENCODERS;
        event.failure = (cairn_failure){.way = CAIRN_FAILURE_STUCK, .part = cairn_random_below(random, 4)};
        break;
    default: return;
    }
    plan->events[plan->event_count++] = event;
}

static void plan_body(const struct aim *aim, cairn_plan *plan)
{
    if (aim->guard != CAIRN_GUARD_BATTERY) { return; }
    plan->own_bodies[0] = *plan->bodies[0];
    cairn_battery_description *battery = &plan->own_bodies[0].battery;
    battery->capacity_wh = fmax(battery->idle_w, 1) * 0.25 * plan->duration_s / 3600; // standing alone empties it
    plan->bodies[0] = &plan->own_bodies[0];
}

static void plan_area(const struct aim *aim, cairn_random *random, cairn_plan *plan)
{
    if (aim->guard != CAIRN_GUARD_AREA) { return; }
    const cairn_pose2 start = plan->arena.starts[0];
    const float half_m = (float)uniform(random, 1.3, 2.5), x_m = (float)start.x_m, y_m = (float)start.y_m;
    plan->areas.area_count = 1;
    plan->areas.areas[0] = (cairn_area){.kind = CAIRN_AREA_KEEP_IN,
                                        .corner_count = 4,
                                        .x_m = {x_m - half_m, x_m + half_m, x_m + half_m, x_m - half_m},
                                        .y_m = {y_m - half_m, y_m - half_m, y_m + half_m, y_m + half_m}};
}

cairn_err cairn_aim_plan(const cairn_campaign_def *def, uint64_t number, cairn_complaints *complaints, cairn_plan *plan)
{
    const struct aim *aim = find(def->aim);
    CAIRN_ASSERT(aim != NULL && def->body_count >= 1);
    char name[64];
    snprintf(name, sizeof name, "campaign/aim/%u/%llu", (unsigned)def->aim, (unsigned long long)number);
    cairn_random random;
    cairn_random_init(&random, def->seed, name);
    plan->number = number;
    plan->duration_s = 30 + cairn_random_below(&random, 11);
    plan->robot_count = 1;
    plan->bodies[0] = choose_body(def, &random);
    if (plan->bodies[0] == NULL) {
        cairn_complain(complaints, cairn_guard_name(def->aim), 0, "no robot is such that this guard matters");
        return CAIRN_ERR_NOT_FOUND;
    }
    plan->pilot = def->aim == CAIRN_GUARD_STOP ? CAIRN_PILOT_STOPS : CAIRN_PILOT_AWAY;
    plan->radio = cairn_medium_radio_default();
    const cairn_err err = make_place(aim, &random, complaints, plan);
    if (err != CAIRN_OK) { return err; }
    plan_way(aim, &random, plan);
    plan_failure(aim, &random, plan);
    plan_body(aim, plan);
    plan_area(aim, &random, plan);
    return CAIRN_OK;
}
