// choose.h - a graph solved from the start that serves it best: cheap ones first, and no more than are needed.
//
// The poses of the file are tried first. If the solver converges from there, chi2 is what the stated noise lets expect
// or less, and no loop is wound up (start/wound.h), they were good: nothing else is tried, and the choice cost the
// look. Else others are tried until one ends like that, or two of different kinds end alike, and if none does, the
// lowest is kept and brought to convergence.
//
// With a robust kernel closures are doubted, and a start that runs through wrong ones is the worst there is: the poses
// of the file and chained odometry come first, and what is lowered and compared is the kernel's cost. Only where these
// two do not end alike are growth and trees tried as well, and kept if that cost is lower.
//
// Memory   Scratch from the arena while it runs, given back.
// Threads  One owner of the graph.
#pragma once
#include "slam/solve/batch.h"
#include "slam/solve/robust.h"

typedef enum cairn_start_kind {
    CAIRN_START_FILE,      // where the nodes are
    CAIRN_START_ODOMETRY,  // chained: graph/chain.h
    CAIRN_START_TREES,     // start/trees.h
    CAIRN_START_CHORDAL,   // trees, then start/chordal.h
    CAIRN_START_TREE,      // of fewest factors, from the first node
    CAIRN_START_GROW,      // solve/grow.h
    CAIRN_START_GROW_FINE, // the same in small steps
    CAIRN_START_GROW_BACK, // in small steps from the far end
    CAIRN_START_KIND_COUNT
} cairn_start_kind;

typedef struct cairn_choose_def {
    cairn_batch_def batch;   // iterations_max: to bring the best to convergence
    cairn_robust_def robust; // not consensus, which has a start of its own
    // For each start that is tried. Good starts need fewer; more: dearer where the file's poses are bad, and fewer
    // starts are judged before they have come down.
    uint32_t try_iterations;
    cairn_start_kind only; // solves from this one alone; CAIRN_START_KIND_COUNT: chooses
} cairn_choose_def;

typedef struct cairn_start_try {
    cairn_start_kind start;
    double cost; // [-] chi2, or the robust kernel's, after the iterations of a try
    uint32_t iterations, wound_count;
    bool is_converged;
} cairn_start_try;

typedef struct cairn_choose_info {
    cairn_start_try tries[CAIRN_START_KIND_COUNT]; // in the order in which they were made
    uint32_t try_count;
    cairn_start_kind chosen;
    uint32_t iterations;  // of all tries and the rest
    uint32_t wound_count; // loops that are wound up in the end; not counted with a robust kernel
    double cost_expected; // [-] of right factors with the noise that they state
    cairn_batch_info batch;
    cairn_robust_info robust;
} cairn_choose_info;

cairn_choose_def cairn_choose_def_default(void);
const char *cairn_start_name(cairn_start_kind kind); // "file", "odometry", ...
CAIRN_CHECKED cairn_err cairn_start_find(const char *name, cairn_start_kind *ret_kind);

// Poses, and with a robust kernel weights, are left in the graph. CAIRN_ERR_FULL, or the solver's CAIRN_ERR_INVALID;
// nodes are then anywhere.
CAIRN_CHECKED cairn_err cairn_choose_solve(const cairn_choose_def *def, cairn_graph *graph, cairn_arena *scratch,
                                           cairn_choose_info *ret_info);
