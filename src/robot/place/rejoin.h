// rejoin.h - a robot that is not sure where it is looks for its scan on its own map of all that it has seen.
//
// Correlative: the best place of a window as wide as the robot's doubt, first by 20 cm over 32 m, then by 10 cm over
// 16 m around what was found. Believed only if nothing elsewhere fits as well, nothing contradicts, nothing slides, and
// the map has twice as much against the place where the robot believes to be.
// Memory   2.5 MB from the arena at init.
// Threads  Deliberate only.
// Cost     Some milliseconds on a desktop: not for every scan.
#pragma once
#include "matching/correlative.h"
#include "robot/place/own_map.h"

typedef struct cairn_rejoin {
    cairn_correlative *correlative;
    cairn_pyramid *map, *scan;
    cairn_terrain_planes planes;
} cairn_rejoin;

CAIRN_CHECKED cairn_err cairn_rejoin_init(cairn_rejoin *rejoin, cairn_arena *arena);
// Where on the map the scan was taken, about `guess`, which may be wrong by this deviation. False: not known.
bool cairn_rejoin_find(cairn_rejoin *rejoin, const cairn_own_map *map, const cairn_scan_points *points,
                       cairn_pose2 guess, double deviation_m, cairn_match *ret_match);
// Whether the map has next to nothing of what the scan shows, taken from about here: no search could find it.
bool cairn_rejoin_is_new_ground(const cairn_own_map *map, const cairn_scan_points *points, cairn_pose2 private_T_base);
