#include "sim/arena/check/surfaces.h"
#include "geometry/rays.h"
#include "sim/arena/ground.h"
#include <stdlib.h>

#define UNEVEN_M 0.1    // ground that rises or falls by CAIRN_SURFACE_FROM_M over so much is met, as a kerb is
#define UNEVEN_RINGS 10 // so many times as far it is looked for

static bool is_upright(const cairn_solid *solid)
{
    return solid->map_T_box.turn.x == 0 && solid->map_T_box.turn.y == 0;
}

// What a robot on the solid's own storey would meet. Of ground only the sides of what is too high to drive up.
static bool is_surface(const cairn_sim_arena *arena, double step_m, const cairn_solid *solid)
{
    const cairn_vec2 at_m = {solid->map_T_box.at_m.x, solid->map_T_box.at_m.y};
    const double low_m = solid->map_T_box.at_m.z - solid->half_m.z, high_m = solid->map_T_box.at_m.z + solid->half_m.z;
    if (solid->kind == CAIRN_SOLID_GROUND) {
        return is_upright(solid) && high_m > step_m && low_m < CAIRN_SURFACE_TO_M;
    }
    const double ground_m = fmax(cairn_sim_ground_m(arena, at_m, low_m + CAIRN_SURFACE_FROM_M), 0.0);
    return low_m < ground_m + CAIRN_SURFACE_TO_M && high_m > ground_m + CAIRN_SURFACE_FROM_M;
}

static double distance_to(const cairn_solid *solid, cairn_vec2 at_m)
{
    const cairn_vec2 half = {solid->half_m.x, solid->half_m.y};
    return cairn_box2_distance(at_m, cairn_pose3_to_pose2(solid->map_T_box), half);
}

static double distance_to_sides(const cairn_solid *solid, cairn_vec2 at_m)
{
    const double outside_m = distance_to(solid, at_m);
    if (outside_m > 0 || solid->kind != CAIRN_SOLID_GROUND) { return outside_m; }
    const cairn_vec2 in = cairn_pose2_apply(cairn_pose2_inverse(cairn_pose3_to_pose2(solid->map_T_box)), at_m);
    return fmin(solid->half_m.x - fabs(in.x), solid->half_m.y - fabs(in.y));
}

size_t cairn_surfaces_bytes(const cairn_sim_arena *arena)
{
    return (arena->solid_count + 1) * sizeof(cairn_outline) + 256 +
           cairn_squares_bytes_max(arena->size_m, arena->solid_count);
}

cairn_err cairn_surfaces_create(const cairn_sim_arena *arena, double step_m, cairn_arena *memory,
                                cairn_surfaces *ret_surfaces)
{
    CAIRN_ASSERT(step_m > 0);
    cairn_surfaces of = {.arena = arena, .outlines = CAIRN_TAKE(memory, cairn_outline, arena->solid_count + 1)};
    if (of.outlines == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        const cairn_outline nowhere = {.x0_m = 1, .x1_m = 0};
        const bool is = is_surface(arena, step_m, &arena->solids[i]);
        of.outlines[i] = is ? cairn_solid_outline(&arena->solids[i]) : nowhere;
    }
    const cairn_err err = cairn_squares_create(arena->size_m, of.outlines, arena->solid_count, memory, &of.squares);
    if (err == CAIRN_OK) { *ret_surfaces = of; }
    return err;
}

static double nearest_in_square(const cairn_surfaces *of, int64_t x, int64_t y, cairn_vec2 at_m, double nearest_m)
{
    const cairn_squares *squares = &of->squares;
    if (x < 0 || y < 0 || x >= squares->width || y >= squares->height) { return nearest_m; }
    const size_t square = (size_t)y * squares->width + (size_t)x;
    for (uint32_t i = squares->first[square]; i < squares->first[square + 1]; i++) {
        nearest_m = fmin(nearest_m, distance_to_sides(&of->arena->solids[squares->things[i]], at_m));
    }
    return nearest_m;
}

// Ring by ring of squares around the one of a point: what is in the next ring is at least so many squares away.
static double nearest_on_floor(const cairn_surfaces *of, cairn_vec2 at_m)
{
    const cairn_squares *squares = &of->squares;
    const int64_t x = (int64_t)(at_m.x / squares->square_m), y = (int64_t)(at_m.y / squares->square_m);
    const int64_t rings = squares->width > squares->height ? squares->width : squares->height;
    double nearest_m = INFINITY;
    for (int64_t ring = 0; ring <= rings && nearest_m > (double)(ring - 1) * squares->square_m; ring++) {
        for (int64_t i = -ring; i <= ring; i++) {
            nearest_m = nearest_in_square(of, x + i, y - ring, at_m, nearest_m);
            nearest_m = nearest_in_square(of, x + i, y + ring, at_m, nearest_m);
            nearest_m = nearest_in_square(of, x - ring, y + i, at_m, nearest_m);
            nearest_m = nearest_in_square(of, x + ring, y + i, at_m, nearest_m);
        }
    }
    return nearest_m;
}

// Whether the ground of the storey below from_m ends here in a step, or lies in a hole.
static bool is_uneven(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m)
{
    const double here_m = cairn_sim_ground_m(arena, at_m, from_m);
    if (here_m < -CAIRN_SURFACE_STEP_M) { return true; }
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 beside_m = {at_m.x + (i == 0   ? UNEVEN_M
                                               : i == 1 ? -UNEVEN_M
                                                        : 0.0),
                                     at_m.y + (i == 2   ? UNEVEN_M
                                               : i == 3 ? -UNEVEN_M
                                                        : 0.0)};
        if (fabs(cairn_sim_ground_m(arena, beside_m, from_m) - here_m) > CAIRN_SURFACE_FROM_M) { return true; }
    }
    return false;
}

// Rubble and the rims of holes, on the floor and on what is highest, ring by ring.
static double nearest_uneven(const cairn_sim_arena *arena, cairn_vec2 at_m, double within_m)
{
    if (arena->field_count == 0 && !arena->has_holes) { return within_m; }
    const int rings = (int)(fmin(within_m, UNEVEN_RINGS * UNEVEN_M) / UNEVEN_M);
    for (int ring = 0; ring <= rings; ring++) {
        for (int y = -ring; y <= ring; y++) {
            for (int x = -ring; x <= ring; x++) {
                if (abs(x) != ring && abs(y) != ring) { continue; }
                const cairn_vec2 there_m = {at_m.x + x * UNEVEN_M, at_m.y + y * UNEVEN_M};
                if (!is_uneven(arena, there_m, CAIRN_SURFACE_TO_M) && !is_uneven(arena, there_m, INFINITY)) {
                    continue;
                }
                return fmin(within_m, hypot(x, y) * UNEVEN_M);
            }
        }
    }
    return within_m;
}

static double nearest_of_solids(const cairn_surfaces *surfaces, cairn_vec2 at_m)
{
    const cairn_sim_arena *arena = surfaces->arena;
    const cairn_vec2 size_m = arena->size_m;
    if (at_m.x >= 0 && at_m.y >= 0 && at_m.x <= size_m.x && at_m.y <= size_m.y) {
        return nearest_on_floor(surfaces, at_m);
    }
    double nearest_m = INFINITY;
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (surfaces->outlines[i].x0_m > surfaces->outlines[i].x1_m) { continue; }
        nearest_m = fmin(nearest_m, distance_to_sides(&arena->solids[i], at_m));
    }
    return nearest_m;
}

double cairn_surfaces_nearest_m(const cairn_surfaces *surfaces, cairn_vec2 at_m)
{
    const double nearest_m = nearest_of_solids(surfaces, at_m);
    const cairn_vec2 size_m = surfaces->arena->size_m;
    const bool on_floor = at_m.x >= 0 && at_m.y >= 0 && at_m.x <= size_m.x && at_m.y <= size_m.y;
    return on_floor && nearest_m > UNEVEN_M ? nearest_uneven(surfaces->arena, at_m, nearest_m) : nearest_m;
}

// The squares of one axis that lie within reach of a place.
static uint32_t square_of(double at_m, double square_m, uint32_t count)
{
    return at_m <= 0 ? 0 : at_m >= square_m * count ? count - 1 : (uint32_t)(at_m / square_m);
}

cairn_surfaces_touched cairn_surfaces_touch(const cairn_surfaces *surfaces, cairn_vec2 at_m, double within_m)
{
    const cairn_squares *squares = &surfaces->squares;
    const double side_m = squares->square_m;
    cairn_surfaces_touched touched = {0};
    const uint32_t x_last = square_of(at_m.x + within_m, side_m, squares->width);
    const uint32_t y_last = square_of(at_m.y + within_m, side_m, squares->height);
    for (uint32_t y = square_of(at_m.y - within_m, side_m, squares->height); y <= y_last; y++) {
        for (uint32_t x = square_of(at_m.x - within_m, side_m, squares->width); x <= x_last; x++) {
            const size_t square = (size_t)y * squares->width + x;
            for (uint32_t i = squares->first[square]; i < squares->first[square + 1]; i++) {
                const cairn_solid *solid = &surfaces->arena->solids[squares->things[i]];
                if (distance_to(solid, at_m) >= within_m) { continue; }
                const bool moves = solid->kind == CAIRN_SOLID_DOOR || solid->kind == CAIRN_SOLID_FIGURE;
                *(moves ? &touched.moving : &touched.lasting) = true;
            }
        }
    }
    return touched;
}
