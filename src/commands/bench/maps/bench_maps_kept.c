// bench maps, kept - what is repaired instead of made anew: prices of a large map, and heights of the ground by rays.
//
// Prices: a made floor of 1000 x 1000 cells of 10 cm, rooms and rubble; 200 cells of one room change, a window of all
// of it is wanted. Heights: scans of one nod of 1.25 s in a corridor 5 m wide, 1081 beams from 0.5 m, cells of 10 cm,
// up to 4 m; of every fifth beam also what it passed, as robots do it.
#include "base/clock.h"
#include "base/random.h"
#include "commands/bench/maps/bench_maps.h"
#include "maps/height_map.h"
#include "planning/kept_costs.h"
#include <math.h>

#define EDGE 1000u
#define CELLS ((size_t)EDGE * EDGE)
#define ROOM_CELLS 60u
#define CHANGES 200
#define ROUNDS 10 // the fastest counts
#define SCANS 50
#define BEAMS 1081
#define WALKING 5 // every so many beams
#define MEMORY_BYTES (64u << 20)

static void make_floor(uint8_t *ground, cairn_random *random)
{
    for (size_t i = 0; i < CELLS; i++) {
        const size_t x = i % EDGE, y = i / EDGE;
        const bool wall = (x % ROOM_CELLS == 0 && y % ROOM_CELLS > 12) || (y % ROOM_CELLS == 0 && x % ROOM_CELLS > 12);
        const bool rubble = cairn_random_below(random, 200) == 0;
        ground[i] = wall || rubble ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE;
    }
}

static void change_room(uint8_t *ground, cairn_random *random)
{
    const uint32_t x0 = (uint32_t)cairn_random_below(random, EDGE - ROOM_CELLS);
    const uint32_t y0 = (uint32_t)cairn_random_below(random, EDGE - ROOM_CELLS);
    for (int i = 0; i < CHANGES; i++) {
        const uint32_t x = x0 + (uint32_t)cairn_random_below(random, ROOM_CELLS);
        const uint32_t y = y0 + (uint32_t)cairn_random_below(random, ROOM_CELLS);
        ground[(size_t)y * EDGE + x] = (uint8_t)cairn_random_below(random, 3);
    }
}

static double ms_since(int64_t started_ns) { return 1e-6 * (double)(cairn_thread_cpu_ns() - started_ns); }

static cairn_err measure_prices(cairn_bench_report *report, cairn_arena *memory, cairn_random *random)
{
    const cairn_kept_costs_def def = {EDGE, EDGE, 0.1, cairn_cost_rules_default(0.3)};
    const cairn_cell_window all = {0, 0, EDGE, EDGE};
    uint8_t *ground = CAIRN_TAKE(memory, uint8_t, CELLS);
    cairn_kept_costs *kept = NULL;
    cairn_err err = ground != NULL ? cairn_kept_costs_create(&def, memory, &kept) : CAIRN_ERR_FULL;
    if (err != CAIRN_OK) { return err; }
    make_floor(ground, random);
    (void)cairn_kept_costs_update(kept, ground);
    double repair_ms = INFINITY, copy_ms = INFINITY, fresh_ms = INFINITY;
    const size_t mark = cairn_arena_mark(memory);
    for (int i = 0; i < ROUNDS && err == CAIRN_OK; i++) {
        change_room(ground, random);
        int64_t started_ns = cairn_thread_cpu_ns();
        (void)cairn_kept_costs_update(kept, ground);
        repair_ms = fmin(repair_ms, ms_since(started_ns));
        cairn_cost_grid grid;
        started_ns = cairn_thread_cpu_ns();
        err = cairn_kept_costs_copy(kept, &all, (cairn_vec2){0, 0}, memory, &grid);
        copy_ms = fmin(copy_ms, ms_since(started_ns));
        cairn_arena_reset(memory, mark);
        started_ns = cairn_thread_cpu_ns();
        if (err == CAIRN_OK) {
            err = cairn_cost_grid_create((cairn_vec2){0, 0}, def.cell_m, EDGE, EDGE, ground, &def.rules, memory, &grid);
        }
        fresh_ms = fmin(fresh_ms, ms_since(started_ns));
        cairn_arena_reset(memory, mark);
    }
    const char *subject = "prices of 1000 x 1000 cells, 200 changed";
    cairn_bench_say(report, &(cairn_bench_figure){"maps", subject, "made anew", "ms", fresh_ms, NULL, 0});
    cairn_bench_say(report, &(cairn_bench_figure){"maps", subject, "repaired", "ms", repair_ms, NULL, 0});
    cairn_bench_say(report, &(cairn_bench_figure){"maps", subject, "copied for a robot", "ms", copy_ms, NULL, 0});
    return err;
}

// Where a beam of the nod ends: floor, walls on both sides, a wall at the end.
static cairn_height_ray beam_of(int scan, int beam, cairn_random *random)
{
    const double nod_rad = (9 + 12 * sin(2 * CAIRN_PI * scan / SCANS)) * CAIRN_PI / 180;
    const double angle_rad = 1.5 * CAIRN_PI * ((double)beam / (BEAMS - 1) - 0.5);
    const cairn_vec3 along = {cos(angle_rad) * cos(nod_rad), sin(angle_rad), -cos(angle_rad) * sin(nod_rad)};
    const double floor_m = along.z < 0 ? 0.5 / -along.z : INFINITY;
    const double wall_m = fmin(6 / fmax(fabs(along.x), 1e-6), 2.5 / fmax(fabs(along.y), 1e-6));
    const double range_m = fmin(floor_m, wall_m) + 0.01 * cairn_random_gauss(random);
    const cairn_vec3 from_m = {0.05, 0.05, 0.5};
    return (cairn_height_ray){.end_m = cairn_vec3_add(from_m, cairn_vec3_scale(along, range_m)),
                              .hit = true,
                              .end_only = beam % WALKING != 0};
}

static cairn_err measure_heights(cairn_bench_report *report, cairn_arena *memory, cairn_random *random)
{
    static cairn_height_ray rays[SCANS][BEAMS];
    for (int i = 0; i < SCANS * BEAMS; i++) { rays[i / BEAMS][i % BEAMS] = beam_of(i / BEAMS, i % BEAMS, random); }
    cairn_height_map_def def = cairn_height_map_def_default();
    def.range_m_max = 4.0;
    def.tile_count = 256;
    cairn_height_map *map = NULL;
    const cairn_err err = cairn_height_map_create(&def, memory, &map);
    if (err != CAIRN_OK) { return err; }
    double best_ms = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t started_ns = cairn_thread_cpu_ns();
        for (int i = 0; i < SCANS; i++) { cairn_height_map_add(map, (cairn_vec3){0.05, 0.05, 0.5}, rays[i], BEAMS); }
        best_ms = fmin(best_ms, ms_since(started_ns));
    }
    cairn_bench_say(report, &(cairn_bench_figure){"maps", "heights, a nod of 54,050 beams, 10 cm, 4 m", "into the map",
                                                  "ms", best_ms, NULL, 0});
    return CAIRN_OK;
}

cairn_err cairn_bench_maps_kept(cairn_bench_report *report, cairn_complaints *complaints)
{
    (void)complaints;
    static cairn_arena memory;
    cairn_random random;
    cairn_random_init(&random, 1, "bench/kept");
    cairn_err err = cairn_arena_create(&memory, MEMORY_BYTES);
    if (err == CAIRN_OK) { err = measure_prices(report, &memory, &random); }
    cairn_arena_reset(&memory, 0);
    if (err == CAIRN_OK) { err = measure_heights(report, &memory, &random); }
    cairn_arena_destroy(&memory);
    return err;
}
