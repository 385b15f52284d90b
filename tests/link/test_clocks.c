// The mission clock on a robot: right on a good link, honest on a bad one.
#include "link/clock_bounds.h"
#include "pair.h"

static int64_t true_offset_ns(const pair *world)
{
    return pair_clock(world, CAIRN_LINK_STATION).ns - pair_clock(world, CAIRN_LINK_ROBOT).ns;
}

static cairn_link_clock robot_clock(const pair *world)
{
    return cairn_link_clock_now(world->links[CAIRN_LINK_ROBOT], pair_clock(world, CAIRN_LINK_ROBOT));
}

static int64_t error_ns(const pair *world)
{
    const int64_t error = robot_clock(world).offset_ns - true_offset_ns(world);
    return error < 0 ? -error : error;
}

// The tick of 4 ms is part of the world: packets wait for it on both ways alike.
static void a_symmetric_link_gives_the_offset_within_5_ms(void **state)
{
    (void)state;
    int64_t worst_ns = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const radio_faults faults = {.delay_ns = CAIRN_MS(3 * (int64_t)seed), .jitter_ns = CAIRN_MS(10), .loss = 0.1};
        pair *world = pair_create(seed, &faults);
        world->drift[CAIRN_LINK_ROBOT] = (double)seed * 4e-6 - 40e-6;
        assert_false(robot_clock(world).synchronised);
        pair_run(world, CAIRN_S(10));
        for (int i = 0; i < 5000; i++) {
            pair_run(world, PAIR_TICK_NS);
            assert_true(robot_clock(world).synchronised);
            worst_ns = error_ns(world) > worst_ns ? error_ns(world) : worst_ns;
        }
        pair_destroy(world);
    }
    print_message("worst error %.2f ms\n", (double)worst_ns * 1e-6);
    assert_true(worst_ns < CAIRN_MS(5));
}

static void a_bad_link_keeps_within_its_stated_uncertainty(void **state)
{
    (void)state;
    int64_t worst_ns = 0, stated_ns = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const radio_faults faults = {.loss = 0.3,
                                     .twice = 0.1,
                                     .delay_ns = CAIRN_MS(2),
                                     .jitter_ns = CAIRN_MS(500),
                                     .extra_up_ns = CAIRN_MS(5) * (int64_t)seed, // far from symmetric
                                     .silent_from_ns = CAIRN_S(30),
                                     .silent_to_ns = CAIRN_S(50)};
        pair *world = pair_create(seed, &faults);
        world->drift[CAIRN_LINK_ROBOT] = seed % 2 == 0 ? 90e-6 : -90e-6; // within the 100 ppm allowed
        while (world->now_ns < CAIRN_S(80)) {
            pair_run(world, PAIR_TICK_NS);
            const cairn_link_clock clock = robot_clock(world);
            if (clock.uncertainty_ns == INT64_MAX) { continue; }
            assert_true(error_ns(world) <= clock.uncertainty_ns);
            if (world->now_ns < CAIRN_S(20)) { continue; }
            worst_ns = error_ns(world) > worst_ns ? error_ns(world) : worst_ns;
            stated_ns = clock.uncertainty_ns > stated_ns ? clock.uncertainty_ns : stated_ns;
        }
        pair_destroy(world);
    }
    print_message("worst error %.1f ms, stated at most %.1f ms\n", (double)worst_ns * 1e-6, (double)stated_ns * 1e-6);
}

static void in_silence_the_uncertainty_grows_until_the_clock_is_lost(void **state)
{
    (void)state;
    const radio_faults faults = {.delay_ns = CAIRN_MS(10)};
    pair *world = pair_create(3, &faults);
    pair_run(world, CAIRN_S(5));
    world->faults.loss = 1.0;
    int64_t before_ns = robot_clock(world).uncertainty_ns;
    for (int i = 0; i < 5; i++) {
        pair_run(world, CAIRN_S(10));
        assert_true(robot_clock(world).synchronised);
        // 100 ppm on each of the two bounds
        assert_in_range(robot_clock(world).uncertainty_ns - before_ns, CAIRN_MS(1) * 9 / 10, CAIRN_MS(1) * 11 / 10);
        before_ns = robot_clock(world).uncertainty_ns;
    }
    pair_run(world, CAIRN_S(11));
    cairn_mission mission;
    assert_false(robot_clock(world).synchronised);
    assert_int_equal(cairn_link_mission(world->links[CAIRN_LINK_ROBOT], pair_clock(world, 0), &mission),
                     CAIRN_ERR_STALE);
    assert_ok(cairn_link_mission(world->links[CAIRN_LINK_STATION], pair_clock(world, 1), &mission));
    assert_int_equal(mission.ns, pair_clock(world, 1).ns);
    pair_destroy(world);
}

static void bounds_that_cross_are_a_jump_and_begin_anew(void **state)
{
    (void)state;
    cairn_clock_bounds bounds = {0};
    int64_t low_ns = 0, high_ns = 0;
    cairn_clock_bounds_raise_low(&bounds, 100, (cairn_mono){0}, 100);
    assert_false(cairn_clock_bounds_at(&bounds, (cairn_mono){0}, 100, &low_ns, &high_ns));
    cairn_clock_bounds_drop_high(&bounds, 300, (cairn_mono){0}, 100);
    cairn_clock_bounds_raise_low(&bounds, 50, (cairn_mono){0}, 100); // a slower packet tells nothing
    assert_true(cairn_clock_bounds_at(&bounds, (cairn_mono){0}, 100, &low_ns, &high_ns));
    assert_int_equal(low_ns, 100);
    assert_int_equal(high_ns, 300);
    cairn_clock_bounds_raise_low(&bounds, 5000, (cairn_mono){0}, 100);
    assert_false(cairn_clock_bounds_at(&bounds, (cairn_mono){0}, 100, &low_ns, &high_ns));
    assert_int_equal(bounds.jump_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_symmetric_link_gives_the_offset_within_5_ms),
        cmocka_unit_test(a_bad_link_keeps_within_its_stated_uncertainty),
        cmocka_unit_test(in_silence_the_uncertainty_grows_until_the_clock_is_lost),
        cmocka_unit_test(bounds_that_cross_are_a_jump_and_begin_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
