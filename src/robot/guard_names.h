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
    CAIRN_GUARD_WHEELS = 6,   // a wheel is stuck, or its encoder is
    CAIRN_GUARD_BUTTON = 7,   // stopped by the button on the robot, and not released
    // 8 to 15 are cairn_lack's
    CAIRN_GUARD_OBSTACLE = 16, // something stands within the stopping distance
    CAIRN_GUARD_DROP = 17,     // a gap, a drop or a step down within the stopping distance, or ground that nobody saw
    CAIRN_GUARD_TIP = 18,      // it is about to tip over
    CAIRN_GUARD_SPIN = 19,     // its wheels turn, and it does not move
    CAIRN_GUARD_CLOCK = 20,    // time went backwards, or leapt
    CAIRN_GUARD_AREA = 21,     // at the border of where it may be
    CAIRN_GUARD_BATTERY = 22   // the battery is at its end
} cairn_guard;

// Those that an operator may switch off for a robot, held down and for a limited time: never those that keep it from
// being stopped, nor those without which its own wheels cannot be controlled.
#define CAIRN_GUARDS_OVERRIDABLE                                                                                       \
    (1u << CAIRN_GUARD_TILT | 1u << CAIRN_GUARD_IMU | 1u << CAIRN_GUARD_BUMP | 1u << CAIRN_GUARD_OBSTACLE |            \
     1u << CAIRN_GUARD_DROP | 1u << CAIRN_GUARD_TIP | 1u << CAIRN_GUARD_SPIN | 1u << CAIRN_GUARD_AREA |                \
     1u << CAIRN_GUARD_BATTERY)

#define CAIRN_OVERRIDE_S_MAX 30 // held for longer it ends

// Sensors of mind's that fell silent, wheels that slip, a battery that ends: said beside the guards, in the same bits.
typedef enum cairn_lack {
    CAIRN_LACK_LASER = 8,    // nothing moves by itself
    CAIRN_LACK_THERMAL = 9,  // nothing that the robot passes counts as looked at
    CAIRN_LACK_BATTERY = 10, // the charge is not known
    CAIRN_LACK_GRIP = 11,    // its wheels slip: it goes by its laser
    CAIRN_LACK_PLACE = 12,   // it is not sure of its place: what it sees is drawn and searched nowhere
    CAIRN_LACK_BUMPER = 13,  // a bumper stays pressed although the robot has moved away
    CAIRN_LACK_LOW = 14,     // low battery: it comes home by itself, and in the end it stands
    CAIRN_LACK_GROUND = 15   // nothing on it sees the ground, or what does is silent
} cairn_lack;

#define CAIRN_GUARD_BITS 32       // of both fields on the air
#define CAIRN_GUARD_BITS_FIRST 16 // of telemetry.guards; the others are in telemetry.guards_more

// Of a guard or a lack: "stop", "tilt", ..., "laser"; NULL for any other number.
const char *cairn_guard_name(unsigned bit);
