// drivability.h - the last drivability maps of a robot as one, pessimistically: any obstacle in any of them wins.
//
// A robot makes a drivability map of each sweep (terrain/). One sweep does not see everything, and a slow person who
// walks is an obstacle where he is and where he was: so what any of the last maps calls an obstacle is one. If the
// robot's pose jumps, an obstacle stands in two places and may box the robot in. There is nothing clever to do then: it
// stays where it is until the map at fault has been forgotten, and cairn_drivability_maps_to_wait says how many maps
// that takes. While it stands, new maps agree with each other.
// Frame    the robot's private frame.
// Memory   def.map_count * def.cells_max bytes and some, from the arena at create; nothing later.
// Threads  One owner.
// Source   Olson et al. 2012 (Magic), 5.3.
#pragma once
#include "maps/local/local_grid.h"

typedef struct cairn_drivability cairn_drivability;

typedef struct cairn_drivability_def {
    uint32_t map_count; // 12, about 15 s. More sees more ground behind the robot, and waits longer for errors to go
    uint32_t cells_max; // of one map
} cairn_drivability_def;

// One map, in the frame of its sweep. The cells are borrowed until the call returns.
typedef struct cairn_drivability_map {
    cairn_vec2 origin_m; // corner of cell (0,0)
    double cell_m;
    uint32_t width, height;
    const uint8_t *ground; // cairn_ground of each cell, row by row from the lowest y
} cairn_drivability_map;

// The rectangle to be told of, in the robot's private frame.
typedef struct cairn_drivability_area {
    cairn_vec2 origin_m; // corner of cell (0,0)
    double cell_m;       // not smaller than the maps', or obstacles get gaps
    uint32_t width, height;
} cairn_drivability_area;

cairn_drivability_def cairn_drivability_def_default(void); // 12 maps of 20 x 20 m at 5 cm
CAIRN_CHECKED cairn_err cairn_drivability_create(const cairn_drivability_def *def, cairn_arena *arena,
                                                 cairn_drivability **ret_drivability);
// Copies a map; the oldest is forgotten when there are more than def.map_count. CAIRN_ERR_FULL if it has more than
// def.cells_max cells: nothing changes then. O(cells).
CAIRN_CHECKED cairn_err cairn_drivability_add(cairn_drivability *drivability, cairn_pose2 private_T_sweep,
                                              const cairn_drivability_map *map);
// cairn_ground of the area. An obstacle: the middle of an obstacle cell of any map lies in the cell, or the cell's
// middle lies in one. Else free, if its middle lies in a free cell of any map. Else unknown. O(maps * cells).
void cairn_drivability_merge(const cairn_drivability *drivability, const cairn_drivability_area *area,
                             uint8_t *ret_ground);
// How many more maps must come until those that now have an obstacle cell's middle within radius_m of a point are
// forgotten; 0 if there are none.
uint32_t cairn_drivability_maps_to_wait(const cairn_drivability *drivability, cairn_vec2 at_m, double radius_m);
void cairn_drivability_forget(cairn_drivability *drivability);              // all maps
uint32_t cairn_drivability_map_count(const cairn_drivability *drivability); // that it remembers now
