#include "commands/slam/drawing.h"
#include "maps/files/map_file_io.h"
#include "maps/occupancy_grid.h"
#include "sim/mission/report/map_sheet.h"
#include "slam/trajectory/tum_io.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE_COUNT 32768u // 335,000 m2 at 5 cm; pages that are not touched cost nothing
#define RANGE_M_MAX 25.0  // beams are drawn up to here
#define CLEAR_M 0.5       // what a beam without a return is believed to have looked through: glass gives none either
#define DRAW_M 0.2        // scans are drawn after so much motion: more would only repeat
#define DRAW_RAD 0.2
#define SHEET_BYTES ((size_t)48 << 20)
#define WAY_M 0.1 // between points of the way on the sheet

static cairn_err grid_of(const cairn_slam_drawing *drawing, cairn_arena *memory, cairn_occupancy_grid **ret_grid)
{
    cairn_occupancy_grid_def def = cairn_occupancy_grid_def_default();
    def.cell_m = drawing->cell_m;
    def.tile_count = TILE_COUNT;
    def.range_m_max = RANGE_M_MAX;
    const cairn_err err = cairn_occupancy_grid_create(&def, memory, ret_grid);
    static cairn_scan_points points; // large
    cairn_pose2 before = {INFINITY, INFINITY, 0};
    for (uint32_t i = 0; i < drawing->log->scan_count && err == CAIRN_OK; i++) {
        const cairn_pose2 pose = drawing->poses[i];
        if (hypot(pose.x_m - before.x_m, pose.y_m - before.y_m) < DRAW_M &&
            fabs(cairn_angle_between(before.yaw_rad, pose.yaw_rad)) < DRAW_RAD) {
            continue;
        }
        cairn_laser_log_points(drawing->log, i, CLEAR_M, &points);
        cairn_occupancy_grid_add(*ret_grid, pose, &points);
        before = pose;
    }
    return err;
}

static void path_in(const cairn_slam_drawing *drawing, const char *name, char ret_path[1024])
{
    (void)snprintf(ret_path, 1024, "%s/%s", drawing->folder, name);
}

static cairn_err draw_sheet(const cairn_slam_drawing *drawing, const cairn_map *map, cairn_complaints *complaints)
{
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, SHEET_BYTES + drawing->log->scan_count * sizeof(cairn_vec2));
    if (err != CAIRN_OK) { return err; }
    cairn_vec2 *points = CAIRN_TAKE(&memory, cairn_vec2, drawing->log->scan_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < drawing->log->scan_count; i++) {
        const cairn_vec2 at = cairn_pose2_at(drawing->poses[i]);
        if (count == 0 || cairn_vec2_distance(points[count - 1], at) > WAY_M) { points[count++] = at; }
    }
    const cairn_sheet_way way = {
        .name = "the robot", .points_m = points, .point_count = count, .has_start = true, .start = drawing->poses[0]};
    const cairn_map_sheet sheet = {.map = map,
                                   .style = CAIRN_SHEET_CLEAN,
                                   .left_out = CAIRN_SHEET_VICTIMS | CAIRN_SHEET_THINGS | CAIRN_SHEET_NORTH,
                                   .title = drawing->title,
                                   .aside = "",
                                   .words = drawing->words,
                                   .ways = &way,
                                   .way_count = 1};
    cairn_picture picture;
    cairn_sheet_place place;
    char path[1024];
    path_in(drawing, "map.png", path);
    err = cairn_map_sheet_draw(&sheet, &memory, &picture, &place);
    if (err == CAIRN_OK) { err = cairn_picture_write_png(&picture, path, complaints); }
    cairn_arena_destroy(&memory);
    return err;
}

static cairn_err write_trajectory(const cairn_slam_drawing *drawing, cairn_complaints *complaints)
{
    const uint32_t count = drawing->log->scan_count;
    cairn_trajectory trajectory = {count, malloc(count * sizeof(cairn_stamped_pose))};
    if (trajectory.poses == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < count; i++) {
        trajectory.poses[i] = (cairn_stamped_pose){drawing->log->scans[i].stamp_ns, drawing->poses[i]};
    }
    char path[1024];
    path_in(drawing, "trajectory.tum", path);
    const cairn_err err = cairn_tum_write(&trajectory, path, complaints);
    free(trajectory.poses);
    return err;
}

static cairn_err write_map(const cairn_slam_drawing *drawing, cairn_arena *memory, cairn_complaints *complaints,
                           cairn_slam_drawn *ret_drawn)
{
    cairn_occupancy_grid *grid = NULL;
    cairn_map map;
    cairn_err err = grid_of(drawing, memory, &grid);
    if (err == CAIRN_OK) { err = cairn_map_of_occupancy(grid, memory, &map); }
    if (err != CAIRN_OK) { return err; }
    char path[1024];
    const char *without;
    path_in(drawing, "map.pgm", path);
    err = cairn_map_file_write(&map, path, complaints, &without);
    if (err == CAIRN_OK) { err = draw_sheet(drawing, &map, complaints); }
    const cairn_map_counts counts = cairn_map_count(&map);
    *ret_drawn = (cairn_slam_drawn){map.width, map.height, (double)counts.free * map.cell_m * map.cell_m};
    return err;
}

cairn_err cairn_slam_draw(const cairn_slam_drawing *drawing, cairn_complaints *complaints, cairn_slam_drawn *ret_drawn)
{
    CAIRN_ASSERT(drawing->log->scan_count > 0);
    cairn_err err = write_trajectory(drawing, complaints);
    cairn_arena memory = {0};
    if (err == CAIRN_OK) {
        err = cairn_arena_create(&memory, (size_t)TILE_COUNT * 4200 + CAIRN_MAP_CELLS_MAX + ((size_t)16 << 20));
    }
    if (err == CAIRN_OK) { err = write_map(drawing, &memory, complaints, ret_drawn); }
    cairn_arena_destroy(&memory);
    return err;
}
