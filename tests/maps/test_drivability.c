// Merging the last drivability maps: any obstacle wins, none is lost by turning, and errors are forgotten in time.
#include "../base/check.h"
#include "base/random.h"
#include "maps/drivability.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 64
#define EDGE 40
#define MAPS 12

static cairn_arena arena;
static uint8_t cells[MAPS * 3][EDGE * EDGE];
static cairn_pose2 poses[MAPS * 3];

static cairn_drivability *make(void)
{
    const cairn_drivability_def def = {.map_count = MAPS, .cells_max = EDGE * EDGE};
    cairn_arena_reset(&arena, 0);
    cairn_drivability *drivability = NULL;
    assert_ok(cairn_drivability_create(&def, &arena, &drivability));
    return drivability;
}

static cairn_drivability_map map_of(const uint8_t *ground)
{
    return (cairn_drivability_map){
        .origin_m = {-1, -1}, .cell_m = 0.05, .width = EDGE, .height = EDGE, .ground = ground};
}

// Asks every cell of every map about every cell of the area.
static uint8_t slow_ground(int first, int end, const cairn_drivability_area *area, uint32_t x, uint32_t y)
{
    uint8_t ground = CAIRN_GROUND_UNKNOWN;
    const cairn_vec2 low = {area->origin_m.x + x * area->cell_m, area->origin_m.y + y * area->cell_m};
    const cairn_vec2 middle = {low.x + 0.5 * area->cell_m, low.y + 0.5 * area->cell_m};
    for (int m = first; m < end; m++) {
        const cairn_vec2 there = cairn_pose2_apply(cairn_pose2_inverse(poses[m]), middle);
        for (int i = 0; i < EDGE * EDGE; i++) {
            const cairn_vec2 corner = {-1 + i % EDGE * 0.05, -1 + (double)(i / EDGE) * 0.05};
            const bool holds =
                there.x >= corner.x && there.x < corner.x + 0.05 && there.y >= corner.y && there.y < corner.y + 0.05;
            if (holds && cells[m][i] > ground) { ground = cells[m][i]; }
            if (cells[m][i] != CAIRN_GROUND_OBSTACLE) { continue; }
            const cairn_vec2 at = cairn_pose2_apply(poses[m], (cairn_vec2){corner.x + 0.025, corner.y + 0.025});
            if (at.x >= low.x && at.x < low.x + area->cell_m && at.y >= low.y && at.y < low.y + area->cell_m) {
                ground = CAIRN_GROUND_OBSTACLE;
            }
        }
    }
    return ground;
}

static void equals_asking_every_cell_of_the_last_twelve_maps(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/drivability");
    cairn_drivability *drivability = make();
    static uint8_t merged[30 * 28];
    for (int m = 0; m < MAPS + 5; m++) {
        poses[m] = (cairn_pose2){cairn_random_between(&random, -1, 1), cairn_random_between(&random, -1, 1),
                                 cairn_random_between(&random, -3, 3)};
        for (int i = 0; i < EDGE * EDGE; i++) {
            const uint64_t chance = cairn_random_below(&random, 100);
            cells[m][i] = chance < 1 ? CAIRN_GROUND_OBSTACLE : chance < 20 ? CAIRN_GROUND_FREE : CAIRN_GROUND_UNKNOWN;
        }
        const cairn_drivability_map map = map_of(cells[m]);
        assert_ok(cairn_drivability_add(drivability, poses[m], &map));
        if (m != 1 && m != MAPS + 4) { continue; }
        const cairn_drivability_area area = {.origin_m = {-1.03, -0.99}, .cell_m = 0.07, .width = 30, .height = 28};
        cairn_drivability_merge(drivability, &area, merged);
        int kinds[3] = {0};
        for (uint32_t i = 0; i < 30 * 28; i++) {
            assert_int_equal(merged[i], slow_ground(m < MAPS ? 0 : m + 1 - MAPS, m + 1, &area, i % 30, i / 30));
            kinds[merged[i]]++;
        }
        assert_true(kinds[0] > 20 && kinds[1] > 20 && kinds[2] > 20);
    }
    assert_int_equal(cairn_drivability_map_count(drivability), MAPS);
}

// Floods the free cells of a band around the wall, from its far side, by steps to the four neighbours; true if the
// near side is reached. The band ends before the wall does.
static bool can_slip_through(const uint8_t *merged, cairn_pose2 pose)
{
    static uint8_t reached[80 * 80];
    bool grown = true, through = false;
    memset(reached, 0, sizeof reached);
    while (grown) {
        grown = false;
        for (int i = 81; i < 80 * 79 - 1; i++) {
            const cairn_vec2 middle = {-2 + (i % 80 + 0.5) * 0.05, -2 + (i / 80 + 0.5) * 0.05};
            const cairn_vec2 at = cairn_pose2_apply(cairn_pose2_inverse(pose), middle);
            if (reached[i] || merged[i] == CAIRN_GROUND_OBSTACLE || fabs(at.x) > 0.85 || fabs(at.y) > 0.4) { continue; }
            if (at.y > 0.3 || reached[i - 1] || reached[i + 1] || reached[i - 80] || reached[i + 80]) {
                reached[i] = grown = true;
                through |= at.y < -0.3;
            }
        }
    }
    return through;
}

// A wall one cell thick that is seen once has no gap, however it is turned, for a planner that goes by the four
// neighbours.
static void a_thin_wall_stays_closed_however_it_is_turned(void **state)
{
    (void)state;
    static uint8_t merged[80 * 80];
    memset(cells[0], CAIRN_GROUND_FREE, sizeof cells[0]);
    for (int x = 0; x < EDGE; x++) { cells[0][EDGE / 2 * EDGE + x] = CAIRN_GROUND_OBSTACLE; }
    const cairn_drivability_area area = {.origin_m = {-2, -2}, .cell_m = 0.05, .width = 80, .height = 80};
    for (int turn = 0; turn < 60; turn++) {
        cairn_drivability *drivability = make();
        const cairn_drivability_map map = map_of(cells[0]);
        const cairn_pose2 pose = {0.013, -0.021, turn * CAIRN_PI / 60};
        assert_ok(cairn_drivability_add(drivability, pose, &map));
        cairn_drivability_merge(drivability, &area, merged);
        assert_false(can_slip_through(merged, pose));
    }
    memset(merged, CAIRN_GROUND_FREE, sizeof merged);
    assert_true(can_slip_through(merged, (cairn_pose2){0})); // the flood can fail
}

// One map is laid down half a metre off: its wall stands where the robot is. All later ones are right.
static void a_robot_boxed_in_by_a_misplaced_map_is_free_when_it_says(void **state)
{
    (void)state;
    cairn_drivability *drivability = make();
    memset(cells[0], CAIRN_GROUND_FREE, sizeof cells[0]);
    for (int x = 0; x < EDGE; x++) { cells[0][(EDGE / 2 + 10) * EDGE + x] = CAIRN_GROUND_OBSTACLE; }
    const cairn_drivability_map map = map_of(cells[0]);
    const cairn_vec2 robot = {0, 0};
    for (int i = 0; i < 3; i++) { assert_ok(cairn_drivability_add(drivability, (cairn_pose2){0}, &map)); }
    assert_int_equal(cairn_drivability_maps_to_wait(drivability, robot, 0.2), 0);
    assert_ok(cairn_drivability_add(drivability, (cairn_pose2){.y_m = -0.5}, &map));
    for (uint32_t waited = 0; waited < MAPS; waited++) {
        uint8_t here;
        const cairn_drivability_area area = {.origin_m = {-0.1, -0.1}, .cell_m = 0.2, .width = 1, .height = 1};
        cairn_drivability_merge(drivability, &area, &here);
        assert_int_equal(here, CAIRN_GROUND_OBSTACLE);
        assert_int_equal(cairn_drivability_maps_to_wait(drivability, robot, 0.2), MAPS - waited);
        assert_ok(cairn_drivability_add(drivability, (cairn_pose2){0}, &map));
    }
    assert_int_equal(cairn_drivability_maps_to_wait(drivability, robot, 0.2), 0);
}

static void a_map_that_is_too_large_is_refused(void **state)
{
    (void)state;
    cairn_drivability *drivability = make();
    cairn_drivability_map map = map_of(cells[0]);
    map.width = EDGE + 1;
    assert_int_equal(cairn_drivability_add(drivability, (cairn_pose2){0}, &map), CAIRN_ERR_FULL);
    assert_int_equal(cairn_drivability_map_count(drivability), 0);
}

int main(void)
{
    if (cairn_arena_create(&arena, 1 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_asking_every_cell_of_the_last_twelve_maps),
        cmocka_unit_test(a_thin_wall_stays_closed_however_it_is_turned),
        cmocka_unit_test(a_robot_boxed_in_by_a_misplaced_map_is_free_when_it_says),
        cmocka_unit_test(a_map_that_is_too_large_is_refused),
    };
    const int failed = cmocka_run_group_tests_name("drivability", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
