// trees.h - where the nodes could be, from the factors alone: a start for solvers that is good however bad the poses
// are.
//
// From every root, a node whose place and heading in the map are known, the least uncertain chain of factors reaches
// every other node (closure/projection.h): a tree. Each tree predicts every node; the predictions are averaged by how
// well each one is known, so that neighbours with different chains do not end far apart. Roots are the nodes that are
// fixed or carry a full global reference (surveyed point with heading, hand alignment); where a connected part of the
// graph has none, its first node, left where it is, with relays (below) as more roots. What the nodes' poses were is
// not read, those of fixed nodes and of such first nodes excepted: a start that is turned by 70 degrees does no harm.
//
// Memory   Scratch from the arena while it runs, given back.
// Threads  One owner of the graph.
// Source   Olson et al. 2012 (Magic), 4.6.
#pragma once
#include "slam/graph/pose_graph.h"

typedef struct cairn_trees_def {
    uint32_t roots_max; // references beyond this are passed over, evenly; more: smoother and slower
    // Roots that are made where there are fewer references: nodes spread over the part, placed by its first tree. More
    // of them average more chains; 0 gives the plain spanning tree.
    uint32_t relays;
} cairn_trees_def;

typedef struct cairn_trees_info {
    uint32_t part_count; // connected parts of the graph
    uint32_t tree_count;
} cairn_trees_info;

cairn_trees_def cairn_trees_def_default(void);

// Places every node that is not fixed. CAIRN_ERR_FULL: the scratch is too small (see cairn_trees_scratch_bytes); the
// graph is then untouched. ret_info may be NULL. O(trees * factors * log nodes).
CAIRN_CHECKED cairn_err cairn_trees_place(const cairn_trees_def *def, cairn_graph *graph, cairn_arena *scratch,
                                          cairn_trees_info *ret_info);
size_t cairn_trees_scratch_bytes(const cairn_trees_def *def, const cairn_graph *graph);
