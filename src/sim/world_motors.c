// world_motors.c - moves the world by a tick: what the motors are told, the base's own watchdog and brake, the battery,
// the camera's head, and what moves by itself. The last moments of every robot are kept in a ring, one entry a tick,
// long enough for the slowest sensor.
#include "sim/world_private.h"
#include <string.h>

// The base's own brake: up to half the motors' torque against the wheels' turning; once they are slow it holds them
// where they are, with this much give.
#define BRAKE_PART 0.5
#define BRAKE_GIVE_RAD 0.3
#define BRAKE_HOLD_RADPS 1.0
#define AHEAD_NS_MAX CAIRN_S(1)

// ---- the past

const cairn_robot_truth *cairn_world_past(const cairn_world *world, const cairn_world_robot *robot, int64_t tick)
{
    CAIRN_ASSERT(tick >= 0 && tick <= world->tick && tick > world->tick - world->past_ticks);
    return &robot->past[tick % world->past_ticks];
}

void cairn_world_remember(cairn_world *world)
{
    for (uint32_t i = 0; i < world->robot_count; i++) {
        cairn_world_truth(world, i, &world->robots[i].past[world->tick % world->past_ticks]);
    }
}

// ---- motors, and the base's own watchdog

static bool can_be_driven(const cairn_motor_target *target)
{
    bool finite = target->issued.ns >= 0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { finite = finite && isfinite(target->torque_nm[i]); }
    return finite && !isinf(target->flipper_rad) && target->command == CAIRN_DRIVE_TORQUE;
}

// A spring and a damper that does not let it swing, the mass on the wheel included; the damper alone never turns
// back a wheel without load within a step.
static double brake_nm(const cairn_body_description *robot, double *held_rad, double wheel_rad, double wheel_radps)
{
    const cairn_wheels_description *wheels = &robot->wheels;
    const double limit_nm = BRAKE_PART * wheels->torque_nm_max, stiffness = limit_nm / BRAKE_GIVE_RAD;
    const double load_kgm2 = robot->mass_kg * wheels->radius_m * wheels->radius_m / CAIRN_WHEELS_MAX;
    const double damping = fmin(2 * sqrt(stiffness * (wheels->rotor_inertia_kgm2 + load_kgm2)),
                                wheels->rotor_inertia_kgm2 / cairn_seconds(CAIRN_PHYSICS_STEP_NS));
    if (fabs(wheel_radps) > BRAKE_HOLD_RADPS) { *held_rad = wheel_rad; }
    *held_rad = fmin(fmax(*held_rad, wheel_rad - BRAKE_GIVE_RAD), wheel_rad + BRAKE_GIVE_RAD);
    return fmin(fmax(stiffness * (*held_rad - wheel_rad) - damping * wheel_radps, -limit_nm), limit_nm);
}

// Whoever issues targets may be a little ahead of the world where both are processes of their own, but not by much:
// a target from far in the future would never grow old.
static bool is_fresh(const cairn_motor_target *target, int64_t watchdog_ns, cairn_mono now)
{
    const int64_t age_ns = cairn_mono_since(now, target->issued);
    return age_ns <= watchdog_ns && age_ns >= -AHEAD_NS_MAX;
}

static cairn_motor_target target_of(const cairn_world *world, cairn_world_robot *robot, cairn_mono now)
{
    const cairn_body_description *description = robot->body.description;
    const cairn_robot_truth *truth = cairn_world_past(world, robot, world->tick);
    const cairn_motor_target *latest = cairn_cell_latest(robot->body.motors, NULL);
    robot->driven = !robot->dead && latest && can_be_driven(latest) && is_fresh(latest, description->watchdog_ns, now);
    if (robot->driven) {
        memcpy(robot->brake_rad, truth->wheel_rad, sizeof robot->brake_rad);
        return *latest;
    }
    cairn_motor_target braking = {.issued = now, .command = CAIRN_DRIVE_TORQUE, .flipper_rad = NAN};
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        braking.torque_nm[i] = brake_nm(description, &robot->brake_rad[i], truth->wheel_rad[i], truth->wheel_radps[i]);
    }
    return braking;
}

static void drain_battery(const cairn_world *world, cairn_world_robot *robot)
{
    if (robot->dead) { return; }
    const cairn_body_description *description = robot->body.description;
    const cairn_robot_truth *truth = cairn_world_past(world, robot, world->tick);
    double power_w = 0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        const double torque_nm = fmin(fabs(robot->torque_nm[i]), description->wheels.torque_nm_max);
        power_w += fmax(copysign(torque_nm, robot->torque_nm[i]) * truth->wheel_radps[i], 0);
    }
    cairn_battery_drain(&robot->battery, &description->battery, power_w, cairn_seconds(CAIRN_PHYSICS_STEP_NS));
}

static double turned_towards(double from_rad, double to_rad, double limit_rad, double step_rad)
{
    const double wanted_rad = fmin(fmax(to_rad, -limit_rad), limit_rad);
    return from_rad + fmin(fmax(wanted_rad - from_rad, -step_rad), step_rad);
}

// The camera's head, from where it was a tick before.
static void turn_head(const cairn_world *world, cairn_world_robot *robot)
{
    if (!robot->gaze) { return; }
    const cairn_pan_tilt_description *head = &robot->body.description->thermal.pan_tilt;
    const cairn_pan_tilt_target *target = robot->body.pan_tilt ? cairn_cell_latest(robot->body.pan_tilt, NULL) : NULL;
    const cairn_vec2 before = robot->gaze[(world->tick - 1) % world->past_ticks];
    const double step_rad = head->speed_radps * cairn_seconds(CAIRN_PHYSICS_STEP_NS);
    cairn_vec2 *after = &robot->gaze[world->tick % world->past_ticks];
    *after = before;
    if (robot->dead || !target || !isfinite(target->pan_rad) || !isfinite(target->tilt_rad)) { return; }
    after->x = turned_towards(before.x, target->pan_rad, head->pan_rad_max, step_rad);
    after->y = turned_towards(before.y, target->tilt_rad, head->tilt_rad_max, step_rad);
}

// What moves by itself, and whom it destroys.
static void play_scene(cairn_world *world)
{
    if (world->place->mover_count == 0) { return; }
    uint64_t dead = 0;
    for (uint32_t i = 0; i < world->robot_count; i++) { dead |= (uint64_t)world->robots[i].dead << i; }
    const uint64_t destroyed = cairn_scene_step(world->scene, dead);
    for (uint32_t i = 0; i < world->robot_count; i++) {
        if (destroyed >> i & 1) { cairn_world_kill(world, i); }
    }
}

void cairn_world_move(cairn_world *world, cairn_mono now)
{
    play_scene(world);
    cairn_motor_target targets[CAIRN_SIM_ROBOTS_MAX];
    for (uint32_t i = 0; i < world->robot_count; i++) {
        targets[i] = target_of(world, &world->robots[i], now);
        memcpy(world->robots[i].torque_nm, targets[i].torque_nm, sizeof targets[i].torque_nm);
    }
    cairn_world_carry(world);
    world->physics_kind->step(world->physics, targets);
    world->tick++;
    cairn_world_remember(world);
    for (uint32_t i = 0; i < world->robot_count; i++) {
        drain_battery(world, &world->robots[i]);
        turn_head(world, &world->robots[i]);
    }
}
