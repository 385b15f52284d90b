// score.h - how a mission went: figures in which nothing depends on the wall clock.
#pragma once
#include "link/link.h"
#include "robot/modes.h"
#include "sim/medium/medium.h"
#include "sim/mission/mission_event.h"
#include "sim/mission/score/truth.h"
#include "sim/physics/physics.h"
#include "station/atlas/victims.h"

#define CAIRN_FOUND_M 1.0    // a report this near to a victim has found it
#define CAIRN_RETURNED_M 2.0 // a robot this near to its start is home

typedef struct cairn_robot_score {
    char name[32];
    double position_error_m_mean, position_error_m_max;
    double degraded_s, lost_s;   // said of its own place
    double said_good_s;          // likewise
    double off_while_good_s;     // of that, off by more than CAIRN_POSITION_M_GOOD
    double off_while_good_s_max; // the longest of it in one piece
    cairn_mode_tally modes;
    cairn_collisions collisions;
    bool left;         // was farther than CAIRN_RETURNED_M from its start
    bool returned;     // left, and is within CAIRN_RETURNED_M at the end
    double home_s;     // since when it has been within; NaN: it is not, or was always
    double start_m;    // true distance from its start at the end
    bool fallen;       // at the end: on its side or back, or down an edge
    double dead_s;     // when its power went; NaN: it lives
    double distance_m; // driven, as it counts itself
} cairn_robot_score;

// What somebody was told to be a victim. Sorted by the time of the first sighting.
typedef struct cairn_report_score {
    cairn_vec2 at_m; // map frame
    double at_s;     // first told to the station
    uint32_t robot;  // that told it first: index
    uint32_t victim; // nearest true one, index in the arena; meaningless without any
    double error_m;  // from it; infinite without any victims
} cairn_report_score;

// A true one, and how it was found.
typedef struct cairn_victim_score {
    char name[32];
    cairn_vec2 at_m;
    bool found;     // a report lies within CAIRN_FOUND_M
    double found_s; // of the first such report; NaN
    uint32_t robot; // that made it
    double error_m; // of it; NaN
} cairn_victim_score;

// What there was at one moment. Phases are told by the difference of two.
typedef struct cairn_score_mark {
    double at_s;
    double explored_fraction; // [-]
    uint32_t found_count, false_count;
    uint32_t action_count;
    uint32_t dead_count;
    uint32_t collision_count;
} cairn_score_mark;

typedef struct cairn_phase_score {
    char name[32];
    cairn_score_mark from, to; // a phase that the mission did not come to has both at its end
} cairn_phase_score;

// Of the mission file, both ends of those that last, and robots that die by hazards.
#define CAIRN_SCORE_EVENTS_MAX (2 * CAIRN_MISSION_EVENTS_MAX + CAIRN_SIM_ROBOTS_MAX)

typedef struct cairn_event_score {
    double at_s;
    char kind[16];  // "kill"
    char words[96]; // "emu2 is dead"
} cairn_event_score;

// In the style of three competitions; docs/missions.md says how and why. All in points.
typedef struct cairn_robocup_score {
    double victims;  // 20 for each found
    double returned; // as many again for each whose finder came back
    double map;      // up to 20
    double bumps;    // -5 for each collision
    double wrong;    // -5 for each false report
    double total;
} cairn_robocup_score;

typedef struct cairn_magic_phase_score {
    double map;         // 100 for the whole place, well mapped
    double objects;     // 10 for each victim found
    double wrong;       // -5 for each false report
    double robots_lost; // -10 for each
    double interaction; // -1 for each action of an operator
    double total;
} cairn_magic_phase_score;

typedef struct cairn_magic_score {
    double map_quality; // [-] 0..1, of the whole map
    cairn_magic_phase_score phases[CAIRN_MISSION_PHASES_MAX];
    double total;
} cairn_magic_score;

typedef struct cairn_subt_score {
    uint32_t allowed_count; // reports that are looked at
    uint32_t made_count;
    uint32_t scored_count; // artifacts within 5 m of one of them: the points
} cairn_subt_score;

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

// The map, cell by cell, against what a team should make of the arena (sim/arena/check/truth_map.h). NaN: not known.
typedef struct cairn_map_score {
    double agreeing;          // [-] of the cells that both know
    double wall_iou;          // [-] walls in both / walls in either
    double precision, recall; // [-] of the map's walls and of the truth's, those with one of the other within 0.1 m
} cairn_map_score;

// Why a mission ended.
typedef enum cairn_score_end {
    CAIRN_ENDED_TIME,        // its time was up
    CAIRN_ENDED_DONE,        // all was searched, and every victim found
    CAIRN_ENDED_INTERRUPTED, // somebody ended it early
    CAIRN_ENDED_COUNT
} cairn_score_end;
extern const char *const cairn_score_ends[CAIRN_ENDED_COUNT]; // "time is up", "all is searched", "interrupted"

// Figures beyond these are marked wherever they are told: a map, and a robot's place, that nobody should build on.
#define CAIRN_WALL_RMS_M_GOOD 0.15
#define CAIRN_POSITION_M_GOOD 0.5

typedef struct cairn_score {
    char mission[64];
    uint64_t seed;
    double sim_s;
    cairn_score_end ended;
    double explored_fraction; // [-] of the reachable truth
    double map_wall_rms_m;    // NaN: no walls mapped
    cairn_map_score map;
    cairn_closures_count closures; // between places of robots' trails
    uint32_t victim_count, found_count, false_count;
    cairn_collisions collisions;
    cairn_radio_score radio;
    uint32_t action_count; // of operators, as the station counts them
    uint64_t hash;         // of the uncompressed journal messages
    uint32_t robot_count;
    cairn_robot_score robots[CAIRN_SIM_ROBOTS_MAX];
    double reachable_m2; // that explored_fraction is a part of
    uint32_t report_count;
    cairn_report_score reports[CAIRN_VICTIMS_MAX];
    uint32_t person_count; // victim_count, or as many as fit
    cairn_victim_score people[CAIRN_VICTIMS_MAX];
    uint32_t phase_count; // at least 1
    cairn_phase_score phases[CAIRN_MISSION_PHASES_MAX];
    uint32_t event_count;
    cairn_event_score events[CAIRN_SCORE_EVENTS_MAX];
    cairn_robocup_score robocup;
    cairn_magic_score magic;
    cairn_subt_score subt;
} cairn_score;

// Counts found and false victims against the truth, and tells of each report and each person.
void cairn_score_victims(cairn_score *score, const cairn_sim_arena *arena, const cairn_victims *victims);

// What the two ends of one robot's link counted.
typedef struct cairn_radio_ends {
    cairn_link_info robot, station;
} cairn_radio_ends;

// Fills in score->radio from the ends of each of the score's robots and what the air did to all
// (cairn_medium_look_all). robot_count and sim_s are already there.
void cairn_score_radio(cairn_score *score, const cairn_radio_ends *ends, const cairn_medium_info *air);

// Fills in robocup, magic and subt from all the rest.
void cairn_score_rules(cairn_score *score);

// Writes score.json; the caller frees the text of the second. NULL: no memory.
char *cairn_score_to_json(const cairn_score *score);
