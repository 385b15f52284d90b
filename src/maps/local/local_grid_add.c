// local_grid_add.c - folding one scan into the fine cells, the surfaces and the edges.
//
// Which cells a scan is about, each once, comes from maps/local/scan_fill.h.
#include "maps/local/local_grid_cells.h"
#include "maps/local/scan_fill.h"

static int8_t current(const cairn_local_grid *grid, size_t index)
{
    const bool old = (uint8_t)((uint8_t)grid->now_tick - grid->stamp[index]) > CAIRN_MEMORY_TICKS;
    return old ? 0 : grid->logodds[index];
}

static void hit_add(void *owner, int32_t x, int32_t y)
{
    cairn_local_grid *grid = owner;
    const size_t index = cairn_local_grid_index(grid, x + grid->min_x, y + grid->min_y);
    const int value = current(grid, index) + grid->hit;
    grid->logodds[index] = (int8_t)(value < CAIRN_LOGODDS_LIMIT ? value : CAIRN_LOGODDS_LIMIT);
    grid->stamp[index] = (uint8_t)grid->now_tick;
}

// Counts a run of cells, contiguous in memory, as looked through. Written for the vectoriser: bytes only.
static void run_miss(cairn_local_grid *grid, size_t index, size_t count)
{
    int8_t *restrict logodds = grid->logodds + index;
    uint8_t *restrict stamp = grid->stamp + index;
    const uint8_t tick = (uint8_t)grid->now_tick;
    const int8_t miss = grid->miss, limit = -CAIRN_LOGODDS_LIMIT, lowest = (int8_t)(limit - miss);
    for (size_t i = 0; i < count; i++) {
        const int8_t value = (uint8_t)(tick - stamp[i]) > CAIRN_MEMORY_TICKS ? 0 : logodds[i];
        logodds[i] = value > lowest ? (int8_t)(value + miss) : limit;
        stamp[i] = tick;
    }
}

static void run_add(void *owner, int32_t row, int32_t from, int32_t end)
{
    cairn_local_grid *grid = owner;
    const size_t start = cairn_local_grid_index(grid, grid->min_x + from, grid->min_y + row);
    const size_t till_wrap = grid->def.size_cells - (start & (size_t)grid->mask), count = (size_t)(end - from);
    const size_t first = count < till_wrap ? count : till_wrap;
    run_miss(grid, start, first);
    if (count > first) { run_miss(grid, start & ~(size_t)grid->mask, count - first); }
}

static void cells_add(cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_points *points)
{
    cairn_scan_fill fill = {.size_cells = grid->def.size_cells,
                            .cells_per_m = grid->cells_per_m,
                            .min_x = grid->min_x,
                            .min_y = grid->min_y,
                            .inside = grid->inside,
                            .kept = grid->kept};
    const cairn_scan_fill_calls calls = {.hit = hit_add, .run = run_add, .owner = grid};
    cairn_scan_fill_scan(&fill, map_T_base, points, grid->def.range_m_max, &calls);
}

void cairn_local_grid_add(cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_points *points,
                          cairn_mono now)
{
    CAIRN_ASSERT(points->count <= CAIRN_SCAN_POINTS_MAX);
    if (!grid->placed) { cairn_local_grid_centre(grid, cairn_pose2_at(map_T_base)); }
    grid->now_tick = cairn_local_grid_tick(grid, now);
    cairn_local_grid_sweep(grid, grid->now_tick);
    cells_add(grid, map_T_base, points);
    cairn_scan_patches patches;
    cairn_scan_patches_find(points, (float)grid->def.range_m_max, &patches);
    cairn_surfaces_add(grid, map_T_base, &patches);
    cairn_scan_edges edges;
    cairn_scan_edges_find(points, (float)grid->def.range_m_max, &edges);
    cairn_edge_marks_add(grid, map_T_base, &edges);
}
