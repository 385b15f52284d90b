// pyramid_cache.h - the pyramids of the nodes that were matched last.
//
// A node is matched with many others, and its pyramid costs as much as a quarter of a match: it is made once and kept
// until others were needed since. Which one goes does not depend on addresses or time: same calls, same answers.
//
// Memory   From the arena at create: about 60 kB for each pyramid of 150 x 150 cells.
// Threads  One owner.
#pragma once
#include "matching/pyramid.h"

typedef struct cairn_pyramid_cache cairn_pyramid_cache;

typedef struct cairn_pyramid_cache_def {
    cairn_pyramid_def pyramid;
    uint32_t count; // kept at most, >= 2: a match needs two
} cairn_pyramid_cache_def;

CAIRN_CHECKED cairn_err cairn_pyramid_cache_create(const cairn_pyramid_cache_def *def, cairn_arena *arena,
                                                   cairn_pyramid_cache **ret_cache);
// The pyramid of a node. *ret_is_new: it was not kept, and the caller must set it now; the one that was not asked for
// for longest has gone for it. Stays valid for the next count - 1 other nodes. O(1).
cairn_pyramid *cairn_pyramid_cache_get(cairn_pyramid_cache *cache, uint64_t node, bool *ret_is_new);
// Forgets a node: its terrain has changed.
void cairn_pyramid_cache_forget(cairn_pyramid_cache *cache, uint64_t node);
