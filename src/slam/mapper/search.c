#include "slam/mapper/search.h"
#include <math.h>
#include <string.h>

#define GRID_SIDE 160u   // cells of the grids that are searched
#define GRID_CELL_M 0.15 // larger sees farther and is less exact
#define SEARCH_M_MAX (120 * GRID_CELL_M)
#define BYTES ((size_t)4 << 20) // the matcher 1.7 MB, the two pyramids less

struct cairn_search {
    cairn_correlative *correlative;
    cairn_pyramid *there, *here;
    cairn_terrain_planes planes;
};

size_t cairn_search_bytes(void) { return sizeof(cairn_search) + BYTES; }

cairn_err cairn_search_create(cairn_arena *memory, cairn_search **ret_search)
{
    cairn_search *search = CAIRN_TAKE(memory, cairn_search, 1);
    if (search == NULL) { return CAIRN_ERR_FULL; }
    cairn_correlative_def def = cairn_correlative_def_default();
    def.window_m = SEARCH_M_MAX;
    const cairn_pyramid_def pyramid = {.width_max = GRID_SIDE, .height_max = GRID_SIDE, .point_count_max = 400};
    cairn_err err = cairn_correlative_create(&def, memory, &search->correlative);
    if (err == CAIRN_OK) { err = cairn_pyramid_create(&pyramid, memory, &search->there); }
    if (err == CAIRN_OK) { err = cairn_pyramid_create(&pyramid, memory, &search->here); }
    if (err == CAIRN_OK) { *ret_search = search; }
    return err;
}

static void plane_set(uint8_t *plane, int32_t x, int32_t y)
{
    const uint32_t cell = (uint32_t)y * GRID_SIDE + (uint32_t)x;
    plane[cell >> 3] |= (uint8_t)(1u << (cell & 7));
}

// What the beams of a scan looked through: known; where they ended: obstacle.
static void planes_add(cairn_terrain_planes *planes, const cairn_mbicp_reference *part)
{
    const cairn_mbicp_scan *scan = part->scan;
    const cairn_vec2 from = cairn_pose2_apply(part->reference_T_scan, (cairn_vec2){scan->sensor_x_m, scan->sensor_y_m});
    const double fx = from.x / GRID_CELL_M + 0.5 * GRID_SIDE, fy = from.y / GRID_CELL_M + 0.5 * GRID_SIDE;
    const double c = cos(part->reference_T_scan.yaw_rad) / GRID_CELL_M;
    const double s = sin(part->reference_T_scan.yaw_rad) / GRID_CELL_M;
    for (uint32_t i = 0; i < scan->count; i++) {
        const double x_m = scan->x_m[i] - scan->sensor_x_m, y_m = scan->y_m[i] - scan->sensor_y_m;
        const double dx = c * x_m - s * y_m, dy = s * x_m + c * y_m;
        if (fabs(dx) > 1000 || fabs(dy) > 1000) { continue; } // no return
        const int32_t steps = (int32_t)fmax(fabs(dx), fabs(dy)) + 1;
        for (int32_t k = 0; k <= steps; k++) {
            const int32_t x = (int32_t)floor(fx + dx * k / steps), y = (int32_t)floor(fy + dy * k / steps);
            if (x < 0 || y < 0 || x >= (int32_t)GRID_SIDE || y >= (int32_t)GRID_SIDE) { break; }
            plane_set(planes->known, x, y);
            if (k == steps) { plane_set(planes->obstacle, x, y); }
        }
    }
}

static void pyramid_make(cairn_search *search, cairn_submap submap, cairn_pyramid *pyramid)
{
    cairn_terrain_planes *planes = &search->planes;
    planes->cell_m = GRID_CELL_M;
    planes->width = planes->height = GRID_SIDE;
    planes->origin_m = (cairn_vec2){-0.5 * GRID_SIDE * GRID_CELL_M, -0.5 * GRID_SIDE * GRID_CELL_M};
    memset(planes->known, 0, sizeof planes->known);
    memset(planes->obstacle, 0, sizeof planes->obstacle);
    for (uint32_t i = 0; i < submap.count; i++) { planes_add(planes, &submap.parts[i]); }
    cairn_pyramid_set_grid(pyramid, planes);
}

bool cairn_search_find(cairn_search *search, cairn_submap there, cairn_submap here, const cairn_match_prior *prior,
                       cairn_match *ret_match)
{
    pyramid_make(search, there, search->there);
    pyramid_make(search, here, search->here);
    cairn_match_correlative(search->correlative, search->there, search->here, prior, ret_match);
    return ret_match->is_trusted;
}

double cairn_search_window(double deviation_m, double deviation_rad)
{
    const cairn_correlative_def def = cairn_correlative_def_default();
    const double side_m = 2 * fmin(def.window_deviations * deviation_m, SEARCH_M_MAX);
    return side_m * side_m * 2 * fmin(def.window_deviations * deviation_rad, def.window_rad);
}
