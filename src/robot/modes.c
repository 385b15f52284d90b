#include "robot/modes.h"

const char *const cairn_mode_names[CAIRN_MODE_COUNT + 1] = {
    [CAIRN_MODE_STOPPED] = "stopped",
    [CAIRN_MODE_PAUSED] = "paused",
    [CAIRN_MODE_IDLE] = "idle",
    [CAIRN_MODE_TELEOPERATED] = "teleoperated",
    [CAIRN_MODE_ASSISTED_LEFT] = "assisted left",
    [CAIRN_MODE_ASSISTED_RIGHT] = "assisted right",
    [CAIRN_MODE_WAYPOINT] = "waypoint",
    [CAIRN_MODE_AUTONOMOUS] = "autonomous",
};

const char *cairn_mode_name(cairn_mode mode)
{
    return (unsigned)mode < CAIRN_MODE_COUNT ? cairn_mode_names[mode] : "unknown";
}

void cairn_mode_tally_init(cairn_mode_tally *tally, cairn_mode mode, cairn_mono now, double distance_m)
{
    CAIRN_ASSERT((unsigned)mode < CAIRN_MODE_COUNT);
    *tally = (cairn_mode_tally){.mode = mode, .since = now, .counted = now, .counted_m = distance_m};
}

void cairn_mode_tally_step(cairn_mode_tally *tally, cairn_mode mode, cairn_mono now, double distance_m)
{
    CAIRN_ASSERT((unsigned)mode < CAIRN_MODE_COUNT);
    tally->spent_ns[tally->mode] += cairn_mono_since(now, tally->counted);
    tally->travelled_m[tally->mode] += distance_m - tally->counted_m;
    tally->counted = now;
    tally->counted_m = distance_m;
    if (mode == tally->mode) { return; }
    tally->mode = mode;
    tally->since = now;
    tally->change_count++;
}
