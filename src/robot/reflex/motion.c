#include "robot/reflex/motion.h"
#include <math.h>

// The fraction of a change that one period allows, 0..1.
static double fraction(double change, double change_max) { return change > change_max ? change_max / change : 1.0; }

cairn_motion cairn_motion_ramp(cairn_motion from, cairn_motion to, const cairn_body_limits *limits, double period_s)
{
    const double forward = to.forward_mps - from.forward_mps;
    const double turn = to.turn_radps - from.turn_radps;
    const double forward_part = fraction(fabs(forward), limits->accel_mps2_max * period_s);
    const double turn_part = fraction(fabs(turn), limits->turn_accel_radps2_max * period_s);
    const double part = forward_part < turn_part ? forward_part : turn_part;
    if (part >= 1.0) { return to; }
    return (cairn_motion){from.forward_mps + part * forward, from.turn_radps + part * turn};
}
