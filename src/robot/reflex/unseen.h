// unseen.h - driving on wheels or belts whose turning nobody counts.
//
// The turn is measured by the gyro. The forward speed is what mind saw by matching scans, some 0.1 s ago and about ten
// times a second, carried on by the accelerometer. Both are closed by loops of their own on the motors' torque; gains
// come from the body's description. How mind saw it turn is only compared with the gyro. Nobody can hold a wheel that
// way: to stand, reflex brakes, falls silent, and leaves it to the base's own watchdog, which brakes and holds.
//
// Rest     A robot that the base holds, and whose IMU feels nothing, stands: that is a speed, too. So where scans say
//          nothing of the way (a bare corridor), it goes on by short steps, each within CAIRN_SEEN_AGE_NS_MAX. After a
//          jolt it stops, and begins again from rest.
// Safety   Without a speed that is young enough, or without an IMU, nothing is driven (guards "encoders" and "imu"): a
//          torque against a speed that nobody measures does not brake. The torque for going forward and
//          that for turning are limited each. Robot files allow such robots CAIRN_UNSEEN_MPS_MAX at most.
#pragma once
#include "robot/reflex/attitude.h"
#include "robot/reflex/motion.h"
#include "robot/reflex/reflex_cells.h"

// Older than this, what mind saw is nothing. Larger: rides over a bad match; longer blind.
#define CAIRN_SEEN_AGE_NS_MAX CAIRN_MS(400)
#define CAIRN_UNSEEN_RECENT 64 // half a second of estimates at 125 Hz

// What was estimated and felt at a time.
typedef struct cairn_unseen_moment {
    cairn_mono at;
    double forward_mps, felt_mps, turn_radps;
} cairn_unseen_moment;

typedef struct cairn_unseen {
    // from the description
    double radius_m, torque_nm_max;
    double forward_gain, forward_integral_gain; // Nm per m/s and per m, of one wheel
    double turn_gain, turn_integral_gain;       // Nm per rad/s and per rad, of one wheel
    double inertia_nm_per_mps2;                 // of one wheel, for an acceleration of the robot
    double weight_nm, skid_nm;                  // one wheel's share of the weight at its radius; what a turn takes
    double speed_mps_max;
    double held_s_min; // left to the base for so long without a stir, it stands: its watchdog has acted and has held
    // the estimate
    double forward_mps;
    double accel_bias_mps2; // of accelerometer and attitude together
    bool seen;              // what mind saw is young enough
    bool heard;
    cairn_mono seen_at;
    cairn_mono blind_until;        // after a jolt, or when accelerometer and mind contradict each other
    double felt_mps;               // the accelerometer's integral alone
    double felt_mps_seen, saw_mps; // at the last sight: that integral, and what was seen
    double quarrel_mps;            // by how much the two differ about the last half second
    double quarrel_radps;          // the same of gyro and mind
    uint64_t version;
    uint32_t recent_count; // up to CAIRN_UNSEEN_RECENT, newest first
    cairn_unseen_moment recent[CAIRN_UNSEEN_RECENT];
    // the loops
    double forward_integral_nm, turn_integral_nm;
    double before_mps; // what was wanted in the step before
    double told_mps2;  // the acceleration that it is told to make
    double surge_mps;  // what it felt itself gain beyond that in the last half second
    double rest_s;     // for how long it has been told to stand
    double held_s;     // for how long it has been left to the base, without a stir of the IMU
} cairn_unseen;

void cairn_unseen_init(cairn_unseen *unseen, const cairn_body_description *description);
// What lies in the cell by now is not listened to.
void cairn_unseen_forget(cairn_unseen *unseen, cairn_cell *cell);

// The estimate, from the IMU and from what mind saw; turn_radps as the gyro has it. What is from the future, not
// finite, faster than the robot can be or no newer than before is not taken.
void cairn_unseen_look(cairn_unseen *unseen, const cairn_sensed *sensed, const cairn_attitude *attitude,
                       double turn_radps, cairn_cell *cell, cairn_mono now);

// True when it is to be left to the base: it stands, or nobody knows how fast it is or turns.
bool cairn_unseen_rests(cairn_unseen *unseen, const cairn_sensed *sensed, cairn_motion wanted, double turn_radps,
                        double period_s);

// Torques for a motion; turn_radps as measured, slope as in cairn_attitude_slope. Within the description's limit,
// always.
void cairn_unseen_drive(cairn_unseen *unseen, cairn_motion wanted, double turn_radps, double slope, double period_s,
                        double ret_torque_nm[CAIRN_WHEELS_MAX]);
// The last torques before it is left to the base: what balances the slope. Nothing is carried over to the next drive.
void cairn_unseen_let_go(cairn_unseen *unseen, double slope, double ret_torque_nm[CAIRN_WHEELS_MAX]);
