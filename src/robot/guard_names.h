// guard_names.h - the guards by number and name; reflex/guards.h says what each does.
#pragma once

// Most severe first. Numbers are on the air (telemetry.guards) and in journals: never renumber.
typedef enum cairn_guard {
    CAIRN_GUARD_STOP = 0,     // emergency stop latched
    CAIRN_GUARD_TILT = 1,     // steeper than the body's limit
    CAIRN_GUARD_COMMAND = 2,  // no valid command for 300 ms
    CAIRN_GUARD_ENCODERS = 3, // encoder frames missing or old
    CAIRN_GUARD_IMU = 4,      // IMU frames missing or old
    CAIRN_GUARD_BUMP = 5,     // touching: no motion into the touch
    CAIRN_GUARD_COUNT
} cairn_guard;

const char *cairn_guard_name(cairn_guard guard); // "stop", "tilt", ...; "unknown" for any other number
