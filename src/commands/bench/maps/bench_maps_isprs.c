// bench maps, ISPRS - the ground model on real terrain with truth: airborne laser samples of the ISPRS filter test.
//
// Type I: ground that was taken for something else, of all ground. Type II: something else that was taken for ground,
// of all the rest. Total: what was taken wrongly, of all. Samples 1x to 4x are towns, 5x is country
// (Sithole & Vosselman 2004).
//
// The samples lie 1 to 3.5 m apart and their northings are rounded to 0.5 m, so cells are 1.5 m and points up to 0.5 m
// above the model count as ground. From the air ground is dense and echoes from below it come in groups: a low wants
// the support of 15 cells within 6 m. The slope is the 20 degree prior, as on robots; and 30 degrees, since samples
// 11, 22 and 51 have hillsides steeper than the prior.
#include "commands/bench/maps/bench_cloud.h"
#include "commands/bench/maps/bench_maps.h"
#include "terrain/ground_model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_BYTES (64u << 20)
#define CELL_M 1.5
#define GROUND_M 0.5
#define SUPPORT_CELLS 4
#define SUPPORT_COUNT 15

typedef struct point {
    float x_m, y_m, z_m;
} point;

typedef struct error_counts {
    uint32_t ground, others, ground_lost, others_taken;
} error_counts;

static int by_place(const void *a, const void *b) { return memcmp(a, b, sizeof(point)); }

static point *sorted_points(const cairn_cloud *cloud, cairn_arena *memory)
{
    point *points = CAIRN_TAKE(memory, point, cloud->count);
    if (!points) { return NULL; }
    for (uint32_t i = 0; i < cloud->count; i++) { points[i] = (point){cloud->x_m[i], cloud->y_m[i], cloud->z_m[i]}; }
    qsort(points, cloud->count, sizeof points[0], by_place);
    return points;
}

static cairn_terrain_area area_of(const cairn_cloud *cloud)
{
    double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
    for (uint32_t i = 0; i < cloud->count; i++) {
        left = fmin(left, cloud->x_m[i]);
        right = fmax(right, cloud->x_m[i]);
        bottom = fmin(bottom, cloud->y_m[i]);
        top = fmax(top, cloud->y_m[i]);
    }
    return (cairn_terrain_area){.origin_m = {left, bottom},
                                .cell_m = CELL_M,
                                .width = (uint32_t)((right - left) / CELL_M) + 1,
                                .height = (uint32_t)((top - bottom) / CELL_M) + 1};
}

static void count_errors(const cairn_cloud *all, const point *truth, uint32_t truth_count, const bool *taken,
                         error_counts *ret_errors)
{
    error_counts errors = {0};
    for (uint32_t i = 0; i < all->count; i++) {
        const point key = {all->x_m[i], all->y_m[i], all->z_m[i]};
        const bool is_ground = bsearch(&key, truth, truth_count, sizeof key, by_place) != NULL;
        *(is_ground ? &errors.ground : &errors.others) += 1;
        errors.ground_lost += is_ground && !taken[i];
        errors.others_taken += !is_ground && taken[i];
    }
    *ret_errors = errors;
}

static cairn_err classify(const cairn_cloud *all, double slope_deg, cairn_arena *memory, bool *ret_taken)
{
    const cairn_terrain_area area = area_of(all);
    if (area.width > CAIRN_TERRAIN_EDGE_CELLS_MAX || area.height > CAIRN_TERRAIN_EDGE_CELLS_MAX) {
        return CAIRN_ERR_TOO_LARGE;
    }
    const size_t cell_count = cairn_terrain_cell_count(&area);
    uint32_t *cells = CAIRN_TAKE(memory, uint32_t, all->count);
    int32_t *points_um = CAIRN_TAKE(memory, int32_t, all->count);
    int32_t *low_um = CAIRN_TAKE(memory, int32_t, cell_count), *ground_um = CAIRN_TAKE(memory, int32_t, cell_count);
    if (!cells || !points_um || !low_um || !ground_um) { return CAIRN_ERR_FULL; }
    const cairn_ground_def def = {.slope = tan(slope_deg * CAIRN_PI / 180),
                                  .support_m = GROUND_M,
                                  .support_cells = SUPPORT_CELLS,
                                  .support_count = SUPPORT_COUNT};
    cairn_ground_bin(&area, all, cells, points_um, low_um);
    cairn_ground_support(&area, &def, low_um, ground_um);
    cairn_ground_spread(&area, def.slope, ground_um);
    for (uint32_t i = 0; i < all->count; i++) {
        ret_taken[i] = cells[i] != CAIRN_CELL_NONE && points_um[i] <= ground_um[cells[i]] + cairn_um(GROUND_M);
    }
    return CAIRN_OK;
}

static void say(cairn_bench_report *report, const char *sample, double slope_deg, const error_counts *errors)
{
    char subject[64];
    snprintf(subject, sizeof subject, "ground model, ISPRS %s, %g degrees", sample, slope_deg);
    const double part[] = {(double)errors->ground_lost / errors->ground, (double)errors->others_taken / errors->others,
                           (double)(errors->ground_lost + errors->others_taken) / (errors->ground + errors->others)};
    const char *const metric[] = {"type I error", "type II error", "total error"};
    for (int i = 0; i < 3; i++) {
        cairn_bench_say(report, &(cairn_bench_figure){"maps", subject, metric[i], "%", 100 * part[i], NULL, 0});
    }
}

static cairn_err run_sample(cairn_bench_report *report, const char *sample, cairn_arena *memory,
                            cairn_complaints *complaints)
{
    char path[1024];
    cairn_cloud all, ground;
    snprintf(path, sizeof path, "%s/clouds/isprs-%s.pcd", report->data, sample);
    cairn_err err = cairn_bench_cloud_read(path, memory, complaints, &all);
    if (err != CAIRN_OK) { return err; }
    snprintf(path, sizeof path, "%s/clouds/isprs-%s-ground.pcd", report->data, sample);
    err = cairn_bench_cloud_read(path, memory, complaints, &ground);
    if (err != CAIRN_OK) { return err; }
    const point *truth = sorted_points(&ground, memory);
    bool *taken = CAIRN_TAKE(memory, bool, all.count);
    if (!truth || !taken) { return CAIRN_ERR_FULL; }
    static const double slopes_deg[] = {20, 30};
    for (size_t i = 0; i < sizeof slopes_deg / sizeof slopes_deg[0]; i++) {
        err = classify(&all, slopes_deg[i], memory, taken);
        if (err != CAIRN_OK) { return err; }
        error_counts errors;
        count_errors(&all, truth, ground.count, taken, &errors);
        say(report, sample, slopes_deg[i], &errors);
    }
    return CAIRN_OK;
}

cairn_err cairn_bench_maps_isprs(cairn_bench_report *report, cairn_complaints *complaints)
{
    static const char *const samples[] = {"samp11", "samp12", "samp21", "samp22", "samp31", "samp41", "samp51"};
    if (report->data == NULL) {
        cairn_bench_say_not(report, "maps", "ground model, ISPRS samples", "not measured: no --data DIR was given");
        return CAIRN_OK;
    }
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, MEMORY_BYTES);
    for (size_t i = 0; i < sizeof samples / sizeof samples[0] && err == CAIRN_OK; i++) {
        err = run_sample(report, samples[i], &memory, complaints);
        cairn_arena_reset(&memory, 0);
    }
    cairn_arena_destroy(&memory);
    return err;
}
