// g2o_io.h - pose graphs in text files: g2o's and TORO's, in the plane and in space.
//
// Read     VERTEX_SE2, EDGE_SE2, EDGE_PRIOR_SE2, EDGE_SE2_MIXTURE (its first part), VERTEX_SE3:QUAT, EDGE_SE3:QUAT,
//          EDGE_SE3_PRIOR (sensor at the base), FIX; TORO's VERTEX2, EDGE2, VERTEX3, EDGE3. Other lines are counted and
//          skipped. Plain, or packed by gzip, bzip2 or xz: the bytes decide. Nodes are sorted by name, which is their
//          order in time; the bits from 56 on name the robot, as GTSAM writes them. A tar archive is read as
//          its files one after the other: a team's graph, with a file for each robot. A closure between two robots that
//          is there twice, since each of them has it, counts once.
// Deduced  A factor between a name and the next one is odometry, the first time; others are closures. Nodes that only
//          edges name start where chained odometry puts them, or, without any, the nearest other edge.
//          TORO's information in space is about angles, ours about quaternion parts, which are half of them.
// Mended   Some public files have information that is not positive semidefinite. A term beside the diagonal that is
//          larger than the root of the product of its two on it cannot be, and is left out; if that does not help, so
//          are the others of that factor. It is counted.
// Limits   512 MiB of text; those of pose_graph.h.
#pragma once
#include "slam/graph/pose_graph.h"

#define CAIRN_G2O_BYTES_MAX ((size_t)512 << 20)

typedef struct cairn_g2o_info {
    uint32_t lines_other;                       // read over: tags that are not known here
    uint32_t nodes_chained;                     // had no line of their own
    uint32_t factors_repeated;                  // closures between robots that were there twice
    uint32_t factors_decoupled, line_decoupled; // whose information was mended, and where the first of them stands
} cairn_g2o_info;

// A graph from the arena, with just the room that it needs. CAIRN_ERR_IO, CAIRN_ERR_CORRUPT, CAIRN_ERR_TOO_LARGE,
// CAIRN_ERR_EMPTY without nodes, CAIRN_ERR_FULL; the reason is in *complaints, with file and line. ret_info may be
// NULL.
CAIRN_CHECKED cairn_err cairn_g2o_open(const char *path, cairn_arena *arena, cairn_complaints *complaints,
                                       cairn_graph **ret_graph, cairn_g2o_info *ret_info);
// The same from text in memory, which is only read.
CAIRN_CHECKED cairn_err cairn_g2o_parse(const uint8_t *bytes, size_t size_bytes, const char *name_for_errors,
                                        cairn_arena *arena, cairn_complaints *complaints, cairn_graph **ret_graph,
                                        cairn_g2o_info *ret_info);
// Writes nodes and what is not gone, TORO's way if the name ends in .graph, else g2o's. Weights are not written.
// CAIRN_ERR_IO. TORO has no factors on one node and no fixed ones: CAIRN_ERR_UNSUPPORTED with such.
CAIRN_CHECKED cairn_err cairn_g2o_write(const char *path, const cairn_graph *graph, cairn_complaints *complaints);
