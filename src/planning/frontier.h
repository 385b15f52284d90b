// frontier.h - where the known ends: clusters of free cells that touch the unknown.
#pragma once
#include "planning/reach.h"

typedef struct cairn_frontier {
    uint32_t cell_count;   // size of the cluster
    cairn_vec2 middle_m;   // mean of its cells
    uint32_t nearest_cell; // the reachable cell from which it is cheapest to get to it (see standoff)
    uint32_t price;        // of nearest_cell
} cairn_frontier;

// Finds the frontiers of `ground` (same size as the reach's grid): free cells that share an edge with an unknown cell
// of the grid, in clusters that hang together by edges or corners. nearest_cell is the cheapest reached cell of the
// cluster. Where none is reached (too close to a wall to stand on) it is the cheapest reached cell within standoff_m of
// one of its cells, centre to centre, with a free line of sight to that. Clusters under cell_count_min, or with no such
// cell, are left out. In order of price; of more than frontier_count_max the cheapest are kept; *ret_count tells how
// many there are in ret_frontiers. CAIRN_ERR_FULL: scratch, 5 bytes a cell, is too small; it is reset on return.
// O(cells), and for clusters out of reach in proportion to the square of standoff_m.
CAIRN_CHECKED cairn_err cairn_frontiers_find(const uint8_t *ground, const cairn_reach *reach, uint32_t cell_count_min,
                                             double standoff_m, cairn_arena *scratch, uint32_t frontier_count_max,
                                             cairn_frontier *ret_frontiers, uint32_t *ret_count);
