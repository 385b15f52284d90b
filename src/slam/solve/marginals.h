// marginals.h - how well nodes are known: blocks of the inverse of H, from its factor, without inverting anything.
//
// With H = L L', the block of the inverse for nodes a and b is Ya' Yb, with Ya the columns of L^-1 that belong to a;
// and those are zero but on the way from a's front to the root. Cost: that way, once for each degree of freedom.
//
// Covariances are of steps in the nodes' own frames (pose_graph.h): m2, rad2; in space, turns as quaternion parts. They
// are relative to what holds the map: fixed nodes, global factors, or else the first node.
#pragma once
#include "slam/solve/batch.h"
#include "slam/solve/incremental.h"

// ret_covariance: degrees x degrees, row-major, rows a, columns b; a and b may be the same. Zero if either is held.
// CAIRN_ERR_FULL: scratch, which is given back, is too small. CAIRN_ERR_INVALID: the factors do not determine the
// nodes. For a batch: where its last run left the nodes.
CAIRN_CHECKED cairn_err cairn_batch_marginal(cairn_batch *batch, uint32_t a, uint32_t b, cairn_arena *scratch,
                                             double *ret_covariance);
// For an incremental solver: of what its last step took in, by blocks that are as old as its def allows.
CAIRN_CHECKED cairn_err cairn_incremental_marginal(cairn_incremental *incremental, const cairn_graph *graph, uint32_t a,
                                                   uint32_t b, cairn_arena *scratch, double *ret_covariance);

// What both stand on: the block of the inverse in the coordinates of the fronts' matrix.
CAIRN_CHECKED cairn_err cairn_fronts_inverse(cairn_fronts *fronts, uint32_t a, uint32_t b, cairn_arena *scratch,
                                             double *ret_block);
