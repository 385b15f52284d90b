// tile_pool.c - an open hash table of the tiles' coordinates, and a list of their ages.
//
// The table is four times as large as the pool, so that probes stay short; removal shifts entries back and leaves no
// tombstones. The list goes from the tile touched last to the one touched longest ago, whose slot is taken next.
#include "maps/tile_pool.h"

#define NONE CAIRN_TILE_NONE

cairn_err cairn_tile_pool_init(cairn_tile_pool *pool, uint32_t capacity, cairn_arena *arena)
{
    CAIRN_ASSERT(capacity > 0 && capacity < 1u << 24);
    uint32_t table_size = 4;
    while (table_size < 4 * capacity) { table_size *= 2; }
    const size_t mark = cairn_arena_mark(arena);
    cairn_tile_place *places = CAIRN_TAKE(arena, cairn_tile_place, capacity);
    uint32_t *table = CAIRN_TAKE(arena, uint32_t, table_size);
    if (!places || !table) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    *pool = (cairn_tile_pool){.capacity = capacity, .places = places, .table = table, .table_mask = table_size - 1};
    cairn_tile_pool_forget(pool);
    return CAIRN_OK;
}

void cairn_tile_pool_forget(cairn_tile_pool *pool)
{
    CAIRN_ASSERT(pool->table != NULL);
    for (uint32_t i = 0; i <= pool->table_mask; i++) { pool->table[i] = NONE; }
    pool->used_count = 0;
    pool->newest = pool->oldest = NONE;
}

static uint32_t home_of(const cairn_tile_pool *pool, int32_t x, int32_t y)
{
    const uint64_t key = (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
    return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & pool->table_mask;
}

// The table's entry for a tile: where it is, or the empty one where it would go.
static uint32_t entry_of(const cairn_tile_pool *pool, int32_t x, int32_t y)
{
    uint32_t entry = home_of(pool, x, y);
    while (pool->table[entry] != NONE &&
           (pool->places[pool->table[entry]].x != x || pool->places[pool->table[entry]].y != y)) {
        entry = (entry + 1) & pool->table_mask;
    }
    return entry;
}

static void entry_remove(cairn_tile_pool *pool, uint32_t hole)
{
    const uint32_t mask = pool->table_mask;
    for (uint32_t next = (hole + 1) & mask; pool->table[next] != NONE; next = (next + 1) & mask) {
        const cairn_tile_place *place = &pool->places[pool->table[next]];
        const uint32_t home = home_of(pool, place->x, place->y);
        if (((next - home) & mask) >= ((next - hole) & mask)) { // its home is not between the hole and itself
            pool->table[hole] = pool->table[next];
            hole = next;
        }
    }
    pool->table[hole] = NONE;
}

static void age_unlink(cairn_tile_pool *pool, uint32_t slot)
{
    const cairn_tile_place *place = &pool->places[slot];
    *(place->newer == NONE ? &pool->newest : &pool->places[place->newer].older) = place->older;
    *(place->older == NONE ? &pool->oldest : &pool->places[place->older].newer) = place->newer;
}

static void age_link_newest(cairn_tile_pool *pool, uint32_t slot)
{
    pool->places[slot].newer = NONE;
    pool->places[slot].older = pool->newest;
    *(pool->newest == NONE ? &pool->oldest : &pool->places[pool->newest].newer) = slot;
    pool->newest = slot;
}

// A slot for a new tile: one never used, or that of the oldest tile.
static uint32_t slot_take(cairn_tile_pool *pool)
{
    if (pool->used_count < pool->capacity) { return pool->used_count++; }
    const uint32_t slot = pool->oldest;
    age_unlink(pool, slot);
    entry_remove(pool, entry_of(pool, pool->places[slot].x, pool->places[slot].y));
    pool->given_up_count++;
    return slot;
}

uint32_t cairn_tile_pool_find(const cairn_tile_pool *pool, int32_t x, int32_t y)
{
    return pool->table[entry_of(pool, x, y)];
}

uint32_t cairn_tile_pool_touch(cairn_tile_pool *pool, int32_t x, int32_t y, bool *ret_fresh)
{
    uint32_t slot = cairn_tile_pool_find(pool, x, y);
    *ret_fresh = slot == NONE;
    if (slot != NONE) {
        if (slot == pool->newest) { return slot; }
        age_unlink(pool, slot);
    } else {
        slot = slot_take(pool); // may shift the table's entries, so the entry is looked for after it
        pool->places[slot] = (cairn_tile_place){.x = x, .y = y};
        pool->table[entry_of(pool, x, y)] = slot;
    }
    age_link_newest(pool, slot);
    return slot;
}
