// cell.c - the triple buffer.
//
// Three slots change hands: one is the writer's, one the reader's, one lies in the exchange. Publishing swaps the
// writer's slot for the one in the exchange and marks it as new; reading swaps only when that mark is set. The swap
// is one atomic exchange, so a slot has exactly one owner at any moment, and its release and acquire order carry
// the content along.
#include "base/cell.h"
#include <string.h>

#define SLOT_MASK 3u
#define NEWER_BIT 4u
#define LINE_BYTES ((size_t)64)
#define SLOT_COUNT 3u

static size_t slot_bytes_for(size_t value_bytes)
{
    CAIRN_ASSERT(value_bytes > 0 && value_bytes <= UINT32_MAX / 4);
    return LINE_BYTES + (value_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

static uint8_t *slot_at(cairn_cell *cell, uint32_t slot)
{
    CAIRN_ASSERT(slot < SLOT_COUNT);
    return (uint8_t *)(cell + 1) + (size_t)slot * cell->slot_bytes;
}

static uint64_t *version_of(cairn_cell *cell, uint32_t slot) { return (uint64_t *)(void *)slot_at(cell, slot); }

size_t cairn_cell_bytes(size_t value_bytes) { return sizeof(cairn_cell) + SLOT_COUNT * slot_bytes_for(value_bytes); }

void cairn_cell_init(cairn_cell *cell, size_t value_bytes)
{
    CAIRN_ASSERT(cell && (uintptr_t)cell % LINE_BYTES == 0);
    memset(cell, 0, cairn_cell_bytes(value_bytes));
    cell->value_bytes = (uint32_t)value_bytes;
    cell->slot_bytes = (uint32_t)slot_bytes_for(value_bytes);
    cell->writer_slot = 0;
    cell->reader_slot = 2;
    atomic_init(&cell->exchange, 1);
}

cairn_err cairn_cell_create(cairn_arena *arena, size_t value_bytes, cairn_cell **ret_cell)
{
    CAIRN_ASSERT(arena && ret_cell);
    cairn_cell *const cell = cairn_arena_take(arena, 1, cairn_cell_bytes(value_bytes));
    if (!cell) { return CAIRN_ERR_FULL; }
    cairn_cell_init(cell, value_bytes);
    *ret_cell = cell;
    return CAIRN_OK;
}

void *cairn_cell_begin(cairn_cell *cell)
{
    CAIRN_ASSERT(cell);
    return slot_at(cell, cell->writer_slot) + LINE_BYTES;
}

void cairn_cell_publish(cairn_cell *cell)
{
    CAIRN_ASSERT(cell);
    *version_of(cell, cell->writer_slot) = ++cell->written_count;
    const uint32_t old = atomic_exchange_explicit(&cell->exchange, cell->writer_slot | NEWER_BIT, memory_order_acq_rel);
    cell->writer_slot = old & SLOT_MASK;
}

void cairn_cell_write(cairn_cell *cell, const void *value, size_t value_bytes)
{
    CAIRN_ASSERT(cell && value && value_bytes == cell->value_bytes);
    memcpy(cairn_cell_begin(cell), value, value_bytes);
    cairn_cell_publish(cell);
}

const void *cairn_cell_latest(cairn_cell *cell, uint64_t *ret_version)
{
    CAIRN_ASSERT(cell);
    if (atomic_load_explicit(&cell->exchange, memory_order_relaxed) & NEWER_BIT) {
        const uint32_t old = atomic_exchange_explicit(&cell->exchange, cell->reader_slot, memory_order_acq_rel);
        cell->reader_slot = old & SLOT_MASK;
        cell->taken_version = *version_of(cell, cell->reader_slot);
    }
    if (ret_version) { *ret_version = cell->taken_version; }
    return cell->taken_version ? slot_at(cell, cell->reader_slot) + LINE_BYTES : NULL;
}
