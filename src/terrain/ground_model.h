// ground_model.h - how high the ground can be at most, cell by cell, from the lowest returns.
//
// Nothing is seen through the ground, so the lowest return of a cell is an upper bound of the ground's height; and
// ground rises by at most a known slope, so each bound holds for the cells around it too, higher with their distance.
//
// Source   Olson et al. 2012 (Magic), 5.3; Leonard et al. 2008. docs/terrain.md.
#pragma once
#include "terrain/heights.h"

#define CAIRN_CELL_NONE UINT32_MAX

typedef struct cairn_ground_def {
    double slope;     // [-] > 0: steepest natural ground; smaller cuts hill tops, larger lets wide things become ground
    double support_m; // a lowest return counts if other cells near it are at most this much higher, or lower
    uint32_t support_cells; // how far away, along x and y, those may be; more keeps lonelier returns
    uint32_t support_count; // how many of them there must be, >= 1; more sees through echoes that come in groups
} cairn_ground_def;

cairn_ground_def cairn_ground_def_default(void);

// Finds each point's cell (CAIRN_CELL_NONE: outside, or not finite) and height; both arrays as long as the cloud. Lows
// are all CAIRN_HEIGHT_NONE where no point is. The cell is found in single precision. O(points + cells).
void cairn_ground_bin(const cairn_terrain_area *area, const cairn_cloud *cloud, uint32_t *ret_point_cell,
                      int32_t *ret_point_um, int32_t *ret_low_um);

// Leaves out lows that nothing supports: echoes from below the ground, and returns all by themselves. The two arrays
// must be apart. O(cells) where the ground is dense; lonely cells cost their whole neighbourhood.
void cairn_ground_support(const cairn_terrain_area *area, const cairn_ground_def *def, const int32_t *low_um,
                          int32_t *ret_ground_um);

// Spreads the bounds over all cells, in place: the least of (bound + slope * way), with ways along the eight
// directions, at most 8 % longer than straight ones. All stay CAIRN_HEIGHT_NONE if there is no bound at all. O(cells),
// exact to the micrometre but for the slope of a step, which is rounded to it.
void cairn_ground_spread(const cairn_terrain_area *area, double slope, int32_t *ground_um);
