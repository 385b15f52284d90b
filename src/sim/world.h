// world.h - the simulated world: physics, rays and sensors behind the bodies' cells.
//
// The world owns one body for each robot. Once a tick the executor calls step (serial: motion), then sense for
// each robot (may run in parallel: each touches only its own robot's state and cells).
// Sensor times are the description's rates, independent of the physics step: poses between steps are
// interpolated. A frame appears in its cell at the first tick at or after taken + duration + delay.
#pragma once
#include "body/body.h"
#include "sim/physics/physics.h"
#include "sim/senses/earth.h"
#include "sim/senses/failure.h"
#include "sim/senses/gps.h"
#include "sim/senses/range_sensors.h"
#include "sim/senses/rays.h"
#include "sim/senses/sensors.h"

typedef struct cairn_world cairn_world;

typedef struct cairn_world_def {
    const cairn_sim_arena *arena; // borrowed
    const char *physics;          // "planar" or "mujoco"; the rays follow
    uint32_t robot_count;
    const cairn_body_description *const *robots; // borrowed
    const cairn_pose2 *starts;
    const char *const *robot_names; // "emu1", …: name the random streams; borrowed
    uint64_t seed;
    int64_t late_ns_max;               // the most that a failure will make a sensor late
    const cairn_body_memory *memories; // where each robot's cells lie, borrowed; NULL: in the world's own memory
} cairn_world_def;

// CAIRN_ERR_UNSUPPORTED for a physics that this build does not have, with words.
CAIRN_CHECKED cairn_err cairn_world_create(const cairn_world_def *def, cairn_complaints *complaints,
                                           cairn_world **ret_world);
void cairn_world_destroy(cairn_world *world);

cairn_body *cairn_world_body(cairn_world *world, uint32_t robot);
// Motion from now - 4 ms to now. The first step is at time 0, or one tick after the snapshot that it was restored from.
void cairn_world_step(cairn_world *world, cairn_mono now);
void cairn_world_sense(cairn_world *world, uint32_t robot, cairn_mono now); // frames due at now
void cairn_world_truth(const cairn_world *world, uint32_t robot, cairn_robot_truth *ret_truth);
double cairn_world_charge(const cairn_world *world, uint32_t robot); // [-] 0..1 of its battery's, true; 1 without one
// Whether the base obeyed a motor target in the last step: there was one, sound and no older than its watchdog.
bool cairn_world_is_driven(const cairn_world *world, uint32_t robot);
cairn_collisions cairn_world_collisions(const cairn_world *world, uint32_t robot);
const cairn_collision_log *cairn_world_collision_log(const cairn_world *world);

// ---- what happens in it, between steps

// A door begins to swing open or shut (arena->doors); it waits while a robot or a block is in its way.
void cairn_world_set_door(cairn_world *world, uint32_t door, bool open);
// An aftershock: every loose block is pushed in a random direction by up to this speed.
void cairn_world_shake(cairn_world *world, double strength_mps);
cairn_pose3 cairn_world_mover(const cairn_world *world, uint32_t mover); // where one of arena->movers is: map_T_box
// From now on a sensor fails in this way, which must be sound and no later than late_ns_max; NULL: it works again. One
// that the robot does not have: nothing happens.
void cairn_world_fail(cairn_world *world, uint32_t robot, cairn_sensor sensor, const cairn_failure *failure);
bool cairn_world_fails(const cairn_world *world, uint32_t robot, cairn_sensor sensor, cairn_failure_way way);
// Somebody lifts a robot, carries it so far, sways a little as people do, and sets it down upright where the ground
// then is, after for_s. Nothing is in his way. While it is carried its wheels turn freely.
#define CAIRN_LIFT_M_MAX 2.0
typedef struct cairn_lift {
    double for_s;      // >= 1
    double height_m;   // > 0, at most CAIRN_LIFT_M_MAX
    cairn_vec2 move_m; // map axes
} cairn_lift;
bool cairn_lift_is_sound(const cairn_lift *lift);
void cairn_world_lift(cairn_world *world, uint32_t robot, const cairn_lift *lift);
bool cairn_world_is_held(const cairn_world *world, uint32_t robot); // in somebody's hands
// The emergency-stop button of a robot that has one goes in, or is let out.
void cairn_world_press(cairn_world *world, uint32_t robot, bool pressed);
bool cairn_world_is_pressed(const cairn_world *world, uint32_t robot);
// A robot's power is gone for ever: no sensors, brake on.
void cairn_world_kill(cairn_world *world, uint32_t robot);
bool cairn_world_is_dead(const cairn_world *world, uint32_t robot); // by kill or by a hazard
// What a robot's own software reads: always computed, whoever records. Nobody reads ranges and GPS but recorders.
#define CAIRN_WORLD_WANTED_AT_START                                                                                    \
    (1u << CAIRN_SENSOR_ENCODERS | 1u << CAIRN_SENSOR_IMU | 1u << CAIRN_SENSOR_BUMPER | 1u << CAIRN_SENSOR_BATTERY |   \
     1u << CAIRN_SENSOR_LASER | 1u << CAIRN_SENSOR_THERMAL | 1u << CAIRN_SENSOR_RANGE_IMAGE |                          \
     1u << CAIRN_SENSOR_MAGNETOMETER | 1u << CAIRN_SENSOR_BAROMETER)
// Only the sensors of this mask (bit by cairn_sensor) are computed from now on: what nobody reads costs nothing.
// Wanting one more changes nothing in what the others say.
void cairn_world_want(cairn_world *world, uint32_t robot, uint32_t sensors);
// Rays cast for a robot's sensors so far.
uint64_t cairn_world_ray_count(const cairn_world *world, uint32_t robot);

// The whole running world as plain bytes, between a tick's last sense and the next step: a world of the same def that
// is restored from them goes on with the same bytes of all frames. Motor targets are part of it unless the cells lie in
// memory of others, where they are still. The size is constant for the life of a world. restore: CAIRN_ERR_CORRUPT for
// what no world of this def can have been, with the world as it was; CAIRN_ERR_FULL without memory.
size_t cairn_world_snapshot_bytes(const cairn_world *world);
void cairn_world_snapshot(const cairn_world *world, void *ret_bytes);
CAIRN_CHECKED cairn_err cairn_world_restore(cairn_world *world, const void *bytes);
int64_t cairn_world_tick(const cairn_world *world); // of the last step; 0 before the first

// The last frames delivered to a robot's cells, for the recorder: borrowed until the next sense of that robot. NULL
// before the first, and for a sensor that it does not have.
typedef struct cairn_world_frames {
    const cairn_scan_frame *scan;
    const cairn_thermal_frame *thermal;
    const cairn_imu_frame *imu;
    const cairn_range_image_frame *range_image;
    const cairn_ranges_frame *ranges;
    const cairn_gps_frame *gps;
} cairn_world_frames;
cairn_world_frames cairn_world_last_frames(const cairn_world *world, uint32_t robot);
