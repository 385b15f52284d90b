// gradient_mapper.c - lives by matching/gradient.h as its header says, along a log.
#include "slam/mapper/gradient_mapper.h"
#include <math.h>

#define GRID_BYTES ((size_t)32 << 20)

struct cairn_gradient_mapper {
    cairn_gradient_mapper_def def;
    cairn_local_grid *grid;
    cairn_pose2 *poses;
    uint32_t count, unmatched;
    cairn_pose2 odom_before, added_at;
};

cairn_gradient_mapper_def cairn_gradient_mapper_def_default(void)
{
    return (cairn_gradient_mapper_def){.scan_s = 0.1, .memory_s = 60, .add_m = 0.05, .add_rad = 3 * CAIRN_PI / 180};
}

size_t cairn_gradient_mapper_bytes(const cairn_gradient_mapper_def *def)
{
    return GRID_BYTES + sizeof(cairn_gradient_mapper) + def->scans_max * sizeof(cairn_pose2) + 256;
}

cairn_err cairn_gradient_mapper_create(const cairn_gradient_mapper_def *def, cairn_arena *memory,
                                       cairn_gradient_mapper **ret_mapper)
{
    CAIRN_ASSERT(def->scan_s > 0 && def->memory_s > 0);
    cairn_gradient_mapper *mapper = CAIRN_TAKE(memory, cairn_gradient_mapper, 1);
    if (mapper == NULL) { return CAIRN_ERR_FULL; }
    mapper->def = *def;
    mapper->poses = CAIRN_TAKE(memory, cairn_pose2, def->scans_max);
    if (mapper->poses == NULL) { return CAIRN_ERR_FULL; }
    cairn_local_grid_def grid = cairn_local_grid_def_default();
    grid.memory_s = def->memory_s;
    const cairn_err err = cairn_local_grid_create(&grid, memory, &mapper->grid);
    if (err == CAIRN_OK) { *ret_mapper = mapper; }
    return err;
}

static void add(cairn_gradient_mapper *mapper, const cairn_scan_points *points, cairn_pose2 pose, cairn_mono now)
{
    cairn_local_grid_centre(mapper->grid, cairn_pose2_at(pose));
    cairn_local_grid_add(mapper->grid, pose, points, now);
    mapper->added_at = pose;
}

cairn_err cairn_gradient_mapper_step(cairn_gradient_mapper *mapper, const cairn_scan_points *points,
                                     cairn_pose2 odom_T_base)
{
    if (mapper->count == mapper->def.scans_max) { return CAIRN_ERR_FULL; }
    const cairn_mono now = {CAIRN_S(1) + (int64_t)mapper->count * cairn_ns_from_seconds(mapper->def.scan_s)};
    const cairn_pose2 moved = cairn_pose2_between(mapper->odom_before, odom_T_base);
    cairn_pose2 pose = odom_T_base;
    if (mapper->count == 0) {
        add(mapper, points, pose, now);
    } else {
        pose = cairn_pose2_compose(mapper->poses[mapper->count - 1], moved);
        cairn_match_def def = cairn_match_def_default();
        cairn_match_def_set_motion(&def, hypot(moved.x_m, moved.y_m), moved.yaw_rad);
        // Wheels of these logs turn a robot by as much as a degree for each metre.
        def.prior_yaw_rad += 0.02 + 0.05 * hypot(moved.x_m, moved.y_m);
        cairn_match match;
        cairn_match_gradient(&def, mapper->grid, points, pose, now, &match);
        mapper->unmatched += !match.is_trusted;
        pose = match.pose;
        const cairn_pose2 since = cairn_pose2_between(mapper->added_at, pose);
        const bool far = hypot(since.x_m, since.y_m) > mapper->def.add_m || fabs(since.yaw_rad) > mapper->def.add_rad;
        if (far && match.is_trusted) { add(mapper, points, pose, now); }
        // A place that was never seen before matches nothing: it must be begun somewhere.
        if (!match.is_trusted && hypot(since.x_m, since.y_m) > 10 * mapper->def.add_m) {
            add(mapper, points, pose, now);
        }
    }
    mapper->poses[mapper->count++] = pose;
    mapper->odom_before = odom_T_base;
    return CAIRN_OK;
}

cairn_pose2 cairn_gradient_mapper_pose(const cairn_gradient_mapper *mapper, uint32_t scan)
{
    CAIRN_ASSERT(scan < mapper->count);
    return mapper->poses[scan];
}

uint32_t cairn_gradient_mapper_unmatched(const cairn_gradient_mapper *mapper) { return mapper->unmatched; }
