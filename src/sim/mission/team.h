// team.h - a whole rescue in one process: world, robots and station in lockstep, recorded and scored.
//
// Phases of a tick: the world moves; each robot senses and acts, in parallel; the post is carried, the station works
// and the recorder writes. The result depends on the def only, not on the number of workers or the speed of the
// machine.
#pragma once
#include "base/workers.h"
#include "sim/mission/score.h"
#include "sim/world.h"
#include "station/station.h"

typedef struct cairn_team_robot_def {
    const char *name; // borrowed, as all pointers here, for the team's life
    const cairn_body_description *description;
    cairn_mode mode; // ordered at the start
} cairn_team_robot_def;

typedef struct cairn_team_def {
    const char *mission; // name, for the score
    const cairn_sim_arena *arena;
    const char *physics;
    uint64_t seed;
    uint32_t robot_count;
    cairn_team_robot_def robots[CAIRN_SIM_ROBOTS_MAX];
    cairn_workers *workers;     // NULL: one
    const char *journal_path;   // NULL: no journal, and the hash is 0
    double scan_hz, thermal_hz; // recorded at most this often
    bool world_only;            // sensors are computed but nobody drives: for measuring the simulator
} cairn_team_def;

typedef struct cairn_team cairn_team;

CAIRN_CHECKED cairn_err cairn_team_create(const cairn_team_def *def, cairn_complaints *complaints,
                                          cairn_team **ret_team);
void cairn_team_destroy(cairn_team *team); // accepts NULL

// Runs on to this time.
void cairn_team_run(cairn_team *team, cairn_mono until);
cairn_mono cairn_team_now(const cairn_team *team);

// Part [-] of the reachable truth that the station knows. O(cells).
double cairn_team_explored(const cairn_team *team);
void cairn_team_station(const cairn_team *team, cairn_station_view *ret_view);
// Way of a robot in the map frame as the station believes it: points about 25 cm apart, farther on very long ways.
uint32_t cairn_team_trail(const cairn_team *team, uint32_t robot, const cairn_vec2 **ret_points_m);
cairn_inbox *cairn_team_robot_inbox(cairn_team *team, uint32_t robot); // for scripted operators

// Ends the journal and fills in the score. CAIRN_ERR_IO or FULL with the reason when the journal could not be written.
CAIRN_CHECKED cairn_err cairn_team_finish(cairn_team *team, cairn_complaints *complaints, cairn_score *ret_score);
