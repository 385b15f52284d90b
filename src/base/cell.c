// cell.c - a short ring of slots, each under a sequence lock.
//
// Write n goes to slot n mod 4: mark it as being written, fill it, mark it as n, then say that n is the newest. A
// reader copies the newest slot and looks at its mark again: had the writer come round meanwhile, the copy is thrown
// away. That needs four writes during one copy; after a few tries the reader keeps what it has. Words are copied as
// relaxed atomics, so that a copy that is thrown away is no data race.
#include "base/cell.h"
#include <stdatomic.h>
#include <string.h>

#define SLOTS 4u // a power of two
#define TRIES 4
#define LINE_BYTES ((size_t)64)
#define LINE_WORDS (LINE_BYTES / sizeof(uint64_t))

struct cairn_cell_memory {
    _Alignas(64) _Atomic uint64_t newest;  // number of the last write, 0: none
    _Alignas(64) _Atomic uint64_t slots[]; // each a line with its mark, 2 n when it holds write n, and then the value
};

static size_t words_for(size_t value_bytes)
{
    CAIRN_ASSERT(value_bytes > 0 && value_bytes <= UINT32_MAX / 8);
    return (value_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_WORDS;
}

static _Atomic uint64_t *slot_of(const cairn_cell *cell, uint64_t number)
{
    return cell->memory->slots + (number % SLOTS) * (LINE_WORDS + cell->slot_words);
}

size_t cairn_cell_memory_bytes(size_t value_bytes)
{
    return sizeof(cairn_cell_memory) + SLOTS * (LINE_WORDS + words_for(value_bytes)) * sizeof(uint64_t);
}

static size_t end_bytes(size_t value_bytes)
{
    return sizeof(cairn_cell) + 3 * words_for(value_bytes) * sizeof(uint64_t);
}

size_t cairn_cell_bytes(size_t value_bytes) { return cairn_cell_memory_bytes(value_bytes) + end_bytes(value_bytes); }

cairn_err cairn_cell_attach(cairn_arena *arena, void *memory, size_t value_bytes, cairn_cell **ret_cell)
{
    CAIRN_ASSERT(arena && memory && ret_cell);
    CAIRN_ASSERT((uintptr_t)memory % LINE_BYTES == 0);
    const size_t words = words_for(value_bytes);
    cairn_cell *const cell = CAIRN_TAKE(arena, cairn_cell, 1);
    uint64_t *const copies = CAIRN_TAKE(arena, uint64_t, 3 * words);
    if (!cell || !copies) { return CAIRN_ERR_FULL; }
    *cell = (cairn_cell){.memory = memory,
                         .value_bytes = value_bytes,
                         .slot_words = words,
                         .written = copies,
                         .taken = copies + words,
                         .spare = copies + 2 * words};
    cell->written_count = atomic_load_explicit(&cell->memory->newest, memory_order_acquire);
    *ret_cell = cell;
    return CAIRN_OK;
}

cairn_err cairn_cell_create(cairn_arena *arena, size_t value_bytes, cairn_cell **ret_cell)
{
    CAIRN_ASSERT(arena && ret_cell);
    void *const memory = cairn_arena_take(arena, 1, cairn_cell_memory_bytes(value_bytes));
    return memory ? cairn_cell_attach(arena, memory, value_bytes, ret_cell) : CAIRN_ERR_FULL;
}

void *cairn_cell_begin(cairn_cell *cell)
{
    CAIRN_ASSERT(cell);
    return cell->written;
}

void cairn_cell_publish(cairn_cell *cell)
{
    CAIRN_ASSERT(cell);
    const uint64_t number = ++cell->written_count;
    _Atomic uint64_t *const slot = slot_of(cell, number);
    atomic_store_explicit(slot, 2 * number - 1, memory_order_relaxed);
    for (size_t i = 0; i < cell->slot_words; i++) {
        atomic_store_explicit(slot + LINE_WORDS + i, cell->written[i], memory_order_release);
    }
    atomic_store_explicit(slot, 2 * number, memory_order_release);
    atomic_store_explicit(&cell->memory->newest, number, memory_order_release);
}

void cairn_cell_write(cairn_cell *cell, const void *value, size_t value_bytes)
{
    CAIRN_ASSERT(cell && value && value_bytes == cell->value_bytes);
    memcpy(cairn_cell_begin(cell), value, value_bytes);
    cairn_cell_publish(cell);
}

// False: the writer came round meanwhile.
static bool copy_out(cairn_cell *cell, uint64_t number)
{
    _Atomic uint64_t *const slot = slot_of(cell, number);
    if (atomic_load_explicit(slot, memory_order_acquire) != 2 * number) { return false; }
    for (size_t i = 0; i < cell->slot_words; i++) {
        cell->spare[i] = atomic_load_explicit(slot + LINE_WORDS + i, memory_order_acquire);
    }
    return atomic_load_explicit(slot, memory_order_relaxed) == 2 * number;
}

const void *cairn_cell_latest(cairn_cell *cell, uint64_t *ret_version)
{
    CAIRN_ASSERT(cell);
    for (int i = 0; i < TRIES; i++) {
        const uint64_t newest = atomic_load_explicit(&cell->memory->newest, memory_order_acquire);
        if (newest == cell->taken_version) { break; }
        if (!copy_out(cell, newest)) { continue; }
        uint64_t *const held = cell->taken;
        cell->taken = cell->spare;
        cell->spare = held;
        cell->taken_version = newest;
        break;
    }
    if (ret_version) { *ret_version = cell->taken_version; }
    return cell->taken_version ? cell->taken : NULL;
}
