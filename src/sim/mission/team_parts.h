// team_parts.h - the inside of a team, for the files that make it up: team.c puts it together, team_station.c runs the
// station and starts it again, team_events.c does what befalls it, team_score.c watches and scores.
//
// Threads  In real time there are two that matter here: the world's, with the air and those who look at the truth, and
//          the station's. What both touch is under the lock. In lockstep everything here is in the serial phase.
#pragma once
#include "base/lock.h"
#include "record/witness.h"
#include "robot/deliberate/trail.h"
#include "robot/robot.h"
#include "sim/mission/air.h"
#include "sim/mission/deeds.h"
#include "sim/mission/team.h"

#define CAIRN_TEAM_COMPARE_NS CAIRN_MS(100)

typedef struct cairn_team_robot {
    cairn_team *team;
    uint32_t at; // index
    cairn_arena memory;
    cairn_robot *robot;
    double error_m_now, error_m_sum, error_m_max;
    uint32_t error_count;
    uint32_t health_counts[CAIRN_HEALTH_COUNT]; // looks at which it said each
    uint32_t off_good_count, off_good_count_now,
        off_good_count_max;    // looks: off while it said good, in a row, the most
    cairn_trail trail;         // map frame, as believed
    cairn_robot_view last;     // what it believed when it was last looked at; of a dead one, what it last did
    cairn_link_info last_link; // of a dead one in lockstep: nothing that it says later leaves
    bool killed;               // by an event, which has told of it
    bool left, home;           // was away from its start; is there
    cairn_mono home_since;
    // Under the lock.
    bool dead;
    cairn_mono dead_at;
    cairn_series_robot seen;
    cairn_pose2 map_T_private; // as the station has it: what the operator is shown hangs on it
    bool unplaced;             // it says that nobody knows where the robot is
} cairn_team_robot;

struct cairn_team {
    cairn_team_def def;
    cairn_world *world;
    cairn_executor *executor;
    cairn_recorder *recorder; // NULL: none
    cairn_witness *witness;   // likewise
    cairn_arena truth_memory, air_memory, page_memory, operators_memory;
    cairn_truth truth;
    cairn_script script;
    cairn_page *page;
    cairn_inbox *operators; // outlives any station
    cairn_mono world_at;    // real time: how far the world has come
    cairn_pose2 starts[CAIRN_SIM_ROBOTS_MAX];
    const cairn_body_description *descriptions[CAIRN_SIM_ROBOTS_MAX];
    const char *names[CAIRN_SIM_ROBOTS_MAX];
    cairn_team_robot robots[CAIRN_SIM_ROBOTS_MAX];

    // The station, on its own thread. While it is down the old one stands still, for those who only look.
    cairn_station *station;
    cairn_arena station_memory;
    cairn_station_def station_def;
    bool station_down;
    uint32_t station_start_count;
    cairn_link_info before[CAIRN_SIM_ROBOTS_MAX]; // what the stations before this one sent
    cairn_deeds station_deeds;

    cairn_deeds world_deeds;         // on the world's thread
    cairn_collision_list collisions; // likewise

    cairn_series series; // on the station's thread
    uint32_t mark_count;
    cairn_score_mark marks[CAIRN_MISSION_PHASES_MAX];

    cairn_lock lock; // of all that follows, and of each robot's part
    bool has_lock;
    cairn_air air; // its boxes at the station's end, and who is silent
    uint64_t radio_bytes;
    uint32_t dead_count, collision_count;
    uint32_t event_count;
    cairn_event_score events[CAIRN_SCORE_EVENTS_MAX];

    cairn_score score; // large
};

// Steps of tasks: their context is the team.
// team_station.c
CAIRN_CHECKED cairn_err cairn_team_create_station(cairn_team *team);
cairn_link_def cairn_team_link_def(const cairn_team *team, double part);
void cairn_team_tie_air(cairn_team *team); // the air's boxes at the station's end
void cairn_team_station_post_step(void *context, cairn_mono now);
void cairn_team_station_tasking_step(void *context, cairn_mono now);
void cairn_team_station_down(cairn_team *team);
// CAIRN_ERR_FULL: no memory for another one; then the old one goes on.
CAIRN_CHECKED cairn_err cairn_team_station_up(cairn_team *team, cairn_mono now);

// team_events.c
void cairn_team_plan_events(cairn_team *team);
void cairn_team_world_events_step(void *context, cairn_mono now);
void cairn_team_station_events_step(void *context, cairn_mono now);
void cairn_team_notice_death(cairn_team *team, uint32_t at, cairn_mono now);

// team_score.c
void cairn_team_compare_step(void *context, cairn_mono now);
void cairn_team_series_step(void *context, cairn_mono now);
