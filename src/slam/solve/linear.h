// linear.h - a graph's factors made linear around where its nodes are: H x = b, block by block.
//
// H = sum of J' W J, b = -sum of J' W e, with W = weight * information. Blocks as fronts.h wants them. Factors that are
// gone count nothing.
// Memory   From the arena at create, by the graph's counts then.
// Threads  One owner.
#pragma once
#include "slam/graph/pose_graph.h"
#include "slam/solve/linear_kernels.h"

typedef struct cairn_linear {
    uint32_t degrees;
    double *diagonal; // by node: degrees x degrees, row-major, symmetric
    double *beside;   // by factor: rows its `from`, columns its `to`
    double *b;        // by node: degrees
    // Plane: what is known of factors and nodes, close together.
    uint32_t group_count;
    cairn_plane_factors *groups;
    double *seen; // by node
} cairn_linear;

CAIRN_CHECKED cairn_err cairn_linear_create(const cairn_graph *graph, cairn_arena *arena, cairn_linear *ret_linear);
// Reads the factors: before the first make, and whenever their measurements, information, weights or is_gone changed.
void cairn_linear_learn(cairn_linear *linear, const cairn_graph *graph);

// All of it where the nodes are now; returns chi2, with weights.
double cairn_linear_make(cairn_linear *linear, const cairn_graph *graph);
// chi2 with weights where the nodes are now.
double cairn_linear_chi2(cairn_linear *linear, const cairn_graph *graph);
// Plane: cosine and sine of a node's yaw, where it was at the last make or chi2.
static inline const double *cairn_linear_turn(const cairn_linear *linear, uint32_t node)
{
    return linear->seen + CAIRN_PLANE_SEEN * (size_t)node + 3;
}
// H v, over the nodes that are not held: is_held has a flag for each node.
void cairn_linear_multiply(const cairn_linear *linear, const cairn_graph *graph, const bool *is_held, const double *v,
                           double *ret_product);
