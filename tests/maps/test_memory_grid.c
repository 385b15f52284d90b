// The coarse long memory: what it takes over, what it keeps, and which tiles it gives up.
#include "../base/check.h"
#include "base/random.h"
#include "maps/memory_grid.h"
#include <math.h>
#include <string.h>

#define SEED 3

static cairn_arena arena;

static cairn_mono at_s(double s) { return (cairn_mono){cairn_ns_from_seconds(s)}; }

static cairn_local_grid *make_local(void)
{
    cairn_local_grid_def def = cairn_local_grid_def_default();
    def.size_cells = 128;
    cairn_local_grid *grid = NULL;
    assert_ok(cairn_local_grid_create(&def, &arena, &grid));
    return grid;
}

static cairn_memory_grid *make_memory(uint32_t tile_count)
{
    cairn_memory_grid_def def = cairn_memory_grid_def_default();
    def.tile_count = tile_count;
    cairn_memory_grid *memory = NULL;
    assert_ok(cairn_memory_grid_create(&def, &arena, &memory));
    return memory;
}

// A ring of wall around a place, seen from it.
static void look_around(cairn_local_grid *local, cairn_vec2 at, double range_m, double time_s)
{
    static cairn_scan_points points;
    points = (cairn_scan_points){.count = 720};
    for (int i = 0; i < 720; i++) {
        points.x_m[i] = (float)(range_m * cos(i * CAIRN_PI / 360));
        points.y_m[i] = (float)(range_m * sin(i * CAIRN_PI / 360));
        points.hit[i] = 1;
    }
    cairn_local_grid_centre(local, at);
    cairn_local_grid_add(local, (cairn_pose2){at.x, at.y, 0}, &points, at_s(time_s));
}

static cairn_ground slow_ground(const cairn_local_grid *local, int x, int y, double time_s)
{
    int free = 0;
    for (int v = 0; v < 4; v++) {
        for (int u = 0; u < 4; u++) {
            const cairn_vec2 middle = {x * 0.2 + (u + 0.5) * 0.05, y * 0.2 + (v + 0.5) * 0.05};
            const cairn_ground ground = cairn_local_grid_at(local, middle, at_s(time_s));
            if (ground == CAIRN_GROUND_OBSTACLE) { return ground; }
            free += ground == CAIRN_GROUND_FREE;
        }
    }
    return free > 8 ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
}

// Walks about; each coarse cell must hold the newest word that was spoken about it, long after the local map forgot.
static void the_newest_word_counts_and_is_kept(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_arena_reset(&arena, 0);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/memory");
    cairn_local_grid *local = make_local();
    cairn_memory_grid *memory = make_memory(256);
    enum { HALF = 80 };
    static uint8_t slow[2 * HALF][2 * HALF];
    memset(slow, 0, sizeof slow);
    cairn_vec2 at = {0, 0};
    for (int round = 0; round < 12; round++) {
        at = (cairn_vec2){cairn_random_between(&random, -8, 8), cairn_random_between(&random, -8, 8)};
        const double time_s = 20 * round;
        look_around(local, at, cairn_random_between(&random, 0.6, 2.5), time_s);
        cairn_memory_grid_add(memory, local, at, 2.0, at_s(time_s));
        for (int y = -HALF; y < HALF; y++) {
            for (int x = -HALF; x < HALF; x++) {
                if (hypot((x + 0.5) * 0.2 - at.x, (y + 0.5) * 0.2 - at.y) > 2.0) { continue; }
                const cairn_ground ground = slow_ground(local, x, y, time_s);
                if (ground != CAIRN_GROUND_UNKNOWN) { slow[y + HALF][x + HALF] = (uint8_t)ground; }
            }
        }
    }
    for (int y = -HALF; y < HALF; y++) {
        for (int x = -HALF; x < HALF; x++) {
            const cairn_vec2 middle = {(x + 0.5) * 0.2, (y + 0.5) * 0.2};
            assert_int_equal(cairn_memory_grid_at(memory, middle), slow[y + HALF][x + HALF]);
        }
    }
    assert_int_equal(cairn_memory_grid_tiles_given_up(memory), 0);
}

// A pool of 12 tiles, a trail of far more; then the first place again and again while going on.
static void the_tile_touched_longest_ago_is_given_up(void **state)
{
    (void)state;
    cairn_arena_reset(&arena, 0);
    cairn_local_grid *local = make_local();
    cairn_memory_grid *memory = make_memory(12);
    const cairn_vec2 home = {1.6, 1.6}; // the middle of a tile: a ring of 0.9 m stays within it
    for (int i = 0; i < 40; i++) {
        const cairn_vec2 away = {1.6 + 3.2 * (i + 1), 1.6};
        look_around(local, home, 0.9, 40 * i);
        cairn_memory_grid_add(memory, local, home, 1.5, at_s(40 * i));
        look_around(local, away, 0.9, 40 * i + 20);
        cairn_memory_grid_add(memory, local, away, 1.5, at_s(40 * i + 20));
        assert_int_equal(cairn_memory_grid_at(memory, home), CAIRN_GROUND_FREE);
        for (int k = 0; k <= i; k++) { // home and the last eleven others are there, the rest is not
            const cairn_vec2 there = {1.6 + 3.2 * (k + 1), 1.6};
            assert_int_equal(cairn_memory_grid_at(memory, there),
                             i - k < 11 ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN);
        }
    }
    assert_int_equal(cairn_memory_grid_tiles_used(memory), 12);
    assert_int_equal(cairn_memory_grid_tiles_given_up(memory), 40 - 11);
}

// Drivability maps of random ground, here and there: a cell has the newest word about it, an obstacle if any fine cell
// of it is, and nothing where less than half was known. What is forgotten is unknown.
static void drivability_maps_are_taken_over_and_forgotten(void **state)
{
    (void)state;
    enum { EDGE = 24, CELLS = 64 };
    static uint8_t ground[EDGE * EDGE], expected[CELLS][CELLS];
    cairn_arena_reset(&arena, 0);
    cairn_memory_grid *memory = make_memory(64);
    cairn_random dice;
    cairn_random_init(&dice, SEED, "tests/memory_grid/put");
    print_message("seed %d\n", SEED);
    for (int round = 0; round < 200; round++) {
        const int x = (int)cairn_random_below(&dice, CELLS - EDGE / 4),
                  y = (int)cairn_random_below(&dice, CELLS - EDGE / 4);
        for (int i = 0; i < EDGE * EDGE; i++) {
            const uint32_t throw = cairn_random_below(&dice, 40);
            ground[i] = throw == 0 ? CAIRN_GROUND_OBSTACLE : throw < 20 ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
        }
        const cairn_drivability_area area = {{(x - CELLS / 2.0) * 0.2, (y - CELLS / 2.0) * 0.2}, 0.05, EDGE, EDGE};
        cairn_memory_grid_put(memory, &area, ground);
        for (int cell = 0; cell < EDGE / 4 * (EDGE / 4); cell++) {
            const int u = cell % (EDGE / 4), v = cell / (EDGE / 4);
            int free = 0, obstacles = 0;
            for (int i = 0; i < 16; i++) {
                const uint8_t fine = ground[(4 * v + i / 4) * EDGE + 4 * u + i % 4];
                free += fine == CAIRN_GROUND_FREE;
                obstacles += fine == CAIRN_GROUND_OBSTACLE;
            }
            if (obstacles > 0) { expected[y + v][x + u] = CAIRN_GROUND_OBSTACLE; }
            if (obstacles == 0 && free > 8) { expected[y + v][x + u] = CAIRN_GROUND_FREE; }
        }
    }
    cairn_memory_grid_forget(memory, (cairn_vec2){0.5, -0.3}, 1.1);
    for (int i = 0; i < CELLS * CELLS; i++) {
        const int x = i % CELLS, y = i / CELLS;
        const cairn_vec2 middle = {(x - CELLS / 2.0 + 0.5) * 0.2, (y - CELLS / 2.0 + 0.5) * 0.2};
        const bool forgotten = hypot(middle.x - 0.5, middle.y + 0.3) <= 1.1;
        assert_int_equal(cairn_memory_grid_at(memory, middle), forgotten ? CAIRN_GROUND_UNKNOWN : expected[y][x]);
    }
}

static void a_place_never_seen_is_unknown_even_far_away(void **state)
{
    (void)state;
    cairn_arena_reset(&arena, 0);
    const cairn_memory_grid *memory = make_memory(1);
    assert_int_equal(cairn_memory_grid_at(memory, (cairn_vec2){-1e5, 1e5}), CAIRN_GROUND_UNKNOWN);
}

// Plans read whole windows at once, on lattices of their own.
static void an_area_is_merged_as_its_middles_are_read(void **state)
{
    (void)state;
    cairn_arena_reset(&arena, 0);
    cairn_local_grid *local = make_local();
    cairn_memory_grid *memory = make_memory(64);
    look_around(local, (cairn_vec2){0.3, -0.4}, 2.5, 1);
    cairn_memory_grid_add(memory, local, (cairn_vec2){0.3, -0.4}, 3, at_s(1));
    const cairn_drivability_area area = {{-5.03, -4.91}, 0.13, 80, 77};
    static uint8_t ground[80 * 77];
    for (uint32_t i = 0; i < 80 * 77; i++) { ground[i] = (uint8_t)(i % 3); }
    cairn_memory_grid_merge(memory, &area, ground);
    for (uint32_t i = 0; i < 80 * 77; i++) {
        const cairn_vec2 middle = {area.origin_m.x + (i % 80 + 0.5) * 0.13, area.origin_m.y + (i / 80 + 0.5) * 0.13};
        const uint8_t kept = (uint8_t)cairn_memory_grid_at(memory, middle), before = (uint8_t)(i % 3);
        assert_int_equal(ground[i], kept > before ? kept : before);
    }
}

int main(void)
{
    if (cairn_arena_create(&arena, 8 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_word_counts_and_is_kept),
        cmocka_unit_test(the_tile_touched_longest_ago_is_given_up),
        cmocka_unit_test(drivability_maps_are_taken_over_and_forgotten),
        cmocka_unit_test(a_place_never_seen_is_unknown_even_far_away),
        cmocka_unit_test(an_area_is_merged_as_its_middles_are_read),
    };
    const int failed = cmocka_run_group_tests_name("memory_grid", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
