// world_private.h - a world's insides, for the files world*.c.
#pragma once
#include "sim/scene.h"
#include "sim/world.h"

typedef struct cairn_sensor_times {
    bool offered;
    int64_t rate_mhz; // thousandths of a hertz
    int64_t lag_ns;   // from the moment of taking to arrival
    int64_t index;    // of the next measurement
    bool measured;    // at least once
} cairn_sensor_times;

// Who carries a robot; plain bytes without gaps.
typedef struct cairn_world_hands {
    int64_t from_tick, ticks; // 0 ticks: nobody
    cairn_pose3 map_T_base;   // where it was taken up
    cairn_lift lift;
    double end_z_m; // of its base when it is set down
} cairn_world_hands;

typedef struct cairn_world_robot {
    cairn_body body;
    cairn_robot_truth *past; // by tick, a ring
    bool driven;             // by the last step's target, and not held by the brake
    double brake_rad[CAIRN_WHEELS_MAX];
    double torque_nm[CAIRN_WHEELS_MAX]; // that the motors were last given

    bool dead;        // its power is gone
    uint32_t pressed; // its stop button is in: 0 or 1
    cairn_world_hands hands;
    uint32_t wanted; // mask of sensors that are computed
    cairn_failing failing[CAIRN_SENSOR_COUNT];
    cairn_sensor_times times[CAIRN_SENSOR_COUNT]; // but for the range sensors, which have one each
    cairn_sensor_times range_times[CAIRN_RANGE_SENSORS_MAX];
    cairn_encoders_state encoders;
    cairn_imu_state imu;
    cairn_vec3 imu_turn_radps; // true, at the last measurement
    cairn_battery_state battery;
    cairn_random laser_random, thermal_random, range_image_random, range_randoms[CAIRN_RANGE_SENSORS_MAX];
    cairn_gps_state gps;
    cairn_magnetometer_state magnetometer;
    cairn_barometer_state barometer;
    int64_t laser_duration_ns;
    cairn_vec2 *gaze; // pan and tilt of its camera's head by tick, a ring
    // The last frames, as they were delivered.
    cairn_encoder_frame encoder_frame;
    cairn_imu_frame imu_frame;
    cairn_bump_frame bump_frame;
    cairn_battery_frame battery_frame;
    cairn_scan_frame *scan;
    cairn_thermal_frame *thermal;
    cairn_range_image_frame *range_image;
    cairn_ranges_frame ranges;
    cairn_gps_frame gps_frame;
    cairn_magnetometer_frame magnetometer_frame;
    cairn_barometer_frame barometer_frame;
    float *celsius, *depth_m;
    int64_t depth_ns;   // when what is in depth_m was seen; -1 nothing is
    uint64_t ray_count; // cast for it so far
} cairn_world_robot;

struct cairn_world {
    cairn_arena memory;
    const cairn_sim_arena *place;
    uint32_t robot_count;
    bool owns_cells;     // they are not in memory that others write, too
    int64_t tick;        // of the last step
    uint32_t past_ticks; // length of the rings
    int64_t late_ns_max; // they reach back so much further than sensors that work need
    const cairn_physics_kind *physics_kind;
    cairn_physics *physics;
    const cairn_rays_kind *rays_kind;
    cairn_rays *rays;
    cairn_scene *scene;
    cairn_pose3 *mover_poses; // for the rays
    cairn_world_robot *robots;
};

// ---- times (world_senses.c)

// When the measurement of a number is taken: index / rate in whole nanoseconds, without overflow.
int64_t cairn_sensor_taken_ns(const cairn_sensor_times *times, int64_t index);

// ---- motion (world_motors.c)

// What a robot was like at the end of a tick that is still kept.
const cairn_robot_truth *cairn_world_past(const cairn_world *world, const cairn_world_robot *robot, int64_t tick);
// Keeps the present as the past of the present tick.
void cairn_world_remember(cairn_world *world);
// Everything that moves, by a tick, to now.
void cairn_world_move(cairn_world *world, cairn_mono now);

// ---- hands (world_lift.c)

// Before a step: whoever is carried is held where he is then.
void cairn_world_carry(cairn_world *world);
bool cairn_world_hands_are_sound(const cairn_world_hands *hands, int64_t tick); // what snapshots may hold

// ---- senses (world_senses.c)

// A sensor's last frame, and the cells that it is delivered to, the second of which may be NULL; all are NULL if the
// robot does not have it.
typedef struct cairn_world_frame {
    void *frame;
    size_t size_bytes;
    cairn_cell *cells[3];
} cairn_world_frame;
cairn_world_frame cairn_world_frame_of(cairn_world_robot *robot, cairn_sensor sensor);

// Puts robots and movers where the rays of the measurements that are due now shall find them.
void cairn_world_show(cairn_world *world, cairn_mono now);
