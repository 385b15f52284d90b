// footing.h - where the robot can set its wheels: what a level laser does not show.
//
// A robot whose laser nods, or that has a range imager, makes a terrain map of each nod (terrain/): kerbs, low beams
// and drops are obstacles in it. The last 12 are merged pessimistically (maps/drivability.h), and what they say goes
// into a memory of 10 cm that is not cleared by a laser looking over it. Heights tell how it would stand along its ways
// (standing.h), and which points of a scan are no walls (upright.h). Every robot remembers what it ran into
// (touches.h).
//
// Frame    the robot's private frame.
// Memory   About 7 MB from the arena for robots that see the ground, little for others; nothing later.
// Threads  Deliberate only.
#pragma once
#include "maps/memory_grid.h"
#include "maps/terrain_planes.h"
#include "robot/behaviour/behaviour.h"
#include "robot/ground/seen_ground.h"
#include "robot/ground/standing.h"
#include "robot/ground/sweep.h"
#include "robot/ground/touches.h"
#include "robot/ground/upright.h"
#include "robot/place/own_map.h"
#include "terrain/terrain.h"

typedef struct cairn_footing {
    bool sees_ground; // by a laser that nods, or an imager; all but touches is empty without
    bool nods;        // its laser does
    int64_t nod_ns;   // a sweep lasts at least this long
    cairn_ground_sweep sweep;
    cairn_terrain *terrain;
    cairn_drivability *maps;
    cairn_memory_grid *memory;
    uint8_t *ground;             // of one sweep
    cairn_drivability_area area; // of what is merged; width 0: nothing yet
    uint8_t *merged;             // cairn_ground
    uint32_t map_count;          // ever
    cairn_touches touches;
    cairn_standing standing; // how it would stand on what it sees
    cairn_upright upright;   // what a scan may be matched by
    cairn_seen_ground seen;  // where avoidance lets it go
} cairn_footing;

CAIRN_CHECKED cairn_err cairn_footing_init(cairn_footing *footing, const cairn_body_description *description,
                                           cairn_arena *arena);
// Before the robot first stands: what the mind before this one told of the ground (seen_ground.h).
void cairn_footing_go_on(cairn_footing *footing, const cairn_sound_ground *told, const cairn_reflex_state *state);
// Hears how the robot leans and where it stands; often, at least once before each scan or image and once after it.
void cairn_footing_stand(cairn_footing *footing, const cairn_reflex_state *state);
// Takes in a scan of the laser or a range image that was just swept, for the heights of the ground. While the robot
// slips nothing is: the sweep begins anew, and heights are forgotten.
void cairn_footing_see(cairn_footing *footing, const cairn_tracker *tracker);
// An image is about to be swept: if the robot leans otherwise than before, the map of the sweep so far is made first.
void cairn_footing_expect_image(cairn_footing *footing, const cairn_tracker *tracker, cairn_mono taken, cairn_mono now);
// The map of the sweep, when it has lasted for a whole nod; the next one begins. True if there is a new map.
bool cairn_footing_step(cairn_footing *footing, const cairn_tracker *tracker, cairn_mono now);
// Merges the last maps around a point, and remembers what they say: a part of the step.
void cairn_footing_merge(cairn_footing *footing, cairn_vec2 at_m);
// What is known of the ground at a point, in cells of 10 cm; touches are not in it.
cairn_ground cairn_footing_at(const cairn_footing *footing, cairn_vec2 at_m);
// Marks obstacles, and ground that is drivable where it is not known otherwise, in a window of the private frame.
// ground: cairn_ground, row by row from the lowest y.
void cairn_footing_mark(const cairn_footing *footing, const cairn_drivability_area *window, uint8_t *ground);
// Adds what the planes' own map does not show: obstacles, and ground that was seen to be drivable. Walls that the laser
// has drawn in the robot's own map are left to it: by the ground's memory they would be told again and again, thicker,
// and where they were believed to be when they were seen.
void cairn_footing_mark_planes(const cairn_footing *footing, const cairn_own_map *own, cairn_pose2 private_T_node,
                               cairn_terrain_planes *planes);
// Adds obstacles near the robot that its laser may not see now, up to CAIRN_NEAR_POINTS_MAX.
void cairn_footing_near(const cairn_footing *footing, const cairn_tracker *tracker, cairn_vec2 at_m, cairn_mono now,
                        cairn_near_obstacles *near);
// For how long a robot that sees no way must stand until the maps that shut it in are forgotten; 0: none does.
int64_t cairn_footing_wait_ns(const cairn_footing *footing, cairn_vec2 at_m);
// Forgets what the memory says of the ground that may hold a robot where it is; what the last maps say stays.
void cairn_footing_forget_near(cairn_footing *footing, cairn_vec2 at_m);
// Likewise, but as far as this: for one that has waited and still sees no way.
void cairn_footing_forget(cairn_footing *footing, cairn_vec2 at_m, double radius_m);
// All ground and all touches, wherever they were: nobody knows where that is from here. What avoidance goes by, in
// odometry's frame, stays.
void cairn_footing_begin_anew(cairn_footing *footing);
