// Figures of two maps: against cases that were worked out by hand, and against what a known motion must give.
#include "../base/check.h"
#include "base/random.h"
#include "maps/files/geo_frame.h"
#include "maps/files/map_compare.h"
#include <string.h>

#define SEED 5

static cairn_arena scratch;

static cairn_comparison compare(const cairn_map *truth, const cairn_map *map, cairn_compare_def def)
{
    cairn_comparison is;
    assert_ok(cairn_map_compare(truth, map, &def, &scratch, &is));
    assert_int_equal(cairn_arena_mark(&scratch), 0);
    return is;
}

// From letters, the upper row first: '#' wall, '.' free, ' ' unknown.
static cairn_map map_of(const char *const *rows, uint32_t height, double cell_m, uint8_t *cells)
{
    const uint32_t width = (uint32_t)strlen(rows[0]);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const char letter = rows[height - 1 - y][x];
            cells[y * width + x] = letter == '#'   ? CAIRN_GROUND_OBSTACLE
                                   : letter == '.' ? CAIRN_GROUND_FREE
                                                   : CAIRN_GROUND_UNKNOWN;
        }
    }
    return (cairn_map){.width = width, .height = height, .cell_m = cell_m, .ground = cells};
}

static void a_case_worked_out_by_hand(void **state)
{
    (void)state;
    // The wall of three cells is seen one cell too far to the left in its upper row; a wall stands where there is none
    // (its nearest is 2 cells away); one stands where the truth knows nothing.
    const char *const truth_rows[] = {"..#.. ", "..#.. ", "..#.. "}, *const map_rows[] = {".#...#", "..#.#.", " .#..."};
    uint8_t cells[2][18];
    const cairn_map truth = map_of(truth_rows, 3, 0.5, cells[0]), map = map_of(map_rows, 3, 0.5, cells[1]);
    const cairn_comparison is = compare(&truth, &map, (cairn_compare_def){.tolerance_m = 0.5});
    assert_int_equal(is.width, 6);
    assert_int_equal(is.height, 3);
    assert_int_equal(is.truth_known, 15);
    assert_int_equal(is.map_known, 17);
    assert_int_equal(is.both_known, 14);
    assert_int_equal(is.agreeing, 11); // not the two of the moved cell, not the wall that is none
    assert_int_equal(is.truth_walls, 3);
    assert_int_equal(is.map_walls, 5);
    assert_float_equal(is.wall_iou, 2.0 / 6, 1e-12);
    assert_int_equal(is.judged_walls, 4); // errors: 0, 0, 0.5 and 1 m
    assert_float_equal(is.precision, 3.0 / 4, 1e-12);
    assert_float_equal(is.recall, 1, 1e-12);
    assert_float_equal(is.error_m_mean, 1.5 / 4, 1e-6);
    assert_float_equal(is.error_m_deviation, sqrt((0.25 + 1) / 4 - 0.375 * 0.375), 1e-6);
    assert_float_equal(is.error_m_max, 1, 1e-6);
    const cairn_comparison strict = compare(&truth, &map, (cairn_compare_def){.tolerance_m = 0.4});
    assert_float_equal(strict.precision, 2.0 / 4, 1e-12);
    assert_float_equal(strict.recall, 2.0 / 3, 1e-12);
}

static void a_map_agrees_with_itself_at_any_place_and_cell_size(void **state)
{
    (void)state;
    const char *const rows[] = {"#..#", "....", "##.#"};
    uint8_t cells[12], fine[48];
    cairn_map map = map_of(rows, 3, 0.2, cells), split = {.width = 8, .height = 6, .cell_m = 0.1, .ground = fine};
    map.map_T_corner = split.map_T_corner = (cairn_pose2){-7.3, 4.1, 0.6};
    for (uint32_t i = 0; i < 48; i++) { fine[i] = cells[i / 8 / 2 * 4 + i % 8 / 2]; }
    const cairn_comparison same = compare(&map, &map, cairn_compare_def_default());
    assert_int_equal(same.agreeing, 12);
    assert_float_equal(same.wall_iou, 1, 1e-12);
    assert_float_equal(same.error_m_max, 0, 1e-12);
    const cairn_comparison finer = compare(&map, &split, cairn_compare_def_default());
    assert_int_equal(finer.agreeing, 48);
    assert_float_equal(finer.wall_iou, 1, 1e-12);
    // What fits already is not moved, walls at the very edge included.
    const cairn_comparison moved =
        compare(&map, &map, (cairn_compare_def){.tolerance_m = 0.1, .shift_m = 1, .turn_rad = 0.1});
    assert_true(moved.truth_T_map.x_m == 0.0 && moved.truth_T_map.y_m == 0.0 && moved.truth_T_map.yaw_rad == 0.0);
}

static void maps_without_walls_have_no_error_to_tell(void **state)
{
    (void)state;
    const char *const rows[] = {"...", "..."};
    uint8_t cells[6];
    const cairn_map map = map_of(rows, 2, 0.1, cells);
    const cairn_comparison is = compare(&map, &map, (cairn_compare_def){.tolerance_m = 0.1, .shift_m = 1});
    assert_true(is.wall_iou == 1.0 && isnan(is.precision) && isnan(is.recall) && isnan(is.error_m_mean));
}

// A map that sees walls in an empty hall is wrong about each of them; how far they are off nobody can say.
static void walls_where_the_truth_has_none_are_wrong(void **state)
{
    (void)state;
    const char *const truth_rows[] = {"....", "... "}, *const map_rows[] = {".#..", "...#"};
    uint8_t cells[2][8];
    const cairn_map truth = map_of(truth_rows, 2, 0.1, cells[0]), map = map_of(map_rows, 2, 0.1, cells[1]);
    const cairn_comparison is = compare(&truth, &map, cairn_compare_def_default());
    assert_int_equal(is.judged_walls, 1);
    assert_true(is.precision == 0.0 && is.wall_iou == 0.0 && isnan(is.recall));
    assert_true(isnan(is.error_m_mean) && isnan(is.error_m_deviation) && isnan(is.error_m_max));
}

// A room with a few boxes, which looks the same from no other pose.
static void draw_room(cairn_random *random, uint8_t *cells, uint32_t side)
{
    memset(cells, CAIRN_GROUND_FREE, (size_t)side * side);
    for (uint32_t i = 10; i < side - 10; i++) {
        const uint32_t at[] = {10 * side + i, (side - 11) * side + i, i * side + 10, i * side + side - 11};
        for (int k = 0; k < 4; k++) { cells[at[k]] = CAIRN_GROUND_OBSTACLE; }
    }
    for (int box = 0; box < 12; box++) {
        const uint32_t x0 = 15 + (uint32_t)cairn_random_below(random, side - 40),
                       y0 = 15 + (uint32_t)cairn_random_below(random, side - 40);
        const uint32_t width = 3 + (uint32_t)cairn_random_below(random, 9),
                       height = 3 + (uint32_t)cairn_random_below(random, 9);
        for (uint32_t y = y0; y < y0 + height; y++) { memset(&cells[y * side + x0], CAIRN_GROUND_OBSTACLE, width); }
    }
}

// A map of which only the frame is off must be found to be right, and the motion be that which takes it back.
static void alignment_takes_back_a_known_motion(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/map_compare");
    enum { SIDE = 120 };
    static uint8_t cells[SIDE * SIDE];
    for (int round = 0; round < 6; round++) {
        draw_room(&random, cells, SIDE);
        const cairn_map truth = {.width = SIDE, .height = SIDE, .cell_m = 0.1, .ground = cells};
        const cairn_pose2 truth_T_map = {cairn_random_between(&random, -0.5, 0.5),
                                         cairn_random_between(&random, -0.5, 0.5),
                                         cairn_random_between(&random, -0.05, 0.05)};
        cairn_map moved = truth;
        moved.map_T_corner = cairn_pose2_inverse(truth_T_map); // the cells stay, their frame is another
        const cairn_compare_def def = {.tolerance_m = 0.1, .shift_m = 1, .turn_rad = 0.1};
        const cairn_comparison is = compare(&truth, &moved, def);
        // Walls are known to a cell, and over the room's 12 m the turn to a fraction of that.
        const cairn_vec2 middle = {6, 6};
        const cairn_vec2 wanted = cairn_pose2_apply(truth_T_map, middle),
                         got = cairn_pose2_apply(is.truth_T_map, middle);
        assert_true(cairn_vec2_distance(wanted, got) < 0.06);
        assert_float_equal(is.truth_T_map.yaw_rad, truth_T_map.yaw_rad, 0.005);
        assert_true(is.precision > 0.99 && is.recall > 0.99);
        assert_true(is.error_m_mean < 0.05);
        const cairn_comparison as_it_is = compare(&truth, &moved, (cairn_compare_def){.tolerance_m = 0.1});
        assert_true(as_it_is.wall_iou < is.wall_iou);
    }
}

// Who crops or turns a surveyed map gives it another frame, and leaves its cells where they are on the earth. The
// zone's border and the equator are where both coordinates jump.
static void surveyed_maps_are_compared_where_they_lie_on_the_earth(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/map_compare/earth");
    enum { SIDE = 120 };
    static uint8_t cells[SIDE * SIDE];
    const cairn_map_survey surveys[] = {{true, 52.5163, 13.3777, 30},
                                        {true, 47.1, 11.99999, 200},
                                        {true, 0.00001, -78.5, 359},
                                        {true, -16.9, 179.99999, 90}};
    for (size_t i = 0; i < sizeof surveys / sizeof surveys[0]; i++) {
        draw_room(&random, cells, SIDE);
        const cairn_map truth = {.width = SIDE,
                                 .height = SIDE,
                                 .cell_m = 0.1,
                                 .ground = cells,
                                 .map_T_corner = {-5, 3, 0.3},
                                 .survey = surveys[i]};
        cairn_map map = truth;
        const cairn_geo_frame lies = cairn_geo_frame_of(&truth.survey, cairn_geo_map_T_picture(&truth), truth.cell_m);
        assert_null(cairn_geo_frame_apply(&lies, &map));
        assert_true(map.map_T_corner.x_m == 0.0 && map.survey.latitude_deg != truth.survey.latitude_deg);
        const cairn_comparison is = compare(&truth, &map, cairn_compare_def_default());
        assert_int_equal(is.agreeing, SIDE * SIDE);
        assert_float_equal(is.truth_T_map.x_m, -5, 0.001);
        assert_float_equal(is.truth_T_map.yaw_rad, 0.3, 1e-5);
        const cairn_comparison same = compare(&truth, &truth, cairn_compare_def_default());
        assert_true(same.width == SIDE && same.truth_T_map.x_m == 0.0 && same.truth_T_map.yaw_rad == 0.0);
        // Alignment begins there: what remains to be found is little.
        map.map_T_corner = (cairn_pose2){0.3, -0.2, 0};
        const cairn_comparison moved =
            compare(&truth, &map, (cairn_compare_def){.tolerance_m = 0.1, .shift_m = 0.5, .turn_rad = 0.02});
        assert_true(moved.precision > 0.99 && moved.recall > 0.99);
        map.survey.longitude_deg = truth.survey.longitude_deg > 0 ? -100 : 100;
        cairn_comparison untouched = {.width = 77};
        const cairn_compare_def def = cairn_compare_def_default();
        assert_int_equal(cairn_map_compare(&truth, &map, &def, &scratch, &untouched), CAIRN_ERR_TOO_LARGE);
        assert_int_equal(untouched.width, 77);
    }
}

static void maps_far_apart_are_refused_instead_of_filling_memory(void **state)
{
    (void)state;
    const uint8_t wall = CAIRN_GROUND_OBSTACLE;
    const cairn_map a = {.width = 1, .height = 1, .cell_m = 0.01, .ground = &wall};
    cairn_map b = a;
    b.map_T_corner = (cairn_pose2){900, 900, 0};
    const cairn_compare_def def = cairn_compare_def_default();
    cairn_comparison untouched = {.width = 77};
    assert_int_equal(cairn_map_compare(&a, &b, &def, &scratch, &untouched), CAIRN_ERR_TOO_LARGE);
    static uint8_t block[256];
    cairn_arena small;
    cairn_arena_init(&small, block, sizeof block);
    b.map_T_corner = (cairn_pose2){9, 9, 0};
    assert_int_equal(cairn_map_compare(&a, &b, &def, &small, &untouched), CAIRN_ERR_FULL);
    assert_int_equal(untouched.width, 77);
}

int main(void)
{
    if (cairn_arena_create(&scratch, (size_t)64 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_worked_out_by_hand),
        cmocka_unit_test(a_map_agrees_with_itself_at_any_place_and_cell_size),
        cmocka_unit_test(maps_without_walls_have_no_error_to_tell),
        cmocka_unit_test(walls_where_the_truth_has_none_are_wrong),
        cmocka_unit_test(alignment_takes_back_a_known_motion),
        cmocka_unit_test(surveyed_maps_are_compared_where_they_lie_on_the_earth),
        cmocka_unit_test(maps_far_apart_are_refused_instead_of_filling_memory),
    };
    const int failed = cmocka_run_group_tests_name("map_compare", tests, NULL, NULL);
    cairn_arena_destroy(&scratch);
    return failed;
}
