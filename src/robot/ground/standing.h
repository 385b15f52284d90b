// standing.h - how the robot would stand along a way that it plans, and where it would lean too far.
//
// A robot that sees the ground keeps the heights of the last scans in a height map (maps/height_map.h). Along a way its
// contacts are let down onto them every 10 cm (terrain/stability.h). Places where it would stand too riskily are
// refused: the planner goes round them. What is middling is driven slowly. Obstacles are not judged: the planner keeps
// off them anyway, and beside a wall a wheel would seem to stand on it.
//
// Frame    the robot's private frame; heights from the ground on which it was switched on. They drift with the way
//          driven, so a cell is forgotten when none of the last scans told of it: as many scans and images of the
//          ground as its sensors take in 20 s.
// Memory   3 MB from the arena at init; nothing later. Of more than CAIRN_REFUSED_MAX refused places the oldest goes.
// Threads  Deliberate only.
#pragma once
#include "base/clock.h"
#include "maps/height_map.h"
#include "maps/memory_grid.h"
#include "planning/reach.h"
#include "robot/ground/sweep.h"
#include "terrain/stability.h"

#define CAIRN_REFUSED_MAX 64

typedef struct cairn_refused_place {
    cairn_mono at;
    cairn_vec2 at_m;
} cairn_refused_place;

typedef struct cairn_standing {
    bool able; // it sees the ground, and its mass lies above and between its contacts; else nothing is ever refused
    cairn_stand_def body;
    double lean_rad_max, risk_max; // where it is refused
    double risk_slow;              // where it begins to go slowly
    cairn_height_map *heights;
    cairn_height_ray *rays; // of one scan
    int32_t *window_um, *filled_um;
    cairn_height_grid window; // heights around the robot; width 0: none yet
    uint32_t refused_count;
    uint32_t refused_ever;                          // different ones
    cairn_refused_place refused[CAIRN_REFUSED_MAX]; // in the order in which they were first refused
} cairn_standing;

// lean_rad_max: farther than this it must not lean, whatever its mass would allow.
CAIRN_CHECKED cairn_err cairn_standing_init(cairn_standing *standing, const cairn_body_description *description,
                                            double lean_rad_max, cairn_arena *arena);
// Takes in the rays of the sweep's last scan.
void cairn_standing_see(cairn_standing *standing, const cairn_ground_sweep *sweep, cairn_pose2 private_T_odom);
void cairn_standing_forget(cairn_standing *standing); // all heights, and what was refused by them
// Reads the heights around a place. Cells that `ground` calls obstacles, and those not seen, get the mean of the known
// ones beside them, if there are three.
void cairn_standing_survey(cairn_standing *standing, const cairn_memory_grid *ground, cairn_vec2 at_m);
// Where the robot would stand at a place, heading by its yaw. False where the ground is not known.
bool cairn_standing_at(const cairn_standing *standing, cairn_pose2 place, cairn_stand *ret_stand);
bool cairn_standing_is_refused(const cairn_standing *standing, const cairn_stand *stand);

typedef struct cairn_way_stands {
    double risk_near; // [-] greatest over the first metre; 1 where nothing is known
    bool refused;     // at some place of the first 2.5 m
    cairn_vec2 refused_m;
    double refused_along_m; // how far along the way
} cairn_way_stands;
// Walks along a way, up to the first place that is refused. Under the robot nothing is judged: it must get away.
cairn_way_stands cairn_standing_along(const cairn_standing *standing, const cairn_way *way);
// Remembers a place that was refused, for 20 s.
void cairn_standing_refuse(cairn_standing *standing, cairn_vec2 at_m, cairn_mono now);
// Closes what is refused to a planner; places that the robot stands on are left open, and old ones are forgotten.
void cairn_standing_close(cairn_standing *standing, cairn_cost_grid *grid, cairn_vec2 at_m, cairn_mono now);
void cairn_standing_close_place(cairn_cost_grid *grid, cairn_vec2 place_m); // one of them
// [m/s] How fast it may go, where this is the greatest risk near by.
double cairn_standing_speed_mps(const cairn_standing *standing, double risk, double cruise_mps);
