// bench terrain - what a terrain map takes on the air and to code, beside JBIG1 on the same planes.
//
// At places all over the shipped arenas a robot turns on the spot, three sweeps; its local grid is sampled into a map
// of 150 x 150 cells. Maps of missions show more, since the robot has come from somewhere: docs/maps.md has their
// figures.
#include "base/clock.h"
#include "base/random.h"
#include "body/description_io.h"
#include "commands/bench/bench.h"
#include "commands/bench/bench_places.h"
#include "geometry/rays.h"
#include "maps/codec/planes_codec.h"
#include "sim/senses/rays.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAPS 60
#define SWEEPS 3
#define SIZE_CELLS 150
#define ROW_BYTES ((SIZE_CELLS + 7) / 8)
#define CELL_M 0.1
#define ROUNDS 5 // the fastest counts: what else the machine does only adds
#define CLEARANCE_M 0.4
#define GRID_BYTES (32u << 20)

typedef struct bench_maps {
    cairn_arena arena_memory, grid_memory, scratch;
    cairn_sim_arena arena;
    cairn_body_description robot;
    cairn_rays *rays;
    cairn_terrain_planes planes[MAPS];
    uint8_t codes[MAPS][CAIRN_PLANES_CODE_BYTES_MAX];
    size_t code_bytes[MAPS];
} bench_maps;

static cairn_err make_map(bench_maps *maps, cairn_random *random, cairn_terrain_planes *ret_planes)
{
    static cairn_scan_points points; // large
    const cairn_local_grid_def def = cairn_local_grid_def_default();
    cairn_local_grid *grid = NULL;
    cairn_arena_reset(&maps->grid_memory, 0);
    const cairn_err err = cairn_local_grid_create(&def, &maps->grid_memory, &grid);
    if (err != CAIRN_OK) { return err; }
    cairn_pose2 place = cairn_bench_free_place(&maps->arena, CLEARANCE_M, random);
    cairn_local_grid_centre(grid, cairn_pose2_at(place));
    cairn_mono now = {CAIRN_S(1)};
    for (int i = 0; i < SWEEPS; i++) {
        place.yaw_rad += 2 * CAIRN_PI / SWEEPS;
        now = cairn_mono_add(now, CAIRN_MS(100));
        cairn_bench_look(maps->rays, &maps->robot.laser, place, random, &points);
        cairn_local_grid_add(grid, place, &points, now);
    }
    cairn_terrain_planes_sample(grid, place, CELL_M, SIZE_CELLS, now, ret_planes);
    return CAIRN_OK;
}

static cairn_err make_maps(bench_maps *maps, cairn_complaints *complaints)
{
    const cairn_body_description *robots[] = {&maps->robot};
    const cairn_rays_def def = {.arena = &maps->arena, .robot_count = 1, .robots = robots};
    cairn_err err = cairn_rays_planar.create(&def, complaints, &maps->rays);
    if (err != CAIRN_OK) { return err; }
    cairn_random random;
    cairn_random_init(&random, 1, "bench/terrain");
    for (int i = 0; i < MAPS && err == CAIRN_OK; i++) { err = make_map(maps, &random, &maps->planes[i]); }
    cairn_rays_planar.destroy(maps->rays);
    return err;
}

typedef struct codec_costs {
    double bytes, encode_us, decode_us;
} codec_costs;

static cairn_err measure_once(bench_maps *maps, codec_costs *ret_costs)
{
    static cairn_terrain_planes back;
    double bytes = 0;
    const int64_t started_ns = cairn_thread_cpu_ns();
    for (int i = 0; i < MAPS; i++) {
        const cairn_err err = cairn_planes_encode(&maps->planes[i], NULL, &maps->scratch, maps->codes[i],
                                                  sizeof maps->codes[i], &maps->code_bytes[i]);
        if (err != CAIRN_OK) { return err; }
        bytes += (double)maps->code_bytes[i];
    }
    const int64_t encoded_ns = cairn_thread_cpu_ns();
    for (int i = 0; i < MAPS; i++) {
        back.width = back.height = SIZE_CELLS;
        const cairn_err err = cairn_planes_decode(maps->codes[i], maps->code_bytes[i], NULL, &maps->scratch, &back);
        if (err != CAIRN_OK) { return err; }
        CAIRN_ASSERT(memcmp(back.known, maps->planes[i].known, sizeof back.known) == 0);
        CAIRN_ASSERT(memcmp(back.obstacle, maps->planes[i].obstacle, sizeof back.obstacle) == 0);
    }
    const int64_t decoded_ns = cairn_thread_cpu_ns();
    *ret_costs = (codec_costs){bytes / MAPS, 1e-3 * (double)(encoded_ns - started_ns) / MAPS,
                               1e-3 * (double)(decoded_ns - encoded_ns) / MAPS};
    return CAIRN_OK;
}

static void pack(const uint8_t *plane, uint8_t ret_rows[SIZE_CELLS * ROW_BYTES])
{
    memset(ret_rows, 0, (size_t)SIZE_CELLS * ROW_BYTES);
    for (uint32_t i = 0; i < SIZE_CELLS * SIZE_CELLS; i++) {
        const uint32_t x = i % SIZE_CELLS;
        ret_rows[i / SIZE_CELLS * ROW_BYTES + x / 8] |= (uint8_t)(cairn_plane_bit(plane, i) << (7 - x % 8));
    }
}

static double jbig_bytes_mean(const bench_maps *maps)
{
    static uint8_t planes[2 * MAPS][SIZE_CELLS * ROW_BYTES];
    for (int i = 0; i < MAPS; i++) {
        pack(maps->planes[i].known, planes[2 * i]);
        pack(maps->planes[i].obstacle, planes[2 * i + 1]);
    }
    return cairn_bench_jbig_bytes(SIZE_CELLS, SIZE_CELLS, planes[0], 2 * MAPS) / MAPS;
}

static cairn_err run_arena(cairn_bench_report *report, bench_maps *maps, const char *path, cairn_complaints *complaints)
{
    cairn_err err = cairn_sim_arena_read(path, &maps->arena_memory, complaints, &maps->arena);
    if (err == CAIRN_OK) { err = make_maps(maps, complaints); }
    codec_costs best = {0, INFINITY, INFINITY}, costs = {0};
    for (int i = 0; i < ROUNDS && err == CAIRN_OK; i++) {
        err = measure_once(maps, &costs);
        best = (codec_costs){costs.bytes, fmin(best.encode_us, costs.encode_us), fmin(best.decode_us, costs.decode_us)};
    }
    if (err != CAIRN_OK) { return err; }
    char subject[128];
    snprintf(subject, sizeof subject, "%s, %d x %d cells", maps->arena.name, SIZE_CELLS, SIZE_CELLS);
    const double peer = jbig_bytes_mean(maps);
    cairn_bench_say(report, &(cairn_bench_figure){"terrain", subject, "both planes", "bytes", best.bytes,
                                                  peer > 0 ? "JBIG" : NULL, peer});
    cairn_bench_say(report, &(cairn_bench_figure){"terrain", subject, "encode", "us", best.encode_us, NULL, 0});
    cairn_bench_say(report, &(cairn_bench_figure){"terrain", subject, "decode", "us", best.decode_us, NULL, 0});
    return CAIRN_OK;
}

static cairn_err run(cairn_bench_report *report, cairn_complaints *complaints)
{
    static bench_maps maps; // large
    cairn_err err = cairn_arena_create(&maps.arena_memory, 64u << 20);
    if (err == CAIRN_OK) { err = cairn_arena_create(&maps.grid_memory, GRID_BYTES); }
    if (err == CAIRN_OK) { err = cairn_arena_create(&maps.scratch, CAIRN_PLANES_SCRATCH_BYTES); }
    if (err == CAIRN_OK) { err = cairn_body_description_read("robots/emu.yaml", complaints, &maps.robot); }
    if (err == CAIRN_OK) { err = run_arena(report, &maps, "arenas/office.yaml", complaints); }
    if (err == CAIRN_OK) { err = run_arena(report, &maps, "arenas/maze.yaml", complaints); }
    cairn_arena_destroy(&maps.scratch);
    cairn_arena_destroy(&maps.grid_memory);
    cairn_arena_destroy(&maps.arena_memory);
    return err;
}

const cairn_bench cairn_bench_terrain = {"terrain", "bytes and time of a terrain map, beside JBIG", run};
