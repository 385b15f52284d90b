// fuse.h - many votes become one motion: the weighted mean of the wishes, then all limits.
#pragma once
#include "robot/behaviour/vote.h"

// Within the body's limits and within the limits of every vote. No wish at all: standing still. A breach if a
// vote is not finite where it must be or its limits forbid standing still. O(count).
cairn_motion cairn_fuse(const cairn_vote *votes, uint32_t count, const cairn_body_limits *limits);
