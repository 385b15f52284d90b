// description.h - what a robot is: dimensions, wheels, sensors and where they sit, limits.
//
// Read from one YAML file (robots/*.yaml, description_io.h) by the simulator, the robot program and the
// page alike. A sensor that a robot does not have is `offered == false`; nothing fakes it.
#pragma once
#include "body/frames.h"
#include "geometry/pose3.h"

#define CAIRN_URDF_PATH_BYTES 256
#define CAIRN_URDF_NAME_BYTES 64 // of a joint

// A robot on tracks has them too: the rollers at the ends of its belts, front and rear of a side turning together, each
// with half of the side's torque and inertia. Whoever treats a robot as one with wheels need not know.
typedef struct cairn_wheels_description {
    double radius_m, width_m;
    double track_m;            // distance between left and right wheel middles
    double wheelbase_m;        // distance between front and rear axles
    double torque_nm_max;      // of one wheel
    double speed_radps_max;    // of one wheel
    double turn_efficiency;    // [-] true yaw rate over the kinematic one when skidding, 0..1
    double rotor_inertia_kgm2; // of one wheel with its motor
} cairn_wheels_description;

// Belts instead of wheels, one to each side: flat below and above, round at both ends. Their measures are those of
// `wheels`: radius with the belt, wheelbase from end to end, twice the torque and inertia.
typedef struct cairn_tracks_description {
    bool offered;
} cairn_tracks_description;

// A pair of short belts in front, beside the tracks and driven with them, that turn about an axle across the robot.
typedef struct cairn_flippers_description {
    bool offered;
    cairn_vec2 pivot_m;     // of the axle, in base: forward, up
    double track_m;         // between the middles of the left and the right one
    double length_m;        // from the pivot to the middle of the tip's round
    double radius_m;        // of the belt's rounds
    double width_m;         // of the belt
    double mass_kg;         // of one; part of the robot's
    double torque_nm_max;   // of one
    double speed_radps_max; // of the pivot
    // Angle of the pivot: 0 level ahead, positive with the tip up, pi folded back. At power-up it is the start's.
    double angle_rad_min, angle_rad_max, angle_rad_start;
} cairn_flippers_description;

// A body from a URDF file, for the mujoco physics; everything else uses the measures of this description.
typedef struct cairn_urdf_description {
    bool offered;
    char path[CAIRN_URDF_PATH_BYTES]; // as it can be opened
    char wheel_joints[CAIRN_WHEELS_MAX][CAIRN_URDF_NAME_BYTES];
    cairn_vec3 root_m; // where the origin of its root link is, in base; axes alike
} cairn_urdf_description;

typedef struct cairn_encoder_description {
    bool offered;
    bool rear_only; // the front wheels have none, and hang on the rear of their side by a chain: what is said of them
                    // repeats the rear's
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

// The laser's plane is pitched about the laser's y by a sine over time: lowest speed at the ends, where it turns back.
typedef struct cairn_nod_description {
    bool offered;
    double from_rad, to_rad; // positive looks down; it starts in the middle, on its way to `to`
    double period_s;         // to and fro
} cairn_nod_description;

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
    cairn_nod_description nod;
} cairn_laser_description;

// A head that turns the thermal camera about its mount: first by pan about z, then by tilt about y.
typedef struct cairn_pan_tilt_description {
    bool offered;
    double pan_rad_max, tilt_rad_max; // to either side of straight ahead
    double speed_radps;               // of each axis
} cairn_pan_tilt_description;

typedef struct cairn_thermal_description {
    bool offered;
    cairn_pose3 base_T_camera; // camera looks along its x, y left, z up
    uint32_t width_px, height_px;
    double field_rad; // horizontal; square pixels
    double rate_hz;
    double noise_k;
    double delay_s;
    cairn_pan_tilt_description pan_tilt;
} cairn_thermal_description;

typedef struct cairn_range_imager_description {
    bool offered;
    cairn_pose3 base_T_camera; // camera looks along its x, y left, z up
    uint32_t width_px, height_px;
    double field_rad; // horizontal; square pixels
    double rate_hz;
    double range_m_min, range_m_max; // along the camera's x
    double noise_m, noise_m_per_m;   // deviation of a range: the first, and so much more for each metre of it
    double dropout;                  // [-] part of the pixels that are not known
    double delay_s;
} cairn_range_imager_description;

typedef enum cairn_range_kind {
    CAIRN_RANGE_INFRARED, // one ray along the sensor's x
    CAIRN_RANGE_SONAR     // the nearest echo within a cone about its x
} cairn_range_kind;

typedef struct cairn_range_sensor_description {
    char name[32];
    cairn_range_kind kind;
    cairn_pose3 base_T_sensor; // looks along its x
    double field_rad;          // of a sonar's cone, from side to side
    double range_m_min, range_m_max;
    double noise_m;
    double rate_hz;
    double delay_s;
} cairn_range_sensor_description;

typedef struct cairn_gps_description {
    bool offered;
    cairn_pose3 base_T_antenna;
    double rate_hz;
    double noise_m;     // deviation of a wandering error, along each axis of the ground, under an open sky
    double multipath_m; // deviation of what walls add to it, were they to hide the whole sky
    double claimed_m;   // what the receiver says its deviation is, whatever the truth
    double delay_s;
} cairn_gps_description;

// For a heading. Indoors it lies: robot/place/compass.h says when it is believed.
typedef struct cairn_magnetometer_description {
    bool offered;
    cairn_pose3 base_T_sensor;
    double rate_hz;
    double noise_ut; // deviation of a reading, along each axis
    double bias_ut;  // deviation of what the robot's own steel adds, after calibration; turns with the robot
    double field_ut; // strength of the Earth's field where the robot works
    double dip_rad;  // and how steeply it points down: positive in the north
    double delay_s;
} cairn_magnetometer_description;

// For heights: robot/place/storey.h.
typedef struct cairn_barometer_description {
    bool offered;
    double rate_hz;
    double noise_pa;                // deviation of a reading
    double weather_pa_per_sqrt_min; // how fast the pressure wanders, whatever the robot does
    double storey_m;                // from floor to floor where the robot works
    double delay_s;
} cairn_barometer_description;

typedef struct cairn_battery_description {
    bool offered;
    double capacity_wh, voltage_v_full, voltage_v_empty, idle_w;
    double low, critical; // [-] 0..1 of the charge: a robot that searches by itself comes home; it stands
} cairn_battery_description;

// A robot whose motors take torque, and whose wheels nobody counts, must be slow: its speed is known late.
#define CAIRN_UNSEEN_MPS_MAX 0.3

typedef struct cairn_body_limits {
    double speed_mps_max, turn_radps_max;
    double accel_mps2_max, turn_accel_radps2_max;
    double tilt_rad_max;       // beyond this the tilt guard stops the wheels
    double climb_rad_max;      // steepest ramp it is meant for
    double step_m_max;         // highest kerb that it is meant to drive up, square on
    double gap_m_max;          // widest gap that it is meant to drive across, square on
    double drop_m_max;         // deepest step down over which no wheel may come
    bool accept_unseen_ground; // it may drive although nothing on it sees the ground: it may fall
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
    bool stop_button_offered; // an emergency-stop button that its software hears of
    cairn_wheels_description wheels;
    cairn_tracks_description tracks;
    cairn_flippers_description flippers;
    cairn_urdf_description urdf;
    cairn_encoder_description encoders;
    cairn_imu_description imu;
    cairn_laser_description laser;
    cairn_thermal_description thermal;
    cairn_range_imager_description range_imager;
    uint32_t range_sensor_count;
    cairn_range_sensor_description range_sensors[CAIRN_RANGE_SENSORS_MAX];
    cairn_gps_description gps;
    cairn_magnetometer_description magnetometer;
    cairn_barometer_description barometer;
    cairn_battery_description battery;
    cairn_body_limits limits;
} cairn_body_description;

// Whether something on it shows the ground ahead: a laser that nods or a range imager, with an IMU to level it.
bool cairn_body_sees_ground(const cairn_body_description *description);
