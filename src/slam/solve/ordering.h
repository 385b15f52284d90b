// ordering.h - in which order to eliminate, so that little fills in and the factorisation is small.
//
// Orders work on blocks: one row and column for each node, whatever its degrees of freedom.
// Pure; scratch memory is given back. AMD and COLAMD are SuiteSparse's and use the heap while they run.
// Source   Markowitz 1957, Tinney & Walker 1967 (minimum degree); Amestoy, Davis, Duff 1996 (AMD); Davis et al. 2004
//          (COLAMD).
#pragma once
#include "base/memory.h"

typedef enum cairn_ordering_kind {
    CAIRN_ORDER_OURS,   // thin nodes first, then minimum degree on sets of bits; large cores by AMD
    CAIRN_ORDER_EXACT,  // exact minimum degree from the start: the plain textbook
    CAIRN_ORDER_AMD,    // approximate minimum degree
    CAIRN_ORDER_COLAMD, // by columns of the factors' derivatives
    CAIRN_ORDER_KIND_COUNT
} cairn_ordering_kind;

// Who is linked to whom, both ways, without doubles: of i, other[start[i]] .. other[start[i + 1] - 1].
typedef struct cairn_links {
    uint32_t count;
    const uint32_t *start, *other;
} cairn_links;

const char *cairn_ordering_name(cairn_ordering_kind kind);
CAIRN_CHECKED cairn_err cairn_ordering_find(const char *name, cairn_ordering_kind *ret_kind); // CAIRN_ERR_NOT_FOUND

// ret_order[k] is the k-th to be eliminated. CAIRN_ERR_FULL: scratch (or the heap) is too small.
CAIRN_CHECKED cairn_err cairn_order(cairn_ordering_kind kind, const cairn_links *links, cairn_arena *scratch,
                                    uint32_t *ret_order);
