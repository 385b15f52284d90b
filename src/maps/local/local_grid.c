// local_grid.c - the window: making it, rolling it, forgetting, and asking.
//
// A cell's age is kept in 8 bits of ticks, 60 of them to memory_s. They would wrap, so a sweep passes over the whole
// window once in memory_s and clears what is too old: no cell ever gets older than about half of what 8 bits hold.
// Log-odds of exactly 0 mean unknown, which is what p = 0.5 means anyway; then no third plane is needed.
#include "maps/local/local_grid_cells.h"
#include <math.h>
#include <stdlib.h>

cairn_local_grid_def cairn_local_grid_def_default(void)
{
    return (cairn_local_grid_def){
        .cell_m = 0.05,
        .size_cells = 512,
        .memory_s = 15.0,
        .range_m_max = 12.0,
        .logodds_hit = 0.9f,
        .logodds_miss = -0.385f,
        .logodds_limit = 3.5f,
    };
}

cairn_err cairn_local_grid_create(const cairn_local_grid_def *def, cairn_arena *arena, cairn_local_grid **ret_grid)
{
    CAIRN_ASSERT(def->cell_m > 0 && def->memory_s > 0 && def->range_m_max > 0);
    CAIRN_ASSERT(def->size_cells >= 64 && def->size_cells <= 16384 && (def->size_cells & (def->size_cells - 1)) == 0);
    CAIRN_ASSERT(def->logodds_hit > 0 && def->logodds_miss < 0 && def->logodds_limit > 0);
    const size_t mark = cairn_arena_mark(arena), cells = (size_t)def->size_cells * def->size_cells;
    const uint32_t surface_edge = def->size_cells / 2;
    cairn_local_grid *grid = CAIRN_TAKE(arena, cairn_local_grid, 1);
    int8_t *logodds = CAIRN_TAKE(arena, int8_t, cells);
    uint8_t *stamp = CAIRN_TAKE(arena, uint8_t, cells);
    uint64_t *inside = CAIRN_TAKE(arena, uint64_t, cells / 64), *kept = CAIRN_TAKE(arena, uint64_t, cells / 64);
    cairn_surface_cell *surfaces =
        CAIRN_TAKE(arena, cairn_surface_cell, (size_t)surface_edge * surface_edge * CAIRN_SURFACE_SIDES);
    if (!grid || !logodds || !stamp || !inside || !kept || !surfaces) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    *grid = (cairn_local_grid){
        .def = *def,
        .cells_per_m = 1 / def->cell_m,
        .tick_ns = (int64_t)(def->memory_s * 1e9 / CAIRN_MEMORY_TICKS),
        .mask = (int32_t)def->size_cells - 1,
        .hit = cairn_logodds_in_steps(def->logodds_hit, def->logodds_limit),
        .miss = cairn_logodds_in_steps(def->logodds_miss, def->logodds_limit),
        .logodds = logodds,
        .stamp = stamp,
        .inside = inside,
        .kept = kept,
        .surface_m = 2 * def->cell_m,
        .surfaces_per_m = 0.5 / def->cell_m,
        .surface_mask = (int32_t)surface_edge - 1,
        .surfaces = surfaces,
    };
    *ret_grid = grid;
    return CAIRN_OK;
}

static void rows_clear(cairn_local_grid *grid, int32_t from_y, int32_t count)
{
    for (int32_t y = from_y; y < from_y + count; y++) {
        memset(grid->logodds + cairn_local_grid_index(grid, 0, y), 0, grid->def.size_cells);
    }
}

static void columns_clear(cairn_local_grid *grid, int32_t from_x, int32_t count)
{
    for (int32_t y = 0; y <= grid->mask; y++) {
        int8_t *row = grid->logodds + cairn_local_grid_index(grid, 0, y);
        for (int32_t x = from_x; x < from_x + count; x += CAIRN_WINDOW_STEP) {
            memset(row + (x & grid->mask), 0, CAIRN_WINDOW_STEP); // aligned, so it never wraps
        }
    }
}

void cairn_local_grid_centre(cairn_local_grid *grid, cairn_vec2 at_m)
{
    const int32_t size = (int32_t)grid->def.size_cells, half = size / 2, step = CAIRN_WINDOW_STEP;
    const double middle_x = at_m.x * grid->cells_per_m, middle_y = at_m.y * grid->cells_per_m;
    const int32_t min_x = cairn_cell_floor(middle_x / step + 0.5) * step - half;
    const int32_t min_y = cairn_cell_floor(middle_y / step + 0.5) * step - half;
    // Hysteresis of one step, so that driving along a border does not clear the same strip again and again.
    if (grid->placed && fabs(middle_x - (grid->min_x + half)) < step && fabs(middle_y - (grid->min_y + half)) < step) {
        return;
    }
    const int32_t by_x = min_x - grid->min_x, by_y = min_y - grid->min_y;
    if (!grid->placed || abs(by_x) >= size || abs(by_y) >= size) {
        rows_clear(grid, 0, size);
    } else {
        if (by_x > 0) { columns_clear(grid, grid->min_x + size, by_x); }
        if (by_x < 0) { columns_clear(grid, min_x, -by_x); }
        if (by_y > 0) { rows_clear(grid, grid->min_y + size, by_y); }
        if (by_y < 0) { rows_clear(grid, min_y, -by_y); }
    }
    grid->min_x = min_x, grid->min_y = min_y;
    grid->placed = true;
}

void cairn_local_grid_sweep(cairn_local_grid *grid, uint32_t tick)
{
    const uint32_t size = grid->def.size_cells, passed = tick - grid->swept_tick;
    if (passed == 0) { return; }
    if (passed > CAIRN_MEMORY_TICKS) { // 8 bits can no longer tell the ages of those cells apart
        rows_clear(grid, 0, (int32_t)size);
    } else {
        uint32_t row_count = (size * passed + CAIRN_MEMORY_TICKS - 1) / CAIRN_MEMORY_TICKS;
        if (row_count > size) { row_count = size; }
        for (uint32_t i = 0; i < row_count; i++) {
            const size_t row = cairn_local_grid_index(grid, 0, (int32_t)grid->swept_row);
            int8_t *logodds = grid->logodds + row;
            const uint8_t *stamp = grid->stamp + row;
            for (uint32_t x = 0; x < size; x++) {
                logodds[x] = (uint8_t)((uint8_t)tick - stamp[x]) > CAIRN_MEMORY_TICKS ? 0 : logodds[x];
            }
            grid->swept_row = (grid->swept_row + 1) & (uint32_t)grid->mask;
        }
    }
    grid->swept_tick = tick;
}

// With its sums: a scan that comes within the memory's time adds to what is left.
static void surface_forget(cairn_surface_cell *cell)
{
    if (cell->count != 0) { *cell = (cairn_surface_cell){0}; } // what was never written stays so
}

void cairn_local_grid_forget_disc(cairn_local_grid *grid, cairn_vec2 centre_m, double radius_m)
{
    const double radius = radius_m * grid->cells_per_m, middle_x = centre_m.x * grid->cells_per_m,
                 middle_y = centre_m.y * grid->cells_per_m;
    cairn_edge_marks_forget_disc(grid, centre_m, radius_m);
    for (int32_t y = cairn_cell_floor(middle_y - radius); y <= cairn_cell_floor(middle_y + radius); y++) {
        for (int32_t x = cairn_cell_floor(middle_x - radius); x <= cairn_cell_floor(middle_x + radius); x++) {
            const double dx = x + 0.5 - middle_x, dy = y + 0.5 - middle_y;
            if (dx * dx + dy * dy > radius * radius || !cairn_local_grid_inside(grid, x, y)) { continue; }
            const size_t index = cairn_local_grid_index(grid, x, y);
            grid->logodds[index] = grid->miss;
            grid->stamp[index] = (uint8_t)grid->now_tick;
            for (uint32_t side = 0; side < CAIRN_SURFACE_SIDES; side++) {
                surface_forget(cairn_surface_at(grid, x >> 1, y >> 1, side));
            }
        }
    }
}

void cairn_local_grid_forget(cairn_local_grid *grid)
{
    grid->mark_count = 0;
    rows_clear(grid, 0, (int32_t)grid->def.size_cells);
    const size_t edge = (size_t)grid->surface_mask + 1;
    for (size_t i = 0; i < edge * edge * CAIRN_SURFACE_SIDES; i++) { surface_forget(&grid->surfaces[i]); }
}

cairn_ground cairn_local_grid_at(const cairn_local_grid *grid, cairn_vec2 at_m, cairn_mono now)
{
    const uint32_t tick = cairn_local_grid_tick(grid, now);
    const int32_t x = cairn_cell_floor(at_m.x * grid->cells_per_m), y = cairn_cell_floor(at_m.y * grid->cells_per_m);
    if (cairn_local_grid_is_stale(grid, tick) || !cairn_local_grid_inside(grid, x, y)) { return CAIRN_GROUND_UNKNOWN; }
    return cairn_local_grid_ground(grid, cairn_local_grid_index(grid, x, y), (uint8_t)tick);
}

// A stretch of one row, without branches, so that the compiler makes vectors of it.
static void row_read(const int8_t *logodds, const uint8_t *stamp, uint32_t count, uint8_t tick, uint8_t *ret_ground)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t fresh = (uint8_t)(tick - stamp[i]) <= CAIRN_MEMORY_TICKS;
        const uint8_t free = logodds[i]<0, obstacle = logodds[i]> 0;
        ret_ground[i] = (uint8_t)(fresh * (free * CAIRN_GROUND_FREE + obstacle * CAIRN_GROUND_OBSTACLE));
    }
}

void cairn_local_grid_read(const cairn_local_grid *grid, cairn_vec2 corner_m, uint32_t width, uint32_t height,
                           cairn_mono now, uint8_t *ret_ground)
{
    const uint32_t tick = cairn_local_grid_tick(grid, now);
    const int32_t x0 = cairn_cell_floor(corner_m.x * grid->cells_per_m);
    const int32_t y0 = cairn_cell_floor(corner_m.y * grid->cells_per_m);
    memset(ret_ground, CAIRN_GROUND_UNKNOWN, (size_t)width * height);
    if (cairn_local_grid_is_stale(grid, tick)) { return; }
    const int32_t size = (int32_t)grid->def.size_cells;
    const int32_t from = x0 > grid->min_x ? x0 : grid->min_x;
    const int32_t end = x0 + (int32_t)width < grid->min_x + size ? x0 + (int32_t)width : grid->min_x + size;
    for (int32_t y = y0; y < y0 + (int32_t)height; y++) {
        if (y < grid->min_y || y >= grid->min_y + size) { continue; }
        // Modulo the window a row is one stretch or two.
        for (int32_t x = from; x < end;) {
            const int32_t room = size - (x & grid->mask), count = end - x < room ? end - x : room;
            const size_t at = cairn_local_grid_index(grid, x, y);
            row_read(grid->logodds + at, grid->stamp + at, (uint32_t)count, (uint8_t)tick,
                     ret_ground + (size_t)(y - y0) * width + (size_t)(x - x0));
            x += count;
        }
    }
}

const cairn_local_grid_def *cairn_local_grid_get_def(const cairn_local_grid *grid) { return &grid->def; }
