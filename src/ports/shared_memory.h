// shared_memory.h - files that several processes map into their memory: how they share cells.
//
// A file's memory outlives every process that has it mapped, whatever ends them. Who must not write maps it read-only.
// Threads  One owner of each mapping.
#pragma once
#include "base/status.h"

typedef struct cairn_shared_memory {
    void *bytes; // page-aligned; NULL: not mapped
    size_t size_bytes;
} cairn_shared_memory;

// Makes the file, zeroed, in the place of one that may be there: who still has that one mapped keeps it, alone.
CAIRN_CHECKED cairn_err cairn_shared_memory_create(const char *path, size_t size_bytes, cairn_complaints *complaints,
                                                   cairn_shared_memory *ret_memory);
// Maps a file that is there. CAIRN_ERR_EMPTY without a complaint when it is not; CAIRN_ERR_CORRUPT when its size is
// another one.
CAIRN_CHECKED cairn_err cairn_shared_memory_open(const char *path, size_t size_bytes, bool writable,
                                                 cairn_complaints *complaints, cairn_shared_memory *ret_memory);
void cairn_shared_memory_close(cairn_shared_memory *memory); // accepts all-zero
