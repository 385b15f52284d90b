// rays_planar.h - what the two halves of the planar rays share: the places of things and the scratch of casts.
#pragma once
#include "sim/senses/rays.h"
#include "sim/senses/rays_planar_kernels.h"

#define CAIRN_PLANAR_ROBOT_BOXES 2                             // hull and head
#define CAIRN_PLANAR_PIXELS_MAX (2 * CAIRN_THERMAL_PIXELS_MAX) // rows are rounded up to whole lanes

// A box in space, whatever it belongs to.
typedef struct cairn_planar_thing {
    cairn_pose3 map_T_box;
    cairn_vec3 half_m;
    cairn_vec3 arms_m[3]; // from its middle to its faces, map axes
    double half_z_m;      // it reaches so far above and below its middle
    double radius_m;      // and so far at all
    float celsius;
    bool upright;
} cairn_planar_thing;

// The part of a picture outside which a thing cannot be.
typedef struct cairn_planar_sight {
    const cairn_planar_thing *thing;
    cairn_planar_window window;
    double depth_m_min, depth_m_max; // along the camera's x
    double slopes[4];                // of the window's sides: left, right (y by x), top, bottom (z by x)
    double stretches[4];             // sqrt(1 + slope squared)
} cairn_planar_sight;

#define CAIRN_PLANAR_NO_BOX UINT32_MAX

// One of arena->movers.
typedef struct cairn_planar_seen_mover {
    uint32_t thing;
    uint32_t box; // among the upright ones; CAIRN_PLANAR_NO_BOX if it leant at the start
} cairn_planar_seen_mover;

// A box that rays from one place may meet, with all about it that is the same for each of them.
typedef struct cairn_planar_near {
    const cairn_planar_thing *thing;
    cairn_vec3 to_m; // from the rays' start to the middle of the box, map axes
    double to_m_square, radius_m_square;
    double range_m_min; // no part is nearer
    cairn_vec3 from_m;  // the rays' start in the box's own axes
    cairn_quat box_T_map;
} cairn_planar_near;

// One of arena->fields.
typedef struct cairn_planar_hill {
    const cairn_height_field *field;
    cairn_pose3 map_T_field, field_T_map;
    cairn_vec3 half_m;   // of the box that it fills, from the field's corner on
    cairn_vec3 middle_m; // of that box, map
} cairn_planar_hill;

// For the casts of one robot: they run one after another.
typedef struct cairn_planar_robot {
    uint32_t box_count;
    cairn_vec3 centre_m[CAIRN_PLANAR_ROBOT_BOXES], half_m[CAIRN_PLANAR_ROBOT_BOXES]; // in base
    cairn_planar_thing things[CAIRN_PLANAR_ROBOT_BOXES];                             // where they are now
    cairn_planar_scratch scratch;
    cairn_planar_polygon *polygons; // room for every tilted solid, every mover and every robot's boxes
    float *depth_m, *celsius;       // CAIRN_PLANAR_PIXELS_MAX each
    cairn_planar_sight *sights;     // room for every warm thing
    cairn_planar_near *near;        // room for every solid and every robot's boxes
} cairn_planar_robot;

struct cairn_rays {
    cairn_arena memory;
    const cairn_sim_arena *arena;
    uint32_t robot_count;
    cairn_planar_robot *robots;

    uint32_t thing_count; // one for each solid
    cairn_planar_thing *things;
    uint32_t tilted_count, warm_count;
    uint32_t *tilted, *warm; // indices of things; of the tilted, those that stay where they are
    cairn_planar_seen_mover *movers;
    cairn_planar_fields fields; // the upright ones
    cairn_planar_box *boxes;
    cairn_planar_hill *hills; // one for each height field
    cairn_planar_cast_fn cast;
    cairn_planar_paint_fn paint;
};

// cairn_rays_kind.cast and .picture, in rays_planar_cast.c. At most 640 rays at once.
void cairn_planar_rays(const cairn_rays *rays, const cairn_cast *cast, cairn_ray_hit *ret_hits);
void cairn_planar_picture(const cairn_rays *rays, const cairn_thermal_view *view, double depth_m_max,
                          float *ret_depth_m, float *ret_celsius);
// cairn_rays_kind.thermal, in rays_planar_thermal.c.
void cairn_planar_thermal(const cairn_rays *rays, const cairn_thermal_view *view, float *ret_celsius);
