// collapse.h - a sweep in space made flat: only what stands upright, which looks the same from everywhere.
//
// For matching, not for driving: a kerb is an obstacle and a poor landmark, a slope is a different line at each height.
//
// Source   Olson et al. 2012 (Magic), 4.3: cells "in which the point cloud contains an approximately vertical surface".
#pragma once
#include "maps/local/scan_points.h"
#include "terrain/terrain.h"

typedef struct cairn_collapse_def {
    double extent_m; // a surface must be at least this high within a cell and its four neighbours
    double slope;    // [-] and steeper than this beyond that height
    double depth_m;  // returns up to this far behind the nearest of a direction belong to the same surface
    uint32_t
        beam_count; // of the flat scan, 3 to CAIRN_SCAN_POINTS_MAX; more than the sweep has leaves gaps between hits
} cairn_collapse_def;

cairn_collapse_def cairn_collapse_def_default(void);

// ret_upright: a byte a cell, 1 where something upright was seen. Scratch is reset on return; CAIRN_ERR_FULL if it has
// no room for two heights a cell. O(cells).
CAIRN_CHECKED cairn_err cairn_collapse_cells(const cairn_terrain_view *view, const cairn_collapse_def *def,
                                             cairn_arena *scratch, uint8_t *ret_upright);

// The scan that a flat laser would make at the sensor if there were nothing but what is upright: beam i looks along
// 2 pi (i + 0.5) / beam_count - pi in the sweep's frame. A beam ends at the mean of the nearest surface's
// returns within its direction (hit 1), or only clears, up to the farthest drivable return (hit 0). The sweep is the
// one that the view was made from. O(points).
void cairn_collapse_scan(const cairn_terrain_view *view, const cairn_collapse_def *def,
                         const cairn_terrain_sweep *sweep, const uint8_t *upright, cairn_scan_points *ret_points);
