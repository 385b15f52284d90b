// reach.h - the cheapest way from one place to everywhere (Dijkstra with integer prices, eight neighbours).
//
// One search serves all goals: tasks, frontiers and observation poses are compared by the same figures.
#pragma once
#include "planning/cost_grid.h"

#define CAIRN_REACH_NEVER UINT32_MAX

typedef struct cairn_reach {
    const cairn_cost_grid *grid; // borrowed for the life of the result
    uint32_t source_cell;
    uint32_t *price;        // 10 * the price of the cell entered per straight step, 14 per diagonal; CAIRN_REACH_NEVER
    uint32_t reached_count; // cells with a price, the source included
} cairn_reach;

// Stops after expansions_max cells (UINT32_MAX: all that can be reached); cells beyond have no price then. Never cuts
// corners of blocked cells. A source on a blocked cell can be left, but not entered again. CAIRN_ERR_FULL: arena or
// scratch too small; CAIRN_ERR_OUTSIDE: the source is outside the grid. The prices come from the arena, 4 bytes a cell;
// scratch, 14 bytes a cell and 9 kB, is reset on return. O(cells), a bucket queue.
CAIRN_CHECKED cairn_err cairn_reach_compute(const cairn_cost_grid *grid, cairn_vec2 source_m, uint32_t expansions_max,
                                            cairn_arena *arena, cairn_arena *scratch, cairn_reach *ret_reach);

// The same, but stops once the goal is reached: for a robot that wants one way only. Cells dearer than the goal have no
// price then.
CAIRN_CHECKED cairn_err cairn_reach_compute_to(const cairn_cost_grid *grid, cairn_vec2 source_m, uint32_t goal_cell,
                                               uint32_t expansions_max, cairn_arena *arena, cairn_arena *scratch,
                                               cairn_reach *ret_reach);

typedef struct cairn_way {
    uint32_t point_count;
    cairn_vec2 *points_m; // first the source, last the goal
    double length_m;
} cairn_way;

// The way from the source to a goal cell, down the prices: cell centres, no blocked cell's corner cut.
// CAIRN_ERR_NOT_FOUND if it was not reached; CAIRN_ERR_FULL: arena too small. O(points).
CAIRN_CHECKED cairn_err cairn_reach_way(const cairn_reach *reach, uint32_t goal_cell, cairn_arena *arena,
                                        cairn_way *ret_way);
// Replaces stretches by straight lines that cost no more and touch no blocked cell; keeps a subset of the points, the
// ends among them, in place. O(points) in practice (Hector).
void cairn_way_smooth(const cairn_cost_grid *grid, cairn_way *way);
// Ends the way length_m from its source, which stays, in place; a shorter way is left as it is. O(points).
void cairn_way_cut(cairn_way *way, double length_m);
// Points at most spacing_m apart along the way, its own points among them; the first (the source) left out, the last
// kept. Returns how many; of more than count_max only the first.
uint32_t cairn_way_resample(const cairn_way *way, double spacing_m, cairn_vec2 *ret_points_m, uint32_t count_max);
