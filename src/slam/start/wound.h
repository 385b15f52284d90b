// wound.h - whether solved poses are wound up: the sign of a local minimum.
//
// What the factors of a loop measured does not quite close, and solved poses share the rest out among them. If they
// share out a whole turn more than there is to share, the loop is wound up like a rubber band: no small step lowers
// chi2, and yet it is wrong. That is told for the loops of a tree of fewest factors, each closed by one other factor.
//
// A loop so long and noisy that it does not close by half a turn can seem to be wound and is not: a sign, no proof.
//
// Memory   Scratch from the arena while it runs, given back.
// Threads  Any; the graph is only read.
#pragma once
#include "slam/graph/pose_graph.h"

// How many loops are wound up, where the nodes are now. CAIRN_ERR_FULL: the scratch is too small. O(factors).
CAIRN_CHECKED cairn_err cairn_wound_count(const cairn_graph *graph, cairn_arena *scratch, uint32_t *ret_count);
