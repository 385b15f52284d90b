// consensus.h - which closures of a whole graph to believe, before anything is solved: those that others bear out.
//
// Least squares with many wrong closures bends the map so far that no weight can tell right from wrong. Here a closure
// is compared with chains of factors, as measured: it is believed when a chain between its two nodes agrees with it,
// and is so well known that it would hardly agree by chance. What is believed makes more chains, so belief spreads.
// Neighbouring closures that bear each other out are a group; a group is believed together, by a chain that is less
// well known. What is believed is voted on: with the closure's own group left out, the best chain that is left speaks
// for or against every group in the cycle, and who is mostly spoken against is dropped.
//
// Chance   A wrong closure is taken to say anything within the window: as far as the longest closure of the graph
//          reaches, at any turn. The chance of agreement is the share of the window that lies within the bound.
// Memory   From the arena at create; the graph is borrowed for as long. Nothing is solved, poses are not read.
// Threads  One owner, of the graph too.
// Source   After Olson 2009 and Latif, Cadena, Neira 2013, who validate groups; Magic 4.5 for cycles.
#pragma once
#include "slam/graph/pose_graph.h"

typedef struct cairn_consensus cairn_consensus;

typedef struct cairn_consensus_def {
    double probability;  // [-] that a right closure agrees with a right chain: the chi2 bound of all tests
    double chain_chance; // [-] above which a chain's agreement says too little of one closure. Greater: more believed,
                         // more of them wrong
    double group_chance; // [-] the same for a group
    double pair_chance;  // [-] and for two neighbouring closures, which make a group
    double reach_steps;  // [-] neighbours are this many odometry factors away, by their trace
    uint32_t group_min;  // closures in a group that may be believed without a good chain
} cairn_consensus_def;

typedef struct cairn_consensus_info {
    uint32_t closure_count, believed_count;
    uint32_t round_count;
    uint32_t group_count;   // believed together
    uint32_t dropped_count; // groups that were believed and then voted down
} cairn_consensus_info;

cairn_consensus_def cairn_consensus_def_default(void);

// Finds the groups; all closures get weight 0. Closures that are gone now are never looked at. CAIRN_ERR_FULL: the
// arena is too small.
CAIRN_CHECKED cairn_err cairn_consensus_create(const cairn_consensus_def *def, cairn_graph *graph, cairn_arena *arena,
                                               cairn_consensus **ret_consensus);
size_t cairn_consensus_bytes(const cairn_graph *graph);

// Believes all that chains bear out, starting from the closures that have a weight now; weights become 1, or 0 for
// those that are voted down. May be called again, when weights were changed by others.
void cairn_consensus_spread(cairn_consensus *consensus, cairn_consensus_info *ret_info);
// Whether the best chain of what has a weight now contradicts a closure, so that a right one would seldom do so: with
// less than 1 - probability.
bool cairn_consensus_is_contradicted(cairn_consensus *consensus, uint32_t factor, double probability);
// How many neighbouring closures bear this one out, wherever the graph is.
uint32_t cairn_consensus_agreements(const cairn_consensus *consensus, uint32_t factor);
// Believes the largest group of which nothing is believed yet and that no chain contradicts by far, however weak its
// chain, if there is one at all: a guess, which others must judge. Each group is offered once, until all are
// offered again. CAIRN_ERR_EMPTY: no more.
CAIRN_CHECKED cairn_err cairn_consensus_guess(cairn_consensus *consensus, uint32_t *ret_group);
void cairn_consensus_offer_again(cairn_consensus *consensus);
// The closures of a group: first with the group itself, then with the one before; CAIRN_GRAPH_NONE after the last.
uint32_t cairn_consensus_next(const cairn_consensus *consensus, uint32_t factor);
