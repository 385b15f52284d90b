// sight.h - whether a robot sees a victim with its thermal camera from where it stands.
//
// A victim is seen when at least CAIRN_SIGHT_SEEN_M2 of it are: points on it, 5 cm apart, to which nothing stands
// between. So a person behind a hole of a wall is seen through the hole, and one in a box through its open front. The
// robot turns towards the victim and its camera looks along the ground below it: up on the way up a ramp. What is
// higher or lower than its picture is not seen. Doors count as open, figures as gone.
//
// Frame    map.
// Memory   The array given to gather; borrows the arena's solids.
// Cost     O(points * solids nearby).
#pragma once
#include "sim/arena/check/reach.h"

#define CAIRN_VICTIM_NEAR_M 1.5    // from a robot's middle: as far as it must come
#define CAIRN_SIGHT_SEEN_M2 0.0075 // three points; 4 pixels of 80 x 60 in 70 degrees, 1.5 m away, are 0.0028 m2

// A victim, and what can stand between it and a robot that is near.
typedef struct cairn_sight {
    const cairn_sim_arena *arena;
    uint32_t victim;
    const cairn_solid **between;
    uint32_t between_count;
} cairn_sight;

// `between` has room for all solids of the arena.
void cairn_sight_gather(const cairn_sim_arena *arena, uint32_t victim, const cairn_solid **between,
                        cairn_sight *ret_sight);
// Whether the robot is near the victim at one of its places, and sees it.
bool cairn_sight_sees(const cairn_sight *sight, const cairn_reach_def *robot, const cairn_reach *reach, uint32_t place);
