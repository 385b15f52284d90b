// plan.h - what one episode of a campaign is, drawn by chance: place, robots, radio, and everything that goes wrong.
//
// The same seed, number, bodies and places give the same plan.
//
// Memory   The caller's, and large; the place lies in an arena of its own.
// Threads  One owner.
#pragma once
#include "base/random.h"
#include "robot/reflex/reflex_cells.h"
#include "sim/campaign/judge.h"
#include "sim/campaign/pilot.h"
#include "sim/mission/team.h"
#include <stdio.h>

#define CAIRN_EPISODE_S_MIN 60
#define CAIRN_EPISODE_S_MAX 120
#define CAIRN_EPISODE_ROBOT_S_MAX ((double)CAIRN_EPISODE_S_MAX * CAIRN_JUDGE_ROBOTS_MAX)
#define CAIRN_PLAN_HOLDS_MAX 8
#define CAIRN_PLAN_DEATHS_MAX 4
#define CAIRN_PLAN_WILDS_MAX 32
#define CAIRN_PLAN_EVENTS_MAX 16
#define CAIRN_PLAN_SILENCES_MAX 4

typedef struct cairn_campaign_def {
    const char *physics; // "planar" or "mujoco"; all pointers are borrowed
    uint64_t seed;
    uint32_t without_guards; // robot/robot.h
    bool ice;                // all places are of ice (ice.h)
    bool aimed;              // episodes of aim.h instead, for this guard
    cairn_guard aim;
    uint32_t body_count; // >= 1
    const cairn_body_description *bodies;
    uint32_t place_count;
    const char *const *places; // files of NIST arenas, beside those that are made
    FILE *trace;               // NULL, or gets what happens, as CSV: for one episode
} cairn_campaign_def;

// A level of a robot hangs: its tasks do not step. Late ones hang and run by turns.
typedef struct cairn_plan_hold {
    uint32_t robot;
    bool deliberate; // T2; else T1
    bool late;       // by turns
    int64_t from_ns, to_ns;
    int64_t turn_ns; // of late ones
} cairn_plan_hold;

// A program of a robot is killed, and started again after a while.
typedef struct cairn_plan_death {
    uint32_t robot;
    bool reflex; // else its mind
    int64_t from_ns, to_ns;
} cairn_plan_death;

// A mind that has gone mad: for a while reflex hears this, fresh and within limits, whatever behaviours ask for.
typedef struct cairn_plan_wild {
    uint32_t robot;
    double forward, turn; // [-] of the robot's limits
    bool at_solid;        // turns towards something that stands there
    int64_t from_ns, to_ns;
} cairn_plan_wild;

// Somebody takes a robot in his hands, and sets it down where it was or at a start.
typedef struct cairn_plan_lift {
    uint32_t robot;
    int64_t at_ns;
    double for_s, height_m;
    bool to_start;  // else where it was
    uint32_t start; // index; taken only if no robot is near it then
} cairn_plan_lift;

typedef struct cairn_plan {
    uint64_t number;
    double duration_s;
    uint32_t robot_count;
    const cairn_body_description *bodies[CAIRN_JUDGE_ROBOTS_MAX];
    cairn_medium_radio radio;
    cairn_medium_silence silences[CAIRN_PLAN_SILENCES_MAX];
    uint32_t event_count;
    cairn_mission_event events[CAIRN_PLAN_EVENTS_MAX]; // sorted by time
    uint32_t hold_count;
    cairn_plan_hold holds[CAIRN_PLAN_HOLDS_MAX];
    uint32_t death_count;
    cairn_plan_death deaths[CAIRN_PLAN_DEATHS_MAX];
    uint32_t wild_count;
    cairn_plan_wild wilds[CAIRN_PLAN_WILDS_MAX];
    uint32_t lift_count; // 0 or 1
    cairn_plan_lift lift;
    cairn_body_description own_bodies[CAIRN_JUDGE_ROBOTS_MAX]; // with batteries that end within the episode
    cairn_areas areas;                                         // map frame: where robots may be
    uint32_t overridden;                                       // guards that the operator may hold; 0: he holds none
    cairn_pilot_temper pilot;
    bool no_grip; // nobody can brake here: contacts are not judged
    cairn_arena memory;
    cairn_sim_arena arena;
    char words[96]; // "collapsed of difficulty 4, seed 17"
} cairn_plan;

// CAIRN_ERR_INVALID with the reasons when no place could be made.
CAIRN_CHECKED cairn_err cairn_plan_make(const cairn_campaign_def *def, uint64_t number, cairn_complaints *complaints,
                                        cairn_plan *ret_plan);
void cairn_plan_finish(cairn_plan *plan); // accepts all-zero
