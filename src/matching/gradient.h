// gradient.h - scan-to-map matching by Gauss-Newton on the local grid (after Kohlbrecher et al. 2011), with a prior.
//
// The scan's patches (maps/local/scan_patches.h) are laid on the surfaces of the local grid: point to line. The prior
// from odometry keeps the directions in which the scan says nothing (a bare corridor) where the wheels and the gyro put
// them. Budget: iterations. Pure: same input, same output. About 25 us for a scan of 1081 beams in a maze.
//
// How to live by it, for the least drift (docs/maps.md has the figures):
//   1. guess = last pose * odometry since; cairn_match_def_set_motion with that odometry.
//   2. match; if trusted, its pose is the new one, otherwise the guess is.
//   3. Add the scan to the grid only if the match was trusted (or there is no map yet), and only after 5 cm, 3 degrees
//   or
//      0.5 s since the last one added: a standing robot must not engrave its own noise.
//   4. What the match turned against the guess, averaged over many scans, is the gyro's bias: taking a fiftieth of it
//      off the gyro at each scan (bias -= 0.02 * turn / time between scans) makes up for a bias that the prior resists.
#pragma once
#include "maps/local/local_grid.h"
#include "matching/match.h"

typedef struct cairn_match_def {
    uint32_t iteration_count_max;
    uint32_t point_count_max; // patches are thinned evenly along the scan to this many; more is surer and slower
    double prior_xy_m;        // deviation of the guess; smaller trusts odometry more
    double prior_yaw_rad;     // likewise; too small, and the gyro's bias turns the map
    double point_m;           // deviation of one laser point across its surface
} cairn_match_def;

cairn_match_def cairn_match_def_default(void); // a guess good to 2 cm and 0.6 degrees
// Sets the deviations of the guess for a step in which odometry says that the robot moved and turned this much since
// the last match.
void cairn_match_def_set_motion(cairn_match_def *def, double moved_m, double turned_rad);
// Where the scan was taken: pose is map_T_base. Score: part of the patches that lie within 4 cm of a surface of the
// map. Trusted if enough patches do; otherwise the pose is the guess. Converges from guesses up to about 0.2 m and 10
// degrees off, if the prior allows it. O(patches * iterations).
void cairn_match_gradient(const cairn_match_def *def, const cairn_local_grid *grid, const cairn_scan_points *points,
                          cairn_pose2 guess_map_T_base, cairn_mono now, cairn_match *ret_match);
