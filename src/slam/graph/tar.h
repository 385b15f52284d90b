// tar.h - the files of a tar archive as one text, one after the other: a team's graph, with a file for each robot.
//
// Memory   The caller's arena.
// Threads  Any. Pure: the archive is bytes, and nothing is unpacked to a disk.
#pragma once
#include "base/memory.h"

bool cairn_tar_is(const uint8_t *bytes, size_t size_bytes); // by the mark in its first header
// All plain files, each ended by a new line. CAIRN_ERR_CORRUPT: cut off, or a size that is none. CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_tar_join(const uint8_t *bytes, size_t size_bytes, cairn_arena *arena,
                                       const uint8_t **ret_text, size_t *ret_size_bytes);
