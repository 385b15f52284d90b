// cost_grid.h - a rectangle of cells with a price for crossing each, made from what is known of the ground.
//
// Frame    that of the map it is made from; corner of cell (0,0) at origin_m.
#pragma once
#include "base/memory.h"
#include "geometry/pose2.h"
#include "maps/local/local_grid.h"

#define CAIRN_COST_BLOCKED 255
#define CAIRN_COST_CELLS_MAX (1u << 21) // the dearest way through so many cells still fits a 32 bit price

typedef struct cairn_cost_grid {
    cairn_vec2 origin_m;
    double cell_m;
    uint32_t width, height;
    uint8_t *cost;      // 1..254 price per cell length, CAIRN_COST_BLOCKED: not to be entered
    float *clearance_m; // from the cell's centre to that of the nearest obstacle cell, at most rules.comfort_m
} cairn_cost_grid;

typedef struct cairn_cost_rules {
    double radius_m;      // closer to an obstacle than this is blocked
    double comfort_m;     // closer than this costs more, up to near_cost at the radius
    uint8_t open_cost;    // price in the open, >= 1
    uint8_t near_cost;    // price at radius_m
    uint8_t unknown_cost; // price of unknown ground; CAIRN_COST_BLOCKED: not to be entered
} cairn_cost_rules;

cairn_cost_rules cairn_cost_rules_default(double radius_m); // unknown ground is blocked

// ground: cairn_ground of width * height cells (at most CAIRN_COST_CELLS_MAX), borrowed for the call. The grid's arrays
// come from the arena, 5 bytes a cell; 2 more and a little are needed there during the call. What lies outside the
// grid counts as no obstacle. comfort_m may be up to 126 cells. CAIRN_ERR_FULL: the arena is too small, and is as it
// was. O(cells), and in proportion to comfort_m / cell_m.
CAIRN_CHECKED cairn_err cairn_cost_grid_create(cairn_vec2 origin_m, double cell_m, uint32_t width, uint32_t height,
                                               const uint8_t *ground, const cairn_cost_rules *rules, cairn_arena *arena,
                                               cairn_cost_grid *ret_grid);
// Raises the price within a disc (a team-mate): blocked within radius_m, dearer out to twice that. Clearances stay.
void cairn_cost_grid_block_disc(cairn_cost_grid *grid, cairn_vec2 centre_m, double radius_m);
// Opens a small disc around a robot that stands too close to something, so that it can leave: blocked cells get this
// price, but obstacles stay blocked.
void cairn_cost_grid_open_disc(cairn_cost_grid *grid, cairn_vec2 centre_m, double radius_m, uint8_t cost);
// False outside the grid; *ret_cell (y * width + x) is then untouched.
bool cairn_cost_grid_cell_of(const cairn_cost_grid *grid, cairn_vec2 at_m, uint32_t *ret_cell);
cairn_vec2 cairn_cost_grid_centre_of(const cairn_cost_grid *grid, uint32_t cell);
