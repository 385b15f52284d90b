// arena_private.h - what the files of arena.c share: the lines of things in the file, solids, checks.
#pragma once
#include "sim/arena/arena.h"

// Where in the file each thing stands, for complaints; as many as there are things.
typedef struct cairn_sim_arena_lines {
    const char *file;
    const uint32_t *walls, *boxes, *ramps, *victims, *starts;
} cairn_sim_arena_lines;

// arena_solids.c: makes the solids in `memory`. CAIRN_ERR_FULL if it is too small.
CAIRN_CHECKED cairn_err cairn_sim_arena_make_solids(cairn_sim_arena *arena, cairn_arena *memory);

// arena_check.c: complains about everything that stands wrongly. `arena` has its solids.
void cairn_sim_arena_check(const cairn_sim_arena *arena, const cairn_sim_arena_lines *lines,
                           cairn_complaints *complaints);
