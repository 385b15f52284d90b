#include "station/teammates.h"
#include "messages/units.h"

#define WITHIN_M 5.0 // farther ones need not be told of
// Twice a second; a little less, so that telemetry that comes at that rate is never just too early.
#define PERIOD_NS CAIRN_MS(480)
#define WAY_NS_MAX CAIRN_S(3) // no word is believed to have taken longer: a robot that has begun anew has another clock

static bool are_near(const cairn_fleet_robot *a, const cairn_fleet_robot *b)
{
    return !a->unplaced && !b->unplaced &&
           cairn_vec2_distance(cairn_pose2_at(a->map_T_base), cairn_pose2_at(b->map_T_base)) <= WITHIN_M;
}

// Since it was where it last said: its own clock tells, if that is known; what it says may be a second on its way.
static int64_t age_ns(const cairn_fleet_robot *robot, cairn_mono now)
{
    if (!robot->heard) { return 0; }
    const int64_t heard_ns = cairn_mono_since(now, robot->heard_at);
    if (!robot->link.clock.synchronised) { return heard_ns; }
    const int64_t said_ns = now.ns - (robot->telemetry.mono_ns - robot->link.clock.offset_ns);
    if (said_ns < heard_ns) { return heard_ns; }
    return said_ns < heard_ns + WAY_NS_MAX ? said_ns : heard_ns + WAY_NS_MAX;
}

static void add(cairn_msg_teammates *told, cairn_pose2 private_T_map, const cairn_fleet_robot *other, cairn_mono now)
{
    const cairn_pose2 private_T_other = cairn_pose2_compose(private_T_map, other->map_T_base);
    const int64_t age_ms = age_ns(other, now) / CAIRN_MS(1);
    const uint16_t n = told->other_count++;
    told->other[n] = other->id;
    told->x_mm[n] = cairn_to_milli(private_T_other.x_m);
    told->y_mm[n] = cairn_to_milli(private_T_other.y_m);
    told->yaw_mrad[n] = (int16_t)cairn_to_milli(private_T_other.yaw_rad);
    told->speed_mmps[n] = other->telemetry.speed_mmps;
    told->age_ms[n] = (uint16_t)(age_ms < 65535 ? age_ms : 65535);
}

static void tell(const cairn_voice *voice, uint32_t robot_at, cairn_mono now)
{
    const cairn_fleet *fleet = voice->fleet;
    cairn_fleet_robot *robot = &voice->fleet->robots[robot_at];
    cairn_radio_message message = {.id = CAIRN_MSG_TEAMMATES};
    cairn_msg_teammates *told = &message.teammates;
    told->robot = robot->id;
    const cairn_pose2 private_T_map = cairn_pose2_inverse(robot->map_T_private);
    for (uint32_t i = 0; i < fleet->count; i++) {
        if (i != robot_at && are_near(robot, &fleet->robots[i])) { add(told, private_T_map, &fleet->robots[i], now); }
    }
    told->x_mm_count = told->y_mm_count = told->yaw_mrad_count = told->speed_mmps_count = told->age_ms_count =
        told->other_count;
    cairn_voice_say(voice, robot, &message, now); // if there is no room the next one makes up for it
}

void cairn_teammates_tell(cairn_teammates *teammates, const cairn_voice *voice, uint32_t moved_at, cairn_mono now)
{
    const cairn_fleet *fleet = voice->fleet;
    for (uint32_t i = 0; i < fleet->count; i++) {
        const bool concerned = i != moved_at && fleet->robots[i].heard && !fleet->robots[i].lost &&
                               are_near(&fleet->robots[i], &fleet->robots[moved_at]);
        if (!concerned || (teammates->ever[i] && cairn_mono_since(now, teammates->told[i]) < PERIOD_NS)) { continue; }
        teammates->ever[i] = true;
        teammates->told[i] = now;
        tell(voice, i, now);
    }
}
