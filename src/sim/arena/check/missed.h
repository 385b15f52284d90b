// missed.h - what the robot that every arena is checked for does not get to from the first start.
#pragma once
#include "sim/arena/check/sight.h"

typedef struct cairn_missed {
    const bool *starts;  // one for each of the arena's
    const bool *ramps;   // a ridge that it cannot drive over, a slope that it cannot get onto; steeper ones never are
    const bool *victims; // that it cannot come near to and see
    double reach_m2;     // ground that it gets to
} cairn_missed;

// All in `memory`. CAIRN_ERR_FULL without, CAIRN_ERR_TOO_LARGE as cairn_reach_create.
CAIRN_CHECKED cairn_err cairn_missed_find(const cairn_sim_arena *arena, cairn_arena *memory, cairn_missed *ret_missed);
