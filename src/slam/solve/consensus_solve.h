// consensus_solve.h - a graph with many wrong closures, solved: whom to believe, where to start, then weights.
//
// First how noisy the graph is (closure/noise.h), since what files state is careless. If by that all closures fit
// together, and none alone joins what would lie apart, nobody is judged. Else there is consensus
// (closure/consensus.h) without solving; then a start by trees and turns from what is believed (start/trees.h,
// start/chordal.h), graduated non-convexity among that, and then every closure is judged again by the solved poses,
// until nothing changes: first those that neighbours bear out, then all. Groups that no good chain reaches, as where
// two robots meet, are guessed at last, one after the other, and kept if the rest still fits with them. In the end
// whatever fits within what is stated may come, and the poses are those that fit it best as it is stated. The poses
// that the graph had are not used, but for what is fixed. For graphs whose odometry can be believed.
//
// Memory   Scratch from the arena while it runs, given back.
// Threads  One owner of the graph.
#pragma once
#include "slam/closure/consensus.h"
#include "slam/closure/noise.h"
#include "slam/solve/batch.h"
#include "slam/solve/robust.h"

typedef struct cairn_consensus_solve_def {
    cairn_noise_def noise; // what is stated is not believed, but measured
    cairn_consensus_def consensus;
    cairn_robust_def robust; // among those that are believed
    cairn_batch_def batch;
    double probability;   // [-] that a right closure's chi2 is within the last bound, at the solved poses
    uint32_t rounds_max;  // of judging and solving again
    uint32_t guesses_max; // groups that are tried without a good chain; each costs a few solves
} cairn_consensus_solve_def;

typedef struct cairn_consensus_solve_info {
    cairn_noise noise;
    cairn_consensus_info consensus;
    cairn_robust_info robust;
    cairn_batch_info batch; // of the last solve
    uint32_t guessed_count; // groups that were guessed and kept
    uint32_t refused_count; // closures that are left with weight 0
    uint32_t round_count, iterations;
    bool is_settled;
    bool all_fit; // together, as they are: nobody was judged
} cairn_consensus_solve_info;

cairn_consensus_solve_def cairn_consensus_solve_def_default(void);

// Poses, and weights of 0 or 1, are left in the graph. CAIRN_ERR_FULL, or the solver's CAIRN_ERR_INVALID: nodes are
// then anywhere, all weights 1.
CAIRN_CHECKED cairn_err cairn_consensus_solve(const cairn_consensus_solve_def *def, cairn_graph *graph,
                                              cairn_arena *scratch, cairn_consensus_solve_info *ret_info);
