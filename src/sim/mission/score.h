// score.h - how a mission went: figures in which nothing depends on the wall clock.
#pragma once
#include "link/link.h"
#include "robot/modes.h"
#include "sim/medium/medium.h"
#include "sim/mission/truth.h"
#include "sim/physics/physics.h"
#include "station/atlas/victims.h"

#define CAIRN_FOUND_M 1.0 // a report this near to a victim has found it

typedef struct cairn_robot_score {
    char name[32];
    double position_error_m_mean, position_error_m_max;
    cairn_mode_tally modes;
    cairn_collisions collisions;
} cairn_robot_score;

// One robot's share of the air, with every header and whatever was said again.
typedef struct cairn_robot_radio_score {
    uint64_t up_bytes, down_bytes; // sent by the robot, and by the station to it
    double kbit_per_s;             // both, on average over the mission; NaN: it took no time
} cairn_robot_radio_score;

typedef struct cairn_radio_score {
    uint64_t bytes;    // of all robots, both ways
    double kbit_per_s; // on average over the mission; NaN: it took no time
    cairn_robot_radio_score robots[CAIRN_SIM_ROBOTS_MAX];
    uint64_t stream_bytes[CAIRN_LINK_STREAM_COUNT]; // less than bytes: packets have headers, seals, acks and greetings
    uint64_t dropped[CAIRN_MEDIUM_LOST_COUNT];      // datagrams, by cause
} cairn_radio_score;

typedef struct cairn_score {
    char mission[64];
    uint64_t seed;
    double sim_s;
    double explored_fraction; // [-] of the reachable truth
    double map_wall_rms_m;    // NaN: no walls mapped
    uint32_t victim_count, found_count, false_count;
    cairn_collisions collisions;
    cairn_radio_score radio;
    uint32_t action_count; // of operators, as the station counts them
    uint64_t hash;         // of the uncompressed journal messages
    uint32_t robot_count;
    cairn_robot_score robots[CAIRN_SIM_ROBOTS_MAX];
} cairn_score;

// Counts found and false victims against the truth.
void cairn_score_victims(cairn_score *score, const cairn_sim_arena *arena, const cairn_victims *victims);

// What the two ends of one robot's link counted.
typedef struct cairn_radio_ends {
    cairn_link_info robot, station;
} cairn_radio_ends;

// Fills in score->radio from the ends of each of the score's robots and what the air did to all
// (cairn_medium_look_all). robot_count and sim_s are already there.
void cairn_score_radio(cairn_score *score, const cairn_radio_ends *ends, const cairn_medium_info *air);

// Writes score.json; the caller frees the text of the second. NULL: no memory.
char *cairn_score_to_json(const cairn_score *score);
