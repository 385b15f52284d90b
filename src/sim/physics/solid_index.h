// solid_index.h - which solids stand near a place, in time that does not grow with the arena.
//
// Solids that move are not in it: whoever asks knows where those are.
//
// Frame    map.
// Memory   One block of its own.
// Threads  find marks what it has seen: one thread at a time.
#pragma once
#include "sim/arena/arena.h"

typedef struct cairn_solid_index cairn_solid_index;

// Borrows the arena. CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_solid_index_create(const cairn_sim_arena *arena, cairn_solid_index **ret_index);
void cairn_solid_index_destroy(cairn_solid_index *index); // NULL is allowed

// Calls `found` once for each standing solid whose outline from above may be within reach_m of a place; for some that
// are a little further too. The order depends on the arena and the place only. O(solids found and cells in reach).
typedef void cairn_solid_found(void *context, uint32_t solid);
void cairn_solid_index_find(cairn_solid_index *index, cairn_vec2 at_m, double reach_m, cairn_solid_found *found,
                            void *context);
