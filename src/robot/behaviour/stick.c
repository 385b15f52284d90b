#include "robot/behaviour/stick.h"
#include <math.h>

// [-] Weight of a fully deflected stick against the wall follower's 1: the operator can overrule it.
#define ASSIST_WEIGHT 3.0
// [-] Deflections below this are a hand at rest.
#define REST 0.05

static bool in_hand(const cairn_situation *situation)
{
    const cairn_stick *stick = situation->stick;
    if (stick == NULL || !stick->dead_man) { return false; }
    if (stick->received.ns > situation->now.ns) { return false; }
    if (stick->received.ns < situation->now.ns - CAIRN_STICK_AGE_NS_MAX) { return false; }
    return isfinite(stick->forward) && isfinite(stick->turn);
}

static double deflection(double value) { return fabs(value) < REST ? 0.0 : fmin(fmax(value, -1.0), 1.0); }

cairn_vote cairn_stick_step(const cairn_situation *situation)
{
    const bool assists = situation->mode != CAIRN_MODE_TELEOPERATED;
    if (!in_hand(situation)) { // nobody is there: nor may a wall be followed
        return assists ? cairn_vote_limit(0.0, 0.0, 0.0) : cairn_vote_for((cairn_motion){0}, 1.0);
    }
    const double forward = deflection(situation->stick->forward), turn = deflection(situation->stick->turn);
    const cairn_body_limits *limits = &situation->body->limits;
    const cairn_motion wish = {forward * limits->speed_mps_max, turn * limits->turn_radps_max};
    return cairn_vote_for(wish, assists ? ASSIST_WEIGHT * fmax(fabs(forward), fabs(turn)) : 1.0);
}
