// graph_mapper.h - maps a drive by a pose graph: follows it (follow.h), closes loops (closer.h), solves (slam/solve).
//
// Frame    map: where the first scan's odometry is.
// Memory   From the arena at create, by the counts of the def. The solver has an arena of its own, from the heap.
// Threads  One owner.
#pragma once
#include "slam/closure/candidates.h"
#include "slam/mapper/closer.h"
#include "slam/solve/batch.h"

typedef struct cairn_graph_mapper_def {
    cairn_follow_def follow; // its counts too
    cairn_closer_def closer;
    double close_m;            // driven between two searches for closures
    double solve_m, solve_rad; // a closure that disagrees with the map by more than this is worked in at once
    cairn_candidates_def
        candidates; // closures that were searched for wait; clock and expiry: a second is a metre driven
} cairn_graph_mapper_def;

typedef struct cairn_graph_mapper_info {
    uint32_t node_count, closure_count, refused_count, solve_count;
    cairn_closer_info closer;
} cairn_graph_mapper_info;

typedef struct cairn_graph_mapper cairn_graph_mapper;

cairn_graph_mapper_def cairn_graph_mapper_def_default(void);
CAIRN_CHECKED cairn_err cairn_graph_mapper_create(const cairn_graph_mapper_def *def, cairn_arena *memory,
                                                  cairn_graph_mapper **ret_mapper);
size_t cairn_graph_mapper_bytes(const cairn_graph_mapper_def *def);
// Takes the next scan. CAIRN_ERR_FULL: a count of the def is reached, or there is no memory to solve.
CAIRN_CHECKED cairn_err cairn_graph_mapper_step(cairn_graph_mapper *mapper, const cairn_scan_points *points,
                                                cairn_pose2 odom_T_base);
// Solves once more with all that is known. No scan may follow.
CAIRN_CHECKED cairn_err cairn_graph_mapper_finish(cairn_graph_mapper *mapper);
// Where a scan was taken, map_T_base, by what is known now.
cairn_pose2 cairn_graph_mapper_pose(const cairn_graph_mapper *mapper, uint32_t scan);
const cairn_follow *cairn_graph_mapper_follow(const cairn_graph_mapper *mapper);
const cairn_candidates *cairn_graph_mapper_candidates(const cairn_graph_mapper *mapper); // stories of all closures
const cairn_graph *cairn_graph_mapper_graph(const cairn_graph_mapper *mapper);
cairn_graph_mapper_info cairn_graph_mapper_told(const cairn_graph_mapper *mapper);
