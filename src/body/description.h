// description.h - what a robot is: dimensions, wheels, sensors and where they sit, limits.
//
// Read from one YAML file (robots/*.yaml, description_io.h) by the simulator, the robot program and the
// page alike. A sensor that a robot does not have is `offered == false`; nothing fakes it.
#pragma once
#include "body/frames.h"
#include "geometry/pose3.h"

typedef struct cairn_wheels_description {
    double radius_m, width_m;
    double track_m;            // distance between left and right wheel middles
    double wheelbase_m;        // distance between front and rear axles
    double torque_nm_max;      // of one wheel
    double speed_radps_max;    // of one wheel
    double turn_efficiency;    // [-] true yaw rate over the kinematic one when skidding, 0..1
    double rotor_inertia_kgm2; // of one wheel with its motor
} cairn_wheels_description;

typedef struct cairn_encoder_description {
    bool offered;
    double ticks_per_turn;
    double rate_hz;
    double slip_noise; // [-] deviation of the slip of a wheel over one metre
} cairn_encoder_description;

typedef struct cairn_imu_description {
    bool offered;
    cairn_pose3 base_T_imu;
    double rate_hz;
    double turn_noise_radps, turn_bias_radps, turn_bias_walk_radps_per_sqrt_s; // deviations
    double accel_noise_mps2;
} cairn_imu_description;

typedef struct cairn_laser_description {
    bool offered;
    cairn_pose3 base_T_laser;
    uint32_t beam_count;
    double field_rad; // from the first beam to the last
    double rate_hz;
    double range_m_min, range_m_max;
    double noise_m;  // deviation of a range
    double dropout;  // [-] part of the beams that return nothing
    double spin_rad; // angle that the mirror turns in one period (2 pi): sets the time between beams
    double delay_s;  // from the last beam to arrival
} cairn_laser_description;

typedef struct cairn_thermal_description {
    bool offered;
    cairn_pose3 base_T_camera; // camera looks along its x, y left, z up
    uint32_t width_px, height_px;
    double field_rad; // horizontal; square pixels
    double rate_hz;
    double noise_k;
    double delay_s;
} cairn_thermal_description;

typedef struct cairn_battery_description {
    bool offered;
    double capacity_wh, voltage_v_full, voltage_v_empty, idle_w;
} cairn_battery_description;

typedef struct cairn_body_limits {
    double speed_mps_max, turn_radps_max;
    double accel_mps2_max, turn_accel_radps2_max;
    double tilt_rad_max;  // beyond this the tilt guard stops the wheels
    double climb_rad_max; // steepest ramp it is meant for
    double step_m_max;    // highest kerb that it is meant to drive up, square on
    double gap_m_max;     // widest gap that it is meant to drive across, square on
} cairn_body_limits;

typedef struct cairn_body_description {
    char name[32];                      // "emu"
    double length_m, width_m, height_m; // outer box, wheels included
    double clearance_m;                 // below the hull
    double mass_kg;
    cairn_vec3 mass_centre_m;              // in base
    cairn_vec3 head_centre_m, head_size_m; // the box that carries the sensors, in base; size 0: none
    cairn_drive_command drive;
    int64_t watchdog_ns; // the base stops by itself when its target is older than this
    double cpu_factor;   // [-] scales the declared costs of deliberate steps; 1: the reference computer
    bool bumper_offered;
    cairn_wheels_description wheels;
    cairn_encoder_description encoders;
    cairn_imu_description imu;
    cairn_laser_description laser;
    cairn_thermal_description thermal;
    cairn_battery_description battery;
    cairn_body_limits limits;
} cairn_body_description;
