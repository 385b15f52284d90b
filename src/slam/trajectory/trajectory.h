// trajectory.h - where a robot was, and when: what a mapper says, or what somebody knows.
//
// Frame    map of whoever made it, metres; stamps on the clock of the log that it was made from.
// Memory   The poses are borrowed; who made the trajectory says for how long.
// Threads  A trajectory is only read.
#pragma once
#include "base/memory.h"
#include "geometry/pose2.h"

#define CAIRN_TRAJECTORY_POSES_MAX 4000000u

typedef struct cairn_stamped_pose {
    int64_t stamp_ns;
    cairn_pose2 map_T_base;
} cairn_stamped_pose;

typedef struct cairn_trajectory {
    uint32_t count;
    cairn_stamped_pose *poses; // in the order of their stamps
} cairn_trajectory;

// What is known of two moments: where the robot of the second was, seen from the first.
typedef struct cairn_relation {
    int64_t from_ns, to_ns;
    cairn_pose2 from_T_to;
} cairn_relation;

// Puts the poses in the order of their stamps. O(n log n).
void cairn_trajectory_sort(cairn_trajectory *trajectory);
// The pose at a stamp, in between by blending its neighbours if they are at most gap_ns apart; false if there is none.
// O(log n).
bool cairn_trajectory_at(const cairn_trajectory *trajectory, int64_t stamp_ns, int64_t gap_ns, cairn_pose2 *ret_pose);
