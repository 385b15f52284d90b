// The growing grid: equal to asking every cell of every scan, in any direction, and forgetting by a stated rule.
#include "../base/check.h"
#include "base/random.h"
#include "maps/occupancy_grid.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 61
#define SLOW_CELLS 400 // the slow grid spans -200 .. 199 cells
#define RANGE_M 4.0
#define CELL_M 0.05

static cairn_arena arena;
static cairn_scan_points points;

static cairn_occupancy_grid *make_grid(uint32_t tiles_more)
{
    cairn_occupancy_grid_def def = cairn_occupancy_grid_def_default();
    def.range_m_max = RANGE_M;
    def.cell_m = CELL_M;
    def.tile_count = cairn_occupancy_grid_tiles_min(&def) + tiles_more;
    cairn_arena_reset(&arena, 0);
    cairn_occupancy_grid *grid = NULL;
    assert_ok(cairn_occupancy_grid_create(&def, &arena, &grid));
    return grid;
}

// Ranges that wander and jump, some beams missing, some that only clear.
static void scan_random(cairn_random *random)
{
    const uint32_t beams = 60 + (uint32_t)cairn_random_below(random, 400);
    points.count = 0;
    points.sensor_x_m = 0.1f, points.sensor_y_m = -0.02f;
    double range = 2;
    for (uint32_t i = 0; i < beams; i++) {
        range += cairn_random_between(random, -0.05, 0.05);
        if (cairn_random_below(random, 20) == 0) { range = cairn_random_between(random, 0.3, 5.5); }
        range = fmax(range, 0.05);
        if (cairn_random_below(random, 30) == 0) { continue; }
        const double angle = -2.3 + 4.6 * i / beams;
        points.x_m[points.count] = (float)(0.1 + range * cos(angle));
        points.y_m[points.count] = (float)(-0.02 + range * sin(angle));
        points.hit[points.count++] = cairn_random_below(random, 5) != 0;
    }
}

// The slow grid. Whatever is asked of a cell is asked of every cell.
static int slow[SLOW_CELLS][SLOW_CELLS];
static bool ended[SLOW_CELLS][SLOW_CELLS], kept[SLOW_CELLS][SLOW_CELLS], inside[SLOW_CELLS][SLOW_CELLS];

static void mark(bool plane[SLOW_CELLS][SLOW_CELLS], double x, double y)
{
    const int u = (int)floor(x) + SLOW_CELLS / 2, v = (int)floor(y) + SLOW_CELLS / 2;
    assert_true(u >= 0 && v >= 0 && u < SLOW_CELLS && v < SLOW_CELLS);
    plane[v][u] = true;
}

// Even-odd rule: a cell is inside if an odd number of edges cross its row left of its middle.
static void slow_edge(double ax, double ay, double bx, double by)
{
    for (int v = 0; v < SLOW_CELLS; v++) {
        const double y = v - SLOW_CELLS / 2 + 0.5;
        if ((y > ay) == (y > by)) { continue; }
        const double crossing = ax + (y - ay) * (bx - ax) / (by - ay);
        for (int u = 0; u < SLOW_CELLS; u++) { inside[v][u] ^= u - SLOW_CELLS / 2 + 0.5 > crossing; }
    }
}

static void slow_add(cairn_pose2 pose)
{
    memset(ended, 0, sizeof ended), memset(kept, 0, sizeof kept), memset(inside, 0, sizeof inside);
    const cairn_vec2 at = cairn_pose2_apply(pose, (cairn_vec2){points.sensor_x_m, points.sensor_y_m});
    const double sx = at.x / CELL_M, sy = at.y / CELL_M;
    double px = sx, py = sy;
    bool before_hit = false;
    for (uint32_t i = 0; i < points.count; i++) {
        const cairn_vec2 end = cairn_pose2_apply(pose, (cairn_vec2){points.x_m[i], points.y_m[i]});
        double x = end.x / CELL_M, y = end.y / CELL_M;
        const double range = hypot(x - sx, y - sy), most = RANGE_M / CELL_M;
        const bool hit = points.hit[i] && range <= most;
        if (range > most) { x = sx + (x - sx) * most / range, y = sy + (y - sy) * most / range; }
        if (hit) { mark(ended, x, y); }
        const double step = hypot(x - px, y - py);
        if (hit && before_hit && step >= 1 && step <= 0.35 / CELL_M) { // between two ends on one surface
            const int count = (int)(2 * step);
            for (int k = 1; k < count; k++) { mark(kept, px + k * (x - px) / count, py + k * (y - py) / count); }
        }
        const double turn =
            atan2((px - sx) * (y - sy) - (py - sy) * (x - sx), (px - sx) * (x - sx) + (py - sy) * (y - sy));
        if (i > 0 && fabs(turn) < atan(0.06)) {
            slow_edge(px, py, x, y);
        } else {
            slow_edge(px, py, sx, sy);
            slow_edge(sx, sy, x, y);
        }
        px = x, py = y, before_hit = hit;
    }
    slow_edge(px, py, sx, sy);
    for (int v = 0; v < SLOW_CELLS; v++) {
        for (int u = 0; u < SLOW_CELLS; u++) {
            int *cell = &slow[v][u];
            if (ended[v][u]) {
                *cell = *cell + 26 > 100 ? 100 : *cell + 26; // 0.9 of 3.5, in hundredths
            } else if (inside[v][u] && !kept[v][u]) {
                *cell = *cell - 11 < -100 ? -100 : *cell - 11;
            }
        }
    }
}

static void equals_asking_every_cell_of_every_scan(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/occupancy");
    cairn_occupancy_grid *grid = make_grid(100);
    memset(slow, 0, sizeof slow);
    uint32_t seen = 0;
    for (int round = 0; round < 30; round++) {
        scan_random(&random);
        const cairn_pose2 pose = {cairn_random_between(&random, -5, 5), cairn_random_between(&random, -5, 5),
                                  cairn_random_between(&random, -3, 3)};
        cairn_occupancy_grid_add(grid, pose, &points);
        slow_add(pose);
    }
    for (int v = 0; v < SLOW_CELLS; v++) {
        for (int u = 0; u < SLOW_CELLS; u++) {
            const cairn_vec2 middle = {(u - SLOW_CELLS / 2 + 0.5) * CELL_M, (v - SLOW_CELLS / 2 + 0.5) * CELL_M};
            const float p = cairn_occupancy_grid_p_occupied(grid, middle);
            assert_int_equal((int)lround(100 / 3.5 * log(p / (1 - p))), slow[v][u]);
            seen += slow[v][u] != 0;
        }
    }
    assert_true(seen > 20000);
}

static void wall_ahead(double range_m)
{
    points = (cairn_scan_points){.count = 181};
    for (uint32_t i = 0; i < points.count; i++) {
        const double angle = (i - 90.0) / 180;
        points.x_m[i] = (float)(range_m * cos(angle)), points.y_m[i] = (float)(range_m * sin(angle));
        points.hit[i] = 1;
    }
}

// Rubble moves. However often a wall was seen, ten scans through it must win, and as few make it again.
static void what_was_seen_a_thousand_times_is_unlearned_within_ten_scans(void **state)
{
    (void)state;
    cairn_occupancy_grid *grid = make_grid(10);
    const cairn_vec2 spot = {2.02, 0.02};
    wall_ahead(2.02);
    for (int i = 0; i < 1000; i++) { cairn_occupancy_grid_add(grid, (cairn_pose2){0}, &points); }
    assert_int_equal(cairn_occupancy_grid_at(grid, spot), CAIRN_GROUND_OBSTACLE);
    wall_ahead(3.02);
    for (int i = 0; i < 10; i++) { cairn_occupancy_grid_add(grid, (cairn_pose2){0}, &points); }
    assert_int_equal(cairn_occupancy_grid_at(grid, spot), CAIRN_GROUND_FREE);
}

// The pool is what a robot has. A long way gives up the oldest tiles, says how many, and keeps the newest.
static void a_long_way_gives_up_the_oldest_tiles_and_counts_them(void **state)
{
    (void)state;
    cairn_occupancy_grid *grid = make_grid(0);
    wall_ahead(2.02);
    for (int i = 0; i < 100; i++) {
        cairn_occupancy_grid_add(grid, (cairn_pose2){.x_m = -1.0 * i, .y_m = 2.0 * i}, &points);
    }
    const cairn_occupancy_grid_info info = cairn_occupancy_grid_get_info(grid);
    assert_int_equal(info.tiles_used, cairn_occupancy_grid_tiles_min(cairn_occupancy_grid_get_def(grid)));
    assert_true(info.tiles_given_up > 50);
    assert_int_equal(cairn_occupancy_grid_at(grid, (cairn_vec2){2.02, 0.02}), CAIRN_GROUND_UNKNOWN);
    assert_int_equal(cairn_occupancy_grid_at(grid, (cairn_vec2){-99 + 2.02, 198.02}), CAIRN_GROUND_OBSTACLE);
    assert_true(info.x_min <= -99 * 20 && info.y_end > 198 * 20);
}

static void a_rectangle_tells_the_same_as_its_points(void **state)
{
    (void)state;
    cairn_occupancy_grid *grid = make_grid(20);
    wall_ahead(3.02);
    cairn_occupancy_grid_add(grid, (cairn_pose2){-2, 1, 0.7}, &points);
    static uint8_t ground[150 * 170];
    cairn_occupancy_grid_read(grid, -90, -71, 150, 170, ground);
    for (int i = 0; i < 150 * 170; i++) {
        const cairn_vec2 middle = {(i % 150 - 90 + 0.5) * CELL_M, (i / 150 - 71 + 0.5) * CELL_M};
        assert_int_equal(ground[i], cairn_occupancy_grid_at(grid, middle));
    }
}

static void a_scan_from_nowhere_is_left_out_and_counted(void **state)
{
    (void)state;
    cairn_occupancy_grid *grid = make_grid(0);
    wall_ahead(2);
    cairn_occupancy_grid_add(grid, (cairn_pose2){NAN, 0, 0}, &points);
    cairn_occupancy_grid_add(grid, (cairn_pose2){1e30, 0, 0}, &points);
    assert_int_equal(cairn_occupancy_grid_get_info(grid).scans_left_out, 2);
    assert_int_equal(cairn_occupancy_grid_get_info(grid).tiles_used, 0);
    assert_int_equal(cairn_occupancy_grid_at(grid, (cairn_vec2){NAN, 1e30}), CAIRN_GROUND_UNKNOWN);
}

static void a_small_arena_is_refused_and_given_back(void **state)
{
    (void)state;
    static uint8_t block[1 << 16];
    cairn_arena small;
    cairn_arena_init(&small, block, sizeof block);
    const cairn_occupancy_grid_def def = cairn_occupancy_grid_def_default();
    cairn_occupancy_grid *grid = NULL;
    assert_int_equal(cairn_occupancy_grid_create(&def, &small, &grid), CAIRN_ERR_FULL);
    assert_null(grid);
    assert_int_equal(cairn_arena_mark(&small), 0);
}

int main(void)
{
    if (cairn_arena_create(&arena, 16 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_asking_every_cell_of_every_scan),
        cmocka_unit_test(what_was_seen_a_thousand_times_is_unlearned_within_ten_scans),
        cmocka_unit_test(a_long_way_gives_up_the_oldest_tiles_and_counts_them),
        cmocka_unit_test(a_rectangle_tells_the_same_as_its_points),
        cmocka_unit_test(a_scan_from_nowhere_is_left_out_and_counted),
        cmocka_unit_test(a_small_arena_is_refused_and_given_back),
    };
    const int failed = cmocka_run_group_tests_name("occupancy_grid", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
