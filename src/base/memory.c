// memory.c - arenas and pools.
//
// An arena hands out multiples of 64 bytes from a 64-aligned base. A block from the heap is zeroed already, and
// what lies above the high-water mark was never handed out: only what is taken a second time must be cleared, and
// pages that nobody touches cost nothing.
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

#define ALIGN_BYTES ((size_t)64)
// Every element of a pool is aligned for any scalar type.
#define ELEMENT_ALIGN_BYTES ((size_t)16)

static bool round_up(size_t value, size_t multiple, size_t *ret_rounded)
{
    if (value > SIZE_MAX - (multiple - 1)) { return false; }
    *ret_rounded = (value + multiple - 1) / multiple * multiple;
    return true;
}

static size_t bytes_to_alignment(const void *pointer)
{
    return (ALIGN_BYTES - (uintptr_t)pointer % ALIGN_BYTES) % ALIGN_BYTES;
}

void cairn_arena_init(cairn_arena *arena, void *block, size_t size_bytes)
{
    CAIRN_ASSERT(arena && (block || size_bytes == 0));
    const size_t lost_bytes = bytes_to_alignment(block);
    const size_t rest_bytes = size_bytes > lost_bytes ? size_bytes - lost_bytes : 0;
    *arena = (cairn_arena){.base = rest_bytes ? (uint8_t *)block + lost_bytes : block, .size_bytes = rest_bytes};
}

cairn_err cairn_arena_create(cairn_arena *ret_arena, size_t size_bytes)
{
    CAIRN_ASSERT(ret_arena);
    size_t whole_bytes;
    if (!round_up(size_bytes, ALIGN_BYTES, &whole_bytes)) { return CAIRN_ERR_FULL; }
    if (whole_bytes > SIZE_MAX - 2 * ALIGN_BYTES) { return CAIRN_ERR_FULL; }
    uint8_t *const block = calloc(1, whole_bytes + 2 * ALIGN_BYTES);
    if (!block) { return CAIRN_ERR_FULL; }

    // What calloc gave stands just before the aligned base, for destroy.
    uint8_t *base = block + sizeof block;
    base += bytes_to_alignment(base);
    memcpy(base - sizeof block, &block, sizeof block);
    *ret_arena = (cairn_arena){.base = base, .size_bytes = whole_bytes, .owns_block = true};
    return CAIRN_OK;
}

void cairn_arena_destroy(cairn_arena *arena)
{
    if (!arena) { return; }
    if (arena->owns_block) {
        void *block;
        memcpy(&block, arena->base - sizeof block, sizeof block);
        free(block);
    }
    *arena = (cairn_arena){0};
}

void *cairn_arena_take(cairn_arena *arena, size_t count, size_t each_bytes)
{
    CAIRN_ASSERT(arena && !arena->sealed);
    CAIRN_ASSERT(arena->used_bytes <= arena->size_bytes);
    size_t size_bytes;
    if (__builtin_mul_overflow(count, each_bytes, &size_bytes)) { return NULL; }
    if (!arena->base || size_bytes > arena->size_bytes - arena->used_bytes) { return NULL; }

    uint8_t *const taken = arena->base + arena->used_bytes;
    const size_t start_bytes = arena->used_bytes;
    size_t end_bytes;
    if (!round_up(start_bytes + size_bytes, ALIGN_BYTES, &end_bytes)) { return NULL; }
    if (end_bytes > arena->size_bytes) { end_bytes = arena->size_bytes; }

    const size_t used_before_bytes = arena->owns_block ? arena->high_water_bytes : end_bytes;
    if (used_before_bytes > start_bytes) {
        const size_t dirty_bytes = used_before_bytes - start_bytes;
        memset(taken, 0, dirty_bytes < size_bytes ? dirty_bytes : size_bytes);
    }
    arena->used_bytes = end_bytes;
    if (end_bytes > arena->high_water_bytes) { arena->high_water_bytes = end_bytes; }
    return taken;
}

void cairn_arena_seal(cairn_arena *arena)
{
    CAIRN_ASSERT(arena);
    arena->sealed = true;
}

size_t cairn_arena_mark(const cairn_arena *arena)
{
    CAIRN_ASSERT(arena);
    return arena->used_bytes;
}

void cairn_arena_reset(cairn_arena *arena, size_t mark)
{
    CAIRN_ASSERT(arena && !arena->sealed);
    CAIRN_ASSERT(mark <= arena->used_bytes);
    arena->used_bytes = mark;
}

#define SLOT_NONE UINT32_MAX       // end of the list of free slots
#define SLOT_LIVE (UINT32_MAX - 1) // this slot is not in that list

struct cairn_pool {
    uint8_t *elements;
    uint32_t *generations;  // of the id that a slot has now, or will get next; never 0
    uint32_t *next_free;    // for each slot: SLOT_LIVE, or the next free one
    size_t stride_bytes;    // from one element to the next
    uint32_t capacity;      // slots
    uint32_t live_count;    // slots in use
    uint32_t reached_count; // slots from here on were never used
    uint32_t first_free;    // among the slots that were used before
};

cairn_err cairn_pool_create(cairn_arena *arena, uint32_t capacity, size_t each_bytes, cairn_pool **ret_pool)
{
    CAIRN_ASSERT(arena && ret_pool);
    CAIRN_ASSERT(capacity < SLOT_LIVE && each_bytes > 0);
    const size_t mark = cairn_arena_mark(arena);
    size_t stride_bytes;
    if (!round_up(each_bytes, ELEMENT_ALIGN_BYTES, &stride_bytes)) { return CAIRN_ERR_FULL; }

    cairn_pool *const pool = CAIRN_TAKE(arena, cairn_pool, 1);
    uint32_t *const generations = CAIRN_TAKE(arena, uint32_t, capacity);
    uint32_t *const next_free = CAIRN_TAKE(arena, uint32_t, capacity);
    uint8_t *const elements = cairn_arena_take(arena, capacity, stride_bytes);
    if (!pool || !generations || !next_free || !elements) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    *pool = (cairn_pool){.elements = elements,
                         .generations = generations,
                         .next_free = next_free,
                         .stride_bytes = stride_bytes,
                         .capacity = capacity,
                         .first_free = SLOT_NONE};
    *ret_pool = pool;
    return CAIRN_OK;
}

static void *element_at(const cairn_pool *pool, uint32_t slot)
{
    CAIRN_ASSERT(slot < pool->capacity);
    return pool->elements + slot * pool->stride_bytes;
}

static bool is_live(const cairn_pool *pool, cairn_id id)
{
    if (id.slot_plus_1 == 0 || id.slot_plus_1 > pool->reached_count) { return false; }
    const uint32_t slot = id.slot_plus_1 - 1;
    return pool->next_free[slot] == SLOT_LIVE && pool->generations[slot] == id.generation;
}

cairn_err cairn_pool_add(cairn_pool *pool, cairn_id *ret_id, void **ret_element)
{
    CAIRN_ASSERT(pool && ret_id && ret_element);
    if (pool->live_count == pool->capacity) { return CAIRN_ERR_FULL; }
    uint32_t slot = pool->first_free;
    if (slot == SLOT_NONE) {
        slot = pool->reached_count++;
        pool->generations[slot] = 1;
    } else {
        pool->first_free = pool->next_free[slot];
    }
    CAIRN_ASSERT(slot < pool->capacity && pool->next_free[slot] != SLOT_LIVE);
    pool->next_free[slot] = SLOT_LIVE;
    pool->live_count++;
    *ret_id = (cairn_id){.slot_plus_1 = slot + 1, .generation = pool->generations[slot]};
    *ret_element = memset(element_at(pool, slot), 0, pool->stride_bytes);
    return CAIRN_OK;
}

void cairn_pool_remove(cairn_pool *pool, cairn_id id)
{
    CAIRN_ASSERT(pool);
    if (!is_live(pool, id)) { return; }
    const uint32_t slot = id.slot_plus_1 - 1;
    const uint32_t generation = pool->generations[slot] + 1;
    pool->generations[slot] = generation ? generation : 1;
    pool->next_free[slot] = pool->first_free;
    pool->first_free = slot;
    pool->live_count--;
}

void *cairn_pool_get(cairn_pool *pool, cairn_id id)
{
    CAIRN_ASSERT(pool);
    return is_live(pool, id) ? element_at(pool, id.slot_plus_1 - 1) : NULL;
}

uint32_t cairn_pool_count(const cairn_pool *pool)
{
    CAIRN_ASSERT(pool);
    return pool->live_count;
}

cairn_id cairn_pool_next(const cairn_pool *pool, cairn_id after)
{
    CAIRN_ASSERT(pool);
    for (uint32_t slot = after.slot_plus_1; slot < pool->reached_count; slot++) {
        if (pool->next_free[slot] == SLOT_LIVE) {
            return (cairn_id){.slot_plus_1 = slot + 1, .generation = pool->generations[slot]};
        }
    }
    return (cairn_id){0};
}
