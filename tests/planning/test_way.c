// test_way.c - ways follow the prices; straightening and cutting keep what they promise.
#include "geometry/rays.h"
#include "random_costs.h"

static cost_store COSTS;

typedef struct found_way {
    cairn_cost_grid grid;
    cairn_reach reach;
    uint32_t goal;
    cairn_way way;
} found_way;

// Tries places until there is a way between two of them.
static found_way random_way(cairn_random *random, bool in_rooms, cairn_arena *arena, cairn_arena *scratch)
{
    for (;;) {
        cairn_arena_reset(arena, 0);
        found_way found;
        if (in_rooms) {
            const room_map rooms = random_rooms(random, 20);
            const cairn_cost_rules rules = cairn_cost_rules_default(0.2);
            assert_ok(cairn_cost_grid_create((cairn_vec2){-1, 4}, 0.1, rooms.width, rooms.height, rooms.ground, &rules,
                                             arena, &found.grid));
        } else {
            found.grid = random_costs(random, 40, &COSTS);
        }
        const cairn_vec2 source_m = random_place(random, &found.grid);
        assert_ok(cairn_reach_compute(&found.grid, source_m, UINT32_MAX, arena, scratch, &found.reach));
        found.goal = cairn_random_below(random, found.grid.width * found.grid.height);
        if (cairn_reach_way(&found.reach, found.goal, arena, &found.way) == CAIRN_OK) { return found; }
        assert_int_equal(found.reach.price[found.goal], CAIRN_REACH_NEVER);
    }
}

static uint32_t cell_of(const cairn_cost_grid *grid, cairn_vec2 at_m)
{
    uint32_t cell = 0;
    assert_true(cairn_cost_grid_cell_of(grid, at_m, &cell));
    return cell;
}

static void the_steps_of_a_way_add_up_to_its_price(void **state)
{
    (void)state;
    cairn_random random = stream("steps");
    cairn_arena arena = arena_of(1 << 20), scratch = arena_of(1 << 18);
    for (int i = 0; i < 300; i++) {
        found_way found = random_way(&random, i % 2, &arena, &scratch);
        found.reach.grid = &found.grid;
        const cairn_way *way = &found.way;
        assert_int_equal(cell_of(&found.grid, way->points_m[0]), found.reach.source_cell);
        assert_int_equal(cell_of(&found.grid, way->points_m[way->point_count - 1]), found.goal);
        uint32_t price = 0;
        double length_m = 0;
        for (uint32_t k = 1; k < way->point_count; k++) {
            const uint32_t from = cell_of(&found.grid, way->points_m[k - 1]);
            const uint32_t step = step_price(&found.grid, from, cell_of(&found.grid, way->points_m[k]));
            assert_int_not_equal(step, CAIRN_REACH_NEVER);
            price += step;
            length_m += cairn_vec2_distance(way->points_m[k - 1], way->points_m[k]);
        }
        assert_int_equal(price, found.reach.price[found.goal]);
        assert_true(fabs(length_m - way->length_m) < 1e-9);
    }
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
}

// The oracle for what a line costs: many samples along it.
static double sampled_cost(const cairn_cost_grid *grid, const cairn_way *way, uint32_t samples_per_cell)
{
    double cost = 0;
    for (uint32_t i = 1; i < way->point_count; i++) {
        const cairn_vec2 from = way->points_m[i - 1], along = cairn_vec2_sub(way->points_m[i], from);
        const double length_m = cairn_vec2_length(along);
        const uint32_t count = 1 + (uint32_t)(length_m / grid->cell_m * samples_per_cell);
        for (uint32_t k = 0; k < count; k++) {
            const cairn_vec2 at = cairn_vec2_add(from, cairn_vec2_scale(along, (k + 0.5) / count));
            const uint8_t price = grid->cost[cell_of(grid, at)];
            // the source itself may be blocked, and so may the corner where a way leaves it
            if (i > 1) { assert_int_not_equal(price, CAIRN_COST_BLOCKED); }
            cost += price * length_m / count;
        }
    }
    return cost;
}

static void straightening_enters_nothing_blocked_and_gets_neither_longer_nor_dearer(void **state)
{
    (void)state;
    cairn_random random = stream("straighten");
    cairn_arena arena = arena_of(1 << 20), scratch = arena_of(1 << 18);
    double longer_m = 0, shorter_m = 0;
    for (int i = 0; i < 300; i++) {
        found_way found = random_way(&random, i % 2, &arena, &scratch);
        if (found.grid.cost[found.reach.source_cell] == CAIRN_COST_BLOCKED) { continue; }
        const double length_m = found.way.length_m, cost = sampled_cost(&found.grid, &found.way, 200);
        const cairn_vec2 first = found.way.points_m[0], last = found.way.points_m[found.way.point_count - 1];
        cairn_way_smooth(&found.grid, &found.way);
        assert_true(found.way.length_m <= length_m + 1e-9);
        assert_true(sampled_cost(&found.grid, &found.way, 200) <= cost * 1.01 + 1e-9); // 200 samples a cell: 1 %
        assert_memory_equal(&found.way.points_m[0], &first, sizeof first);
        assert_memory_equal(&found.way.points_m[found.way.point_count - 1], &last, sizeof last);
        for (uint32_t k = 1; k < found.way.point_count; k++) { // exactly: not even a corner is touched
            cairn_grid_walk walk;
            cairn_grid_walk_start(&walk, found.grid.origin_m, found.grid.cell_m, found.way.points_m[k - 1],
                                  found.way.points_m[k]);
            do {
                assert_int_not_equal(found.grid.cost[(uint32_t)walk.y * found.grid.width + (uint32_t)walk.x],
                                     CAIRN_COST_BLOCKED);
            } while (cairn_grid_walk_next(&walk));
        }
        longer_m += length_m;
        shorter_m += found.way.length_m;
    }
    assert_true(shorter_m < 0.99 * longer_m);
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
}

static void across_open_ground_a_way_becomes_one_line(void **state)
{
    (void)state;
    cairn_arena arena = arena_of(1 << 20), scratch = arena_of(1 << 20);
    static uint8_t cost[60 * 40];
    static float clearance_m[60 * 40];
    memset(cost, 2, sizeof cost);
    const cairn_cost_grid grid = {.cell_m = 0.1, .width = 60, .height = 40, .cost = cost, .clearance_m = clearance_m};
    cairn_reach reach;
    cairn_way way;
    assert_ok(cairn_reach_compute(&grid, (cairn_vec2){0.05, 0.05}, UINT32_MAX, &arena, &scratch, &reach));
    assert_ok(cairn_reach_way(&reach, 60 * 40 - 1, &arena, &way));
    cairn_way_smooth(&grid, &way);
    assert_int_equal(way.point_count, 2);
    assert_true(fabs(way.length_m - hypot(5.9, 3.9)) < 1e-12);
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
}

static void via_points_are_close_enough_and_keep_the_corners(void **state)
{
    (void)state;
    cairn_random random = stream("via-points");
    for (int i = 0; i < 300; i++) {
        cairn_vec2 points_m[8], via_m[512];
        cairn_way way = {.point_count = 1 + cairn_random_below(&random, 8), .points_m = points_m};
        for (uint32_t k = 0; k < way.point_count; k++) {
            points_m[k] = (cairn_vec2){cairn_random_between(&random, 0, 9), cairn_random_between(&random, 0, 9)};
        }
        const double spacing_m = cairn_random_between(&random, 0.3, 5);
        const uint32_t count = cairn_way_resample(&way, spacing_m, via_m, 512);
        uint32_t corner = 1;
        cairn_vec2 last = points_m[0];
        for (uint32_t k = 0; k < count; k++) {
            assert_true(cairn_vec2_distance(last, via_m[k]) <= spacing_m + 1e-9);
            last = via_m[k];
            if (corner < way.point_count && cairn_vec2_distance(last, points_m[corner]) == 0) { corner++; }
        }
        assert_int_equal(corner, way.point_count);
        assert_memory_equal(&last, &points_m[way.point_count - 1], sizeof last);
        cairn_vec2 few_m[512];
        const uint32_t fewer = cairn_way_resample(&way, spacing_m, few_m, count / 2);
        assert_int_equal(fewer, count / 2);
        if (fewer > 0) { assert_memory_equal(few_m, via_m, fewer * sizeof *few_m); }
    }
}

// Whoever must not go on along a way stops on it, at the place that was asked for.
static void a_way_is_cut_where_it_is_told(void **state)
{
    (void)state;
    const cairn_vec2 bent[] = {{0, 0}, {2, 0}, {2, 3}};
    const struct {
        double length_m;
        uint32_t count;
        cairn_vec2 end;
    } cases[] = {{6, 3, {2, 3}},     {5, 3, {2, 3}}, {3.5, 3, {2, 1.5}}, {2, 2, {2, 0}},
                 {0.5, 2, {0.5, 0}}, {0, 1, {0, 0}}, {-1, 1, {0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cairn_vec2 points[3];
        memcpy(points, bent, sizeof bent);
        cairn_way way = {.point_count = 3, .points_m = points, .length_m = 5};
        cairn_way_cut(&way, cases[i].length_m);
        assert_int_equal(way.point_count, cases[i].count);
        assert_true(cairn_vec2_distance(way.points_m[way.point_count - 1], cases[i].end) < 1e-12);
        assert_true(fabs(way.length_m - fmin(fmax(cases[i].length_m, 0), 5)) < 1e-12);
    }
}

static void a_goal_without_a_price_has_no_way(void **state)
{
    (void)state;
    cairn_arena arena = arena_of(1 << 16), scratch = arena_of(1 << 16), none = arena_of(0);
    uint8_t cost[5] = {1, 1, CAIRN_COST_BLOCKED, 1, 1};
    float clearance_m[5] = {0};
    const cairn_cost_grid grid = {.cell_m = 1, .width = 5, .height = 1, .cost = cost, .clearance_m = clearance_m};
    cairn_reach reach;
    cairn_way way = {.point_count = 99};
    assert_ok(cairn_reach_compute(&grid, (cairn_vec2){0.5, 0.5}, UINT32_MAX, &arena, &scratch, &reach));
    assert_int_equal(cairn_reach_way(&reach, 4, &arena, &way), CAIRN_ERR_NOT_FOUND);
    assert_int_equal(cairn_reach_way(&reach, 1, &none, &way), CAIRN_ERR_FULL);
    assert_int_equal(way.point_count, 99);
    assert_ok(cairn_reach_way(&reach, 0, &arena, &way));
    assert_int_equal(way.point_count, 1);
    assert_true(way.length_m == 0);
    cairn_way_smooth(&grid, &way);
    assert_int_equal(way.point_count, 1);
    cairn_arena_destroy(&arena);
    cairn_arena_destroy(&scratch);
    cairn_arena_destroy(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_steps_of_a_way_add_up_to_its_price),
        cmocka_unit_test(straightening_enters_nothing_blocked_and_gets_neither_longer_nor_dearer),
        cmocka_unit_test(across_open_ground_a_way_becomes_one_line),
        cmocka_unit_test(via_points_are_close_enough_and_keep_the_corners),
        cmocka_unit_test(a_way_is_cut_where_it_is_told),
        cmocka_unit_test(a_goal_without_a_price_has_no_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
