// team.h - a whole rescue in one process: world, air, robots and station, recorded and scored.
//
// Events of the mission happen at the first step at or after their time. A robot without power says and hears nothing;
// a station that reboots hears and does nothing for a while, and then another one goes on from what it had kept.
//
// In lockstep a tick has three phases: the world moves; each robot senses and acts, in parallel; the air carries, the
// station works and the recorder writes. The result depends on the def only, not on the number of workers or the speed
// of the machine. In real time the same parts run on threads: one for world and air, three for each robot, one for the
// station.
#pragma once
#include "base/workers.h"
#include "sim/mission/report/collision_list.h"
#include "sim/mission/report/series.h"
#include "sim/mission/score/score.h"
#include "sim/mission/script.h"
#include "sim/world.h"
#include "station/page/page.h"
#include "station/station.h"

typedef struct cairn_team_robot_def {
    const char *name; // borrowed, as all pointers here, for the team's life
    const cairn_body_description *description;
    cairn_mode mode;                   // ordered at the start
    uint8_t key[CAIRN_LINK_KEY_BYTES]; // of its radio
} cairn_team_robot_def;

typedef struct cairn_team cairn_team;

// Told once a second how it goes, on the station's thread, with the part [-] of the reachable truth that is known.
typedef void (*cairn_team_watch_fn)(void *context, const cairn_station_view *view, double explored, cairn_mono now);

typedef struct cairn_team_def {
    const char *mission; // name, for the score
    const cairn_sim_arena *arena;
    const char *physics;
    uint64_t seed;
    uint64_t session_seed; // of the radios' sessions: the seed where all must be repeatable, or from the system
    cairn_medium_radio radio;
    cairn_team_areas areas; // where the robots may be
    uint32_t action_count;
    const cairn_mission_action *actions; // of a scripted operator, sorted by time
    uint32_t phase_count;                // 0: one
    const cairn_mission_phase *phases;
    uint32_t event_count;
    const cairn_mission_event *events; // sorted by time, doors found
    uint32_t robot_count;
    cairn_team_robot_def robots[CAIRN_SIM_ROBOTS_MAX];
    uint32_t without_guards;                    // robot/robot.h: 0, but for campaigns that test themselves
    bool may_die;                               // robot/robot.h: somebody will kill their programs
    bool realtime;                              // on threads, by this machine's clock
    cairn_workers *workers;                     // lockstep; NULL: one
    const char *journal_path;                   // NULL: no journal, and the hash is 0
    double scan_hz, thermal_hz, range_image_hz; // recorded at most this often
    double ranges_hz, gps_hz;                   // the same; no robot reads these: without a journal not even computed
    bool world_only;                            // sensors are computed but nobody drives: for measuring the simulator
    cairn_team_watch_fn watch;                  // NULL: nobody
    void *watch_context;
} cairn_team_def;

CAIRN_CHECKED cairn_err cairn_team_create(const cairn_team_def *def, cairn_complaints *complaints,
                                          cairn_team **ret_team);
void cairn_team_destroy(cairn_team *team); // accepts NULL

// Runs on to this time.
void cairn_team_run(cairn_team *team, cairn_mono until);
void cairn_team_ask_stop(cairn_team *team); // ends a run; from any thread or a signal handler
cairn_mono cairn_team_now(const cairn_team *team);

// Keys for missions that are to be repeatable: made from the seed, secret to nobody.
void cairn_team_key_from_seed(uint64_t seed, const char *robot_name, uint8_t ret_key[CAIRN_LINK_KEY_BYTES]);

// Between runs only. Part [-] of the reachable truth that the station knows. O(cells).
double cairn_team_explored(const cairn_team *team);
// Between runs only.
void cairn_team_station(const cairn_team *team, cairn_station_view *ret_view);
cairn_pose2 cairn_team_start(const cairn_team *team, uint32_t robot); // in the map frame, as it was known
void cairn_team_truth(const cairn_team *team, uint32_t robot, cairn_robot_truth *ret_truth); // where it really is
// What a robot has mapped by itself since it began (robot/place/own_map.h), in its private frame.
const cairn_occupancy_grid *cairn_team_own_map(const cairn_team *team, uint32_t robot);
// Way of a robot in the map frame as the station believes it: points about 25 cm apart, farther on very long ways.
uint32_t cairn_team_trail(const cairn_team *team, uint32_t robot, const cairn_vec2 **ret_points_m);
cairn_inbox *cairn_team_operators(cairn_team *team); // cairn_operator_action, one a message; from any thread
cairn_page *cairn_team_page(cairn_team *team);       // for a web server; kept up to date in real time only

// Between runs only, and whole after finish.
const cairn_series *cairn_team_series(const cairn_team *team);
const cairn_collision_list *cairn_team_collisions(const cairn_team *team);

// Ends the journal and fills in the score, whatever becomes of the journal. CAIRN_ERR_IO or FULL with the reason when
// that could not be written; its hash is then 0.
CAIRN_CHECKED cairn_err cairn_team_finish(cairn_team *team, cairn_score_end ended, cairn_complaints *complaints,
                                          cairn_score *ret_score);
