// cost_grid.c - prices from clearances.
//
// Only clearances up to comfort_m matter, and that is a handful of cells. So this is not the general distance
// transform of maps/, but a band of it: rows to the nearest obstacle of each column by one sweep up and one down,
// then for each row the smallest of (x - column)^2 + rows^2 over the few columns within the band. Exact up to the band,
// all of it additions and minima of 16 bit integers side by side: 0.8 ns a cell against 4-7 ns for the envelope of
// parabolas. Squared distances are small integers, so prices and clearances are read from tables. Who plans again and
// again on one large map keeps prices instead (planning/kept_costs.h).
#include "planning/cost_grid.h"
#include "planning/cost_price.h"
#include <math.h>
#include <string.h>

typedef struct near_band {
    int16_t cells;      // exact up to this distance
    int16_t *rows;      // width * height: rows to the nearest obstacle of the column, at most cells + 1
    int16_t *padded;    // one row of squares with `cells` more on either side
    int16_t *squared;   // one row of squared distances, at most (cells + 1)^2
    uint8_t *price;     // by squared distance
    float *clearance_m; // by squared distance
} near_band;

cairn_cost_rules cairn_cost_rules_default(double radius_m)
{
    return (cairn_cost_rules){
        .radius_m = radius_m,
        .comfort_m = radius_m + 0.3, // wider: rounder ways that keep off walls; narrower: shorter ways
        .open_cost = 2,
        .near_cost = 10, // higher: longer detours to keep clear of walls
        .unknown_cost = CAIRN_COST_BLOCKED,
    };
}

static bool take_band(uint32_t width, uint32_t height, int16_t cells, cairn_arena *arena, near_band *ret_band)
{
    const size_t squares = (size_t)(cells + 1) * (cells + 1) + 1;
    *ret_band = (near_band){
        .cells = cells,
        .rows = CAIRN_TAKE(arena, int16_t, (size_t)width * height),
        .padded = CAIRN_TAKE(arena, int16_t, width + 2 * (size_t)cells),
        .squared = CAIRN_TAKE(arena, int16_t, width),
        .price = CAIRN_TAKE(arena, uint8_t, squares),
        .clearance_m = CAIRN_TAKE(arena, float, squares),
    };
    return ret_band->rows && ret_band->padded && ret_band->squared && ret_band->price && ret_band->clearance_m;
}

static void sweep_columns(const uint8_t *ground, uint32_t width, uint32_t height, const near_band *band)
{
    const int16_t far = (int16_t)(band->cells + 1);
    for (uint32_t x = 0; x < width; x++) { band->rows[x] = ground[x] == CAIRN_GROUND_OBSTACLE ? 0 : far; }
    for (uint32_t y = 1; y < height; y++) {
        const uint8_t *here = ground + (size_t)y * width;
        const int16_t *below = band->rows + (size_t)(y - 1) * width;
        int16_t *rows = band->rows + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) {
            const int16_t next = (int16_t)(below[x] + 1), kept = next < far ? next : far;
            rows[x] = here[x] == CAIRN_GROUND_OBSTACLE ? 0 : kept;
        }
    }
    for (uint32_t y = height - 1; y-- > 0;) {
        const int16_t *above = band->rows + (size_t)(y + 1) * width;
        int16_t *rows = band->rows + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) {
            const int16_t next = (int16_t)(above[x] + 1);
            rows[x] = rows[x] < next ? rows[x] : next;
        }
    }
}

// The smallest squared distance of each cell of row y, into band->squared.
static void search_row(const near_band *band, uint32_t width, uint32_t y)
{
    const int16_t cells = band->cells, far2 = (int16_t)((cells + 1) * (cells + 1));
    const int16_t *rows = band->rows + (size_t)y * width;
    int16_t *middle = band->padded + cells, *squared = band->squared;
    for (int16_t i = 0; i < cells; i++) { band->padded[i] = middle[width + (uint32_t)i] = far2; }
    for (uint32_t x = 0; x < width; x++) { squared[x] = middle[x] = (int16_t)(rows[x] * rows[x]); }
    for (int16_t aside = 1; aside <= cells; aside++) {
        const int16_t *left = middle - aside, *right = middle + aside;
        const int16_t aside2 = (int16_t)(aside * aside);
        for (uint32_t x = 0; x < width; x++) {
            const int16_t nearer = left[x] < right[x] ? left[x] : right[x], sum = (int16_t)(nearer + aside2);
            squared[x] = squared[x] < sum ? squared[x] : sum;
        }
    }
}

static void price_row(const near_band *band, const uint8_t *ground, uint8_t unknown_cost, uint32_t width,
                      uint8_t *ret_cost, float *ret_clearance_m)
{
    for (uint32_t x = 0; x < width; x++) {
        const int16_t squared = band->squared[x];
        const uint8_t price = band->price[squared];
        const uint8_t floor_price = ground[x] == CAIRN_GROUND_UNKNOWN ? unknown_cost : 0;
        ret_cost[x] = price > floor_price ? price : floor_price;
        ret_clearance_m[x] = band->clearance_m[squared];
    }
}

cairn_err cairn_cost_grid_create(cairn_vec2 origin_m, double cell_m, uint32_t width, uint32_t height,
                                 const uint8_t *ground, const cairn_cost_rules *rules, cairn_arena *arena,
                                 cairn_cost_grid *ret_grid)
{
    CAIRN_ASSERT(cell_m > 0 && width > 0 && height > 0 && (uint64_t)width * height <= CAIRN_COST_CELLS_MAX);
    CAIRN_ASSERT(rules->radius_m >= 0 && rules->comfort_m >= rules->radius_m);
    CAIRN_ASSERT(rules->comfort_m / cell_m <= CAIRN_COST_BAND_CELLS_MAX);
    CAIRN_ASSERT(rules->open_cost >= 1 && rules->near_cost >= rules->open_cost && rules->unknown_cost >= 1);

    const size_t before = cairn_arena_mark(arena), count = (size_t)width * height;
    cairn_cost_grid grid = {.origin_m = origin_m, .cell_m = cell_m, .width = width, .height = height};
    grid.cost = CAIRN_TAKE(arena, uint8_t, count);
    grid.clearance_m = CAIRN_TAKE(arena, float, count);
    const size_t kept = cairn_arena_mark(arena);
    near_band band;
    if (!grid.cost || !grid.clearance_m ||
        !take_band(width, height, (int16_t)ceil(rules->comfort_m / cell_m), arena, &band)) {
        cairn_arena_reset(arena, before);
        return CAIRN_ERR_FULL;
    }

    const uint32_t far = (uint32_t)band.cells + 1;
    cairn_cost_tables(rules, cell_m, far * far, band.price, band.clearance_m);
    sweep_columns(ground, width, height, &band);
    for (uint32_t y = 0; y < height; y++) {
        const size_t row = (size_t)y * width;
        search_row(&band, width, y);
        price_row(&band, ground + row, rules->unknown_cost, width, grid.cost + row, grid.clearance_m + row);
    }
    cairn_arena_reset(arena, kept);
    *ret_grid = grid;
    return CAIRN_OK;
}

// The part of one axis within reach_m of a centre, as cells [*ret_first, *ret_end).
static void span(double centre_m, double origin_m, double cell_m, double reach_m, uint32_t size, uint32_t *ret_first,
                 uint32_t *ret_end)
{
    const double middle = (centre_m - origin_m) / cell_m, half = reach_m / cell_m;
    *ret_first = (uint32_t)fmin(fmax(floor(middle - half), 0.0), size);
    *ret_end = (uint32_t)fmin(fmax(ceil(middle + half), 0.0), size);
}

typedef void (*disc_fn)(cairn_cost_grid *grid, uint32_t cell, double distance_m, double radius_m, uint8_t cost);

// Calls fn for each cell whose centre is less than reach_m from the disc's.
static void for_disc(cairn_cost_grid *grid, cairn_vec2 centre_m, double reach_m, disc_fn fn, double radius_m,
                     uint8_t cost)
{
    uint32_t x_first, x_end, y_first, y_end;
    span(centre_m.x, grid->origin_m.x, grid->cell_m, reach_m, grid->width, &x_first, &x_end);
    span(centre_m.y, grid->origin_m.y, grid->cell_m, reach_m, grid->height, &y_first, &y_end);
    for (uint32_t y = y_first; y < y_end; y++) {
        for (uint32_t x = x_first; x < x_end; x++) {
            const uint32_t cell = y * grid->width + x;
            const double distance_m = cairn_vec2_distance(cairn_cost_grid_centre_of(grid, cell), centre_m);
            if (distance_m < reach_m) { fn(grid, cell, distance_m, radius_m, cost); }
        }
    }
}

// Four times dearer at the rim, falling to the old price at twice the radius.
static void raise_price(cairn_cost_grid *grid, uint32_t cell, double distance_m, double radius_m, uint8_t cost)
{
    (void)cost;
    uint8_t *price = &grid->cost[cell];
    if (distance_m < radius_m) { *price = CAIRN_COST_BLOCKED; }
    if (*price == CAIRN_COST_BLOCKED) { return; }
    const double raised = *price * (1.0 + 3.0 * (2.0 - distance_m / radius_m));
    *price = (uint8_t)fmin(round(raised), CAIRN_COST_BLOCKED - 1);
}

void cairn_cost_grid_block_disc(cairn_cost_grid *grid, cairn_vec2 centre_m, double radius_m)
{
    CAIRN_ASSERT(radius_m > 0);
    for_disc(grid, centre_m, 2.0 * radius_m, raise_price, radius_m, 0);
}

static void lower_price(cairn_cost_grid *grid, uint32_t cell, double distance_m, double radius_m, uint8_t cost)
{
    (void)distance_m;
    (void)radius_m;
    const bool is_obstacle = grid->clearance_m[cell] <= 0;
    if (grid->cost[cell] == CAIRN_COST_BLOCKED && !is_obstacle) { grid->cost[cell] = cost; }
}

void cairn_cost_grid_open_disc(cairn_cost_grid *grid, cairn_vec2 centre_m, double radius_m, uint8_t cost)
{
    CAIRN_ASSERT(cost >= 1 && cost < CAIRN_COST_BLOCKED);
    for_disc(grid, centre_m, radius_m, lower_price, radius_m, cost);
}

bool cairn_cost_grid_cell_of(const cairn_cost_grid *grid, cairn_vec2 at_m, uint32_t *ret_cell)
{
    const double x = floor((at_m.x - grid->origin_m.x) / grid->cell_m);
    const double y = floor((at_m.y - grid->origin_m.y) / grid->cell_m);
    if (!(x >= 0 && x < grid->width && y >= 0 && y < grid->height)) { return false; }
    *ret_cell = (uint32_t)y * grid->width + (uint32_t)x;
    return true;
}

cairn_vec2 cairn_cost_grid_centre_of(const cairn_cost_grid *grid, uint32_t cell)
{
    CAIRN_ASSERT(cell < grid->width * grid->height);
    const uint32_t x = cell % grid->width, y = cell / grid->width;
    return (cairn_vec2){grid->origin_m.x + (x + 0.5) * grid->cell_m, grid->origin_m.y + (y + 0.5) * grid->cell_m};
}
