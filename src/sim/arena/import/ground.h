// ground.h - where the middle of a robot can be in a draft, on cells of 0.1 m, and what it can get to.
//
// The same rule as that of `cairn arena check`: a cell is blocked when something stands nearer to its middle than the
// robot's radius. Ground to climb is no obstacle, unless asked for.
#pragma once
#include "sim/arena/import/draft.h"

#define CAIRN_GROUND_CELL_M 0.1

typedef struct cairn_import_ground {
    uint32_t width, height;
    const uint8_t *inside; // cells of the place itself: all else is blocked
    uint8_t *blocked, *reached;
    uint32_t *queue; // of the last flood: cells in order of their distance
    uint32_t reached_count;
} cairn_import_ground;

typedef struct cairn_footprint {
    cairn_pose2 map_T_middle;
    cairn_vec2 half_m;
} cairn_footprint;

CAIRN_CHECKED cairn_err cairn_ground_create(cairn_vec2 size_m, const uint8_t *inside, cairn_arena *memory,
                                            cairn_import_ground *ret_ground);
// What is inside, as many bytes as a ground of this draft has cells. Of a map: its free cells. Of walls: what they part
// from the edge of the floor; where that is less than a quarter of it (not closed) what lies behind openings of 1.2 m,
// and if that is little too, everything. CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_ground_inside_cells(const cairn_draft *draft, const cairn_cells *cells,
                                                  cairn_arena *memory, uint8_t **ret_inside);
CAIRN_CHECKED cairn_err cairn_ground_inside_walls(const cairn_draft *draft, cairn_arena *memory, uint8_t **ret_inside,
                                                  bool *ret_closed);
// Edges, walls, boxes and victims of the draft; also its relief (relief.h) if asked for.
void cairn_ground_block(cairn_import_ground *ground, const cairn_draft *draft, double radius_m, bool relief_too);
void cairn_ground_block_one(cairn_import_ground *ground, const cairn_footprint *what, double radius_m);
// Forgets what was reached, then reaches all that hangs together with a cell.
void cairn_ground_flood(cairn_import_ground *ground, uint32_t from);
// A cell of the free area with most cells, all of which are reached then; UINT32_MAX if everything is blocked.
uint32_t cairn_ground_largest(cairn_import_ground *ground);

cairn_vec2 cairn_ground_middle_m(const cairn_import_ground *ground, uint32_t cell);
// UINT32_MAX outside.
uint32_t cairn_ground_cell(const cairn_import_ground *ground, cairn_vec2 at_m);

cairn_footprint cairn_footprint_of_wall(const cairn_sim_wall *wall);
cairn_footprint cairn_footprint_of_box(const cairn_sim_box *box);
cairn_footprint cairn_footprint_of_ramp(const cairn_sim_ramp *ramp);
cairn_footprint cairn_footprint_of_victim(const cairn_sim_victim *victim);
bool cairn_footprints_overlap(const cairn_footprint *a, const cairn_footprint *b);
