// The height map: what passes below clears, what passes above does not, and random scans agree with asking every cell.
#include "../base/check.h"
#include "base/random.h"
#include "maps/height_map.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 63
#define EDGE 120 // cells of the slow map, from -60
#define CELL_M 0.1
#define RANGE_M 3.0
#define RAYS 150

static cairn_arena arena;

static cairn_height_map *make_map(uint32_t tiles_more)
{
    cairn_height_map_def def = cairn_height_map_def_default();
    def.range_m_max = RANGE_M;
    def.tile_count = cairn_height_map_tiles_min(&def) + tiles_more;
    cairn_arena_reset(&arena, 0);
    cairn_height_map *map = NULL;
    assert_ok(cairn_height_map_create(&def, &arena, &map));
    return map;
}

static void shoot(cairn_height_map *map, double from_z, double to_x, double to_z, bool hit, int times)
{
    const cairn_height_ray ray = {.end_m = {to_x, 0.05, to_z}, .hit = hit};
    for (int i = 0; i < times; i++) { cairn_height_map_add(map, (cairn_vec3){0.05, 0.05, from_z}, &ray, 1); }
}

// A table of 0.7 m: looked over by a mast, looked under by a small robot.
static void a_ray_above_does_not_clear_and_a_ray_below_does(void **state)
{
    (void)state;
    cairn_height_map *map = make_map(0);
    const cairn_vec2 table = {1.55, 0.05};
    shoot(map, 0.5, 1.55, 0.7, true, 3);
    assert_int_equal(cairn_height_map_at(map, table).ground, CAIRN_GROUND_OBSTACLE);
    assert_float_equal(cairn_height_map_at(map, table).height_m, 0.7, 1e-6);
    shoot(map, 0.9, 2.55, 0.75, true, 100);
    assert_int_equal(cairn_height_map_at(map, table).ground, CAIRN_GROUND_OBSTACLE);
    assert_float_equal(cairn_height_map_at(map, table).height_m, 0.7, 1e-6);
    shoot(map, 0.2, 2.55, 0.2, true, 10);
    assert_int_equal(cairn_height_map_at(map, table).ground, CAIRN_GROUND_FREE);
    assert_true(isnan(cairn_height_map_at(map, table).height_m));
}

// A false high return must not stand for ever over what is truly lower.
static void a_height_that_was_wrong_comes_down(void **state)
{
    (void)state;
    cairn_height_map *map = make_map(0);
    const cairn_vec2 block = {1.55, 0.05};
    shoot(map, 0.5, 1.55, 2.0, true, 1);
    shoot(map, 0.9, 2.55, 0.9, true, 4); // below 2 m, so there is nothing up there
    assert_int_equal(cairn_height_map_at(map, block).ground, CAIRN_GROUND_FREE);
    shoot(map, 0.5, 1.55, 0.4, true, 3);
    assert_float_equal(cairn_height_map_at(map, block).height_m, 0.4, 1e-6);
}

// Seen from far above, the floor is not known to be free.
static void a_high_ray_tells_nothing_about_ground_never_seen(void **state)
{
    (void)state;
    cairn_height_map *map = make_map(0);
    shoot(map, 1.5, 2.55, 1.5, true, 5);
    assert_int_equal(cairn_height_map_at(map, (cairn_vec2){1.55, 0.05}).ground, CAIRN_GROUND_UNKNOWN);
    assert_int_equal(cairn_height_map_at(map, (cairn_vec2){2.55, 0.05}).ground, CAIRN_GROUND_OBSTACLE);
    shoot(map, 0.5, 2.55, 0.5, true, 1);
    assert_int_equal(cairn_height_map_at(map, (cairn_vec2){1.55, 0.05}).ground, CAIRN_GROUND_FREE);
}

static int logodds[EDGE][EDGE];
static float height_m[EDGE][EDGE];

// Cuts the ray to the cell's square. Returns false if it does not pass; else the higher of the two heights.
static bool slow_pass(cairn_vec3 a, cairn_vec3 b, int u, int v, double *ret_high)
{
    const double low[2] = {(u - EDGE / 2) * CELL_M, (v - EDGE / 2) * CELL_M};
    const double from[2] = {a.x, a.y}, by[2] = {b.x - a.x, b.y - a.y};
    double t0 = 0, t1 = 1;
    for (int axis = 0; axis < 2; axis++) {
        const double in = (low[axis] - from[axis]) / by[axis], out = (low[axis] + CELL_M - from[axis]) / by[axis];
        t0 = fmax(t0, fmin(in, out)), t1 = fmin(t1, fmax(in, out));
    }
    *ret_high = fmax(a.z + t0 * (b.z - a.z), a.z + t1 * (b.z - a.z));
    return t0 < t1;
}

static void slow_add(cairn_vec3 from, const cairn_height_ray *rays)
{
    for (int v = 0; v < EDGE; v++) {
        for (int u = 0; u < EDGE; u++) {
            double lowest = INFINITY, highest = -INFINITY;
            for (int i = 0; i < RAYS; i++) {
                cairn_vec3 end = rays[i].end_m;
                bool hit = rays[i].hit;
                const double along = hypot(end.x - from.x, end.y - from.y), part = RANGE_M / along;
                if (along > RANGE_M) {
                    end = (cairn_vec3){from.x + part * (end.x - from.x), from.y + part * (end.y - from.y),
                                       from.z + part * (end.z - from.z)};
                    hit = false;
                }
                double high;
                const bool ends =
                    u == (int)floor(end.x / CELL_M) + EDGE / 2 && v == (int)floor(end.y / CELL_M) + EDGE / 2;
                if (ends && hit) {
                    highest = fmax(highest, end.z);
                } else if (!rays[i].end_only && slow_pass(from, end, u, v, &high)) {
                    lowest = fmin(lowest, high);
                }
            }
            const bool occupied = logodds[v][u] > 0;
            if (highest > -INFINITY) {
                height_m[v][u] = occupied ? fmaxf(height_m[v][u], (float)highest) : (float)highest;
                logodds[v][u] = logodds[v][u] + 26 > 100 ? 100 : logodds[v][u] + 26;
            } else if (lowest < (occupied ? (double)height_m[v][u] : 0.8)) {
                logodds[v][u] = logodds[v][u] - 11 < -100 ? -100 : logodds[v][u] - 11;
            }
        }
    }
}

static void equals_asking_every_cell_of_every_scan(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/height");
    cairn_height_map *map = make_map(60);
    int occupied = 0;
    for (int round = 0; round < 10; round++) {
        static cairn_height_ray rays[RAYS];
        const cairn_vec3 from = {cairn_random_between(&random, -2, 2), cairn_random_between(&random, -2, 2),
                                 cairn_random_between(&random, 0.1, 1.2)};
        for (int i = 0; i < RAYS; i++) {
            const double angle = cairn_random_between(&random, -3.1, 3.1),
                         range = cairn_random_between(&random, 0.2, 3.7);
            rays[i] = (cairn_height_ray){.end_m = {from.x + range * cos(angle), from.y + range * sin(angle),
                                                   cairn_random_between(&random, 0, 2)},
                                         .hit = cairn_random_below(&random, 5) != 0,
                                         .end_only = cairn_random_below(&random, 3) == 0};
        }
        cairn_height_map_add(map, from, rays, RAYS);
        slow_add(from, rays);
    }
    for (int v = 0; v < EDGE; v++) {
        for (int u = 0; u < EDGE; u++) {
            const cairn_vec2 middle = {(u - EDGE / 2 + 0.5) * CELL_M, (v - EDGE / 2 + 0.5) * CELL_M};
            const cairn_height_cell cell = cairn_height_map_at(map, middle);
            assert_int_equal(lround(100 / 3.5 * log(cell.p_occupied / (1 - cell.p_occupied))), logodds[v][u]);
            if (logodds[v][u] > 0) { assert_true(cell.height_m == height_m[v][u]); }
            occupied += logodds[v][u] > 0;
        }
    }
    assert_true(occupied > 150);
}

static void tiles_are_given_up_by_age_and_counted(void **state)
{
    (void)state;
    cairn_height_map *map = make_map(0);
    for (int i = 0; i < 200; i++) {
        const cairn_height_ray ray = {.end_m = {3.0 * i + 1, 0.05, 0.3}, .hit = true};
        cairn_height_map_add(map, (cairn_vec3){3.0 * i, 0.05, 0.3}, &ray, 1);
    }
    assert_true(cairn_height_map_tiles_given_up(map) > 0);
    assert_int_equal(cairn_height_map_at(map, (cairn_vec2){1, 0.05}).ground, CAIRN_GROUND_UNKNOWN);
    assert_int_equal(cairn_height_map_at(map, (cairn_vec2){3.0 * 199 + 1, 0.05}).ground, CAIRN_GROUND_OBSTACLE);
}

// Heights drift with the pose that they are measured from: old ones must not stand beside new ones.
static void what_no_scan_tells_of_any_longer_is_forgotten(void **state)
{
    (void)state;
    cairn_height_map_def def = cairn_height_map_def_default();
    def.range_m_max = RANGE_M;
    def.tile_count = cairn_height_map_tiles_min(&def);
    def.memory_scans = 10;
    cairn_arena_reset(&arena, 0);
    cairn_height_map *map = NULL;
    assert_ok(cairn_height_map_create(&def, &arena, &map));
    const cairn_vec2 old = {1.55, 0.05};
    shoot(map, 0.5, 1.55, 0.7, true, 3);
    shoot(map, 0.5, -1.55, 0.7, true, 10); // the other way
    assert_int_equal(cairn_height_map_at(map, old).ground, CAIRN_GROUND_OBSTACLE);
    shoot(map, 0.9, 2.55, 0.9, true, 1); // over it: this tells nothing of it
    assert_int_equal(cairn_height_map_at(map, old).ground, CAIRN_GROUND_UNKNOWN);
    shoot(map, 0.5, 1.55, 0.2, true, 1);
    assert_int_equal(cairn_height_map_at(map, old).ground, CAIRN_GROUND_OBSTACLE);
    assert_float_equal(cairn_height_map_at(map, old).height_m, 0.2, 1e-6); // and not 0.7
    cairn_height_map_forget(map);
    assert_int_equal(cairn_height_map_at(map, old).ground, CAIRN_GROUND_UNKNOWN);
    shoot(map, 0.5, 1.55, 0.1, true, 1);
    assert_float_equal(cairn_height_map_at(map, old).height_m, 0.1, 1e-6);
}

static void rays_that_are_not_finite_are_left_out(void **state)
{
    (void)state;
    cairn_height_map *map = make_map(0);
    const cairn_height_ray rays[] = {
        {{NAN, 0, 0}, true, false}, {{1, INFINITY, 0}, true, false}, {{1, 0, NAN}, true, false}};
    cairn_height_map_add(map, (cairn_vec3){0, 0, 0.2}, rays, 3);
    cairn_height_map_add(map, (cairn_vec3){NAN, 0, 0.2}, rays, 3);
    assert_int_equal(cairn_height_map_tiles_used(map), 0);
}

int main(void)
{
    if (cairn_arena_create(&arena, 8 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_above_does_not_clear_and_a_ray_below_does),
        cmocka_unit_test(a_height_that_was_wrong_comes_down),
        cmocka_unit_test(a_high_ray_tells_nothing_about_ground_never_seen),
        cmocka_unit_test(equals_asking_every_cell_of_every_scan),
        cmocka_unit_test(tiles_are_given_up_by_age_and_counted),
        cmocka_unit_test(what_no_scan_tells_of_any_longer_is_forgotten),
        cmocka_unit_test(rays_that_are_not_finite_are_left_out),
    };
    const int failed = cmocka_run_group_tests_name("height_map", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
