// repeats.h - closures between two robots that are there twice, because each of the two robots has written them down.
#pragma once
#include "slam/graph/pose_graph.h"

// Takes out all but the first of closures between nodes of different robots that measured the same, to the rounding of
// a text file. Factors get new indices: for graphs that nobody refers to yet. *ret_count is how many there were.
// CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_graph_drop_repeats(cairn_graph *graph, cairn_arena *scratch, uint32_t *ret_count);
// Whether two factors measured the same, to the rounding of a text file; whichever their nodes are.
bool cairn_factor_measures_same(uint32_t degrees, const cairn_factor *a, const cairn_factor *b);
