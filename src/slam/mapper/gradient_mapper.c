// gradient_mapper.c - lives by matching/gradient.h as its header says, along a log.
#include "slam/mapper/gradient_mapper.h"
#include <math.h>

#define GRID_BYTES ((size_t)32 << 20)
#define DENSE_POINTS 720u // what the patches of a scan (maps/local/scan_patches.h) are made for, and more
// Neighbours farther apart than this, plus a part of their range, are not on one surface.
#define GAP_M 0.06
#define GAP_PER_M 0.03

struct cairn_gradient_mapper {
    cairn_gradient_mapper_def def;
    cairn_local_grid *grid;
    cairn_pose2 *poses;
    uint32_t count, unmatched;
    cairn_pose2 odom_before, added_at;
    cairn_scan_points dense;
};

cairn_gradient_mapper_def cairn_gradient_mapper_def_default(void)
{
    return (cairn_gradient_mapper_def){.scan_s = 0.1, .memory_s = 600, .add_m = 0.05, .add_rad = 3 * CAIRN_PI / 180};
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

static bool are_joined(const cairn_scan_points *points, uint32_t i)
{
    if (!points->hit[i] || !points->hit[i + 1]) { return false; }
    const double x = points->x_m[i], y = points->y_m[i];
    const double apart = hypot(points->x_m[i + 1] - x, points->y_m[i + 1] - y);
    return apart < GAP_M + GAP_PER_M * hypot(x - points->sensor_x_m, y - points->sensor_y_m);
}

// Patches want five points to 10 cm, which lasers of one degree do not have: between neighbours on one surface, points
// are drawn in.
static void densify(const cairn_scan_points *points, cairn_scan_points *ret_dense)
{
    const uint32_t times = points->count > 0 && points->count < DENSE_POINTS ? DENSE_POINTS / points->count : 1;
    ret_dense->sensor_x_m = points->sensor_x_m, ret_dense->sensor_y_m = points->sensor_y_m;
    uint32_t count = 0;
    for (uint32_t i = 0; i < points->count; i++) {
        const bool joined = i + 1 < points->count && are_joined(points, i);
        for (uint32_t k = 0; k < (joined ? times : 1); k++) {
            const float part = (float)k / (float)times;
            const uint32_t next = joined ? i + 1 : i;
            ret_dense->x_m[count] = points->x_m[i] + part * (points->x_m[next] - points->x_m[i]);
            ret_dense->y_m[count] = points->y_m[i] + part * (points->y_m[next] - points->y_m[i]);
            ret_dense->hit[count++] = points->hit[i];
        }
    }
    ret_dense->count = count;
}

static void add(cairn_gradient_mapper *mapper, const cairn_scan_points *points, cairn_pose2 pose, cairn_mono now)
{
    cairn_local_grid_centre(mapper->grid, cairn_pose2_at(pose));
    cairn_local_grid_add(mapper->grid, pose, points, now);
    mapper->added_at = pose;
}

cairn_err cairn_gradient_mapper_step(cairn_gradient_mapper *mapper, const cairn_scan_points *scan_points,
                                     cairn_pose2 odom_T_base)
{
    if (mapper->count == mapper->def.scans_max) { return CAIRN_ERR_FULL; }
    const cairn_scan_points *points = &mapper->dense;
    densify(scan_points, &mapper->dense);
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
