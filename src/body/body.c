#include "body/body.h"

#define CELLS 17 // without the pan-tilt head's

const char *const cairn_sensor_names[CAIRN_SENSOR_COUNT + 1] = {"encoders", "imu",          "bumper",      "battery",
                                                                "laser",    "thermal",      "range_image", "ranges",
                                                                "gps",      "magnetometer", "barometer",   NULL};

bool cairn_body_sees_ground(const cairn_body_description *description)
{
    const bool nods = description->laser.offered && description->laser.nod.offered;
    return (nods || description->range_imager.offered) && description->imu.offered;
}

typedef struct body_cell {
    bool offered;
    size_t value_bytes;
    cairn_cell **cell;
} body_cell;

// The order is that of the cells in shared memory; motors, the last, lie in a memory of their own.
static void list_cells(cairn_body *body, body_cell ret_cells[CELLS])
{
    const cairn_body_description *description = body->description;
    const body_cell cells[CELLS] = {
        {description->encoders.offered, sizeof(cairn_encoder_frame), &body->encoders_reflex},
        {description->imu.offered, sizeof(cairn_imu_frame), &body->imu_reflex},
        {description->bumper_offered, sizeof(cairn_bump_frame), &body->bump_reflex},
        {description->stop_button_offered, sizeof(cairn_button_frame), &body->button_reflex},
        {description->laser.offered, sizeof(cairn_scan_frame), &body->scan_reflex},
        {description->battery.offered, sizeof(cairn_battery_frame), &body->battery_reflex},
        {description->range_imager.offered, sizeof(cairn_range_image_frame), &body->range_image_reflex},
        {description->laser.offered, sizeof(cairn_scan_frame), &body->scan_behaviour},
        {description->laser.offered, sizeof(cairn_scan_frame), &body->scan_deliberate},
        {description->thermal.offered, sizeof(cairn_thermal_frame), &body->thermal_mind},
        {description->battery.offered, sizeof(cairn_battery_frame), &body->battery_mind},
        {description->range_imager.offered, sizeof(cairn_range_image_frame), &body->range_image_mind},
        {description->range_sensor_count > 0, sizeof(cairn_ranges_frame), &body->ranges_mind},
        {description->gps.offered, sizeof(cairn_gps_frame), &body->gps_mind},
        {description->magnetometer.offered, sizeof(cairn_magnetometer_frame), &body->magnetometer_mind},
        {description->barometer.offered, sizeof(cairn_barometer_frame), &body->barometer_mind},
        {true, sizeof(cairn_motor_target), &body->motors},
    };
    for (size_t i = 0; i < CELLS; i++) { ret_cells[i] = cells[i]; }
}

cairn_err cairn_body_create(const cairn_body_description *description, cairn_arena *arena, cairn_body *ret_body)
{
    cairn_body body = {.description = description};
    body_cell cells[CELLS];
    list_cells(&body, cells);
    for (size_t i = 0; i < CELLS; i++) {
        if (!cells[i].offered) { continue; }
        const cairn_err err = cairn_cell_create(arena, cells[i].value_bytes, cells[i].cell);
        if (err != CAIRN_OK) { return err; }
    }
    if (description->thermal.pan_tilt.offered) {
        const cairn_err err = cairn_cell_create(arena, sizeof(cairn_pan_tilt_target), &body.pan_tilt);
        if (err != CAIRN_OK) { return err; }
    }
    *ret_body = body;
    return CAIRN_OK;
}

size_t cairn_body_sensor_bytes(const cairn_body_description *description)
{
    cairn_body body = {.description = description};
    body_cell cells[CELLS];
    list_cells(&body, cells);
    size_t bytes = 0;
    for (size_t i = 0; i + 1 < CELLS; i++) {
        if (cells[i].offered) { bytes += cairn_cell_memory_bytes(cells[i].value_bytes); }
    }
    return bytes;
}

size_t cairn_body_motor_bytes(const cairn_body_description *description)
{
    (void)description;
    return cairn_cell_memory_bytes(sizeof(cairn_motor_target));
}

cairn_err cairn_body_attach(const cairn_body_description *description, cairn_body_memory memory, cairn_arena *arena,
                            cairn_body *ret_body)
{
    cairn_body body = {.description = description};
    body_cell cells[CELLS];
    list_cells(&body, cells);
    uint8_t *at = memory.sensors;
    for (size_t i = 0; i < CELLS; i++) {
        if (!cells[i].offered) { continue; }
        const bool motors = i + 1 == CELLS;
        const cairn_err err =
            cairn_cell_attach(arena, motors ? memory.motors : at, cells[i].value_bytes, cells[i].cell);
        if (err != CAIRN_OK) { return err; }
        if (!motors) { at += cairn_cell_memory_bytes(cells[i].value_bytes); }
    }
    *ret_body = body;
    return CAIRN_OK;
}
