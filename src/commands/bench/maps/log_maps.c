#include "commands/bench/maps/log_maps.h"
#include "maps/terrain_planes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LINE_BYTES_MAX 16384
#define PERIOD_MS 1250
#define UNTOLD 4
#define RANGE_M_NONE 50.0 // readings from here on mean that nothing came back
#define GRID_BYTES (32u << 20)

typedef struct log_scan {
    cairn_scan_points points;
    cairn_pose2 pose;
} log_scan;

// "FLASER n r1..rn x y theta ...". False for other lines.
static bool parse_line(char *line, log_scan *ret_scan)
{
    if (strncmp(line, "FLASER ", 7) != 0) { return false; }
    char *at = line + 7;
    const long count = strtol(at, &at, 10);
    if (count < 2 || count > CAIRN_SCAN_POINTS_MAX) { return false; }
    ret_scan->points.sensor_x_m = ret_scan->points.sensor_y_m = 0;
    ret_scan->points.count = (uint32_t)count;
    for (long i = 0; i < count; i++) {
        char *end;
        const double range = strtod(at, &end), angle = CAIRN_PI * ((double)i / (double)(count - 1) - 0.5);
        if (end == at) { return false; }
        at = end;
        ret_scan->points.x_m[i] = (float)(range * cos(angle));
        ret_scan->points.y_m[i] = (float)(range * sin(angle));
        ret_scan->points.hit[i] = range < RANGE_M_NONE;
    }
    double pose[3];
    for (int i = 0; i < 3; i++) {
        char *end;
        pose[i] = strtod(at, &end);
        if (end == at || !isfinite(pose[i]) || fabs(pose[i]) > 1e5) { return false; }
        at = end;
    }
    ret_scan->pose = (cairn_pose2){pose[0], pose[1], pose[2]};
    return true;
}

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

static uint32_t read_maps(gzFile file, cairn_local_grid *grid, bool is_turned, cairn_log_map *maps, uint32_t count_max)
{
    static char line[LINE_BYTES_MAX];
    static log_scan scan; // large
    uint32_t scans = 0, count = 0;
    cairn_pose2 before = {0};
    while (count < count_max && gzgets(file, line, sizeof line) != NULL) {
        if (!parse_line(line, &scan)) { continue; }
        const cairn_mono now = {CAIRN_S(1) + (int64_t)scans * CAIRN_MS(PERIOD_MS)};
        cairn_local_grid_centre(grid, cairn_pose2_at(scan.pose));
        cairn_local_grid_add(grid, scan.pose, &scan.points, now);
        if (scans++ >= UNTOLD) {
            maps[count].moved = moved_from(before, middle_of_map(scan.pose, is_turned));
            sample(grid, middle_of_map(scan.pose, is_turned), now, maps[count++].cells);
        }
        before = middle_of_map(scan.pose, is_turned);
    }
    return count;
}

cairn_err cairn_log_maps_read(const char *path, bool is_turned, uint32_t count_max, cairn_arena *memory,
                              cairn_complaints *complaints, cairn_log_map **ret_maps, uint32_t *ret_count)
{
    const cairn_local_grid_def def = cairn_local_grid_def_default();
    cairn_arena grid_memory = {0};
    cairn_local_grid *grid = NULL;
    cairn_log_map *maps = CAIRN_TAKE(memory, cairn_log_map, count_max);
    if (maps == NULL) { return CAIRN_ERR_FULL; }
    cairn_err err = cairn_arena_create(&grid_memory, GRID_BYTES);
    if (err == CAIRN_OK) { err = cairn_local_grid_create(&def, &grid_memory, &grid); }
    gzFile file = err == CAIRN_OK ? gzopen(path, "rb") : NULL;
    if (err == CAIRN_OK && file == NULL) {
        cairn_complain(complaints, path, 0, "cannot be read; --data names the folder that holds laser/");
        err = CAIRN_ERR_IO;
    }
    if (err == CAIRN_OK) {
        *ret_count = read_maps(file, grid, is_turned, maps, count_max);
        *ret_maps = maps;
        if (*ret_count == 0) {
            cairn_complain(complaints, path, 0, "has no FLASER lines; a corrected CARMEN log is wanted");
            err = CAIRN_ERR_CORRUPT;
        }
    }
    if (file != NULL) { gzclose(file); }
    cairn_arena_destroy(&grid_memory);
    return err;
}
