// gradient.h - scan-to-map matching by Gauss-Newton on the local grid (Kohlbrecher et al. 2011), with a prior.
//
// The prior from odometry keeps the directions in which the scan says nothing (a bare corridor) where the wheels
// and the gyro put them. Budget: iterations. Pure: same input, same output.
#pragma once
#include "maps/local_grid.h"

typedef struct cairn_match_def {
    uint32_t iteration_count_max;
    uint32_t point_count_max; // points are thinned evenly over space to this many
    double prior_xy_m;        // deviation of the guess; smaller trusts odometry more
    double prior_yaw_rad;
    double point_m; // deviation that one point is worth
} cairn_match_def;

typedef struct cairn_match {
    cairn_pose2 map_T_base;
    double quality;               // [-] 0..1: part of the points that lie on what the map calls occupied
    double information[9];        // 3x3 row-major of (x, y, yaw), prior left out
    double weakest_direction_rad; // where the scan says least about position
    double weakness;              // [-] 0 (all directions fixed) .. 1 (nothing fixed)
    uint32_t iteration_count, point_count;
    bool used; // false: too few points or no improvement; map_T_base is then the guess
} cairn_match;

cairn_match_def cairn_match_def_default(void);
// Sets the deviations of the guess for a step in which odometry says that the robot moved and turned this much since
// the last match.
void cairn_match_def_set_motion(cairn_match_def *def, double moved_m, double turned_rad);
void cairn_match_gradient(const cairn_match_def *def, const cairn_local_grid *grid, const cairn_scan_points *points,
                          cairn_pose2 guess_map_T_base, cairn_mono now, cairn_match *ret_match);
