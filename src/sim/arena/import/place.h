// place.h - where robots start and where people wait in an imported arena.
#pragma once
#include "sim/arena/import/ground.h"
#include "sim/arena/import/sources.h"

// Starts: up to `count`, 1 m apart, around the widest spot of the largest ground that a robot can get about in; on flat
// floor where there is enough of it. Relief (relief.h) too near to them is taken away. `keep_off` are places to
// stay 1.2 m from. CAIRN_ERR_INVALID with the reason when there is no room for a robot.
CAIRN_CHECKED cairn_err cairn_place_starts(cairn_draft *draft, const uint8_t *inside, uint32_t count,
                                           const cairn_raf_victim *keep_off, uint32_t keep_off_count,
                                           const char *name_for_errors, cairn_arena *scratch,
                                           cairn_complaints *complaints);
// The people of a NIST arena where it has them. Needs starts. Returns how many would stand in something, and were left
// out.
CAIRN_CHECKED uint32_t cairn_place_raf_victims(cairn_draft *draft, const cairn_raf *raf);
// People by chance: beside walls, far from starts and from each other as far as there is room, in nobody's way.
// On flat floor, where wide robots pass; where there is ground to climb instead, in boxes on walls; and then wherever
// smaller robots pass. `open`: robots get out of what is inside, and people
// may not close the way out.
CAIRN_CHECKED cairn_err cairn_place_victims(cairn_draft *draft, const uint8_t *inside, bool open, uint32_t count,
                                            uint64_t seed, cairn_arena *scratch, uint32_t *ret_left_out);
// Takes away people who are hard to get to; returns how many.
uint32_t cairn_place_drop_hard(cairn_draft *draft);
// Takes away the relief (relief.h) on which a person sits.
void cairn_place_relief(cairn_draft *draft);
// Ground that a robot's middle can get to from the first start.
CAIRN_CHECKED cairn_err cairn_place_reach(const cairn_draft *draft, const uint8_t *inside, cairn_arena *scratch,
                                          double *ret_area_m2);
