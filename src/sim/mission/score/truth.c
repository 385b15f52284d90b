#include "sim/mission/score/truth.h"
#include "sim/arena/check/surfaces.h"
#include "sim/arena/check/truth_map.h"

#define ROOM_CELLS 64                                // more than what is lost between two blocks
#define COMPARE_BYTES (34 * CAIRN_COMPARE_CELLS_MAX) // pages that are not needed are not touched

static cairn_err flood(const cairn_sim_arena *arena, cairn_truth *truth)
{
    const cairn_reach_def def = cairn_truth_reach_def(arena, truth->cell_m);
    cairn_arena work;
    cairn_reach reach;
    cairn_err err = cairn_arena_create(&work, cairn_reach_bytes(arena, &def));
    if (err != CAIRN_OK) { return err; }
    err = cairn_reach_create(arena, &def, &work, &reach);
    if (err == CAIRN_OK) {
        CAIRN_ASSERT(reach.width == truth->width && reach.height == truth->height);
        for (size_t i = 0; i < (size_t)reach.width * reach.height; i++) {
            truth->reachable[i] = reach.first[i] != CAIRN_REACH_NONE;
        }
        truth->reachable_count = reach.cell_count;
    }
    cairn_arena_destroy(&work);
    return err;
}

cairn_err cairn_truth_create(const cairn_sim_arena *arena, cairn_arena *memory, cairn_truth *ret_truth)
{
    cairn_truth truth = {.arena = arena, .cell_m = cairn_reach_cell_m(arena)};
    truth.width = (uint32_t)ceil(arena->size_m.x / truth.cell_m);
    truth.height = (uint32_t)ceil(arena->size_m.y / truth.cell_m);
    truth.reachable = CAIRN_TAKE(memory, uint8_t, (size_t)truth.width * truth.height);
    if (truth.reachable == NULL) { return CAIRN_ERR_FULL; }
    const cairn_err err = flood(arena, &truth);
    if (err == CAIRN_OK) { *ret_truth = truth; }
    return err;
}

// Cells from *ret_first to before *ret_end have their middles between low_m and high_m.
static void cells_between(double low_m, double high_m, double cell_m, uint32_t count, uint32_t *ret_first,
                          uint32_t *ret_end)
{
    const double first = floor(low_m / cell_m) - 1, end = ceil(high_m / cell_m) + 1;
    *ret_first = first <= 0 ? 0 : first >= count ? count : (uint32_t)first;
    *ret_end = end <= 0 ? 0 : end >= count ? count : (uint32_t)end;
}

double cairn_truth_explored(const cairn_truth *truth, const cairn_raster *raster)
{
    if (truth->reachable_count == 0 || raster->x_max < raster->x_min) { return 0.0; }
    const cairn_vec2 origin_m = raster->def.origin_m;
    const double cell_m = raster->def.cell_m;
    uint32_t x_first, x_end, y_first, y_end, known = 0;
    cells_between(origin_m.x + raster->x_min * cell_m, origin_m.x + (raster->x_max + 1.0) * cell_m, truth->cell_m,
                  truth->width, &x_first, &x_end);
    cells_between(origin_m.y + raster->y_min * cell_m, origin_m.y + (raster->y_max + 1.0) * cell_m, truth->cell_m,
                  truth->height, &y_first, &y_end);
    for (uint32_t y = y_first; y < y_end; y++) {
        for (uint32_t x = x_first; x < x_end; x++) {
            if (!truth->reachable[(size_t)y * truth->width + x]) { continue; }
            const cairn_vec2 at = {(x + 0.5) * truth->cell_m, (y + 0.5) * truth->cell_m};
            known += cairn_raster_at(raster, at) != CAIRN_GROUND_UNKNOWN;
        }
    }
    return (double)known / truth->reachable_count;
}

static double rms_m(const cairn_surfaces *of, const cairn_raster *raster)
{
    double sum_m2 = 0;
    uint32_t count = 0;
    for (uint32_t y = raster->y_min; y <= raster->y_max && raster->x_max >= raster->x_min; y++) {
        for (uint32_t x = raster->x_min; x <= raster->x_max; x++) {
            if (raster->ground[(size_t)y * raster->def.width + x] != CAIRN_GROUND_OBSTACLE) { continue; }
            const double nearest_m = cairn_surfaces_nearest_m(of, cairn_raster_centre_of(raster, x, y));
            sum_m2 += nearest_m * nearest_m;
            count++;
        }
    }
    return count > 0 ? sqrt(sum_m2 / count) : NAN;
}

double cairn_truth_wall_rms_m(const cairn_truth *truth, const cairn_raster *raster)
{
    cairn_arena work;
    cairn_surfaces of;
    if (cairn_arena_create(&work, cairn_surfaces_bytes(truth->arena)) != CAIRN_OK) { return NAN; }
    // A kerb is no wall to every robot, but who cannot get up draws it, and is right.
    const cairn_err err = cairn_surfaces_create(truth->arena, CAIRN_SURFACE_FROM_M, &work, &of);
    const double result_m = err == CAIRN_OK ? rms_m(&of, raster) : NAN;
    cairn_arena_destroy(&work);
    return result_m;
}

cairn_err cairn_truth_compare(const cairn_truth *truth, const cairn_raster *raster, cairn_comparison *ret_comparison)
{
    const size_t raster_cells = (size_t)raster->def.width * raster->def.height;
    const double truth_cells = (truth->width + 2.0 + ROOM_CELLS) * (truth->height + 2.0 + ROOM_CELLS);
    cairn_arena maps, scratch = {0};
    cairn_map should, is;
    cairn_err err = cairn_arena_create(&maps, raster_cells + (size_t)truth_cells);
    if (err != CAIRN_OK) { return err; }
    err = cairn_truth_map(truth->arena, truth->cell_m, &maps, &should);
    if (err == CAIRN_OK) { err = cairn_map_of_raster(raster, &maps, &is); }
    if (err == CAIRN_OK) { err = cairn_arena_create(&scratch, COMPARE_BYTES); }
    if (err == CAIRN_OK) {
        const cairn_compare_def def = cairn_compare_def_default();
        err = cairn_map_compare(&should, &is, &def, &scratch, ret_comparison);
    }
    cairn_arena_destroy(&scratch);
    cairn_arena_destroy(&maps);
    return err;
}
