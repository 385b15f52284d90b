// mapper.h - maps a drive by any method: the same calls for all of them.
//
//   graph     follows by scans and closes loops, slam/mapper/graph_mapper.h
//   gradient  each scan on the map so far, matching/gradient.h; no loops
//   mbicp     each scan on the last node, matching/mbicp.h; no loops
//
// One set of parameters serves all logs: what differs between lasers and wheels is deduced from the log.
// Frame    map: where the first scan's odometry is.
// Memory   An arena of its own, from the heap, until destroy.
// Threads  One owner.
#pragma once
#include "slam/mapper/gradient_mapper.h"
#include "slam/mapper/graph_mapper.h"

typedef enum cairn_mapper_kind {
    CAIRN_MAPPER_GRAPH,
    CAIRN_MAPPER_GRADIENT,
    CAIRN_MAPPER_MBICP,
    CAIRN_MAPPER_KIND_COUNT
} cairn_mapper_kind;

typedef struct cairn_mapper_info {
    uint32_t scan_count, unmatched_count;            // unmatched: placed by odometry alone
    uint32_t node_count, closure_count, solve_count; // 0 where the method has none
} cairn_mapper_info;

typedef struct cairn_mapper {
    cairn_mapper_kind kind;
    cairn_graph_mapper *graph;
    cairn_gradient_mapper *gradient;
    cairn_follow *follow;
    cairn_arena memory;
} cairn_mapper;

const char *cairn_mapper_name(cairn_mapper_kind kind);
CAIRN_CHECKED cairn_err cairn_mapper_find(const char *name, cairn_mapper_kind *ret_kind); // CAIRN_ERR_NOT_FOUND
// CAIRN_ERR_FULL: no memory; *ret_mapper is then all-zero. It must not be moved.
CAIRN_CHECKED cairn_err cairn_mapper_create(cairn_mapper_kind kind, uint32_t scans_max, uint32_t beams_max,
                                            cairn_mapper *ret_mapper);
void cairn_mapper_destroy(cairn_mapper *mapper); // accepts NULL and all-zero
CAIRN_CHECKED cairn_err cairn_mapper_step(cairn_mapper *mapper, const cairn_scan_points *points,
                                          cairn_pose2 odom_T_base);
CAIRN_CHECKED cairn_err cairn_mapper_finish(cairn_mapper *mapper); // no scan may follow
cairn_pose2 cairn_mapper_pose(const cairn_mapper *mapper, uint32_t scan);
cairn_mapper_info cairn_mapper_told(const cairn_mapper *mapper);
