// grow.h - a start that is solved as it grows: outward from what is known, a few nodes at a time.
//
// A spanning tree believes one chain for each node. Where turns are noisy the ends of long chains are turned by more
// than half a turn against each other, and a solver that starts there ends with a map that is wound up: a local
// minimum. Here nodes are placed ring by ring beside nodes that are solved already, and all that is placed is solved
// before the next ring comes. So a factor that closes a loop meets two ends that the factors inside have already
// brought together.
//
// Rings are counted in factors from the roots: fixed nodes, and in a part of the graph without any, its first node
// (or the one that is farthest from it), which stays where it is. Poses of other nodes are not read.
//
// Memory   Scratch from the arena while it runs, given back.
// Threads  One owner of the graph.
// Cost     About iterations / (growth - 1) steps of a solver of the whole graph.
#pragma once
#include "slam/solve/batch.h"

typedef struct cairn_grow_def {
    double growth;       // [-] > 1: how many times more nodes there are from one solve to the next; less: surer, slower
    uint32_t nodes_new;  // at least so many more, as long as there are few; less: surer, slower
    uint32_t iterations; // of each solve
    bool from_far;       // parts that nothing holds grow from the end that is farthest from their first node
    cairn_ordering_kind ordering;
} cairn_grow_def;

typedef struct cairn_grow_info {
    uint32_t solve_count, iterations;
} cairn_grow_info;

cairn_grow_def cairn_grow_def_default(void);

// Places every node that is not fixed; the first node of a part that nothing holds keeps its pose. CAIRN_ERR_FULL: the
// scratch is too small; CAIRN_ERR_INVALID: factors do not determine the nodes. The graph is then untouched. ret_info
// may be NULL.
CAIRN_CHECKED cairn_err cairn_grow_place(const cairn_grow_def *def, cairn_graph *graph, cairn_arena *scratch,
                                         cairn_grow_info *ret_info);
