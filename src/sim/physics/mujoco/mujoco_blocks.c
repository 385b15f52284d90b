// Loose blocks. At rest a block is a box like a wall, in the sets of those near it. When something touches or pushes
// it, it becomes a free body of a small pool, with boxes of its own around it, at the same place and at rest; when it
// has lain still for a while, it is a box again where it lies. Nothing jumps, and blocks that nobody touches cost
// nothing. Doors and figures are boxes throughout. When all bodies of the pool are taken, further blocks stay as firm
// as walls until one comes to rest; pushes wait for that too.
#include "sim/physics/mujoco/mujoco_private.h"
#include <string.h>

// Slower than this it is at rest, and after this long it is laid to rest.
#define STILL_MPS 0.01
#define STILL_RADPS 0.05
#define STILL_STEPS (CAIRN_MS(500) / CAIRN_PHYSICS_STEP_NS)
// A body that stands for no block waits here, far below; its geom takes no part in collision.
#define IDLE_M (-1000.0)

static uint32_t party_of(const cairn_physics *physics, uint32_t body) { return physics->robot_count + body; }

static uint32_t body_of(const cairn_physics *physics, uint32_t mover)
{
    uint32_t body = 0;
    while (body < physics->body_count && physics->body_states[body].mover_plus_1 != mover + 1) { body++; }
    return body;
}

bool cairn_mujoco_is_loose(const cairn_physics *physics, uint32_t mover)
{
    return physics->arena->movers[mover].kind == CAIRN_SOLID_BLOCK && body_of(physics, mover) < physics->body_count;
}

static void set_idle(cairn_physics *physics, uint32_t body)
{
    const cairn_mujoco_body *it = &physics->bodies[body];
    cairn_mujoco_set_pose(physics->data->qpos + it->qpos_at, (cairn_pose3){{0, 0, IDLE_M}, cairn_quat_identity()});
    const mjtNum falling[6] = {0, 0, -CAIRN_MUJOCO_GRAVITY_MPS2}; // as it would: the solver has nothing to do
    memset(physics->data->qvel + it->qvel_at, 0, sizeof falling);
    memcpy(physics->data->qacc_warmstart + it->qvel_at, falling, sizeof falling);
}

// Mass and inertia, with the constants that the library derives from them when it compiles a model.
static void weigh(cairn_physics *physics, const cairn_mujoco_body *it, double mass_kg, const mjtNum *inertia)
{
    mjModel *model = physics->model;
    const mjtNum turn_weight = (1 / inertia[0] + 1 / inertia[1] + 1 / inertia[2]) / 3;
    model->body_mass[it->body] = model->body_subtreemass[it->body] = mass_kg;
    memcpy(model->body_inertia + 3 * it->body, inertia, 3 * sizeof *inertia);
    model->body_invweight0[2 * it->body] = 1 / mass_kg;
    model->body_invweight0[2 * it->body + 1] = turn_weight;
    for (int i = 0; i < 6; i++) { model->dof_invweight0[it->qvel_at + i] = i < 3 ? 1 / mass_kg : turn_weight; }
    for (int i = 0; i < 6; i++) { model->dof_M0[it->qvel_at + i] = i < 3 ? mass_kg : inertia[i - 3]; }
}

void cairn_mujoco_blocks_dress(cairn_physics *physics, uint32_t body)
{
    const cairn_mujoco_body *it = &physics->bodies[body];
    mjModel *model = physics->model;
    const uint32_t mover = physics->body_states[body].mover_plus_1;
    model->body_geomnum[it->body] = mover > 0 ? 1 : 0;
    if (mover == 0) { // always the same: the solver looks at all bodies at once
        weigh(physics, it, 1, (const mjtNum[]){1, 1, 1});
        return;
    }
    const cairn_solid *solid = &physics->arena->solids[physics->arena->movers[mover - 1].solid];
    const double mass_kg = physics->arena->blocks[physics->arena->movers[mover - 1].owner].mass_kg;
    const mjtNum half[3] = {solid->half_m.x, solid->half_m.y, solid->half_m.z}, third = mass_kg / 3;
    const mjtNum inertia[3] = {third * (half[1] * half[1] + half[2] * half[2]),
                               third * (half[0] * half[0] + half[2] * half[2]),
                               third * (half[0] * half[0] + half[1] * half[1])};
    memcpy(model->geom_size + 3 * it->geom, half, sizeof half);
    model->geom_rbound[it->geom] = cairn_vec3_length(solid->half_m);
    model->geom_friction[3 * it->geom] = solid->friction > 0 ? solid->friction : CAIRN_MUJOCO_BLOCK_FRICTION;
    weigh(physics, it, mass_kg, inertia);
    physics->parties[party_of(physics, body)].reach_m = cairn_vec3_length(solid->half_m);
}

void cairn_mujoco_blocks_trim(cairn_physics *physics)
{
    uint32_t end = physics->body_count;
    while (end > 0 && physics->body_states[end - 1].mover_plus_1 == 0) { end--; }
    mjModel *model = physics->model;
    const bool all = end == physics->body_count;
    model->nq = all ? physics->nq : physics->bodies[end].qpos_at;
    model->nv = all ? physics->nv : physics->bodies[end].qvel_at;
    model->nM = all ? physics->nM : model->dof_Madr[physics->bodies[end].qvel_at];
    model->nbody = all ? physics->nbody : physics->bodies[end].body;
    model->njnt = all ? physics->njnt : model->body_jntadr[physics->bodies[end].body];
}

static void let_loose(cairn_physics *physics, uint32_t mover, uint32_t body)
{
    cairn_mujoco_mover_state *state = &physics->mover_states[mover];
    const cairn_mujoco_body *it = &physics->bodies[body];
    physics->body_states[body] = (cairn_mujoco_body_state){.mover_plus_1 = mover + 1};
    cairn_mujoco_blocks_dress(physics, body);
    const mjtNum push[6] = {state->push_mps.x, state->push_mps.y, state->push_mps.z};
    cairn_mujoco_set_pose(physics->data->qpos + it->qpos_at, state->map_T_box);
    memcpy(physics->data->qvel + it->qvel_at, push, sizeof push);
    memset(physics->data->qacc_warmstart + it->qvel_at, 0, 6 * sizeof(mjtNum));
    state->push_mps = (cairn_vec3){0};
    state->wanted = 0;
    cairn_mujoco_blocks_trim(physics);
    cairn_mujoco_near_mover_changed(physics, mover);
    cairn_mujoco_near_refill(physics, party_of(physics, body), state->map_T_box.at_m, true);
}

static void lay_to_rest(cairn_physics *physics, uint32_t body)
{
    const uint32_t mover = physics->body_states[body].mover_plus_1 - 1;
    physics->body_states[body] = (cairn_mujoco_body_state){0};
    physics->near[party_of(physics, body)] = (cairn_mujoco_near_state){0};
    physics->must_place = true;
    cairn_mujoco_blocks_dress(physics, body);
    set_idle(physics, body);
    cairn_mujoco_blocks_trim(physics);
    cairn_mujoco_near_mover_changed(physics, mover);
}

void cairn_mujoco_blocks_start(cairn_physics *physics)
{
    for (uint32_t i = 0; i < physics->arena->mover_count; i++) {
        const cairn_pose3 start = physics->arena->solids[physics->arena->movers[i].solid].map_T_box;
        physics->mover_states[i] = (cairn_mujoco_mover_state){.map_T_box = start};
    }
    for (uint32_t body = 0; body < physics->body_count; body++) {
        cairn_mujoco_blocks_dress(physics, body);
        set_idle(physics, body);
    }
    cairn_mujoco_blocks_trim(physics);
}

void cairn_mujoco_blocks_before_step(cairn_physics *physics)
{
    if (physics->body_count == 0) { return; }
    uint32_t body = 0;
    for (uint32_t mover = 0; mover < physics->arena->mover_count; mover++) {
        if (physics->mover_states[mover].wanted == 0) { continue; }
        if (cairn_mujoco_is_loose(physics, mover)) {
            physics->mover_states[mover].wanted = 0;
            continue;
        }
        while (body < physics->body_count && physics->body_states[body].mover_plus_1 > 0) { body++; }
        if (body == physics->body_count) { break; }
        let_loose(physics, mover, body);
    }
    for (body = 0; body < physics->body_count; body++) {
        if (physics->body_states[body].mover_plus_1 == 0) { continue; }
        const cairn_vec3 at = cairn_mujoco_vec(physics->data->qpos + physics->bodies[body].qpos_at);
        cairn_mujoco_near_refill(physics, party_of(physics, body), at, false);
    }
}

static bool is_still(const cairn_physics *physics, uint32_t body)
{
    const mjtNum *velocity = physics->data->qvel + physics->bodies[body].qvel_at;
    return cairn_vec3_length(cairn_mujoco_vec(velocity)) < STILL_MPS &&
           cairn_vec3_length(cairn_mujoco_vec(velocity + 3)) < STILL_RADPS;
}

void cairn_mujoco_blocks_after_step(cairn_physics *physics)
{
    for (uint32_t body = 0; body < physics->body_count; body++) {
        cairn_mujoco_body_state *state = &physics->body_states[body];
        if (state->mover_plus_1 == 0) {
            set_idle(physics, body);
            continue;
        }
        cairn_mujoco_mover_state *mover = &physics->mover_states[state->mover_plus_1 - 1];
        mover->map_T_box = cairn_mujoco_pose(physics->data->qpos + physics->bodies[body].qpos_at);
        state->still_steps = is_still(physics, body) && mover->wanted == 0 ? state->still_steps + 1 : 0;
        mover->wanted = 0;
        if (state->still_steps >= STILL_STEPS) { lay_to_rest(physics, body); }
    }
}

cairn_pose3 cairn_mujoco_mover(const cairn_physics *physics, uint32_t mover)
{
    CAIRN_ASSERT(mover < physics->arena->mover_count);
    return physics->mover_states[mover].map_T_box;
}

void cairn_mujoco_put(cairn_physics *physics, uint32_t mover, cairn_pose3 map_T_box)
{
    CAIRN_ASSERT(mover < physics->arena->mover_count);
    if (cairn_mujoco_is_loose(physics, mover)) { lay_to_rest(physics, body_of(physics, mover)); }
    physics->mover_states[mover] = (cairn_mujoco_mover_state){.map_T_box = map_T_box};
    // A block that is put into the air falls.
    physics->mover_states[mover].wanted = physics->arena->movers[mover].kind == CAIRN_SOLID_BLOCK;
    cairn_mujoco_near_mover_changed(physics, mover);
}

void cairn_mujoco_push(cairn_physics *physics, uint32_t mover, cairn_vec3 by_mps)
{
    CAIRN_ASSERT(mover < physics->arena->mover_count);
    if (physics->arena->movers[mover].kind != CAIRN_SOLID_BLOCK) { return; }
    const uint32_t body = body_of(physics, mover);
    if (body < physics->body_count) {
        mjtNum *velocity = physics->data->qvel + physics->bodies[body].qvel_at;
        mju_addTo3(velocity, (const mjtNum[]){by_mps.x, by_mps.y, by_mps.z});
        physics->body_states[body].still_steps = 0;
    } else {
        cairn_mujoco_mover_state *state = &physics->mover_states[mover];
        state->push_mps = cairn_vec3_add(state->push_mps, by_mps);
        state->wanted = 1;
    }
}
