#include "check.h"
#include "station/atlas/victims.h"

static cairn_victims victims;

static cairn_msg_victim_seen seen(uint8_t robot, uint32_t sighting, double x_m, double y_m)
{
    return (cairn_msg_victim_seen){.robot = robot,
                                   .sighting = sighting,
                                   .x_mm = (int32_t)(x_m * 1e3),
                                   .y_mm = (int32_t)(y_m * 1e3),
                                   .z_mm = CAIRN_MSG_VICTIM_SEEN_Z_MM_UNKNOWN,
                                   .deviation_mm = 100,
                                   .temperature_dc = 330,
                                   .frame_count = 3,
                                   .confidence_pct = 60};
}

static int reset(void **unused)
{
    (void)unused;
    victims = (cairn_victims){0};
    return 0;
}

// Two robots that see one person from two sides report one victim.
static void two_robots_that_see_one_person_make_one_victim(void **unused)
{
    (void)unused;
    const cairn_pose2 first_start = {1, 2, 0}, second_start = {9, 2, CAIRN_PI};
    const cairn_msg_victim_seen a = seen(1, 1, 4.0, 3.0);  // map (5, 5)
    const cairn_msg_victim_seen b = seen(2, 1, 4.2, -3.2); // map (4.8, 5.2)
    assert_true(cairn_victims_add(&victims, &a, (cairn_seen_from){.map_T_private = first_start}, (cairn_mono){1}));
    assert_false(cairn_victims_add(&victims, &b, (cairn_seen_from){.map_T_private = second_start}, (cairn_mono){2}));
    assert_int_equal(victims.victim_count, 1);
    assert_int_equal(victims.victims[0].sighting_count, 2);
    assert_true(cairn_vec2_distance(victims.victims[0].at_m, (cairn_vec2){4.9, 5.1}) < 0.01);
    assert_int_equal(victims.victims[0].found_by, 1);
}

// A bystander stood still for a while: the robot that saw him walk takes him back, and his number is not given again.
static void a_victim_that_all_take_back_is_none(void **unused)
{
    (void)unused;
    const cairn_msg_victim_seen a = seen(1, 1, 4, 3), b = seen(2, 7, 4.1, 3), c = seen(1, 2, 9, 3);
    assert_true(cairn_victims_add(&victims, &a, (cairn_seen_from){0}, (cairn_mono){1}));
    assert_false(cairn_victims_add(&victims, &b, (cairn_seen_from){0}, (cairn_mono){2}));
    assert_int_equal(cairn_victims_take_back(&victims, 1, 1), 0); // the other still says so
    assert_int_equal(cairn_victims_count(&victims), 1);
    assert_int_equal(cairn_victims_take_back(&victims, 2, 7), 1);
    assert_int_equal(cairn_victims_count(&victims), 0);
    assert_int_equal(cairn_victims_take_back(&victims, 2, 7), 0);
    assert_true(cairn_victims_add(&victims, &c, (cairn_seen_from){0}, (cairn_mono){3}));
    assert_int_equal(victims.victim_count, 2);
    cairn_victims_joined joined;
    assert_false(cairn_victims_join(&victims, &joined));
    assert_int_equal(cairn_victims_count(&victims), 1);
}

static void people_apart_are_apart(void **unused)
{
    (void)unused;
    const cairn_msg_victim_seen a = seen(1, 1, 0, 0), b = seen(1, 2, 1.5, 0);
    assert_true(cairn_victims_add(&victims, &a, (cairn_seen_from){0}, (cairn_mono){1}));
    assert_true(cairn_victims_add(&victims, &b, (cairn_seen_from){0}, (cairn_mono){2}));
    assert_int_equal(victims.victim_count, 2);
}

// The map has no storeys, but people do: whoever lies above another is another, and stays so however near they come.
static void people_above_each_other_are_two(void **unused)
{
    (void)unused;
    cairn_msg_victim_seen below = seen(1, 1, 4, 3), above = seen(2, 1, 4, 3), again = seen(3, 1, 4.1, 3);
    above.floor = again.floor = 1;
    assert_true(cairn_victims_add(&victims, &below, (cairn_seen_from){0}, (cairn_mono){1}));
    assert_true(cairn_victims_add(&victims, &above, (cairn_seen_from){0}, (cairn_mono){2}));
    assert_false(cairn_victims_add(&victims, &again, (cairn_seen_from){0}, (cairn_mono){3}));
    assert_int_equal(victims.victims[0].floor, 0);
    assert_int_equal(victims.victims[1].floor, 1);
    assert_int_equal(victims.victims[1].sighting_count, 2);
    cairn_victims_joined joined;
    assert_false(cairn_victims_join(&victims, &joined));
}

// Who lies on a table or in a hole is looked for there. A robot that cannot tell says nothing of it.
static void the_height_of_a_victim_is_that_of_the_sightings_that_tell_it(void **unused)
{
    (void)unused;
    cairn_msg_victim_seen a = seen(1, 1, 4, 3), b = seen(2, 1, 4, 3), c = seen(3, 1, 4, 3);
    assert_true(cairn_victims_add(&victims, &a, (cairn_seen_from){0}, (cairn_mono){1}));
    assert_false(victims.victims[0].has_z);
    b.z_mm = 400;
    c.z_mm = 600;
    assert_false(cairn_victims_add(&victims, &b, (cairn_seen_from){0}, (cairn_mono){2}));
    assert_false(cairn_victims_add(&victims, &c, (cairn_seen_from){0}, (cairn_mono){3}));
    assert_true(victims.victims[0].has_z);
    assert_true(fabs(victims.victims[0].z_m - 0.5) < 1e-9);
}

// A robot that looks longer knows better: its word replaces its earlier word, it does not add to it.
static void a_better_look_moves_the_victim(void **unused)
{
    (void)unused;
    const cairn_msg_victim_seen first = seen(1, 7, 3.0, 0.0), better = seen(1, 7, 3.4, 0.0);
    assert_true(cairn_victims_add(&victims, &first, (cairn_seen_from){0}, (cairn_mono){1}));
    assert_false(cairn_victims_add(&victims, &better, (cairn_seen_from){0}, (cairn_mono){2}));
    assert_int_equal(victims.victims[0].sighting_count, 1);
    assert_true(fabs(victims.victims[0].at_m.x - 3.4) < 1e-9);
}

// A surer sighting weighs more: by the inverse of its variance.
static void sure_sightings_weigh_more(void **unused)
{
    (void)unused;
    cairn_msg_victim_seen sure = seen(1, 1, 0, 0), vague = seen(2, 1, 0.5, 0);
    sure.deviation_mm = 50;
    vague.deviation_mm = 500;
    (void)cairn_victims_add(&victims, &sure, (cairn_seen_from){0}, (cairn_mono){1});
    (void)cairn_victims_add(&victims, &vague, (cairn_seen_from){0}, (cairn_mono){2});
    assert_true(victims.victims[0].at_m.x < 0.01);
}

static void a_flood_of_sightings_keeps_within_bounds(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 4 * CAIRN_SIGHTINGS_MAX; i++) {
        const cairn_msg_victim_seen one = seen((uint8_t)(1 + i % 3), i + 1, 2.0 * i, 0);
        (void)cairn_victims_add(&victims, &one, (cairn_seen_from){0}, (cairn_mono){i});
    }
    assert_int_equal(victims.victim_count, CAIRN_VICTIMS_MAX);
    assert_true(victims.sighting_count <= CAIRN_SIGHTINGS_MAX);
    assert_true(victims.given_up_count > 0);
}

// A list that is full of victims must not lose the sightings that it has.
static void a_victim_too_many_costs_no_other_its_sightings(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < CAIRN_SIGHTINGS_MAX; i++) { // four sightings of each victim, two metres apart
        const uint32_t victim = i / 4;
        const cairn_msg_victim_seen one = seen((uint8_t)(1 + i % 4), i + 1, 2.0 * victim, 0);
        (void)cairn_victims_add(&victims, &one, (cairn_seen_from){0}, (cairn_mono){i});
    }
    assert_int_equal(victims.victim_count, CAIRN_VICTIMS_MAX);
    assert_int_equal(victims.sighting_count, CAIRN_SIGHTINGS_MAX);
    cairn_msg_victim_seen more = seen(9, 1, 0, 50);
    more.confidence_pct = 90;
    for (uint32_t i = 0; i < 10; i++) {
        more.sighting = i + 1;
        assert_false(cairn_victims_add(&victims, &more, (cairn_seen_from){0}, (cairn_mono){1000 + i}));
    }
    assert_int_equal(victims.sighting_count, CAIRN_SIGHTINGS_MAX);
    assert_int_equal(victims.given_up_count, 10);
    const cairn_msg_victim_seen again = seen(4, CAIRN_SIGHTINGS_MAX, 2.0 * (CAIRN_VICTIMS_MAX - 1), 0.1);
    assert_false(cairn_victims_add(&victims, &again, (cairn_seen_from){0}, (cairn_mono){2000}));
    assert_int_equal(victims.victims[CAIRN_VICTIMS_MAX - 1].sighting_count, 4);
}

// A surer sighting takes the place of the weakest, whose victim then rests on the others only.
static void a_surer_sighting_takes_the_place_of_the_weakest(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < CAIRN_SIGHTINGS_MAX; i++) { // half of them of one victim, half of another
        cairn_msg_victim_seen one = seen(1, i + 1, i % 2 == 0 ? 0.0 : 5.0, 0);
        if (i == 1) {
            one.confidence_pct = 10;
            one.x_mm = 5800; // off, and the weakest
        }
        (void)cairn_victims_add(&victims, &one, (cairn_seen_from){0}, (cairn_mono){i});
    }
    cairn_msg_victim_seen sure = seen(2, 1, 0.1, 0);
    sure.confidence_pct = 90;
    assert_false(cairn_victims_add(&victims, &sure, (cairn_seen_from){0}, (cairn_mono){9000}));
    assert_int_equal(victims.victim_count, 2);
    assert_int_equal(victims.victims[0].sighting_count, CAIRN_SIGHTINGS_MAX / 2 + 1);
    assert_int_equal(victims.victims[1].sighting_count, CAIRN_SIGHTINGS_MAX / 2 - 1);
    assert_true(fabs(victims.victims[1].at_m.x - 5.0) < 1e-9);
    assert_int_equal(victims.given_up_count, 1);
}

// Sightings of robot i, each at (x[i], 0), as victims of their own that then come to lie where they are.
static void make_victims(const double *x_m, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const cairn_msg_victim_seen far = seen((uint8_t)(i + 1), 1, 100.0 + 10 * i, 0);
        assert_true(cairn_victims_add(&victims, &far, (cairn_seen_from){0}, (cairn_mono){i + 1}));
    }
    for (uint32_t i = 0; i < count; i++) {
        const cairn_msg_victim_seen near = seen((uint8_t)(i + 1), 1, x_m[i], 0);
        assert_false(cairn_victims_add(&victims, &near, (cairn_seen_from){0}, (cairn_mono){100 + i}));
    }
}

// As near as a new sighting would have to be; no nearer, and no farther.
static void victims_are_joined_by_the_rule_for_sightings(void **unused)
{
    (void)unused;
    cairn_victims_joined joined;
    for (int mm = 890; mm <= 910; mm += 4) {
        reset(NULL);
        const cairn_msg_victim_seen first = seen(1, 1, 0, 0), second = seen(2, 1, 1e-3 * mm + 1e-4, 0);
        assert_true(cairn_victims_add(&victims, &first, (cairn_seen_from){0}, (cairn_mono){1}));
        const bool is_another = cairn_victims_add(&victims, &second, (cairn_seen_from){0}, (cairn_mono){2});
        reset(NULL);
        make_victims((const double[]){0, 1e-3 * mm + 1e-4}, 2);
        assert_int_equal(cairn_victims_join(&victims, &joined), !is_another);
        assert_int_equal(cairn_victims_count(&victims), is_another ? 2 : 1);
    }
}

// The one that was found first stays, with everything that is known of both.
static void the_smaller_number_stays_with_all_that_is_known(void **unused)
{
    (void)unused;
    make_victims((const double[]){0, 5, 0.4}, 3);
    victims.victims[2].temperature_c = 36;
    cairn_victims_joined joined;
    assert_true(cairn_victims_join(&victims, &joined));
    assert_true(joined.stays == 1 && joined.gone == 3);
    assert_false(cairn_victims_join(&victims, &joined));
    const cairn_victim *stays = &victims.victims[0];
    assert_int_equal(stays->sighting_count, 2);
    assert_true(fabs(stays->at_m.x - 0.2) < 1e-9);
    assert_true(stays->temperature_c == 36);
    assert_true(stays->first_seen.ns == 1 && stays->last_seen.ns == 102 && stays->found_by == 1);
    assert_int_equal(cairn_victims_count(&victims), 2);
    assert_int_equal(victims.victims[2].same_as, 1);
    // A number that is gone is not given again, and nobody is taken for it.
    const cairn_msg_victim_seen more = seen(4, 1, 10, 0), there = seen(5, 1, 0.4, 0);
    assert_true(cairn_victims_add(&victims, &more, (cairn_seen_from){0}, (cairn_mono){200}));
    assert_int_equal(victims.victim_count, 4);
    assert_false(cairn_victims_add(&victims, &there, (cairn_seen_from){0}, (cairn_mono){201}));
    assert_int_equal(stays->sighting_count, 3);
}

// Whoever noted down any of the numbers is led to the person in one step.
static void of_many_that_are_one_each_says_which(void **unused)
{
    (void)unused;
    // 4 and 3 are nearest, then what became of them and 2; that lies at 0.93, too far from 1.
    make_victims((const double[]){0, 0.7, 1.0, 1.1, 9}, 5);
    cairn_victims_joined joined;
    assert_true(cairn_victims_join(&victims, &joined) && joined.gone == 4 && joined.stays == 3);
    assert_true(cairn_victims_join(&victims, &joined) && joined.gone == 3 && joined.stays == 2);
    assert_false(cairn_victims_join(&victims, &joined));
    assert_int_equal(victims.victims[3].same_as, 2);
    for (uint32_t i = 0; i < victims.sighting_count; i++) {
        assert_int_equal(victims.victims[victims.sightings[i].victim].same_as, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(two_robots_that_see_one_person_make_one_victim, reset),
        cmocka_unit_test_setup(a_victim_that_all_take_back_is_none, reset),
        cmocka_unit_test_setup(people_apart_are_apart, reset),
        cmocka_unit_test_setup(people_above_each_other_are_two, reset),
        cmocka_unit_test_setup(the_height_of_a_victim_is_that_of_the_sightings_that_tell_it, reset),
        cmocka_unit_test_setup(a_better_look_moves_the_victim, reset),
        cmocka_unit_test_setup(sure_sightings_weigh_more, reset),
        cmocka_unit_test_setup(a_flood_of_sightings_keeps_within_bounds, reset),
        cmocka_unit_test_setup(a_victim_too_many_costs_no_other_its_sightings, reset),
        cmocka_unit_test_setup(a_surer_sighting_takes_the_place_of_the_weakest, reset),
        cmocka_unit_test_setup(victims_are_joined_by_the_rule_for_sightings, reset),
        cmocka_unit_test_setup(the_smaller_number_stays_with_all_that_is_known, reset),
        cmocka_unit_test_setup(of_many_that_are_one_each_says_which, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
