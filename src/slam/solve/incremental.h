// incremental.h - a graph that grows, solved at every step at the price of what changed.
//
// Nodes and factors are added to the graph as always; step takes in what is new. Only the fronts of the touched nodes
// and those above them are ordered and computed again; below, all is kept. The gradient is always that of the nodes'
// present places: it is the matrix that may be old, within a tolerance, so that what the iterations end at is exact.
// Nodes move by motions of the map's frame (map_frame.h). Where new factors agree with the nodes' places, nothing is
// done.
//
// exact   iterates until nothing moves: the minimum that a batch solver finds.
// fast    leaves small gains for later: within a stated part of the best chi2. settle makes it exact.
//
// Memory  From the arena at create, by the graph's maxima; step takes none.
// Threads One owner of graph and solver.
// Source  Kaess et al. 2012 (iSAM2) for the tree whose top is made anew.
#pragma once
#include "slam/graph/pose_graph.h"

typedef enum cairn_incremental_mode { CAIRN_INCREMENTAL_EXACT, CAIRN_INCREMENTAL_FAST } cairn_incremental_mode;

typedef struct cairn_incremental_def {
    cairn_incremental_mode mode;
    double step_m_max; // exact: done when no node moves farther (also rad)
    double gain_part;  // [-] fast: done when chi2 could fall by less than this part of it
    double still_m;    // fast: what moves less than this (also rad) moves nothing below it in the tree; exact: 1e-3 of
                       // step_m_max
    // Blocks are made anew when a node is that far (also rad) from where they were made. Smaller: fewer, dearer
    // iterations.
    double linear_m_max;
    uint32_t iterations_max; // of a step
    size_t values_max;       // doubles for fronts; 0: by the graph's maxima
} cairn_incremental_def;

typedef struct cairn_incremental_info {
    uint32_t iterations;    // solves of this step
    uint32_t nodes_moved;   // at the last of them
    uint32_t nodes_renewed; // eliminated again
    bool is_rebuilt;        // all of it was ordered anew
    bool is_converged;
    double chi2; // [-] with weights
} cairn_incremental_info;

typedef struct cairn_incremental cairn_incremental;

cairn_incremental_def cairn_incremental_def_default(cairn_incremental_mode mode);
// Nothing is taken in yet, whatever the graph holds. CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_incremental_create(const cairn_incremental_def *def, const cairn_graph *graph,
                                                 cairn_arena *arena, cairn_incremental **ret_incremental);
// Takes in what was added and touched, and moves nodes. CAIRN_ERR_INVALID: the factors do not determine the nodes.
// CAIRN_ERR_FULL: values_max is too small for this graph. ret_info may be NULL.
CAIRN_CHECKED cairn_err cairn_incremental_step(cairn_incremental *incremental, cairn_graph *graph,
                                               cairn_incremental_info *ret_info);
// The weight, is_gone or measured of a factor that was taken in has changed.
void cairn_incremental_touch(cairn_incremental *incremental, uint32_t factor);
// The minimum, as exact has it, whatever the mode.
CAIRN_CHECKED cairn_err cairn_incremental_settle(cairn_incremental *incremental, cairn_graph *graph,
                                                 cairn_incremental_info *ret_info);
