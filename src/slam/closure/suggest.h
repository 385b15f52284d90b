// suggest.h - a person, or a program, thinks that two nodes are near each other: match them, and say how sure that is.
//
// The prior is what the graph knows of one node from the other (closure/projection.h). The answer is a proposal that
// can be given to candidates.h, or accepted by a person. Plane graphs.
//
// Threads  One owner of the projection.
#pragma once
#include "matching/match.h"
#include "slam/closure/candidates.h"
#include "slam/closure/projection.h"

// Lays what was seen at `to` on what was seen at `from`; the pose is from_T_to. CAIRN_ERR_NOT_FOUND: a node has no
// scan.
typedef struct cairn_node_matcher {
    cairn_err (*match)(void *context, uint32_t from, uint32_t to, const cairn_match_prior *prior,
                       cairn_match *ret_match);
    void *context;
} cairn_node_matcher;

typedef struct cairn_suggestion {
    cairn_match match;
    double
        confidence; // [-] 0..1: 0 if the matcher does not trust it; else its score, less as a second place fits as well
    double prior_chi2; // [-] how far from what the graph knew, in its covariance and the match's; 3 degrees; NaN: knew
                       // nothing
    cairn_closure_proposal proposal; // only if confidence > 0
} cairn_suggestion;

// Nodes that nothing joins get a prior of CAIRN_MATCH_UNKNOWN_M. `window` is the volume that the matcher searches, m2
// rad. CAIRN_ERR_INVALID: no such nodes, or not in the plane; else what the matcher says.
CAIRN_CHECKED cairn_err cairn_suggest(cairn_projection *projection, const cairn_graph *graph, uint32_t from,
                                      uint32_t to, const cairn_node_matcher *matcher, double window,
                                      cairn_suggestion *ret_suggestion);
