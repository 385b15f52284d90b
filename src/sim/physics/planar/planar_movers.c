#include "sim/physics/planar/planar_movers.h"
#include "sim/physics/planar/planar_ground.h"

#define GRAVITY_MPS2 9.81
// Of a block on the ground [-]: rubble and crates on concrete.
#define BLOCK_FRICTION 0.6
#define TOUCH_M 1e-3      // as for robots
#define BLOCK_STEP_M 0.01 // blocks slide over what is lower
#define REST_M 0.02       // higher than this above the ground a block rests on something else

static bool is_mover_of_ground(const cairn_sim_arena *arena, const cairn_planar_mover *mover)
{
    const cairn_vec3 at = mover->motion.map_T_box.at_m;
    const double foot_m = mover->obstacle.bottom_m;
    return fabs(cairn_sim_ground_m(arena, (cairn_vec2){at.x, at.y}, foot_m + REST_M) - foot_m) < REST_M;
}

void cairn_planar_mover_set(cairn_planar_mover *mover, const cairn_mover_motion *motion)
{
    mover->motion = *motion;
    mover->obstacle = cairn_obstacle_of(mover->solid, motion->map_T_box, mover->obstacle.thing);
    mover->reach_m = cairn_vec2_length(mover->obstacle.rect.half_m);
}

void cairn_planar_mover_put(cairn_planar_mover *mover, cairn_pose3 map_T_box)
{
    const cairn_mover_motion motion = {.map_T_box = map_T_box};
    cairn_planar_mover_set(mover, &motion);
}

void cairn_planar_mover_init(cairn_planar_mover *mover, const cairn_sim_arena *arena, uint32_t index)
{
    const cairn_mover *what = &arena->movers[index];
    mover->solid = &arena->solids[what->solid];
    mover->obstacle.thing = what->solid;
    mover->flat = cairn_arena_is_flat(arena);
    cairn_planar_mover_put(mover, mover->solid->map_T_box);
    mover->loose = what->kind == CAIRN_SOLID_BLOCK;
    if (!mover->loose) { return; }
    const cairn_vec2 half = mover->obstacle.rect.half_m;
    mover->mass_kg = arena->blocks[what->owner].mass_kg;
    mover->inertia_kgm2 = mover->mass_kg * (half.x * half.x + half.y * half.y) / 3;
    mover->lever_m = 0.52 * mover->reach_m; // the mean distance from the middle, of a square 0.54, of a stick 0.5
    mover->on_ground = is_mover_of_ground(arena, mover);
}

bool cairn_planar_mover_moves(const cairn_planar_mover *mover)
{
    return mover->motion.speed_mps.x != 0 || mover->motion.speed_mps.y != 0 || mover->motion.turn_radps != 0;
}

static double lever_of(const cairn_planar_mover *mover, cairn_vec2 at_m, cairn_vec2 normal)
{
    return cairn_vec2_cross(cairn_vec2_sub(at_m, mover->obstacle.rect.centre_m), normal);
}

double cairn_planar_mover_mps(const cairn_planar_mover *mover, cairn_vec2 at_m, cairn_vec2 normal)
{
    return cairn_vec2_dot(mover->motion.speed_mps, normal) + mover->motion.turn_radps * lever_of(mover, at_m, normal);
}

double cairn_planar_mover_give(const cairn_planar_mover *mover, cairn_vec2 at_m, cairn_vec2 normal)
{
    if (!mover->loose) { return 0; }
    const double lever_m = lever_of(mover, at_m, normal);
    return 1 / mover->mass_kg + lever_m * lever_m / mover->inertia_kgm2;
}

void cairn_planar_mover_push(cairn_planar_mover *mover, cairn_vec2 at_m, cairn_vec2 normal, double push_ns)
{
    if (!mover->loose) { return; }
    mover->motion.turn_radps += push_ns * lever_of(mover, at_m, normal) / mover->inertia_kgm2;
    mover->motion.speed_mps =
        cairn_vec2_add(mover->motion.speed_mps, cairn_vec2_scale(normal, push_ns / mover->mass_kg));
}

static void shift(cairn_planar_mover *mover, cairn_vec2 normal, double by_m)
{
    if (by_m <= 0) { return; }
    mover->motion.map_T_box.at_m.x += by_m * normal.x;
    mover->motion.map_T_box.at_m.y += by_m * normal.y;
    mover->obstacle.rect.centre_m = cairn_vec2_add(mover->obstacle.rect.centre_m, cairn_vec2_scale(normal, by_m));
}

static bool share_height(const cairn_obstacle *a, const cairn_obstacle *b)
{
    return a->top_m > b->bottom_m + BLOCK_STEP_M && b->top_m > a->bottom_m + BLOCK_STEP_M;
}

// ---- contacts

typedef struct mover_in_place {
    const cairn_sim_arena *arena;
    cairn_planar_mover *mover;
} mover_in_place;

static void meet_standing(void *context, const cairn_obstacle *obstacle)
{
    const mover_in_place *of = context;
    cairn_planar_mover *mover = of->mover;
    cairn_rect_contact contact;
    if (!share_height(&mover->obstacle, obstacle)) { return; }
    if (!cairn_rects_touch(&mover->obstacle.rect, &obstacle->rect, TOUCH_M, &contact)) { return; }
    const double foot_m = mover->obstacle.bottom_m, height_m = mover->obstacle.top_m - foot_m;
    if (obstacle->ground && !cairn_ground_stops(of->arena, obstacle, &contact, foot_m, height_m, BLOCK_STEP_M)) {
        return;
    }
    shift(mover, contact.normal, -contact.gap_m);
    const double speed_mps = cairn_planar_mover_mps(mover, contact.at_m, contact.normal);
    if (speed_mps < 0) {
        const double give = cairn_planar_mover_give(mover, contact.at_m, contact.normal);
        cairn_planar_mover_push(mover, contact.at_m, contact.normal, -speed_mps / give);
    }
}

static void meet_mover(cairn_planar_mover *mover, cairn_planar_mover *other)
{
    const double apart_m = cairn_vec2_distance(mover->obstacle.rect.centre_m, other->obstacle.rect.centre_m);
    cairn_rect_contact contact;
    if (apart_m > mover->reach_m + other->reach_m + TOUCH_M || !share_height(&mover->obstacle, &other->obstacle)) {
        return;
    }
    if (!cairn_rects_touch(&mover->obstacle.rect, &other->obstacle.rect, TOUCH_M, &contact)) { return; }
    const cairn_vec2 back = cairn_vec2_scale(contact.normal, -1);
    const double closing_mps = -cairn_planar_mover_mps(mover, contact.at_m, contact.normal) -
                               cairn_planar_mover_mps(other, contact.at_m, back);
    shift(mover, contact.normal, -contact.gap_m);
    if (closing_mps <= 0) { return; }
    const double give = cairn_planar_mover_give(mover, contact.at_m, contact.normal) +
                        cairn_planar_mover_give(other, contact.at_m, back);
    cairn_planar_mover_push(mover, contact.at_m, contact.normal, closing_mps / give);
    cairn_planar_mover_push(other, contact.at_m, back, closing_mps / give);
}

void cairn_planar_movers_meet(const cairn_sim_arena *arena, const cairn_obstacle_index *index,
                              cairn_planar_mover *movers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!movers[i].loose || !cairn_planar_mover_moves(&movers[i])) { continue; }
        for (uint32_t k = 0; k < count; k++) {
            if (k != i) { meet_mover(&movers[i], &movers[k]); }
        }
        mover_in_place context = {arena, &movers[i]};
        cairn_obstacle_index_visit(index, movers[i].obstacle.rect.centre_m, movers[i].reach_m + TOUCH_M, meet_standing,
                                   &context);
    }
}

// ---- sliding

static double towards_zero(double value, double by) { return value > by ? value - by : value < -by ? value + by : 0; }

void cairn_planar_movers_slide(const cairn_sim_arena *arena, cairn_planar_mover *movers, uint32_t count,
                               double elapsed_s)
{
    for (uint32_t i = 0; i < count; i++) {
        cairn_planar_mover *mover = &movers[i];
        if (!mover->loose || !cairn_planar_mover_moves(mover)) { continue; }
        cairn_mover_motion motion = mover->motion;
        const double slowed_mps = BLOCK_FRICTION * GRAVITY_MPS2 * elapsed_s;
        const double speed_mps = cairn_vec2_length(motion.speed_mps);
        const double keep = speed_mps > slowed_mps ? 1 - slowed_mps / speed_mps : 0;
        motion.speed_mps = cairn_vec2_scale(motion.speed_mps, keep);
        motion.turn_radps =
            towards_zero(motion.turn_radps, slowed_mps * mover->mass_kg * mover->lever_m / mover->inertia_kgm2);
        motion.map_T_box.at_m.x += motion.speed_mps.x * elapsed_s;
        motion.map_T_box.at_m.y += motion.speed_mps.y * elapsed_s;
        if (motion.turn_radps != 0) {
            const cairn_quat turn = cairn_quat_from_axis((cairn_vec3){0, 0, 1}, motion.turn_radps * elapsed_s);
            motion.map_T_box.turn = cairn_quat_normalise(cairn_quat_multiply(turn, motion.map_T_box.turn));
        }
        if (!mover->flat && mover->on_ground) {
            const cairn_vec2 at = {motion.map_T_box.at_m.x, motion.map_T_box.at_m.y};
            const double half_m = motion.map_T_box.at_m.z - mover->obstacle.bottom_m;
            motion.map_T_box.at_m.z = half_m + cairn_sim_ground_m(arena, at, mover->obstacle.bottom_m + REST_M);
        }
        cairn_planar_mover_set(mover, &motion);
    }
}
