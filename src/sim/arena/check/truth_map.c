#include "sim/arena/check/truth_map.h"
#include "sim/arena/check/surfaces.h"
#include <string.h>

#define MARGIN 1 // cells
// A wall's side on the border of two cells reaches into one of them only, whatever the last bit of its place says.
#define ROUNDING_M 1e-6

#define DROP_M 0.13 // a little more than reach.h gets up: ground that lies further below or above is other ground

enum { NOTHING, SURFACE, MOVING, REACHED }; // of a cell, beside what it becomes

cairn_reach_def cairn_truth_reach_def(const cairn_sim_arena *arena, double cell_m)
{
    cairn_reach_def def = cairn_reach_def_default();
    def.cell_m = cell_m > 0 ? cell_m : cairn_reach_cell_m(arena);
    def.radius_m = def.cell_m / 2;
    def.height_m = CAIRN_SURFACE_TO_M;
    def.low_m = CAIRN_SURFACE_FROM_M;
    def.start_count = 0;
    def.looks_max = 0;
    return def;
}

typedef struct drawing {
    uint32_t width, height; // cells, the margin counted
    double cell_m;
    uint8_t *kinds;
    uint8_t *ground;
} drawing;

// Whether some ground of a cell has none of about its height beside it: it ends there.
static bool ends_at(const cairn_reach *reach, uint32_t cell, uint32_t beside)
{
    for (uint32_t i = reach->first[cell]; i != CAIRN_REACH_NONE; i = reach->places[i].above) {
        bool goes_on = false;
        for (uint32_t k = reach->first[beside]; k != CAIRN_REACH_NONE; k = reach->places[k].above) {
            goes_on |= fabsf(reach->places[i].height_m - reach->places[k].height_m) <= DROP_M;
        }
        if (!goes_on) { return true; }
    }
    return false;
}

// The flat top of a ramp has sides, but they are inside it; those of a platform are where its ground ends.
static bool has_edge(const cairn_reach *reach, uint32_t x, uint32_t y)
{
    for (uint32_t k = 0; k < 9; k++) {
        const uint32_t u = x + k % 3 - 1, v = y + k / 3 - 1; // beyond the edge: past the end, too
        if (u >= reach->width || v >= reach->height) { continue; }
        if (ends_at(reach, y * reach->width + x, v * reach->width + u)) { return true; }
    }
    return false;
}

static uint8_t kind_of(const cairn_surfaces *surfaces, const cairn_reach *reach, uint32_t x, uint32_t y)
{
    const double cell_m = reach->cell_m;
    const cairn_vec2 at_m = {(x + 0.5 - MARGIN) * cell_m, (y + 0.5 - MARGIN) * cell_m};
    const cairn_surfaces_touched is = cairn_surfaces_touch(surfaces, at_m, 0.5 * cell_m - ROUNDING_M);
    const uint32_t u = x - MARGIN, v = y - MARGIN; // before the first: past the end, too
    const bool inside = u < reach->width && v < reach->height;
    const bool reached = inside && reach->first[v * reach->width + u] != CAIRN_REACH_NONE;
    if (is.lasting && (!reached || has_edge(reach, u, v))) { return SURFACE; }
    if (is.moving) { return MOVING; } // doors count as open when ground is reached
    return reached ? REACHED : NOTHING;
}

static cairn_err draw_kinds(const cairn_sim_arena *arena, const drawing *of)
{
    const cairn_reach_def def = cairn_truth_reach_def(arena, of->cell_m);
    cairn_arena work;
    cairn_reach reach;
    cairn_surfaces surfaces;
    cairn_err err = cairn_arena_create(&work, cairn_reach_bytes(arena, &def) + cairn_surfaces_bytes(arena));
    if (err != CAIRN_OK) { return err; }
    err = cairn_surfaces_create(arena, CAIRN_SURFACE_STEP_M, &work, &surfaces);
    if (err == CAIRN_OK) { err = cairn_reach_create(arena, &def, &work, &reach); }
    for (uint32_t i = 0; err == CAIRN_OK && i < of->width * of->height; i++) {
        of->kinds[i] = kind_of(&surfaces, &reach, i % of->width, i / of->width);
    }
    cairn_arena_destroy(&work);
    return err;
}

// Whether one of the eight around a cell has this in a plane.
static bool is_beside(const drawing *of, const uint8_t *plane, uint32_t x, uint32_t y, uint8_t what)
{
    for (uint32_t k = 0; k < 9; k++) {
        const uint32_t u = x + k % 3 - 1, v = y + k / 3 - 1; // beyond the edge: past the end, too
        if (k != 4 && u < of->width && v < of->height && plane[(size_t)v * of->width + u] == what) { return true; }
    }
    return false;
}

static void find_ground(const drawing *of)
{
    for (uint32_t i = 0; i < of->width * of->height; i++) {
        const uint32_t x = i % of->width, y = i / of->width;
        const bool clear_beside = of->kinds[i] == NOTHING && is_beside(of, of->kinds, x, y, REACHED);
        of->ground[i] = of->kinds[i] == REACHED || clear_beside ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
    }
    for (uint32_t i = 0; i < of->width * of->height; i++) {
        if (of->kinds[i] != SURFACE) { continue; }
        if (is_beside(of, of->ground, i % of->width, i / of->width, CAIRN_GROUND_FREE)) {
            of->ground[i] = CAIRN_GROUND_OBSTACLE;
        }
    }
}

cairn_err cairn_truth_map(const cairn_sim_arena *arena, double cell_m, cairn_arena *memory, cairn_map *ret_map)
{
    drawing of = {.cell_m = cell_m > 0 ? cell_m : cairn_reach_cell_m(arena)};
    const double width = ceil(arena->size_m.x / of.cell_m) + 2 * MARGIN,
                 height = ceil(arena->size_m.y / of.cell_m) + 2 * MARGIN;
    if (width > CAIRN_MAP_SIDE_MAX || height > CAIRN_MAP_SIDE_MAX || width * height > (double)CAIRN_MAP_CELLS_MAX) {
        return CAIRN_ERR_TOO_LARGE;
    }
    of.width = (uint32_t)width, of.height = (uint32_t)height;
    of.ground = CAIRN_TAKE(memory, uint8_t, (size_t)of.width * of.height);
    cairn_arena work;
    cairn_err err = of.ground == NULL ? CAIRN_ERR_FULL : cairn_arena_create(&work, (size_t)of.width * of.height + 64);
    if (err != CAIRN_OK) { return err; }
    of.kinds = CAIRN_TAKE(&work, uint8_t, (size_t)of.width * of.height);
    err = draw_kinds(arena, &of);
    if (err == CAIRN_OK) {
        find_ground(&of);
        *ret_map = (cairn_map){.width = of.width,
                               .height = of.height,
                               .cell_m = of.cell_m,
                               .map_T_corner = {-MARGIN * of.cell_m, -MARGIN * of.cell_m, 0},
                               .ground = of.ground};
    }
    cairn_arena_destroy(&work);
    return err;
}
