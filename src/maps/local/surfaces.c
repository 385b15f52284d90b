// surfaces.c - where within its cell a surface runs: sums over the patches that were seen there.
//
// A cell listens until it holds CAIRN_SURFACE_FULL points and is then only kept fresh. A mean that went on following
// the newest scans would follow the pose's own errors too: the map would drift along with the robot, and the match
// would always look good. Frozen cells tie the robot to where it first saw the wall, for as long as it sees it.
#include "maps/local/local_grid_cells.h"

// Points of one patch share the error of the pose they were added with: more than this many add no certainty.
#define PATCH_WEIGHT_MAX 10.0f

static void cell_add(cairn_surface_cell *cell, const cairn_scan_patch *patch, float x_m, float y_m, float cosine,
                     float sine)
{
    const float weight = patch->count < PATCH_WEIGHT_MAX ? patch->count : PATCH_WEIGHT_MAX;
    // The patch's own extent, turned into the frame of the map.
    const float cc = cosine * cosine, ss = sine * sine, cs = cosine * sine;
    const float xx = cc * patch->xx - 2 * cs * patch->xy + ss * patch->yy;
    const float xy = cs * (patch->xx - patch->yy) + (cc - ss) * patch->xy;
    const float yy = ss * patch->xx + 2 * cs * patch->xy + cc * patch->yy;
    cell->count += weight;
    cell->x_m += weight * x_m;
    cell->y_m += weight * y_m;
    cell->xx += weight * (xx + x_m * x_m);
    cell->xy += weight * (xy + x_m * y_m);
    cell->yy += weight * (yy + y_m * y_m);
}

void cairn_surfaces_add(cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_patches *patches)
{
    const double cosine = cos(map_T_base.yaw_rad), sine = sin(map_T_base.yaw_rad);
    for (uint32_t i = 0; i < patches->count; i++) {
        const cairn_scan_patch *patch = &patches->patches[i];
        const double x_m = map_T_base.x_m + cosine * patch->x_m - sine * patch->y_m;
        const double y_m = map_T_base.y_m + sine * patch->x_m + cosine * patch->y_m;
        const int32_t x = cairn_cell_floor(x_m * grid->surfaces_per_m),
                      y = cairn_cell_floor(y_m * grid->surfaces_per_m);
        const uint32_t side = cairn_surface_side((float)(cosine * patch->normal_x - sine * patch->normal_y),
                                                 (float)(sine * patch->normal_x + cosine * patch->normal_y));
        cairn_surface_cell *cell = cairn_surface_at(grid, x, y, side);
        const uint32_t key = cairn_surface_key(x, y);
        if (cell->key != key || grid->now_tick - cell->seen > CAIRN_MEMORY_TICKS) {
            *cell = (cairn_surface_cell){.key = key};
        }
        cell->seen = grid->now_tick;
        if (cell->count >= CAIRN_SURFACE_FULL) { continue; }
        cell_add(cell, patch, (float)(x_m - (x + 0.5) * grid->surface_m), (float)(y_m - (y + 0.5) * grid->surface_m),
                 (float)cosine, (float)sine);
    }
}
