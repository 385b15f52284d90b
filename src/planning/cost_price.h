// cost_price.h - the price of a clearance, for those who make cost grids.
#pragma once
#include "planning/cost_grid.h"
#include <math.h>

#define CAIRN_COST_BAND_CELLS_MAX 126 // (band + 1)^2 + band^2 stays below 2^15

static inline uint8_t cairn_cost_price(const cairn_cost_rules *rules, double clearance_m)
{
    if (clearance_m <= 0 || clearance_m < rules->radius_m) { return CAIRN_COST_BLOCKED; }
    if (clearance_m >= rules->comfort_m) { return rules->open_cost; }
    const double part = (rules->comfort_m - clearance_m) / (rules->comfort_m - rules->radius_m);
    return (uint8_t)lround(rules->open_cost + part * (rules->near_cost - rules->open_cost));
}

// Prices and clearances by squared distance in cells, for 0 .. squared_max.
static inline void cairn_cost_tables(const cairn_cost_rules *rules, double cell_m, uint32_t squared_max,
                                     uint8_t *ret_price, float *ret_clearance_m)
{
    for (uint32_t squared = 0; squared <= squared_max; squared++) {
        const double clearance_m = sqrt(squared) * cell_m;
        ret_price[squared] = cairn_cost_price(rules, clearance_m);
        ret_clearance_m[squared] = (float)fmin(clearance_m, rules->comfort_m);
    }
}
