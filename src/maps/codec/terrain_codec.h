// terrain_codec.h - a terrain map's two planes as few bytes: lossless, integers only, the same bits on every machine.
//
// The planes of a map are alike from cell to cell, so each cell is predicted from its earlier neighbours and the
// surprise is coded arithmetically; docs/maps.md tells the model. A map of 150 x 150 cells takes 100 to 150 bytes.
//
// Memory   25 kB of stack at most, nothing else.
// Threads  No state: any thread.
// Format   The model is the format. Codes made with other weights decode to CORRUPT or to nonsense.
#pragma once
#include "maps/terrain_planes.h"

// No map of CAIRN_TERRAIN_CELLS_MAX cells takes more, whatever is in it.
#define CAIRN_TERRAIN_CODE_BYTES_MAX 7000

// Writes the code of planes->known and planes->obstacle (width x height cells; obstacle counts only where known) to
// ret_code. A map has one code. CAIRN_ERR_FULL if it does not fit into code_bytes_max, which cannot be if that is
// CAIRN_TERRAIN_CODE_BYTES_MAX; ret_code is then undefined. O(cells), about 0.5 ms for 22,500.
CAIRN_CHECKED cairn_err cairn_terrain_encode(const cairn_terrain_planes *planes, uint8_t *ret_code,
                                             size_t code_bytes_max, size_t *ret_code_bytes);

// Fills ret_planes' known and obstacle for the width and height that it has (and nothing else of it), 0 where there is
// no cell. The code, width and height may come from anywhere: CAIRN_ERR_CORRUPT for what no encoder makes; the planes
// are then undefined. Damage is found with high probability, not always: the radio's seal is what finds it. O(cells).
CAIRN_CHECKED cairn_err cairn_terrain_decode(const uint8_t *code, size_t code_bytes, cairn_terrain_planes *ret_planes);
