// closer.h - finds where a robot has come back to: proposes pairs of nodes, and lays one on the other.
//
// What is laid is not one scan but all of the last few metres, on the nodes around the other: a single scan of a
// corridor fits in too many places. While the pose is known well, MBICP finds the place by itself; when it is not,
// the window is searched first (search.h), on grids made of the same nodes.
//
// Memory   From the arena at create.
// Threads  One owner.
#pragma once
#include "slam/mapper/follow.h"

typedef struct cairn_closer_def {
    double away_m;               // driven between two visits, at least: less is one visit
    double near_m;               // nodes at most this far apart are tried, and as much farther as the drift may be
    double drift_m, drift_part;  // deviation of position: always, and for each metre of the shortest way between
    double turn_rad, turn_radpm; // likewise of heading
    double search_m;             // deviation from which on the window is searched
    double far_m;                // deviation from which on further visits are tried, each as if it were the very place
    double reach_m;              // driven before and after a node, of what is laid and laid on
    double score_min;            // [-] less of it on the reference is no closure
    uint32_t tries_max;          // visits that are tried for one node, the nearest first
    uint32_t points_max;         // of what is laid: more is surer and slower
} cairn_closer_def;

typedef struct cairn_closure {
    uint32_t from, to; // nodes, from < to
    cairn_pose2 from_T_to;
    double information[6];   // of a factor, slam/graph/pose_graph.h
    double score, ambiguity; // [-] as matching/match.h has them; ambiguity is 0 unless it was searched for
    double window;           // m2 rad: what was searched, and so what a wrong one could say
    bool was_searched;       // by correlative matching
} cairn_closure;

typedef struct cairn_closer_info {
    uint32_t tried, searched, accepted;
} cairn_closer_info;

typedef struct cairn_closer cairn_closer;

cairn_closer_def cairn_closer_def_default(void);
CAIRN_CHECKED cairn_err cairn_closer_create(const cairn_closer_def *def, cairn_arena *memory,
                                            cairn_closer **ret_closer);
// Looks for closures of the last node, by the poses that the nodes have now; driven_m[k] is the way driven up to node
// k, and closed_m the way at the last closure. Returns how many were found.
uint32_t cairn_closer_find(cairn_closer *closer, const cairn_follow *follow, const double *driven_m,
                           const double *way_m, cairn_closure *ret_closures, uint32_t closures_max);
const cairn_closer_info *cairn_closer_told(const cairn_closer *closer);
