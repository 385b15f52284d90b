// test_difficulty.c - what is said of an arena's ways and ground, against places whose answers are plain.
#include "check.h"
#include "sim/arena/check/difficulty.h"
#include <math.h>
#include <string.h>

#define DEG (180.0 / 3.14159265358979323846)

static uint8_t block[8 << 20];

static cairn_difficulty of_text(const char *text, const cairn_reach_def *robot)
{
    cairn_arena memory;
    cairn_complaints told = {0};
    cairn_sim_arena arena;
    cairn_arena_init(&memory, block, sizeof block);
    if (cairn_sim_arena_parse(text, strlen(text), "a.yaml", &memory, &told, &arena) != CAIRN_OK) {
        fail_msg("refused:\n%s", told.text);
    }
    cairn_difficulty found;
    assert_ok(cairn_difficulty_of(&arena, robot, &found));
    return found;
}

static cairn_difficulty usual(const char *text)
{
    const cairn_reach_def robot = cairn_reach_def_default();
    return of_text(text, &robot);
}

#define HALL                                                                                                           \
    "name: hall\nabout: x\nsize_m: [12, 4]\n"                                                                          \
    "starts:\n  - {at_m: [1, 2]}\nvictims:\n  - {name: v, at_m: [11.2, 2], facing_deg: 180}\n"

// 12 x 4 m with a border of the robot's radius; the victim is seen from 1.5 m before it.
static void an_empty_hall_is_easy_and_all_of_it_is_reached(void **state)
{
    (void)state;
    const cairn_difficulty found = usual(HALL);
    assert_int_equal(found.victims_in_reach, 1);
    assert_float_equal(found.way_m_longest, 11.2 - 1.5 - 1.0, 0.25);
    assert_float_equal(found.reach_m2, found.free_m2, 0.02 * found.free_m2);
    assert_float_equal(found.slope_rad_max, 0.0, 1e-9);
    assert_float_equal(found.step_m_max, 0.0, 1e-9);
    assert_float_equal(found.rough_part, 0.0, 1e-9);
    assert_int_equal(found.loops, 0);
    assert_true(found.narrowest_m > 2.0 && found.total < 2.5);
}

// The number people ask for first: does my robot fit. Two doorways; the wider one counts, and both make a loop.
static void the_narrowest_passage_is_that_of_the_best_way(void **state)
{
    (void)state;
    const char *one = HALL "walls:\n  - points_m: [[6, 0], [6, 1.5]]\n  - points_m: [[6, 2.5], [6, 4]]\n";
    const char *two = HALL "walls:\n  - points_m: [[6, 0.9], [6, 2.2]]\n  - points_m: [[6, 3.6], [6, 4]]\n";
    assert_float_equal(usual(one).narrowest_m, 1.0, 0.21); // two cells
    assert_float_equal(usual(two).narrowest_m, 1.4, 0.21);
}

static void a_ridge_counts_only_where_there_is_no_way_around_it(void **state)
{
    (void)state;
    const char *across = HALL "ramps:\n  - {at_m: [6, 2], length_m: 2, width_m: 4, angle_deg: 15}\n";
    const char *beside = HALL "ramps:\n  - {at_m: [6, 1], length_m: 2, width_m: 1.6, angle_deg: 15}\n";
    const cairn_difficulty needed = usual(across), avoided = usual(beside);
    assert_float_equal(needed.slope_rad_max * DEG, 15.0, 1.0);
    assert_true(needed.rough_part > 0.1);
    assert_float_equal(avoided.slope_rad_max, 0.0, 1e-9);
    assert_true(avoided.total < needed.total);
}

// A kerb across the hall stops a robot that climbs 3 cm, and nothing else does.
static void a_kerb_is_a_step_and_too_high_for_some(void **state)
{
    (void)state;
    const char *kerb = HALL "platforms:\n  - {at_m: [9, 2], size_m: [6, 4], top_m: 0.1}\n";
    cairn_reach_def low = cairn_reach_def_default();
    low.step_m_max = 0.03;
    // The victim stands on it.
    char text[1024];
    (void)snprintf(text, sizeof text, "%s", kerb);
    char *facing = strstr(text, "facing_deg: 180");
    assert_non_null(facing);
    memmove(facing + strlen("facing_deg: 180, foot_m: 0.1"), facing + strlen("facing_deg: 180"),
            strlen(facing + strlen("facing_deg: 180")) + 1);
    memcpy(facing, "facing_deg: 180, foot_m: 0.1", strlen("facing_deg: 180, foot_m: 0.1"));
    const cairn_difficulty can = usual(text), cannot = of_text(text, &low);
    assert_float_equal(can.step_m_max, 0.1, 0.01);
    assert_int_equal(can.victims_in_reach, 1);
    assert_int_equal(cannot.victims_in_reach, 0);
    assert_true(cannot.reach_m2 < 0.6 * cannot.free_m2);
    assert_true(isinf(cannot.narrowest_m));
}

// A room within a room: one loop around it. A side room: one dead end more than without it.
static void loops_and_dead_ends_are_counted(void **state)
{
    (void)state;
    const char *open = "name: o\nabout: x\nsize_m: [10, 10]\nstarts:\n  - {at_m: [1, 1]}\n";
    const char *ring = "name: o\nabout: x\nsize_m: [10, 10]\nstarts:\n  - {at_m: [1, 1]}\n"
                       "walls:\n  - {kind: rectangle, corner_m: [3, 3], size_m: [4, 4]}\n";
    const char *comb = "name: o\nabout: x\nsize_m: [10, 10]\nstarts:\n  - {at_m: [1, 1]}\n"
                       "walls:\n  - points_m: [[2.5, 10], [2.5, 3]]\n  - points_m: [[5, 10], [5, 3]]\n"
                       "  - points_m: [[7.5, 10], [7.5, 3]]\n";
    assert_int_equal(usual(open).loops, 0);
    assert_int_equal(usual(open).dead_ends, 1);
    assert_int_equal(usual(ring).loops, 1);
    assert_int_equal(usual(ring).dead_ends, 0);
    assert_int_equal(usual(comb).loops, 0);
    assert_true(usual(comb).dead_ends >= 4);
}

// A wall around 6 x 4 m on a floor of 12 x 8 m: the ground around it is nobody's. A room that is closed is the arena's.
static void ground_around_an_arena_is_not_counted(void **state)
{
    (void)state;
    const char *house = "name: o\nabout: x\nsize_m: [12, 8]\nstarts:\n  - {at_m: [4, 3]}\n"
                        "walls:\n  - {kind: rectangle, corner_m: [3, 2], size_m: [6, 4]}\n";
    const char *parted = "name: o\nabout: x\nsize_m: [12, 8]\nstarts:\n  - {at_m: [4, 3]}\n"
                         "walls:\n  - {kind: rectangle, corner_m: [3, 2], size_m: [6, 4]}\n"
                         "  - points_m: [[6, 2], [6, 6]]\n";
    assert_float_equal(usual(house).free_m2, 5.22 * 3.22, 1.0);
    assert_float_equal(usual(house).reach_m2, usual(house).free_m2, 0.01);
    assert_float_equal(usual(parted).reach_m2 / usual(parted).free_m2, 0.5, 0.05);
}

// A wall across the hall, 4 m from its east end, in three bands with a gap of 0.14 m in the middle one; behind it a box
// that hangs, its open side to the hole.
static cairn_difficulty of_hole(double foot_m, const cairn_reach_def *robot)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "name: h\nabout: x\nsize_m: [12, 4]\nstarts:\n  - {at_m: [1, 2]}\n"
                   "victims:\n  - {name: v, at_m: [8.15, 2], facing_deg: 180, foot_m: %.2f, hangs: true, hard: true}\n"
                   "walls:\n  - {points_m: [[8, 0], [8, 4]], thickness_m: 0.02, height_m: %.2f}\n"
                   "  - {points_m: [[8, 0], [8, 1.93]], thickness_m: 0.02, foot_m: %.2f, height_m: 0.14}\n"
                   "  - {points_m: [[8, 2.07], [8, 4]], thickness_m: 0.02, foot_m: %.2f, height_m: 0.14}\n"
                   "  - {points_m: [[8, 0], [8, 4]], thickness_m: 0.02, foot_m: %.2f, height_m: 1}\n",
                   foot_m, foot_m + 0.13, foot_m + 0.13, foot_m + 0.13, foot_m + 0.27);
    return of_text(text, robot);
}

// Its middle is never in line with a camera at 0.33 m: what counts is what is seen of it.
static void a_victim_behind_a_hole_is_in_reach_of_cameras_that_see_it(void **state)
{
    (void)state;
    cairn_reach_def robot = cairn_reach_def_default();
    const cairn_difficulty low = of_hole(0.1, &robot), high = of_hole(0.7, &robot), higher = of_hole(1.2, &robot);
    assert_int_equal(low.victims_in_reach, 1);
    assert_int_equal(high.victims_in_reach, 1);
    assert_int_equal(low.victims_seen, 1);
    // 0.9 m up from 1.35 m away is more than 28 degrees, and not more than 50; without a camera nobody is seen.
    assert_int_equal(higher.victims_in_reach, 0);
    robot.look_rad_max = 50 / DEG;
    assert_int_equal(of_hole(1.2, &robot).victims_in_reach, 1);
    robot.look_rad_max = -1.0;
    assert_int_equal(of_hole(0.1, &robot).victims_in_reach, 0);
}

// A hole that is as high as before, from a ramp that leads up to it.
static void a_robot_on_a_ramp_looks_up(void **state)
{
    (void)state;
    const char *text = "name: h\nabout: x\nsize_m: [12, 4]\nstarts:\n  - {at_m: [1, 2]}\n"
                       "ramps:\n  - {kind: slope, at_m: [7.4, 2], length_m: 1, width_m: 3.9, angle_deg: 20}\n"
                       "victims:\n  - {name: v, at_m: [8.3, 2], facing_deg: 180, foot_m: 1.2, hangs: true}\n"
                       "walls:\n  - {points_m: [[8.1, 0], [8.1, 4]], height_m: 1.2}\n";
    assert_int_equal(usual(text).victims_in_reach, 1);
}

static void the_total_is_the_sum_of_its_parts(void **state)
{
    (void)state;
    const cairn_difficulty found = usual(HALL);
    for (int i = 0; i < CAIRN_DIFFICULTY_PART_COUNT; i++) {
        assert_true(found.parts[i] >= 0.0 && found.parts[i] <= 1.0);
        assert_non_null(cairn_difficulty_names[i]);
    }
    assert_true(found.total >= 1.0 && found.total <= 10.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_hall_is_easy_and_all_of_it_is_reached),
        cmocka_unit_test(the_narrowest_passage_is_that_of_the_best_way),
        cmocka_unit_test(a_ridge_counts_only_where_there_is_no_way_around_it),
        cmocka_unit_test(a_kerb_is_a_step_and_too_high_for_some),
        cmocka_unit_test(loops_and_dead_ends_are_counted),
        cmocka_unit_test(ground_around_an_arena_is_not_counted),
        cmocka_unit_test(a_victim_behind_a_hole_is_in_reach_of_cameras_that_see_it),
        cmocka_unit_test(a_robot_on_a_ramp_looks_up),
        cmocka_unit_test(the_total_is_the_sum_of_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
