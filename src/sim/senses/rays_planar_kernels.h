// rays_planar_kernels.h - the inner loops of the planar rays, built once for each instruction set.
//
// Frame    map. A sweep is cast in one horizontal plane; beam i leaves from the laser's place at its own moment.
// Memory   Nothing is taken: the caller gives scratch of cairn_planar_scratch's stated sizes.
#pragma once
#include "base/dispatch.h"
#include "geometry/pose3.h"

#define CAIRN_PLANAR_LANES 8       // values worked on at once
#define CAIRN_PLANAR_CORNERS_MAX 6 // a plane cuts a box in a polygon of at most so many corners
#define CAIRN_PLANAR_FLOCK 32      // boxes that are passed over together when all are out of range

// An upright box as the plane cuts it.
typedef struct cairn_planar_box {
    double x_m, y_m;           // middle
    double axis_x, axis_y;     // cosine and sine of its yaw
    double half_x_m, half_y_m; // along its own axes
    double bottom_m, top_m;
} cairn_planar_box;

// Within this circle lie all boxes of a flock, wherever they may move to.
typedef struct cairn_planar_flock {
    float x_m, y_m, radius_m;
} cairn_planar_flock;

// The same boxes once more, field by field, for deciding which may be seen at all. Neighbours are in one flock of
// CAIRN_PLANAR_FLOCK boxes; the last flock is filled up with boxes that no plane cuts (bottom above top).
typedef struct cairn_planar_fields {
    uint32_t count; // multiple of CAIRN_PLANAR_FLOCK
    float *x_m, *y_m, *axis_x, *axis_y, *half_x_m, *half_y_m, *bottom_m, *top_m, *yaw_rad;
    cairn_planar_flock *flocks; // count / CAIRN_PLANAR_FLOCK
} cairn_planar_fields;

// What a plane leaves of a box that is not upright: a convex polygon, corners counter-clockwise.
typedef struct cairn_planar_polygon {
    uint32_t corner_count;
    cairn_vec2 corners_m[CAIRN_PLANAR_CORNERS_MAX];
} cairn_planar_polygon;

// One element for each box, then one for each polygon.
typedef struct cairn_planar_scratch {
    float *distance_m;   // no part is nearer than this
    int32_t *beam_first; // beams outside first..last cannot meet it; may lie outside the sweep
    int32_t *beam_last;
    int32_t *next; // links of the lists that sort by distance
} cairn_planar_scratch;

typedef struct cairn_planar_sweep {
    cairn_vec2 middle_m;      // laser halfway between the first and the last beam
    cairn_vec2 motion_m;      // from the first beam to the last
    double plane_m;           // height of the plane
    double bearing_rad_first; // of the first beam
    double bearing_rad_step;  // from beam to beam, the robot's turning included; > 0
    double range_m_max;
    uint32_t beam_count; // 1..CAIRN_SCAN_BEAMS_MAX
    const cairn_planar_fields *fields;
    const cairn_planar_box *boxes; // as many as fields->count
    const cairn_planar_polygon *polygons;
    uint32_t polygon_count;
} cairn_planar_sweep;

typedef void (*cairn_planar_cast_fn)(const cairn_planar_sweep *sweep, const cairn_planar_scratch *scratch,
                                     float *ret_range_m);
// Ranges to the nearest surface, +inf where there is none within range_m_max, 0 from inside a box.
CAIRN_KERNEL_DECLARE(void, cairn_planar_cast,
                     (const cairn_planar_sweep *sweep, const cairn_planar_scratch *scratch, float *ret_range_m));

// Part of a picture, in whole lanes of columns.
typedef struct cairn_planar_window {
    uint32_t row_first, row_end;       // end is not part of it
    uint32_t column_first, column_end; // multiples of CAIRN_PLANAR_LANES
    uint32_t width_px;                 // of a row in memory, a multiple of CAIRN_PLANAR_LANES
} cairn_planar_window;

// A box of one temperature seen by a camera, all in the box's own axes. A pixel's ray is
// from_m + t * (corner + column * right + row * down), t in metres along the camera's x.
typedef struct cairn_planar_warmth {
    cairn_vec3 from_m, half_m;
    cairn_vec3 corner, right, down; // pixel (0, 0), and from pixel to pixel
    float celsius;
} cairn_planar_warmth;

typedef void (*cairn_planar_paint_fn)(const cairn_planar_warmth *box, const cairn_planar_window *window, float *depth_m,
                                      float *celsius);
// Paints the box wherever it is nearer than depth_m, and lowers depth_m there.
CAIRN_KERNEL_DECLARE(void, cairn_planar_paint,
                     (const cairn_planar_warmth *box, const cairn_planar_window *window, float *depth_m,
                      float *celsius));
