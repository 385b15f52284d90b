// robot.h - one robot: reflex and mind over one body, and its two inboxes to the outside.
//
// Everything that enters or leaves is a radio message (messages/radio.def) in an inbox. The robot works in its
// own private frame, which never jumps: x forward at start.
#pragma once
#include "base/executor.h"
#include "base/inbox.h"
#include "base/log.h"
#include "body/body.h"
#include "robot/modes.h"

typedef struct cairn_robot cairn_robot;

typedef struct cairn_robot_def {
    const char *name; // "emu1"; borrowed
    uint8_t id;       // 1..250, on the air
    cairn_body *body; // borrowed
    cairn_log log;
} cairn_robot_def;

CAIRN_CHECKED cairn_err cairn_robot_create(const cairn_robot_def *def, cairn_arena *arena, cairn_robot **ret_robot);
void cairn_robot_finish(cairn_robot *robot); // gives locks back; accepts NULL

cairn_inbox *cairn_robot_inbox(cairn_robot *robot);  // to the robot: tasks, modes, stop, stick, teammates
cairn_inbox *cairn_robot_outbox(cairn_robot *robot); // from the robot: telemetry, nodes, maps, sightings

// Registers reflex, behaviour and the deliberate tasks, with their declared costs, in one lane.
void cairn_robot_register(cairn_robot *robot, cairn_executor *executor, uint32_t lane);

// For the journal and the score: what the robot believes. Called between ticks only.
typedef struct cairn_robot_view {
    cairn_mono at;
    cairn_pose2 private_T_base;     // scan-aided odometry
    cairn_pose2 odom_T_base;        // wheel and gyro only
    double forward_mps, turn_radps; // measured
    double told_mps, told_radps;    // what the wheels are told, after the guards
    cairn_mode_tally modes;
    uint32_t guards;
    double match_quality; // [-] 0..1 of the last scan match; NaN none yet
} cairn_robot_view;
void cairn_robot_look(const cairn_robot *robot, cairn_robot_view *ret_view);
