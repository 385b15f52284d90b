// frames.h - what a body's sensors say and what its motors are told: one struct for each cell.
//
// Every frame carries the time at which it was taken, by the body's clock (cairn_mono). Frame "base": x
// forward, y left, z up, origin on the ground below the middle of the wheels. "Not known" is stated at
// each field. Plain data without pointers, so that a frame may lie in a shared page.
#pragma once
#include "base/clock.h"
#include "geometry/vec.h"

#define CAIRN_WHEELS_MAX 4
#define CAIRN_SCAN_BEAMS_MAX 1440
#define CAIRN_THERMAL_PIXELS_MAX (160 * 120)

// What a body may be able to measure; also as a mask, bit by number.
typedef enum cairn_sensor {
    CAIRN_SENSOR_ENCODERS,
    CAIRN_SENSOR_IMU,
    CAIRN_SENSOR_BUMPER,
    CAIRN_SENSOR_BATTERY,
    CAIRN_SENSOR_LASER,
    CAIRN_SENSOR_THERMAL,
    CAIRN_SENSOR_COUNT
} cairn_sensor;

extern const char *const cairn_sensor_names[CAIRN_SENSOR_COUNT + 1]; // "encoders", ...; ended by NULL

typedef struct cairn_encoder_frame {
    cairn_mono taken;
    uint32_t wheel_count;
    int64_t ticks[CAIRN_WHEELS_MAX]; // since power-up: front left, front right, rear left, rear right
} cairn_encoder_frame;

typedef struct cairn_imu_frame {
    cairn_mono taken;
    cairn_vec3 turn_radps; // base axes, bias included
    cairn_vec3 accel_mps2; // base axes, specific force: (0, 0, +9.81) when level and at rest
} cairn_imu_frame;

// One sweep of a planar laser. Beam i points at angle_rad_first + i * angle_rad_step about the laser's z and
// was taken at taken + i * beam_ns_step: the robot moves meanwhile.
typedef struct cairn_scan_frame {
    cairn_mono taken; // first beam
    uint32_t beam_count;
    float angle_rad_first, angle_rad_step;
    float beam_ns_step;
    float range_m_min, range_m_max;
    float range_m[CAIRN_SCAN_BEAMS_MAX]; // REP-117: +inf nothing within range_m_max, NaN drop-out
} cairn_scan_frame;

// A thermal picture, row by row from the top left, camera looking along its x axis.
typedef struct cairn_thermal_frame {
    cairn_mono taken;
    uint32_t width_px, height_px;
    uint16_t centikelvin[CAIRN_THERMAL_PIXELS_MAX]; // absolute temperature; 0 not known
} cairn_thermal_frame;

typedef struct cairn_bump_frame {
    cairn_mono taken;
    bool front, rear, left, right;
} cairn_bump_frame;

typedef struct cairn_battery_frame {
    cairn_mono taken;
    float voltage_v, current_a;
    float charge; // [-] 0..1; NaN not known
} cairn_battery_frame;

typedef enum cairn_drive_command {
    CAIRN_DRIVE_TORQUE,  // wheel torques, for bodies whose motors take torque
    CAIRN_DRIVE_VELOCITY // base velocity, for bodies that close the wheel loop themselves
} cairn_drive_command;

// What the wheels are told. A body stops by itself when this is older than its watchdog.
typedef struct cairn_motor_target {
    cairn_mono issued;
    cairn_drive_command command;
    double torque_nm[CAIRN_WHEELS_MAX]; // each wheel, positive drives forward
    double forward_mps, turn_radps;     // for CAIRN_DRIVE_VELOCITY
} cairn_motor_target;
