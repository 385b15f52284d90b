// grey_io.h - pictures of one channel, from PGM (P2, P5) and PNG bytes, gzipped or not; and whole files in memory.
//
// The bytes may hold anything. Errors are complaints under the file's name.
// Threads  No state of its own.
#pragma once
#include "base/memory.h"

typedef struct cairn_grey {
    uint32_t width, height;
    uint8_t *values; // row by row from the top; 0 black, 255 white
    bool png;
} cairn_grey;

typedef struct cairn_grey_limits {
    size_t bytes_max;  // of a file, and of what a gzipped one becomes
    size_t pixels_max; // of a picture
} cairn_grey_limits;

// Reads all of a file into memory: CAIRN_ERR_IO, CAIRN_ERR_TOO_LARGE, CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_bytes_read(const char *path, size_t bytes_max, cairn_arena *memory,
                                         cairn_complaints *complaints, const uint8_t **ret_bytes,
                                         size_t *ret_size_bytes);
// Gives back the bytes as they are, or unpacked if they are gzipped; CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE.
CAIRN_CHECKED cairn_err cairn_bytes_unpack(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                           size_t bytes_max, cairn_arena *memory, cairn_complaints *complaints,
                                           const uint8_t **ret_bytes, size_t *ret_size_bytes);
// CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE beyond the limits, CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_grey_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                         const cairn_grey_limits *limits, cairn_arena *memory,
                                         cairn_complaints *complaints, cairn_grey *ret_grey);
