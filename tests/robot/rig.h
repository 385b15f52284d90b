// rig.h - a small robot on a bench for the tests of this room: wheels, a slope, an IMU, and a clock.
//
// A second, plain model of what a body does; it shares no code with the simulator.
#pragma once
#include "body/body.h"
#include "link/link.h"
#include "robot/reflex/reflex.h"

// What a wheel's counter may do instead of counting.
typedef enum rig_count {
    COUNT_TRUE,
    COUNT_FROZEN,    // the same number again and again
    COUNT_TREMBLING, // the same to a tick
    COUNT_ONE_WAY,   // up only
    COUNT_HALF,      // every second tick
    COUNT_THIRD,     // every third
    COUNT_JUMPING,   // by a turn, now and then
} rig_count;

typedef struct rig {
    cairn_body_description description;
    cairn_body body;
    cairn_arena arena;
    cairn_reflex_memory memory; // of the cells, as two processes share it
    cairn_reflex_cells cells;   // the bench's ends
    cairn_arena reflex_arena;
    cairn_reflex *reflex;
    cairn_mono now;
    bool command_every_period; // keep `command` fresh by itself
    cairn_motion_command command;

    // the world
    double slope_rad;      // nose up positive
    double roll_rad;       // left side up positive
    bool lifted;           // its wheels touch nothing
    bool base_brakes;      // the base brakes by itself when its target is older than its watchdog
    double friction_nm;    // of each wheel, against its turning
    double inertia_factor; // [-] true inertia over that of the description
    double wheel_rad[CAIRN_WHEELS_MAX], wheel_radps[CAIRN_WHEELS_MAX];
    double turn_bias_radps;      // of the gyro about z
    cairn_vec2 level_bias_radps; // and about x and y
    cairn_vec3 accel_extra_mps2; // added to the accelerometer
    cairn_pose2 truth;
    bool encoders_silent, imu_silent, bump_silent;
    rig_count counts[CAIRN_WHEELS_MAX];
    int64_t ticks[CAIRN_WHEELS_MAX];      // as the counters said last
    int64_t true_ticks[CAIRN_WHEELS_MAX]; // as they should have
    int64_t encoders_late_ns;
    bool blocked[CAIRN_WHEELS_MAX]; // something holds the wheel
    uint64_t frame_count;           // of the encoders
    bool gyro_frozen, accel_frozen; // that half of it alone
    bool imu_frozen;                // it says again what it said last, each time as if it were new
    int64_t imu_late_ns;
    cairn_imu_frame imu; // the last
    uint64_t imu_count;
    cairn_bump_frame bump;
    bool laser_silent;
    double wall_m;                      // ahead of the base's origin at the start, across the way; 0: nothing is around
    bool button_pressed, button_silent; // of bodies that have one
    cairn_motor_target target;          // the last that was written
    cairn_reflex_state state;
} rig;

cairn_body_description rig_description(void); // about the size of the real thing
void rig_init(rig *bench, const cairn_body_description *description);
void rig_finish(rig *bench);
void rig_restart(rig *bench);              // another reflex over the same memory
void rig_wait(rig *bench, double seconds); // without any reflex: the motors give no torque, sensors speak
// One period of 8 ms: the world moves, sensors speak, the reflex steps.
void rig_step(rig *bench);
void rig_run(rig *bench, double seconds);
void rig_command(rig *bench, double forward_mps, double turn_radps); // fresh now and from now on
void rig_stop(rig *bench, bool stop, uint32_t release_count);
bool rig_guarded(const rig *bench, cairn_guard guard);
double rig_fastest_wheel_radps(const rig *bench);
// One end of a robot's link; both ends of one seed understand each other.
cairn_link_def rig_link_def(cairn_link_role role, uint8_t robot, uint64_t seed);
