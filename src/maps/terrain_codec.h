// terrain_codec.h - a terrain map's two planes as few bytes: lossless, integers only, the same bits on every machine.
//
// The planes of a map are alike from cell to cell, so each cell is predicted from its earlier neighbours and the surprise
// is coded arithmetically; docs/maps.md tells the model. The decoder never trusts its input.
#pragma once
#include "maps/terrain_planes.h"

// No map of CAIRN_TERRAIN_CELLS_MAX cells takes more, whatever is in it.
#define CAIRN_TERRAIN_CODE_BYTES_MAX 7000

// Writes the code of planes->known and planes->obstacle (width x height cells; obstacle counts only where known) to
// ret_code. CAIRN_ERR_FULL if it does not fit into code_bytes_max. O(cells).
CAIRN_CHECKED cairn_err cairn_terrain_encode(const cairn_terrain_planes *planes, uint8_t *ret_code,
                                             size_t code_bytes_max, size_t *ret_code_bytes);

// Fills ret_planes' known and obstacle for the width and height that it has (and nothing else of it).
// CAIRN_ERR_CORRUPT for bytes that no encoder makes; the planes are then undefined. O(cells).
CAIRN_CHECKED cairn_err cairn_terrain_decode(const uint8_t *code, size_t code_bytes, cairn_terrain_planes *ret_planes);
