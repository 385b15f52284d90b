// clique.h - the largest set of things that all agree with each other, pair by pair.
//
// Memory   The caller's.
// Threads  Any.
// Source   Tomita & Seki 2003 (colours as a bound); Mangelson et al. 2018 for closures.
#pragma once
#include "base/status.h"

#define CAIRN_CLIQUE_MEMBERS_MAX 256u
#define CAIRN_CLIQUE_WORDS (CAIRN_CLIQUE_MEMBERS_MAX / 64u)

typedef struct cairn_agreement { // bit j of row i: i agrees with j; symmetric, the diagonal is not read
    uint64_t rows[CAIRN_CLIQUE_MEMBERS_MAX][CAIRN_CLIQUE_WORDS];
    uint32_t count;
} cairn_agreement;

typedef struct cairn_clique {
    uint32_t members[CAIRN_CLIQUE_MEMBERS_MAX]; // ascending
    uint32_t size;
    bool is_largest; // false: the steps ran out, a larger one may exist
} cairn_clique;

void cairn_agreement_set(cairn_agreement *agreement, uint32_t a, uint32_t b);
bool cairn_agreement_get(const cairn_agreement *agreement, uint32_t a, uint32_t b);
// The largest clique, found in at most so many steps; exponential at worst, milliseconds for what closures look like.
void cairn_clique_find(const cairn_agreement *agreement, uint32_t steps_max, cairn_clique *ret_clique);
