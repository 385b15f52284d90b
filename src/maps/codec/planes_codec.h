// planes_codec.h - a terrain map's two planes as few bytes, perhaps after an earlier map that the reader has too.
//
// What robots send. The code is grid_codec.h's; this is what a terrain map has to do with it. A map of 150 x 150 cells
// takes 150 to 450 bytes alone, and about a third of that after the map before it.
//
// Memory   CAIRN_PLANES_SCRATCH_BYTES of the scratch arena, given back at return.
// Threads  No state.
#pragma once
#include "maps/codec/grid_codec.h"
#include "maps/terrain_planes.h"

// No map of CAIRN_TERRAIN_CELLS_MAX cells takes more, whatever is in it.
#define CAIRN_PLANES_CODE_BYTES_MAX 6406
#define CAIRN_PLANES_SCRATCH_BYTES (576u << 10) // enough for the narrowest map, 4096 rows of 5

// A map that the reader has, with cells of the same size on the same lattice.
typedef struct cairn_planes_earlier {
    const cairn_terrain_planes *planes;
    int32_t columns, rows; // from its cell (0,0) to that of the map that is coded
} cairn_planes_earlier;

// Whether the two have a cell in common; without one the earlier map is of no use, and neither encode nor decode takes
// it.
bool cairn_planes_overlap(const cairn_planes_earlier *earlier, uint32_t width, uint32_t height);

// Writes the code of planes->known and planes->obstacle (obstacle counts only where known) to ret_code. `earlier` may
// be NULL. CAIRN_ERR_FULL if it does not fit, which cannot be in CAIRN_PLANES_CODE_BYTES_MAX, or scratch is too small.
// O(cells), about 0.7 ms for 22,500.
CAIRN_CHECKED cairn_err cairn_planes_encode(const cairn_terrain_planes *planes, const cairn_planes_earlier *earlier,
                                            cairn_arena *scratch, uint8_t *ret_code, size_t code_bytes_max,
                                            size_t *ret_code_bytes);

// Fills ret_planes' known and obstacle for the width and height that it has, 0 where there is no cell; `earlier` as for
// the encoder. Code, sizes and shift may come from anywhere: CAIRN_ERR_CORRUPT for what no encoder makes; the planes
// are then undefined. Damage is found with high probability, not always.
CAIRN_CHECKED cairn_err cairn_planes_decode(const uint8_t *code, size_t code_bytes, const cairn_planes_earlier *earlier,
                                            cairn_arena *scratch, cairn_terrain_planes *ret_planes);

// Of the size and the cells: two maps with the same hash are the same, for all that a reference to one needs.
uint32_t cairn_planes_hash(const cairn_terrain_planes *planes);
