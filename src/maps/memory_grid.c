// memory_grid.c - tiles of 16 x 16 coarse cells from a fixed pool (maps/tile_pool.h).
#include "maps/memory_grid.h"
#include "maps/local/local_grid_cells.h"
#include "maps/tile_pool.h"
#include <math.h>

#define TILE_CELLS 16

typedef struct tile {
    uint8_t ground[TILE_CELLS * TILE_CELLS];
} tile;

struct cairn_memory_grid {
    cairn_memory_grid_def def;
    cairn_tile_pool pool;
    tile *tiles;
};

cairn_memory_grid_def cairn_memory_grid_def_default(void)
{
    return (cairn_memory_grid_def){.cell_m = 0.2, .tile_count = 2048};
}

cairn_err cairn_memory_grid_create(const cairn_memory_grid_def *def, cairn_arena *arena, cairn_memory_grid **ret_grid)
{
    CAIRN_ASSERT(def->cell_m > 0);
    const size_t mark = cairn_arena_mark(arena);
    cairn_memory_grid *memory = CAIRN_TAKE(arena, cairn_memory_grid, 1);
    tile *tiles = CAIRN_TAKE(arena, tile, def->tile_count);
    if (!memory || !tiles || cairn_tile_pool_init(&memory->pool, def->tile_count, arena) != CAIRN_OK) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    memory->def = *def;
    memory->tiles = tiles;
    *ret_grid = memory;
    return CAIRN_OK;
}

void cairn_memory_grid_forget_all(cairn_memory_grid *memory) { cairn_tile_pool_forget(&memory->pool); }

// The tile at these coordinates, made if need be, and now the newest.
static tile *tile_touch(cairn_memory_grid *memory, int32_t x, int32_t y)
{
    bool fresh;
    tile *touched = &memory->tiles[cairn_tile_pool_touch(&memory->pool, x, y, &fresh)];
    if (fresh) { *touched = (tile){0}; }
    return touched;
}

// What the local map says of one coarse cell: an obstacle if any fine cell in it is, free if more than half of it is
// known, else nothing.
static cairn_ground coarse_ground(const cairn_memory_grid *memory, const cairn_local_grid *local, int32_t x, int32_t y,
                                  uint32_t tick)
{
    const double ratio = memory->def.cell_m * local->cells_per_m;
    // Fine cells whose middles lie in the coarse cell.
    const int32_t x_min = (int32_t)ceil(x * ratio - 0.5 - 1e-9), x_end = (int32_t)ceil((x + 1) * ratio - 0.5 - 1e-9);
    const int32_t y_min = (int32_t)ceil(y * ratio - 0.5 - 1e-9), y_end = (int32_t)ceil((y + 1) * ratio - 0.5 - 1e-9);
    int32_t known = 0;
    for (int32_t v = y_min; v < y_end; v++) {
        for (int32_t u = x_min; u < x_end; u++) {
            if (!cairn_local_grid_inside(local, u, v)) { continue; }
            const cairn_ground ground =
                cairn_local_grid_ground(local, cairn_local_grid_index(local, u, v), (uint8_t)tick);
            if (ground == CAIRN_GROUND_OBSTACLE) { return CAIRN_GROUND_OBSTACLE; }
            known += ground == CAIRN_GROUND_FREE;
        }
    }
    return 2 * known > (x_end - x_min) * (y_end - y_min) ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
}

static int32_t tile_of(int32_t cell) { return cell >> 4; }
static uint32_t within_tile(int32_t x, int32_t y)
{
    return (uint32_t)(y & (TILE_CELLS - 1)) * TILE_CELLS + (uint32_t)(x & (TILE_CELLS - 1));
}

void cairn_memory_grid_add(cairn_memory_grid *memory, const cairn_local_grid *local, cairn_vec2 centre_m,
                           double radius_m, cairn_mono now)
{
    const uint32_t tick = cairn_local_grid_tick(local, now);
    if (cairn_local_grid_is_stale(local, tick)) { return; }
    const double cell_m = memory->def.cell_m;
    const int32_t x_min = cairn_cell_floor((centre_m.x - radius_m) / cell_m);
    const int32_t x_max = cairn_cell_floor((centre_m.x + radius_m) / cell_m);
    const int32_t y_min = cairn_cell_floor((centre_m.y - radius_m) / cell_m);
    const int32_t y_max = cairn_cell_floor((centre_m.y + radius_m) / cell_m);
    for (int32_t y = y_min; y <= y_max; y++) {
        tile *current = NULL;
        int32_t current_x = 0;
        for (int32_t x = x_min; x <= x_max; x++) {
            const double dx = (x + 0.5) * cell_m - centre_m.x, dy = (y + 0.5) * cell_m - centre_m.y;
            if (dx * dx + dy * dy > radius_m * radius_m) { continue; }
            const cairn_ground ground = coarse_ground(memory, local, x, y, tick);
            if (ground == CAIRN_GROUND_UNKNOWN) { continue; }
            if (!current || current_x != tile_of(x)) {
                current_x = tile_of(x);
                current = tile_touch(memory, current_x, tile_of(y));
            }
            current->ground[within_tile(x, y)] = (uint8_t)ground;
        }
    }
}

// What a drivability map says of one coarse cell of edge * edge of its own: as coarse_ground.
static cairn_ground coarse_of(const uint8_t *ground, uint32_t width, uint32_t edge)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < edge * edge; i++) {
        const uint8_t fine = ground[(size_t)(i / edge) * width + i % edge];
        if (fine == CAIRN_GROUND_OBSTACLE) { return CAIRN_GROUND_OBSTACLE; }
        known += fine == CAIRN_GROUND_FREE;
    }
    return 2 * known > edge * edge ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
}

void cairn_memory_grid_put(cairn_memory_grid *memory, const cairn_drivability_area *area, const uint8_t *ground)
{
    const double cell_m = memory->def.cell_m, ratio = cell_m / area->cell_m;
    const uint32_t edge = (uint32_t)lrint(ratio);
    const int32_t x_min = (int32_t)lrint(area->origin_m.x / cell_m), y_min = (int32_t)lrint(area->origin_m.y / cell_m);
    CAIRN_ASSERT(edge > 0 && fabs(ratio - edge) < 1e-6);
    CAIRN_ASSERT(fabs(x_min * cell_m - area->origin_m.x) < 1e-6 && fabs(y_min * cell_m - area->origin_m.y) < 1e-6);
    for (uint32_t y = 0; y < area->height / edge; y++) {
        for (uint32_t x = 0; x < area->width / edge; x++) {
            const uint8_t *fine = ground + (size_t)y * edge * area->width + (size_t)x * edge;
            const cairn_ground said = coarse_of(fine, area->width, edge);
            if (said == CAIRN_GROUND_UNKNOWN) { continue; }
            const int32_t u = x_min + (int32_t)x, v = y_min + (int32_t)y;
            tile_touch(memory, tile_of(u), tile_of(v))->ground[within_tile(u, v)] = (uint8_t)said;
        }
    }
}

void cairn_memory_grid_forget(cairn_memory_grid *memory, cairn_vec2 centre_m, double radius_m)
{
    const double cell_m = memory->def.cell_m;
    const int32_t reach = (int32_t)ceil(radius_m / cell_m);
    const int32_t middle_x = cairn_cell_floor(centre_m.x / cell_m), middle_y = cairn_cell_floor(centre_m.y / cell_m);
    for (int32_t y = middle_y - reach; y <= middle_y + reach; y++) {
        for (int32_t x = middle_x - reach; x <= middle_x + reach; x++) {
            const double dx = (x + 0.5) * cell_m - centre_m.x, dy = (y + 0.5) * cell_m - centre_m.y;
            const uint32_t slot = cairn_tile_pool_find(&memory->pool, tile_of(x), tile_of(y));
            if (slot == CAIRN_TILE_NONE || dx * dx + dy * dy > radius_m * radius_m) { continue; }
            memory->tiles[slot].ground[within_tile(x, y)] = CAIRN_GROUND_UNKNOWN;
        }
    }
}

cairn_ground cairn_memory_grid_at(const cairn_memory_grid *memory, cairn_vec2 at_m)
{
    const int32_t x = cairn_cell_floor(at_m.x / memory->def.cell_m), y = cairn_cell_floor(at_m.y / memory->def.cell_m);
    const uint32_t slot = cairn_tile_pool_find(&memory->pool, tile_of(x), tile_of(y));
    return slot == CAIRN_TILE_NONE ? CAIRN_GROUND_UNKNOWN : (cairn_ground)memory->tiles[slot].ground[within_tile(x, y)];
}

// A row looks each of its tiles up once.
void cairn_memory_grid_merge(const cairn_memory_grid *memory, const cairn_drivability_area *area, uint8_t *ground)
{
    CAIRN_ASSERT(memory != NULL && ground != NULL && area->cell_m > 0);
    for (uint32_t y = 0; y < area->height; y++) {
        const int32_t v = cairn_cell_floor((area->origin_m.y + (y + 0.5) * area->cell_m) / memory->def.cell_m);
        int32_t tile_x = 0;
        uint32_t slot = CAIRN_TILE_NONE;
        for (uint32_t x = 0; x < area->width; x++) {
            const int32_t u = cairn_cell_floor((area->origin_m.x + (x + 0.5) * area->cell_m) / memory->def.cell_m);
            if (x == 0 || tile_of(u) != tile_x) {
                tile_x = tile_of(u);
                slot = cairn_tile_pool_find(&memory->pool, tile_x, tile_of(v));
            }
            if (slot == CAIRN_TILE_NONE) { continue; }
            const uint8_t known = memory->tiles[slot].ground[within_tile(u, v)];
            uint8_t *cell = &ground[(size_t)y * area->width + x];
            if (known > *cell) { *cell = known; }
        }
    }
}

uint32_t cairn_memory_grid_tiles_used(const cairn_memory_grid *memory) { return memory->pool.used_count; }
uint32_t cairn_memory_grid_tiles_given_up(const cairn_memory_grid *memory) { return memory->pool.given_up_count; }
