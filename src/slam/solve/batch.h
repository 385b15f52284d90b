// batch.h - the nodes' best places by all factors at once: Gauss-Newton, Levenberg-Marquardt, dogleg.
//
// The order of elimination and the factor's structure are made once for a graph, by create; run may then be called
// again and again while poses, measurements, weights and is_gone change (but not nodes and factors). In every part of
// the graph that nothing holds in the map - no fixed node, no factor on one node - the first node is held where it is.
//
// Memory   From the arena at create; run takes none.
// Threads  One owner. No clock: times are counted only if the def has one.
// Source   Madsen, Nielsen & Tingleff 2004 for the damping; Powell 1970 for the dogleg.
#pragma once
#include "slam/solve/fronts.h"
#include "slam/solve/ordering.h"
#include "slam/solve/robust.h"

typedef enum cairn_solver_kind {
    CAIRN_SOLVER_GAUSS_NEWTON, // fastest near the answer; goes on damped where a step makes things worse
    CAIRN_SOLVER_LEVENBERG,
    CAIRN_SOLVER_DOGLEG,
    CAIRN_SOLVER_KIND_COUNT
} cairn_solver_kind;

typedef struct cairn_batch_def {
    cairn_solver_kind solver;
    cairn_ordering_kind ordering;
    uint32_t iterations_max; // factorisations in all
    double tolerance;        // [-] stops when the next step, by the last two, would lower chi2 by less than this part
    int64_t (*now_ns)(void); // for the times in the info; NULL: they stay 0
} cairn_batch_def;

typedef struct cairn_batch_info {
    uint32_t iterations; // steps taken
    uint32_t factorisations;
    bool is_converged;
    double chi2_before, chi2_after; // [-] with weights
    uint64_t l_nonzeros;
    uint32_t nodes_held; // fixed ones among them
    // of create, then of all runs
    int64_t ordering_ns, structure_ns, linear_ns, factor_ns, solve_ns;
} cairn_batch_info;

typedef struct cairn_batch cairn_batch;

cairn_batch_def cairn_batch_def_default(void);
const char *cairn_solver_name(cairn_solver_kind kind); // "gn", "lm", "dogleg"
CAIRN_CHECKED cairn_err cairn_solver_find(const char *name, cairn_solver_kind *ret_kind);

// CAIRN_ERR_FULL: the arena is too small.
CAIRN_CHECKED cairn_err cairn_batch_create(const cairn_batch_def *def, const cairn_graph *graph, cairn_arena *arena,
                                           cairn_batch **ret_batch);
// Moves the nodes; the graph must be the one of create. CAIRN_ERR_INVALID: the factors do not determine the nodes, or
// what they say overflows; the nodes are then where the last good step left them.
CAIRN_CHECKED cairn_err cairn_batch_run(cairn_batch *batch, cairn_graph *graph, uint32_t iterations_max,
                                        cairn_batch_info *ret_info);
// For robust.h: a solver whose context is this batch.
cairn_weighted_solver cairn_batch_weighted(cairn_batch *batch);
const cairn_batch_info *cairn_batch_last(const cairn_batch *batch); // of the last run
// For marginals: the factor, made again where the last run ended (false: not positive definite), and who is held.
bool cairn_batch_refactor(cairn_batch *batch);
cairn_fronts *cairn_batch_fronts(cairn_batch *batch);
bool cairn_batch_holds(const cairn_batch *batch, uint32_t node);
