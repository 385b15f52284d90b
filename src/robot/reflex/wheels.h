// wheels.h - wheel speeds under control: a motion of the base becomes a torque for each wheel.
//
// Each wheel has its own loop: proportional and integral on its speed, with the torque for inertia and
// friction fed forward; standing still, it holds its angle, so that a robot parked on a ramp stays. What turns while it
// is told to stand is braked, never driven. All gains come from the body's description (docs/control.md derives them).
// Wheels   front left, front right, rear left, rear right.
#pragma once
#include "robot/reflex/guards.h"
#include "robot/reflex/motion.h"
#include "robot/reflex/sensed.h"

typedef struct cairn_wheels {
    double radius_m;
    double half_track_m;                   // over the turn's efficiency
    double speed_radps_max, torque_nm_max; // of one wheel
    double inertia_kgm2;                   // that one wheel moves: its own and its share of the robot
    double gentle_nm;                      // braking within what wheels grip
    double weight_nm;                      // [Nm] one wheel's share of the weight times its radius
    double skid_part;        // [-] of weight_nm that resists turning: friction times the share along the wheel
    double accel_radps2_max; // of a wheel's set speed
    double speed_gain, angle_gain, hold_gain; // Nm per rad/s, per rad, per rad s
    double settle_s;                          // in which a held wheel comes to rest
    double standing_s;                        // for how long the wheels have been told to stand
    double slack_rad;                         // angle errors below this are not integrated
    double slip_rad;                          // a held wheel gives so much; carried farther, it is held where it is
    double set_radps[CAIRN_WHEELS_MAX];       // set speeds of the step before
    double integral_nm[CAIRN_WHEELS_MAX];
    bool rolls;                        // it was told to move, and no wheel has come to rest since
    double hold_rad[CAIRN_WHEELS_MAX]; // the angle that is held
    bool holding[CAIRN_WHEELS_MAX];
    double held_s[CAIRN_WHEELS_MAX];       // for how long
    double swing[CAIRN_WHEELS_MAX];        // [-] how often a held wheel turned by its own torque, or to and fro, lately
    double before_radps[CAIRN_WHEELS_MAX]; // measured, of the step before
    double before_rad[CAIRN_WHEELS_MAX];   // the same, of its angle
    double still_s[CAIRN_WHEELS_MAX];      // for how long a held wheel has not been counted to turn at all
    cairn_halt halt_before;                // of the step before
    bool restless; // a held wheel keeps swinging: what it measures is noise, and only the base can make it stand
} cairn_wheels;

// What a step needs beside the motion.
typedef struct cairn_wheels_input {
    cairn_motion wanted;
    cairn_halt halt;
    double slope;                   // cairn_attitude_slope: NaN where there is none to balance
    bool lost;                      // what the encoders say is nothing to go by
    bool doubted[CAIRN_WHEELS_MAX]; // what its encoder says cannot be: its loop does not act on it
    double period_s;
} cairn_wheels_input;

void cairn_wheels_init(cairn_wheels *wheels, const cairn_body_description *description);

// The set speeds of the wheels for a motion; scaled down together where one would be too fast.
void cairn_wheels_speeds(const cairn_wheels *wheels, cairn_motion wanted, double ret_radps[CAIRN_WHEELS_MAX]);

// Torques are within the description's limit, always. Without encoders to go by, or restless: only what balances the
// slope. Told to stand, no wheel is driven: one that turns gets nothing that would turn it further, whatever the
// posture.
void cairn_wheels_step(cairn_wheels *wheels, const cairn_wheels_input *input, const cairn_sensed *sensed,
                       double ret_torque_nm[CAIRN_WHEELS_MAX]);
