// terrain_codec.h - the code of terrain maps that older robots sent, and older stores and journals hold: read, no
// longer written. What is written now is planes_codec.h's.
//
// Memory   70 kB of stack at most, nothing else.
// Threads  No state: any thread.
// Format   The model is the format, with weights of its own (terrain_weights.h).
#pragma once
#include "maps/terrain_planes.h"

// No map of CAIRN_TERRAIN_CELLS_MAX cells took more, whatever was in it.
#define CAIRN_TERRAIN_CODE_BYTES_MAX 7000

// Fills ret_planes' known and obstacle for the width and height that it has (and nothing else of it), 0 where there is
// no cell. The code, width and height may come from anywhere: CAIRN_ERR_CORRUPT for what no encoder made; the planes
// are then undefined. Damage is found with high probability, not always: the radio's seal is what finds it. O(cells).
CAIRN_CHECKED cairn_err cairn_terrain_decode(const uint8_t *code, size_t code_bytes, cairn_terrain_planes *ret_planes);
