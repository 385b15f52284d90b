// fleet.h - the robots as the station knows them: last word from each, where it started, what it is doing.
#pragma once
#include "base/clock.h"
#include "geometry/pose2.h"
#include "messages/codec.h"

#define CAIRN_FLEET_MAX 30

// What a robot has been sent to do.
typedef struct cairn_assignment {
    uint32_t task;           // 0: nothing
    uint8_t purpose;         // task.purpose on the air
    cairn_pose2 goal;        // map frame: stand here
    cairn_vec2 target_m;     // map frame: the frontier or the spot to look at
    cairn_mono due;          // by then it must be over
    cairn_vec2 moved_from_m; // where it was when it last got somewhere
    cairn_mono moved_at;
} cairn_assignment;

typedef struct cairn_fleet_robot {
    uint8_t id;
    cairn_pose2 map_T_private; // where its private frame lies in the map: its known start
    bool heard;
    cairn_mono heard_at;
    cairn_msg_telemetry telemetry; // the last
    cairn_pose2 map_T_base;        // from it
    cairn_msg_node node;           // the last
    cairn_assignment assignment;
    uint32_t task_count;        // ids given out
    cairn_vec2 failed_at_m;     // where it stood when a task failed
    uint32_t failed_here_count; // tasks that failed there, one after another
    cairn_mono rests_until;     // no task before then
} cairn_fleet_robot;

typedef struct cairn_fleet {
    uint32_t count;
    cairn_fleet_robot robots[CAIRN_FLEET_MAX];
} cairn_fleet;

cairn_fleet_robot *cairn_fleet_find(cairn_fleet *fleet, uint8_t id); // NULL: not known
void cairn_fleet_hear_telemetry(cairn_fleet *fleet, const cairn_msg_telemetry *telemetry, cairn_mono now);
