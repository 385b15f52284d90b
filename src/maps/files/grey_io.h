// grey_io.h - pictures of one channel, from PGM (P2, P5) and PNG bytes, gzipped or not.
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

// CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE beyond the limits, CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_grey_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                         const cairn_grey_limits *limits, cairn_arena *memory,
                                         cairn_complaints *complaints, cairn_grey *ret_grey);
