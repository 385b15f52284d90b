// frontier.h - where the known ends: clusters of free cells that touch the unknown.
#pragma once
#include "planning/reach.h"

typedef struct cairn_frontier {
    uint32_t cell_count;   // size of the cluster
    cairn_vec2 middle_m;   // mean of its cells
    uint32_t nearest_cell; // the reachable cell from which it is cheapest to get to it (see standoff)
    uint32_t price;        // of nearest_cell
} cairn_frontier;

// Finds the frontiers of `ground` (same size as the reach's grid). Frontier cells themselves may be too close to a
// wall to stand on: nearest_cell is then the cheapest reached cell within standoff_m of the cluster with a free line of
// sight to one of its cells. Clusters under cell_count_min, or with no such cell, are left out. In order of price.
// Returns the number found (at most frontier_count_max kept, cheapest first).
CAIRN_CHECKED cairn_err cairn_frontiers_find(const uint8_t *ground, const cairn_reach *reach, uint32_t cell_count_min,
                                             double standoff_m, cairn_arena *scratch, uint32_t frontier_count_max,
                                             cairn_frontier *ret_frontiers, uint32_t *ret_count);
