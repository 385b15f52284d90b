// braking.h - how much of a motion can be let through so that it still comes to rest before it leads where it must not.
//
// The motion is followed along its arc, for as long as it takes to react and to brake with all that the robot's file
// says it has. Who uses it says which poses are bad: near.h, drop.h, area.h.
#pragma once
#include "geometry/pose2.h"
#include "robot/reflex/motion.h"

#define CAIRN_BRAKING_POSES 12
// [s] From a speed that is told to the wheels' having it. Larger: brakes earlier.
#define CAIRN_BRAKING_WHEELS_S 0.03

// How much of a motion is let through.
typedef struct cairn_motion_limit {
    bool acts; // something is taken away
    double forward_mps_max, turn_radps_max;
} cairn_motion_limit;

typedef struct cairn_braking {
    const cairn_body_limits *limits; // borrowed
    double reaction_s;               // > 0: from now until it brakes
    double look_m;                   // its corners are followed at least so far, however slow it is
    double corner_m;                 // of the hull, from its middle
} cairn_braking;

// Whether a place is one where the robot must not get to, as seen from base now.
typedef bool (*cairn_braking_bad)(const void *place, cairn_pose2 base_T_then);

// A robot that goes faster than it is told brakes from what it does; `moves` is NaN where it is not known.
cairn_motion cairn_braking_motion(cairn_motion wanted, cairn_motion moves);
double cairn_braking_corner_mps(const cairn_braking *braking, cairn_motion motion);
// For how long the motion is followed.
double cairn_braking_until_s(const cairn_braking *braking, cairn_motion motion);
// Where its corners have come as far as this.
cairn_pose2 cairn_braking_pose(const cairn_braking *braking, cairn_motion motion, double way_m);
// The part of the motion, 0..1, that can still be stopped before a bad place. O(CAIRN_BRAKING_POSES).
double cairn_braking_part(const cairn_braking *braking, cairn_motion motion, cairn_braking_bad bad, const void *place);
// That part of a motion, and whether what is wanted is more.
cairn_motion_limit cairn_braking_limit(cairn_motion motion, double part, cairn_motion wanted, cairn_motion least);
