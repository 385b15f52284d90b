// touches.h - what the robot ran into, or began to climb, and its laser does not see: kerbs, low beams, rubble.
//
// A touch tells the side of the hull, no more: the whole side is marked. Not if the laser's map shows what was touched,
// nor beside a team-mate, who will be gone, nor if the robot stood: then something ran into it. Leaning farther than it
// is meant to climb counts as a touch, too. Two touches near each other are taken for one straight kerb, which goes on
// by another metre to both sides. A mark lasts CAIRN_TOUCH_NS, unless the robot drives over it before.
//
// Frame    the robot's private frame.
// Threads  Deliberate only.
#pragma once
#include "body/description.h"
#include "robot/deliberate/tracker.h"

#define CAIRN_TOUCHES_MAX 384 // marks; of more, the oldest is forgotten
// Larger: fewer touches; what was moved out of the way is missed for longer.
#define CAIRN_TOUCH_NS CAIRN_S(300)

typedef struct cairn_touch {
    cairn_mono at;
    cairn_vec2 at_m;
    bool middle; // of the side that was touched
} cairn_touch;

typedef struct cairn_touches {
    double half_length_m, half_width_m; // hull
    double lean_rad_max;
    uint32_t sides;        // bit a side: touched in the step before
    cairn_pose2 marked_at; // private_T_base at the last marks
    cairn_mono moved_at;   // when it was last told to move
    uint32_t count;
    cairn_touch marks[CAIRN_TOUCHES_MAX]; // oldest first
    uint32_t touch_count;                 // ever
} cairn_touches;

void cairn_touches_init(cairn_touches *touches, const cairn_body_description *description);
// Often: each time that reflex was heard. The map and the pose are the tracker's.
void cairn_touches_feel(cairn_touches *touches, const cairn_reflex_state *state, const cairn_tracker *tracker,
                        const cairn_moving_things *moving, cairn_mono now);
