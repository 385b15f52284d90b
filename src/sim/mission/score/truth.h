// truth.h - what there was to be found: the ground that can be reached, and where the walls really are.
//
// Cells of 10 cm over the arena's floor; in arenas of more than 100 m a side, up to 25 cm (sim/arena/check/reach.h).
// Reachable: free, and connected to a start through free cells over ground that rises or drops by at most 0.12 m at
// once and is at most 25 degrees steep. Seen from above: a cell counts once, however many storeys it has.
#pragma once
#include "maps/files/map_compare.h"
#include "maps/raster.h"
#include "sim/arena/arena.h"

typedef struct cairn_truth {
    const cairn_sim_arena *arena; // borrowed
    double cell_m;
    uint32_t width, height;
    uint8_t *reachable; // 1: free and connected to a start
    uint32_t reachable_count;
} cairn_truth;

// Takes a byte for each cell from `memory`; works on the heap. CAIRN_ERR_FULL if either is too small.
CAIRN_CHECKED cairn_err cairn_truth_create(const cairn_sim_arena *arena, cairn_arena *memory, cairn_truth *ret_truth);
// Part [-] of the reachable cells that the raster knows. O(cells within the raster's bounds).
double cairn_truth_explored(const cairn_truth *truth, const cairn_raster *raster);
// Root mean square distance from the raster's obstacle cells to the nearest true surface; NaN without any, or without
// memory. O(obstacle cells).
double cairn_truth_wall_rms_m(const cairn_truth *truth, const cairn_raster *raster);
// The raster against the truth as a map, as `cairn map compare` does it. CAIRN_ERR_TOO_LARGE for more than
// CAIRN_COMPARE_CELLS_MAX cells; CAIRN_ERR_FULL without memory, of which it takes some 40 bytes a cell for the call.
CAIRN_CHECKED cairn_err cairn_truth_compare(const cairn_truth *truth, const cairn_raster *raster,
                                            cairn_comparison *ret_comparison);
