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
// The people of a NIST arena, each as near to its place as it can be reached and seen, in a box where that leaves
// the way open. Needs starts. Returns how many found no place.
CAIRN_CHECKED cairn_err cairn_place_raf_victims(cairn_draft *draft, const uint8_t *inside, const cairn_raf *raf,
                                                cairn_arena *scratch, uint32_t *ret_left_out);
// People by chance: beside walls, far from starts and from each other as far as there is room, in nobody's way.
CAIRN_CHECKED cairn_err cairn_place_victims(cairn_draft *draft, const uint8_t *inside, uint32_t count, uint64_t seed,
                                            cairn_arena *scratch, uint32_t *ret_left_out);
// Takes away the relief (relief.h) on which a person sits, and makes two slopes of each ridge that a robot cannot drive
// straight over; *ret_split is how many.
CAIRN_CHECKED cairn_err cairn_place_relief(cairn_draft *draft, const uint8_t *inside, cairn_arena *scratch,
                                           uint32_t *ret_split);
// Whether robots that climb steps of 12 cm and slopes of 25 degrees still get from the first start to all others, and
// to where they see each person, in the arena that was made of the draft; and how much ground they get to.
// CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_place_still_reached(const cairn_draft *draft, const cairn_sim_arena *arena,
                                                  cairn_arena *scratch, bool *ret_reached, double *ret_area_m2);
// Ground that a robot's middle can get to from the first start.
CAIRN_CHECKED cairn_err cairn_place_reach(const cairn_draft *draft, const uint8_t *inside, cairn_arena *scratch,
                                          double *ret_area_m2);
