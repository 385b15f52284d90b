#include "station/tasking/errand.h"
#include "messages/units.h"

#define NS_MIN CAIRN_S(20) // a task takes no longer than this, and its way at the slowest speed on average
#define SLOWEST_MPS 0.2
#define OFF_M 0.2 // a via-point that lies so far from where it was meant is told again

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
    robot->assignment.told_T = robot->map_T_private;
    send(context, robot, &task, now);
}

void cairn_errand_give(const cairn_errand *errand, cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send,
                       void *context)
{
    assign(errand, robot, now);
    cairn_errand_tell(robot, now, send, context);
}

// How far from a leg of the way.
static double away_m(cairn_vec2 at_m, cairn_vec2 from_m, cairn_vec2 to_m)
{
    const cairn_vec2 leg = cairn_vec2_sub(to_m, from_m), off = cairn_vec2_sub(at_m, from_m);
    const double length2 = cairn_vec2_dot(leg, leg);
    const double part = length2 > 0 ? fmin(fmax(cairn_vec2_dot(off, leg) / length2, 0.0), 1.0) : 0.0;
    return cairn_vec2_distance(at_m, cairn_vec2_add(from_m, cairn_vec2_scale(leg, part)));
}

// Leaves the via-points out that lie behind: those before the leg that the robot is on.
static void leave_out_passed(cairn_assignment *given, cairn_vec2 at_m)
{
    double best_m = cairn_vec2_distance(at_m, given->via_m[0]);
    uint32_t passed = 0;
    for (uint32_t i = 0; i + 1 < given->via_count; i++) {
        const double leg_m = away_m(at_m, given->via_m[i], given->via_m[i + 1]);
        if (leg_m < best_m) {
            best_m = leg_m;
            passed = i + 1;
        }
    }
    for (uint32_t i = passed; i < given->via_count; i++) { given->via_m[i - passed] = given->via_m[i]; }
    given->via_count -= passed;
}

static bool is_off(const cairn_fleet_robot *robot)
{
    const cairn_assignment *given = &robot->assignment;
    const cairn_pose2 meant_T_told = cairn_pose2_compose(robot->map_T_private, cairn_pose2_inverse(given->told_T));
    for (uint32_t i = 0; i < given->via_count; i++) {
        const cairn_vec2 goes_to_m = cairn_pose2_apply(meant_T_told, given->via_m[i]);
        if (cairn_vec2_distance(goes_to_m, given->via_m[i]) > OFF_M) { return true; }
    }
    return false;
}

void cairn_errand_follow(cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send, void *context)
{
    const cairn_msg_telemetry *says = &robot->telemetry;
    const bool at_work = robot->assignment.task != 0 && says->task == robot->assignment.task &&
                         says->task_state != CAIRN_TASK_NONE && says->task_state != CAIRN_TASK_DONE;
    if (!at_work || robot->lost || robot->stop.wanted || robot->facts.task_count > 0 || !is_off(robot)) { return; }
    leave_out_passed(&robot->assignment, cairn_pose2_at(robot->map_T_base));
    cairn_errand_tell(robot, now, send, context);
}

void cairn_errand_drop(cairn_fleet_robot *robot, cairn_mono now, cairn_errand_send_fn send, void *context)
{
    robot->assignment.task = 0;
    robot->dropped_at = now;
    const cairn_msg_task drop = {.robot = robot->id, .end_yaw_mrad = CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN};
    send(context, robot, &drop, now);
}
