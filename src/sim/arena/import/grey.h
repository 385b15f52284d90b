// grey.h - pictures of one channel, from PGM (P2, P5) and PNG bytes, gzipped or not.
//
// The bytes may hold anything. Errors are complaints under the file's name.
#pragma once
#include "base/memory.h"

typedef struct cairn_grey {
    uint32_t width, height;
    uint8_t *values; // row by row from the top; 0 black, 255 white
    bool png;
} cairn_grey;

// Reads all of a file into memory: CAIRN_ERR_IO, CAIRN_ERR_TOO_LARGE.
CAIRN_CHECKED cairn_err cairn_import_read_file(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                                               const uint8_t **ret_bytes, size_t *ret_size_bytes);
// Gives back the bytes as they are, or unpacked if they are gzipped; CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE.
CAIRN_CHECKED cairn_err cairn_import_unpack(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                            cairn_arena *memory, cairn_complaints *complaints,
                                            const uint8_t **ret_bytes, size_t *ret_size_bytes);
// CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE beyond CAIRN_IMPORT_PIXELS_MAX, CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_import_grey(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                          cairn_arena *memory, cairn_complaints *complaints, cairn_grey *ret_grey);
