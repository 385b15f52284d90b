// near.h - what stands within the stopping distance: the last look of reflex itself, whatever mind makes of its own.
//
// Looks at its own copy of each scan, as avoidance does (behaviour/surroundings.h: levelled by attitude and nod,
// doubted when frozen or suddenly empty, remembered beside and behind). The motion that is wanted is followed along its
// arc; if the hull would meet a point before the robot could stand, braking with all that its file says it has, the
// motion is slowed along that arc. It brakes later than avoidance, which counts on half of the brakes and keeps a wider
// margin: where that does its work, this one has nothing to do.
// What the laser looks over is seen by the range imager (low.h), where there is one. Of low things, which the robot may
// climb, nobody knows whether they are steps or robots: it climbs them at CAIRN_CLIMB_MPS.
// Brakes    Wheels brake by what they count. Who counts badly (slip_noise) counts on less than his file's brakes.
//           And who is seen to go much faster than he may is told to stand: wheels that are told to slow down and slip
//           brake better standing.
// Creeping  up to CAIRN_CREEP_MPS and CAIRN_CREEP_RADPS it takes nothing away: who touches something then does no harm,
//           and a wedged robot can free itself. Blind, this is all it may; without a laser, and backwards where the
//           laser does not look, CAIRN_UNSIGHTED_MPS.
// Frame     odom of reflex.
// Cost      Once a scan O(beams / 4 + points), each step O(points) times CAIRN_BRAKING_POSES.
#pragma once
#include "robot/behaviour/surroundings.h"
#include "robot/reflex/braking.h"
#include "robot/reflex/low.h"

#define CAIRN_CREEP_MPS 0.08
#define CAIRN_CREEP_RADPS 0.2
#define CAIRN_CLIMB_MPS 0.1
#define CAIRN_UNSIGHTED_MPS 0.2

typedef struct cairn_near {
    cairn_surroundings around;
    cairn_low low;
    const cairn_body_description *body; // borrowed
    uint64_t version;                   // of the last scan
    bool sees_behind;                   // the laser looks all around
    cairn_body_limits limits;           // the body's, with the brakes that it can count on
    double reaction_s;                  // from what a beam meets to the wheels
    double low_reaction_s;              // from what a picture shows
} cairn_near;

void cairn_near_init(cairn_near *near, const cairn_body_description *body);
// Looks at a scan and a picture that are new. `state` is what reflex knows of its place and attitude. Scans and
// pictures may be NULL.
void cairn_near_look(cairn_near *near, cairn_cell *scans, cairn_cell *pictures, const cairn_reflex_state *state,
                     cairn_mono now);
// What is left of a motion wanted at this place; `moves` is the motion measured, NaN where it is not known. `saw` is
// what mind saw of it, NULL: nothing.
cairn_motion_limit cairn_near_judge(const cairn_near *near, cairn_pose2 odom_T_base, cairn_motion wanted,
                                    cairn_motion moves, const cairn_seen_motion *saw, cairn_mono now);
