// kept_costs.h - prices and clearances of a whole map, kept while the map changes.
//
// cairn_cost_grid_create makes the prices of a window from nothing. Who plans for many robots on one large map, of
// which little changes between two plans, keeps them here: exact distances are repaired around what changed
// (maps/distance_field.h), only cells near by are priced again, and a robot's window is copied out. The result is the
// same, but that obstacles outside of the window count, too.
//
// Frame    cells of the map.
// Memory   cairn_kept_costs_memory_bytes from the arena at create, 11 bytes a cell and some; nothing later.
// Threads  One owner.
#pragma once
#include "planning/cost_grid.h"

typedef struct cairn_kept_costs cairn_kept_costs;

typedef struct cairn_kept_costs_def {
    uint32_t width, height; // cells of the map, 1 .. CAIRN_DISTANCE_EDGE_MAX
    double cell_m;          // > 0
    cairn_cost_rules rules; // comfort_m up to 126 cells
} cairn_kept_costs_def;

// An upper bound of what create takes, for maps of so many cells.
size_t cairn_kept_costs_memory_bytes(uint32_t width, uint32_t height);
// Of a map of which nothing is known. The def is copied. CAIRN_ERR_FULL if the arena is too small.
CAIRN_CHECKED cairn_err cairn_kept_costs_create(const cairn_kept_costs_def *def, cairn_arena *arena,
                                                cairn_kept_costs **ret_kept);
// Compares the map with what it was, and repairs what follows from the difference. ground: cairn_ground of width *
// height cells. Returns how many cells were other than before. O(cells) for comparing, rows at a time: 0.1 ms for three
// million; and in proportion to what changed.
uint64_t cairn_kept_costs_update(cairn_kept_costs *kept, const uint8_t *ground);

typedef struct cairn_cell_window {
    uint32_t x0, y0, width, height; // within the map, at most CAIRN_COST_CELLS_MAX cells
} cairn_cell_window;

// Prices of a part of the map; origin_m is where the part's corner is. The grid's arrays come from the arena, 5 bytes a
// cell, and may be changed. CAIRN_ERR_FULL: the arena is too small, and is as it was. O(cells).
CAIRN_CHECKED cairn_err cairn_kept_costs_copy(const cairn_kept_costs *kept, const cairn_cell_window *window,
                                              cairn_vec2 origin_m, cairn_arena *arena, cairn_cost_grid *ret_grid);
