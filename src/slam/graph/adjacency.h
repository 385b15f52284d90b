// adjacency.h - which factors touch a node.
#pragma once
#include "slam/graph/pose_graph.h"

// For node i: factor[start[i]] .. factor[start[i + 1] - 1], in the order of the graph. Factors that are gone are left
// out.
typedef struct cairn_factor_lists {
    uint32_t *start;  // node_count + 1
    uint32_t *factor; // a factor between two nodes is in both lists
} cairn_factor_lists;

// From the arena; CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_factor_lists_make(const cairn_graph *graph, cairn_arena *arena,
                                                cairn_factor_lists *ret_lists);
