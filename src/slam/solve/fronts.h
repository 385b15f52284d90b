// fronts.h - the factorisation H = L L' of a sparse block matrix, as a tree of small dense ones (multifrontal
// Cholesky).
//
// A front eliminates some variables, its pivots, and leaves an update of the variables that they touched, its rows, to
// its parent. Fronts keep their updates: when something changes, only the fronts of the changed variables and those
// above them are made anew, and take the kept updates of what hangs below. Fronts stand in an order in which children
// come before parents, always: new ones are appended, replaced ones left as holes, until a rebuild of all.
//
// Values   A front's panel has the columns of L of its pivots, all rows, column by column, `stride` apart; on its
//          diagonal stand the inverses of L's. The update is a square over the rows, its lower triangle valid.
//          Where memory is taken at build, updates of done fronts make room for others: all are computed in one pass.
// Memory   From the arena: at create, by the def's counts; or, where those are 0, at each build, as much as it needs.
// Threads  One owner. Passes read what they are given and write only values and vectors.
// Source   Duff & Reid 1983 (multifrontal); Kaess et al. 2012 (the tree that changes at its top, iSAM2).
#pragma once
#include "slam/graph/pose_graph.h"

#define CAIRN_FRONT_LANES 8u // doubles to which columns are padded: one AVX-512 register

typedef struct cairn_front {
    uint32_t pivot_count, row_count; // variables
    uint32_t vars_at;                // its pivots, then its rows; their places in the parent stand at the same index
    uint32_t parent;                 // CAIRN_GRAPH_NONE for a root
    uint32_t child, sibling;         // first child; next child of the same parent; CAIRN_GRAPH_NONE
    uint32_t entries_at, entry_count;
    uint32_t stride, update_stride; // doubles
    size_t panel_at, update_at;     // into values
    bool is_alive;
    bool is_ordered; // its rows stand in the order that the parent has them in
} cairn_front;

// A block of the matrix that enters a front's panel: the off-diagonal block of a factor.
typedef struct cairn_front_entry {
    uint32_t factor;
    uint32_t at : 31;           // of its first number, in the panel
    uint32_t is_transposed : 1; // the block's row is the factor's `to`
} cairn_front_entry;

typedef struct cairn_fronts_def {
    uint32_t degrees; // 3 or 6
    uint32_t variables_max;
    uint32_t fronts_max, vars_max, entries_max; // with holes; all 0: taken at build, which then may be called only once
    size_t values_max;                          // doubles, with holes
} cairn_fronts_def;

typedef struct cairn_fronts {
    cairn_fronts_def def;
    uint32_t front_count, vars_used, entries_used;
    size_t values_used;
    cairn_front *fronts;
    uint32_t *vars, *places;
    uint32_t *run_ends; // by row: the next one that does not stand right behind the one before it in the parent
    cairn_front_entry *entries;
    double *values;
    uint32_t *front_of; // by variable; CAIRN_GRAPH_NONE where it is in no front
    cairn_arena *arena; // where a build takes memory; NULL if all was taken at create
    uint32_t *local_of; // by variable: its place in the order that is being built; CAIRN_GRAPH_NONE between builds
    double *column;     // scratch of the passes: one front's rows
} cairn_fronts;

// The factors of each variable, as lists that can grow: a factor is in the list of both its ends.
typedef struct cairn_incidence {
    uint32_t *head;       // by variable: 2 * factor + side (0 its `from`, 1 its `to`); CAIRN_GRAPH_NONE
    uint32_t *next;       // by 2 * factor + side
    const uint32_t *ends; // by 2 * factor + side: the variable; CAIRN_GRAPH_NONE where it is none or fixed
} cairn_incidence;

CAIRN_CHECKED cairn_err cairn_fronts_create(const cairn_fronts_def *def, cairn_arena *arena, cairn_fronts **ret_fronts);
void cairn_fronts_clear(cairn_fronts *fronts); // no front is left

// Appends fronts that eliminate `order` (count variables that are in no living front). Orphans are living fronts
// without a parent whose rows are all in `order`; they become children. Nothing is computed. The new fronts are those
// from *ret_first on. CAIRN_ERR_FULL: no room, also of scratch; the orphans' places are then lost, and only a clear
// helps.
CAIRN_CHECKED cairn_err cairn_fronts_build(cairn_fronts *fronts, const cairn_incidence *incidence,
                                           const uint32_t *order, uint32_t count, const uint32_t *orphans,
                                           uint32_t orphan_count, cairn_arena *scratch, uint32_t *ret_first);

uint64_t cairn_fronts_nonzeros(const cairn_fronts *fronts); // numbers of L, zeros of merged fronts counted

// The matrix: blocks on the diagonal by variable, off it by factor, row-major, degrees x degrees; a factor's block has
// its `from` in the rows and its `to` in the columns. To the diagonal of diagonal blocks, damping_part of it and
// damping_whole are added.
typedef struct cairn_front_matrix {
    const double *diagonal, *beside;
    double damping_part, damping_whole;
} cairn_front_matrix;

// Computes the living fronts from `first` on. False: not positive definite.
bool cairn_fronts_factor(cairn_fronts *fronts, const cairn_front_matrix *matrix, uint32_t first);
bool cairn_fronts_factor_one(cairn_fronts *fronts, const cairn_front_matrix *matrix, uint32_t front);
// All of them, and L y = b in place, front by front while it is in the cache.
bool cairn_fronts_factor_forward(cairn_fronts *fronts, const cairn_front_matrix *matrix, double *b);
// L y = b, in place, and L' x = y, over living fronts; b by variable, degrees each.
void cairn_fronts_forward(cairn_fronts *fronts, double *b);
void cairn_fronts_backward(cairn_fronts *fronts, double *y);
// The same for one front: forward, its children must have been done; backward, its parent.
void cairn_fronts_forward_one(cairn_fronts *fronts, uint32_t front, double *b);
void cairn_fronts_backward_one(cairn_fronts *fronts, uint32_t front, double *y);
