// bench maps, insertion - recorded scans of offices into the growing grid, each at its corrected pose; 5 cm cells.
//
// No recorded log at hand has 1081 beams. So each log is measured twice: with the beams that it has, and with 1081 on
// the same 180 degrees, read off between the recorded ones. That is as many points as a newer laser's scan has, and the
// same ground looked through.
#include "base/clock.h"
#include "commands/bench/maps/bench_maps.h"
#include "maps/occupancy_grid.h"
#include "slam/log/carmen_io.h"
#include <math.h>
#include <stdio.h>

#define ROUNDS 5 // the fastest counts: what else the machine does only adds
#define SCANS_MAX 1000u
#define FINE_BEAMS 1081u
#define SAME_SURFACE_M 0.3 // neighbouring beams whose ranges differ by more have seen two things
#define MEMORY_BYTES ((size_t)64 << 20)

static const char *const logs[] = {"intel", "aces", "csail", "orebro"};

typedef struct recorded_scans {
    uint32_t count;
    cairn_pose2 poses[SCANS_MAX];
    cairn_scan_points points[SCANS_MAX];
} recorded_scans;

// A point between two neighbouring beams: on the line between their ends if they saw one surface, else on the nearer
// beam's bearing with that beam's range.
static void put_between(const cairn_scan_points *from, double at, cairn_scan_points *to)
{
    const uint32_t first = (uint32_t)at, second = first + 1 < from->count ? first + 1 : first;
    const double part = at - first;
    const cairn_vec2 sensor = {from->sensor_x_m, from->sensor_y_m};
    const cairn_vec2 a = cairn_vec2_sub((cairn_vec2){from->x_m[first], from->y_m[first]}, sensor);
    const cairn_vec2 b = cairn_vec2_sub((cairn_vec2){from->x_m[second], from->y_m[second]}, sensor);
    const double a_m = cairn_vec2_length(a), b_m = cairn_vec2_length(b);
    const uint32_t near = part < 0.5 ? first : second;
    cairn_vec2 point = cairn_vec2_add(cairn_vec2_scale(a, 1 - part), cairn_vec2_scale(b, part));
    if (from->hit[first] != from->hit[second] || fabs(a_m - b_m) > SAME_SURFACE_M) {
        point = cairn_vec2_scale(point, (near == first ? a_m : b_m) / fmax(cairn_vec2_length(point), 1e-9));
    }
    to->x_m[to->count] = (float)(point.x + sensor.x);
    to->y_m[to->count] = (float)(point.y + sensor.y);
    to->hit[to->count++] = from->hit[near];
}

static void make_fine(const cairn_scan_points *from, cairn_scan_points *to)
{
    to->sensor_x_m = from->sensor_x_m;
    to->sensor_y_m = from->sensor_y_m;
    to->count = 0;
    for (uint32_t i = 0; i < FINE_BEAMS && from->count > 0; i++) {
        put_between(from, (double)i * (from->count - 1) / (FINE_BEAMS - 1), to);
    }
}

static cairn_err read_scans(const char *path, double range_m_max, bool is_fine, cairn_complaints *complaints,
                            recorded_scans *ret_scans)
{
    static cairn_scan_points points; // large
    cairn_laser_log log;
    const cairn_err err = cairn_carmen_open(path, complaints, &log);
    if (err != CAIRN_OK) { return err; }
    ret_scans->count = log.scan_count < SCANS_MAX ? log.scan_count : SCANS_MAX;
    for (uint32_t i = 0; i < ret_scans->count; i++) {
        ret_scans->poses[i] = log.scans[i].log_T_base;
        cairn_laser_log_points(&log, i, fmin(log.scans[i].range_m_max, range_m_max), &points);
        if (is_fine) {
            make_fine(&points, &ret_scans->points[i]);
        } else {
            ret_scans->points[i] = points;
        }
    }
    cairn_laser_log_close(&log);
    return CAIRN_OK;
}

// As far as the grid looks.
static double mean_range_m(const recorded_scans *scans, double range_m_max)
{
    double sum_m = 0, count = 0;
    for (uint32_t i = 0; i < scans->count; i++) {
        const cairn_scan_points *points = &scans->points[i];
        for (uint32_t k = 0; k < points->count; k++) {
            const double range_m = hypotf(points->x_m[k] - points->sensor_x_m, points->y_m[k] - points->sensor_y_m);
            sum_m += fmin(range_m, range_m_max);
        }
        count += points->count;
    }
    return count > 0 ? sum_m / count : 0;
}

static cairn_err measure(cairn_bench_report *report, const char *log, const recorded_scans *scans)
{
    const cairn_occupancy_grid_def def = cairn_occupancy_grid_def_default();
    cairn_arena memory = {0};
    cairn_err err = cairn_arena_create(&memory, MEMORY_BYTES);
    double best_s = INFINITY;
    for (int round = 0; round < ROUNDS && err == CAIRN_OK; round++) {
        cairn_occupancy_grid *grid = NULL;
        cairn_arena_reset(&memory, 0);
        err = cairn_occupancy_grid_create(&def, &memory, &grid);
        const int64_t started_ns = cairn_thread_cpu_ns();
        for (uint32_t i = 0; i < scans->count && err == CAIRN_OK; i++) {
            cairn_occupancy_grid_add(grid, scans->poses[i], &scans->points[i]);
        }
        best_s = fmin(best_s, 1e-9 * (double)(cairn_thread_cpu_ns() - started_ns));
    }
    cairn_arena_destroy(&memory);
    if (err != CAIRN_OK) { return err; }
    char subject[128];
    (void)snprintf(subject, sizeof subject, "log %s, %u beams, mean %.1f m, 5 cm", log, scans->points[0].count,
                   mean_range_m(scans, def.range_m_max));
    cairn_bench_say(report,
                    &(cairn_bench_figure){"maps", subject, "into the grid", "scans/s", scans->count / best_s, NULL, 0});
    return CAIRN_OK;
}

cairn_err cairn_bench_maps_insertion(cairn_bench_report *report, cairn_complaints *complaints)
{
    static recorded_scans scans; // large
    const double range_m_max = cairn_occupancy_grid_def_default().range_m_max;
    if (report->data == NULL) {
        cairn_bench_say_not(report, "maps", "recorded scans into the grid", "needs --data DIR");
        return CAIRN_OK;
    }
    cairn_err err = CAIRN_OK;
    for (size_t i = 0; i < 2 * sizeof logs / sizeof logs[0] && err == CAIRN_OK; i++) {
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/laser/%s-corrected.log.gz", report->data, logs[i / 2]);
        err = read_scans(path, range_m_max, i % 2 == 1, complaints, &scans);
        if (err == CAIRN_OK && scans.count > 0) { err = measure(report, logs[i / 2], &scans); }
    }
    return err;
}
