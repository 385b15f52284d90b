// relief.h - the ground to climb of a draft as one list: ramps, then platforms, stairs and step fields.
#pragma once
#include "sim/arena/import/ground.h"

uint32_t cairn_relief_count(const cairn_draft *draft);
cairn_footprint cairn_relief_footprint(const cairn_draft *draft, uint32_t index);
// Whether it hangs over the floor, so that robots and people can be below it.
bool cairn_relief_hangs(const cairn_draft *draft, uint32_t index);
void cairn_relief_remove(cairn_draft *draft, uint32_t index);

// Makes the relief of `to` that of `from` where `keep` says so; one flag for each of `from`. Arrays are as long.
void cairn_relief_copy(const cairn_draft *from, const bool *keep, cairn_draft *to);
// A draft that shares all but the relief with `of`; that is copied to `memory`. CAIRN_ERR_FULL without.
CAIRN_CHECKED cairn_err cairn_relief_save(const cairn_draft *of, cairn_arena *memory, cairn_draft *ret_saved);
