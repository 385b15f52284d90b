// search.h - finds a few scans on a few others though it is known only roughly where they lie: on grids made of both.
//
// Correlative matching (matching/correlative.h) finds the best of the window and says whether to trust it; to a part of
// a cell, which MBICP makes up for.
//
// Memory   From the arena at create, about 2 MB.
// Threads  One owner.
#pragma once
#include "matching/correlative.h"
#include "matching/mbicp.h"

typedef struct cairn_search cairn_search;

CAIRN_CHECKED cairn_err cairn_search_create(cairn_arena *memory, cairn_search **ret_search);
size_t cairn_search_bytes(void);

// Scans around an origin, each with its place seen from there.
typedef struct cairn_submap {
    const cairn_mbicp_reference *parts;
    uint32_t count;
} cairn_submap;

// Where the origin of one submap lies in the other. False: what was found is not trusted.
bool cairn_search_find(cairn_search *search, cairn_submap there, cairn_submap here, const cairn_match_prior *prior,
                       cairn_match *ret_match);
// Volume of what is searched for such deviations of the prior, m2 rad.
double cairn_search_window(double deviation_m, double deviation_rad);
