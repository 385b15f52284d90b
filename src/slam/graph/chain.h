// chain.h - a start for nodes that nobody has placed: along odometry, and, where there is none, along other factors.
//
// Pure; memory only from the scratch arena, which is given back.
#pragma once
#include "slam/graph/pose_graph.h"

// Places every node that is not marked in is_placed (one flag for each node, or NULL: only fixed nodes keep their
// place). Starts from the placed ones, or from the first node at the origin; nodes that nothing links to those start
// another island at the origin. What is gone does not link. CAIRN_ERR_FULL: scratch is too small.
CAIRN_CHECKED cairn_err cairn_graph_chain(cairn_graph *graph, const bool *is_placed, cairn_arena *scratch);
