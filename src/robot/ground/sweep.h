// sweep.h - what a nodding laser or a range imager saw in one nod, as points in space.
//
// Left out is what is farther than CAIRN_SWEEP_REACH_M, where half a degree of attitude error is as much as a kerb; our
// own hull, team-mates, and all scans while the robot is jolted or its attitude is not known.
//
// Frame    "sweep": x and y along the odometry's, origin below the robot as the sweep began, z up along gravity from
//          the ground that it stood on then, metres. Roll and pitch are those of the beam's time; ground that rises or
//          falls under the wheels is counted by pitch and way.
// Memory   From the arena at init; nothing later. Points beyond the room for them are dropped and counted.
// Threads  Deliberate only.
#pragma once
#include "maps/height_map.h"
#include "robot/deliberate/straighten.h"
#include "robot/deliberate/tracker.h"
#include "terrain/negative.h"

#define CAIRN_SWEEP_REACH_M 4.0 // along the ground, from where the sweep began
#define CAIRN_SWEEP_POINTS_MAX 65536
#define CAIRN_SWEEP_MISSES_MAX 8192
#define CAIRN_SWEEP_ATTITUDES 24  // one each 16 ms: longer than any image is on its way
#define CAIRN_SWEEP_RAYS_MAX 8192 // of one scan or image, for heights; more are left out

typedef struct cairn_ground_sweep_attitude {
    cairn_mono at;
    double roll_rad, pitch_rad;
    double risen_m; // of the ground below the robot, since the first of all
} cairn_ground_sweep_attitude;

// The last image, or the last two scans of a laser that nods, as rows of ends beside each other; the lowest row is the
// last. Frame: odometry's, heights from the ground on which the robot was switched on. NAN where nothing was met.
#define CAIRN_GROUND_ROW_ENDS_MAX CAIRN_RANGE_PIXELS_MAX // and more than two scans
typedef struct cairn_ground_rows {
    uint32_t width, height; // width 0: nothing was seen
    cairn_vec3 from_m;
    cairn_vec3 *end_m;
} cairn_ground_rows;

typedef struct cairn_ground_sweep {
    const cairn_body_description *description; // borrowed
    float *hit_x_m, *hit_y_m, *hit_z_m, *miss_x_m, *miss_y_m, *miss_z_m;
    uint32_t hit_count, miss_count, dropped_count;
    bool begun;
    cairn_mono since;
    cairn_pose2 odom_T_sweep; // yaw 0
    cairn_pose2 odom_T_last;  // base at the last scan
    double ground_z_m;        // of the ground below the robot then
    cairn_pose2 odom_T_leant; // base when it was last heard how it leans
    bool leant;               // that is known
    double risen_m;           // how much higher the ground below the robot is than where it began
    double begun_z_m;         // and as this sweep began: what is 0 in the sweep
    double begun_roll_rad, begun_pitch_rad;
    bool begun_tipping; // the robot tipped over something as it began
    // The rays of the last scan or image, from the sensor's place to where they ended, in the sweep's frame.
    cairn_height_ray *rays;
    uint32_t ray_count;
    cairn_vec3 rays_from_m;
    cairn_ground_rows rows;
    cairn_mono row_taken;    // of the last scan that is in them
    cairn_vec3 sensor_m_sum; // of the sensor's places, one a scan
    uint32_t scan_count;
    uint32_t attitude_count; // newest first
    cairn_ground_sweep_attitude attitudes[CAIRN_SWEEP_ATTITUDES];
} cairn_ground_sweep;

// CAIRN_ERR_FULL if the arena is too small.
CAIRN_CHECKED cairn_err cairn_ground_sweep_init(cairn_ground_sweep *sweep, const cairn_body_description *description,
                                                cairn_arena *arena);
// Hears how the robot leans; often, at least once before each scan and once after it.
void cairn_ground_sweep_lean(cairn_ground_sweep *sweep, const cairn_reflex_state *state);
// Adds a scan of a laser that nods; one whose plane is level all the time shows no ground, and is left out. The table
// is that of this laser. Things that move are given in the private frame.
void cairn_ground_sweep_add_scan(cairn_ground_sweep *sweep, cairn_beam_table *table, const cairn_scan_frame *scan,
                                 const cairn_reflex_state *state, cairn_pose2 odom_T_private,
                                 const cairn_moving_things *moving);
// Whether the robot, at this time, leans differently from when the sweep began, or tips over something, or did so then.
// Its image then belongs to a new sweep.
bool cairn_ground_sweep_has_tipped(const cairn_ground_sweep *sweep, cairn_mono at);
// Adds a range image. If it has tipped, the sweep should have been ended first.
void cairn_ground_sweep_add_image(cairn_ground_sweep *sweep, const cairn_range_image_frame *image,
                                  const cairn_reflex_state *state, cairn_pose2 odom_T_private,
                                  const cairn_moving_things *moving);
// What was seen so far, borrowed until the next call. All of it as if from the mean place of the sensor.
cairn_terrain_sweep cairn_ground_sweep_points(const cairn_ground_sweep *sweep);
void cairn_ground_sweep_clear(cairn_ground_sweep *sweep); // the next scan begins another
