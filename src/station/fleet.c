#include "station/fleet.h"

cairn_fleet_robot *cairn_fleet_find(cairn_fleet *fleet, uint8_t id)
{
    for (uint32_t i = 0; i < fleet->count; i++) {
        if (fleet->robots[i].id == id) { return &fleet->robots[i]; }
    }
    return NULL;
}

void cairn_fleet_hear_telemetry(cairn_fleet *fleet, const cairn_msg_telemetry *telemetry, cairn_mono now)
{
    cairn_fleet_robot *robot = cairn_fleet_find(fleet, telemetry->robot);
    if (robot == NULL) { return; }
    robot->heard = true;
    robot->heard_at = now;
    robot->telemetry = *telemetry;
    const cairn_pose2 private_T_base = {telemetry->x_mm * 1e-3, telemetry->y_mm * 1e-3, telemetry->yaw_mrad * 1e-3};
    robot->map_T_base = cairn_pose2_compose(robot->map_T_private, private_T_base);
}
