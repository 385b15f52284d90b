// What there was to be found, on a floor small enough to count by hand.
#include "base/random.h"
#include "check.h"
#include "emu.h"
#include "geometry/rays.h"
#include "sim/arena/arena_private.h"
#include "sim/mission/score/truth.h"
#include <math.h>

// 4 x 3 m, walls of 10 cm whose inner faces are 5 cm from the edge: 38 x 28 cells within.
static cairn_sim_wall walls[5] = {
    {.from_m = {0, 0}, .to_m = {4, 0}, .thickness_m = 0.1, .height_m = 1},
    {.from_m = {4, 0}, .to_m = {4, 3}, .thickness_m = 0.1, .height_m = 1},
    {.from_m = {4, 3}, .to_m = {0, 3}, .thickness_m = 0.1, .height_m = 1},
    {.from_m = {0, 3}, .to_m = {0, 0}, .thickness_m = 0.1, .height_m = 1},
    {.from_m = {2, 0}, .to_m = {2, 3}, .thickness_m = 0.1, .height_m = 1}}; // the last parts it in two
static cairn_pose2 starts[2] = {{1, 1.5, 0}, {3, 1.5, 0}};
static cairn_sim_box boxes[1];
static cairn_sim_ramp ramps[1];
static cairn_sim_arena arena;
static cairn_arena memory;
static cairn_truth truth;
static cairn_raster *raster;

static int start(void **unused)
{
    (void)unused;
    arena = (cairn_sim_arena){.size_m = {4, 3},
                              .wall_count = 4,
                              .walls = walls,
                              .start_count = 1,
                              .starts = starts,
                              .boxes = boxes,
                              .ramps = ramps};
    assert_ok(cairn_arena_create(&memory, 1 << 20));
    cairn_raster_def def = cairn_raster_def_default();
    def.origin_m = (cairn_vec2){-1, -1};
    def.width = 60;
    def.height = 50;
    assert_ok(cairn_raster_create(&def, &memory, &raster));
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void make(void)
{
    assert_ok(cairn_sim_arena_make_solids(&arena, &memory));
    assert_ok(cairn_truth_create(&arena, &memory, &truth));
}

static void know(cairn_vec2 at_m, cairn_ground ground)
{
    uint32_t x = 0, y = 0;
    assert_true(cairn_raster_cell_of(raster, at_m, &x, &y));
    raster->ground[y * raster->def.width + x] = (uint8_t)ground;
    raster->x_min = x < raster->x_min ? x : raster->x_min;
    raster->y_min = y < raster->y_min ? y : raster->y_min;
    raster->x_max = x > raster->x_max ? x : raster->x_max;
    raster->y_max = y > raster->y_max ? y : raster->y_max;
}

// Columns of cells, from the first to before the last, over the height of the room.
static void know_columns(uint32_t from, uint32_t to)
{
    for (uint32_t x = from; x < to; x++) {
        for (uint32_t y = 1; y < 29; y++) { know((cairn_vec2){0.1 * x + 0.05, 0.1 * y + 0.05}, CAIRN_GROUND_FREE); }
    }
}

static void the_floor_within_the_walls_can_be_reached(void **unused)
{
    (void)unused;
    make();
    assert_int_equal(truth.reachable_count, 38 * 28);
    assert_false(truth.reachable[0]);
}

// What no robot can get to must not count against the team.
static void a_room_without_a_door_and_a_start_does_not_count(void **unused)
{
    (void)unused;
    arena.wall_count = 5;
    make();
    assert_int_equal(truth.reachable_count, 18 * 28);
    arena.start_count = 2; // one robot in each
    assert_ok(cairn_truth_create(&arena, &memory, &truth));
    assert_int_equal(truth.reachable_count, 36 * 28);
}

// A ramp is ground, a sill of 3 cm too; a box of 40 cm is not.
static void only_what_stops_a_robot_is_in_the_way(void **unused)
{
    (void)unused;
    arena.ramp_count = 1;
    ramps[0] = ridge((cairn_vec2){2, 1.5}, 1.0, 0.1, 15);
    make();
    assert_int_equal(truth.reachable_count, 38 * 28);
    arena.ramp_count = 0;
    arena.box_count = 1;
    boxes[0] = (cairn_sim_box){.map_T_box = {2, 1.5, 0}, .size_m = {0.36, 0.36, 0.03}};
    make();
    assert_int_equal(truth.reachable_count, 38 * 28);
    boxes[0].size_m.z = 0.4;
    make();
    assert_int_equal(truth.reachable_count, 38 * 28 - 4 * 4);
}

static void the_explored_part_is_that_of_the_reachable_cells(void **unused)
{
    (void)unused;
    arena.wall_count = 5;
    make();
    assert_true(cairn_truth_explored(&truth, raster) == 0);
    know_columns(1, 10); // 9 of 18 columns
    assert_true(fabs(cairn_truth_explored(&truth, raster) - 0.5) < 1e-12);
    know_columns(21, 39); // the other room: seen through the wall by no robot
    assert_true(fabs(cairn_truth_explored(&truth, raster) - 0.5) < 1e-12);
    know_columns(10, 19);
    assert_true(fabs(cairn_truth_explored(&truth, raster) - 1.0) < 1e-12);
}

// A cell on a wall, one half a metre off, one a tenth off: by hand.
static void walls_are_compared_with_the_nearest_true_surface(void **unused)
{
    (void)unused;
    make();
    assert_true(isnan(cairn_truth_wall_rms_m(&truth, raster)));
    know((cairn_vec2){1.05, 1.05}, CAIRN_GROUND_FREE);
    assert_true(isnan(cairn_truth_wall_rms_m(&truth, raster)));
    know((cairn_vec2){0.02, 1.55}, CAIRN_GROUND_OBSTACLE); // its middle is on the face of the left wall
    assert_true(cairn_truth_wall_rms_m(&truth, raster) < 1e-9);
    know((cairn_vec2){0.55, 1.55}, CAIRN_GROUND_OBSTACLE); // 0.5 m from the left wall's face
    know((cairn_vec2){3.85, 1.55}, CAIRN_GROUND_OBSTACLE); // 0.1 m from the right wall's
    assert_true(fabs(cairn_truth_wall_rms_m(&truth, raster) - sqrt((0.25 + 0.01) / 3)) < 1e-9);
}

// A kerb of 10 cm stops a robot that gets up 3: it draws a wall there, and is right. On top of it there is nothing.
static void the_side_of_a_kerb_is_a_true_surface_and_its_top_is_not(void **unused)
{
    (void)unused;
    cairn_platform kerb = {.at_m = {2, 1.5}, .size_m = {1.3, 1.1}, .top_m = 0.1};
    const cairn_sim_elements elements = {.platforms = &kerb, .platform_count = 1};
    assert_ok(cairn_sim_arena_make_all(&arena, &elements, &memory));
    assert_ok(cairn_truth_create(&arena, &memory, &truth));
    know((cairn_vec2){1.35, 1.55}, CAIRN_GROUND_OBSTACLE);
    assert_true(cairn_truth_wall_rms_m(&truth, raster) < 1e-9);
    know((cairn_vec2){1.35, 1.55}, CAIRN_GROUND_FREE);
    know((cairn_vec2){1.75, 1.55}, CAIRN_GROUND_OBSTACLE); // 0.4 m from its side
    assert_true(fabs(cairn_truth_wall_rms_m(&truth, raster) - 0.4) < 1e-9);
}

// Nobody gets across a hole, and few over rubble: who draws them is right. Beside them it is not.
static void holes_and_rubble_are_true_surfaces(void **unused)
{
    (void)unused;
    cairn_hole hole = {.at_m = {1, 1.5}, .size_m = {0.6, 0.6}, .depth_m = 1};
    cairn_rough rubble = {.kind = CAIRN_ROUGH_RUBBLE,
                          .at_m = {3, 1.5},
                          .size_m = {1.2, 1.2},
                          .height_m = 0.3,
                          .cell_m = 0.05,
                          .friction = 0.7,
                          .seed = 3};
    const cairn_sim_elements elements = {.holes = &hole, .hole_count = 1, .rough = &rubble, .rough_count = 1};
    starts[0] = (cairn_pose2){2.05, 2.55, 0};
    assert_ok(cairn_sim_arena_make_all(&arena, &elements, &memory));
    assert_ok(cairn_truth_create(&arena, &memory, &truth));
    know((cairn_vec2){1.05, 1.55}, CAIRN_GROUND_OBSTACLE);
    know((cairn_vec2){3.05, 1.55}, CAIRN_GROUND_OBSTACLE);
    assert_true(cairn_truth_wall_rms_m(&truth, raster) < 0.15);
    know((cairn_vec2){1.05, 1.55}, CAIRN_GROUND_FREE);
    know((cairn_vec2){3.05, 1.55}, CAIRN_GROUND_FREE);
    know((cairn_vec2){1.95, 1.55}, CAIRN_GROUND_OBSTACLE); // between the two
    assert_true(cairn_truth_wall_rms_m(&truth, raster) > 0.3);
}

static void truth_without_room_says_so(void **unused)
{
    (void)unused;
    assert_ok(cairn_sim_arena_make_solids(&arena, &memory));
    uint8_t block[1024];
    cairn_arena small;
    cairn_arena_init(&small, block, sizeof block);
    assert_int_equal(cairn_truth_create(&arena, &small, &truth), CAIRN_ERR_FULL);
}

// A floor without walls may be stood on up to its very edge.
static void a_start_on_the_far_edge_is_on_the_floor(void **unused)
{
    (void)unused;
    static cairn_pose2 edge = {4, 3, 0};
    arena.starts = &edge;
    arena.wall_count = 0;
    make();
    assert_int_equal(truth.reachable_count, 40 * 30);
}

static uint32_t reachable_with(const cairn_sim_elements *elements)
{
    assert_ok(cairn_sim_arena_make_all(&arena, elements, &memory));
    assert_ok(cairn_truth_create(&arena, &memory, &truth));
    return truth.reachable_count;
}

// A kerb is ground. A platform of half a metre and a pit are not, but the floor up to them is. An upper storey that
// can be got to counts, and what lies below and above each other counts once.
static void ground_counts_where_a_robot_can_get_to_it(void **unused)
{
    (void)unused;
    cairn_platform platform = {.at_m = {2, 1.5}, .size_m = {1, 1}, .top_m = 0.1};
    cairn_hole pit = {.at_m = {2, 1.5}, .size_m = {1, 1}, .depth_m = 0.5};
    const cairn_sim_elements with_platform = {.platforms = &platform, .platform_count = 1};
    const cairn_sim_elements with_pit = {.holes = &pit, .hole_count = 1};
    assert_int_equal(reachable_with(&with_platform), 38 * 28);
    platform.top_m = 0.5;
    assert_int_equal(reachable_with(&with_platform), 38 * 28 - 10 * 10);
    assert_int_equal(reachable_with(&with_pit), 38 * 28 - 10 * 10);
    pit.depth_m = 0.1;
    assert_int_equal(reachable_with(&with_pit), 38 * 28);
    platform.top_m = 1.0;
    platform.slab_m = 0.1; // one can drive below it
    assert_int_equal(reachable_with(&with_platform), 38 * 28);
    // A ridge of 40 degrees parts the floor: only this side of it counts.
    arena.ramp_count = 1;
    ramps[0] = ridge((cairn_vec2){2.5, 1.5}, 1.0, 0.1, 40);
    const cairn_sim_elements none = {0};
    assert_int_equal(reachable_with(&none), 19 * 28);
}

// By squares the same distance comes out as by trying every wall, beside the floor too.
static void the_nearest_wall_is_the_nearest_of_all(void **unused)
{
    (void)unused;
    enum { SEED = 5084 };
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "truth");
    static cairn_sim_box many[12];
    arena = (cairn_sim_arena){.size_m = {40, 40}, .starts = starts, .start_count = 1};
    arena.wall_count = 0;
    arena.boxes = many;
    arena.box_count = 12;
    for (int i = 0; i < 12; i++) {
        many[i] =
            (cairn_sim_box){.map_T_box = {cairn_random_between(&random, 2, 38), cairn_random_between(&random, 2, 38),
                                          cairn_random_between(&random, -3, 3)},
                            .size_m = {cairn_random_between(&random, 0.1, 4), 0.2, 1}};
    }
    cairn_raster_def def = cairn_raster_def_default();
    def.origin_m = (cairn_vec2){-10, -10};
    def.width = 600;
    def.height = 600;
    for (int k = 0; k < 20; k++) {
        assert_ok(cairn_arena_create(&memory, 4 << 20));
        assert_ok(cairn_raster_create(&def, &memory, &raster));
        make();
        const cairn_vec2 at_m = {cairn_random_between(&random, -9, 49), cairn_random_between(&random, -9, 49)};
        know(at_m, CAIRN_GROUND_OBSTACLE);
        uint32_t x = 0, y = 0;
        assert_true(cairn_raster_cell_of(raster, at_m, &x, &y));
        const cairn_vec2 middle_m = cairn_raster_centre_of(raster, x, y);
        double nearest_m = INFINITY;
        for (int i = 0; i < 12; i++) {
            const cairn_vec2 half_m = {many[i].size_m.x / 2, many[i].size_m.y / 2};
            nearest_m = fmin(nearest_m, cairn_box2_distance(middle_m, many[i].map_T_box, half_m));
        }
        assert_true(fabs(cairn_truth_wall_rms_m(&truth, raster) - nearest_m) < 1e-9);
        cairn_arena_destroy(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_floor_within_the_walls_can_be_reached, start, finish),
        cmocka_unit_test_setup_teardown(a_room_without_a_door_and_a_start_does_not_count, start, finish),
        cmocka_unit_test_setup_teardown(a_start_on_the_far_edge_is_on_the_floor, start, finish),
        cmocka_unit_test_setup_teardown(only_what_stops_a_robot_is_in_the_way, start, finish),
        cmocka_unit_test_setup_teardown(the_explored_part_is_that_of_the_reachable_cells, start, finish),
        cmocka_unit_test_setup_teardown(walls_are_compared_with_the_nearest_true_surface, start, finish),
        cmocka_unit_test_setup_teardown(the_side_of_a_kerb_is_a_true_surface_and_its_top_is_not, start, finish),
        cmocka_unit_test_setup_teardown(holes_and_rubble_are_true_surfaces, start, finish),
        cmocka_unit_test_setup_teardown(truth_without_room_says_so, start, finish),
        cmocka_unit_test_setup_teardown(ground_counts_where_a_robot_can_get_to_it, start, finish),
        cmocka_unit_test(the_nearest_wall_is_the_nearest_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
