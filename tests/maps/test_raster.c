// The raster of all terrain maps: votes, bounds, and where a turned map's cells come to lie.
#include "../base/check.h"
#include "base/random.h"
#include "maps/raster.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 9

static cairn_arena arena;
static cairn_terrain_planes planes;

static cairn_raster *make_raster(void)
{
    cairn_raster_def def = cairn_raster_def_default();
    def.origin_m = (cairn_vec2){-3, -2};
    def.width = 60, def.height = 50;
    cairn_arena_reset(&arena, 0);
    cairn_raster *raster = NULL;
    assert_ok(cairn_raster_create(&def, &arena, &raster));
    return raster;
}

static void planes_fill(uint32_t size, double cell_m, uint8_t known, uint8_t obstacle)
{
    planes = (cairn_terrain_planes){.cell_m = cell_m, .width = size, .height = size};
    planes.origin_m = (cairn_vec2){-0.5 * cell_m * size, -0.5 * cell_m * size};
    memset(planes.known, known, sizeof planes.known);
    memset(planes.obstacle, obstacle, sizeof planes.obstacle);
}

static void planes_random(cairn_random *random, uint32_t size)
{
    planes_fill(size, 0.1, 0, 0);
    for (size_t i = 0; i < sizeof planes.known; i++) {
        planes.known[i] = (uint8_t)cairn_random_u64(random);
        planes.obstacle[i] = planes.known[i] & (uint8_t)cairn_random_u64(random);
    }
}

static int clamp(int value, int limit) { return value < -limit ? -limit : value > limit ? limit : value; }

// Each raster cell takes the word of the terrain cell under its middle, once a map, bounded.
static void votes_agree_with_looking_up_every_cell(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/raster");
    cairn_raster *raster = make_raster();
    static int votes[60 * 50];
    static bool known[60 * 50];
    for (int round = 0; round < 12; round++) {
        planes_random(&random, 30);
        const cairn_pose2 node = {cairn_random_between(&random, -4, 4), cairn_random_between(&random, -3, 4),
                                  cairn_random_between(&random, -3, 3)};
        cairn_raster_add(raster, node, &planes);
        for (int i = 0; i < 60 * 50; i++) {
            const cairn_vec2 middle = {-3 + (i % 60 + 0.5) * 0.1, -2 + (i / 60 + 0.5) * 0.1};
            const cairn_vec2 there = cairn_pose2_apply(cairn_pose2_inverse(node), middle);
            const int u = (int)floor(there.x / 0.1 + 15), v = (int)floor(there.y / 0.1 + 15);
            if (u < 0 || v < 0 || u >= 30 || v >= 30) { continue; }
            const uint32_t cell = (uint32_t)(v * 30 + u);
            if (!cairn_plane_bit(planes.known, cell)) { continue; }
            known[i] = true;
            votes[i] = clamp(votes[i] + (cairn_plane_bit(planes.obstacle, cell) ? 3 : -2), 9);
        }
        uint32_t known_count = 0;
        for (int i = 0; i < 60 * 50; i++) {
            known_count += known[i];
            assert_int_equal(raster->votes[i], votes[i]);
            assert_int_equal(raster->ground[i], !known[i]      ? CAIRN_GROUND_UNKNOWN
                                                : votes[i] > 0 ? CAIRN_GROUND_OBSTACLE
                                                               : CAIRN_GROUND_FREE);
        }
        assert_int_equal(raster->known_count, known_count);
    }
}

static void what_moved_is_unlearned_by_five_maps(void **state)
{
    (void)state;
    cairn_raster *raster = make_raster();
    const cairn_pose2 node = {0, 0, 0};
    planes_fill(10, 0.1, 0xff, 0xff);
    for (int i = 0; i < 50; i++) { cairn_raster_add(raster, node, &planes); }
    assert_int_equal(cairn_raster_at(raster, (cairn_vec2){0, 0}), CAIRN_GROUND_OBSTACLE);
    planes_fill(10, 0.1, 0xff, 0);
    for (int i = 0; i < 5; i++) { cairn_raster_add(raster, node, &planes); }
    assert_int_equal(cairn_raster_at(raster, (cairn_vec2){0, 0}), CAIRN_GROUND_FREE);
}

static void bounds_enclose_the_known_cells(void **state)
{
    (void)state;
    cairn_raster *raster = make_raster();
    assert_true(raster->x_max < raster->x_min);
    planes_fill(10, 0.1, 0xff, 0);
    cairn_raster_add(raster, (cairn_pose2){0.5, 0.5, 0}, &planes);
    assert_int_equal(raster->x_min, 30);
    assert_int_equal(raster->x_max, 39);
    assert_int_equal(raster->y_min, 20);
    assert_int_equal(raster->y_max, 29);
    assert_int_equal(raster->known_count, 100);
    cairn_raster_add(raster, (cairn_pose2){100, 100, 1}, &planes); // wholly outside
    assert_int_equal(raster->known_count, 100);
}

static void cells_and_points_agree(void **state)
{
    (void)state;
    const cairn_raster *raster = make_raster();
    uint32_t x, y;
    for (uint32_t v = 0; v < 50; v++) {
        for (uint32_t u = 0; u < 60; u++) {
            assert_true(cairn_raster_cell_of(raster, cairn_raster_centre_of(raster, u, v), &x, &y));
            assert_true(x == u && y == v);
        }
    }
    assert_false(cairn_raster_cell_of(raster, (cairn_vec2){-3.01, 0}, &x, &y));
    assert_false(cairn_raster_cell_of(raster, (cairn_vec2){3.01, 0}, &x, &y));
    assert_false(cairn_raster_cell_of(raster, (cairn_vec2){NAN, 0}, &x, &y));
}

int main(void)
{
    if (cairn_arena_create(&arena, 1 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes_agree_with_looking_up_every_cell),
        cmocka_unit_test(what_moved_is_unlearned_by_five_maps),
        cmocka_unit_test(bounds_enclose_the_known_cells),
        cmocka_unit_test(cells_and_points_agree),
    };
    const int failed = cmocka_run_group_tests_name("raster", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
