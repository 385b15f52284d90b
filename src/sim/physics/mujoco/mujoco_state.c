// A saved state is a head that says which physics it fits, MuJoCo's own state, and the ..._state structs, as they lie
// in memory. What the model holds about boxes and blocks follows from these and is made anew.
#include "sim/physics/mujoco/mujoco_private.h"
#include <stdlib.h>
#include <string.h>

#define STATE_MAGIC UINT64_C(0x314f434a554d4143) // "CAMUJCO1"; another number when the layout changes
// [-] How far a turn's length may be from 1.
#define TURN_SLACK 1e-6

typedef struct state_head {
    uint64_t magic, bytes;
    uint64_t robot_count, body_count, solid_count, mover_count, position_count, velocity_count;
    int64_t step;
    double time_s;
} state_head;

// One stretch of memory that is part of the state.
typedef struct part {
    void *at;
    size_t bytes;
} part;

enum { PART_QPOS, PART_QVEL, PART_WARM, PART_TYRES, PART_ROBOTS, PART_NEAR, PART_BODIES, PART_MOVERS, PART_COUNT };

static void parts_of(const cairn_physics *physics, part *ret_parts)
{
    const size_t nq = (size_t)physics->nq * sizeof(mjtNum), nv = (size_t)physics->nv * sizeof(mjtNum);
    const size_t tyres = (size_t)physics->robot_count * CAIRN_WHEELS_MAX;
    const mjData *data = physics->data;
    ret_parts[PART_QPOS] = (part){data->qpos, nq};
    ret_parts[PART_QVEL] = (part){data->qvel, nv};
    ret_parts[PART_WARM] = (part){data->qacc_warmstart, nv};
    ret_parts[PART_TYRES] = (part){(void *)physics->tyres, tyres * sizeof *physics->tyres};
    ret_parts[PART_ROBOTS] = (part){physics->robot_states, physics->robot_count * sizeof *physics->robot_states};
    ret_parts[PART_NEAR] = (part){physics->near, physics->party_count * sizeof *physics->near};
    ret_parts[PART_BODIES] = (part){physics->body_states, physics->body_count * sizeof *physics->body_states};
    ret_parts[PART_MOVERS] = (part){physics->mover_states, physics->arena->mover_count * sizeof *physics->mover_states};
}

_Static_assert(sizeof(cairn_mujoco_near_state) % 8 == 0 && sizeof(cairn_mujoco_tyre) == 12 * 8, "no gaps");
_Static_assert(sizeof(cairn_mujoco_touch) == 16 && sizeof(cairn_mujoco_mover_state) == 11 * 8, "no gaps");

static size_t bytes_of(const part *parts)
{
    size_t bytes = sizeof(state_head);
    for (int i = 0; i < PART_COUNT; i++) { bytes += parts[i].bytes; }
    return bytes;
}

static state_head head_of(const cairn_physics *physics, size_t bytes)
{
    return (state_head){.magic = STATE_MAGIC,
                        .bytes = bytes,
                        .robot_count = physics->robot_count,
                        .body_count = physics->body_count,
                        .solid_count = physics->arena->solid_count,
                        .mover_count = physics->arena->mover_count,
                        .position_count = (uint64_t)physics->nq,
                        .velocity_count = (uint64_t)physics->nv,
                        .step = physics->step,
                        .time_s = physics->data->time};
}

size_t cairn_mujoco_state_bytes(const cairn_physics *physics)
{
    part parts[PART_COUNT];
    parts_of(physics, parts);
    return bytes_of(parts);
}

void cairn_mujoco_save(const cairn_physics *physics, void *ret_state)
{
    part parts[PART_COUNT];
    parts_of(physics, parts);
    const state_head head = head_of(physics, bytes_of(parts));
    unsigned char *at = ret_state;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    for (int i = 0; i < PART_COUNT; i++) {
        if (parts[i].bytes > 0) { memcpy(at, parts[i].at, parts[i].bytes); }
        at += parts[i].bytes;
    }
}

// ---- what no physics can have saved

static bool all_finite(const void *numbers, size_t bytes)
{
    const double *number = numbers;
    for (size_t i = 0; i < bytes / sizeof *number; i++) {
        if (!isfinite(number[i]) || fabs(number[i]) > mjMAXVAL) { return false; }
    }
    return true;
}

static bool is_turn(cairn_quat q)
{
    const double length2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return fabs(length2 - 1) < TURN_SLACK;
}

static bool turns_are_turns(const cairn_physics *physics, const mjtNum *qpos)
{
    const mjModel *model = physics->model;
    for (int joint = 0; joint < physics->njnt; joint++) {
        if (model->jnt_type[joint] != mjJNT_FREE) { continue; }
        if (!is_turn(cairn_mujoco_pose(qpos + model->jnt_qposadr[joint]).turn)) { return false; }
    }
    return true;
}

static bool tyres_fit(const cairn_physics *physics, const cairn_mujoco_tyre *tyres)
{
    for (uint32_t i = 0; i < physics->robot_count * CAIRN_WHEELS_MAX; i++) {
        if (tyres[i].geom != physics->tyres[i].geom || tyres[i].belt != physics->tyres[i].belt) { return false; }
        if (!all_finite(tyres[i].load_n, sizeof tyres[i].load_n)) { return false; }
        if (!all_finite(tyres[i].strain_m, sizeof tyres[i].strain_m)) { return false; }
    }
    return true;
}

// A step that was before `step`, or never.
static bool was_before(int64_t earlier, int64_t step) { return earlier >= INT64_MIN / 2 && earlier <= step; }

static bool robots_fit(const cairn_physics *physics, const cairn_mujoco_robot_state *robots, int64_t step)
{
    for (uint32_t i = 0; i < physics->robot_count; i++) {
        if (!was_before(robots[i].upright_step, step)) { return false; }
        for (int side = 0; side < CAIRN_SIDE_COUNT; side++) {
            if (!was_before(robots[i].bump_step[side], step)) { return false; }
        }
        if (robots[i].touch_count > CAIRN_MUJOCO_TOUCHES_MAX) { return false; }
        for (uint64_t k = 0; k < robots[i].touch_count; k++) {
            if (!was_before(robots[i].touches[k].step, step)) { return false; }
        }
        if (!all_finite(robots[i].velocity_mps_earlier, sizeof robots[i].velocity_mps_earlier)) { return false; }
        if (!all_finite(&robots[i].collision_mps_max, sizeof(double))) { return false; }
        if (!all_finite(&robots[i].drive, sizeof robots[i].drive)) { return false; }
    }
    return true;
}

static bool near_fits(const cairn_physics *physics, const cairn_mujoco_near_state *near)
{
    for (uint32_t party = 0; party < physics->party_count; party++) {
        const cairn_mujoco_near_state *it = &near[party];
        if (!all_finite(&it->filled_at_m, sizeof it->filled_at_m)) { return false; }
        if (it->count > physics->parties[party].near_max || it->stale > 1) { return false; }
        if (it->field_count > CAIRN_MUJOCO_FIELDS_NEAR_MAX) { return false; }
        for (uint32_t i = 0; i < it->count; i++) {
            if (it->solids[i] >= physics->arena->solid_count) { return false; }
        }
        for (uint32_t i = 0; i < it->field_count; i++) {
            if (it->fields[i] >= physics->arena->field_count) { return false; }
        }
    }
    return true;
}

// A body stands for a block, and no two for the same.
static bool bodies_fit(const cairn_physics *physics, const cairn_mujoco_body_state *bodies)
{
    for (uint32_t i = 0; i < physics->body_count; i++) {
        const uint32_t mover = bodies[i].mover_plus_1;
        if (mover == 0) { continue; }
        if (mover > physics->arena->mover_count) { return false; }
        if (physics->arena->movers[mover - 1].kind != CAIRN_SOLID_BLOCK) { return false; }
        for (uint32_t k = 0; k < i; k++) {
            if (bodies[k].mover_plus_1 == mover) { return false; }
        }
    }
    return true;
}

static bool movers_fit(const cairn_physics *physics, const cairn_mujoco_mover_state *movers)
{
    for (uint32_t i = 0; i < physics->arena->mover_count; i++) {
        if (!all_finite(&movers[i].map_T_box, sizeof movers[i].map_T_box) || !is_turn(movers[i].map_T_box.turn)) {
            return false;
        }
        if (!all_finite(&movers[i].push_mps, sizeof movers[i].push_mps)) { return false; }
        const bool is_block = physics->arena->movers[i].kind == CAIRN_SOLID_BLOCK;
        if (movers[i].wanted > (is_block ? 1 : 0)) { return false; } // only blocks are let loose
    }
    return true;
}

static bool fits(const cairn_physics *physics, const part *parts, int64_t step)
{
    for (int i = PART_QPOS; i <= PART_WARM; i++) {
        if (!all_finite(parts[i].at, parts[i].bytes)) { return false; }
    }
    return turns_are_turns(physics, parts[PART_QPOS].at) && tyres_fit(physics, parts[PART_TYRES].at) &&
           robots_fit(physics, parts[PART_ROBOTS].at, step) && near_fits(physics, parts[PART_NEAR].at) &&
           bodies_fit(physics, parts[PART_BODIES].at) && movers_fit(physics, parts[PART_MOVERS].at);
}

static bool is_of(const state_head *head, const cairn_physics *physics, size_t bytes)
{
    const state_head own = head_of(physics, bytes);
    return head->magic == own.magic && head->bytes == own.bytes && head->robot_count == own.robot_count &&
           head->body_count == own.body_count && head->solid_count == own.solid_count &&
           head->mover_count == own.mover_count && head->position_count == own.position_count &&
           head->velocity_count == own.velocity_count && head->step >= 0 && isfinite(head->time_s);
}

// ---- loading

// Into the physics, whose model is then made to agree.
static void take_over(cairn_physics *physics, const state_head *head, const part *from, const part *to)
{
    for (int i = 0; i < PART_COUNT; i++) {
        if (to[i].bytes > 0) { memcpy(to[i].at, from[i].at, to[i].bytes); }
    }
    physics->step = head->step;
    physics->data->time = head->time_s;
    for (uint32_t body = 0; body < physics->body_count; body++) { cairn_mujoco_blocks_dress(physics, body); }
    cairn_mujoco_blocks_trim(physics);
    cairn_mujoco_near_place(physics);
}

cairn_err cairn_mujoco_load(cairn_physics *physics, const void *state)
{
    part mine[PART_COUNT], read[PART_COUNT];
    parts_of(physics, mine);
    const size_t bytes = bytes_of(mine);
    state_head head;
    memcpy(&head, state, sizeof head);
    if (!is_of(&head, physics, bytes)) { return CAIRN_ERR_CORRUPT; }
    unsigned char *copy = malloc(bytes); // aligned, as `state` need not be
    if (!copy) { return CAIRN_ERR_FULL; }
    memcpy(copy, state, bytes);
    size_t at = sizeof head;
    for (int i = 0; i < PART_COUNT; i++) {
        read[i] = (part){copy + at, mine[i].bytes};
        at += mine[i].bytes;
    }
    const bool good = fits(physics, read, head.step);
    if (good) { take_over(physics, &head, read, mine); }
    free(copy);
    return good ? CAIRN_OK : CAIRN_ERR_CORRUPT;
}
