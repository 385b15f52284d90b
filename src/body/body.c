#include "body/body.h"

static cairn_err offer(cairn_arena *arena, bool offered, size_t value_bytes, cairn_cell **ret_cell)
{
    *ret_cell = NULL;
    return offered ? cairn_cell_create(arena, value_bytes, ret_cell) : CAIRN_OK;
}

cairn_err cairn_body_create(const cairn_body_description *description, cairn_arena *arena, cairn_body *ret_body)
{
    cairn_body body = {.description = description};
    const struct {
        bool offered;
        size_t value_bytes;
        cairn_cell **cell;
    } cells[] = {
        {description->encoders.offered, sizeof(cairn_encoder_frame), &body.encoders_reflex},
        {description->imu.offered, sizeof(cairn_imu_frame), &body.imu_reflex},
        {description->bumper_offered, sizeof(cairn_bump_frame), &body.bump_reflex},
        {description->laser.offered, sizeof(cairn_scan_frame), &body.scan_behaviour},
        {description->laser.offered, sizeof(cairn_scan_frame), &body.scan_deliberate},
        {description->thermal.offered, sizeof(cairn_thermal_frame), &body.thermal_mind},
        {description->battery.offered, sizeof(cairn_battery_frame), &body.battery_mind},
        {true, sizeof(cairn_motor_target), &body.motors},
    };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        const cairn_err err = offer(arena, cells[i].offered, cells[i].value_bytes, cells[i].cell);
        if (err != CAIRN_OK) { return err; }
    }
    *ret_body = body;
    return CAIRN_OK;
}
