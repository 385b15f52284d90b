// rays.h - what sensors see: rays against the solids of an arena and against the robots.
//
//   planar  2D rays in the horizontal plane of a laser that stands level (even while it nods), against the solids and
//           robots as the plane cuts them; of one that leans with its robot, rays in space; thermal pictures by rays in
//           space, only where something is warm; all else by rays in space, which try every box that is near and
//           that their bundle may touch
//   embree  triangles in space
//
// Threads  One thread moves robots and movers (set_robots, set_movers); between moves, casts may run on several
//          threads, but those of one robot one after another.
#pragma once
#include "sim/physics/physics.h"

typedef struct cairn_rays cairn_rays;

typedef struct cairn_rays_def {
    const cairn_sim_arena *arena; // borrowed
    uint32_t robot_count;
    const cairn_body_description *const *robots; // borrowed
} cairn_rays_def;

// One sweep: beam i leaves from the laser's pose interpolated between two poses, along the laser's x turned by
// angle_rad_first + i * angle_rad_step about its z.
typedef struct cairn_sweep {
    uint32_t robot; // whose laser: its own body is not seen
    uint32_t beam_count;
    double angle_rad_first, angle_rad_step;
    double range_m_max;
    cairn_pose3 map_T_laser_first, map_T_laser_last; // at the first and at the last beam
} cairn_sweep;

// A picture of temperatures: pixel rays from one pose, row by row from the top left.
typedef struct cairn_thermal_view {
    uint32_t robot;
    uint32_t width_px, height_px;
    double field_rad; // horizontal, square pixels
    cairn_pose3 map_T_camera;
} cairn_thermal_view;

// Rays from one pose in any directions.
typedef struct cairn_cast {
    uint32_t robot; // whose sensor: its own body is not met
    cairn_pose3 map_T_sensor;
    uint32_t ray_count;
    const cairn_vec3 *directions; // unit, in the sensor's axes; borrowed during the call
    double range_m_max;
} cairn_cast;

typedef struct cairn_ray_hit {
    float range_m; // +inf where nothing is within range
    float cosine;  // [-] between the ray and the normal of what it meets: 1 square on, 0 grazing
} cairn_ray_hit;

typedef struct cairn_rays_kind {
    const char *name;
    cairn_err (*create)(const cairn_rays_def *def, cairn_complaints *complaints, cairn_rays **ret_rays);
    void (*destroy)(cairn_rays *rays);
    void (*set_robots)(cairn_rays *rays, const cairn_pose3 *map_T_base); // one pose for each robot
    void (*set_movers)(cairn_rays *rays, const cairn_pose3 *map_T_box);  // one pose for each of arena->movers
    // True ranges; +inf where nothing is within range.
    void (*sweep)(const cairn_rays *rays, const cairn_sweep *sweep, float *ret_range_m);
    // True temperatures in degrees Celsius; ambient where nothing is.
    void (*thermal)(const cairn_rays *rays, const cairn_thermal_view *view, float *ret_celsius);
    // True distances along the camera's x, +inf where nothing is within depth_m_max; and, unless ret_celsius is NULL,
    // the same temperatures that `thermal` gives: one cast for two cameras at one place.
    void (*picture)(const cairn_rays *rays, const cairn_thermal_view *view, double depth_m_max, float *ret_depth_m,
                    float *ret_celsius);
    void (*cast)(const cairn_rays *rays, const cairn_cast *cast, cairn_ray_hit *ret_hits);
} cairn_rays_kind;

extern const cairn_rays_kind cairn_rays_planar;
#ifdef CAIRN_HAS_EMBREE
extern const cairn_rays_kind cairn_rays_embree;
#endif
