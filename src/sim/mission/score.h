// score.h - how a mission went: figures in which nothing depends on the wall clock.
#pragma once
#include "robot/modes.h"
#include "sim/mission/truth.h"
#include "sim/physics/physics.h"
#include "station/victims.h"

#define CAIRN_FOUND_M 1.0 // a report this near to a victim has found it

typedef struct cairn_robot_score {
    char name[32];
    double position_error_m_mean, position_error_m_max;
    cairn_mode_tally modes;
    cairn_collisions collisions;
} cairn_robot_score;

typedef struct cairn_score {
    char mission[64];
    uint64_t seed;
    double sim_s;
    double explored_fraction; // [-] of the reachable truth
    double map_wall_rms_m;    // NaN: no walls mapped
    uint32_t victim_count, found_count, false_count;
    cairn_collisions collisions;
    uint64_t hash; // of the uncompressed journal messages
    uint32_t robot_count;
    cairn_robot_score robots[CAIRN_SIM_ROBOTS_MAX];
} cairn_score;

// Counts found and false victims against the truth.
void cairn_score_victims(cairn_score *score, const cairn_sim_arena *arena, const cairn_victims *victims);
// Writes score.json; the caller frees the text of the second. NULL: no memory.
char *cairn_score_to_json(const cairn_score *score);
