// reach.h - the cheapest way from one place to everywhere (Dijkstra with integer prices, eight neighbours).
//
// One search serves all goals: tasks, frontiers and observation poses are compared by the same figures.
#pragma once
#include "planning/cost_grid.h"

#define CAIRN_REACH_NEVER UINT32_MAX

typedef struct cairn_reach {
    const cairn_cost_grid *grid; // borrowed for the life of the result
    uint32_t source_cell;
    uint32_t *price; // 10 * cell price per straight step, 14 per diagonal; CAIRN_REACH_NEVER
    uint32_t reached_count;
} cairn_reach;

// Stops early once all of goal_cells (may be NULL) are reached or after expansions_max cells. Never cuts corners of
// blocked cells. CAIRN_ERR_FULL: arena too small; CAIRN_ERR_OUTSIDE: the source is outside the grid. Result arrays
// from the arena, scratch is reset on return. O(cells), a bucket queue.
CAIRN_CHECKED cairn_err cairn_reach_compute(const cairn_cost_grid *grid, cairn_vec2 source_m, uint32_t expansions_max,
                                            cairn_arena *arena, cairn_arena *scratch, cairn_reach *ret_reach);

typedef struct cairn_way {
    uint32_t point_count;
    cairn_vec2 *points_m; // first the source, last the goal
    double length_m;
} cairn_way;

// The way from the source to a goal cell, down the prices. CAIRN_ERR_NOT_FOUND if it was not reached.
CAIRN_CHECKED cairn_err cairn_reach_way(const cairn_reach *reach, uint32_t goal_cell, cairn_arena *arena,
                                        cairn_way *ret_way);
// Replaces stretches by straight lines wherever those cost no more and stay clear: O(points) in practice (Hector).
void cairn_way_smooth(const cairn_cost_grid *grid, cairn_way *way);
// Points at most spacing_m apart along the way; the first (the source) left out, the last kept.
uint32_t cairn_way_resample(const cairn_way *way, double spacing_m, cairn_vec2 *ret_points_m, uint32_t count_max);
