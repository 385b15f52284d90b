// observe.h - where to stand to look at ground that no camera has looked at yet.
#pragma once
#include "planning/reach.h"

// What a camera sees of the plane: a sector with a limited range, stopped by obstacles.
typedef struct cairn_sight {
    double field_rad;
    double range_m_min, range_m_max;
} cairn_sight;

// Marks the cells that a camera at map_T_camera sees: sets bit `mark` in seen[] (width * height bytes, same layout as
// ground). Obstacle cells that end the view are marked too. Returns the number newly marked. O(cells in the sector).
uint32_t cairn_sight_mark(const uint8_t *ground, const cairn_cost_grid *grid, cairn_pose2 map_T_camera,
                          const cairn_sight *sight, uint8_t mark, uint8_t *seen);

typedef struct cairn_lookout {
    cairn_pose2 map_T_base; // stand here, facing the target
    uint32_t cell;          // of the stand
    uint32_t target_cell;   // the unseen cell it looks at
    uint32_t price;         // of getting there
    uint32_t unseen_count;  // unseen cells of the target's cluster
} cairn_lookout;

// For clusters of free cells whose `mark` bit is not set in seen: the cheapest place to stand from which a cell of the
// cluster is visible within the sight's range. Clusters under cell_count_min, or visible from nowhere, are left out
// (and counted in *ret_hidden_count). Cheapest first.
CAIRN_CHECKED cairn_err cairn_lookouts_find(const uint8_t *ground, const cairn_reach *reach, const cairn_sight *sight,
                                            const uint8_t *seen, uint8_t mark, uint32_t cell_count_min,
                                            cairn_arena *scratch, uint32_t lookout_count_max,
                                            cairn_lookout *ret_lookouts, uint32_t *ret_count,
                                            uint32_t *ret_hidden_count);
