// chordal.h - a start that all factors have a say in: turns first, then positions, each by one linear least squares.
//
// A tree (start/trees.h) believes one chain for each node, and where turns are noisy the ends of long chains are far
// off. Here turns are matrices whose orthogonality is forgotten while they are averaged, which makes the problem
// linear, and then restored; with turns known, positions are linear too. Conjugate gradients, from where the nodes are:
// place them by trees before. Nothing is solved exactly: the non-linear solver does that.
//
// Memory   Scratch from the arena while it runs, given back.
// Threads  One owner of the graph.
// Source   Martinec & Pajdla 2007; Carlone, Tron, Daniilidis, Dellaert 2015, for which start is best.
#pragma once
#include "slam/graph/pose_graph.h"

typedef struct cairn_chordal_def {
    uint32_t iterations_max; // of conjugate gradients, in each of the two problems
    double tolerance;        // [-] of the residual, by which it has to shrink
} cairn_chordal_def;

typedef struct cairn_chordal_info {
    uint32_t turn_iterations, position_iterations;
} cairn_chordal_info;

cairn_chordal_def cairn_chordal_def_default(void);

// Moves every node that is not fixed. Parts of the graph with no fixed node and no global reference keep their first
// node. CAIRN_ERR_FULL: the scratch is too small; the graph is then untouched. ret_info may be NULL.
CAIRN_CHECKED cairn_err cairn_chordal_place(const cairn_chordal_def *def, cairn_graph *graph, cairn_arena *scratch,
                                            cairn_chordal_info *ret_info);
size_t cairn_chordal_scratch_bytes(const cairn_graph *graph);
