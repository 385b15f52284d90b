// pose_graph.h - where things were, and what is known about that: nodes, and factors between and on them.
//
// A graph lives in the plane (3 degrees of freedom: x, y, yaw) or in space (6: position, turn); never in both. Nodes
// and factors are named by their index, which never changes: what is taken out is marked as gone, so that stories and
// journals can name it for ever. What the factors say and where the nodes are now are apart: solvers read the first and
// write the second.
//
// Errors   e = log(measured^-1 * (from^-1 * to)) for a factor between two nodes, with e = (position of it, turn of it):
//          in the plane (x, y, yaw); in space as g2o has it: position, then the vector part of the unit quaternion with
//          w >= 0. For a factor on one node read "from" as the map's origin. chi2 = sum of e' * information * e.
// Changes  A node moves by a step d in its own frame: plane (x, y) += R(yaw) (d0, d1), yaw += d2; space: pose * d, with
//          d's turn as the vector part of a unit quaternion. Solvers keep to that, so that covariances can be compared.
// Frames   map, metres, radians; a node's frame is its robot's base.
// Memory   From the arena at create, by the counts of the def; nothing later.
// Threads  One owner.
// Source   Olson et al. 2012 (Magic), 4.2-4.7; Kuemmerle et al. 2011 for the errors in space.
#pragma once
#include "base/clock.h"
#include "base/memory.h"
#include "geometry/pose2.h"
#include "geometry/pose3.h"

#define CAIRN_GRAPH_NODES_MAX 1000000u
#define CAIRN_GRAPH_FACTORS_MAX 4000000u
#define CAIRN_GRAPH_NONE UINT32_MAX

typedef struct cairn_graph_pose { // plane: x, y, yaw, the rest 0; space: x, y, z, then the turn w, x, y, z
    double v[7];
} cairn_graph_pose;

typedef struct cairn_graph_node {
    cairn_graph_pose pose; // map_T_node, the best known
    cairn_mission taken_at;
    uint64_t name;  // the number that it has outside (g2o, radio); unique in the graph, which its maker sees to
    uint16_t robot; // whose node
    int16_t floor;  // storey; factors between storeys are allowed
    bool is_fixed;  // solvers leave it where it is
} cairn_graph_node;

typedef enum cairn_factor_kind {
    CAIRN_FACTOR_ODOMETRY, // from a robot's own motion: believed, never refused by robust solvers
    CAIRN_FACTOR_CLOSURE,  // two nodes seen to be near each other: may be wrong
    CAIRN_FACTOR_GLOBAL,   // on one node: surveyed point, hand alignment, GPS, tag; may be wrong unless it says 0
                           // information
    CAIRN_FACTOR_KIND_COUNT
} cairn_factor_kind;

typedef struct cairn_factor {
    uint32_t from, to; // nodes; from is CAIRN_GRAPH_NONE for a factor on one node
    uint8_t kind;      // cairn_factor_kind
    bool is_gone;      // refused, expired or merged into another: does not count
    float weight;      // [-] 0..1, what a robust solver last thought of it; 1 when it is added. Solvers multiply
                       // the information by it, and leave 0 out as if it were gone
    cairn_graph_pose measured; // from_T_to
    double information[21]; // upper triangle by rows; plane: the first 6; units 1/m2, 1/rad2 (space: quaternion parts)
} cairn_factor;

typedef struct cairn_graph_def {
    uint32_t degrees; // 3 or 6
    uint32_t nodes_max, factors_max;
} cairn_graph_def;

typedef struct cairn_graph {
    cairn_graph_def def;
    uint32_t node_count, factor_count;
    cairn_graph_node *nodes;
    cairn_factor *factors;
} cairn_graph;

CAIRN_CHECKED cairn_err cairn_graph_create(const cairn_graph_def *def, cairn_arena *arena, cairn_graph **ret_graph);
// Adds a copy; *ret_index may be NULL. CAIRN_ERR_FULL: no room. CAIRN_ERR_INVALID: not finite, a turn that is not unit
// to 1e-6, an information that is not sound, a node that is not there, or the same node twice.
CAIRN_CHECKED cairn_err cairn_graph_add_node(cairn_graph *graph, const cairn_graph_node *node, uint32_t *ret_index);
CAIRN_CHECKED cairn_err cairn_graph_add_factor(cairn_graph *graph, const cairn_factor *factor, uint32_t *ret_index);

// Whether an information (upper triangle by rows) is finite and positive semidefinite to 1e-9 of its trace.
bool cairn_information_is_sound(uint32_t degrees, const double *upper);

cairn_graph_pose cairn_graph_pose_from2(cairn_pose2 pose);
cairn_graph_pose cairn_graph_pose_from3(cairn_pose3 pose);
cairn_pose2 cairn_graph_pose_to2(const cairn_graph_pose *pose);
cairn_pose3 cairn_graph_pose_to3(const cairn_graph_pose *pose);

// Error of one factor and its derivatives by the steps of its nodes: degrees x degrees, row-major; either may be NULL
// (by_from always is for a factor on one node). `from` is not read for such a factor.
void cairn_factor_error(uint32_t degrees, const cairn_factor *factor, const cairn_graph_pose *from,
                        const cairn_graph_pose *to, double *ret_error, double *ret_by_from, double *ret_by_to);
// Moves a pose by a step in its own frame. In space, a turn part longer than 1 is a half turn about that axis.
cairn_graph_pose cairn_graph_pose_step(uint32_t degrees, const cairn_graph_pose *pose, const double *step);
double cairn_factor_chi2(const cairn_graph *graph, uint32_t factor); // weights left out
double cairn_graph_chi2(const cairn_graph *graph);                   // over all that are not gone, weights left out
