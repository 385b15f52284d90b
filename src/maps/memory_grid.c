// memory_grid.c - tiles of 16 x 16 coarse cells from a fixed pool, found by an open hash table of their coordinates.
//
// The table is four times as large as the pool, so that probes stay short; removal shifts entries back and leaves no
// tombstones. Age is a list from the tile touched last to the one touched longest ago, whose tail is given up.
#include "maps/memory_grid.h"
#include "maps/local_grid_cells.h"
#include <math.h>

#define TILE_CELLS 16
#define NONE UINT32_MAX

typedef struct tile {
    int32_t x, y;          // in tiles from the frame's origin
    uint32_t newer, older; // neighbours in the list of ages
    uint8_t ground[TILE_CELLS * TILE_CELLS];
} tile;

struct cairn_memory_grid {
    cairn_memory_grid_def def;
    tile *tiles;
    uint32_t used_count, given_up_count;
    uint32_t newest, oldest;
    uint32_t *table; // tile index or NONE
    uint32_t table_mask;
};

cairn_memory_grid_def cairn_memory_grid_def_default(void)
{
    return (cairn_memory_grid_def){.cell_m = 0.2, .tile_count = 2048};
}

cairn_err cairn_memory_grid_create(const cairn_memory_grid_def *def, cairn_arena *arena, cairn_memory_grid **ret_grid)
{
    CAIRN_ASSERT(def->cell_m > 0 && def->tile_count > 0 && def->tile_count < 1u << 24);
    uint32_t table_size = 4;
    while (table_size < 4 * def->tile_count) { table_size *= 2; }
    const size_t mark = cairn_arena_mark(arena);
    cairn_memory_grid *memory = CAIRN_TAKE(arena, cairn_memory_grid, 1);
    tile *tiles = CAIRN_TAKE(arena, tile, def->tile_count);
    uint32_t *table = CAIRN_TAKE(arena, uint32_t, table_size);
    if (!memory || !tiles || !table) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    for (uint32_t i = 0; i < table_size; i++) { table[i] = NONE; }
    *memory = (cairn_memory_grid){
        .def = *def, .tiles = tiles, .newest = NONE, .oldest = NONE, .table = table, .table_mask = table_size - 1};
    *ret_grid = memory;
    return CAIRN_OK;
}

static uint32_t home_of(const cairn_memory_grid *memory, int32_t x, int32_t y)
{
    const uint64_t key = (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
    return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & memory->table_mask;
}

// The table's entry for a tile: where it is, or the empty one where it would go.
static uint32_t entry_of(const cairn_memory_grid *memory, int32_t x, int32_t y)
{
    uint32_t entry = home_of(memory, x, y);
    while (memory->table[entry] != NONE &&
           (memory->tiles[memory->table[entry]].x != x || memory->tiles[memory->table[entry]].y != y)) {
        entry = (entry + 1) & memory->table_mask;
    }
    return entry;
}

static void entry_remove(cairn_memory_grid *memory, uint32_t hole)
{
    const uint32_t mask = memory->table_mask;
    for (uint32_t next = (hole + 1) & mask; memory->table[next] != NONE; next = (next + 1) & mask) {
        const tile *t = &memory->tiles[memory->table[next]];
        const uint32_t home = home_of(memory, t->x, t->y);
        if (((next - home) & mask) >= ((next - hole) & mask)) { // its home is not between the hole and itself
            memory->table[hole] = memory->table[next];
            hole = next;
        }
    }
    memory->table[hole] = NONE;
}

static void age_unlink(cairn_memory_grid *memory, uint32_t index)
{
    const tile *t = &memory->tiles[index];
    *(t->newer == NONE ? &memory->newest : &memory->tiles[t->newer].older) = t->older;
    *(t->older == NONE ? &memory->oldest : &memory->tiles[t->older].newer) = t->newer;
}

static void age_link_newest(cairn_memory_grid *memory, uint32_t index)
{
    memory->tiles[index].newer = NONE;
    memory->tiles[index].older = memory->newest;
    *(memory->newest == NONE ? &memory->oldest : &memory->tiles[memory->newest].newer) = index;
    memory->newest = index;
}

// The tile at these coordinates, made if need be, and now the newest.
static tile *tile_touch(cairn_memory_grid *memory, int32_t x, int32_t y)
{
    uint32_t entry = entry_of(memory, x, y), index = memory->table[entry];
    if (index != NONE) {
        age_unlink(memory, index);
    } else {
        if (memory->used_count < memory->def.tile_count) {
            index = memory->used_count++;
        } else {
            index = memory->oldest;
            age_unlink(memory, index);
            entry_remove(memory, entry_of(memory, memory->tiles[index].x, memory->tiles[index].y));
            entry = entry_of(memory, x, y);
            memory->given_up_count++;
        }
        memory->tiles[index] = (tile){.x = x, .y = y};
        memory->table[entry] = index;
    }
    age_link_newest(memory, index);
    return &memory->tiles[index];
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
        for (int32_t x = x_min; x <= x_max; x++) {
            const double dx = (x + 0.5) * cell_m - centre_m.x, dy = (y + 0.5) * cell_m - centre_m.y;
            if (dx * dx + dy * dy > radius_m * radius_m) { continue; }
            const cairn_ground ground = coarse_ground(memory, local, x, y, tick);
            if (ground == CAIRN_GROUND_UNKNOWN) { continue; }
            if (!current || current->x != tile_of(x)) { current = tile_touch(memory, tile_of(x), tile_of(y)); }
            current->ground[within_tile(x, y)] = (uint8_t)ground;
        }
    }
}

cairn_ground cairn_memory_grid_at(const cairn_memory_grid *memory, cairn_vec2 at_m)
{
    const int32_t x = cairn_cell_floor(at_m.x / memory->def.cell_m), y = cairn_cell_floor(at_m.y / memory->def.cell_m);
    const uint32_t index = memory->table[entry_of(memory, tile_of(x), tile_of(y))];
    return index == NONE ? CAIRN_GROUND_UNKNOWN : (cairn_ground)memory->tiles[index].ground[within_tile(x, y)];
}

uint32_t cairn_memory_grid_tiles_used(const cairn_memory_grid *memory) { return memory->used_count; }
uint32_t cairn_memory_grid_tiles_given_up(const cairn_memory_grid *memory) { return memory->given_up_count; }
