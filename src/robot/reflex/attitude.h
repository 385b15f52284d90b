// attitude.h - roll and pitch from gyro and accelerometer: a complementary filter on the direction of up.
//
// Short motions come from the gyro, the mean over seconds from the accelerometer, cleared of the acceleration that
// the wheels are told to make (what they measure is too noisy for that). What gravity keeps correcting is the gyro's
// drift, which is learnt on the way: so the accelerometer's say can be small, and going over a ridge, whose jolts it
// takes for leaning, moves the estimate by a degree at most. After a silence of the IMU nothing is known until
// it has felt gravity again, nor where the accelerometer has said for 2 s what cannot be gravity, by its length now or
// in the mean; and where gravity, of the right length, says something quite different for a second, it is right.
#pragma once
#include "robot/reflex/sensed.h"

typedef struct cairn_attitude {
    bool known;
    cairn_vec3 up;               // unit, base axes
    cairn_vec2 bias_radps_error; // of the bias about x and y, as told: learnt in the last step, to be added to it
    double forward_mps;          // of the step before, for the acceleration
    bool felt;                   // the accelerometer has been heard
    double off_mps2;             // how much longer than gravity it is in the mean
    double odd_s;                // for how long gravity has said something quite different
    bool foul;                   // the accelerometer says what cannot be gravity, and has said so for long
    double loud_s;               // for how long it has, less the time in which it said something else
    double sound_s;              // for how long it has said what may be gravity
    double settled_s;            // how long the accelerometer has been averaged, up to the filter's time constant
} cairn_attitude;

void cairn_attitude_init(cairn_attitude *attitude);

// What the robot's own motion adds to the accelerometer, and the gyro's bias.
typedef struct cairn_attitude_motion {
    double forward_mps; // as told to the wheels
    double accel_mps2_max;
    cairn_vec3 turn_bias_radps;
} cairn_attitude_motion;
void cairn_attitude_step(cairn_attitude *attitude, const cairn_sensed *sensed, const cairn_attitude_motion *motion);

double cairn_attitude_roll_rad(const cairn_attitude *attitude);  // right side down positive; NaN not known
double cairn_attitude_pitch_rad(const cairn_attitude *attitude); // nose down positive; NaN not known
double cairn_attitude_tilt_rad(const cairn_attitude *attitude);  // from level, 0..pi; NaN not known
// [-] The part of its weight that pulls it backwards along its wheels: sine of the slope that it stands on, nose up
// positive. NaN where it stands on no slope that it may stand on: tilted beyond the limit, on its side or back, or
// nobody knows how.
double cairn_attitude_slope(const cairn_attitude *attitude, double tilt_rad_max);
