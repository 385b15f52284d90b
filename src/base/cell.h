// cell.h - latest-value cells: how anything crosses towards the motors, between threads and between processes.
//
// One writer, any number of readers, nobody ever waits. What they share is the cell's *memory*: it holds no pointers,
// it may lie in a page that two processes map, a reader never writes to it (a reading process may map it read-only),
// and all-zero is an empty cell. Everything else, sizes included, belongs to one *end*: whatever an insane writer puts
// into the memory, a reader gets no value, an old one or a wrong one, but never trouble; it checks range and age
// itself. Either process may die at any instruction: who comes after it goes on.
//
// Threads  An end has one writing and one reading thread at most. A second reader attaches a second end.
#pragma once
#include "base/memory.h"
#include "base/status.h"
#include <stdalign.h>

typedef struct cairn_cell_memory cairn_cell_memory; // 64-aligned, cairn_cell_memory_bytes() of it

typedef struct cairn_cell {
    cairn_cell_memory *memory; // borrowed
    size_t value_bytes, slot_words;
    alignas(64) uint64_t written_count; // the writer's
    uint64_t *written;                  // being filled
    alignas(64) uint64_t taken_version; // the reader's: of the value that it holds, 0 before the first
    uint64_t *taken, *spare;
} cairn_cell;

size_t cairn_cell_memory_bytes(size_t value_bytes); // a multiple of 64

// An end of the cell with this memory, zeroed when it was made; borrows it. Goes on counting where a writer before
// left.
CAIRN_CHECKED cairn_err cairn_cell_attach(cairn_arena *arena, void *memory, size_t value_bytes, cairn_cell **ret_cell);
size_t cairn_cell_bytes(size_t value_bytes); // what create takes: the memory and one end
CAIRN_CHECKED cairn_err cairn_cell_create(cairn_arena *arena, size_t value_bytes, cairn_cell **ret_cell);

// Writing: fill what begin returns (its old content is undefined), then publish it.
void *cairn_cell_begin(cairn_cell *cell);
void cairn_cell_publish(cairn_cell *cell);
void cairn_cell_write(cairn_cell *cell, const void *value, size_t value_bytes); // copies

// The newest value, borrowed until the reader's next call; NULL before the first write. ret_version (may
// be NULL) counts the writes up to this value: unchanged means nothing new.
const void *cairn_cell_latest(cairn_cell *cell, uint64_t *ret_version);
