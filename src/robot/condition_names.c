#include "robot/condition_names.h"
#include <stddef.h>

bool cairn_condition_is_stuck(unsigned condition)
{
    return condition == CAIRN_CONDITION_HIGH_CENTRED || condition == CAIRN_CONDITION_SPINNING ||
           condition == CAIRN_CONDITION_BLOCKED || condition == CAIRN_CONDITION_WEDGED;
}

unsigned cairn_condition_rank(unsigned condition)
{
    static const cairn_condition order[] = {
        CAIRN_CONDITION_FALLEN,   CAIRN_CONDITION_LIFTED,  CAIRN_CONDITION_TILTED,
        CAIRN_CONDITION_SLIDING,  CAIRN_CONDITION_WEDGED,  CAIRN_CONDITION_HIGH_CENTRED,
        CAIRN_CONDITION_SPINNING, CAIRN_CONDITION_BLOCKED, CAIRN_CONDITION_BLIND,
    };
    unsigned rank = 0;
    while (rank < sizeof order / sizeof order[0] && order[rank] != (cairn_condition)condition) { rank++; }
    return rank;
}

const char *cairn_condition_name(unsigned condition)
{
    static const char *const names[CAIRN_CONDITION_COUNT] = {
        [CAIRN_CONDITION_WELL] = "well",
        [CAIRN_CONDITION_HIGH_CENTRED] = "stuck on its belly",
        [CAIRN_CONDITION_SPINNING] = "stuck, wheels spin",
        [CAIRN_CONDITION_BLOCKED] = "stuck, something is in the way",
        [CAIRN_CONDITION_WEDGED] = "stuck between two things",
        [CAIRN_CONDITION_TILTED] = "tilted",
        [CAIRN_CONDITION_FALLEN] = "fallen",
        [CAIRN_CONDITION_LIFTED] = "lifted",
        [CAIRN_CONDITION_SLIDING] = "sliding",
        [CAIRN_CONDITION_BLIND] = "blind",
    };
    return condition < CAIRN_CONDITION_COUNT ? names[condition] : NULL;
}

const char *cairn_condition_advice(unsigned condition)
{
    static const char *const advice[CAIRN_CONDITION_COUNT] = {
        [CAIRN_CONDITION_HIGH_CENTRED] = "drive it back the way it came, or lift it off",
        [CAIRN_CONDITION_SPINNING] = "drive it back the way it came, or give its wheels something to grip",
        [CAIRN_CONDITION_BLOCKED] = "look what is in the way, and drive it round",
        [CAIRN_CONDITION_WEDGED] = "drive it back and forth gently, or clear what holds it",
        [CAIRN_CONDITION_TILTED] = "drive it back down the way it came",
        [CAIRN_CONDITION_FALLEN] = "somebody must set it upright",
        [CAIRN_CONDITION_LIFTED] = "set it down, and send it on",
        [CAIRN_CONDITION_SLIDING] = "wait until it rests, then drive it to firm ground",
        [CAIRN_CONDITION_BLIND] = "look after its laser or range imager; drive it by hand only in sight",
    };
    return condition < CAIRN_CONDITION_COUNT ? advice[condition] : NULL;
}

const char *cairn_health_name(unsigned health)
{
    static const char *const names[CAIRN_HEALTH_COUNT] = {
        [CAIRN_HEALTH_GOOD] = "good",
        [CAIRN_HEALTH_DEGRADED] = "degraded",
        [CAIRN_HEALTH_LOST] = "lost",
    };
    return health < CAIRN_HEALTH_COUNT ? names[health] : NULL;
}

const char *cairn_health_reason_name(unsigned reason)
{
    static const char *const names[CAIRN_HEALTH_REASON_COUNT] = {
        [CAIRN_HEALTH_FINE] = "",
        [CAIRN_HEALTH_NO_STRUCTURE] = "nothing to see that tells places apart",
        [CAIRN_HEALTH_SLIP] = "wheels slip",
        [CAIRN_HEALTH_DISAGREE] = "sensors disagree",
        [CAIRN_HEALTH_TILT] = "it leans",
        [CAIRN_HEALTH_FEW_MATCHES] = "what it sees does not fit its map",
        [CAIRN_HEALTH_CARRIED] = "it was carried",
        [CAIRN_HEALTH_RESTARTED] = "its programs were started again",
        [CAIRN_HEALTH_BLIND] = "its laser is silent",
    };
    return reason < CAIRN_HEALTH_REASON_COUNT ? names[reason] : NULL;
}
