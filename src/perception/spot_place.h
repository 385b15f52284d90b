// spot_place.h - how far away a hot spot is: from the laser's points within its edges.
#pragma once
#include "geometry/pose3.h"
#include "maps/local/scan_points.h"
#include "perception/hot_spots.h"

typedef struct cairn_spot_place_def {
    double range_m_max;     // farther spots are not placed
    double body_m;          // from the surface that is seen to the middle of a person
    double height_m_max;    // a spot that would be taller or wider than this is no person
    double size_m_min;      // nor one that would be smaller
    uint32_t hit_count_min; // laser points on it, at least
    double laser_m;         // height of the plane that the points lie in; NAN: in none, or nobody knows
} cairn_spot_place_def;

typedef struct cairn_spot_place {
    cairn_vec3 at_m;    // of the middle of the body, in the frame of the points (base, levelled)
    double range_m;     // from the camera to the surface, along the ground
    double deviation_m; // of the position along the ground, one sigma
    uint32_t hit_count; // laser points that it rests on; 0: it was placed by the ground
} cairn_spot_place;

cairn_spot_place_def cairn_spot_place_def_default(void);

// Places one spot. base_T_camera: the camera at the time of the picture, in the levelled frame that the points are
// given in (tilt, and what the robot moved between scan and picture, included by the caller). The range is that of the
// nearest cluster of hits between the spot's edges: the median of its nearest third, so that neither a single stray
// point nor the wall behind decides. Where the laser's plane passes over the spot, under a car or above somebody who
// lies on the floor, its hits are on something else: then the spot's lower edge is taken to be on level ground. A spot
// cut by the picture's border is placed, but with a large deviation. False, and ret_place untouched: no hits there, too
// far, or the size is not a person's. O(points).
bool cairn_spot_place_find(const cairn_spot_place_def *def, const cairn_hot_spot *spot, const cairn_scan_points *points,
                           cairn_pose3 base_T_camera, cairn_spot_place *ret_place);
