// rejoin.h - a robot that is not sure where it is looks for its scan on its own map of all that it has seen.
//
// Correlative: the best place of a window as wide as the robot's doubt, first by 20 cm over 32 m, then by 10 cm over
// 16 m around what was found. Believed only if nothing elsewhere fits as well, nothing contradicts, nothing slides, and
// the map has twice as much against the place where the robot believes to be. One scan tells corners of alike rooms not
// apart: a place farther off than CAIRN_REJOIN_NEAR_M must be found again and again, and one far off while the robot
// goes on.
// Memory   2.5 MB from the arena at init.
// Threads  Deliberate only.
// Cost     Some milliseconds on a desktop: not for every scan.
#pragma once
#include "matching/correlative.h"
#include "robot/place/own_map.h"

// A place far from where the robot believes to be, found once or more, and not yet believed.
typedef struct cairn_rejoin_claim {
    uint32_t look_count;     // that found it; 0: there is none
    cairn_pose2 found_T_was; // moves what the robot believes to what was found
    double distance_m;       // the robot's way when it was first found
} cairn_rejoin_claim;

typedef struct cairn_rejoin {
    cairn_correlative *correlative;
    cairn_pyramid *map, *scan;
    cairn_terrain_planes planes;
    cairn_rejoin_claim claim;
} cairn_rejoin;

CAIRN_CHECKED cairn_err cairn_rejoin_init(cairn_rejoin *rejoin, cairn_arena *arena);
// Where on the map the scan was taken, about `guess`, which may be wrong by this deviation. False: not known.
bool cairn_rejoin_find(cairn_rejoin *rejoin, const cairn_own_map *map, const cairn_scan_points *points,
                       cairn_pose2 guess, double deviation_m, cairn_match *ret_match);
// Whether the map has next to nothing of what the scan shows, taken from about here: no search could find it.
bool cairn_rejoin_is_new_ground(const cairn_own_map *map, const cairn_scan_points *points, cairn_pose2 private_T_base);
// Whether the map denies that a scan was taken here: much of what it shows stands on floor that was seen free, beside
// nothing. By every fourth return.
bool cairn_rejoin_is_denied(const cairn_own_map *map, const cairn_scan_points *points, cairn_pose2 private_T_base);
// Whether a place that was found is to be believed: `private_T_base` is where the robot believes to be, wrong by this
// deviation, and distance_m its way so far. Near by at once; farther off once three looks in a row have found the same;
// far off, for what it knows of itself, only if they were taken over half as long a way.
#define CAIRN_REJOIN_NEAR_M 0.5
#define CAIRN_REJOIN_FAR_M 1.0
bool cairn_rejoin_bears_out(cairn_rejoin *rejoin, cairn_pose2 private_T_base, double deviation_m, cairn_pose2 found,
                            double distance_m);
// The place is sure again: what was found once or twice until now was a scan's whim.
void cairn_rejoin_drop_claim(cairn_rejoin *rejoin);
