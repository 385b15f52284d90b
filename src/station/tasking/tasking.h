// tasking.h - the first team brain: who goes where next.
//
// Each autonomous robot that is free gets the cheapest of: a frontier it can reach, or a place from which it can look
// at ground that no thermal camera has seen. No two robots are sent to the same one. A goal that could not be reached
// is left alone for a while, longer each time. A robot that stands in another's only way is asked to make room. Frame
// map. Budgets are counts; the same input gives the same tasks.
#pragma once
#include "base/memory.h"
#include "planning/kept_costs.h"
#include "planning/observe.h"
#include "station/atlas/atlas.h"
#include "station/atlas/victims.h"
#include "station/events.h"
#include "station/fleet.h"
#include "station/tasking/errand.h"

#define CAIRN_AVOIDED_MAX 64

// A goal that failed.
typedef struct cairn_avoided {
    cairn_vec2 at_m;
    cairn_mono until;
    uint32_t failure_count;
} cairn_avoided;

typedef struct cairn_tasking_def {
    double robot_radius_m;                         // for paths over the raster
    double turn_radius_m;                          // room that a robot needs to turn on the spot, where it is sent to
    cairn_sight thermal;                           // what a camera sees well enough to find a person
    cairn_sight look;                              // a little less: a robot does not stand exactly where it is sent
    double apart_m;                                // two robots' goals are at least this far apart
    uint32_t frontier_cells_min, unseen_cells_min; // smaller ones are specks, not places
} cairn_tasking_def;

typedef struct cairn_tasking {
    cairn_tasking_def def;
    cairn_arena scratch;
    cairn_kept_costs *costs; // of the raster: follows from it alone, and is no state
    uint32_t avoided_count;
    cairn_avoided avoided[CAIRN_AVOIDED_MAX]; // when full, the one that ends first goes
    bool done;                                // nothing is left that any robot could do
    uint32_t waiting_count;                   // goals left alone for a while that will be tried again
} cairn_tasking;

// Whom and what tasking works with; all borrowed for the step.
typedef struct cairn_tasking_team {
    cairn_fleet *fleet; // assignments are changed here
    const cairn_atlas *atlas;
    const cairn_victims *victims; // who is found is not looked for again
    cairn_events *events;
    const cairn_fences *fences; // where robots may be; NULL: everywhere
    cairn_errand_send_fn send;
    void *context;
} cairn_tasking_team;

cairn_tasking_def cairn_tasking_def_default(void);
CAIRN_CHECKED cairn_err cairn_tasking_init(cairn_tasking *tasking, const cairn_tasking_def *def,
                                           const cairn_raster_def *raster, cairn_arena *arena);
// Judges what was given and gives what is free. Robots that are silent, stopped, or not both ordered and known to be
// autonomous get nothing, and their goals go to others.
void cairn_tasking_step(cairn_tasking *tasking, const cairn_tasking_team *team, cairn_mono now);
