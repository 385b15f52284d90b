// own_map.h - all that a robot has seen since it began, at 5 cm: what is left of a drive when nobody heard it.
//
// The local map forgets, and the station has 10 cm of what came through. This one stays on the robot until somebody
// comes for it: a grid that grows (maps/occupancy_grid.h), drawn from scans that fitted, some a metre. Nothing
// drives by it; a robot that has lost its place looks for it here (rejoin.h).
//
// Frame    the robot's private frame. It drifts with the robot's place: the map is never drawn again.
// Memory   9 MB from the arena at init, 21,000 m2; beyond that what was seen longest ago goes.
// Threads  Deliberate only.
#pragma once
#include "geometry/pose2.h"
#include "maps/occupancy_grid.h"

typedef struct cairn_own_map {
    cairn_occupancy_grid *grid;
    cairn_pose2 drawn_at; // where the last scan was drawn from
    bool begun;
} cairn_own_map;

CAIRN_CHECKED cairn_err cairn_own_map_init(cairn_own_map *map, cairn_arena *arena);
// Draws a scan, unless the last one was drawn from about here. O(points + cells looked through).
void cairn_own_map_add(cairn_own_map *map, cairn_pose2 private_T_base, const cairn_scan_points *points);
void cairn_own_map_forget(cairn_own_map *map); // all of it: it begins anew
