// Contacts are those at the start of a step; the velocities at that moment are those before a new touch.
#include "sim/physics/mujoco/mujoco_private.h"
#include <string.h>

// A touch has ended after half a second without contact.
#define TOUCH_GAP_STEPS (CAIRN_MS(500) / CAIRN_PHYSICS_STEP_NS)
// A block that moves faster than this lets loose those that it touches.
#define WAKING_MPS 0.02
// Ground is felt by the bumper where it is steeper than this (60 degrees): a step's face.
#define STEEP_COSINE 0.5

// The party that a geom is part of; -1 for the floor and for boxes.
static int party_of_geom(const cairn_physics *physics, int geom) { return physics->model->geom_group[geom] - 1; }

static bool is_robot(const cairn_physics *physics, int party)
{
    return party >= 0 && party < (int)physics->robot_count;
}

// Of a point of the robot, map axes, at the start of the last step. Turning wheels are round: their rims move
// along what they touch.
static cairn_vec3 point_velocity(const cairn_mujoco_robot *robot, cairn_vec3 at_m)
{
    const cairn_pose3 base = cairn_mujoco_pose(robot->base_qpos);
    const cairn_vec3 turn = cairn_quat_rotate(base.turn, cairn_mujoco_vec(robot->base_qvel + 3));
    const cairn_vec3 arm = cairn_vec3_sub(at_m, base.at_m);
    return cairn_vec3_add(cairn_mujoco_vec(robot->base_qvel), cairn_vec3_cross(turn, arm));
}

static void note_bump(cairn_physics *physics, uint32_t robot, cairn_vec3 at_m)
{
    const cairn_mujoco_robot *it = &physics->robots[robot];
    const cairn_vec3 at = cairn_pose3_apply(cairn_pose3_inverse(cairn_mujoco_pose(it->base_qpos)), at_m);
    const double forward = at.x / it->description->length_m, leftward = at.y / it->description->width_m;
    int side = leftward > 0 ? CAIRN_SIDE_LEFT : CAIRN_SIDE_RIGHT;
    if (fabs(forward) >= fabs(leftward)) { side = forward > 0 ? CAIRN_SIDE_FRONT : CAIRN_SIDE_REAR; }
    physics->robot_states[robot].bump_step[side] = physics->step;
}

// The entry of an obstacle; a new one, in place of the oldest if there is no room, has never been touched.
static cairn_mujoco_touch *find_touch(cairn_mujoco_robot_state *state, uint64_t obstacle)
{
    cairn_mujoco_touch *oldest = &state->touches[0];
    for (uint64_t i = 0; i < state->touch_count; i++) {
        cairn_mujoco_touch *touch = &state->touches[i];
        if (touch->obstacle == obstacle) { return touch; }
        if (touch->step < oldest->step) { oldest = touch; }
    }
    if (state->touch_count < CAIRN_MUJOCO_TOUCHES_MAX) { oldest = &state->touches[state->touch_count++]; }
    *oldest = (cairn_mujoco_touch){obstacle, INT64_MIN / 2};
    return oldest;
}

// One robot touches an obstacle: a solid's thing, or solid_count + another robot. towards: to the obstacle.
static void note_touch(cairn_physics *physics, uint32_t robot, uint64_t obstacle, double closing_mps, cairn_vec3 at_m,
                       cairn_vec3 towards)
{
    cairn_mujoco_robot_state *state = &physics->robot_states[robot];
    cairn_mujoco_touch *touch = find_touch(state, obstacle);
    if (physics->step - touch->step > TOUCH_GAP_STEPS) {
        state->collision_count++;
        state->collision_mps_max = fmax(state->collision_mps_max, closing_mps);
        const double own_mps = cairn_vec3_dot(point_velocity(&physics->robots[robot], at_m), towards);
        cairn_collision_log_add(&physics->log, &(cairn_collision){.step = physics->step,
                                                                  .robot = robot,
                                                                  .thing = (uint32_t)obstacle,
                                                                  .at_m = at_m,
                                                                  .closing_mps = fmax(closing_mps, 0),
                                                                  .own_mps = own_mps});
    }
    touch->step = physics->step;
    note_bump(physics, robot, at_m);
}

static void note_robots(cairn_physics *physics, uint32_t first, uint32_t second, const mjContact *contact)
{
    const cairn_vec3 at = cairn_mujoco_vec(contact->pos), normal = cairn_mujoco_vec(contact->frame); // first to second
    const cairn_vec3 apart =
        cairn_vec3_sub(point_velocity(&physics->robots[second], at), point_velocity(&physics->robots[first], at));
    const double closing_mps = -cairn_vec3_dot(apart, normal);
    note_touch(physics, first, physics->arena->solid_count + second, closing_mps, at, normal);
    note_touch(physics, second, physics->arena->solid_count + first, closing_mps, at, cairn_vec3_scale(normal, -1));
}

// sign: +1 if the contact's normal points from the robot to the solid, else -1.
static void note_solid(cairn_physics *physics, uint32_t robot, uint32_t solid, double sign, cairn_vec3 solid_mps,
                       const mjContact *contact)
{
    const uint32_t mover = physics->mover_of[solid];
    if (mover > 0 && physics->arena->solids[solid].kind == CAIRN_SOLID_BLOCK) {
        physics->mover_states[mover - 1].wanted = 1;
    }
    const cairn_vec3 at = cairn_mujoco_vec(contact->pos);
    const cairn_vec3 velocity = cairn_vec3_sub(point_velocity(&physics->robots[robot], at), solid_mps);
    const cairn_vec3 towards = cairn_vec3_scale(cairn_mujoco_vec(contact->frame), sign);
    note_touch(physics, robot, physics->obstacle_of[solid], cairn_vec3_dot(velocity, towards), at, towards);
}

// A robot and one of its boxes, its height field or the floor.
static void note_near(cairn_physics *physics, uint32_t robot, int own, int other, double sign, const mjContact *contact)
{
    uint32_t solid = 0;
    const bool is_solid = cairn_mujoco_near_solid(physics, robot, other, &solid);
    if (is_solid && physics->arena->solids[solid].kind != CAIRN_SOLID_GROUND) {
        note_solid(physics, robot, solid, sign, (cairn_vec3){0}, contact);
    } else if (physics->tyre_of_geom[own] < 0 && fabs(contact->frame[2]) < STEEP_COSINE) {
        note_bump(physics, robot, cairn_mujoco_vec(contact->pos)); // no collision: it may climb there
    }
}

static uint32_t block_solid(const cairn_physics *physics, int party)
{
    const uint32_t mover = physics->body_states[party - (int)physics->robot_count].mover_plus_1 - 1;
    return physics->arena->movers[mover].solid;
}

static cairn_vec3 block_velocity(const cairn_physics *physics, int party)
{
    return cairn_mujoco_vec(physics->data->qvel + physics->bodies[party - (int)physics->robot_count].qvel_at);
}

// A block that moves and one of its boxes.
static void note_block_near(cairn_physics *physics, int party, int other)
{
    uint32_t solid;
    if (!cairn_mujoco_near_solid(physics, (uint32_t)party, other, &solid)) { return; }
    if (physics->arena->solids[solid].kind != CAIRN_SOLID_BLOCK) { return; }
    if (cairn_vec3_length(block_velocity(physics, party)) < WAKING_MPS) { return; }
    physics->mover_states[physics->mover_of[solid] - 1].wanted = 1;
}

static void note_contact(cairn_physics *physics, const mjContact *contact)
{
    const int first = party_of_geom(physics, contact->geom1), second = party_of_geom(physics, contact->geom2);
    const bool first_drives = is_robot(physics, first), second_drives = is_robot(physics, second);
    if (first_drives && second_drives) {
        note_robots(physics, (uint32_t)first, (uint32_t)second, contact);
    } else if (first_drives && second >= 0) {
        note_solid(physics, (uint32_t)first, block_solid(physics, second), 1, block_velocity(physics, second), contact);
    } else if (second_drives && first >= 0) {
        note_solid(physics, (uint32_t)second, block_solid(physics, first), -1, block_velocity(physics, first), contact);
    } else if (first_drives) {
        note_near(physics, (uint32_t)first, contact->geom1, contact->geom2, 1, contact);
    } else if (second_drives) {
        note_near(physics, (uint32_t)second, contact->geom2, contact->geom1, -1, contact);
    } else if (first >= 0 && second < 0) {
        note_block_near(physics, first, contact->geom2);
    } else if (second >= 0 && first < 0) {
        note_block_near(physics, second, contact->geom1);
    }
}

void cairn_mujoco_touches_note(cairn_physics *physics)
{
    for (int i = 0; i < physics->data->ncon; i++) { note_contact(physics, &physics->data->contact[i]); }
}

// Of a contact, from the robot's side: a wheel's, or one below, seen from its base.
static void note_stance(const cairn_physics *physics, uint32_t robot, int own, const mjContact *contact,
                        cairn_robot_stance *stance)
{
    stance->touched = true;
    const int tyre = physics->tyre_of_geom[own];
    if (tyre >= 0) {
        stance->wheels_down |= 1u << (uint32_t)tyre % CAIRN_WHEELS_MAX;
        return;
    }
    const cairn_mujoco_robot *it = &physics->robots[robot];
    const cairn_pose3 base = cairn_mujoco_pose(it->base_qpos);
    const cairn_vec3 at = cairn_pose3_apply(cairn_pose3_inverse(base), cairn_mujoco_vec(contact->pos));
    const cairn_vec3 normal = cairn_quat_rotate(cairn_quat_conjugate(base.turn), cairn_mujoco_vec(contact->frame));
    const bool below = at.z < 0.5 * it->description->height_m && fabs(normal.z) > STEEP_COSINE;
    stance->belly_down = stance->belly_down || below;
}

cairn_robot_stance cairn_mujoco_stance(const cairn_physics *physics, uint32_t robot)
{
    CAIRN_ASSERT(robot < physics->robot_count);
    cairn_robot_stance stance = {0};
    for (int i = 0; i < physics->data->ncon; i++) {
        const mjContact *contact = &physics->data->contact[i];
        const int own[2] = {physics->robot_of_geom[contact->geom1], physics->robot_of_geom[contact->geom2]};
        if (contact->exclude != 0 || own[0] == own[1]) { continue; }
        if (own[0] == (int)robot) { note_stance(physics, robot, contact->geom1, contact, &stance); }
        if (own[1] == (int)robot) { note_stance(physics, robot, contact->geom2, contact, &stance); }
    }
    return stance;
}
