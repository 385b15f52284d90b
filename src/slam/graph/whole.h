// whole.h - one of several graphs that has all that the others have: a team's whole graph, beside its robots' parts.
//
// Some archives have both. The whole may name its nodes as the parts do, or without the robot in the upper bits.
//
// Memory   Scratch from the arena while it runs, given back.
// Threads  Any; the graphs are only read.
#pragma once
#include "slam/graph/pose_graph.h"

#define CAIRN_GRAPH_ROBOT_SHIFT 56u // the bits of a node's name from here on are the robot's, as GTSAM writes them

typedef struct cairn_whole {
    uint32_t index; // of the whole; CAIRN_GRAPH_NONE: none has all
    bool has_more;  // than the others together
} cairn_whole;

// Compares factors by their nodes' names and what was measured. CAIRN_ERR_FULL: the scratch is too small.
CAIRN_CHECKED cairn_err cairn_graph_find_whole(const cairn_graph *const *graphs, uint32_t count, cairn_arena *scratch,
                                               cairn_whole *ret_whole);
