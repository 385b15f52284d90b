// random_costs.h - random cost grids and a slow, obvious search over them.
#pragma once
#include "planning/reach.h"
#include "random_rooms.h"

typedef struct cost_store {
    uint8_t cost[CELLS_MAX];
    float clearance_m[CELLS_MAX];
} cost_store;

// Rough ground of all prices, a good part of it blocked.
static inline cairn_cost_grid random_costs(cairn_random *random, uint32_t side_max, cost_store *costs)
{
    cairn_cost_grid grid = {.origin_m = {1, -2}, .cell_m = 0.1, .cost = costs->cost, .clearance_m = costs->clearance_m};
    grid.width = 1 + cairn_random_below(random, side_max);
    grid.height = 1 + cairn_random_below(random, side_max);
    const uint32_t blocked_pct = cairn_random_below(random, 50), dearest = 1 + cairn_random_below(random, 254);
    for (uint32_t cell = 0; cell < grid.width * grid.height; cell++) {
        const bool blocked = cairn_random_below(random, 100) < blocked_pct;
        grid.cost[cell] = blocked ? CAIRN_COST_BLOCKED : (uint8_t)(1 + cairn_random_below(random, dearest));
        grid.clearance_m[cell] = 1;
    }
    return grid;
}

// The price of stepping from one cell to another; CAIRN_REACH_NEVER if they are no neighbours or it is not allowed.
static inline uint32_t step_price(const cairn_cost_grid *grid, uint32_t from, uint32_t to)
{
    const int32_t width = (int32_t)grid->width;
    const int32_t x = (int32_t)from % width, y = (int32_t)from / width;
    const int32_t to_x = (int32_t)to % width, to_y = (int32_t)to / width;
    if (from == to || to_x < x - 1 || to_x > x + 1 || to_y < y - 1 || to_y > y + 1) { return CAIRN_REACH_NEVER; }
    if (grid->cost[to] == CAIRN_COST_BLOCKED) { return CAIRN_REACH_NEVER; }
    if (to_x == x || to_y == y) { return 10u * grid->cost[to]; }
    const bool corner = grid->cost[y * width + to_x] == CAIRN_COST_BLOCKED;
    if (corner || grid->cost[to_y * width + x] == CAIRN_COST_BLOCKED) { return CAIRN_REACH_NEVER; }
    return 14u * grid->cost[to];
}

// Relaxes every pair of cells until nothing changes. O(n^2) at least.
static inline void slow_prices(const cairn_cost_grid *grid, uint32_t source, uint32_t *ret_price)
{
    const uint32_t count = grid->width * grid->height;
    for (uint32_t cell = 0; cell < count; cell++) { ret_price[cell] = CAIRN_REACH_NEVER; }
    ret_price[source] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t from = 0; from < count; from++) {
            for (uint32_t to = 0; ret_price[from] != CAIRN_REACH_NEVER && to < count; to++) {
                const uint32_t step = step_price(grid, from, to);
                if (step != CAIRN_REACH_NEVER && ret_price[from] + step < ret_price[to]) {
                    ret_price[to] = ret_price[from] + step;
                    changed = true;
                }
            }
        }
    }
}
