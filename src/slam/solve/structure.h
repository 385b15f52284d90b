// structure.h - what a solver must know of a graph before any number: who is held, who is linked to whom, in which
// order to eliminate.
#pragma once
#include "slam/solve/fronts.h"
#include "slam/solve/ordering.h"

typedef struct cairn_structure {
    uint32_t node_count, factor_count, free_count;
    uint32_t part_count; // that no factor links
    bool *is_held;       // by node: fixed, or the first of a part that nothing else holds in the map
    cairn_incidence incidence;
    uint32_t *ends;  // of the incidence
    uint32_t *order; // free nodes, once ordered
} cairn_structure;

// From the arena; CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_structure_make(const cairn_graph *graph, cairn_arena *arena,
                                             cairn_structure *ret_structure);
CAIRN_CHECKED cairn_err cairn_structure_order(cairn_structure *structure, cairn_ordering_kind kind, cairn_arena *arena);
