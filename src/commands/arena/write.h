// write.h - what the commands that make arena files share.
#pragma once
#include "base/status.h"

// A whole file or none: what was there before stays until the new one is complete.
CAIRN_CHECKED cairn_err cairn_arena_write_file(const char *path, const char *text, size_t size_bytes,
                                               cairn_complaints *complaints);
// Whether a name is one word that an arena file can have.
bool cairn_arena_is_name(const char *name);
