// map_frame.h - factors made linear in motions of the map's frame: how the incremental solver moves nodes.
//
// A motion x = (shift, turn about the origin) moves a node by pose -> turn * pose + shift. Nodes that move together
// have the same x, and a factor between them feels nothing: its error changes by A (x_to - x_from) with one and the
// same A. So a factor is one symmetric block K = A' W A, added on the diagonal of both ends and taken beside it; and a
// K made a while ago, elsewhere, is still blind to motions of the whole. In the nodes' own frames (pose_graph.h) it
// would not be: long loops are soft, and a matrix that is a little old would be far too stiff for them.
//
// Pure. The origin should be within some kilometres of the nodes.
#pragma once
#include "slam/graph/pose_graph.h"

typedef struct cairn_map_part {
    double block[36]; // K, row-major, degrees x degrees
    double by[6];     // A' W e: derivative of chi2 / 2 by x_to; by x_from it is the opposite
    double chi2;      // weighted
} cairn_map_part;

// `turns`: cosine and sine of the yaws of from and to and of what was measured, in the plane; not read in space.
typedef struct cairn_map_turns {
    const double *from, *measured;
} cairn_map_turns;

void cairn_map_linear(const cairn_graph *graph, const cairn_factor *factor, const double origin_m[3],
                      cairn_map_turns turns, cairn_map_part *ret_part);
cairn_graph_pose cairn_map_move(uint32_t degrees, const cairn_graph_pose *pose, const double origin_m[3],
                                const double *motion);
