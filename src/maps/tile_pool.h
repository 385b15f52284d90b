// tile_pool.h - which slot of a fixed pool holds the tile at (x, y); what grids that grow in any direction are made of.
//
// Coordinates are in tiles from the frame's origin, negative ones too. Slots are stable: a tile that is added moves
// nothing. When all slots are taken the tile that was touched longest ago is given up, and counted.
// Memory   From the arena at init; nothing later. The tiles' contents are the owner's, an array by slot.
// Threads  One owner.
#pragma once
#include "base/memory.h"

#define CAIRN_TILE_NONE UINT32_MAX

typedef struct cairn_tile_place {
    int32_t x, y;
    uint32_t newer, older; // neighbours in the list of ages, slots
} cairn_tile_place;

typedef struct cairn_tile_pool {
    uint32_t capacity, used_count, given_up_count;
    uint32_t newest, oldest; // slots, or CAIRN_TILE_NONE
    cairn_tile_place *places;
    uint32_t *table; // slot or CAIRN_TILE_NONE
    uint32_t table_mask;
} cairn_tile_pool;

// capacity: 1 .. 2^24 - 1 tiles. CAIRN_ERR_FULL if the arena is too small; nothing is taken then.
CAIRN_CHECKED cairn_err cairn_tile_pool_init(cairn_tile_pool *pool, uint32_t capacity, cairn_arena *arena);
// The slot of a tile, CAIRN_TILE_NONE if it has none. O(1) expected.
uint32_t cairn_tile_pool_find(const cairn_tile_pool *pool, int32_t x, int32_t y);
// The slot of a tile, which is now the newest. *ret_fresh: it had none, and its contents are what the slot held before.
uint32_t cairn_tile_pool_touch(cairn_tile_pool *pool, int32_t x, int32_t y, bool *ret_fresh);
void cairn_tile_pool_forget(cairn_tile_pool *pool); // all tiles; what was given up stays counted. O(capacity)
