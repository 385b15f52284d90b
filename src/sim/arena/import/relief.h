// relief.h - the ground to climb of a draft as one list: ramps, then platforms, stairs and step fields.
#pragma once
#include "sim/arena/import/ground.h"

uint32_t cairn_relief_count(const cairn_draft *draft);
cairn_footprint cairn_relief_footprint(const cairn_draft *draft, uint32_t index);
// Whether it hangs over the floor, so that robots and people can be below it.
bool cairn_relief_hangs(const cairn_draft *draft, uint32_t index);
void cairn_relief_remove(cairn_draft *draft, uint32_t index);
