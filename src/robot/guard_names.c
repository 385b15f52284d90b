#include "robot/guard_names.h"
#include <stddef.h>

const char *cairn_guard_name(unsigned bit)
{
    static const char *const names[CAIRN_GUARD_BITS] = {
        [CAIRN_GUARD_BUTTON] = "stop button",
        [CAIRN_GUARD_STOP] = "stop",
        [CAIRN_GUARD_TILT] = "tilt",
        [CAIRN_GUARD_COMMAND] = "command",
        [CAIRN_GUARD_WHEELS] = "wheels",
        [CAIRN_GUARD_ENCODERS] = "encoders",
        [CAIRN_GUARD_IMU] = "imu",
        [CAIRN_GUARD_BUMP] = "bump",
        [CAIRN_LACK_LASER] = "laser",
        [CAIRN_LACK_THERMAL] = "thermal",
        [CAIRN_LACK_BATTERY] = "battery",
        [CAIRN_LACK_GRIP] = "slip",
        [CAIRN_LACK_PLACE] = "place in doubt",
        [CAIRN_LACK_BUMPER] = "bumper stuck",
        [CAIRN_LACK_LOW] = "low battery",
        [CAIRN_LACK_GROUND] = "ground",
        [CAIRN_GUARD_OBSTACLE] = "obstacle",
        [CAIRN_GUARD_DROP] = "drop",
        [CAIRN_GUARD_TIP] = "tipping",
        [CAIRN_GUARD_SPIN] = "wheels spin",
        [CAIRN_GUARD_CLOCK] = "clock",
        [CAIRN_GUARD_AREA] = "area",
        [CAIRN_GUARD_BATTERY] = "battery empty",
    };
    return bit < CAIRN_GUARD_BITS ? names[bit] : NULL;
}
