// memory.h - arenas that are filled at start and then sealed, and pools for what is born and dies.
//
// Memory   An arena is one block. Objects in it live as long as it does. Taking from a sealed arena is a
//          breach. A scratch arena is reset at the top of each step; its high-water mark is telemetry.
// Threads  One owner.
#pragma once
#include "base/status.h"

typedef struct cairn_arena {
    uint8_t *base;
    size_t size_bytes;
    size_t used_bytes;
    size_t high_water_bytes;
    bool sealed;
    bool owns_block; // made by create, so destroy gives it back
} cairn_arena;

// Uses the caller's block: borrows it for as long as the arena lives.
void cairn_arena_init(cairn_arena *arena, void *block, size_t size_bytes);

// Takes a block from the heap (zeroed pages); CAIRN_ERR_FULL if there is none.
CAIRN_CHECKED cairn_err cairn_arena_create(cairn_arena *ret_arena, size_t size_bytes);
void cairn_arena_destroy(cairn_arena *arena); // accepts NULL and all-zero

// Zeroed memory aligned to 64 bytes; NULL when the arena is too small.
CAIRN_CHECKED void *cairn_arena_take(cairn_arena *arena, size_t count, size_t each_bytes);
#define CAIRN_TAKE(arena, type, count) ((type *)cairn_arena_take((arena), (count), sizeof(type)))

// From here on, taking is a breach.
void cairn_arena_seal(cairn_arena *arena);

// Forgets everything taken since the mark (mark 0: everything). Not on a sealed arena.
size_t cairn_arena_mark(const cairn_arena *arena);
void cairn_arena_reset(cairn_arena *arena, size_t mark);

// Names a pool element for as long as it exists. All-zero names nothing.
typedef struct cairn_id {
    uint32_t slot_plus_1, generation;
} cairn_id;

// Fixed-size elements with stable addresses and ids that go stale when an element is given back.
typedef struct cairn_pool cairn_pool;
CAIRN_CHECKED cairn_err cairn_pool_create(cairn_arena *arena, uint32_t capacity, size_t each_bytes,
                                          cairn_pool **ret_pool);
// A zeroed element; CAIRN_ERR_FULL when all are taken: the caller decides what to evict. O(1).
CAIRN_CHECKED cairn_err cairn_pool_add(cairn_pool *pool, cairn_id *ret_id, void **ret_element);
void cairn_pool_remove(cairn_pool *pool, cairn_id id); // a stale id is ignored
void *cairn_pool_get(cairn_pool *pool, cairn_id id);   // NULL for a stale id
uint32_t cairn_pool_count(const cairn_pool *pool);
// Walks the live elements in slot order: start with all-zero, ends with all-zero.
cairn_id cairn_pool_next(const cairn_pool *pool, cairn_id after);
