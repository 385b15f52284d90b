// bytes_io.h - whole files: read into memory, unpacked, and written so that there is a whole file or none.
//
// Errors are complaints under the file's name.
// Threads  No state of its own. Two writers of one path must not run at once.
#pragma once
#include "base/memory.h"

#define CAIRN_PATH_BYTES_MAX 1024

typedef struct cairn_bytes {
    const void *bytes;
    size_t size_bytes;
} cairn_bytes;

// Reads all of a file into memory: CAIRN_ERR_IO, CAIRN_ERR_TOO_LARGE, CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_bytes_read(const char *path, size_t bytes_max, cairn_arena *memory,
                                         cairn_complaints *complaints, const uint8_t **ret_bytes,
                                         size_t *ret_size_bytes);
// Gives back the bytes as they are, or unpacked if they are packed by gzip, bzip2 or xz.
// CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE.
CAIRN_CHECKED cairn_err cairn_bytes_unpack(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                           size_t bytes_max, cairn_arena *memory, cairn_complaints *complaints,
                                           const uint8_t **ret_bytes, size_t *ret_size_bytes);

// Writes the parts one after the other. What was there before stays until the new file is complete; a device or a pipe
// is written to as it is. CAIRN_ERR_IO.
CAIRN_CHECKED cairn_err cairn_bytes_write(const char *path, const cairn_bytes *parts, size_t part_count,
                                          cairn_complaints *complaints);
// The same for who writes a file by other means: where to write it, and then, with the errno of what went wrong or 0,
// the move to its place.
CAIRN_CHECKED cairn_err cairn_bytes_beside(const char *path, cairn_complaints *complaints,
                                           char ret_beside[CAIRN_PATH_BYTES_MAX]);
CAIRN_CHECKED cairn_err cairn_bytes_settle(const char *beside, const char *path, int why, cairn_complaints *complaints);
