// text_file_io.h - a whole text file in memory, unpacked if it was packed by gzip, bzip2 or xz.
#pragma once
#include "maps/files/bytes_io.h"
#include "slam/log/text_walk.h"

#define CAIRN_TEXT_FILE_BYTES_MAX ((size_t)512 << 20)

typedef struct cairn_text_file {
    const uint8_t *bytes;
    size_t size_bytes;
    cairn_arena memory;
} cairn_text_file;

// CAIRN_ERR_IO, CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE, CAIRN_ERR_FULL, with the reason in *complaints.
CAIRN_CHECKED cairn_err cairn_text_file_open(const char *path, cairn_complaints *complaints, cairn_text_file *ret_file);
void cairn_text_file_close(cairn_text_file *file); // accepts NULL and all-zero
