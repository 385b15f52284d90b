// tar.h - the files of a tar archive: a team's graph, with a file for each robot.
//
// Memory   The caller's arena. Files are borrowed from the archive's bytes.
// Threads  Any. Pure: the archive is bytes, and nothing is unpacked to a disk.
#pragma once
#include "base/memory.h"

#define CAIRN_TAR_NAME_BYTES 100u

typedef struct cairn_tar_file {
    char name[CAIRN_TAR_NAME_BYTES + 1];
    const uint8_t *bytes;
    size_t size_bytes;
    bool is_left_out; // of the joined text
} cairn_tar_file;

bool cairn_tar_is(const uint8_t *bytes, size_t size_bytes); // by the mark in its first header
// All plain files. CAIRN_ERR_CORRUPT: cut off, or a size that is none. CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_tar_list(const uint8_t *bytes, size_t size_bytes, cairn_arena *arena,
                                       cairn_tar_file **ret_files, uint32_t *ret_count);
// Those that are not left out as one text, one after the other, each ended by a new line. CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_tar_join(const cairn_tar_file *files, uint32_t count, cairn_arena *arena,
                                       const uint8_t **ret_text, size_t *ret_size_bytes);
