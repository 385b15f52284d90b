#include "commands/bench/maps/log_maps.h"
#include "maps/terrain_planes.h"
#include "slam/log/carmen_io.h"
#include <math.h>

#define PERIOD_MS 1250
#define UNTOLD 4
#define CLEAR_M 80.0 // along beams without a return: farther than the grid takes them
#define GRID_BYTES (32u << 20)

static cairn_grid_moved moved_from(cairn_pose2 before, cairn_pose2 now)
{
    const cairn_pose2 moved = cairn_pose2_compose(cairn_pose2_inverse(before), now);
    return (cairn_grid_moved){(int32_t)lround(1e6 * moved.x_m), (int32_t)lround(1e6 * moved.y_m),
                              (int32_t)lround(1e6 * moved.yaw_rad), CAIRN_LOG_MAP_CELL_UM};
}

static void sample(const cairn_local_grid *grid, cairn_pose2 pose, cairn_mono now, uint8_t *ret_cells)
{
    static cairn_terrain_planes planes; // large
    cairn_terrain_planes_sample(grid, pose, 1e-6 * CAIRN_LOG_MAP_CELL_UM, CAIRN_LOG_MAP_SIDE, now, &planes);
    for (uint32_t i = 0; i < CAIRN_LOG_MAP_SIDE * CAIRN_LOG_MAP_SIDE; i++) {
        ret_cells[i] = (uint8_t)(cairn_plane_bit(planes.known, i) | cairn_plane_bit(planes.obstacle, i) << 1);
    }
}

// Where the middle of its map lies, and which way the rows run.
static cairn_pose2 middle_of_map(cairn_pose2 pose, bool is_turned)
{
    const double cell_m = 1e-6 * CAIRN_LOG_MAP_CELL_UM;
    const cairn_pose2 on_lattice = {cell_m * round(pose.x_m / cell_m), cell_m * round(pose.y_m / cell_m), 0};
    return is_turned ? pose : on_lattice;
}

static uint32_t make_maps(const cairn_laser_log *log, cairn_local_grid *grid, bool is_turned, cairn_log_map *maps,
                          uint32_t count_max)
{
    static cairn_scan_points points; // large
    uint32_t count = 0;
    cairn_pose2 before = {0};
    for (uint32_t i = 0; i < log->scan_count && count < count_max; i++) {
        const cairn_pose2 pose = log->scans[i].log_T_base, middle = middle_of_map(pose, is_turned);
        const cairn_mono now = {CAIRN_S(1) + (int64_t)i * CAIRN_MS(PERIOD_MS)};
        cairn_laser_log_points(log, i, CLEAR_M, &points);
        cairn_local_grid_centre(grid, cairn_pose2_at(pose));
        cairn_local_grid_add(grid, pose, &points, now);
        if (i >= UNTOLD) {
            maps[count].moved = moved_from(before, middle);
            sample(grid, middle, now, maps[count++].cells);
        }
        before = middle;
    }
    return count;
}

cairn_err cairn_log_maps_read(const char *path, bool is_turned, uint32_t count_max, cairn_arena *memory,
                              cairn_complaints *complaints, cairn_log_map **ret_maps, uint32_t *ret_count)
{
    const cairn_local_grid_def def = cairn_local_grid_def_default();
    cairn_arena grid_memory = {0};
    cairn_local_grid *grid = NULL;
    cairn_laser_log log = {0};
    cairn_log_map *maps = CAIRN_TAKE(memory, cairn_log_map, count_max);
    if (maps == NULL) { return CAIRN_ERR_FULL; }
    cairn_err err = cairn_arena_create(&grid_memory, GRID_BYTES);
    if (err == CAIRN_OK) { err = cairn_local_grid_create(&def, &grid_memory, &grid); }
    if (err == CAIRN_OK) { err = cairn_carmen_open(path, complaints, &log); }
    if (err == CAIRN_OK) {
        *ret_count = make_maps(&log, grid, is_turned, maps, count_max);
        *ret_maps = maps;
    }
    cairn_laser_log_close(&log);
    cairn_arena_destroy(&grid_memory);
    return err;
}
