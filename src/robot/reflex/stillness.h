// stillness.h - does the robot stand, as its IMU feels it.
//
// Nobody tells it that the robot stands: a robot that was told to may slide, teeter on three wheels or be pushed. It
// looks at how much gyro and accelerometer vary over a quarter of a second. A smooth turn on a turntable varies as
// little as rest does; odometry tells it from a bias by how fast a bias can wander.
#pragma once
#include "robot/reflex/sensed.h"

typedef struct cairn_stillness {
    double turn_calm_square, accel_calm_square; // variances below which nothing stirs, all axes together
    cairn_vec3 turn_radps_mean, accel_mps2_mean;
    double turn_square, accel_square; // variances
    double calm_s;                    // for how long nothing has stirred
} cairn_stillness;

void cairn_stillness_init(cairn_stillness *stillness, const cairn_imu_description *imu);
void cairn_stillness_step(cairn_stillness *stillness, const cairn_sensed *sensed); // an IMU that is silent stirs
