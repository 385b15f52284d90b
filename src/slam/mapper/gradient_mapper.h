// gradient_mapper.h - maps a drive by laying each scan on the map made so far (matching/gradient.h): no loops are
// closed.
//
// Frame    map: where the first scan's odometry is.
// Memory   From the arena at create: one local grid, about 9 MB, and a pose for each scan.
// Threads  One owner.
#pragma once
#include "matching/gradient.h"

typedef struct cairn_gradient_mapper_def {
    uint32_t scans_max;
    double scan_s;         // between two scans: what the grid's memory counts in. Stamps of logs cannot be relied on
    double memory_s;       // of the grid: longer drifts less, and holds on longer to what was placed wrongly
    double add_m, add_rad; // moved, before another scan is added to the grid
} cairn_gradient_mapper_def;

typedef struct cairn_gradient_mapper cairn_gradient_mapper;

cairn_gradient_mapper_def cairn_gradient_mapper_def_default(void); // scans_max is 0
CAIRN_CHECKED cairn_err cairn_gradient_mapper_create(const cairn_gradient_mapper_def *def, cairn_arena *memory,
                                                     cairn_gradient_mapper **ret_mapper);
size_t cairn_gradient_mapper_bytes(const cairn_gradient_mapper_def *def);
// Takes the next scan. CAIRN_ERR_FULL: scans_max is reached.
CAIRN_CHECKED cairn_err cairn_gradient_mapper_step(cairn_gradient_mapper *mapper, const cairn_scan_points *points,
                                                   cairn_pose2 odom_T_base);
cairn_pose2 cairn_gradient_mapper_pose(const cairn_gradient_mapper *mapper, uint32_t scan);
uint32_t cairn_gradient_mapper_unmatched(const cairn_gradient_mapper *mapper); // scans placed by odometry alone
