// errand.h - gives a robot something to do: its assignment in the fleet, and the task message that tells it.
#pragma once
#include "station/fleet.h"
#include "station/tasking/survey.h"

typedef struct cairn_errand {
    uint8_t purpose;             // robot/tasks.h
    bool by_operator;            // not the team's
    cairn_pose2 goal;            // map frame
    bool face;                   // whether the goal's heading is wanted
    cairn_vec2 target_m;         // map frame
    const cairn_survey_way *way; // borrowed for the call; NULL: none, the robot knows its own
} cairn_errand;

// What a robot is told; the caller of whoever decides sends it.
typedef void (*cairn_errand_send_fn)(void *context, cairn_fleet_robot *robot, const cairn_msg_task *task,
                                     cairn_mono now);

// The robot's next task, told in its private frame.
void cairn_errand_give(const cairn_errand *errand, cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send,
                       void *context);
// The task that it has, told once more: the word was lost with a link.
void cairn_errand_tell(cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send, void *context);
// Told once more if the robot's frame has moved in the map since, by more than a cell or two at any via-point: it would
// end beside its goal. What it has passed of its way is left out.
void cairn_errand_follow(cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send, void *context);
// The robot is to let its present task be; it has none any more.
void cairn_errand_drop(cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send, void *context);
