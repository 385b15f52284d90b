// g2o_io.h - pose graphs in text files: g2o's and TORO's, in the plane and in space.
//
// Read     VERTEX_SE2, EDGE_SE2, EDGE_PRIOR_SE2, EDGE_SE2_MIXTURE, VERTEX_SE3:QUAT, EDGE_SE3:QUAT, EDGE_SE3_PRIOR
//          (sensor at the base), FIX; TORO's VERTEX2, EDGE2, VERTEX3, EDGE3. Of a mixture the first part, if all parts
//          measured the same: the others then say that it may be wrong. Plain, or packed by gzip, bzip2 or xz: the
//          bytes decide. Nodes are sorted by name, which is their order in time; the bits from 56 on name the robot, as
//          GTSAM writes them. A tar archive is read as its files one after the other: a team's graph, with a file for
//          each robot. A closure between two robots that is there twice, since each of them has it, counts once. Of a
//          whole graph beside its parts (whole.h) one is read: the parts if they have all, else the whole.
// Told     Lines of nodes and factors that are not known here (landmarks and the like), and mixtures of several places:
//          what is left is another graph, and who solves it has to be asked. Other lines, but for remarks (#), and
//          factors from a node to itself are counted and left out.
// Deduced  A factor between a name and the next one is odometry, the first time; others are closures. Nodes that only
//          edges name start where chained odometry puts them, or, without any, the nearest other edge.
//          TORO's information in space is about angles, ours about quaternion parts, which are half of them.
//          EDGE2 in g2o's order of information, if more of its matrices are positive semidefinite in that than in
//          TORO's.
// Mended   Some public files have information that is not positive semidefinite. A term beside the diagonal that is
//          larger than the root of the product of its two on it cannot be, and is left out; if that does not help, so
//          are the others of that factor. It is counted.
// Limits   512 MiB of text; those of pose_graph.h.
#pragma once
#include "slam/graph/pose_graph.h"
#include "slam/graph/tar.h"

#define CAIRN_G2O_BYTES_MAX ((size_t)512 << 20)

typedef struct cairn_g2o_lines { // of one sort
    uint32_t count;
    uint32_t first; // the number of the first of them in its file; of an archive, in its files one after the other
    char word[32];  // its first word, cut off
} cairn_g2o_lines;

typedef struct cairn_g2o_info {
    cairn_g2o_lines unread;                     // nodes and factors that are not known here, and left out
    cairn_g2o_lines other;                      // neither nodes nor factors: parameters, sensors' data
    cairn_g2o_lines mixed;                      // mixtures that were read as closures which may be wrong
    cairn_g2o_lines looped;                     // factors from a node to itself, left out
    bool is_g2o_order;                          // EDGE2 had g2o's order of information
    char whole[CAIRN_TAR_NAME_BYTES + 1];       // an archive's file that has all that the others have; "": none
    bool is_whole_read;                         // it alone was read; false: the others were
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
