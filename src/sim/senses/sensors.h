// sensors.h - what makes a measurement out of the truth: noise, bias, drop-outs and steps of real sensors.
//
// Used with both physics. Each model draws from its own stream and draws the same number of words whatever the
// values, so that one sensor's luck never depends on another's or on where a robot is.
// Threads  One owner for each state.
#pragma once
#include "base/random.h"
#include "body/description.h"

// Three independent gaussian values.
cairn_vec3 cairn_sensor_draw3(cairn_random *random, double deviation);

// ---- laser

// True ranges in, measured ones out: gaussian noise, whole millimetres, NaN for drop-outs and for what is nearer
// than range_m_min, +inf beyond range_m_max. beam_count <= CAIRN_SCAN_BEAMS_MAX; range_m has room for
// CAIRN_SCAN_BEAMS_MAX, and what lies beyond beam_count is undefined.
void cairn_sensor_scan(const cairn_laser_description *laser, cairn_random *random, uint32_t beam_count, float *range_m);

// ---- inertial unit

typedef struct cairn_imu_state {
    cairn_random random;
    cairn_vec3 turn_bias_radps; // constant part drawn at init, then a random walk
} cairn_imu_state;

void cairn_imu_init(cairn_imu_state *state, const cairn_imu_description *imu, uint64_t seed, const char *stream);

typedef struct cairn_imu_truth {
    cairn_vec3 turn_radps, turn_accel_radps2; // base axes
    cairn_vec3 accel_mps2;                    // specific force at the base's origin, base axes
} cairn_imu_truth;

// One measurement elapsed_s after the last. The unit feels the turning of its place about the base's origin.
// Fills all of the frame but its time.
void cairn_imu_measure(cairn_imu_state *state, const cairn_imu_description *imu, const cairn_imu_truth *truth,
                       double elapsed_s, cairn_imu_frame *ret_frame);

// ---- encoders

typedef struct cairn_encoders_state {
    cairn_random random;
    double wheel_rad[CAIRN_WHEELS_MAX]; // at the last measurement
    double error_m[CAIRN_WHEELS_MAX];   // of each wheel's path: a random walk over distance
} cairn_encoders_state;

void cairn_encoders_init(cairn_encoders_state *state, uint64_t seed, const char *stream);
// Whole ticks from wheel angles. Over one metre a wheel's path errs by a deviation of slip_noise metres; over d
// metres by sqrt(d) times that. Fills all of the frame but its time.
void cairn_encoders_measure(cairn_encoders_state *state, const cairn_body_description *robot,
                            const double wheel_rad[CAIRN_WHEELS_MAX], cairn_encoder_frame *ret_frame);

// ---- thermal camera

// True temperatures to noisy hundredths of a kelvin; both arrays have room for CAIRN_THERMAL_PIXELS_MAX.
void cairn_sensor_thermal(const cairn_thermal_description *thermal, cairn_random *random, const float *celsius,
                          uint32_t pixel_count, uint16_t *ret_centikelvin);

// ---- battery

typedef struct cairn_battery_state {
    double used_j;
    double power_w; // drawn now
} cairn_battery_state;

// Power at the wheels (positive parts only: no energy comes back) over the drive's efficiency, and idle power.
void cairn_battery_drain(cairn_battery_state *state, const cairn_battery_description *battery, double wheel_power_w,
                         double elapsed_s);
// Fills all of the frame but its time. Voltage falls in line with charge, steeply over the last tenth.
void cairn_battery_measure(const cairn_battery_state *state, const cairn_battery_description *battery,
                           cairn_battery_frame *ret_frame);
