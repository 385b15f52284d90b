// physics_rig.h - robots with a wheel loop each, in a place, under either physics: what their tests share.
#pragma once
#include "check.h"
#include "emu.h"
#include "near.h"
#include <math.h>

#define GRAVITY_MPS2 9.81
#define ROBOTS_MAX 3
#define STEPS_PER_S 250
// A wheel's speed loop at 125 Hz.
#define LOOP_STEPS 2
#define LOOP_NM_PER_RADPS 1.0
#define LOOP_NM_PER_RAD 5.0

// Robots with a wheel loop each, in a place.
typedef struct rig {
    cairn_sim_arena place;
    cairn_arena memory;
    cairn_body_description robot;
    const cairn_physics_kind *kind;
    cairn_physics *physics;
    uint32_t robot_count;
    uint64_t seed;
    int64_t step;
    cairn_motor_target targets[ROBOTS_MAX];
    double integral_rad[ROBOTS_MAX][CAIRN_WHEELS_MAX];
    double wanted_radps[ROBOTS_MAX][CAIRN_WHEELS_MAX];
} rig;

static inline void rig_end(rig *it)
{
    it->kind->destroy(it->physics);
    cairn_arena_destroy(&it->memory);
}

static inline cairn_robot_truth truth_of(const rig *it, uint32_t robot)
{
    cairn_robot_truth truth;
    it->kind->truth(it->physics, robot, &truth);
    return truth;
}

// What the robot is asked to do, as ideal wheels would do it.
static inline void want(rig *it, uint32_t robot, double forward_mps, double turn_radps)
{
    for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
        const double side = wheel % 2 == 0 ? -1 : 1;
        const double rim_mps = forward_mps + side * turn_radps * 0.5 * it->robot.wheels.track_m;
        it->wanted_radps[robot][wheel] = rim_mps / it->robot.wheels.radius_m;
    }
}

static inline void run_loop(rig *it, uint32_t robot)
{
    const cairn_robot_truth truth = truth_of(it, robot);
    const double period_s = LOOP_STEPS * cairn_seconds(CAIRN_PHYSICS_STEP_NS);
    const double integral_max = it->robot.wheels.torque_nm_max / LOOP_NM_PER_RAD;
    for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
        const double error = it->wanted_radps[robot][wheel] - truth.wheel_radps[wheel];
        double *integral = &it->integral_rad[robot][wheel];
        *integral = fmin(fmax(*integral + error * period_s, -integral_max), integral_max);
        it->targets[robot].torque_nm[wheel] = LOOP_NM_PER_RADPS * error + LOOP_NM_PER_RAD * *integral;
    }
}

static inline void run_step(rig *it)
{
    if (it->step % LOOP_STEPS == 0) {
        for (uint32_t robot = 0; robot < it->robot_count; robot++) { run_loop(it, robot); }
    }
    it->kind->step(it->physics, it->targets);
    it->step++;
}

static inline void run(rig *it, double for_s)
{
    for (int i = 0; i < (int)lround(for_s * STEPS_PER_S); i++) { run_step(it); }
}
