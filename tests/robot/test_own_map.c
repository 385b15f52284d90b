// A robot's own map: drawn from some scans a metre, and as the grid that grows draws them.
#include "../base/check.h"
#include "robot/place/own_map.h"

static cairn_arena memory;
static cairn_own_map map;
static cairn_occupancy_grid *should;
static cairn_scan_points points;

static int start(void **unused)
{
    (void)unused;
    assert_ok(cairn_arena_create(&memory, 48 << 20));
    assert_ok(cairn_own_map_init(&map, &memory));
    assert_ok(cairn_occupancy_grid_create(cairn_occupancy_grid_get_def(map.grid), &memory, &should));
    points = (cairn_scan_points){.count = 360};
    for (uint32_t i = 0; i < points.count; i++) { // a round room of 3 m
        const double angle = 2 * CAIRN_PI * i / points.count - CAIRN_PI;
        points.x_m[i] = (float)(3 * cos(angle));
        points.y_m[i] = (float)(3 * sin(angle));
        points.hit[i] = 1;
    }
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void assert_same(void)
{
    const cairn_occupancy_grid_info info = cairn_occupancy_grid_get_info(should);
    assert_int_equal(cairn_occupancy_grid_get_info(map.grid).tiles_used, info.tiles_used);
    for (int32_t y = info.y_min; y < info.y_end; y++) {
        for (int32_t x = info.x_min; x < info.x_end; x++) {
            const cairn_vec2 at_m = {(x + 0.5) * 0.05, (y + 0.5) * 0.05};
            assert_true(cairn_occupancy_grid_p_occupied(map.grid, at_m) ==
                        cairn_occupancy_grid_p_occupied(should, at_m));
        }
    }
}

// Noise of a robot that stands must not be engraved, and a turn shows what was behind it.
static void scans_are_drawn_after_some_way_or_turn(void **unused)
{
    (void)unused;
    const struct {
        cairn_pose2 pose;
        bool drawn;
    } steps[] = {{{0, 0, 0}, true},        {{0.05, 0, 0}, false},   {{0.2, 0.1, 0.1}, false}, {{0.31, 0, 0.1}, true},
                 {{0.31, 0, 0.35}, false}, {{0.31, 0, 0.41}, true}, {{5, 0, 0.41}, true}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        cairn_own_map_add(&map, steps[i].pose, &points);
        if (steps[i].drawn) { cairn_occupancy_grid_add(should, steps[i].pose, &points); }
        assert_same();
    }
    assert_int_equal(cairn_occupancy_grid_at(map.grid, (cairn_vec2){1, 0}), CAIRN_GROUND_FREE);
    assert_int_equal(cairn_occupancy_grid_at(map.grid, (cairn_vec2){0, 2.98}), CAIRN_GROUND_OBSTACLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scans_are_drawn_after_some_way_or_turn, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
