// bench maps, grids - exact distances beside OpenCV's, repairs of a distance field, and scans into the growing grid.
//
// Distances: a made floor of 2000 x 2000 cells with rooms and rubble, no limit. OpenCV (DIST_L2, DIST_MASK_PRECISE, one
// thread) is a program of its own, bench/bench_opencv.cpp, which is there if OpenCV was when Cairn was built.
// Scans: the emu's laser, 1081 beams, at free places all over the shipped office; 5 cm cells.
#include "base/clock.h"
#include "base/random.h"
#include "body/description_io.h"
#include "commands/bench/bench_places.h"
#include "commands/bench/maps/bench_maps.h"
#include "maps/distance.h"
#include "maps/distance_field.h"
#include "maps/occupancy_grid.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EDGE 2000u
#define CELLS ((size_t)EDGE * EDGE)
#define ROUNDS 5 // the fastest counts: what else the machine does only adds
#define EDITS 200
#define LIMIT_CELLS 40 // 2 m at 5 cm: as far as clearance matters to a robot
#define SCANS 200
#define CLEARANCE_M 0.4
#define MEMORY_BYTES (128u << 20)

static void floor_make(uint8_t *marked, cairn_random *random)
{
    for (size_t i = 0; i < CELLS; i++) {
        const uint32_t x = (uint32_t)(i % EDGE), y = (uint32_t)(i / EDGE);
        const bool wall = (x % 100 == 0 && y % 100 > 15) || (y % 140 == 0 && x % 140 > 15);
        marked[i] = wall || cairn_random_below(random, 2000) == 0;
    }
}

// Milliseconds and the sum of all distances, as OpenCV's program tells them; false if it is not there.
static bool ask_opencv(const uint8_t *marked, double *ret_ms, double *ret_sum)
{
    char path[] = "/tmp/cairn-bench-XXXXXX", arguments[64];
    const int file = mkstemp(path);
    FILE *picture = file < 0 ? NULL : fdopen(file, "wb");
    if (picture == NULL) { return false; }
    fprintf(picture, "P5 %u %u 255\n", EDGE, EDGE);
    for (size_t i = 0; i < CELLS; i++) { putc(marked[i] ? 0 : 255, picture); }
    fclose(picture);
    snprintf(arguments, sizeof arguments, "< %s", path);
    FILE *pipe = cairn_bench_peer("bench_opencv", arguments);
    char line[64] = "", *end = line;
    if (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        *ret_ms = strtod(line, &end);
        *ret_sum = strtod(end, NULL);
    }
    if (pipe != NULL) { pclose(pipe); }
    unlink(path);
    return end != line;
}

static cairn_err measure_transform(cairn_bench_report *report, const uint8_t *marked, cairn_arena *memory)
{
    const size_t mark = cairn_arena_mark(memory);
    float *distance = CAIRN_TAKE(memory, float, CELLS);
    if (distance == NULL) { return CAIRN_ERR_FULL; }
    cairn_err err = CAIRN_OK;
    double best_ms = INFINITY, sum = 0, peer_ms = 0, peer_sum = 0;
    for (int i = 0; i < ROUNDS && err == CAIRN_OK; i++) {
        const int64_t started_ns = cairn_thread_cpu_ns();
        err = cairn_distance_transform(marked, EDGE, EDGE, 2.0f * EDGE, memory, distance);
        best_ms = fmin(best_ms, 1e-6 * (double)(cairn_thread_cpu_ns() - started_ns));
    }
    for (size_t i = 0; i < CELLS && err == CAIRN_OK; i++) { sum += (double)distance[i]; }
    cairn_arena_reset(memory, mark);
    if (err != CAIRN_OK) { return err; }
    const bool has_peer = ask_opencv(marked, &peer_ms, &peer_sum);
    CAIRN_ASSERT(!has_peer || fabs(peer_sum - sum) <= 1e-5 * sum);
    cairn_bench_say(report, &(cairn_bench_figure){.bench = "maps",
                                                  .subject = "distances, 2000 x 2000, exact",
                                                  .metric = "transform",
                                                  .unit = "ms",
                                                  .ours = best_ms,
                                                  .peer_name = has_peer ? "OpenCV" : NULL,
                                                  .peer = peer_ms});
    return CAIRN_OK;
}

static cairn_err measure_field(cairn_bench_report *report, const uint8_t *marked, cairn_arena *memory,
                               cairn_random *random)
{
    const size_t mark = cairn_arena_mark(memory);
    const cairn_distance_field_def def = {.width = EDGE, .height = EDGE, .limit_cells = LIMIT_CELLS};
    cairn_distance_field *field = NULL;
    const cairn_err err = cairn_distance_field_create(&def, memory, &field);
    if (err != CAIRN_OK) { return err; }
    int64_t started_ns = cairn_thread_cpu_ns();
    cairn_distance_field_set(field, marked);
    const double fresh_ms = 1e-6 * (double)(cairn_thread_cpu_ns() - started_ns);
    started_ns = cairn_thread_cpu_ns();
    for (int i = 0; i < EDITS; i++) { // marks come, and go again
        const cairn_cell_edit come = {(uint32_t)cairn_random_below(random, EDGE),
                                      (uint32_t)cairn_random_below(random, EDGE), true};
        const cairn_cell_edit go = {come.x, come.y, marked[(size_t)come.y * EDGE + come.x] != 0};
        cairn_distance_field_edit(field, &come, 1);
        cairn_distance_field_edit(field, &go, 1);
    }
    const double edit_us = 1e-3 * (double)(cairn_thread_cpu_ns() - started_ns) / (2 * EDITS);
    cairn_arena_reset(memory, mark);
    const char *subject = "distance field, 2000 x 2000, limit 40 cells";
    cairn_bench_say(report, &(cairn_bench_figure){"maps", subject, "fresh, with nearest", "ms", fresh_ms, NULL, 0});
    cairn_bench_say(report, &(cairn_bench_figure){"maps", subject, "one cell changed", "us", edit_us, NULL, 0});
    return CAIRN_OK;
}

typedef struct office_scans {
    cairn_pose2 poses[SCANS];
    cairn_scan_points points[SCANS];
    double range_m_mean;
} office_scans;

static cairn_err scans_make(office_scans *scans, cairn_arena *memory, cairn_random *random,
                            cairn_complaints *complaints)
{
    static cairn_sim_arena arena;
    static cairn_body_description robot;
    cairn_err err = cairn_body_description_read("robots/emu.yaml", complaints, &robot);
    if (err == CAIRN_OK) { err = cairn_sim_arena_read("arenas/office.yaml", memory, complaints, &arena); }
    if (err != CAIRN_OK) { return err; }
    const cairn_body_description *robots[] = {&robot};
    const cairn_rays_def def = {.arena = &arena, .robot_count = 1, .robots = robots};
    cairn_rays *rays = NULL;
    err = cairn_rays_planar.create(&def, complaints, &rays);
    if (err != CAIRN_OK) { return err; }
    double sum_m = 0, count = 0;
    for (int i = 0; i < SCANS; i++) {
        scans->poses[i] = cairn_bench_free_place(&arena, CLEARANCE_M, random);
        cairn_scan_points *points = &scans->points[i];
        cairn_bench_look(rays, &robot.laser, scans->poses[i], random, points);
        for (uint32_t k = 0; k < points->count; k++) {
            sum_m += hypotf(points->x_m[k] - points->sensor_x_m, points->y_m[k] - points->sensor_y_m);
        }
        count += points->count;
    }
    scans->range_m_mean = sum_m / count;
    cairn_rays_planar.destroy(rays);
    return CAIRN_OK;
}

static cairn_err measure_insertion(cairn_bench_report *report, const office_scans *scans, cairn_arena *memory)
{
    const cairn_occupancy_grid_def def = cairn_occupancy_grid_def_default();
    cairn_occupancy_grid *grid = NULL;
    const cairn_err err = cairn_occupancy_grid_create(&def, memory, &grid);
    if (err != CAIRN_OK) { return err; }
    double best_s = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t started_ns = cairn_thread_cpu_ns();
        for (int i = 0; i < SCANS; i++) { cairn_occupancy_grid_add(grid, scans->poses[i], &scans->points[i]); }
        best_s = fmin(best_s, 1e-9 * (double)(cairn_thread_cpu_ns() - started_ns));
    }
    char subject[128];
    snprintf(subject, sizeof subject, "scans of %u beams, mean range %.1f m, 5 cm", scans->points[0].count,
             scans->range_m_mean);
    cairn_bench_say(report,
                    &(cairn_bench_figure){"maps", subject, "into the grid", "scans/s", SCANS / best_s, NULL, 0});
    return CAIRN_OK;
}

cairn_err cairn_bench_maps_grids(cairn_bench_report *report, cairn_complaints *complaints)
{
    static cairn_arena memory;
    static office_scans scans; // large
    cairn_random random;
    cairn_random_init(&random, 1, "bench/grids");
    cairn_err err = cairn_arena_create(&memory, MEMORY_BYTES);
    uint8_t *marked = err == CAIRN_OK ? CAIRN_TAKE(&memory, uint8_t, CELLS) : NULL;
    if (err == CAIRN_OK && marked == NULL) { err = CAIRN_ERR_FULL; }
    if (err == CAIRN_OK) {
        floor_make(marked, &random);
        err = measure_transform(report, marked, &memory);
    }
    if (err == CAIRN_OK) { err = measure_field(report, marked, &memory, &random); }
    if (err == CAIRN_OK) { err = scans_make(&scans, &memory, &random, complaints); }
    if (err == CAIRN_OK) { err = measure_insertion(report, &scans, &memory); }
    cairn_arena_destroy(&memory);
    return err;
}
