// observe.h - where to stand to look at ground that no camera has looked at yet.
#pragma once
#include "planning/reach.h"

// What a camera sees of the plane: a sector with a limited range, stopped by obstacles.
typedef struct cairn_sight {
    double field_rad;
    double range_m_min, range_m_max;
} cairn_sight;

// Marks the cells that a camera at map_T_camera sees: sets the bit `mark` (a mask, such as 1 or 4) in seen[] (width *
// height bytes, same layout as ground). A cell counts as seen if it is crossed by a line of sight and its centre is
// within the range. Obstacle cells that end the view are marked too. Unknown cells end the view and are not marked:
// something may stand there. Whatever the camera's own cell is does not end the view; from outside the grid nothing is
// seen. Returns the number newly marked. O(cells in the sector).
uint32_t cairn_sight_mark(const uint8_t *ground, const cairn_cost_grid *grid, cairn_pose2 map_T_camera,
                          const cairn_sight *sight, uint8_t mark, uint8_t *seen);

typedef struct cairn_lookout {
    cairn_pose2 map_T_base; // stand here, facing the target
    uint32_t cell;          // of the stand
    uint32_t target_cell;   // the unseen cell it looks at
    uint32_t price;         // of getting there
    uint32_t unseen_count;  // unseen cells of the target's cluster
} cairn_lookout;

// For clusters (by edges or corners) of free cells, and of obstacles beside free ones, whose `mark` bit is not set in
// seen: the cheapest place to stand from which a cell of the cluster is visible, half a cell within the sight's range,
// over free cells only. Surfaces are looked at because people are obstacles too, and count double. The cells themselves
// need not be reachable: the inside of a box is looked at from in front of it. A better view is worth a
// little more way: up to 2 m of open ground for seeing all of the cluster instead of nothing. Effort is bounded: large
// clusters are sampled, and stands are looked for along 64 directions at most, so that a somewhat cheaper place may be
// missed, but what is returned sees its target. Clusters that count less than cell_count_min are left out; so are those
// visible from nowhere, which *ret_hidden_count counts. Cheapest first; of more than lookout_count_max the cheapest are
// kept. CAIRN_ERR_FULL: scratch, 6 bytes a cell and 64 kB with a range of 5 m in cells of 10 cm, is too small; it is
// reset on return. O(cells), and about 40 us a cluster.
CAIRN_CHECKED cairn_err cairn_lookouts_find(const uint8_t *ground, const cairn_reach *reach, const cairn_sight *sight,
                                            const uint8_t *seen, uint8_t mark, uint32_t cell_count_min,
                                            cairn_arena *scratch, uint32_t lookout_count_max,
                                            cairn_lookout *ret_lookouts, uint32_t *ret_count,
                                            uint32_t *ret_hidden_count);
