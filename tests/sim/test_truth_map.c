// The map that a team should make of a place, on floors small enough to count by hand, and by asking every box.
#include "base/random.h"
#include "check.h"
#include "emu.h"
#include "geometry/rays.h"
#include "sim/arena/check/surfaces.h"
#include "sim/arena/check/truth_map.h"
#include <math.h>

#define SEED 4

// 4 x 3 m within walls of 20 cm whose inner faces are 10 cm from the edge: 38 x 28 cells.
static cairn_sim_wall walls[5] = {
    {.from_m = {0, 0}, .to_m = {4, 0}, .thickness_m = 0.2, .height_m = 1},
    {.from_m = {4, 0}, .to_m = {4, 3}, .thickness_m = 0.2, .height_m = 1},
    {.from_m = {4, 3}, .to_m = {0, 3}, .thickness_m = 0.2, .height_m = 1},
    {.from_m = {0, 3}, .to_m = {0, 0}, .thickness_m = 0.2, .height_m = 1},
    {.from_m = {2, 0}, .to_m = {2, 3}, .thickness_m = 0.2, .height_m = 1}}; // the last parts it in two
static cairn_pose2 starts[2] = {{1, 1.5, 0}, {3, 1.5, 0}};
static cairn_sim_box boxes[8];
static cairn_sim_arena arena;
static cairn_arena memory;
static cairn_map map;

static int start(void **unused)
{
    (void)unused;
    arena = (cairn_sim_arena){
        .size_m = {4, 3}, .wall_count = 4, .walls = walls, .start_count = 1, .starts = starts, .boxes = boxes};
    assert_ok(cairn_arena_create(&memory, 4 << 20));
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void make(double cell_m)
{
    assert_ok(cairn_sim_arena_make_solids(&arena, &memory));
    assert_ok(cairn_truth_map(&arena, cell_m, &memory, &map));
    assert_null(cairn_map_mistake(&map));
}

static cairn_ground at(double x_m, double y_m) { return cairn_map_at(&map, (cairn_vec2){x_m, y_m}); }

static void a_room_has_its_floor_and_one_cell_of_wall_around_it(void **unused)
{
    (void)unused;
    make(0);
    assert_true(map.cell_m == 0.1 && map.width == 42 && map.height == 32);
    const cairn_map_counts counts = cairn_map_count(&map);
    assert_int_equal(counts.free, 38 * 28);
    assert_int_equal(counts.obstacle, 2 * 40 + 2 * 28);
    assert_int_equal(at(0.15, 0.15), CAIRN_GROUND_FREE);
    assert_int_equal(at(0.05, 0.15), CAIRN_GROUND_OBSTACLE);
    assert_int_equal(at(-0.05, 0.15), CAIRN_GROUND_UNKNOWN); // the wall's outer half
}

// Nobody can know what is behind a wall, nor is it a fault not to have drawn it.
static void what_cannot_be_reached_is_unknown(void **unused)
{
    (void)unused;
    arena.wall_count = 5;
    make(0);
    assert_int_equal(at(1, 1), CAIRN_GROUND_FREE);
    assert_int_equal(at(1.95, 1), CAIRN_GROUND_OBSTACLE);
    assert_int_equal(at(2.05, 1), CAIRN_GROUND_UNKNOWN);
    assert_int_equal(at(3, 1), CAIRN_GROUND_UNKNOWN);
    assert_int_equal(at(3.95, 1), CAIRN_GROUND_UNKNOWN);
}

// What hangs higher than robots look is no wall, and what is lower than they notice neither.
static void only_what_robots_meet_is_a_wall(void **unused)
{
    (void)unused;
    arena.box_count = 2;
    boxes[0] = (cairn_sim_box){.map_T_box = {2.75, 1.55, 0}, .size_m = {0.5, 0.5, 0.3}, .foot_m = 0.6};
    boxes[1] = (cairn_sim_box){.map_T_box = {2.75, 0.65, 0}, .size_m = {0.5, 0.5, 0.04}};
    make(0);
    assert_int_equal(at(2.55, 1.55), CAIRN_GROUND_FREE);
    assert_int_equal(at(2.55, 0.65), CAIRN_GROUND_FREE);
    boxes[0].foot_m = 0.2;
    make(0);
    assert_int_equal(at(2.55, 1.55), CAIRN_GROUND_OBSTACLE);
    assert_int_equal(at(2.75, 1.55), CAIRN_GROUND_UNKNOWN);
}

// A door may be open or closed when a robot comes by: nobody is judged by it. Behind it there is a room.
static void doors_are_unknown_and_lead_on(void **unused)
{
    (void)unused;
    static cairn_sim_wall parted[6];
    for (int i = 0; i < 4; i++) { parted[i] = walls[i]; }
    parted[4] = parted[5] = walls[4];
    parted[4].to_m.y = 1.0;
    parted[5].from_m.y = 2.0;
    static cairn_sim_door door = {
        .hinge_m = {2, 1.02}, .latch_m = {2, 1.98}, .thickness_m = 0.05, .height_m = 1, .open_rad = 1.5, .swing_s = 2};
    arena.walls = parted;
    arena.wall_count = 6;
    arena.doors = &door;
    arena.door_count = 1;
    make(0);
    assert_int_equal(at(1.95, 0.5), CAIRN_GROUND_OBSTACLE);
    assert_int_equal(at(1.98, 1.55), CAIRN_GROUND_UNKNOWN);
    assert_int_equal(at(3, 1.55), CAIRN_GROUND_FREE);
}

// Boxes at any angle, against the distance to each of them: walls are where surfaces are, and beside free ground only.
static void surfaces_agree_with_asking_every_box(void **unused)
{
    (void)unused;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/truth_map");
    for (int round = 0; round < 10; round++) {
        finish(NULL);
        start(NULL);
        arena.box_count = 8;
        for (uint32_t i = 0; i < 8; i++) {
            boxes[i] = (cairn_sim_box){.map_T_box = {cairn_random_between(&random, 1.6, 3.5),
                                                     cairn_random_between(&random, 0.4, 2.6),
                                                     cairn_random_between(&random, -3, 3)},
                                       .size_m = {cairn_random_between(&random, 0.05, 0.9), 0.2, 1}};
        }
        make(round % 2 == 0 ? 0.05 : 0.1);
        uint32_t obstacles = 0;
        for (uint32_t y = 1; y + 1 < map.height; y++) {
            for (uint32_t x = 1; x + 1 < map.width; x++) {
                const cairn_vec2 middle = cairn_map_centre_of(&map, x, y);
                double nearest_m = fmin(fmin(middle.x, 4 - middle.x), fmin(middle.y, 3 - middle.y)) - 0.1;
                for (uint32_t i = 0; i < 8; i++) {
                    const cairn_vec2 half = {boxes[i].size_m.x / 2, boxes[i].size_m.y / 2};
                    nearest_m = fmin(nearest_m, cairn_box2_distance(middle, boxes[i].map_T_box, half));
                }
                const uint8_t ground = map.ground[(size_t)y * map.width + x];
                if (ground == CAIRN_GROUND_FREE) { assert_true(nearest_m >= 0.5 * map.cell_m - 2e-6); }
                if (ground != CAIRN_GROUND_OBSTACLE) { continue; }
                obstacles++;
                assert_true(nearest_m < 0.5 * map.cell_m);
                bool beside_free = false;
                for (uint32_t k = 0; k < 9; k++) {
                    beside_free |= map.ground[(size_t)(y + k / 3 - 1) * map.width + x + k % 3 - 1] == CAIRN_GROUND_FREE;
                }
                assert_true(beside_free);
            }
        }
        assert_true(obstacles > 100);
    }
}

static void too_many_cells_are_refused(void **unused)
{
    (void)unused;
    arena.size_m = (cairn_vec2){600, 600};
    arena.wall_count = 0;
    assert_ok(cairn_sim_arena_make_solids(&arena, &memory));
    assert_int_equal(cairn_truth_map(&arena, 0.02, &memory, &map), CAIRN_ERR_TOO_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_room_has_its_floor_and_one_cell_of_wall_around_it, start, finish),
        cmocka_unit_test_setup_teardown(what_cannot_be_reached_is_unknown, start, finish),
        cmocka_unit_test_setup_teardown(only_what_robots_meet_is_a_wall, start, finish),
        cmocka_unit_test_setup_teardown(doors_are_unknown_and_lead_on, start, finish),
        cmocka_unit_test_setup_teardown(surfaces_agree_with_asking_every_box, start, finish),
        cmocka_unit_test_setup_teardown(too_many_cells_are_refused, start, finish),
    };
    return cmocka_run_group_tests_name("truth_map", tests, NULL, NULL);
}
