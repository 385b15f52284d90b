#include "sim/campaign/pilot.h"
#include "sim/arena/ground.h"
#include <math.h>
#include <stdio.h>

#define AIM_M_MAX 6.0 // farther things are no fun
#define EDGE_M 0.12   // a step down of so much is worth driving at
#define EDGE_FROM_M 0.3
#define EDGE_STEP_M 0.15
#define EDGE_RAYS 24
#define FIRST_NS CAIRN_S(3) // until robots know where they are and hear

void cairn_pilot_init(cairn_pilot *pilot, const cairn_sim_arena *arena, uint32_t robot, cairn_pilot_temper temper,
                      uint32_t overridable, uint64_t seed)
{
    *pilot = (cairn_pilot){.arena = arena,
                           .robot = robot,
                           .temper = temper,
                           .until_ns = FIRST_NS,
                           .overridable = overridable,
                           .override_until_ns = FIRST_NS};
    char name[32];
    snprintf(name, sizeof name, "pilot/%u", robot);
    cairn_random_init(&pilot->random, seed, name);
    snprintf(name, sizeof name, "pilot/%u/override", robot);
    cairn_random_init(&pilot->override_random, seed, name);
}

static bool chance(cairn_pilot *pilot, double part) { return cairn_random_uniform(&pilot->random) < part; }

static void say(const cairn_pilot *pilot, cairn_operator_action action, cairn_inbox *operators)
{
    action.robot = (uint8_t)(pilot->robot + 1);
    (void)!cairn_inbox_put(operators, &action, sizeof action); // what a full inbox refuses was not said
}

// ---- aims

// The nearest step down along a way from the robot; false if there is none.
static bool edge_along(const cairn_sim_arena *arena, cairn_vec3 from_m, double heading_rad, cairn_vec2 *ret_m)
{
    double before_m = from_m.z;
    const int step_count = (int)ceil((AIM_M_MAX - EDGE_FROM_M) / EDGE_STEP_M);
    for (int i = 0; i < step_count; i++) {
        const double way_m = EDGE_FROM_M + i * EDGE_STEP_M;
        const cairn_vec2 at_m = {from_m.x + way_m * cos(heading_rad), from_m.y + way_m * sin(heading_rad)};
        if (at_m.x < 0 || at_m.y < 0 || at_m.x > arena->size_m.x || at_m.y > arena->size_m.y) { return false; }
        const double ground_m = cairn_sim_ground_m(arena, at_m, before_m + 0.3);
        if (before_m - ground_m > EDGE_M) {
            *ret_m = at_m;
            return true;
        }
        before_m = ground_m;
    }
    return false;
}

static bool aim_at_edge(cairn_pilot *pilot, cairn_vec3 from_m)
{
    const uint32_t first = cairn_random_below(&pilot->random, EDGE_RAYS);
    for (uint32_t i = 0; i < EDGE_RAYS; i++) {
        if (edge_along(pilot->arena, from_m, (first + i) * 2 * CAIRN_PI / EDGE_RAYS, &pilot->aim_m)) { return true; }
    }
    return false;
}

bool cairn_pilot_aim_at_solid(cairn_pilot *pilot, cairn_vec3 from_m)
{
    const uint32_t count = pilot->arena->solid_count, first = count > 0 ? cairn_random_below(&pilot->random, count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const cairn_solid *solid = &pilot->arena->solids[(first + i) % count];
        const cairn_vec3 at_m = solid->map_T_box.at_m;
        const double way_m = hypot(at_m.x - from_m.x, at_m.y - from_m.y);
        if (solid->kind == CAIRN_SOLID_GROUND || way_m > AIM_M_MAX) { continue; }
        pilot->aim_m = (cairn_vec2){at_m.x, at_m.y};
        return true;
    }
    return false;
}

static bool aim_at_robot(cairn_pilot *pilot, const cairn_robot_truth *truths, uint32_t robot_count)
{
    if (robot_count < 2) { return false; }
    const uint32_t other = (pilot->robot + 1 + cairn_random_below(&pilot->random, robot_count - 1)) % robot_count;
    const cairn_vec3 at_m = truths[other].map_T_base.at_m;
    pilot->aim_m = (cairn_vec2){at_m.x, at_m.y};
    return true;
}

static bool aim(cairn_pilot *pilot, const cairn_robot_truth *truths, uint32_t robot_count)
{
    const cairn_vec3 from_m = truths[pilot->robot].map_T_base.at_m;
    if (chance(pilot, 0.5) && aim_at_edge(pilot, from_m)) { return true; }
    if (chance(pilot, 0.2) && aim_at_robot(pilot, truths, robot_count)) { return true; }
    return cairn_pilot_aim_at_solid(pilot, from_m);
}

// ---- whims

static void order_mode(cairn_pilot *pilot, cairn_mode mode, cairn_inbox *operators)
{
    say(pilot, (cairn_operator_action){.verb = CAIRN_DO_MODE, .mode = (uint8_t)mode}, operators);
}

static void take_stick(cairn_pilot *pilot, const cairn_robot_truth *truths, uint32_t robot_count,
                       cairn_inbox *operators)
{
    const cairn_mode mode = chance(pilot, 0.8)   ? CAIRN_MODE_TELEOPERATED
                            : chance(pilot, 0.5) ? CAIRN_MODE_ASSISTED_LEFT
                                                 : CAIRN_MODE_ASSISTED_RIGHT;
    order_mode(pilot, mode, operators);
    pilot->drives = true;
    pilot->aims = chance(pilot, pilot->temper == CAIRN_PILOT_HOSTILE ? 0.75 : 0.2) && aim(pilot, truths, robot_count);
    pilot->backwards = chance(pilot, 0.25);
    pilot->forward = cairn_random_between(&pilot->random, -1, 1);
    pilot->turn = chance(pilot, 0.5) ? 0 : cairn_random_between(&pilot->random, -1, 1);
    if (chance(pilot, 0.5)) { pilot->forward = pilot->forward < 0 ? -1 : 1; }
}

static void take_whim(cairn_pilot *pilot, const cairn_robot_truth *truths, uint32_t robot_count, cairn_inbox *operators,
                      cairn_mono now)
{
    pilot->until_ns = now.ns + cairn_ns_from_seconds(cairn_random_between(&pilot->random, 0.5, 8));
    const bool cut_off = pilot->drives && chance(pilot, 0.4); // says nothing more, and does not let go
    if (pilot->drives && !cut_off) {
        say(pilot, (cairn_operator_action){.verb = CAIRN_DO_DRIVE, .shown = now}, operators);
    }
    pilot->drives = false;
    if (cut_off) { return; }
    if (pilot->stopped) {
        say(pilot, (cairn_operator_action){.verb = CAIRN_DO_RELEASE}, operators);
        pilot->stopped = false;
        pilot->until_ns = now.ns + CAIRN_S(1);
        return;
    }
    const double what = cairn_random_uniform(&pilot->random);
    if (what < 0.6) {
        take_stick(pilot, truths, robot_count, operators);
    } else if (what < 0.7) {
        say(pilot, (cairn_operator_action){.verb = CAIRN_DO_STOP}, operators);
        pilot->stopped = true;
    } else if (what < 0.8 && aim(pilot, truths, robot_count)) {
        say(pilot, (cairn_operator_action){.verb = CAIRN_DO_GO, .to_m = pilot->aim_m}, operators);
    } else if (what < 0.83) {
        say(pilot, (cairn_operator_action){.verb = CAIRN_DO_HOME}, operators);
    } else {
        const uint32_t modes = CAIRN_MODE_COUNT - CAIRN_MODE_PAUSED;
        order_mode(pilot, (cairn_mode)(CAIRN_MODE_PAUSED + cairn_random_below(&pilot->random, modes)), operators);
    }
}

// Holds some of them off for up to longer than he is allowed to, then lets go.
static void take_overrides(cairn_pilot *pilot, cairn_inbox *operators, cairn_mono now)
{
    cairn_random *random = &pilot->override_random;
    const bool held = pilot->overridden != 0;
    pilot->overridden = 0;
    for (uint32_t guard = 0; guard < CAIRN_GUARD_BITS && !held; guard++) {
        const bool taken = cairn_random_uniform(random) < 0.4;
        pilot->overridden |= taken ? pilot->overridable & 1u << guard : 0;
    }
    if (held) { // what is lost on the way ends by itself
        say(pilot, (cairn_operator_action){.verb = CAIRN_DO_OVERRIDE, .shown = now}, operators);
    }
    pilot->override_until_ns = now.ns + cairn_ns_from_seconds(cairn_random_between(random, 1, held ? 15 : 35));
}

static double clamp(double x) { return fmin(fmax(x, -1.0), 1.0); }

void cairn_pilot_steer(const cairn_pilot *pilot, cairn_pose2 map_T_base, double *ret_forward, double *ret_turn)
{
    const double towards = atan2(pilot->aim_m.y - map_T_base.y_m, pilot->aim_m.x - map_T_base.x_m);
    const double back = pilot->backwards ? CAIRN_PI : 0;
    const double bearing_rad = remainder(towards - map_T_base.yaw_rad - back, 2 * CAIRN_PI);
    *ret_turn = clamp(2 * bearing_rad);
    *ret_forward = fabs(bearing_rad) > 0.6 ? 0 : pilot->backwards ? -1 : 1;
}

static void hold_stick(cairn_pilot *pilot, const cairn_robot_truth *truth, cairn_inbox *operators, cairn_mono now)
{
    cairn_operator_action action = {
        .verb = CAIRN_DO_DRIVE, .forward = pilot->forward, .turn = pilot->turn, .dead_man = true, .shown = now};
    if (pilot->aims) {
        cairn_pilot_steer(pilot, cairn_pose3_to_pose2(truth->map_T_base), &action.forward, &action.turn);
    }
    say(pilot, action, operators);
}

static void stop_by_turns(cairn_pilot *pilot, cairn_inbox *operators, cairn_mono now)
{
    if (now.ns < pilot->until_ns) { return; }
    say(pilot, (cairn_operator_action){.verb = pilot->stopped ? CAIRN_DO_RELEASE : CAIRN_DO_STOP}, operators);
    pilot->stopped = !pilot->stopped;
    pilot->until_ns = now.ns + CAIRN_S(pilot->stopped ? 4 : 2);
}

void cairn_pilot_step(cairn_pilot *pilot, const cairn_robot_truth *truths, uint32_t robot_count, cairn_inbox *operators,
                      cairn_mono now)
{
    CAIRN_ASSERT(pilot->robot < robot_count && operators != NULL);
    if (pilot->overridable != 0 && now.ns >= pilot->override_until_ns) { take_overrides(pilot, operators, now); }
    if (pilot->overridden != 0) {
        say(pilot, (cairn_operator_action){.verb = CAIRN_DO_OVERRIDE, .guards = pilot->overridden, .shown = now},
            operators);
    }
    if (pilot->temper == CAIRN_PILOT_STOPS) { stop_by_turns(pilot, operators, now); }
    if (pilot->temper == CAIRN_PILOT_STOPS || pilot->temper == CAIRN_PILOT_AWAY) { return; }
    if (now.ns >= pilot->until_ns) { take_whim(pilot, truths, robot_count, operators, now); }
    if (pilot->drives) { hold_stick(pilot, &truths[pilot->robot], operators, now); }
}
