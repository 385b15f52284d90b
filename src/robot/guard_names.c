#include "robot/guard_names.h"

const char *cairn_guard_name(cairn_guard guard)
{
    static const char *const names[CAIRN_GUARD_COUNT] = {
        [CAIRN_GUARD_STOP] = "stop",         [CAIRN_GUARD_TILT] = "tilt", [CAIRN_GUARD_COMMAND] = "command",
        [CAIRN_GUARD_ENCODERS] = "encoders", [CAIRN_GUARD_IMU] = "imu",   [CAIRN_GUARD_BUMP] = "bump",
    };
    return (unsigned)guard < CAIRN_GUARD_COUNT ? names[guard] : "unknown";
}
