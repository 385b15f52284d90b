// saved_atlas.h - an atlas as a snapshot has it, for tests of what a restart finds.
#pragma once
#include "check.h"
#include "station/replay/walks.h"
#include <stdlib.h>

typedef struct saved_atlas {
    uint8_t *bytes; // the caller frees
    size_t size;
} saved_atlas;

static inline saved_atlas atlas_save(cairn_atlas *atlas)
{
    enum { BYTES_MAX = 24 << 20 };
    saved_atlas saved = {.bytes = malloc(BYTES_MAX)};
    assert_non_null(saved.bytes);
    cairn_archive archive;
    cairn_archive_save(&archive, saved.bytes, BYTES_MAX);
    cairn_walk_atlas(&archive, atlas);
    saved.size = archive.at_bytes;
    assert_ok(cairn_archive_end(&archive));
    return saved;
}

CAIRN_CHECKED static inline cairn_err atlas_load(cairn_atlas *atlas, saved_atlas saved)
{
    cairn_archive archive;
    cairn_archive_load(&archive, saved.bytes, saved.size);
    cairn_walk_atlas(&archive, atlas);
    return cairn_archive_end(&archive);
}
