// Placing a person by the laser: how near the truth, and what is refused.
#include "../base/check.h"
#include "scene.h"

#define SEED 33

static scene hall_with_person(cairn_pose2 person)
{
    scene s = {0};
    world_add_box(&s.walls, -10, -10, 10, 10);
    scene_add_person(&s, person);
    return s;
}

// Whole in the picture, any way round, 0.8 to 5.5 m away. The body's shape is not known: within 0.15 m of its middle.
static void a_person_is_placed_within_15_cm(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/place");
    double worst_m = 0;
    for (int round = 0; round < 60; round++) {
        const cairn_pose2 person = {1, 2, cairn_random_between(&random, -3.14, 3.14)};
        const scene s = hall_with_person(person);
        const double range = cairn_random_between(&random, 1.0, 5.5), from = cairn_random_between(&random, -3.14, 3.14);
        const cairn_pose2 base = {1 + range * cos(from), 2 + range * sin(from),
                                  from + CAIRN_PI + cairn_random_between(&random, -0.35, 0.35)};
        cairn_victim_sighting sightings[CAIRN_HOT_SPOTS_MAX];
        assert_int_equal(scene_sightings(&s, base, &random, sightings), 1);
        const double off_m = hypot(sightings[0].at_m.x - 1, sightings[0].at_m.y - 2);
        worst_m = fmax(worst_m, off_m);
        assert_true(off_m < 0.15);
        assert_true(off_m < 3 * sightings[0].deviation_m);
        assert_true(sightings[0].at_m.z > 0.2 && sightings[0].at_m.z < 0.55);
    }
    print_message("worst %.3f m\n", worst_m);
}

// A person in a box that is open in front: the box's sides stand before and beside the body.
static void a_boxed_person_is_placed_within_20_cm(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/boxed");
    for (int round = 0; round < 30; round++) {
        scene s = {0};
        world_add_box(&s.walls, -10, -10, 10, 10);
        world_add(&s.walls, -0.32, -0.32, -0.32, 0.32); // open towards +x
        world_add(&s.walls, -0.32, -0.32, 0.32, -0.32);
        world_add(&s.walls, -0.32, 0.32, 0.32, 0.32);
        scene_add_person(&s, (cairn_pose2){-0.1, 0, 0});
        const double range = cairn_random_between(&random, 1.2, 4), from = cairn_random_between(&random, -0.5, 0.5);
        const cairn_pose2 base = {range * cos(from), range * sin(from), from + CAIRN_PI};
        cairn_victim_sighting sightings[CAIRN_HOT_SPOTS_MAX];
        assert_int_equal(scene_sightings(&s, base, &random, sightings), 1);
        assert_true(hypot(sightings[0].at_m.x + 0.1, sightings[0].at_m.y) < 0.2);
    }
}

static void a_person_behind_an_edge_is_not_put_on_the_edge(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/edge");
    scene s = {0};
    world_add_box(&s.walls, -10, -10, 10, 10);
    world_add(&s.walls, 1.2, -5, 1.2, -0.03); // a wall that hides nearly half of the person
    scene_add_person(&s, (cairn_pose2){3, 0, 0});
    cairn_victim_sighting sightings[CAIRN_HOT_SPOTS_MAX];
    for (int i = 0; i < 20; i++) {
        assert_int_equal(scene_sightings(&s, (cairn_pose2){0, 0, 0.02 * (i - 10)}, &random, sightings), 1);
        assert_true(fabs(sightings[0].at_m.x - 3) < 0.15);
        assert_true(fabs(sightings[0].at_m.y) < 0.25);
    }
}

static void a_person_beyond_6_m_is_not_placed(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/far");
    const scene s = hall_with_person((cairn_pose2){7.5, 0, 0});
    cairn_victim_sighting sightings[CAIRN_HOT_SPOTS_MAX];
    assert_int_equal(scene_sightings(&s, (cairn_pose2){0, 0, 0}, &random, sightings), 0);
}

// Half of the person is beyond the border: the bearing is off, and the deviation says so.
static void a_cut_person_is_placed_with_a_deviation_that_covers_the_error(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/cut");
    const scene s = hall_with_person((cairn_pose2){2, 0, 0});
    int cut_count = 0;
    for (int i = 0; i <= 20; i++) {
        cairn_victim_sighting sightings[CAIRN_HOT_SPOTS_MAX];
        if (scene_sightings(&s, (cairn_pose2){0, 0, 0.52 + 0.01 * i}, &random, sightings) == 0) { continue; }
        cut_count += sightings[0].cut;
        const double off_m = hypot(sightings[0].at_m.x - 2, sightings[0].at_m.y);
        assert_true(off_m < 2 * sightings[0].deviation_m);
        if (sightings[0].cut) { assert_true(sightings[0].deviation_m > 0.2); }
    }
    assert_true(cut_count >= 5);
}

static void a_spot_without_laser_points_is_not_placed(void **state)
{
    (void)state;
    const cairn_hot_spot spot = {.pixel_count = 50,
                                 .towards = {1, 0, 0},
                                 .towards_left = {1, 0.1, 0},
                                 .towards_right = {1, -0.1, 0},
                                 .towards_top = {1, 0, 0.2},
                                 .towards_bottom = {1, 0, -0.2}};
    const cairn_spot_place_def def = cairn_spot_place_def_default();
    static cairn_scan_points points;
    points = (cairn_scan_points){.count = 100};
    cairn_spot_place place;
    for (int i = 0; i < 100; i++) { points.x_m[i] = 3, points.y_m[i] = (float)(0.01 * i - 0.5); }
    assert_false(cairn_spot_place_find(&def, &spot, &points, SCENE_BASE_T_CAMERA, &place)); // they hit nothing
    for (int i = 0; i < 100; i++) { points.hit[i] = 1; }
    assert_true(cairn_spot_place_find(&def, &spot, &points, SCENE_BASE_T_CAMERA, &place));
    assert_float_equal(place.range_m, 2.8, 0.02);
    assert_float_equal(place.at_m.x, 3.14, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_person_is_placed_within_15_cm),
        cmocka_unit_test(a_boxed_person_is_placed_within_20_cm),
        cmocka_unit_test(a_person_behind_an_edge_is_not_put_on_the_edge),
        cmocka_unit_test(a_person_beyond_6_m_is_not_placed),
        cmocka_unit_test(a_cut_person_is_placed_with_a_deviation_that_covers_the_error),
        cmocka_unit_test(a_spot_without_laser_points_is_not_placed),
    };
    return cmocka_run_group_tests_name("spot_place", tests, NULL, NULL);
}
