// raster.h - one map of the whole floor from all robots' terrain maps.
//
// Frame    map: x east, y north; corner of cell (0,0) at def.origin_m.
// Each terrain map votes: obstacle cells up, known free cells down, bounded, so that what moved is unlearned.
#pragma once
#include "maps/terrain_planes.h"

typedef struct cairn_raster_def {
    cairn_vec2 origin_m;
    double cell_m; // 0.1
    uint32_t width, height;
    int8_t vote_obstacle, vote_free, vote_limit; // [-] > 0, < 0, > 0
} cairn_raster_def;

typedef struct cairn_raster {
    cairn_raster_def def;
    int8_t *votes;   // > 0 obstacle, <= 0 free, where known
    uint8_t *ground; // cairn_ground of each cell, kept up to date by add
    uint32_t known_count;
    uint32_t x_min, y_min, x_max, y_max; // bounds of the known cells, inclusive; x_max < x_min: none
} cairn_raster;

cairn_raster_def cairn_raster_def_default(void);
CAIRN_CHECKED cairn_err cairn_raster_create(const cairn_raster_def *def, cairn_arena *arena, cairn_raster **ret_raster);
// What falls outside the raster is ignored. O(cells of the terrain map).
void cairn_raster_add(cairn_raster *raster, cairn_pose2 map_T_node, const cairn_terrain_planes *planes);
bool cairn_raster_cell_of(const cairn_raster *raster, cairn_vec2 at_m, uint32_t *ret_x, uint32_t *ret_y);
cairn_vec2 cairn_raster_centre_of(const cairn_raster *raster, uint32_t x, uint32_t y);
cairn_ground cairn_raster_at(const cairn_raster *raster, cairn_vec2 at_m);
