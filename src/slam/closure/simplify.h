// simplify.h - fewer factors that say nearly the same: a graph that is faster to solve.
//
// Parallel factors, between the same two nodes, are merged into one, which loses nothing but what linearising does.
// Then, in the order of the graph, a factor stays only if it tells the distance between its nodes better than the
// factors that stayed before it: if the least uncertain chain of those has more than alpha times its own covariance, by
// trace. What stays is made to fit where the nodes are now, so that the answer stays where it was.
//
// WARNING  Solve before, and only simplify a graph that is known to be good: what is wrong in it is baked in. A closure
//          that was wrong cannot be found or taken out any more, since nothing contradicts it.
// Bound    Between the nodes of a factor that went, the chain that is left has at most alpha times its trace. The
//          answer of solving again is unchanged, as every factor fits exactly.
// Memory   Scratch from the arena while it runs, given back.
// Threads  One owner of the graph.
// Source   Olson et al. 2012 (Magic), 4.7 and Algorithm 1.
#pragma once
#include "slam/graph/pose_graph.h"

typedef struct cairn_simplify_def {
    double alpha; // [-] > 0; greater: fewer factors stay, and the nodes are known less well
} cairn_simplify_def;

typedef struct cairn_simplify_info {
    uint32_t before_count, merged_count, removed_count, after_count; // factors between two nodes that are not gone
    double worst_part; // [-] greatest trace of a chain, as part of that of the factor that it stands for
} cairn_simplify_info;

cairn_simplify_def cairn_simplify_def_default(void);

// Odometry stays always: it is what holds a robot's path together. Factors on one node are made to fit and stay. What
// goes is marked as gone. CAIRN_ERR_FULL: the scratch is too small; the graph is then untouched.
CAIRN_CHECKED cairn_err cairn_graph_simplify(const cairn_simplify_def *def, cairn_graph *graph, cairn_arena *scratch,
                                             cairn_simplify_info *ret_info);
