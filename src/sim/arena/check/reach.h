// reach.h - where a robot can get to in an arena: a flood over cells with heights, storey by storey.
//
// A *place* is a cell at a height: one cell has several where storeys lie above each other. A robot gets from a place
// to the eight around it when the ground on the way there never rises or drops by more than its step, when it is not
// tilted by more than its slope, when it does not stand over an edge, and when nothing that stands, hangs or rises
// within its radius is in its way. With a radius of less than a diagonal of cells, only straight steps count, or it
// would slip through walls; with one of less than 0.2 m, the tilt is that of the ground itself, which rough ground has
// not. Doors count as open, whatever they are at the start. Loose blocks and figures that stand are in the way; figures
// that walk are not.
//
// Frame    map. Cells are squares of cell_m from (0, 0) on; what is said of a cell is true of its middle.
// Memory   All in the memory arena given to create; cairn_reach_bytes tells how much at most. Pages that are not needed
//          are not touched.
// Threads  Constant once made. The same arena and def give the same bytes.
// Cost     O(places): about 1 us each on plain floor, some 10 us on rough ground.
#pragma once
#include "sim/arena/arena.h"

typedef struct cairn_reach_def {
    double radius_m;       // > 0: of the robot about its middle
    double height_m;       // > 0: of the robot: what hangs higher is no obstacle
    double low_m;          // what stands and is lower than this is no obstacle
    double step_m_max;     // that it gets up, and comes down unhurt
    double slope_rad_max;  // steepest ground that it climbs; less than 1.4
    double camera_m;       // of its thermal camera above the ground
    double camera_ahead_m; // and ahead of its middle
    double look_rad_max;   // steepest look up or down from the camera to the edge of its picture; below 0: no camera
    double cell_m;         // 0: cairn_reach_cell_m says
    uint32_t start_count;  // flood from the first so many starts of the arena; 0 stands for all
    uint64_t looks_max;    // at things underfoot before the flood is given up; 0: for arenas that were checked
} cairn_reach_def;

// What `cairn arena check` asks of every arena: a robot of 0.35 m radius and 0.5 m height that
// gets up 0.12 m and 25 degrees, from the first start, with a level thermal camera at 0.33 m that sees 28 degrees up
// and down.
cairn_reach_def cairn_reach_def_default(void);

// 0.1 m up to 100 m a side, then a thousandth of the longer side, 0.25 m at most: doorways of 1 m stay open.
double cairn_reach_cell_m(const cairn_sim_arena *arena);

#define CAIRN_REACH_NONE UINT32_MAX

typedef struct cairn_reach_place {
    uint32_t cell;   // y * width + x
    uint32_t above;  // another place of the same cell, any height; CAIRN_REACH_NONE: no more
    uint32_t before; // the place it was first reached from; CAIRN_REACH_NONE: it is a start's
    float height_m;  // of its ground
    float way_m;     // length of the shortest way in the plan from a start, by straight and diagonal steps
} cairn_reach_place;

typedef struct cairn_reach {
    double cell_m;
    uint32_t width, height; // cells
    uint32_t place_count;
    const cairn_reach_place *places;
    const uint32_t *first; // for each cell, one of its places, or CAIRN_REACH_NONE
    uint32_t cell_count;   // cells that have a place
} cairn_reach;

size_t cairn_reach_bytes(const cairn_sim_arena *arena, const cairn_reach_def *def);
// CAIRN_ERR_TOO_LARGE if so much ground lies one above or across the other that looks_max is not enough.
// CAIRN_ERR_FULL if memory is too small, also when the arena has so many storeys that cairn_reach_bytes does not do.
// A start that stands in the way of something reaches nothing.
CAIRN_CHECKED cairn_err cairn_reach_create(const cairn_sim_arena *arena, const cairn_reach_def *def,
                                           cairn_arena *memory, cairn_reach *ret_reach);

// The place at a point whose ground is nearest to height_m; CAIRN_REACH_NONE if none within apart_m of it.
uint32_t cairn_reach_at(const cairn_reach *reach, cairn_vec2 at_m, double height_m, double apart_m);
cairn_vec2 cairn_reach_middle_m(const cairn_reach *reach, uint32_t place); // of its cell
