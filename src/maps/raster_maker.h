// raster_maker.h - the raster of all nodes, made again whenever the optimiser has moved them, at the cost of what
// moved.
//
// maps/raster.h draws and takes back one terrain map; here are arrays of them, and which of them must be drawn again.
// What has not moved stays: the sums of votes are the cache of all nodes that stand still. (Published methods keep
// submaps, which must be made again as a whole when one of their nodes moves.)
//
// Bound    With move_m and move_rad 0 an updated raster equals a fresh one, bit by bit. Else it equals one made from
//          poses that are at most move_m and move_rad from the given ones (cairn_raster_maker_drawn).
// Frame    map, as in maps/raster.h.
// Memory   9 bytes a cell and 53 a node from the arena at create; nothing later.
// Threads  One owner.
// Source   Olson et al. 2012 (Magic), 4.8.
#pragma once
#include "maps/raster.h"
#include "maps/raster_cover.h"

typedef struct cairn_raster_maker cairn_raster_maker;

typedef struct cairn_raster_maker_def {
    cairn_raster_def raster;
    uint32_t nodes_max; // at most 65535
    bool use_cover;
    cairn_raster_cover_def cover;
    double move_m, move_rad; // a node that moved by no more stays as it is drawn
} cairn_raster_maker_def;

typedef struct cairn_raster_maker_info {
    uint32_t drawn, taken_back; // nodes, by this update
    uint32_t stood, left_out;   // nodes that stayed as they were, and that the cover could do without
    bool afresh;                // so much had moved that everything was drawn anew
} cairn_raster_maker_info;

cairn_raster_maker_def cairn_raster_maker_def_default(void);
CAIRN_CHECKED cairn_err cairn_raster_maker_create(const cairn_raster_maker_def *def, cairn_arena *arena,
                                                  cairn_raster_maker **ret_maker);
// Brings the raster to these nodes. A node keeps its index from update to update and its planes as long as it exists:
// both are borrowed until it is gone. Nodes may be added at the end, or taken away there. Nodes whose pose is not
// finite are not drawn. CAIRN_ERR_FULL if there are more than def.nodes_max, or if the scratch (12 bytes a node) is too
// small for a cover; nothing changes then. O(cells of the nodes that moved, came or went).
CAIRN_CHECKED cairn_err cairn_raster_maker_update(cairn_raster_maker *maker, const cairn_raster_node *nodes,
                                                  uint32_t count, cairn_arena *scratch,
                                                  cairn_raster_maker_info *ret_info);
void cairn_raster_maker_clear(cairn_raster_maker *maker); // forgets all nodes; the next update is a plain pass
const cairn_raster *cairn_raster_maker_raster(const cairn_raster_maker *maker);
// Where a node is drawn; false if it is not.
bool cairn_raster_maker_drawn(const cairn_raster_maker *maker, uint32_t node, cairn_pose2 *ret_pose);
