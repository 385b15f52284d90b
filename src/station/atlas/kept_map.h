// kept_map.h - the terrain map of a node as the atlas keeps it: what its robot said, and where that is not believed.
//
// A spot is where another robot stood when the map was drawn: what was seen there is the robot. Spots are part of what
// is kept, so that the map can be taken back and drawn elsewhere as it was, and moves with its node.
#pragma once
#include "maps/terrain_pack.h"

#define CAIRN_KEPT_SPOTS_MAX 30 // one for each robot of a fleet
#define CAIRN_KEPT_MAP_BYTES_MAX (1 + 4 * CAIRN_KEPT_SPOTS_MAX + CAIRN_TERRAIN_PACK_BYTES_MAX)

typedef struct cairn_kept_spot {
    int16_t x, y; // cell of the terrain map; it may lie beside it
} cairn_kept_spot;

typedef struct cairn_kept_spots {
    uint32_t count;
    cairn_kept_spot at[CAIRN_KEPT_SPOTS_MAX];
} cairn_kept_spots;

// Adds the spot around a place of the map's frame, unless it is too far away to hide any cell.
void cairn_kept_spots_add(cairn_kept_spots *spots, const cairn_terrain_planes *planes, cairn_vec2 at_m);
// Makes the cells of the spots unknown.
void cairn_kept_spots_hide(const cairn_kept_spots *spots, cairn_terrain_planes *planes);

// Returns how many bytes it took, at most CAIRN_KEPT_MAP_BYTES_MAX.
size_t cairn_kept_map_write(const cairn_terrain_planes *planes, const cairn_kept_spots *spots, uint8_t *ret_bytes);
// planes: all but its cells as they were written, nothing hidden. CAIRN_ERR_CORRUPT for bytes that cannot be.
CAIRN_CHECKED cairn_err cairn_kept_map_read(const uint8_t *bytes, size_t size_bytes, cairn_terrain_planes *planes,
                                            cairn_kept_spots *ret_spots);
