// linear.h - a graph's factors made linear around where its nodes are: H x = b, block by block.
//
// H = sum of J' W J, b = -sum of J' W e, with W = weight * information. Blocks as fronts.h wants them. Factors that are
// gone count nothing.
// Memory   From the arena at create, by the graph's counts then; the graph may grow up to its def's maxima.
// Threads  One owner.
#pragma once
#include "slam/graph/pose_graph.h"
#include "slam/solve/fronts.h"

typedef struct cairn_linear {
    uint32_t degrees;
    double *diagonal; // by node: degrees x degrees, row-major, symmetric
    double *beside;   // by factor: rows its `from`, columns its `to`
    double *b;        // by node: degrees
    double *turns;    // plane: cosine and sine of each node's yaw
    double *measured; // plane: cosine and sine of each factor's measured yaw, kept from create on
} cairn_linear;

CAIRN_CHECKED cairn_err cairn_linear_create(const cairn_graph *graph, cairn_arena *arena, cairn_linear *ret_linear);
// For factors that were added or changed since.
void cairn_linear_learn(cairn_linear *linear, const cairn_graph *graph, uint32_t first_factor);

// What one factor adds: blocks row-major, b without its sign turned.
typedef struct cairn_factor_part {
    double from_from[36], from_to[36], to_to[36]; // only to_to for a factor on one node
    double by_from[6], by_to[6];                  // J' W e
    double chi2;                                  // weighted
} cairn_factor_part;
void cairn_linear_factor(const cairn_linear *linear, const cairn_graph *graph, uint32_t factor,
                         cairn_factor_part *ret_part);
// Reads the yaw of a node that moved.
void cairn_linear_turn(cairn_linear *linear, const cairn_graph *graph, uint32_t node);

// All of it; returns chi2, with weights.
double cairn_linear_make(cairn_linear *linear, const cairn_graph *graph);
// chi2 with weights where the nodes are now.
double cairn_linear_chi2(cairn_linear *linear, const cairn_graph *graph);
// H v, over the nodes that are not held: is_held has a flag for each node.
void cairn_linear_multiply(const cairn_linear *linear, const cairn_graph *graph, const bool *is_held, const double *v,
                           double *ret_product);
