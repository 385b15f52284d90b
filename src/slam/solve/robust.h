// robust.h - least squares that a few wrong factors cannot bend: each factor gets a weight by how badly it fits.
//
// A layer above the solvers. Weights are written to cairn_factor.weight; a solver multiplies a factor's information by
// its weight, and leaves factors of weight 0 out as if they were gone. Odometry keeps weight 1: it is believed. The
// kernels re-weigh after each iteration. `gnc`, graduated non-convexity, starts with a cost that is nearly convex,
// where every factor counts, and sharpens it until each one counts either fully or not at all: it needs no start near
// the answer.
//
// Memory   None here; the solver's is its own.
// Threads  One owner of the graph.
// Source   Yang, Antonante, Tzoumas, Carlone 2020 (graduated non-convexity, truncated least squares); Agarwal et al.
//          2013 (dynamic covariance scaling); Huber 1964; Geman & McClure 1985.
#pragma once
#include "slam/graph/pose_graph.h"

typedef enum cairn_robust_kind {
    CAIRN_ROBUST_NONE,
    CAIRN_ROBUST_HUBER,     // linear far out: wrong factors still pull, but never more than at the bound
    CAIRN_ROBUST_CAUCHY,    // logarithmic
    CAIRN_ROBUST_GEMAN,     // bounded: wrong factors hardly pull
    CAIRN_ROBUST_DCS,       // dynamic covariance scaling: untouched within the bound, then bounded
    CAIRN_ROBUST_GNC,       // truncated least squares, graduated
    CAIRN_ROBUST_CONSENSUS, // who is borne out by others, then gnc: consensus_solve.h, not cairn_robust_solve
    CAIRN_ROBUST_KIND_COUNT
} cairn_robust_kind;

typedef struct cairn_robust_def {
    cairn_robust_kind kind;
    // [-] 0..1: share of right factors whose chi2 is within the bound. Greater: fewer right ones refused, more wrong
    // ones kept.
    double probability;
    double sharpen;            // [-] > 1, gnc: the cost's sharpening at each round. Smaller: surer and slower.
    uint32_t rounds_max;       // weighings
    uint32_t round_iterations; // of the solver, for each of them
    uint32_t final_iterations; // with the last weights
} cairn_robust_def;

typedef struct cairn_robust_info {
    uint32_t round_count;
    uint32_t refused_count; // factors that ended with a weight below one half
    bool is_settled;        // weights had stopped changing (gnc: all were 0 or 1) before rounds_max
    double chi2_bound;      // [-] of a single factor
} cairn_robust_info;

// Weighted least squares from where the nodes are, to convergence or so many iterations: what every solver here offers.
typedef struct cairn_weighted_solver {
    cairn_err (*solve)(void *context, cairn_graph *graph, uint32_t iterations_max);
    void *context;
} cairn_weighted_solver;

cairn_robust_def cairn_robust_def_default(cairn_robust_kind kind);
const char *cairn_robust_kind_name(cairn_robust_kind kind);
// CAIRN_ERR_NOT_FOUND: no kind of that name.
CAIRN_CHECKED cairn_err cairn_robust_kind_find(const char *name, cairn_robust_kind *ret_kind);

// Weight 0..1 that a kernel (not gnc) gives to a factor of this chi2: the slope of its cost.
double cairn_robust_weight(cairn_robust_kind kind, double chi2, double chi2_bound);
// What a factor of this chi2 costs: the kernel's; gnc's is that of its end, at most the bound.
double cairn_robust_cost(cairn_robust_kind kind, double chi2, double chi2_bound);
// The weight by gnc at a sharpness > 0: 0 is convex, infinite is truncated least squares.
double cairn_gnc_weight(double sharpness, double chi2, double chi2_bound);
double cairn_robust_chi2_bound(const cairn_robust_def *def, uint32_t degrees);

// Solves, weighing as it goes; weights and poses are left in the graph. With CAIRN_ROBUST_NONE all weights become 1.
// Factors that are gone are left as they are. Errors are the solver's.
CAIRN_CHECKED cairn_err cairn_robust_solve(const cairn_robust_def *def, cairn_graph *graph,
                                           const cairn_weighted_solver *solver, cairn_robust_info *ret_info);
