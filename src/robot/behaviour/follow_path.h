// follow_path.h - follows the path of the deliberate level: pure pursuit of a point some way ahead.
//
// Turns in place when the path leaves to the side, slows down in curves and before the end, and turns to the final
// heading there.
//
// Source   Coulter 1992 for the pursuit.
#pragma once
#include "robot/behaviour/situation.h"
#include "robot/behaviour/vote.h"

#define CAIRN_ARRIVED_M 0.12
#define CAIRN_ARRIVED_RAD 0.1

typedef struct cairn_follow_path {
    cairn_mono issued; // of the path under way
    bool under_way;
    uint32_t segment; // from this point of the path to the next: where the robot is
    uint32_t at;      // the point that is headed for
    bool turning;     // in place, towards the path
    bool at_end;      // close enough: only the heading is left
    bool arrived;
} cairn_follow_path;

void cairn_follow_path_init(cairn_follow_path *follow);
// O(points) for a new path, O(points passed) otherwise.
cairn_vote cairn_follow_path_step(cairn_follow_path *follow, const cairn_situation *situation);
