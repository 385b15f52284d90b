// native_io.h - maps as Cairn's own files (.cairnmap): a header and planes of a byte a cell, used where they lie.
//
// Layout   docs/maps.md has it. Little-endian. Version 1. Header and each plane have a hash (base/hash.h), and the
//          bytes between them are zero: any single change of a file is noticed.
// Loading  By mmap, read-only: nothing is copied, whoever opens the same file shares its pages. The planes are looked
//          at once, for their hash and for what must not be in them: 0.3 ms a million cells.
//          Nobody may shorten the file while it is open; ours are replaced, never rewritten.
// Threads  No state of its own.
#pragma once
#include "maps/files/map.h"

#define CAIRN_NATIVE_VERSION 1u

// A map whose planes lie in an open file.
typedef struct cairn_native {
    cairn_map map;
    void *pages; // NULL: nothing is open
    size_t size_bytes;
} cairn_native;

// Whether bytes begin as such a file does.
bool cairn_native_begins(const uint8_t *bytes, size_t size_bytes);
// From bytes that may hold anything, aligned to 8; the map borrows them. CAIRN_ERR_CORRUPT, CAIRN_ERR_UNSUPPORTED (a
// newer version), CAIRN_ERR_TOO_LARGE; *complaints has the reason.
CAIRN_CHECKED cairn_err cairn_native_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                           cairn_complaints *complaints, cairn_map *ret_map);

// The same from a file; also CAIRN_ERR_IO.
CAIRN_CHECKED cairn_err cairn_native_open(const char *path, cairn_complaints *complaints, cairn_native *ret_native);
void cairn_native_close(cairn_native *native); // accepts NULL and all-zero

// CAIRN_ERR_IO. The map must be without mistakes.
CAIRN_CHECKED cairn_err cairn_native_write(const cairn_map *map, const char *path, cairn_complaints *complaints);
