// The local grid against a slow one that asks every cell about every pair of beams, and what it promises about
// unlearning, forgetting and rolling.
#include "../base/check.h"
#include "base/random.h"
#include "maps/local/local_grid_cells.h"
#include <math.h>
#include <stdlib.h>

#define SEED 11
#define EDGE 512 // of the slow map, in cells; the frame's origin is in its middle

// The slow map: every cell of a large square, with its whole history in two numbers.
typedef struct slow_map {
    int value[EDGE * EDGE]; // log-odds in hundredths of the limit
    int64_t seen_ns[EDGE * EDGE];
} slow_map;

static cairn_arena arena;

static cairn_local_grid *make_grid(uint32_t size_cells)
{
    cairn_local_grid_def def = cairn_local_grid_def_default();
    def.size_cells = size_cells;
    def.range_m_max = 2.5;
    cairn_arena_reset(&arena, 0);
    cairn_local_grid *grid = NULL;
    assert_ok(cairn_local_grid_create(&def, &arena, &grid));
    return grid;
}

static cairn_mono at_s(double s) { return (cairn_mono){cairn_ns_from_seconds(s)}; }

// One beam straight ahead of a robot at the origin, 3 degrees wide so that the polygon holds cells.
static void add_beam(cairn_local_grid *grid, double range_m, bool hit, double time_s)
{
    cairn_scan_points points = {.count = 7};
    for (int i = 0; i < 7; i++) {
        const double angle = (i - 3) * 0.01;
        points.x_m[i] = (float)(range_m * cos(angle)), points.y_m[i] = (float)(range_m * sin(angle));
        points.hit[i] = hit;
    }
    cairn_local_grid_add(grid, (cairn_pose2){0, 0.026, 0}, &points, at_s(time_s));
}

// Ranges that wander, jump, miss and drop out.
static void random_scan(cairn_random *random, cairn_scan_points *ret_points)
{
    ret_points->sensor_x_m = 0.1f, ret_points->sensor_y_m = -0.03f;
    ret_points->count = 0;
    double range = cairn_random_between(random, 0.5, 2);
    for (int i = 0; i < 360; i++) {
        const double angle = (i - 180) * 0.75 * CAIRN_PI / 180 + 1e-4 * cairn_random_uniform(random);
        range += 0.01 * cairn_random_gauss(random);
        if (cairn_random_uniform(random) < 0.03) { range = cairn_random_between(random, 0.3, 3.2); }
        if (range < 0.1) { range = 0.1; }
        if (cairn_random_uniform(random) < 0.01) { i += (int)cairn_random_below(random, 12); } // drop-outs
        const uint32_t k = ret_points->count++;
        ret_points->x_m[k] = (float)(0.1 + range * cos(angle));
        ret_points->y_m[k] = (float)(-0.03 + range * sin(angle));
        ret_points->hit[k] = cairn_random_uniform(random) < 0.9;
    }
}

static bool in_triangle(cairn_vec2 p, cairn_vec2 a, cairn_vec2 b, cairn_vec2 c)
{
    const double u = cairn_vec2_cross(cairn_vec2_sub(b, a), cairn_vec2_sub(p, a));
    const double v = cairn_vec2_cross(cairn_vec2_sub(c, b), cairn_vec2_sub(p, b));
    const double w = cairn_vec2_cross(cairn_vec2_sub(a, c), cairn_vec2_sub(p, c));
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

static int slow_index(int x, int y) { return (y + EDGE / 2) * EDGE + x + EDGE / 2; }

static int slow_value(const slow_map *map, int index, cairn_mono now, int64_t tick_ns)
{
    return now.ns / tick_ns - map->seen_ns[index] / tick_ns > CAIRN_MEMORY_TICKS ? 0 : map->value[index];
}

static void slow_add(slow_map *map, const cairn_local_grid *grid, cairn_pose2 pose, const cairn_scan_points *points,
                     cairn_mono now)
{
    const double cell_m = grid->def.cell_m;
    const cairn_vec2 sensor = cairn_pose2_apply(pose, (cairn_vec2){points->sensor_x_m, points->sensor_y_m});
    static cairn_vec2 end[CAIRN_SCAN_POINTS_MAX];
    static bool hit[CAIRN_SCAN_POINTS_MAX];
    for (uint32_t i = 0; i < points->count; i++) {
        end[i] = cairn_pose2_apply(pose, (cairn_vec2){points->x_m[i], points->y_m[i]});
        const double range = cairn_vec2_distance(sensor, end[i]);
        hit[i] = points->hit[i] && range <= grid->def.range_m_max;
        if (range > grid->def.range_m_max) {
            const double part = grid->def.range_m_max / range;
            end[i] = cairn_vec2_add(sensor, cairn_vec2_scale(cairn_vec2_sub(end[i], sensor), part));
        }
    }
    static uint8_t state[EDGE * EDGE]; // 1 looked through, 2 kept, 3 hit
    memset(state, 0, sizeof state);
    const int reach = (int)(grid->def.range_m_max / cell_m) + 2;
    const int sx = (int)floor(sensor.x / cell_m), sy = (int)floor(sensor.y / cell_m);
    for (uint32_t i = 1; i < points->count; i++) {
        const cairn_vec2 a = cairn_vec2_sub(end[i - 1], sensor), b = cairn_vec2_sub(end[i], sensor);
        const double angle = acos(fmin(1, cairn_vec2_dot(a, b) / cairn_vec2_length(a) / cairn_vec2_length(b)));
        for (int y = sy - reach; tan(angle) < 0.06 && y <= sy + reach; y++) {
            for (int x = sx - reach; x <= sx + reach; x++) {
                const cairn_vec2 middle = {(x + 0.5) * cell_m, (y + 0.5) * cell_m};
                if (in_triangle(middle, sensor, end[i - 1], end[i])) { state[slow_index(x, y)] = 1; }
            }
        }
    }
    for (uint32_t i = 1; i < points->count; i++) {
        const double gap = cairn_vec2_distance(end[i - 1], end[i]);
        if (!hit[i] || !hit[i - 1] || gap < cell_m || gap > 0.35) { continue; }
        const int count = (int)(2 * (gap / cell_m));
        for (int k = 1; k < count; k++) {
            const double part = (double)k / count;
            const double x = end[i - 1].x + part * (end[i].x - end[i - 1].x);
            const double y = end[i - 1].y + part * (end[i].y - end[i - 1].y);
            state[slow_index((int)floor(x / cell_m), (int)floor(y / cell_m))] = 2;
        }
    }
    for (uint32_t i = 0; i < points->count; i++) {
        if (hit[i]) { state[slow_index((int)floor(end[i].x / cell_m), (int)floor(end[i].y / cell_m))] = 3; }
    }
    for (int i = 0; i < EDGE * EDGE; i++) {
        if (state[i] != 1 && state[i] != 3) { continue; }
        map->value[i] =
            slow_value(map, i, now, grid->tick_ns) + (state[i] == 3 ? 26 : -11); // 0.9 and 0.385 of a limit of 3.5
        if (map->value[i] > 100) { map->value[i] = 100; }
        if (map->value[i] < -100) { map->value[i] = -100; }
        map->seen_ns[i] = now.ns;
    }
}

static int slow_ground(const slow_map *map, int x, int y, cairn_mono now, int64_t tick_ns)
{
    const int value = slow_value(map, slow_index(x, y), now, tick_ns);
    return value > 0 ? CAIRN_GROUND_OBSTACLE : value < 0 ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
}

// Every cell of the large square, those outside the window included.
static void compare(const cairn_local_grid *grid, slow_map *map, cairn_mono now)
{
    int differ = 0;
    for (int y = -EDGE / 2; y < EDGE / 2; y++) {
        for (int x = -EDGE / 2; x < EDGE / 2; x++) {
            if (!cairn_local_grid_inside(grid, x, y)) { map->value[slow_index(x, y)] = 0; }
            const cairn_vec2 middle = {(x + 0.5) * grid->def.cell_m, (y + 0.5) * grid->def.cell_m};
            differ += (int)cairn_local_grid_at(grid, middle, now) != slow_ground(map, x, y, now, grid->tick_ns);
        }
    }
    assert_int_equal(differ, 0);
}

// A random walk with turns, pauses longer than the memory, and jumps. The window must show what the slow map knows,
// and nothing from a place that it left.
static void agrees_with_a_slow_grid_on_a_random_walk(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/walk");
    cairn_local_grid *grid = make_grid(128);
    static slow_map map;
    memset(&map, 0, sizeof map);
    cairn_pose2 pose = {0, 0, 0};
    double time_s = 0;
    static cairn_scan_points points;
    for (int i = 0; i < 40; i++) {
        pose.x_m += 0.3 * cairn_random_gauss(&random), pose.y_m += 0.3 * cairn_random_gauss(&random);
        pose.yaw_rad = cairn_random_between(&random, -3, 3);
        if (i % 20 == 19) { pose.x_m += i % 40 == 19 ? 7 : -7; }
        time_s += i % 17 == 16 ? cairn_random_between(&random, 10, 70) : cairn_random_between(&random, 0, 2);
        random_scan(&random, &points);
        cairn_local_grid_centre(grid, cairn_pose2_at(pose));
        assert_true(fabs(pose.x_m - (grid->min_x + 64) * 0.05) < 0.85);
        assert_true(fabs(pose.y_m - (grid->min_y + 64) * 0.05) < 0.85);
        compare(grid, &map, at_s(time_s)); // forgets what rolled out before the scan may bring it back
        cairn_local_grid_add(grid, pose, &points, at_s(time_s));
        slow_add(&map, grid, pose, &points, at_s(time_s));
        compare(grid, &map, at_s(time_s));
        compare(grid, &map, at_s(time_s + 3));
    }
}

// Rubble moves. After any amount of evidence, ten scans that see through it must win.
static void a_wall_is_unlearned_within_ten_scans(void **state)
{
    (void)state;
    cairn_local_grid *grid = make_grid(128);
    const cairn_vec2 wall = {1.525, 0.025};
    for (int i = 0; i < 500; i++) { add_beam(grid, 1.53, true, 0.01 * i); }
    assert_int_equal(cairn_local_grid_at(grid, wall, at_s(5)), CAIRN_GROUND_OBSTACLE);
    for (int i = 0; i < 10; i++) { add_beam(grid, 2.2, true, 5 + 0.1 * i); }
    assert_int_equal(cairn_local_grid_at(grid, wall, at_s(6)), CAIRN_GROUND_FREE);
    for (int i = 0; i < 5; i++) { add_beam(grid, 1.53, true, 6 + 0.1 * i); }
    assert_int_equal(cairn_local_grid_at(grid, wall, at_s(6.5)), CAIRN_GROUND_OBSTACLE);
}

static void a_cell_is_remembered_for_15_s_and_not_for_16(void **state)
{
    (void)state;
    cairn_local_grid *grid = make_grid(128);
    const cairn_vec2 wall = {1.525, 0.025}, way = {1.025, 0.025};
    add_beam(grid, 1.53, true, 100);
    assert_int_equal(cairn_local_grid_at(grid, wall, at_s(115)), CAIRN_GROUND_OBSTACLE);
    assert_int_equal(cairn_local_grid_at(grid, way, at_s(115)), CAIRN_GROUND_FREE);
    assert_int_equal(cairn_local_grid_at(grid, wall, at_s(116)), CAIRN_GROUND_UNKNOWN);
    assert_int_equal(cairn_local_grid_at(grid, way, at_s(116)), CAIRN_GROUND_UNKNOWN);
    // Nor does it come back when the 8 bits of its stamp have gone round (64 s), with or without scans in between.
    assert_int_equal(cairn_local_grid_at(grid, wall, at_s(165)), CAIRN_GROUND_UNKNOWN);
    for (int i = 0; i < 900; i++) {
        add_beam(grid, 0.5, true, 101 + 0.1 * i);
        const cairn_ground ground = cairn_local_grid_at(grid, wall, at_s(101 + 0.1 * i));
        assert_int_equal(ground, i < 141 ? CAIRN_GROUND_OBSTACLE : i > 152 ? CAIRN_GROUND_UNKNOWN : ground);
    }
}

static void a_hit_wins_over_a_beam_that_passes(void **state)
{
    (void)state;
    cairn_local_grid *grid = make_grid(128);
    // Five beams end in one cell, two pass over it to a wall behind.
    cairn_scan_points points = {.count = 7, .y_m = {-0.02f, -0.01f, 0, 0.005f, 0.01f, 0.015f, 0.02f}};
    for (int i = 0; i < 7; i++) { points.x_m[i] = i < 5 ? 1.01f : 2.0f, points.hit[i] = 1; }
    for (int i = 0; i < 3; i++) { cairn_local_grid_add(grid, (cairn_pose2){0, 0.026, 0}, &points, at_s(i)); }
    assert_int_equal(cairn_local_grid_at(grid, (cairn_vec2){1.025, 0.026}, at_s(3)), CAIRN_GROUND_OBSTACLE);
}

static void a_forgotten_disc_is_free_and_the_rest_untouched(void **state)
{
    (void)state;
    cairn_local_grid *grid = make_grid(128);
    for (int i = 0; i < 5; i++) { add_beam(grid, 1.53, true, 1); }
    cairn_local_grid_forget_disc(grid, (cairn_vec2){1.525, 0.025}, 0.3);
    assert_int_equal(cairn_local_grid_at(grid, (cairn_vec2){1.525, 0.025}, at_s(1)), CAIRN_GROUND_FREE);
    assert_int_equal(cairn_local_grid_at(grid, (cairn_vec2){1.75, 0.025}, at_s(1)), CAIRN_GROUND_FREE);
    assert_int_equal(cairn_local_grid_at(grid, (cairn_vec2){1.875, 0.025}, at_s(1)), CAIRN_GROUND_UNKNOWN);
}

// Sums that stayed would be added to.
static bool is_blank(const cairn_surface_cell *cell)
{
    return cell->count == 0 && cell->x_m == 0 && cell->y_m == 0 && cell->xx == 0 && cell->xy == 0 && cell->yy == 0;
}

// Where both coordinates are negative, too, and also what is not in cells: surfaces and edges.
static void a_grid_that_forgets_keeps_nothing(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/forget");
    cairn_local_grid *grid = make_grid(128);
    static cairn_scan_points points;
    const cairn_pose2 map_T_base = {-8.3, -9.1, 0.4};
    cairn_local_grid_centre(grid, cairn_pose2_at(map_T_base));
    for (int i = 0; i < 5; i++) {
        random_scan(&random, &points);
        cairn_local_grid_add(grid, map_T_base, &points, at_s(1));
    }
    assert_true(grid->mark_count > 0);
    cairn_local_grid_forget(grid);
    assert_int_equal(grid->mark_count, 0);
    for (int32_t y = grid->min_y; y < grid->min_y + 128; y++) {
        for (int32_t x = grid->min_x; x < grid->min_x + 128; x++) {
            const cairn_vec2 at_m = {(x + 0.5) * grid->def.cell_m, (y + 0.5) * grid->def.cell_m};
            assert_int_equal(cairn_local_grid_at(grid, at_m, at_s(1)), CAIRN_GROUND_UNKNOWN);
            for (uint32_t side = 0; side < CAIRN_SURFACE_SIDES; side++) {
                assert_true(is_blank(cairn_surface_at(grid, x >> 1, y >> 1, side)));
            }
        }
    }
}

static void a_rectangle_reads_as_its_cells_do(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/read");
    cairn_local_grid *grid = make_grid(128);
    static cairn_scan_points points;
    random_scan(&random, &points);
    cairn_local_grid_add(grid, (cairn_pose2){0.4, -0.2, 1}, &points, at_s(1));
    static uint8_t ground[150 * 90];
    const cairn_vec2 corner = {-3.61, -2.02};
    cairn_local_grid_read(grid, corner, 150, 90, at_s(2), ground);
    int known = 0;
    for (int i = 0; i < 150 * 90; i++) {
        const cairn_vec2 middle = {(floor(corner.x / 0.05) + i % 150 + 0.5) * 0.05,
                                   (floor(corner.y / 0.05) + i / 150 + 0.5) * 0.05};
        assert_int_equal(ground[i], cairn_local_grid_at(grid, middle, at_s(2)));
        known += ground[i] != CAIRN_GROUND_UNKNOWN;
    }
    assert_true(known > 500);
}

static void a_small_arena_is_refused(void **state)
{
    (void)state;
    static uint8_t block[1 << 16];
    cairn_arena small;
    cairn_arena_init(&small, block, sizeof block);
    cairn_local_grid *grid = NULL;
    const cairn_local_grid_def def = cairn_local_grid_def_default();
    assert_int_equal(cairn_local_grid_create(&def, &small, &grid), CAIRN_ERR_FULL);
    assert_null(grid);
    assert_int_equal(cairn_arena_mark(&small), 0);
}

int main(void)
{
    if (cairn_arena_create(&arena, 32 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_slow_grid_on_a_random_walk),
        cmocka_unit_test(a_wall_is_unlearned_within_ten_scans),
        cmocka_unit_test(a_cell_is_remembered_for_15_s_and_not_for_16),
        cmocka_unit_test(a_hit_wins_over_a_beam_that_passes),
        cmocka_unit_test(a_forgotten_disc_is_free_and_the_rest_untouched),
        cmocka_unit_test(a_grid_that_forgets_keeps_nothing),
        cmocka_unit_test(a_rectangle_reads_as_its_cells_do),
        cmocka_unit_test(a_small_arena_is_refused),
    };
    const int failed = cmocka_run_group_tests_name("local_grid", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
