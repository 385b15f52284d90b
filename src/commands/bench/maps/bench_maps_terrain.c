// bench maps, terrain - 50,000 points over 20 x 20 m at 5 cm to a map of where one can drive.
//
// The points come from rays into a made yard: floor, a ramp, a pit, walls around, boxes, and branches overhead. Magic's
// robots took 300 ms "in-system" for 400 square metres at 5 cm (Olson et al. 2012, 5.3), on laptops of 2010.
#include "base/clock.h"
#include "base/random.h"
#include "commands/bench/maps/bench_maps.h"
#include "geometry/rays.h"
#include "terrain/collapse.h"
#include <stdlib.h>

#define AROUND 625
#define UPWARD 80
#define POINTS (AROUND * UPWARD)
#define BOXES 40
#define ROUNDS 60
#define MEMORY_BYTES (16u << 20)
#define NOISE_M 0.01

typedef struct box {
    cairn_pose3 map_T_box;
    cairn_vec3 half_m;
} box;

typedef struct made_yard {
    uint32_t box_count;
    box boxes[BOXES];
    cairn_vec3 sensor_m;
    float x_m[POINTS], y_m[POINTS], z_m[POINTS];
} made_yard;

static void add(made_yard *yard, cairn_vec3 middle_m, cairn_vec3 half_m, cairn_rpy turn)
{
    CAIRN_ASSERT(yard->box_count < BOXES);
    yard->boxes[yard->box_count++] = (box){{middle_m, cairn_quat_from_rpy(turn)}, half_m};
}

static void yard_make(made_yard *yard, cairn_random *random)
{
    const cairn_rpy level = {0};
    yard->box_count = 0;
    yard->sensor_m = (cairn_vec3){0.1, 0.2, 0.7};
    // Floor around a pit of 2 x 1 m, 0.8 m deep, 2 m ahead.
    add(yard, (cairn_vec3){-4, 0, -0.5}, (cairn_vec3){6, 10, 0.5}, level);
    add(yard, (cairn_vec3){6.5, 0, -0.5}, (cairn_vec3){3.5, 10, 0.5}, level);
    add(yard, (cairn_vec3){2.5, 5.5, -0.5}, (cairn_vec3){0.5, 4.5, 0.5}, level);
    add(yard, (cairn_vec3){2.5, -5.5, -0.5}, (cairn_vec3){0.5, 4.5, 0.5}, level);
    add(yard, (cairn_vec3){2.5, 0, -1.3}, (cairn_vec3){0.5, 1, 0.5}, level);
    add(yard, (cairn_vec3){-5, 5, 0}, (cairn_vec3){2, 1.5, 0.3}, (cairn_rpy){0, -0.2, 0}); // ramp
    for (int side = -1; side <= 1; side += 2) {
        add(yard, (cairn_vec3){side * 9.85, 0, 2.5}, (cairn_vec3){0.1, 10, 2.5}, level);
        add(yard, (cairn_vec3){0, side * 9.85, 2.5}, (cairn_vec3){10, 0.1, 2.5}, level);
    }
    for (int i = 0; i < 20; i++) { // things that stand about, none where the sensor is
        const double angle = cairn_random_between(random, -3, 3), away_m = cairn_random_between(random, 3.5, 8.5);
        const cairn_vec3 half_m = {cairn_random_between(random, 0.1, 0.5), cairn_random_between(random, 0.1, 0.5),
                                   cairn_random_between(random, 0.1, 0.8)};
        add(yard, (cairn_vec3){away_m * cos(angle), away_m * sin(angle), half_m.z}, half_m, (cairn_rpy){0, 0, angle});
    }
    for (int i = 0; i < 8; i++) { // branches
        const double angle = 0.8 * i;
        add(yard, (cairn_vec3){4 * cos(angle), 4 * sin(angle), 1.8}, (cairn_vec3){0.8, 0.1, 0.1},
            (cairn_rpy){0, 0, 2 * angle});
    }
}

static double yard_range(const made_yard *yard, cairn_vec3 direction)
{
    double nearest_m = INFINITY;
    for (uint32_t i = 0; i < yard->box_count; i++) {
        const double range_m =
            cairn_ray_box3(yard->sensor_m, direction, yard->boxes[i].map_T_box, yard->boxes[i].half_m);
        if (range_m >= 0 && range_m < nearest_m) { nearest_m = range_m; }
    }
    return nearest_m;
}

// A laser that looks up and down and turns about its mast; from 50 degrees below the horizon to 20 above it.
static void yard_look(made_yard *yard, cairn_random *random)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        const uint32_t column = i / UPWARD, row = i % UPWARD;
        const double turn = 2 * CAIRN_PI * column / AROUND;
        const double tilt = CAIRN_PI / 180 * (-50 + 70.0 * row / UPWARD);
        const cairn_vec3 direction = {cos(turn) * cos(tilt), sin(turn) * cos(tilt), sin(tilt)};
        const double range_m = yard_range(yard, direction) + NOISE_M * cairn_random_gauss(random);
        yard->x_m[i] = (float)(yard->sensor_m.x + range_m * direction.x);
        yard->y_m[i] = (float)(yard->sensor_m.y + range_m * direction.y);
        yard->z_m[i] = (float)(yard->sensor_m.z + range_m * direction.z);
    }
}

static int by_size(const void *a, const void *b)
{
    const int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

static void say(cairn_bench_report *report, const char *metric, double ms, double published_ms)
{
    cairn_bench_say(report, &(cairn_bench_figure){"maps", "terrain, 50,000 points, 400 m2 at 5 cm", metric, "ms", ms,
                                                  published_ms > 0 ? "published" : NULL, published_ms});
}

static cairn_err measure(cairn_bench_report *report, const made_yard *yard, cairn_arena *memory)
{
    const cairn_terrain_def def = cairn_terrain_def_default();
    cairn_terrain *terrain = NULL;
    cairn_err err = cairn_terrain_create(&def, memory, &terrain);
    if (err != CAIRN_OK) { return err; }
    const cairn_terrain_sweep sweep = {yard->sensor_m, {yard->x_m, yard->y_m, yard->z_m, POINTS}, {0}};
    const cairn_collapse_def flat = cairn_collapse_def_default();
    static uint8_t upright[400 * 400];
    static cairn_scan_points points; // large
    static int64_t step_ns[ROUNDS], collapse_ns[ROUNDS];
    for (int i = 0; i < ROUNDS && err == CAIRN_OK; i++) {
        cairn_terrain_view view;
        const int64_t started_ns = cairn_thread_cpu_ns();
        cairn_terrain_step(terrain, &sweep, &view);
        const int64_t stepped_ns = cairn_thread_cpu_ns();
        err = cairn_collapse_cells(&view, &flat, memory, upright);
        if (err == CAIRN_OK) { cairn_collapse_scan(&view, &flat, &sweep, upright, &points); }
        step_ns[i] = stepped_ns - started_ns;
        collapse_ns[i] = cairn_thread_cpu_ns() - stepped_ns;
    }
    if (err != CAIRN_OK) { return err; }
    qsort(step_ns, ROUNDS, sizeof step_ns[0], by_size);
    qsort(collapse_ns, ROUNDS, sizeof collapse_ns[0], by_size);
    say(report, "classify, best of 60", 1e-6 * (double)step_ns[0], 300);
    const int64_t median_ns = step_ns[ROUNDS / 2];
    say(report, "classify, median", 1e-6 * (double)median_ns, 300);
    say(report, "collapse to a flat scan", 1e-6 * (double)collapse_ns[0], 0);
    return CAIRN_OK;
}

cairn_err cairn_bench_maps_terrain(cairn_bench_report *report, cairn_complaints *complaints)
{
    (void)complaints;
    static made_yard yard; // large
    cairn_random random;
    cairn_random_init(&random, 1, "bench/yard");
    yard_make(&yard, &random);
    yard_look(&yard, &random);
    cairn_arena memory;
    cairn_err err = cairn_arena_create(&memory, MEMORY_BYTES);
    if (err != CAIRN_OK) { return err; }
    err = measure(report, &yard, &memory);
    cairn_arena_destroy(&memory);
    return err;
}
