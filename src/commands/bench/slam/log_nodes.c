#include "commands/bench/slam/log_nodes.h"
#include "slam/log/carmen_io.h"

#define PERIOD_MS 1250
#define UNTOLD 4
#define GRID_BYTES (32u << 20)

static uint32_t nodes_make(const cairn_laser_log *log, cairn_local_grid *grid, double clear_m, cairn_log_node *nodes,
                           uint32_t count_max)
{
    static cairn_scan_points points; // large
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->scan_count && count < count_max; i++) {
        const cairn_pose2 pose = log->scans[i].log_T_base;
        const cairn_mono now = {CAIRN_S(1) + (int64_t)i * CAIRN_MS(PERIOD_MS)};
        cairn_laser_log_points(log, i, clear_m, &points);
        cairn_local_grid_centre(grid, cairn_pose2_at(pose));
        cairn_local_grid_add(grid, pose, &points, now);
        if (i < UNTOLD) { continue; }
        cairn_log_node *node = &nodes[count++];
        node->map_T_node = pose;
        node->odom_T_node = log->scans[i].odom_T_base;
        cairn_terrain_planes_sample(grid, pose, CAIRN_NODE_CELL_M, CAIRN_NODE_SIDE, now, &node->planes);
    }
    return count;
}

cairn_err cairn_log_nodes_read(const char *path, uint32_t count_max, cairn_arena *memory, cairn_complaints *complaints,
                               cairn_log_node **ret_nodes, uint32_t *ret_count)
{
    const cairn_local_grid_def def = cairn_local_grid_def_default();
    cairn_arena grid_memory = {0};
    cairn_local_grid *grid = NULL;
    cairn_laser_log log = {0};
    cairn_err err = cairn_carmen_open(path, complaints, &log);
    if (err != CAIRN_OK) { return err; }
    const uint32_t room = log.scan_count < count_max ? log.scan_count : count_max;
    cairn_log_node *nodes = CAIRN_TAKE(memory, cairn_log_node, room);
    err = nodes == NULL ? CAIRN_ERR_FULL : cairn_arena_create(&grid_memory, GRID_BYTES);
    if (err == CAIRN_OK) { err = cairn_local_grid_create(&def, &grid_memory, &grid); }
    if (err == CAIRN_OK) {
        *ret_count = nodes_make(&log, grid, def.range_m_max, nodes, room);
        *ret_nodes = nodes;
    }
    cairn_arena_destroy(&grid_memory);
    cairn_laser_log_close(&log);
    return err;
}
