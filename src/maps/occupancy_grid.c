// occupancy_grid.c - tiles under a window of bits that is laid around the sensor for each scan.
//
// The window (maps/local/scan_fill.h) is as large as the range and starts at a tile's corner, so that a word of 64 bits
// lies in one tile. Tiles are looked up once a scan and then found by their place in the window. A scan never gives up
// a tile of its own: it makes each of its tiles the newest, and the pool holds at least as many as the window.
#include "maps/occupancy_grid.h"
#include "maps/local/local_grid_cells.h"
#include "maps/local/scan_fill.h"
#include "maps/logodds.h"
#include "maps/tile_pool.h"
#include <math.h>

#define TILE_BITS 6
#define TILE_CELLS (1 << TILE_BITS)
#define RANGE_CELLS_MAX 4096.0
#define PLACE_CELLS_MAX 1e6 // from the origin: farther, a double and an int32 no longer agree with comfort

typedef struct tile {
    int8_t logodds[TILE_CELLS * TILE_CELLS]; // 0 unknown, < 0 free, > 0 occupied
} tile;

struct cairn_occupancy_grid {
    cairn_occupancy_grid_def def;
    double cells_per_m;
    int8_t hit, miss;
    uint32_t scans_left_out;
    cairn_tile_pool pool;
    tile *tiles;
    uint32_t window_tiles;   // along one edge
    int32_t min_x, min_y;    // lower left cell of the window of the scan in hand
    tile **window;           // of the scan in hand; NULL: not looked up yet
    uint64_t *inside, *kept; // scratch of scan_fill
};

cairn_occupancy_grid_def cairn_occupancy_grid_def_default(void)
{
    const cairn_local_grid_def local = cairn_local_grid_def_default();
    return (cairn_occupancy_grid_def){.cell_m = local.cell_m,
                                      .tile_count = 4096,
                                      .range_m_max = 30.0,
                                      .logodds_hit = local.logodds_hit,
                                      .logodds_miss = local.logodds_miss,
                                      .logodds_limit = local.logodds_limit};
}

// One tile more than the range needs to both sides: the window starts at a tile's corner, not at the sensor.
static uint32_t window_tiles(const cairn_occupancy_grid_def *def)
{
    return (uint32_t)ceil(2 * (def->range_m_max / def->cell_m + 2) / TILE_CELLS) + 1;
}

uint32_t cairn_occupancy_grid_tiles_min(const cairn_occupancy_grid_def *def)
{
    return window_tiles(def) * window_tiles(def);
}

cairn_err cairn_occupancy_grid_create(const cairn_occupancy_grid_def *def, cairn_arena *arena,
                                      cairn_occupancy_grid **ret_grid)
{
    CAIRN_ASSERT(def->cell_m > 0 && def->range_m_max > 0 && def->range_m_max / def->cell_m < RANGE_CELLS_MAX);
    CAIRN_ASSERT(def->logodds_hit > 0 && def->logodds_miss < 0 && def->logodds_limit > 0);
    CAIRN_ASSERT(def->tile_count >= cairn_occupancy_grid_tiles_min(def));
    const uint32_t edge_tiles = window_tiles(def), edge_cells = edge_tiles * TILE_CELLS;
    const size_t mark = cairn_arena_mark(arena), words = (size_t)edge_cells * edge_cells / 64;
    cairn_occupancy_grid *grid = CAIRN_TAKE(arena, cairn_occupancy_grid, 1);
    tile *tiles = CAIRN_TAKE(arena, tile, def->tile_count);
    tile **window = CAIRN_TAKE(arena, tile *, (size_t)edge_tiles * edge_tiles);
    uint64_t *inside = CAIRN_TAKE(arena, uint64_t, words), *kept = CAIRN_TAKE(arena, uint64_t, words);
    if (!grid || !tiles || !window || !inside || !kept ||
        cairn_tile_pool_init(&grid->pool, def->tile_count, arena) != CAIRN_OK) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    grid->def = *def;
    grid->cells_per_m = 1 / def->cell_m;
    grid->hit = cairn_logodds_in_steps(def->logodds_hit, def->logodds_limit);
    grid->miss = cairn_logodds_in_steps(def->logodds_miss, def->logodds_limit);
    grid->tiles = tiles;
    grid->window_tiles = edge_tiles;
    grid->window = window;
    grid->inside = inside, grid->kept = kept;
    *ret_grid = grid;
    return CAIRN_OK;
}

void cairn_occupancy_grid_forget(cairn_occupancy_grid *grid) { cairn_tile_pool_forget(&grid->pool); }

// The log-odds of a cell of the window, its tile made if need be.
static int8_t *cell_of(cairn_occupancy_grid *grid, int32_t x, int32_t y)
{
    const uint32_t tile_x = (uint32_t)x >> TILE_BITS, tile_y = (uint32_t)y >> TILE_BITS;
    tile **place = &grid->window[tile_y * grid->window_tiles + tile_x];
    if (!*place) {
        bool fresh;
        const uint32_t slot = cairn_tile_pool_touch(&grid->pool, (grid->min_x >> TILE_BITS) + (int32_t)tile_x,
                                                    (grid->min_y >> TILE_BITS) + (int32_t)tile_y, &fresh);
        *place = &grid->tiles[slot];
        if (fresh) { **place = (tile){0}; }
    }
    return &(*place)->logodds[(y & (TILE_CELLS - 1)) * TILE_CELLS + (x & (TILE_CELLS - 1))];
}

static void hit_add(void *owner, int32_t x, int32_t y)
{
    cairn_occupancy_grid *grid = owner;
    int8_t *logodds = cell_of(grid, x, y);
    const int value = *logodds + grid->hit;
    *logodds = (int8_t)(value < CAIRN_LOGODDS_LIMIT ? value : CAIRN_LOGODDS_LIMIT);
}

// Written for the vectoriser: bytes only.
static void cells_miss(int8_t *logodds, int32_t count, int8_t miss)
{
    const int8_t limit = -CAIRN_LOGODDS_LIMIT, lowest = (int8_t)(limit - miss);
    for (int32_t i = 0; i < count; i++) { logodds[i] = logodds[i] > lowest ? (int8_t)(logodds[i] + miss) : limit; }
}

static void run_add(void *owner, int32_t row, int32_t from, int32_t end)
{
    cairn_occupancy_grid *grid = owner;
    while (from < end) {
        const int32_t border = (from | (TILE_CELLS - 1)) + 1, stop = end < border ? end : border;
        cells_miss(cell_of(grid, from, row), stop - from, grid->miss);
        from = stop;
    }
}

void cairn_occupancy_grid_add(cairn_occupancy_grid *grid, cairn_pose2 map_T_base, const cairn_scan_points *points)
{
    CAIRN_ASSERT(points->count <= CAIRN_SCAN_POINTS_MAX);
    const cairn_vec2 sensor = cairn_pose2_apply(map_T_base, (cairn_vec2){points->sensor_x_m, points->sensor_y_m});
    const double x = sensor.x * grid->cells_per_m, y = sensor.y * grid->cells_per_m;
    if (!(fabs(x) < PLACE_CELLS_MAX && fabs(y) < PLACE_CELLS_MAX)) {
        grid->scans_left_out++;
        return;
    }
    const int32_t reach = (int32_t)ceil(grid->def.range_m_max * grid->cells_per_m) + 1;
    grid->min_x = (cairn_cell_floor(x) - reach) & ~(TILE_CELLS - 1);
    grid->min_y = (cairn_cell_floor(y) - reach) & ~(TILE_CELLS - 1);
    for (uint32_t i = 0; i < grid->window_tiles * grid->window_tiles; i++) { grid->window[i] = NULL; }
    cairn_scan_fill fill = {.size_cells = grid->window_tiles * TILE_CELLS,
                            .cells_per_m = grid->cells_per_m,
                            .min_x = grid->min_x,
                            .min_y = grid->min_y,
                            .inside = grid->inside,
                            .kept = grid->kept};
    const cairn_scan_fill_calls calls = {.hit = hit_add, .run = run_add, .owner = grid};
    cairn_scan_fill_scan(&fill, map_T_base, points, grid->def.range_m_max, &calls);
}

static int8_t logodds_at(const cairn_occupancy_grid *grid, cairn_vec2 at_m)
{
    const double x_cells = at_m.x * grid->cells_per_m, y_cells = at_m.y * grid->cells_per_m;
    if (!(fabs(x_cells) < 2 * PLACE_CELLS_MAX && fabs(y_cells) < 2 * PLACE_CELLS_MAX)) { return 0; }
    const int32_t x = cairn_cell_floor(x_cells), y = cairn_cell_floor(y_cells);
    const uint32_t slot = cairn_tile_pool_find(&grid->pool, x >> TILE_BITS, y >> TILE_BITS);
    if (slot == CAIRN_TILE_NONE) { return 0; }
    return grid->tiles[slot].logodds[(y & (TILE_CELLS - 1)) * TILE_CELLS + (x & (TILE_CELLS - 1))];
}

static cairn_ground ground_of(int8_t logodds)
{
    if (logodds == 0) { return CAIRN_GROUND_UNKNOWN; }
    return logodds > 0 ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE;
}

cairn_ground cairn_occupancy_grid_at(const cairn_occupancy_grid *grid, cairn_vec2 at_m)
{
    return ground_of(logodds_at(grid, at_m));
}

float cairn_occupancy_grid_p_occupied(const cairn_occupancy_grid *grid, cairn_vec2 at_m)
{
    return cairn_logodds_p(logodds_at(grid, at_m), grid->def.logodds_limit);
}

void cairn_occupancy_grid_read(const cairn_occupancy_grid *grid, int32_t cell_x, int32_t cell_y, uint32_t width,
                               uint32_t height, uint8_t *ret_ground)
{
    const int64_t end_x = (int64_t)cell_x + width, end_y = (int64_t)cell_y + height;
    CAIRN_ASSERT(end_x <= INT32_MAX && end_y <= INT32_MAX);
    memset(ret_ground, CAIRN_GROUND_UNKNOWN, (size_t)width * height);
    for (int32_t y = cell_y; y < end_y; y++) {
        for (int32_t x = cell_x; x < end_x;) {
            const int64_t border = ((int64_t)x | (TILE_CELLS - 1)) + 1;
            const int32_t stop = (int32_t)(border < end_x ? border : end_x);
            const uint32_t slot = cairn_tile_pool_find(&grid->pool, x >> TILE_BITS, y >> TILE_BITS);
            if (slot != CAIRN_TILE_NONE) {
                const int8_t *row = &grid->tiles[slot].logodds[(y & (TILE_CELLS - 1)) * TILE_CELLS];
                uint8_t *ret_row = ret_ground + (size_t)(y - cell_y) * width;
                for (int32_t i = x; i < stop; i++) {
                    ret_row[i - cell_x] = (uint8_t)ground_of(row[i & (TILE_CELLS - 1)]);
                }
            }
            x = stop;
        }
    }
}

cairn_occupancy_grid_info cairn_occupancy_grid_get_info(const cairn_occupancy_grid *grid)
{
    cairn_occupancy_grid_info info = {.tiles_used = grid->pool.used_count,
                                      .tiles_given_up = grid->pool.given_up_count,
                                      .scans_left_out = grid->scans_left_out};
    for (uint32_t i = 0; i < grid->pool.used_count; i++) {
        const int32_t x = grid->pool.places[i].x * TILE_CELLS, y = grid->pool.places[i].y * TILE_CELLS;
        if (i == 0 || x < info.x_min) { info.x_min = x; }
        if (i == 0 || y < info.y_min) { info.y_min = y; }
        if (i == 0 || x + TILE_CELLS > info.x_end) { info.x_end = x + TILE_CELLS; }
        if (i == 0 || y + TILE_CELLS > info.y_end) { info.y_end = y + TILE_CELLS; }
    }
    return info;
}

const cairn_occupancy_grid_def *cairn_occupancy_grid_get_def(const cairn_occupancy_grid *grid) { return &grid->def; }
