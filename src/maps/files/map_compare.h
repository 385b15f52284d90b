// map_compare.h - how well a map agrees with another that is taken for the truth.
//
// Both are looked at on one grid: the truth's frame and orientation, the smaller of the two cells, large enough for
// both. A cell there is what the map has at its middle. Where both are surveyed the map lies where it does on the
// earth; else their frames are taken for the same.
// Threads  Pure. The same maps give the same figures.
#pragma once
#include "maps/files/map.h"

#define CAIRN_COMPARE_CELLS_MAX ((size_t)16 << 20)
#define CAIRN_COMPARE_SIDE_MAX 16384u

typedef struct cairn_compare_def {
    double tolerance_m; // > 0: how far a wall may be from where it should
    // How far the map may be moved to fit the truth before it is judged, each way; 0 and 0: not at all. More costs
    // more, and in places that repeat may find the wrong one.
    double shift_m, turn_rad;
} cairn_compare_def;

cairn_compare_def cairn_compare_def_default(void); // 0.1 m, not moved

typedef struct cairn_comparison {
    double cell_m;
    uint32_t width, height;                    // of the common grid
    size_t truth_known, map_known, both_known; // cells
    size_t agreeing;                           // both know them and say the same
    size_t truth_walls, map_walls;
    double wall_iou; // [-] walls in both / walls in either; 1 where neither has any
    // Of the map's walls, those with a wall of the truth within the tolerance. Walls where the truth knows nothing are
    // not judged, unless there is one within the tolerance.
    size_t judged_walls;
    double precision; // [-] NAN: none was judged
    double recall;    // [-] of the truth's walls, those with a wall of the map within the tolerance; NAN: none
    // Absolute error: from each judged wall of the map to the truth's nearest; NAN: none was judged, or there is none.
    double error_m_mean;
    double error_m_deviation, error_m_max; // standard deviation of the same, and the greatest
    cairn_pose2 truth_T_map;               // how the map was moved, by the surveys and by the fit
} cairn_comparison;

// Scratch is reset on return; about 30 bytes a cell of the common grid. CAIRN_ERR_FULL without; CAIRN_ERR_TOO_LARGE if
// the common grid has more than CAIRN_COMPARE_CELLS_MAX cells or CAIRN_COMPARE_SIDE_MAX a side: the maps lie far apart,
// or are too fine.
CAIRN_CHECKED cairn_err cairn_map_compare(const cairn_map *truth, const cairn_map *map, const cairn_compare_def *def,
                                          cairn_arena *scratch, cairn_comparison *ret_comparison);
