// A table of small sets by the nonce's own bits: a look costs eight comparisons, and a flood pushes out its own.
#include "link/nonce_memory.h"

cairn_err cairn_nonce_memory_init(cairn_nonce_memory *memory, cairn_arena *arena)
{
    CAIRN_ASSERT(memory != NULL && arena != NULL);
    cairn_heard_nonce *all = CAIRN_TAKE(arena, cairn_heard_nonce, (size_t)CAIRN_NONCE_SETS * CAIRN_NONCE_WAYS);
    if (all == NULL) { return CAIRN_ERR_FULL; }
    memory->sets = (cairn_heard_nonce(*)[CAIRN_NONCE_WAYS])all;
    return CAIRN_OK;
}

int64_t cairn_nonce_memory_age_ns(cairn_nonce_memory *memory, uint64_t nonce, cairn_mono now)
{
    CAIRN_ASSERT(memory->sets != NULL);
    cairn_heard_nonce *set = memory->sets[nonce % CAIRN_NONCE_SETS];
    cairn_heard_nonce *oldest = &set[0];
    for (int i = 0; i < CAIRN_NONCE_WAYS; i++) {
        if (set[i].nonce == nonce && nonce != 0) { return cairn_mono_since(now, set[i].at); }
        const bool older = set[i].nonce == 0 ? oldest->nonce != 0 : oldest->nonce != 0 && set[i].at.ns < oldest->at.ns;
        if (older) { oldest = &set[i]; }
    }
    *oldest = (cairn_heard_nonce){nonce, now};
    return 0;
}
