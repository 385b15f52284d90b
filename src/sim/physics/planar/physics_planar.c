// physics_planar.c - robots as rectangles on wheels that roll, slip and push.
//
// Each robot rolls as if it were alone (planar_rolling.c); then robots, walls and blocks are kept apart
// (planar_touching.c); then each stands on the ground where it has come to (planar_standing.c). Blocks give way to
// whoever pushes them (planar_movers.h).
#include "sim/physics/planar/planar_private.h"
#include <stdio.h>
#include <stdlib.h>

// Slips [-] wander around their means with a deviation and a time.
#define FORWARD_SLIP_DEVIATION 0.005
#define TURN_SLIP_DEVIATION 0.03
#define SLIP_WANDER_S 4.0
// A bump stays for one period of the reflex (8 ms).
#define BUMP_STEPS 2
#define START_SLACK_M 0.01 // a start's ground lies at or just below what it says

static void planar_step(cairn_physics *physics, const cairn_motor_target *targets)
{
    physics->step++;
    for (uint32_t i = 0; i < physics->robot_count; i++) {
        cairn_planar_drive(physics, &physics->robots[i], &targets[i]);
    }
    cairn_planar_keep_apart(physics);
    if (physics->mover_count > 0) {
        cairn_planar_movers_slide(physics->arena, physics->movers, physics->mover_count, STEP_S);
    }
    for (uint32_t i = 0; i < physics->robot_count; i++) { cairn_planar_stand(physics, &physics->robots[i]); }
}

static void planar_truth(const cairn_physics *physics, uint32_t robot, cairn_robot_truth *ret_truth)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    const cairn_planar_robot *state = &physics->robots[robot];
    *ret_truth = state->now.truth;
    ret_truth->bump_front = physics->step - state->now.bump_step[SIDE_FRONT] < BUMP_STEPS;
    ret_truth->bump_rear = physics->step - state->now.bump_step[SIDE_REAR] < BUMP_STEPS;
    ret_truth->bump_left = physics->step - state->now.bump_step[SIDE_LEFT] < BUMP_STEPS;
    ret_truth->bump_right = physics->step - state->now.bump_step[SIDE_RIGHT] < BUMP_STEPS;
}

static cairn_collisions planar_collisions(const cairn_physics *physics, uint32_t robot)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    return physics->robots[robot].now.collisions;
}

static const cairn_collision_log *planar_collision_log(const cairn_physics *physics) { return &physics->log; }

// It stands on all its feet, or falls; a belly it has not.
static cairn_robot_stance planar_stance(const cairn_physics *physics, uint32_t robot)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    const cairn_planar_robot *it = &physics->robots[robot];
    const bool falls = it->now.fall_mps != 0 || cairn_planar_is_held(physics, it);
    return (cairn_robot_stance){.wheels_down = falls ? 0 : (1u << CAIRN_WHEELS_MAX) - 1, .touched = !falls};
}

static void planar_hold(cairn_physics *physics, uint32_t robot, cairn_pose3 map_T_base)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    physics->robots[robot].held_step = physics->step + 1;
    physics->robots[robot].held_T = map_T_base;
}

// ---- movers

static cairn_pose3 planar_mover(const cairn_physics *physics, uint32_t mover)
{
    CAIRN_ASSERT(mover < physics->mover_count);
    return physics->movers[mover].motion.map_T_box;
}

static void planar_put(cairn_physics *physics, uint32_t mover, cairn_pose3 map_T_box)
{
    CAIRN_ASSERT(mover < physics->mover_count);
    cairn_planar_mover_put(&physics->movers[mover], map_T_box);
}

static void planar_push(cairn_physics *physics, uint32_t mover, cairn_vec3 by_mps)
{
    CAIRN_ASSERT(mover < physics->mover_count);
    cairn_mover_motion *motion = &physics->movers[mover].motion;
    if (!physics->movers[mover].loose) { return; }
    motion->speed_mps = cairn_vec2_add(motion->speed_mps, (cairn_vec2){by_mps.x, by_mps.y});
}

// ---- making one

static void planar_destroy(cairn_physics *physics)
{
    if (!physics) { return; }
    cairn_arena_destroy(&physics->memory);
    free(physics);
}

// A start of the arena says on which storey it is; any other place is on the highest.
static double start_from_m(const cairn_sim_arena *arena, cairn_pose2 start)
{
    for (uint32_t i = 0; i < arena->start_count; i++) {
        const cairn_pose2 at = arena->starts[i];
        if (at.x_m == start.x_m && at.y_m == start.y_m) {
            return (arena->start_feet_m ? arena->start_feet_m[i] : 0) + START_SLACK_M;
        }
    }
    return INFINITY;
}

static void place_robot(cairn_physics *physics, uint32_t at, const cairn_physics_def *def)
{
    cairn_planar_robot *robot = &physics->robots[at];
    const cairn_body_description *description = def->robots[at];
    robot->description = description;
    robot->held_step = -1;
    robot->now.pose = def->starts[at];
    robot->now.heading = (cairn_vec2){cos(robot->now.pose.yaw_rad), sin(robot->now.pose.yaw_rad)};
    robot->wheel_inertia_kgm2 = CAIRN_WHEELS_MAX * description->wheels.rotor_inertia_kgm2;
    robot->reach_m = 0.5 * hypot(description->length_m, description->width_m);
    robot->body_mass[WAY_FORWARD] = description->mass_kg;
    // As if its mass were spread evenly over the outer box.
    robot->body_mass[WAY_TURN] = description->mass_kg * 4 * robot->reach_m * robot->reach_m / 12;
    char name[32];
    snprintf(name, sizeof name, "planar/slip/%u", at);
    cairn_random_init(&robot->now.random, def->seed, name);
    robot->now.ways[WAY_FORWARD].slip = FORWARD_SLIP_DEVIATION * cairn_random_gauss(&robot->now.random);
    robot->now.ways[WAY_TURN].slip = TURN_SLIP_DEVIATION * cairn_random_gauss(&robot->now.random);

    for (int i = 0; i < TOUCHES; i++) { robot->now.touches[i] = (cairn_planar_touch){-1, -TOUCH_GAP_STEPS - 1}; }
    for (int side = 0; side < SIDE_COUNT; side++) { robot->now.bump_step[side] = -BUMP_STEPS; }
    cairn_planar_put_down(physics, robot, start_from_m(physics->arena, robot->now.pose));
}

static cairn_err fill_physics(cairn_physics *physics, const cairn_physics_def *def)
{
    const size_t bytes = cairn_obstacle_index_bytes(def->arena) + 4096 +
                         def->robot_count * (sizeof(cairn_planar_robot) + 64) +
                         def->arena->mover_count * (sizeof(cairn_planar_mover) + 64);
    cairn_err err = cairn_arena_create(&physics->memory, bytes);
    if (err == CAIRN_OK) { err = cairn_obstacle_index_create(def->arena, &physics->memory, &physics->index); }
    if (err != CAIRN_OK) { return err; }
    physics->robots = CAIRN_TAKE(&physics->memory, cairn_planar_robot, def->robot_count);
    physics->movers = CAIRN_TAKE(&physics->memory, cairn_planar_mover, def->arena->mover_count + 1);
    if (!physics->robots || !physics->movers) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < def->robot_count; i++) { place_robot(physics, i, def); }
    for (uint32_t i = 0; i < physics->mover_count; i++) { cairn_planar_mover_init(&physics->movers[i], def->arena, i); }
    cairn_arena_seal(&physics->memory);
    return CAIRN_OK;
}

static cairn_err planar_create(const cairn_physics_def *def, cairn_complaints *complaints, cairn_physics **ret_physics)
{
    CAIRN_ASSERT(def->arena && def->robot_count <= CAIRN_SIM_ROBOTS_MAX);
    for (uint32_t i = 0; i < def->robot_count; i++) {
        if (def->robots[i]->drive == CAIRN_DRIVE_TORQUE) { continue; }
        cairn_complain(complaints, NULL, 0, "robot \"%s\": the planar physics drives wheels by torque only",
                       def->robots[i]->name);
        return CAIRN_ERR_UNSUPPORTED;
    }
    cairn_physics *physics = calloc(1, sizeof *physics);
    if (!physics) { return CAIRN_ERR_FULL; }
    physics->arena = def->arena;
    physics->flat = cairn_arena_is_flat(def->arena);
    physics->robot_count = def->robot_count;
    physics->mover_count = def->arena->mover_count;
    physics->slip_keep = exp(-STEP_S / SLIP_WANDER_S);
    const double fresh = sqrt(1 - physics->slip_keep * physics->slip_keep);
    physics->slip_new[WAY_FORWARD] = FORWARD_SLIP_DEVIATION * fresh;
    physics->slip_new[WAY_TURN] = TURN_SLIP_DEVIATION * fresh;
    const cairn_err err = fill_physics(physics, def);
    if (err != CAIRN_OK) {
        cairn_complain(complaints, NULL, 0, "the planar physics cannot be made: no memory for %u solids",
                       def->arena->solid_count);
        planar_destroy(physics);
        return err;
    }
    *ret_physics = physics;
    return CAIRN_OK;
}

const cairn_physics_kind cairn_physics_planar = {.name = "planar",
                                                 .create = planar_create,
                                                 .destroy = planar_destroy,
                                                 .step = planar_step,
                                                 .truth = planar_truth,
                                                 .collisions = planar_collisions,
                                                 .collision_log = planar_collision_log,
                                                 .mover = planar_mover,
                                                 .put = planar_put,
                                                 .push = planar_push,
                                                 .state_bytes = cairn_planar_state_bytes,
                                                 .save = cairn_planar_save,
                                                 .load = cairn_planar_load,
                                                 .hold = planar_hold,
                                                 .stance = planar_stance};
