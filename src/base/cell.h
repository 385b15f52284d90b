// cell.h - latest-value cells: how anything crosses towards the motors.
//
// One writer, one reader, neither ever waits: a triple buffer with one atomic index. A cell holds no
// pointers, so it may lie in a page that two processes share. The reader always sees the newest complete
// value; values in between are lost on purpose.
// Threads  Exactly one writing and one reading thread for each cell. A second reader needs a second cell.
#pragma once
#include "base/memory.h"
#include "base/status.h"
#include <stdatomic.h>

typedef struct cairn_cell {
    _Alignas(64) _Atomic uint32_t exchange; // slot index in bits 0-1, bit 2: newer than the reader's
    _Alignas(64) uint32_t writer_slot;
    uint64_t written_count;
    _Alignas(64) uint32_t reader_slot;
    uint64_t taken_version; // version of the value that the reader holds, 0 before the first
    _Alignas(64) uint32_t value_bytes;
    uint32_t slot_bytes; // rounded up so that slots do not share a cache line
    // three slots follow, each a uint64_t version (own cache line) and then the value
} cairn_cell;

size_t cairn_cell_bytes(size_t value_bytes);                // whole cell, slots included
void cairn_cell_init(cairn_cell *cell, size_t value_bytes); // on cairn_cell_bytes() of memory, 64-aligned
CAIRN_CHECKED cairn_err cairn_cell_create(cairn_arena *arena, size_t value_bytes, cairn_cell **ret_cell);

// Writing in place: fill what begin returns (its old content is undefined), then publish it.
void *cairn_cell_begin(cairn_cell *cell);
void cairn_cell_publish(cairn_cell *cell);
void cairn_cell_write(cairn_cell *cell, const void *value, size_t value_bytes); // copies

// The newest value, borrowed until the reader's next call; NULL before the first write. ret_version (may
// be NULL) counts the writes up to this value: unchanged means nothing new.
const void *cairn_cell_latest(cairn_cell *cell, uint64_t *ret_version);
