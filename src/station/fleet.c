#include "station/fleet.h"
#include <math.h>

#define TELEMETRY_NS_FINE CAIRN_S(1) // comes twice a second: one may be missed
// The way out is known from what comes back: a stamp each 0.5 s, an echo of it as late, and one of them may be missed.
#define UNHEARD_NS_FINE CAIRN_S(2)
#define UNHEARD_NS_NONE CAIRN_S(4) // nothing passes: no stop would
#define ROUND_TRIP_S_FINE 0.1
#define ROUND_TRIP_S_HALF 1.0 // so much more halves the quality: nobody drives over such a link

cairn_fleet_robot *cairn_fleet_find(cairn_fleet *fleet, uint8_t id)
{
    for (uint32_t i = 0; i < fleet->count; i++) {
        if (fleet->robots[i].id == id) { return &fleet->robots[i]; }
    }
    return NULL;
}

static cairn_pose2 private_pose(const cairn_msg_telemetry *telemetry)
{
    return (cairn_pose2){telemetry->x_mm * 1e-3, telemetry->y_mm * 1e-3, telemetry->yaw_mrad * 1e-3};
}

void cairn_fleet_place(cairn_fleet_robot *robot, cairn_pose2 map_T_private)
{
    robot->map_T_private = map_T_private;
    robot->map_T_base =
        robot->heard ? cairn_pose2_compose(map_T_private, private_pose(&robot->telemetry)) : map_T_private;
}

// Numbers count on from what a robot names: one that leaps to where 32 bits end could never be ordered, sent or
// released again.
static const char *leave_out_strange(const cairn_fleet_robot *robot, cairn_msg_telemetry *telemetry)
{
    const char *strange = NULL;
    if (telemetry->release_count > CAIRN_NUMBER_MAX && telemetry->release_count > robot->stop.release_count) {
        telemetry->release_count = 0;
        strange = "a release";
    }
    if (telemetry->task > CAIRN_NUMBER_MAX && telemetry->task > robot->task_count) {
        telemetry->task = 0;
        telemetry->task_state = CAIRN_TASK_NONE;
        strange = "a task";
    }
    if (telemetry->order != CAIRN_MSG_TELEMETRY_ORDER_UNKNOWN && telemetry->order > CAIRN_NUMBER_MAX &&
        telemetry->order > robot->order.count) {
        telemetry->order = CAIRN_MSG_TELEMETRY_ORDER_UNKNOWN;
        strange = "an order";
    }
    if (telemetry->areas != CAIRN_MSG_TELEMETRY_AREAS_UNKNOWN && telemetry->areas > CAIRN_NUMBER_MAX &&
        telemetry->areas > robot->areas.count) {
        telemetry->areas = CAIRN_MSG_TELEMETRY_AREAS_UNKNOWN;
        strange = "areas";
    }
    return strange;
}

const char *cairn_fleet_hear_telemetry(cairn_fleet *fleet, const cairn_msg_telemetry *telemetry, cairn_mono now)
{
    cairn_fleet_robot *robot = cairn_fleet_find(fleet, telemetry->robot);
    if (robot == NULL) { return NULL; }
    robot->heard = true;
    robot->lost = false;
    robot->heard_at = now;
    robot->telemetry = *telemetry;
    const char *strange = leave_out_strange(robot, &robot->telemetry);
    const cairn_msg_telemetry *says = &robot->telemetry;
    robot->map_T_base = cairn_pose2_compose(robot->map_T_private, private_pose(says));
    // A station that was started again goes on counting where the one before it ended.
    if (says->task > robot->task_count) { robot->task_count = says->task; }
    if (says->order != CAIRN_MSG_TELEMETRY_ORDER_UNKNOWN && says->order > robot->order.count) {
        robot->order.count = says->order;
    }
    return strange;
}

bool cairn_fleet_is_silent(const cairn_fleet_robot *robot, cairn_mono now)
{
    return robot->heard && cairn_mono_since(now, robot->heard_at) >= CAIRN_LOST_NS;
}

uint32_t cairn_fleet_guards(const cairn_fleet_robot *robot)
{
    const cairn_msg_telemetry *telemetry = &robot->telemetry;
    const bool told = telemetry->guards_more != CAIRN_MSG_TELEMETRY_GUARDS_MORE_UNKNOWN;
    return telemetry->guards | (told ? (uint32_t)telemetry->guards_more << CAIRN_GUARD_BITS_FIRST : 0);
}

double cairn_fleet_link_quality(const cairn_fleet_robot *robot, cairn_mono now)
{
    if (!robot->heard) { return 0.0; }
    const double silent_s = cairn_seconds(cairn_mono_since(now, robot->heard_at) - TELEMETRY_NS_FINE);
    const double presence = 1.0 - fmax(silent_s, 0.0) / cairn_seconds(CAIRN_LOST_NS - TELEMETRY_NS_FINE);
    const double unheard_s = cairn_seconds(robot->link.unheard_ns - UNHEARD_NS_FINE);
    const double reach = 1.0 - fmax(unheard_s, 0.0) / cairn_seconds(UNHEARD_NS_NONE - UNHEARD_NS_FINE);
    const double late_s = fmax(cairn_seconds(robot->link.round_trip_ns) - ROUND_TRIP_S_FINE, 0.0);
    const double quickness = ROUND_TRIP_S_HALF / (ROUND_TRIP_S_HALF + late_s);
    return fmax(presence, 0.0) * fmax(reach, 0.0) * quickness * fmin(fmax(1.0 - robot->link.loss, 0.0), 1.0);
}
