// raster.h - one map of the whole floor from all robots' terrain maps, any of which can be taken back.
//
// Each terrain map votes once on each raster cell whose middle lies in one of its known cells: obstacle up, free down.
// A cell is an obstacle if its votes are above 0, so that what moved through leaves no trail. Votes are whole numbers
// in a sum that does not depend on the order: a map can be taken out where it was drawn and drawn where it is now, and
// what has not moved costs nothing. A map that is never taken back needs no memory here: its votes stay.
//
// Things move. Votes of later eras weigh more, twice as much every CAIRN_RASTER_HALF_LIFE_S: so all that was seen
// before weighs no more than two half-lives of looking do, and what is seen for about a half-life without a pause is
// believed, whatever stood there for however long. What a robot saw only in passing is outvoted by as few maps as it
// made. (A bound on each cell's votes unlearns faster, but depends on the order, so that nothing can be taken back.)
//
// Frame    map: x east, y north; corner of cell (0,0) at def.origin_m.
// Memory   9 bytes a cell and 27 kB from the arena at create; nothing later.
// Threads  One owner.
// Source   Olson et al. 2012 (Magic), 4.8; the eras are ours.
#pragma once
#include "maps/terrain_planes.h"

#define CAIRN_RASTER_HALF_LIFE_S 300.0 // longer: walls withstand more bad maps, and doors are believed later
#define CAIRN_RASTER_ERA_MAX 24        // 2 h; from then on all maps weigh the same. Sums have room for no more

typedef struct cairn_raster_def {
    cairn_vec2 origin_m;
    double cell_m; // 0.1
    uint32_t width, height;
    int8_t vote_obstacle, vote_free; // [-] > 0, < 0
} cairn_raster_def;

typedef struct cairn_raster {
    cairn_raster_def def;
    uint64_t *sums;  // of each cell, by which it is known how it came to be what it is; 0: nobody has voted
    uint8_t *ground; // cairn_ground of each cell, as of the last settle
    uint32_t known_count;
    uint32_t x_min, y_min, x_max, y_max; // bounds of the known cells, inclusive; x_max < x_min: none
    uint32_t blocks;                     // from here on for settle: of how many blocks a row is made
    uint8_t *changed;                    // of each block: its sums have changed since its ground was last found
    struct cairn_raster_room *room;      // scratch
} cairn_raster;

cairn_raster_def cairn_raster_def_default(void);
CAIRN_CHECKED cairn_err cairn_raster_create(const cairn_raster_def *def, cairn_arena *arena, cairn_raster **ret_raster);
// The era of what was seen at a time of the mission; before its start counts as the start.
uint32_t cairn_raster_era(double seen_s);

// Draws a terrain map, or takes back one that was drawn with the same pose, planes and era. At most 255 cells a side.
// What falls outside the raster is ignored; a pose that is not finite is not drawn. Ground, count and bounds follow
// with the next settle. O(cells of the terrain map).
void cairn_raster_add(cairn_raster *raster, cairn_pose2 map_T_node, const cairn_terrain_planes *planes, uint32_t era);
void cairn_raster_take_back(cairn_raster *raster, cairn_pose2 map_T_node, const cairn_terrain_planes *planes,
                            uint32_t era);
// Finds the ground where votes have changed. O(cells of what changed); where known ground was forgotten, O(cells).
void cairn_raster_settle(cairn_raster *raster);
void cairn_raster_wipe(cairn_raster *raster); // as new, and settled
// What the sum of a cell's votes makes of it.
cairn_ground cairn_raster_ground_of(uint64_t sum);
// Votes of a cell, weighed: > 0 obstacle, <= 0 free, where known.
int64_t cairn_raster_score(const cairn_raster *raster, uint32_t x, uint32_t y);

bool cairn_raster_cell_of(const cairn_raster *raster, cairn_vec2 at_m, uint32_t *ret_x, uint32_t *ret_y);
cairn_vec2 cairn_raster_centre_of(const cairn_raster *raster, uint32_t x, uint32_t y);
cairn_ground cairn_raster_at(const cairn_raster *raster, cairn_vec2 at_m);
