// avoid.h - obstacle avoidance: no wish is let through that could not be stopped before the hull touches.
//
// The wish of all other behaviours is tried out: ramp to it from the motion that is measured, keep it until
// the next look can take effect, then brake. If the hull with its margin comes too near to a point of the
// surroundings on that way, the wish is slowed along its own arc until it does not. Since braking from
// the present motion was found free in the cycle before, there is always a way out.
// A robot that sees the ground is kept on what it has seen or driven on (sound ground) in the same way: it can always
// stop before what it has not seen, and does, in every mode. One that does not see it moves only if its file accepts
// that. When hardly anything of the wish is left, a few slow side steps are tried instead (not when teleoperated).
#pragma once
#include "robot/behaviour/situation.h"
#include "robot/behaviour/vote.h"

typedef struct cairn_avoid {
    bool stepping_aside;
    cairn_motion aside; // the side step under way
    cairn_mono aside_began;
    double clearance_m; // nearest point to the hull; +inf none near
} cairn_avoid;

void cairn_avoid_init(cairn_avoid *avoid);
// About 0.1 us for each point that is near enough to be touched.
cairn_vote cairn_avoid_step(cairn_avoid *avoid, const cairn_situation *situation);

// [m/s] The fastest that a body may be sent along a path: its own limit, or what it can still brake before anything
// that surroundings show, if that is less.
double cairn_avoid_speed_mps_max(const cairn_body_description *body);
