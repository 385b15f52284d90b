// follow.h - the front end of a mapper: follows a robot through a log by laying each scan on the last nodes.
//
// A node is a scan that is kept: the first one after every so many metres or degrees. Each scan is matched
// (matching/mbicp.h) to the nodes just before it, all at once, with odometry as the prior: where walls say nothing,
// wheels do. What is left to drift is from one handful of nodes to the next.
//
// Frame    map: where the first scan's odometry is.
// Memory   From the arena at create, by the counts of the def; a prepared scan for each node.
// Threads  One owner.
#pragma once
#include "slam/mapper/search.h"

typedef struct cairn_follow_def {
    uint32_t nodes_max, scans_max, beams_max;
    double node_m, node_rad;  // a new node after this: closer nodes are surer and cost more
    uint32_t reference_count; // nodes that a scan is laid on; more: less drift, slower
    double range_m_max;       // points beyond are not used
    double slip_part;         // [-] deviation of odometry, part of the distance and of the turn
    double slip_m, slip_rad;  // and of each step at least
    double turn_radpm;        // deviation of the heading for each metre driven
    cairn_mbicp_def match;
} cairn_follow_def;

typedef struct cairn_follow_node {
    uint32_t scan;             // which scan it is
    cairn_pose2 pose;          // map_T_base
    cairn_pose2 before_T_node; // from the node before it, as followed: solving leaves it as it is
    cairn_mbicp_scan points;
    double information[6]; // about where it is from the node before, as a factor's: slam/graph/pose_graph.h
} cairn_follow_node;

typedef struct cairn_follow_scan {
    uint32_t node; // that it hangs on: the last one at or before it
    cairn_pose2 node_T_scan;
    cairn_pose2 pose; // map_T_base, as followed
    bool is_matched;  // false: odometry alone
} cairn_follow_scan;

typedef struct cairn_follow {
    cairn_follow_def def;
    uint32_t node_count, scan_count;
    cairn_follow_node *nodes;
    cairn_follow_scan *scans;
    cairn_pose2 odom_before;
    cairn_pose2 step;          // between the last two scans, as found
    double bias_radpm;         // what odometry's heading is off by for each metre, of late
    double information[6];     // of the last scan's match, likewise
    cairn_scan_points *before; // the last scan as it came
    cairn_search *search;
    cairn_arena *memory, scratch;
} cairn_follow;

cairn_follow_def cairn_follow_def_default(void); // counts are 0
// CAIRN_ERR_FULL: the arena is too small; cairn_follow_bytes is enough.
CAIRN_CHECKED cairn_err cairn_follow_create(const cairn_follow_def *def, cairn_arena *memory,
                                            cairn_follow **ret_follow);
size_t cairn_follow_bytes(const cairn_follow_def *def);
// Takes the next scan. CAIRN_ERR_FULL: nodes_max or scans_max is reached.
CAIRN_CHECKED cairn_err cairn_follow_step(cairn_follow *follow, const cairn_scan_points *points,
                                          cairn_pose2 odom_T_base);
