// negative.h - holes and drops: where a ray went below any ground that could carry on from what was seen before it.
//
// Nobody sees a hole; what is seen is that a ray which should have met ground goes on, and ends deeper down or nowhere.
// Walking back from a ray's end one comes to the first ground that is more than a step above it: the rim. Cells right
// beside an obstacle are none: they may be parts of it. If the ray is more than slope * l + step_m lower than the rim,
// l metres behind it, ground falls away faster than it may, and the cells from the rim to there in which nothing was
// seen are marked. A ray no steeper than the slope can prove nothing: a sensor h above the ground finds drops up to
// h / (slope + step_m / L) away if it sees L metres past them.
//
// Not marked: what lies behind an obstacle as seen from the sensor (a shadow is no hole), and drops whose lower side
// was seen right beside the upper one, which the up-detector finds.
#pragma once
#include "terrain/heights.h"

typedef struct cairn_drop_def {
    double slope;      // [-] > 0: how fast ground that nobody sees may fall; smaller looks farther, and doubts ramps
    double step_m;     // and how deep a step in it may be; smaller than the noise of heights finds holes everywhere
    uint32_t rays_min; // that must agree on a cell, 1 to 255; wet and black ground loses single rays
} cairn_drop_def;

cairn_drop_def cairn_drop_def_default(void);

// What a sweep saw from one place.
typedef struct cairn_terrain_sweep {
    cairn_vec3 sensor_m;
    cairn_cloud hits;   // returns
    cairn_cloud misses; // rays without one, as points on them at the range up to which they were free; may be empty
} cairn_terrain_sweep;

// What is known of cells before looking for drops.
typedef struct cairn_drop_ground {
    const int32_t *low_um; // lowest return; CAIRN_HEIGHT_NONE where nothing was seen
    const uint8_t *up;     // nonzero: obstacle
} cairn_drop_ground;

// ret_drop: a byte a cell, 1 where ground falls away; only cells in which nothing was seen. Rays are walked in steps
// of one cell along the longer of x and y. Nothing is marked by rays from a sensor outside the area. Scratch is reset
// on return; CAIRN_ERR_FULL if it has no room for five bytes a cell. O(cells + rays), and the gaps of rays that fall.
CAIRN_CHECKED cairn_err cairn_drops_find(const cairn_terrain_area *area, const cairn_drop_def *def,
                                         const cairn_terrain_sweep *sweep, const cairn_drop_ground *ground,
                                         cairn_arena *scratch, uint8_t *ret_drop);
