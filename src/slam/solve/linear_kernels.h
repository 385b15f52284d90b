// linear_kernels.h - factors of the plane made linear, several at once. For linear.c.
#pragma once
#include "base/dispatch.h"

#define CAIRN_PLANE_LANES 8u // factors side by side: one AVX-512 register
#define CAIRN_PLANE_SEEN 5u  // numbers of a node: x, y, yaw, its cosine and its sine

// A factor on one node has the map's origin as its `from`: a place of its own behind all nodes. Where there is no
// factor, or it is gone, the information is 0, and both ends are that place if need be.
typedef struct cairn_plane_factors {
    uint32_t from[CAIRN_PLANE_LANES], to[CAIRN_PLANE_LANES];
    double measured[CAIRN_PLANE_SEEN][CAIRN_PLANE_LANES]; // as of a node
    double information[6][CAIRN_PLANE_LANES];             // times weight; upper triangle by rows
} cairn_plane_factors;

typedef struct cairn_plane_matrix { // as in linear.h, but of `diagonal` only the upper triangles; all with room for
    double *diagonal, *beside, *b;  // that place behind the nodes, and for whole groups of factors
} cairn_plane_matrix;

// Adds to diagonal and b, writes beside; `seen` by node. Returns chi2. With add_to NULL only that.
CAIRN_KERNEL_DECLARE(double, cairn_plane_linear,
                     (const cairn_plane_factors *groups, uint32_t group_count, const double *seen,
                      const cairn_plane_matrix *add_to));
