// A motion that is slowed by the part p along its own arc goes, until it stands, as far as the whole motion goes in
// p t + p^2 T / 2, where t is the reaction time and T what the whole motion takes to brake. So the arc is followed
// once, in time, to where the first pose is bad, and the equation is solved for p.
#include "robot/reflex/braking.h"
#include <math.h>

cairn_motion cairn_braking_motion(cairn_motion wanted, cairn_motion moves)
{
    const double forward = isfinite(moves.forward_mps) ? moves.forward_mps : 0.0;
    const double turn = isfinite(moves.turn_radps) ? moves.turn_radps : 0.0;
    const bool on = forward * wanted.forward_mps > 0.0 && fabs(forward) > fabs(wanted.forward_mps);
    const bool round = turn * wanted.turn_radps > 0.0 && fabs(turn) > fabs(wanted.turn_radps);
    return (cairn_motion){on ? forward : wanted.forward_mps, round ? turn : wanted.turn_radps};
}

double cairn_braking_corner_mps(const cairn_braking *braking, cairn_motion motion)
{
    return fabs(motion.forward_mps) + fabs(motion.turn_radps) * braking->corner_m;
}

static double brake_s(const cairn_body_limits *limits, cairn_motion motion)
{
    return fmax(fabs(motion.forward_mps) / limits->accel_mps2_max,
                fabs(motion.turn_radps) / limits->turn_accel_radps2_max);
}

// To standstill, and not farther.
static double rest_s(const cairn_braking *braking, cairn_motion motion)
{
    return braking->reaction_s + 0.5 * brake_s(braking->limits, motion);
}

double cairn_braking_until_s(const cairn_braking *braking, cairn_motion motion)
{
    const double mps = cairn_braking_corner_mps(braking, motion);
    const double until_s = rest_s(braking, motion);
    return mps * until_s < braking->look_m && mps > 0.0 ? braking->look_m / mps : until_s;
}

// Where a motion leads in so many seconds, as seen from base now.
static cairn_pose2 pose_after(cairn_motion motion, double seconds)
{
    const double turned = motion.turn_radps * seconds, way = motion.forward_mps * seconds;
    return (cairn_pose2){way * cos(0.5 * turned), way * sin(0.5 * turned), turned};
}

cairn_pose2 cairn_braking_pose(const cairn_braking *braking, cairn_motion motion, double way_m)
{
    const double mps = cairn_braking_corner_mps(braking, motion);
    CAIRN_ASSERT(way_m > 0.0 && mps >= 0.0);
    return mps > 0.0 ? pose_after(motion, way_m / mps) : (cairn_pose2){0};
}

double cairn_braking_part(const cairn_braking *braking, cairn_motion motion, cairn_braking_bad bad, const void *place)
{
    CAIRN_ASSERT(braking->limits->accel_mps2_max > 0.0 && braking->limits->turn_accel_radps2_max > 0.0);
    CAIRN_ASSERT(braking->reaction_s > 0.0 && bad != NULL);
    const double until_s = cairn_braking_until_s(braking, motion);
    if (motion.forward_mps == 0.0 && motion.turn_radps == 0.0) { return 1.0; }
    int free_count = 0;
    while (free_count < CAIRN_BRAKING_POSES &&
           !bad(place, pose_after(motion, until_s * (free_count + 1) / CAIRN_BRAKING_POSES))) {
        free_count++;
    }
    const double left_s = until_s * free_count / CAIRN_BRAKING_POSES;
    if (free_count == CAIRN_BRAKING_POSES || left_s >= rest_s(braking, motion)) { return 1.0; }
    const double t = braking->reaction_s, brake = brake_s(braking->limits, motion);
    if (brake <= 0.0) { return left_s / t; }
    return fmin((sqrt(t * t + 2.0 * brake * left_s) - t) / brake, 1.0);
}

cairn_motion_limit cairn_braking_limit(cairn_motion motion, double part, cairn_motion wanted, cairn_motion least)
{
    CAIRN_ASSERT(part >= 0.0 && part <= 1.0);
    cairn_motion_limit limit = {
        .forward_mps_max = fmax(part * fabs(motion.forward_mps), least.forward_mps),
        .turn_radps_max = fmax(part * fabs(motion.turn_radps), least.turn_radps),
    };
    limit.acts = part < 1.0 && (fabs(wanted.forward_mps) > limit.forward_mps_max + 1e-6 ||
                                fabs(wanted.turn_radps) > limit.turn_radps_max + 1e-6);
    return limit;
}
