// Doors, blocks and figures: names, places, and ways that people can walk.
#include "geometry/rays.h"
#include "sim/arena/check/arena_check.h"
#include "sim/arena/ground.h"
#include <string.h>

#define DOOR_M_MIN 0.2
#define OPEN_RAD_MIN (5 * CAIRN_PI / 180)
#define FIGURE_RADIUS_M 0.2
#define FIGURE_HEIGHT_M 1.0
#define FIGURE_STEP_M 0.3 // that ground may differ by on a figure's way, from the floor
#define LOOK_M 0.1        // between places of a way where the ground is looked at

static void check_doors(const cairn_arena_checker *check)
{
    const cairn_sim_arena *arena = check->arena;
    for (uint32_t i = 0; i < arena->door_count; i++) {
        const cairn_sim_door *door = &arena->doors[i];
        const uint32_t line = check->lines->doors[i];
        const char *file = check->lines->file;
        if (cairn_vec2_distance(door->hinge_m, door->latch_m) < DOOR_M_MIN) {
            cairn_complain(check->complaints, file, line,
                           "doors[%u] (%s) has no width: hinge_m and latch_m must be at least %.1f m apart", i,
                           door->name, DOOR_M_MIN);
        }
        if (!cairn_check_on_floor(check, door->hinge_m) || !cairn_check_on_floor(check, door->latch_m)) {
            cairn_complain(check->complaints, file, line, "doors[%u] (%s) is outside the floor", i, door->name);
        }
        if (fabs(door->open_rad) < OPEN_RAD_MIN) {
            cairn_complain(check->complaints, file, line, "doors[%u] (%s): open_deg must be at least 5 either way", i,
                           door->name);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(arena->doors[k].name, door->name) != 0) { continue; }
            cairn_complain(check->complaints, file, line, "doors[%u]: doors[%u] is named %s too", i, k, door->name);
            break;
        }
    }
}

// Blocks may lie on each other, and touch; they may not begin inside what they would be thrown out of.
static void check_blocks(const cairn_arena_checker *check)
{
    const cairn_sim_arena *arena = check->arena;
    for (uint32_t m = 0; m < arena->mover_count; m++) {
        const cairn_mover *mover = &arena->movers[m];
        if (mover->kind != CAIRN_SOLID_BLOCK) { continue; }
        const cairn_solid *own = &arena->solids[mover->solid];
        const uint32_t line = check->lines->blocks[mover->owner];
        const cairn_check_rect rect = {cairn_pose3_to_pose2(own->map_T_box), {own->half_m.x, own->half_m.y}};
        if (!cairn_check_rect_on_floor(check, &rect)) {
            cairn_complain(check->complaints, check->lines->file, line, "blocks[%u] reaches outside the floor",
                           mover->owner);
            continue;
        }
        for (uint32_t i = 0; i < arena->solid_count; i++) {
            const cairn_solid *other = &arena->solids[i];
            const bool earlier_block = other->kind == CAIRN_SOLID_BLOCK && other->owner >= mover->owner;
            if (i == mover->solid || earlier_block || other->kind == CAIRN_SOLID_FIGURE) { continue; }
            if (!cairn_check_overlap(own, other)) { continue; }
            cairn_complain(check->complaints, check->lines->file, line, "blocks[%u] begins inside %s; change foot_m?",
                           mover->owner, cairn_check_name(check, other));
            break;
        }
    }
}

// The first solid at the height of people that a way goes through; NULL if none.
static const cairn_solid *across(const cairn_arena_checker *check, cairn_vec2 from_m, cairn_vec2 to_m)
{
    const double length_m = cairn_vec2_distance(from_m, to_m);
    const cairn_vec2 direction =
        length_m > 0 ? cairn_vec2_scale(cairn_vec2_sub(to_m, from_m), 1 / length_m) : (cairn_vec2){1, 0};
    for (uint32_t i = 0; i < check->arena->solid_count; i++) {
        const cairn_solid *solid = &check->arena->solids[i];
        const double low_m = solid->map_T_box.at_m.z - solid->half_m.z,
                     high_m = solid->map_T_box.at_m.z + solid->half_m.z;
        if (cairn_solid_moves(solid) || solid->kind == CAIRN_SOLID_GROUND || low_m > FIGURE_HEIGHT_M ||
            high_m < FIGURE_STEP_M) {
            continue;
        }
        const cairn_vec2 half_m = {solid->half_m.x + FIGURE_RADIUS_M, solid->half_m.y + FIGURE_RADIUS_M};
        const double hit_m = cairn_ray_box2(from_m, direction, cairn_pose3_to_pose2(solid->map_T_box), half_m);
        if (hit_m >= 0 && hit_m <= length_m) { return solid; }
    }
    return NULL;
}

// False where it is too high or too low for people to walk on; they walk on the floor.
static bool is_walkable(const cairn_arena_checker *check, cairn_vec2 from_m, cairn_vec2 to_m, cairn_vec2 *ret_at_m)
{
    const int steps = (int)ceil(cairn_vec2_distance(from_m, to_m) / LOOK_M);
    for (int i = 0; i <= steps; i++) {
        const cairn_vec2 at_m =
            cairn_vec2_add(from_m, cairn_vec2_scale(cairn_vec2_sub(to_m, from_m), steps > 0 ? (double)i / steps : 0));
        const double ground_m = cairn_sim_ground_m(check->arena, at_m, FIGURE_STEP_M);
        const double over_m = cairn_sim_ceiling_m(check->arena, at_m, FIGURE_STEP_M);
        if (ground_m >= -FIGURE_STEP_M && over_m >= FIGURE_HEIGHT_M) { continue; }
        *ret_at_m = at_m;
        return false;
    }
    return true;
}

static void check_way(const cairn_arena_checker *check, uint32_t index, cairn_vec2 from_m, cairn_vec2 to_m)
{
    const char *name = check->arena->figures[index].name, *file = check->lines->file;
    const uint32_t line = check->lines->figures[index];
    const cairn_solid *solid = across(check, from_m, to_m);
    cairn_vec2 at_m;
    if (solid != NULL) {
        cairn_complain(
            check->complaints, file, line,
            "figures[%u] (%s): its way from (%.2f, %.2f) to (%.2f, %.2f) goes through or within %.1f m of %s", index,
            name, from_m.x, from_m.y, to_m.x, to_m.y, FIGURE_RADIUS_M, cairn_check_name(check, solid));
    } else if (!is_walkable(check, from_m, to_m, &at_m)) {
        cairn_complain(check->complaints, file, line,
                       "figures[%u] (%s): its way leads into a hole or high ground at (%.2f, %.2f)", index, name,
                       at_m.x, at_m.y);
    }
}

static void check_figure(const cairn_arena_checker *check, uint32_t index)
{
    const cairn_sim_figure *figure = &check->arena->figures[index];
    const uint32_t line = check->lines->figures[index];
    for (uint32_t k = 0; k < index; k++) {
        if (strcmp(check->arena->figures[k].name, figure->name) != 0) { continue; }
        cairn_complain(check->complaints, check->lines->file, line, "figures[%u]: figures[%u] is named %s too", index,
                       k, figure->name);
        break;
    }
    for (uint32_t i = 0; i < figure->point_count; i++) {
        if (cairn_check_on_floor(check, figure->points_m[i])) { continue; }
        cairn_complain(check->complaints, check->lines->file, line,
                       "figures[%u] (%s): point (%.2f, %.2f) is outside the floor", index, figure->name,
                       figure->points_m[i].x, figure->points_m[i].y);
        return;
    }
    // One that stands has a way from its place to its place.
    check_way(check, index, figure->points_m[0], figure->points_m[0]);
    for (uint32_t i = 0; i + 1 < figure->point_count; i++) {
        const cairn_vec2 from_m = figure->points_m[i], to_m = figure->points_m[i + 1];
        if (cairn_vec2_distance(from_m, to_m) < 0.01) {
            cairn_complain(check->complaints, check->lines->file, line,
                           "figures[%u] (%s): two points in one place (%.2f, %.2f); remove one", index, figure->name,
                           to_m.x, to_m.y);
            return;
        }
        check_way(check, index, from_m, to_m);
    }
}

void cairn_check_movers(const cairn_arena_checker *check)
{
    check_doors(check);
    check_blocks(check);
    for (uint32_t i = 0; i < check->arena->figure_count; i++) { check_figure(check, i); }
}
