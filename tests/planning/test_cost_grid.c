// test_cost_grid.c - prices and clearances against the distance to every obstacle.
#include "random_rooms.h"

static const cairn_vec2 ORIGIN = {-3.2, 1.7};

static double slow_clearance_m(const room_map *rooms, uint32_t cell, double cell_m, double cap_m)
{
    double nearest_m = cap_m;
    for (uint32_t other = 0; other < rooms->width * rooms->height; other++) {
        if (rooms->ground[other] != CAIRN_GROUND_OBSTACLE) { continue; }
        const double dx = (double)(cell % rooms->width) - (double)(other % rooms->width);
        const double dy = (double)(cell / rooms->width) - (double)(other / rooms->width);
        nearest_m = fmin(nearest_m, cell_m * sqrt(dx * dx + dy * dy));
    }
    return nearest_m;
}

static double slow_price(const cairn_cost_rules *rules, double clearance_m)
{
    if (clearance_m == 0 || clearance_m < rules->radius_m) { return CAIRN_COST_BLOCKED; }
    if (clearance_m >= rules->comfort_m) { return rules->open_cost; }
    const double slope = (rules->near_cost - rules->open_cost) / (rules->comfort_m - rules->radius_m);
    return rules->near_cost - slope * (clearance_m - rules->radius_m);
}

static void prices_follow_from_the_distance_to_every_obstacle(void **state)
{
    (void)state;
    cairn_random random = stream("prices");
    cairn_arena arena = arena_of(1 << 20);
    for (int i = 0; i < 40; i++) {
        const room_map rooms = random_rooms(&random, 1);
        cairn_cost_rules rules = cairn_cost_rules_default(cairn_random_between(&random, 0, 0.4));
        rules.comfort_m = rules.radius_m + cairn_random_between(&random, 0, 0.5);
        rules.unknown_cost = i % 2 ? CAIRN_COST_BLOCKED : 6;
        cairn_cost_grid grid;
        assert_ok(cairn_cost_grid_create(ORIGIN, 0.1, rooms.width, rooms.height, rooms.ground, &rules, &arena, &grid));
        for (uint32_t cell = 0; cell < rooms.width * rooms.height; cell++) {
            const double clearance_m = slow_clearance_m(&rooms, cell, 0.1, rules.comfort_m);
            assert_true(fabs(grid.clearance_m[cell] - clearance_m) < 1e-6);
            double price = slow_price(&rules, clearance_m);
            if (rooms.ground[cell] == CAIRN_GROUND_UNKNOWN) { price = fmax(price, rules.unknown_cost); }
            assert_true(fabs(grid.cost[cell] - price) <= 0.5 + 1e-9);
        }
        cairn_arena_reset(&arena, 0);
    }
    cairn_arena_destroy(&arena);
}

// The station plans on a large raster: the widest comfort that is allowed must not overflow.
static void a_band_of_126_cells_is_exact(void **state)
{
    (void)state;
    cairn_arena arena = arena_of(1 << 20);
    uint8_t ground[200] = {0};
    memset(ground, CAIRN_GROUND_FREE, sizeof ground);
    ground[0] = CAIRN_GROUND_OBSTACLE;
    cairn_cost_rules rules = cairn_cost_rules_default(0.3);
    rules.comfort_m = 12.6;
    cairn_cost_grid wide, high;
    assert_ok(cairn_cost_grid_create(ORIGIN, 0.1, 200, 1, ground, &rules, &arena, &wide));
    assert_ok(cairn_cost_grid_create(ORIGIN, 0.1, 1, 200, ground, &rules, &arena, &high));
    for (uint32_t cell = 0; cell < 200; cell++) {
        assert_true(fabs(wide.clearance_m[cell] - fmin(0.1 * cell, 12.6)) < 1e-5);
        assert_true(fabs(high.clearance_m[cell] - fmin(0.1 * cell, 12.6)) < 1e-5);
    }
    cairn_arena_destroy(&arena);
}

static void without_room_the_arena_is_left_as_it_was(void **state)
{
    (void)state;
    static uint8_t ground[CELLS_MAX];
    const cairn_cost_rules rules = cairn_cost_rules_default(0.3);
    cairn_cost_grid grid = {.width = 77};
    for (size_t size_bytes = 0; size_bytes < 30000; size_bytes += 1000) {
        cairn_arena arena = arena_of(size_bytes);
        const cairn_err err = cairn_cost_grid_create(ORIGIN, 0.1, 64, 64, ground, &rules, &arena, &grid);
        if (size_bytes < 28000) {
            assert_int_equal(err, CAIRN_ERR_FULL);
            assert_int_equal(grid.width, 77);
            assert_int_equal(cairn_arena_mark(&arena), 0);
        }
        cairn_arena_destroy(&arena);
    }
    cairn_arena arena = arena_of(40000);
    assert_ok(cairn_cost_grid_create(ORIGIN, 0.1, 64, 64, ground, &rules, &arena, &grid));
    assert_int_equal(cairn_arena_mark(&arena), 5 * 64 * 64);
    cairn_arena_destroy(&arena);
}

static cairn_cost_grid open_grid(cairn_arena *arena)
{
    static uint8_t ground[40 * 40];
    memset(ground, CAIRN_GROUND_FREE, sizeof ground);
    for (uint32_t y = 0; y < 40; y++) { ground[y * 40 + 20] = CAIRN_GROUND_OBSTACLE; }
    const cairn_cost_rules rules = cairn_cost_rules_default(0.3);
    cairn_cost_grid grid;
    assert_ok(cairn_cost_grid_create((cairn_vec2){0, 0}, 0.1, 40, 40, ground, &rules, arena, &grid));
    return grid;
}

static void a_team_mate_blocks_its_disc_and_makes_its_surroundings_dearer(void **state)
{
    (void)state;
    cairn_arena arena = arena_of(1 << 20);
    const cairn_cost_grid before = open_grid(&arena);
    cairn_cost_grid grid = open_grid(&arena);
    const cairn_vec2 mate = {0.93, 2.04}; // part of its surroundings lies outside the grid
    cairn_cost_grid_block_disc(&grid, mate, 0.5);
    for (uint32_t cell = 0; cell < 40 * 40; cell++) {
        const double distance_m = cairn_vec2_distance(cairn_cost_grid_centre_of(&grid, cell), mate);
        const uint8_t old = before.cost[cell], now = grid.cost[cell];
        if (distance_m < 0.5) {
            assert_int_equal(now, CAIRN_COST_BLOCKED);
        } else if (distance_m < 0.9 && old != CAIRN_COST_BLOCKED) {
            assert_true(now > old && now <= 4 * old);
        } else if (distance_m >= 1.0) {
            assert_int_equal(now, old);
        }
    }
    cairn_cost_grid_block_disc(&grid, (cairn_vec2){-9, 50}, 0.5); // far outside: nothing happens
    cairn_arena_destroy(&arena);
}

// A robot that was pushed against a wall must be able to leave, but never through the wall.
static void opening_a_disc_leaves_obstacles_blocked(void **state)
{
    (void)state;
    cairn_arena arena = arena_of(1 << 20);
    const cairn_cost_grid before = open_grid(&arena);
    cairn_cost_grid grid = open_grid(&arena);
    const cairn_vec2 robot = {1.85, 2.04};
    cairn_cost_grid_open_disc(&grid, robot, 0.3, 9);
    for (uint32_t cell = 0; cell < 40 * 40; cell++) {
        const double distance_m = cairn_vec2_distance(cairn_cost_grid_centre_of(&grid, cell), robot);
        const bool opened = distance_m < 0.3 && cell % 40 != 20 && before.cost[cell] == CAIRN_COST_BLOCKED;
        assert_int_equal(grid.cost[cell], opened ? 9 : before.cost[cell]);
    }
    cairn_arena_destroy(&arena);
}

static void cells_and_centres_undo_each_other(void **state)
{
    (void)state;
    cairn_arena arena = arena_of(1 << 20);
    const cairn_cost_grid grid = open_grid(&arena);
    uint32_t cell = 7;
    for (uint32_t want = 0; want < 40 * 40; want++) {
        assert_true(cairn_cost_grid_cell_of(&grid, cairn_cost_grid_centre_of(&grid, want), &cell));
        assert_int_equal(cell, want);
    }
    cell = 7;
    assert_false(cairn_cost_grid_cell_of(&grid, (cairn_vec2){-0.001, 1}, &cell));
    assert_false(cairn_cost_grid_cell_of(&grid, (cairn_vec2){1, 4.0}, &cell));
    assert_false(cairn_cost_grid_cell_of(&grid, (cairn_vec2){NAN, 1}, &cell));
    assert_int_equal(cell, 7);
    cairn_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_follow_from_the_distance_to_every_obstacle),
        cmocka_unit_test(a_band_of_126_cells_is_exact),
        cmocka_unit_test(without_room_the_arena_is_left_as_it_was),
        cmocka_unit_test(a_team_mate_blocks_its_disc_and_makes_its_surroundings_dearer),
        cmocka_unit_test(opening_a_disc_leaves_obstacles_blocked),
        cmocka_unit_test(cells_and_centres_undo_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
