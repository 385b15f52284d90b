#include "station/tasking/errand.h"
#include "messages/units.h"

#define NS_MIN CAIRN_S(20) // a task takes no longer than this, and its way at the slowest speed on average
#define SLOWEST_MPS 0.2

static void assign(const cairn_errand *errand, cairn_fleet_robot *robot, cairn_mono now)
{
    const double length_m = errand->way != NULL ? errand->way->length_m : 0.0;
    robot->assignment =
        (cairn_assignment){.task = ++robot->task_count,
                           .purpose = errand->purpose,
                           .by_operator = errand->by_operator,
                           .goal = errand->goal,
                           .face = errand->face,
                           .target_m = errand->target_m,
                           .given = now,
                           .due = cairn_mono_add(now, NS_MIN + cairn_ns_from_seconds(length_m / SLOWEST_MPS)),
                           .moved_from_m = cairn_pose2_at(robot->map_T_base),
                           .moved_at = now,
                           .via_count = errand->way != NULL ? errand->way->via_count : 0};
    for (uint32_t i = 0; i < robot->assignment.via_count; i++) { robot->assignment.via_m[i] = errand->way->via_m[i]; }
}

void cairn_errand_tell(cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send, void *context)
{
    const cairn_assignment *given = &robot->assignment;
    const cairn_pose2 private_T_map = cairn_pose2_inverse(robot->map_T_private);
    cairn_msg_task task = {.robot = robot->id,
                           .task = given->task,
                           .floor = robot->telemetry.floor,
                           .purpose = given->purpose,
                           .end_yaw_mrad = CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN};
    if (given->face) {
        task.end_yaw_mrad = (int16_t)cairn_to_milli(cairn_angle_wrap(given->goal.yaw_rad + private_T_map.yaw_rad));
    }
    task.via_x_mm_count = task.via_y_mm_count = (uint16_t)given->via_count;
    for (uint32_t i = 0; i < given->via_count; i++) {
        const cairn_vec2 via_m = cairn_pose2_apply(private_T_map, given->via_m[i]);
        task.via_x_mm[i] = cairn_to_milli(via_m.x);
        task.via_y_mm[i] = cairn_to_milli(via_m.y);
    }
    robot->assignment.said = now;
    send(context, robot, &task, now);
}

void cairn_errand_give(const cairn_errand *errand, cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send,
                       void *context)
{
    assign(errand, robot, now);
    cairn_errand_tell(robot, now, send, context);
}

void cairn_errand_drop(cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send, void *context)
{
    robot->assignment.task = 0;
    robot->dropped_at = now;
    const cairn_msg_task drop = {.robot = robot->id, .end_yaw_mrad = CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN};
    send(context, robot, &drop, now);
}
