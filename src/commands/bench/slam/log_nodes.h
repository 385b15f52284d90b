// log_nodes.h - the nodes that a robot would have made along a recorded drive: a terrain map and a pose each.
//
// Each scan of a corrected CARMEN log is added to a local grid at the log's pose, 1.25 s after the one before, and a
// map of 150 x 150 cells of 10 cm is sampled around it: the same steps as on a robot.
#pragma once
#include "base/memory.h"
#include "maps/terrain_planes.h"

#define CAIRN_NODE_SIDE 150
#define CAIRN_NODE_CELL_M 0.1

typedef struct cairn_log_node {
    cairn_pose2 map_T_node;  // the log's: somebody's mapping, not measured truth
    cairn_pose2 odom_T_node; // where the wheels put it
    cairn_terrain_planes planes;
} cairn_log_node;

// The first so many nodes of a log, but for the first few, whose grid was still empty. memory holds them.
// CAIRN_ERR_IO, CAIRN_ERR_CORRUPT, CAIRN_ERR_FULL, ...: the complaints say why.
CAIRN_CHECKED cairn_err cairn_log_nodes_read(const char *path, uint32_t count_max, cairn_arena *memory,
                                             cairn_complaints *complaints, cairn_log_node **ret_nodes,
                                             uint32_t *ret_count);
