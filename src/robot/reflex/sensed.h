// sensed.h - the newest frames of the sensors that reflex reads, checked for range and age.
//
// A frame that is older than CAIRN_SENSOR_AGE_NS_MAX, from the future (beyond CAIRN_CLOCK_SLACK_NS), not finite or
// implausible is as good as none: its reading is not fresh. So is a frame of an IMU with noise that says the same as
// the one before to the last bit, or whose gyro or accelerometer alone has done so for CAIRN_SAME_FRAMES: it has
// frozen.
#pragma once
#include "body/body.h"

#define CAIRN_SENSOR_AGE_NS_MAX CAIRN_MS(100)
#define CAIRN_CHARGE_AGE_NS_MAX CAIRN_S(10) // of the battery: gauges are slow
#define CAIRN_SAME_FRAMES 25       // a coarse sensor may repeat itself for a while, not in three axes for so long
#define CAIRN_ENCODER_WINDOW_MAX 4 // frames over which a wheel's speed is taken

// The state of one sensor in this step.
typedef struct cairn_reading {
    bool offered; // the body has it
    bool fresh;   // its last good frame is young enough to act on
    bool is_new;  // a good frame came since the step before
    bool heard;   // a good frame came at some time
    uint64_t version;
    cairn_mono taken; // of the last good frame
    double step_s;    // between the last two good frames; 0 unless is_new
} cairn_reading;

typedef struct cairn_sensed {
    cairn_reading encoders, imu, bump, button;
    int64_t ticks[CAIRN_WHEELS_MAX];         // of the encoders' last frame
    double wheel_rad[CAIRN_WHEELS_MAX];      // turned; goes on where it was when the counters jump
    double wheel_step_rad[CAIRN_WHEELS_MAX]; // turned between the last two frames; 0 unless encoders.is_new
    double wheel_radps[CAIRN_WHEELS_MAX];
    cairn_vec3 turn_radps; // base axes, bias included
    cairn_vec3 accel_mps2; // base axes, specific force
    bool bump_front, bump_rear, bump_left, bump_right;
    cairn_reading battery;
    double charge;       // [-] 0..1 of the battery; NaN not known
    bool button_pressed; // the emergency-stop button is in, or nobody hears of it
    cairn_mono began;    // the first step

    bool gyro_has_noise, accel_has_noise;       // by the description
    uint32_t gyro_same_count, accel_same_count; // frames in which each has said the same again

    // How ticks become speeds.
    double rad_per_tick;
    double offset_rad[CAIRN_WHEELS_MAX]; // from the counters' angle to wheel_rad: changes when they jump
    double wheel_radps_max;              // a frame that says more than this is implausible
    double rough_rad_per_sqrt_s;         // and more than this beside
    uint32_t window_frames;              // 1..CAIRN_ENCODER_WINDOW_MAX: longer where ticks are coarse
    uint32_t history_count;
    struct {
        cairn_mono taken;
        double wheel_rad[CAIRN_WHEELS_MAX];
    } history[CAIRN_ENCODER_WINDOW_MAX + 1]; // newest first
} cairn_sensed;

void cairn_sensed_init(cairn_sensed *sensed, const cairn_body_description *description);
// Time leapt: nothing that was heard before can be compared with what comes.
void cairn_sensed_forget(cairn_sensed *sensed);
void cairn_sensed_step(cairn_sensed *sensed, const cairn_body *body, cairn_mono now);

// Age of the speeds in wheel_radps when a frame has just come, from its window, and the period between frames: what
// the wheel loop's gains must allow for.
double cairn_sensed_speed_delay_s(const cairn_sensed *sensed, const cairn_body_description *description);
