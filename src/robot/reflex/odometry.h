// odometry.h - where the robot has got to since start, from its wheels and its gyro.
//
// Frame    odom: the base at start, x forward; the plane is level, so a ramp counts with its length on the
//          map. The pose drifts and never jumps.
// Without  an IMU, or while it is silent, the heading comes from the wheels; without encoders the way comes from the
//          speeds that were written, and forward_mps is not known.
#pragma once
#include "geometry/pose2.h"
#include "robot/reflex/attitude.h"
#include "robot/reflex/motion.h"
#include "robot/reflex/stillness.h"

typedef struct cairn_odometry {
    cairn_pose2 odom_T_base;
    double distance_m;              // travelled along the ground, always growing
    double forward_mps, turn_radps; // measured; NaN not known
    cairn_vec3 turn_bias_radps;     // of the gyro, learnt at rest; about x and y by gravity, too
    double rest_s;                  // how long the robot has stood still
    double learnt_s;                // how long the bias has been learnt in all
    double unlearnt_s;              // how long ago it was last learnt: by then it may have wandered
    cairn_stillness stillness;
    double bias_walk_radps;         // deviation of the bias's wandering in a second
    double wheel_radius_m, track_m; // track over the turn's efficiency: what the wheels must differ by
    double still_rad;               // a wheel that has turned less than this stands still
    double rest_wheel_rad[CAIRN_WHEELS_MAX];
    double uncounted_m; // travelled to and fro, too little yet to be distance
} cairn_odometry;

void cairn_odometry_init(cairn_odometry *odometry, const cairn_body_description *description);
// Goes on from where an odometry before it had got to.
void cairn_odometry_resume(cairn_odometry *odometry, cairn_pose2 odom_T_base, double distance_m,
                           double turn_bias_radps);
// Wheels turned while nobody looked: by how much, in the order of cairn_encoder_frame.
void cairn_odometry_roll(cairn_odometry *odometry, const double wheel_step_rad[CAIRN_WHEELS_MAX]);
// `written` is what the wheels were last told.
void cairn_odometry_step(cairn_odometry *odometry, const cairn_sensed *sensed, const cairn_attitude *attitude,
                         cairn_motion written, double period_s);
