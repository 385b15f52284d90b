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
#define CAIRN_RANGE_PIXELS_MAX (160 * 120)
#define CAIRN_RANGE_SENSORS_MAX 8

// What a body may be able to measure; also as a mask, bit by number.
typedef enum cairn_sensor {
    CAIRN_SENSOR_ENCODERS,
    CAIRN_SENSOR_IMU,
    CAIRN_SENSOR_BUMPER,
    CAIRN_SENSOR_BATTERY,
    CAIRN_SENSOR_LASER,
    CAIRN_SENSOR_THERMAL,
    CAIRN_SENSOR_RANGE_IMAGE,
    CAIRN_SENSOR_RANGES, // all infrared and sonar range sensors together
    CAIRN_SENSOR_GPS,
    CAIRN_SENSOR_MAGNETOMETER,
    CAIRN_SENSOR_BAROMETER,
    CAIRN_SENSOR_COUNT
} cairn_sensor;

extern const char *const cairn_sensor_names[CAIRN_SENSOR_COUNT + 1]; // "encoders", ...; ended by NULL

typedef struct cairn_encoder_frame {
    cairn_mono taken;
    uint32_t wheel_count;
    // Since power-up: front left, front right, rear left, rear right. Where only the rear pair has encoders, the front
    // ones repeat it.
    int64_t ticks[CAIRN_WHEELS_MAX];
} cairn_encoder_frame;

typedef struct cairn_imu_frame {
    cairn_mono taken;
    cairn_vec3 turn_radps; // base axes, bias included
    cairn_vec3 accel_mps2; // base axes, specific force: (0, 0, +9.81) when level and at rest
} cairn_imu_frame;

// One sweep of a planar laser. Beam i points at angle_rad_first + i * angle_rad_step about the laser's z and
// was taken at taken + i * beam_ns_step: the robot moves meanwhile. The plane of a laser that nods is pitched about the
// laser's y, from one nod angle to the other in the course of the sweep; both are 0 for one that does not.
typedef struct cairn_scan_frame {
    cairn_mono taken; // first beam
    uint32_t beam_count;
    float angle_rad_first, angle_rad_step;
    float beam_ns_step;
    float range_m_min, range_m_max;
    float nod_rad_first, nod_rad_last;   // at the first and at the last beam; positive looks down
    float range_m[CAIRN_SCAN_BEAMS_MAX]; // REP-117: +inf nothing within range_m_max, NaN drop-out
} cairn_scan_frame;

// A thermal picture, row by row from the top left, camera looking along its x axis.
typedef struct cairn_thermal_frame {
    cairn_mono taken;
    uint32_t width_px, height_px;
    float pan_rad, tilt_rad; // of a camera that turns on its mount: left and down positive; 0 for one that does not
    uint16_t centikelvin[CAIRN_THERMAL_PIXELS_MAX]; // absolute temperature; 0 not known
} cairn_thermal_frame;

typedef struct cairn_bump_frame {
    cairn_mono taken;
    bool front, rear, left, right;
} cairn_bump_frame;

// The emergency-stop button on the robot.
typedef struct cairn_button_frame {
    cairn_mono taken;
    bool pressed; // it is in: it stays so until somebody lets it out
} cairn_button_frame;

typedef struct cairn_battery_frame {
    cairn_mono taken;
    float voltage_v, current_a;
    float charge; // [-] 0..1; NaN not known
} cairn_battery_frame;

// A picture of distances, row by row from the top left, camera looking along its x axis.
typedef struct cairn_range_image_frame {
    cairn_mono taken;
    uint32_t width_px, height_px;
    uint16_t millimetres[CAIRN_RANGE_PIXELS_MAX]; // along the camera's x, as ROS has it in depth images; 0 not known
} cairn_range_image_frame;

// The newest reading of each infrared and sonar sensor, in the order of the description.
typedef struct cairn_range_reading {
    cairn_mono taken;
    float range_m; // REP-117: +inf nothing within range_m_max; NaN nearer than range_m_min, or no reading yet
} cairn_range_reading;

typedef struct cairn_ranges_frame {
    uint32_t sensor_count;
    cairn_range_reading readings[CAIRN_RANGE_SENSORS_MAX];
} cairn_ranges_frame;

typedef struct cairn_gps_frame {
    cairn_mono taken;
    uint32_t satellite_count; // received
    bool fix;                 // a place was found
    cairn_vec3 at_m;          // of the antenna, in the map's axes: east, north, up from its origin; NaN without a fix
    float claimed_m;          // deviation that the receiver believes it has, along the ground; NaN without a fix
} cairn_gps_frame;

// The magnetic field where the sensor sits: the Earth's, and that of whatever steel is near.
typedef struct cairn_magnetometer_frame {
    cairn_mono taken;
    cairn_vec3 field_ut; // microtesla, base axes
} cairn_magnetometer_frame;

typedef struct cairn_barometer_frame {
    cairn_mono taken;
    double pressure_pa;
} cairn_barometer_frame;

// Where the camera on a pan-tilt head is to look. The last one holds; before the first it looks straight ahead.
typedef struct cairn_pan_tilt_target {
    cairn_mono issued;
    double pan_rad, tilt_rad; // left and down positive; beyond the head's limits: the limit
} cairn_pan_tilt_target;

typedef enum cairn_drive_command {
    CAIRN_DRIVE_TORQUE,  // wheel torques, for bodies whose motors take torque
    CAIRN_DRIVE_VELOCITY // base velocity, for bodies that close the wheel loop themselves
} cairn_drive_command;

// What the wheels are told; a belt obeys the sum of its side's two torques. A body stops by itself when this is older
// than its watchdog.
typedef struct cairn_motor_target {
    cairn_mono issued;
    cairn_drive_command command;
    double torque_nm[CAIRN_WHEELS_MAX]; // each wheel, positive drives forward
    double forward_mps, turn_radps;     // for CAIRN_DRIVE_VELOCITY
    double flipper_rad;                 // angle of both flippers (description.h); NaN: stay where they are
} cairn_motor_target;
