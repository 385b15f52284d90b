// view.h - what a robot believes, for those who only look.
#pragma once
#include "geometry/pose2.h"
#include "robot/modes.h"

typedef struct cairn_robot_view {
    cairn_mono at;
    cairn_pose2 private_T_base;     // scan-aided odometry
    cairn_pose2 odom_T_base;        // wheel and gyro only
    double forward_mps, turn_radps; // measured
    double told_mps, told_radps;    // what the wheels are told, after the guards
    cairn_mode_tally modes;
    uint32_t guards;
    uint32_t overridden;           // guards that would act, had the operator not switched them off
    double match_quality;          // [-] 0..1 of the last scan match; NaN none yet
    uint8_t health, health_reason; // cairn_health and cairn_health_reason: how well it knows its place
} cairn_robot_view;
