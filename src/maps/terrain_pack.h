// terrain_pack.h - a terrain map in a few hundred bytes that are unpacked in microseconds, for whoever keeps thousands.
//
// maps/codec is made for the radio: smaller, and a hundred times slower. Here each cell is compared with the one below
// it, and what follows is runs of equal differences. Noise is kept as it is.
#pragma once
#include "maps/terrain_planes.h"

#define CAIRN_TERRAIN_PACK_BYTES_MAX (1 + 2 * (CAIRN_TERRAIN_CELLS_MAX / 8))

// Of the planes' cells only; cell_m and origin_m are the caller's. Obstacles that are not known are forgotten. Returns
// how many bytes it took, at most CAIRN_TERRAIN_PACK_BYTES_MAX.
size_t cairn_terrain_pack(const cairn_terrain_planes *planes, uint8_t *ret_bytes);
// planes: width and height as they were packed. CAIRN_ERR_CORRUPT for bytes that cannot be; known and obstacle are then
// of no use. The bytes are not trusted.
CAIRN_CHECKED cairn_err cairn_terrain_unpack(const uint8_t *bytes, size_t size_bytes, cairn_terrain_planes *planes);
