// raf_ground.h - what a NIST arena has to climb: ramps, raised floors, stairs and step fields.
//
// Two half ramps that rise towards each other in a cell make a ridge, and so do two full ramps in neighbouring cells;
// one alone is a slope. The sizes are those of the designer's models.
#pragma once
#include "sim/arena/import/draft.h"
#include "sim/arena/import/raf_elements.h"

#define CAIRN_RAF_FLOOR_HIGH_M 1.2 // of a raised floor; plates on four posts
#define CAIRN_RAF_TILE_M 1.18      // ramps are as long; as wide, too, but cracks of 2 cm between them are no ground

// Adds one to the draft, in the file's frame; what is there twice is there once. False: it is nothing to climb.
bool cairn_raf_ground_add(const cairn_raf_elements *in, uint32_t index, cairn_draft *draft);
