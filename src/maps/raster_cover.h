// raster_cover.h - which nodes a raster can do without: those that look from where another one looked.
//
// A robot that stands, turns or creeps makes many terrain maps of one view. Drawing all of them costs time, gives that
// view more votes than others, and smears what their poses disagree about. A node is left out if enough nodes that stay
// were taken close by, at about the same time, with a field of view that holds its own, and if they know what it knows:
// one step past a doorway shows a room that the step before did not. Nodes are taken in their order, so that one more
// at the end changes nothing about those before it.
// What came much later never counts as covered: a door may have been opened since.
// Source   Olson et al. 2012 (Magic), 4.8: by sensor origin and field of view; new_part is ours.
#pragma once
#include "maps/terrain_planes.h"

typedef struct cairn_raster_node {
    cairn_pose2 map_T_node;             // the sensor's origin; the field of view is centred on its heading
    const cairn_terrain_planes *planes; // borrowed
    double seen_s;                      // mission time
    double field_rad;                   // of view, 2 pi: all around
} cairn_raster_node;

typedef struct cairn_raster_cover_def {
    double reach_m;      // origins this near see the same. More leaves out more, and with it what only they saw
    double slack_rad;    // by which a field of view may stick out
    double age_s;        // nodes this far apart in time do not cover each other
    double new_part;     // [-] of a node's known ground that those near it may lack. Of 256 places spread over its map
                         // those that it knows are asked; less keeps more nodes and more of what only they saw
    uint32_t near_count; // nodes that must cover one before it is left out, > 0; more keeps more votes
} cairn_raster_cover_def;

cairn_raster_cover_def cairn_raster_cover_def_default(void);
// ret_stays: a byte a node, 1 stays, 0 can be left out. Scratch is reset on return; CAIRN_ERR_FULL if it has no room
// for 12 bytes a node and some. A node whose pose is not finite is left out. O(nodes) expected.
CAIRN_CHECKED cairn_err cairn_raster_cover(const cairn_raster_cover_def *def, const cairn_raster_node *nodes,
                                           uint32_t count, cairn_arena *scratch, uint8_t *ret_stays);
