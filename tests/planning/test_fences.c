// test_fences.c - areas to keep in and out of, as points and as cells.
#include "planning/fences.h"
#include "planning/reach.h"
#include "random_rooms.h"
#include <string.h>

static cairn_fence box(cairn_fence_kind kind, double x0, double y0, double x1, double y1)
{
    return (cairn_fence){.kind = kind, .corner_count = 4, .corners_m = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}};
}

// A rescuer draws round a stair: the corner that goes in must count as well.
static void an_area_with_a_corner_that_goes_in_holds_what_is_in_it(void **state)
{
    (void)state;
    const cairn_fence corner = {.corner_count = 6, .corners_m = {{0, 0}, {4, 0}, {4, 2}, {2, 2}, {2, 4}, {0, 4}}};
    assert_null(cairn_fence_trouble(&corner));
    assert_true(cairn_fence_holds(&corner, (cairn_vec2){1, 3}) && cairn_fence_holds(&corner, (cairn_vec2){3, 1}));
    assert_false(cairn_fence_holds(&corner, (cairn_vec2){3, 3}) || cairn_fence_holds(&corner, (cairn_vec2){-1, 1}));
    const cairn_fence moved = cairn_fence_moved(&corner, (cairn_pose2){10, 0, 1.5707963267948966});
    assert_true(cairn_fence_holds(&moved, (cairn_vec2){7, 1}) && !cairn_fence_holds(&moved, (cairn_vec2){7, 3}));
}

static void keep_out_goes_before_keep_in_and_of_several_to_keep_in_one_is_enough(void **state)
{
    (void)state;
    cairn_fences fences = {0};
    assert_true(cairn_fences_allow(&fences, (cairn_vec2){100, 100}));
    fences.fences[fences.count++] = box(CAIRN_FENCE_KEEP_OUT, 1, 1, 2, 2);
    assert_true(cairn_fences_allow(&fences, (cairn_vec2){100, 100}));
    fences.fences[fences.count++] = box(CAIRN_FENCE_KEEP_IN, 0, 0, 5, 5);
    fences.fences[fences.count++] = box(CAIRN_FENCE_KEEP_IN, 8, 0, 9, 5);
    assert_true(cairn_fences_allow(&fences, (cairn_vec2){4, 4}) && cairn_fences_allow(&fences, (cairn_vec2){8.5, 1}));
    assert_false(cairn_fences_allow(&fences, (cairn_vec2){1.5, 1.5}));
    assert_false(cairn_fences_allow(&fences, (cairn_vec2){6, 1}));
}

static void what_is_no_area_is_told_in_words(void **state)
{
    (void)state;
    cairn_fence fence = box(CAIRN_FENCE_KEEP_IN, 0, 0, 2, 2);
    assert_null(cairn_fence_trouble(&fence));
    fence.corner_count = 2;
    assert_non_null(strstr(cairn_fence_trouble(&fence), "too few corners"));
    fence.corner_count = 17;
    assert_non_null(strstr(cairn_fence_trouble(&fence), "too many corners"));
    fence = (cairn_fence){.corner_count = 4, .corners_m = {{0, 0}, {2, 2}, {2, 0}, {0, 2}}};
    assert_non_null(strstr(cairn_fence_trouble(&fence), "cross"));
    fence = (cairn_fence){.corner_count = 3, .corners_m = {{0, 0}, {1, 1}, {2, 2}}};
    assert_non_null(cairn_fence_trouble(&fence));
    fence = (cairn_fence){.corner_count = 3, .corners_m = {{0, 0}, {1, 0}, {1, 0}}};
    assert_non_null(strstr(cairn_fence_trouble(&fence), "same corner"));
    fence.corners_m[2] = (cairn_vec2){0, NAN};
    assert_non_null(strstr(cairn_fence_trouble(&fence), "nowhere"));
}

static double away_m(cairn_vec2 at, cairn_vec2 a, cairn_vec2 b)
{
    double best_m = INFINITY; // by many points along the edge
    for (int i = 0; i <= 2000; i++) {
        const cairn_vec2 on = {a.x + (b.x - a.x) * i / 2000, a.y + (b.y - a.y) * i / 2000};
        best_m = fmin(best_m, cairn_vec2_distance(at, on));
    }
    return best_m;
}

// Against a slow answer for each cell, with triangles anywhere, also beyond the grid.
static void cells_are_marked_as_their_centres_lie(void **state)
{
    (void)state;
    cairn_random random = stream("fences");
    cairn_arena arena = arena_of(1 << 20);
    uint8_t ground[60 * 50];
    memset(ground, CAIRN_GROUND_FREE, sizeof ground);
    const cairn_cost_rules rules = cairn_cost_rules_default(0.2);
    for (int round = 0; round < 30; round++) {
        cairn_cost_grid grid;
        uint8_t *marks = NULL;
        cairn_arena_reset(&arena, 0);
        assert_ok(cairn_cost_grid_create((cairn_vec2){-3, 1}, 0.1, 60, 50, ground, &rules, &arena, &grid));
        cairn_fence fence = {.kind = round % 2 ? CAIRN_FENCE_KEEP_IN : CAIRN_FENCE_KEEP_OUT, .corner_count = 3};
        for (int i = 0; i < 3; i++) {
            fence.corners_m[i].x = cairn_random_between(&random, -5, 5);
            fence.corners_m[i].y = cairn_random_between(&random, 0, 8);
        }
        const cairn_fences fences = {.count = 1, .fences = {fence}};
        assert_ok(cairn_fences_mark(&fences, &grid, 0.4, &arena, &marks));
        for (uint32_t cell = 0; cell < 60 * 50; cell++) {
            const cairn_vec2 at = cairn_cost_grid_centre_of(&grid, cell);
            double border_m = INFINITY;
            for (int i = 0; i < 3; i++) {
                border_m = fmin(border_m, away_m(at, fence.corners_m[i], fence.corners_m[(i + 1) % 3]));
            }
            const bool allowed = cairn_fences_allow(&fences, at);
            assert_int_equal(marks[cell] == CAIRN_FENCE_MARK_BEYOND, !allowed);
            if (allowed && fabs(border_m - 0.4) > 0.01) {
                assert_int_equal(marks[cell] == CAIRN_FENCE_MARK_NEAR, border_m < 0.4);
            }
        }
    }
    cairn_arena_destroy(&arena);
}

// Who was stopped at a border must get away from it, and never across it.
static void a_robot_at_a_border_may_leave_it_and_not_cross_it(void **state)
{
    (void)state;
    cairn_arena arena = arena_of(1 << 20);
    uint8_t ground[60 * 60];
    memset(ground, CAIRN_GROUND_FREE, sizeof ground);
    const cairn_cost_rules rules = cairn_cost_rules_default(0.2);
    const cairn_fences fences = {.count = 1, .fences = {box(CAIRN_FENCE_KEEP_OUT, 3, -1, 4, 7)}};
    const cairn_vec2 robot = {2.75, 3.05}, away = {1.05, 3.05}, across = {3.05, 3.05};
    for (int beyond = 0; beyond < 2; beyond++) {
        cairn_cost_grid grid;
        uint8_t *marks = NULL;
        uint32_t cell = 0;
        const cairn_vec2 at = beyond ? across : robot;
        cairn_arena_reset(&arena, 0);
        assert_ok(cairn_cost_grid_create((cairn_vec2){0, 0}, 0.1, 60, 60, ground, &rules, &arena, &grid));
        assert_ok(cairn_fences_mark(&fences, &grid, 0.5, &arena, &marks));
        cairn_fences_close(marks, at, &grid, NULL);
        cairn_cost_grid_open_disc(&grid, at, 0.5, rules.near_cost);
        cairn_reach reach;
        assert_ok(cairn_reach_compute(&grid, at, UINT32_MAX, &arena, &arena, &reach));
        assert_true(cairn_cost_grid_cell_of(&grid, away, &cell));
        assert_true(reach.price[cell] != CAIRN_REACH_NEVER);
        assert_true(cairn_cost_grid_cell_of(&grid, (cairn_vec2){5.05, 3.05}, &cell));
        assert_true(reach.price[cell] == CAIRN_REACH_NEVER); // the way round is off this grid
    }
    cairn_arena_destroy(&arena);
}

static void an_arena_that_is_too_small_is_left_as_it_was(void **state)
{
    (void)state;
    uint8_t block[64];
    cairn_arena arena;
    uint8_t *marks = block;
    cairn_arena_init(&arena, block, sizeof block);
    const cairn_cost_grid grid = {.cell_m = 0.1, .width = 7, .height = 7};
    cairn_fences fences = {.count = 1, .fences = {box(CAIRN_FENCE_KEEP_OUT, 0, 0, 1, 1)}};
    const size_t before = cairn_arena_mark(&arena);
    assert_int_equal(cairn_fences_mark(&fences, &grid, 0.1, &arena, &marks), CAIRN_ERR_FULL);
    assert_int_equal(cairn_arena_mark(&arena), before);
    fences.count = 0;
    assert_ok(cairn_fences_mark(&fences, &grid, 0.1, &arena, &marks));
    assert_null(marks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_area_with_a_corner_that_goes_in_holds_what_is_in_it),
        cmocka_unit_test(keep_out_goes_before_keep_in_and_of_several_to_keep_in_one_is_enough),
        cmocka_unit_test(what_is_no_area_is_told_in_words),
        cmocka_unit_test(cells_are_marked_as_their_centres_lie),
        cmocka_unit_test(a_robot_at_a_border_may_leave_it_and_not_cross_it),
        cmocka_unit_test(an_arena_that_is_too_small_is_left_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
