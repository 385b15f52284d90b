// projection.h - how well one node is known from another: the least uncertain chain of factors between them.
//
// Dijkstra's search over chains, by the trace of their covariance: an upper bound on the true relative covariance,
// since all other chains could only add knowledge. Cheap where marginals would need the whole factored system. The
// trace adds squared metres and squared radians: a turn of 1 rad weighs as much as 1 m. In the plane headings are
// exact; positions to first order. Factors that leave a direction open (GPS) carry no chain, nor do those that are
// gone.
//
// Memory   From the arena at create; about 430 bytes for each node. No later.
// Threads  One owner.
// Source   Bosse et al. 2004; Olson et al. 2012 (Magic), 4.6.
#pragma once
#include "slam/closure/uncertain.h"

typedef struct cairn_projection cairn_projection;

typedef struct cairn_projection_def {
    uint32_t nodes_max, factors_max;
} cairn_projection_def;

typedef struct cairn_projection_reach {
    double trace_max;        // [m2 + rad2] chains beyond it are given up; INFINITY: all
    uint32_t target;         // stop when it is reached; CAIRN_GRAPH_NONE: reach all
    uint32_t factor_to_skip; // as if gone: what do the others say? CAIRN_GRAPH_NONE: none
    bool odometry_only;      // no closures: what the robot itself knows
} cairn_projection_reach;

CAIRN_CHECKED cairn_err cairn_projection_create(const cairn_projection_def *def, cairn_arena *arena,
                                                cairn_projection **ret_projection);
size_t cairn_projection_bytes(const cairn_projection_def *def); // that create takes
void cairn_projection_reset(cairn_projection *projection);      // forgets all factors, for another graph
cairn_projection_reach cairn_projection_reach_all(void);

// Searches from `start_T`, what is known of a root at the beginning: identity gives root_T_node, a reference's own
// uncertainty gives map_T_node. Factors added to the graph since the last call are noticed; a graph may only grow
// between calls. Nodes are settled in order of their trace. O(factors log nodes).
void cairn_projection_run(cairn_projection *projection, const cairn_graph *graph, uint32_t root,
                          const cairn_uncertain *start_T, const cairn_projection_reach *reach);
// After a run: what is known of a node, NULL if it was not reached. Valid until the next run.
const cairn_uncertain *cairn_projection_of(const cairn_projection *projection, uint32_t node);
// The factor by which a node was reached; CAIRN_GRAPH_NONE for the root and for nodes that were not.
uint32_t cairn_projection_factor(const cairn_projection *projection, uint32_t node);
// Nodes in the order of their settling; *ret_count of them.
const uint32_t *cairn_projection_order(const cairn_projection *projection, uint32_t *ret_count);

// The factors at a node, each once: first with CAIRN_GRAPH_NONE, then with the one before; CAIRN_GRAPH_NONE after the
// last. Newest first. Factors that the last run had noticed.
uint32_t cairn_projection_next(const cairn_projection *projection, const cairn_graph *graph, uint32_t node,
                               uint32_t factor);
