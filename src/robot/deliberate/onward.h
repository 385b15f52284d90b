// onward.h - where a robot that nobody hears searches on: the nearest place where what it remembers ends.
//
// One sent into a tunnel without radio sees a little more each time, and drives all the way out to tell it. So, having
// done what it was sent to do, it goes on by itself, from one end of its own memory to the next, as far again as it has
// come since it was heard, and not back past the place where it was: each outing reaches about twice as far as the one
// before, so that the ways in and out together stay a small multiple of the last. It never gets farther from being
// heard than that, and what it carries can be lost only that often.
//
// Frame    the robot's private frame.
// Memory   the navigator's scratch, during the call.
// Threads  Deliberate only.
#pragma once
#include "robot/deliberate/navigator.h"

#define CAIRN_ONWARD_GOALS_MAX 32 // of one outing; then it goes back

typedef struct cairn_onward {
    double until_m;     // the robot's way (reflex state's distance_m) at which it turns back
    cairn_vec2 heard_m; // where it was last heard
    uint32_t goal_count;
    cairn_vec2 goals_m[CAIRN_ONWARD_GOALS_MAX]; // what it went to see, now the last of them: to none again
} cairn_onward;

// An outing begins: its way so far, how much of that since it was last heard, and where that was.
void cairn_onward_begin(cairn_onward *onward, double way_m, double unheard_m, cairn_vec2 heard_m);
// The next goal, as a task with the number of the one before. False: none is left in reach, or it is time to go back.
bool cairn_onward_next(cairn_onward *onward, cairn_navigator *navigator, cairn_vec2 at_m, double way_m,
                       cairn_robot_task *ret_task);
// Whether what lies at the last goal has come into view since.
bool cairn_onward_is_answered(const cairn_onward *onward, const cairn_navigator *navigator);
