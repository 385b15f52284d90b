// terrain_planes.h - a terrain map: two planes of cells around a node, known and obstacle.
//
// This is what a robot tells of the ground; the radio message terrain_map carries the same bits.
#pragma once
#include "maps/local/local_grid.h"

#define CAIRN_TERRAIN_CELLS_MAX (160 * 160)

typedef struct cairn_terrain_planes {
    double cell_m;
    uint32_t width, height;                        // cells along x and y, width * height <= CAIRN_TERRAIN_CELLS_MAX
    cairn_vec2 origin_m;                           // corner of cell (0,0), in the node's frame
    uint8_t known[CAIRN_TERRAIN_CELLS_MAX / 8];    // a bit a cell, row by row from the lowest y, bit 0 first
    uint8_t obstacle[CAIRN_TERRAIN_CELLS_MAX / 8]; // only where known
} cairn_terrain_planes;

static inline bool cairn_plane_bit(const uint8_t *plane, uint32_t cell) { return plane[cell >> 3] >> (cell & 7) & 1; }

// Samples the local map around a node, in the node's frame: size_cells x size_cells of cell_m. A coarse cell is an
// obstacle if any fine cell within it is, known if more than half of its area is. O(cells).
void cairn_terrain_planes_sample(const cairn_local_grid *grid, cairn_pose2 map_T_node, double cell_m,
                                 uint32_t size_cells, cairn_mono now, cairn_terrain_planes *ret_planes);
