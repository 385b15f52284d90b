// body.h - the interface that every robot's hardware offers; nothing else.
//
// A body is a description and cells. Its own port (a thread, or the simulator) fills the cells of its
// sensors and drains the cell of its motors; T0 never waits for I/O. A cell that is NULL is a capability
// not offered.
// Threads  Each cell has one writer and one reader: sensor cells are written by the body's port. Those that
//          two levels read exist twice, `*_reflex` and `*_mind`.
#pragma once
#include "base/cell.h"
#include "body/description.h"

typedef struct cairn_body {
    const cairn_body_description *description; // borrowed; outlives the body
    // in, for reflex
    cairn_cell *encoders_reflex;    // cairn_encoder_frame
    cairn_cell *imu_reflex;         // cairn_imu_frame
    cairn_cell *bump_reflex;        // cairn_bump_frame
    cairn_cell *button_reflex;      // cairn_button_frame
    cairn_cell *scan_reflex;        // cairn_scan_frame
    cairn_cell *battery_reflex;     // cairn_battery_frame
    cairn_cell *range_image_reflex; // cairn_range_image_frame
    // in, for mind: behaviour and deliberate run on different threads
    cairn_cell *scan_behaviour;    // cairn_scan_frame
    cairn_cell *scan_deliberate;   // cairn_scan_frame
    cairn_cell *thermal_mind;      // cairn_thermal_frame
    cairn_cell *battery_mind;      // cairn_battery_frame
    cairn_cell *range_image_mind;  // cairn_range_image_frame
    cairn_cell *ranges_mind;       // cairn_ranges_frame
    cairn_cell *gps_mind;          // cairn_gps_frame
    cairn_cell *magnetometer_mind; // cairn_magnetometer_frame
    cairn_cell *barometer_mind;    // cairn_barometer_frame
    // out
    cairn_cell *motors;   // cairn_motor_target
    cairn_cell *pan_tilt; // cairn_pan_tilt_target, written by mind; NULL too where port and mind are two processes
} cairn_body;

// Makes the cells that the description offers.
CAIRN_CHECKED cairn_err cairn_body_create(const cairn_body_description *description, cairn_arena *arena,
                                          cairn_body *ret_body);

// The cells' memory where port, reflex and mind are different processes: what the body's port writes, and what reflex
// writes; each may be mapped read-only by those who only read. Zeroed when made.
typedef struct cairn_body_memory {
    void *sensors, *motors; // 64-aligned; borrowed
} cairn_body_memory;

size_t cairn_body_sensor_bytes(const cairn_body_description *description);
size_t cairn_body_motor_bytes(const cairn_body_description *description);
// One process's ends of these cells.
CAIRN_CHECKED cairn_err cairn_body_attach(const cairn_body_description *description, cairn_body_memory memory,
                                          cairn_arena *arena, cairn_body *ret_body);
