// handover.h - the map that is handed over: drawn afresh from the nodes, each view once.
//
// The live raster has the votes of every map that came, drawn to a tenth of a cell where its node was when that last
// moved by more than 2 cm: that is what a raster can follow while a mission runs. Here all nodes are drawn once more,
// where they are believed to be at last, without those that a cover can do without (maps/raster_cover.h): a robot that
// stood and looked has one voice, and what many poses disagree about is blurred less. Nothing that is known goes
// missing: what only nodes saw that are left out, or whose maps are no longer kept, is as in the live raster.
//
// Frame    map, cut to the cells that the live raster knows.
// Memory   6.4 kB a node and 11 bytes a cell from the arena that is given, for as long as the map is used.
#pragma once
#include "maps/files/map.h"
#include "station/atlas/atlas.h"

typedef struct cairn_handover {
    cairn_map map;            // its plane lies in the arena
    uint32_t drawn_count;     // nodes
    uint32_t left_out_count;  // that others cover
    uint32_t unkept_count;    // whose maps had made room (node_store.h)
    uint32_t live_cell_count; // as only the live raster knows them
} cairn_handover;

size_t cairn_handover_bytes(const cairn_atlas *atlas); // of an arena that is large enough
// CAIRN_ERR_FULL without memory, CAIRN_ERR_TOO_LARGE if the map is more than a file may hold. O(nodes + cells).
CAIRN_CHECKED cairn_err cairn_handover_make(const cairn_atlas *atlas, const cairn_fleet *fleet, cairn_arena *memory,
                                            cairn_handover *ret_handover);
