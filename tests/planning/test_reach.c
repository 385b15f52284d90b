// test_reach.c - prices against a slow search that looks at every pair of cells.
#include "random_costs.h"

static cost_store COSTS;

static void prices_are_those_of_a_search_over_all_pairs(void **state)
{
    (void)state;
    cairn_random random = stream("all pairs");
    cairn_arena arena = arena_of(1 << 18), scratch = arena_of(1 << 18);
    for (int i = 0; i < 150; i++) {
        const cairn_cost_grid grid = random_costs(&random, 18, &COSTS);
        const cairn_vec2 source_m = random_place(&random, &grid);
        cairn_reach reach;
        assert_ok(cairn_reach_compute(&grid, source_m, UINT32_MAX, &arena, &scratch, &reach));
        uint32_t slow[18 * 18], count = 0;
        slow_prices(&grid, reach.source_cell, slow);
        for (uint32_t cell = 0; cell < grid.width * grid.height; cell++) {
            assert_int_equal(reach.price[cell], slow[cell]);
            count += slow[cell] != CAIRN_REACH_NEVER;
        }
        assert_int_equal(reach.reached_count, count);
        assert_int_equal(cairn_arena_mark(&scratch), 0);
        cairn_arena_reset(&arena, 0);
    }
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
}

// With a budget, what has a price has its final price, and nothing cheaper was left out.
static void a_budget_keeps_the_cheapest_cells(void **state)
{
    (void)state;
    cairn_random random = stream("budget");
    cairn_arena arena = arena_of(1 << 18), scratch = arena_of(1 << 18);
    for (int i = 0; i < 200; i++) {
        const cairn_cost_grid grid = random_costs(&random, 40, &COSTS);
        const cairn_vec2 source_m = random_place(&random, &grid);
        const uint32_t budget = 1 + cairn_random_below(&random, 300);
        cairn_reach all, some;
        assert_ok(cairn_reach_compute(&grid, source_m, UINT32_MAX, &arena, &scratch, &all));
        assert_ok(cairn_reach_compute(&grid, source_m, budget, &arena, &scratch, &some));
        uint32_t count = 0, dearest = 0, cheapest_left = CAIRN_REACH_NEVER;
        for (uint32_t cell = 0; cell < grid.width * grid.height; cell++) {
            if (some.price[cell] != CAIRN_REACH_NEVER) {
                assert_int_equal(some.price[cell], all.price[cell]);
                dearest = some.price[cell] > dearest ? some.price[cell] : dearest;
                count++;
            } else if (all.price[cell] < cheapest_left) {
                cheapest_left = all.price[cell];
            }
        }
        assert_true(dearest <= cheapest_left);
        assert_int_equal(count, some.reached_count);
        assert_int_equal(count, all.reached_count < budget ? all.reached_count : budget);
        cairn_arena_reset(&arena, 0);
    }
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
}

static void a_search_for_one_goal_finds_its_price_and_nothing_dearer(void **state)
{
    (void)state;
    cairn_random random = stream("one goal");
    cairn_arena arena = arena_of(1 << 18), scratch = arena_of(1 << 18);
    for (int i = 0; i < 200; i++) {
        const cairn_cost_grid grid = random_costs(&random, 40, &COSTS);
        const cairn_vec2 source_m = random_place(&random, &grid);
        const uint32_t goal = cairn_random_below(&random, grid.width * grid.height);
        cairn_reach all, some;
        assert_ok(cairn_reach_compute(&grid, source_m, UINT32_MAX, &arena, &scratch, &all));
        assert_ok(cairn_reach_compute_to(&grid, source_m, goal, UINT32_MAX, &arena, &scratch, &some));
        assert_int_equal(some.price[goal], all.price[goal]);
        for (uint32_t cell = 0; cell < grid.width * grid.height; cell++) {
            const bool cheaper = all.price[cell] < all.price[goal];
            if (cheaper || some.price[cell] != CAIRN_REACH_NEVER) {
                assert_int_equal(some.price[cell], all.price[cell]);
                assert_true(all.price[cell] <= all.price[goal]);
            }
        }
        cairn_arena_reset(&arena, 0);
    }
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
}

static void a_blocked_source_can_be_left(void **state)
{
    (void)state;
    cairn_arena arena = arena_of(1 << 16), scratch = arena_of(1 << 16);
    uint8_t cost[9] = {1, 1, 1, 1, CAIRN_COST_BLOCKED, 1, 1, 1, 1};
    float clearance_m[9] = {0};
    const cairn_cost_grid grid = {.cell_m = 1, .width = 3, .height = 3, .cost = cost, .clearance_m = clearance_m};
    cairn_reach reach;
    assert_ok(cairn_reach_compute(&grid, (cairn_vec2){1.5, 1.5}, UINT32_MAX, &arena, &scratch, &reach));
    const uint32_t want[9] = {14, 10, 14, 10, 0, 10, 14, 10, 14};
    assert_memory_equal(reach.price, want, sizeof want);
    assert_int_equal(reach.reached_count, 9);
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
}

static void trouble_is_told_and_leaves_no_trace(void **state)
{
    (void)state;
    cairn_arena large = arena_of(1 << 18), small = arena_of(200);
    cairn_random random = stream("trouble");
    cairn_cost_grid grid = random_costs(&random, 1, &COSTS);
    grid.width = grid.height = 20;
    cairn_reach reach = {.source_cell = 99};
    assert_int_equal(cairn_reach_compute(&grid, (cairn_vec2){0.9, -2}, 1, &large, &large, &reach), CAIRN_ERR_OUTSIDE);
    assert_int_equal(cairn_reach_compute(&grid, (cairn_vec2){1.5, -1.5}, 1, &small, &large, &reach), CAIRN_ERR_FULL);
    assert_int_equal(cairn_reach_compute(&grid, (cairn_vec2){1.5, -1.5}, 1, &large, &small, &reach), CAIRN_ERR_FULL);
    assert_int_equal(reach.source_cell, 99);
    assert_int_equal(cairn_arena_mark(&large), 0);
    assert_int_equal(cairn_arena_mark(&small), 0);
    cairn_arena_destroy(&large);
    cairn_arena_destroy(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_those_of_a_search_over_all_pairs),
        cmocka_unit_test(a_budget_keeps_the_cheapest_cells),
        cmocka_unit_test(a_search_for_one_goal_finds_its_price_and_nothing_dearer),
        cmocka_unit_test(a_blocked_source_can_be_left),
        cmocka_unit_test(trouble_is_told_and_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
