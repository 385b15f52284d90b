// test_kept_costs.c - prices that are kept while a map changes are those that are made anew.
#include "planning/kept_costs.h"
#include "random_rooms.h"
#include <math.h>

static const cairn_vec2 ORIGIN = {-3.2, 1.7};

static void assert_same(const cairn_cost_grid *kept, const cairn_cost_grid *fresh)
{
    const size_t cells = (size_t)fresh->width * fresh->height;
    assert_int_equal(kept->width, fresh->width);
    assert_int_equal(kept->height, fresh->height);
    assert_true(kept->cell_m == fresh->cell_m && kept->origin_m.x == fresh->origin_m.x);
    assert_memory_equal(kept->cost, fresh->cost, cells);
    assert_memory_equal(kept->clearance_m, fresh->clearance_m, cells * sizeof(float));
}

// Rooms that are painted over again and again, a little or a lot at a time: equal bit by bit to pricing from nothing.
static void after_any_changes_they_equal_fresh_ones(void **state)
{
    (void)state;
    cairn_random random = stream("kept");
    cairn_arena arena = arena_of(4 << 20);
    for (int i = 0; i < 30; i++) {
        cairn_arena_reset(&arena, 0);
        room_map rooms = random_rooms(&random, 1);
        cairn_kept_costs_def def = {.width = rooms.width, .height = rooms.height, .cell_m = 0.1};
        def.rules = cairn_cost_rules_default(cairn_random_between(&random, 0, 0.4));
        def.rules.comfort_m =
            def.rules.radius_m + (i == 0 ? -def.rules.radius_m : cairn_random_between(&random, 0, 0.5));
        if (i == 0) { def.rules.radius_m = 0; }
        def.rules.unknown_cost = i % 2 ? CAIRN_COST_BLOCKED : 6;
        cairn_kept_costs *kept = NULL;
        assert_ok(cairn_kept_costs_create(&def, &arena, &kept));
        assert_true(cairn_arena_mark(&arena) <= cairn_kept_costs_memory_bytes(rooms.width, rooms.height));
        const cairn_cell_window all = {0, 0, rooms.width, rooms.height};
        const size_t mark = cairn_arena_mark(&arena);
        for (int change = 0; change < 20; change++) {
            if (change > 0) {
                paint(&rooms, &random, (uint8_t)cairn_random_below(&random, 3), 1 + 3 * (uint32_t)change);
            }
            (void)cairn_kept_costs_update(kept, rooms.ground);
            cairn_cost_grid copied, fresh;
            assert_ok(cairn_kept_costs_copy(kept, &all, ORIGIN, &arena, &copied));
            assert_ok(cairn_cost_grid_create(ORIGIN, 0.1, rooms.width, rooms.height, rooms.ground, &def.rules, &arena,
                                             &fresh));
            assert_same(&copied, &fresh);
            assert_int_equal(cairn_kept_costs_update(kept, rooms.ground), 0);
            cairn_arena_reset(&arena, mark);
        }
    }
    cairn_arena_destroy(&arena);
}

// More changes than are noted one by one: a whole map comes back from a store, or the optimiser moves everything.
static void a_map_that_changes_all_over_is_priced_anew(void **state)
{
    (void)state;
    enum { EDGE = 300 };
    static uint8_t ground[EDGE * EDGE];
    cairn_random random = stream("all over");
    cairn_arena arena = arena_of(8 << 20);
    const cairn_kept_costs_def def = {EDGE, EDGE, 0.1, cairn_cost_rules_default(0.3)};
    cairn_kept_costs *kept = NULL;
    assert_ok(cairn_kept_costs_create(&def, &arena, &kept));
    const size_t mark = cairn_arena_mark(&arena);
    for (int i = 0; i < 3; i++) {
        for (int cell = 0; cell < EDGE * EDGE; cell++) { ground[cell] = (uint8_t)cairn_random_below(&random, 3); }
        assert_true(cairn_kept_costs_update(kept, ground) > 50000);
        cairn_cost_grid copied, fresh;
        assert_ok(cairn_kept_costs_copy(kept, &(cairn_cell_window){0, 0, EDGE, EDGE}, ORIGIN, &arena, &copied));
        assert_ok(cairn_cost_grid_create(ORIGIN, 0.1, EDGE, EDGE, ground, &def.rules, &arena, &fresh));
        assert_same(&copied, &fresh);
        cairn_arena_reset(&arena, mark);
    }
    cairn_arena_destroy(&arena);
}

// A robot's window on a large map ends somewhere. A wall just outside is a wall.
static void walls_beside_a_window_count(void **state)
{
    (void)state;
    static uint8_t ground[40 * 30];
    memset(ground, CAIRN_GROUND_FREE, sizeof ground);
    for (int y = 0; y < 30; y++) { ground[y * 40 + 9] = CAIRN_GROUND_OBSTACLE; }
    cairn_arena arena = arena_of(1 << 20), none = arena_of(256);
    const cairn_kept_costs_def def = {40, 30, 0.1, cairn_cost_rules_default(0.3)};
    cairn_kept_costs *kept = NULL;
    assert_int_equal(cairn_kept_costs_create(&def, &none, &kept), CAIRN_ERR_FULL);
    assert_null(kept);
    assert_ok(cairn_kept_costs_create(&def, &arena, &kept));
    assert_int_equal(cairn_kept_costs_update(kept, ground), 40 * 30);
    cairn_cost_grid grid;
    const cairn_cell_window beside = {10, 5, 20, 10};
    assert_int_equal(cairn_kept_costs_copy(kept, &beside, ORIGIN, &none, &grid), CAIRN_ERR_FULL);
    assert_ok(cairn_kept_costs_copy(kept, &beside, ORIGIN, &arena, &grid));
    for (uint32_t cell = 0; cell < 200; cell++) {
        const double clearance_m = fmin(0.1 * (cell % 20 + 1), def.rules.comfort_m);
        assert_true(fabs((double)grid.clearance_m[cell] - clearance_m) < 1e-6);
        assert_int_equal(grid.cost[cell] == CAIRN_COST_BLOCKED, clearance_m < 0.3 - 1e-9);
    }
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_any_changes_they_equal_fresh_ones),
        cmocka_unit_test(a_map_that_changes_all_over_is_priced_anew),
        cmocka_unit_test(walls_beside_a_window_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
