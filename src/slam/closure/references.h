// references.h - what ties a graph to the world: surveyed points, alignments by hand, tags, and GPS that has proved
// itself.
//
// Each becomes a factor on one node. GPS is gated: receivers have reported good fixes that were 70 m off. A fix is only
// used when it agrees with others: the distance between two fixes must be the distance that the graph knows between
// their nodes, within both uncertainties; the largest set of fixes that agree pair by pair is believed if it is large
// enough. Distances need no heading, so it works before the map is turned the right way.
//
// Frames   map, metres, radians. Plane graphs; in space z and roll, pitch are left open.
// Memory   The caller's; the gate's from the arena at create.
// Threads  One owner of the graph.
// Source   Olson et al. 2012 (Magic), 4.4.
#pragma once
#include "slam/closure/clique.h"
#include "slam/graph/pose_graph.h"

typedef struct cairn_reference { // where a node is in the map
    uint32_t node;
    cairn_pose2 map_T_node;
    double deviation_m;   // > 0
    double deviation_rad; // 0: the heading is not known (a surveyed point, a tag seen without its turn)
} cairn_reference;

// Adds it as a factor. CAIRN_ERR_INVALID: no such node, or a deviation that is not positive; CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_reference_add(cairn_graph *graph, const cairn_reference *reference, uint32_t *ret_factor);

typedef struct cairn_gps_gate cairn_gps_gate;

typedef struct cairn_gps_fix {
    uint32_t node;
    double x_m, y_m;    // map
    double deviation_m; // as the receiver says
} cairn_gps_fix;

typedef struct cairn_gps_gate_def {
    uint32_t fixes_max;     // the oldest go first; at most CAIRN_CLIQUE_MEMBERS_MAX
    uint32_t agreeing_min;  // fixes that must agree before any is used
    double deviation_m_min; // what a receiver says is never taken to mean less
    double apart_m_min;    // fixes nearer to each other than this, by the graph, prove nothing: errors last for seconds
    double deviations_max; // [-] that two distances may differ by
} cairn_gps_gate_def;

cairn_gps_gate_def cairn_gps_gate_def_default(void);
CAIRN_CHECKED cairn_err cairn_gps_gate_create(const cairn_gps_gate_def *def, const cairn_graph *graph,
                                              cairn_arena *arena, cairn_gps_gate **ret_gate);
// Takes a fix; adds it, and those that waited with it, to the graph once enough agree. Returns how many were added.
// Stops early if the graph is full.
uint32_t cairn_gps_gate_step(cairn_gps_gate *gate, cairn_graph *graph, const cairn_gps_fix *fix);
