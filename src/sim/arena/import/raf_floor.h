// raf_floor.h - the floor of a NIST arena: as large as what stands on it needs, and all of it moved there.
#pragma once
#include "sim/arena/import/raf_walls.h"
#include "sim/arena/import/sources.h"

typedef struct cairn_raf_floor {
    cairn_vec2 size_m;   // multiples of the cells of reach.h
    cairn_vec2 offset_m; // how far all moves
} cairn_raf_floor;

// Around walls, barrels, people, and cells with ground of their own, margin_m from its edge.
cairn_raf_floor cairn_raf_floor_of(const cairn_raf_elements *in, const cairn_raf_walls *walls, const cairn_draft *draft,
                                   const cairn_raf *raf, double margin_m);
// Moves what is in the draft and in raf onto the floor, and adds the walls, as many as the draft has room for.
void cairn_raf_floor_move(const cairn_raf_floor *floor, const cairn_raf_walls *walls, cairn_draft *draft,
                          cairn_raf *raf);
