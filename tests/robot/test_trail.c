#include "../base/check.h"
#include "robot/deliberate/trail.h"

static cairn_trail trail;
static cairn_vec2 home[64];

// A robot that went out, walked a loop and came back to a place it knows goes home from there directly.
static void loops_are_cut_from_the_way_home(void **unused)
{
    (void)unused;
    cairn_trail_init(&trail, 0.25);
    for (int i = 0; i <= 40; i++) { cairn_trail_add(&trail, (cairn_vec2){0.25 * i, 0}); } // 10 m out
    for (int i = 0; i <= 120; i++) {                                                      // a loop of 30 m
        const double angle = 2 * CAIRN_PI * i / 120, radius = 30 / (2 * CAIRN_PI);
        cairn_trail_add(&trail, (cairn_vec2){10 + radius * sin(angle), radius * (1 - cos(angle))});
    }
    const cairn_vec2 at = {10, 0.1};
    const uint32_t count = cairn_trail_home(&trail, at, 0.6, 2.0, home, 64);
    assert_true(count >= 4 && count <= 8); // 10 m in steps of at most 2 m
    double length_m = cairn_vec2_distance(at, home[0]);
    for (uint32_t i = 1; i < count; i++) { length_m += cairn_vec2_distance(home[i - 1], home[i]); }
    assert_true(length_m < 11.0);
    assert_true(cairn_vec2_length(home[count - 1]) < 1e-9);
}

static void steps_of_the_way_home_are_short(void **unused)
{
    (void)unused;
    cairn_trail_init(&trail, 0.25);
    for (int i = 0; i <= 400; i++) { cairn_trail_add(&trail, (cairn_vec2){0.25 * i, 3 * sin(0.05 * i)}); }
    const cairn_vec2 at = trail.points_m[trail.count - 1];
    const uint32_t count = cairn_trail_home(&trail, at, 0.2, 2.0, home, 64);
    cairn_vec2 last = at;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(cairn_vec2_distance(last, home[i]) < 2.5);
        last = home[i];
    }
    assert_true(cairn_vec2_length(last) < 1e-9);
}

// 250 m do not fit into 64 points 2 m apart; but a robot must not take half the way for home.
static void the_longest_way_home_ends_at_the_start(void **unused)
{
    (void)unused;
    cairn_trail_init(&trail, 0.25);
    for (int i = 0; i <= 1000; i++) { cairn_trail_add(&trail, (cairn_vec2){0.25 * i, 0}); }
    const cairn_vec2 at = {250, 0.1};
    const uint32_t count = cairn_trail_home(&trail, at, 0.2, 2.0, home, 64);
    assert_true(count > 32 && count <= 64);
    assert_true(cairn_vec2_length(home[count - 1]) < 1e-9);
    for (uint32_t i = 1; i < count; i++) { assert_true(cairn_vec2_distance(home[i - 1], home[i]) < 4.5); }
}

static void who_goes_back_takes_the_trail_up(void **unused)
{
    (void)unused;
    cairn_trail_init(&trail, 0.25);
    for (int i = 0; i <= 20; i++) { cairn_trail_add(&trail, (cairn_vec2){0.25 * i, 0}); }
    cairn_trail_back(&trail, (cairn_vec2){5.1, 0}); // ahead of the last one: nothing was passed
    assert_int_equal(trail.count, 21);
    cairn_trail_back(&trail, (cairn_vec2){3.9, 0.05});
    assert_int_equal(trail.count, 16); // up to 3.75 m
    cairn_trail_back(&trail, (cairn_vec2){-1, 0});
    assert_int_equal(trail.count, 1); // the start stays
    cairn_trail_back(&trail, (cairn_vec2){-1, 0});
    assert_int_equal(trail.count, 1);
}

static void no_trail_is_no_way(void **unused)
{
    (void)unused;
    cairn_trail_init(&trail, 0.25);
    assert_int_equal(cairn_trail_home(&trail, (cairn_vec2){1, 1}, 0.6, 2.0, home, 64), 0);
}

// Hours of driving must fit: the start is never lost, and the newest point is there.
static void a_full_trail_thins_itself_and_keeps_both_ends(void **unused)
{
    (void)unused;
    cairn_trail_init(&trail, 0.25);
    const int points = 10 * CAIRN_TRAIL_POINTS_MAX;
    for (int i = 0; i <= points; i++) { cairn_trail_add(&trail, (cairn_vec2){0.25 * i, 0}); }
    assert_true(trail.count <= CAIRN_TRAIL_POINTS_MAX);
    assert_true(cairn_vec2_length(trail.points_m[0]) < 1e-9);
    assert_true(0.25 * points - trail.points_m[trail.count - 1].x <= trail.spacing_m + 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_cut_from_the_way_home),
        cmocka_unit_test(steps_of_the_way_home_are_short),
        cmocka_unit_test(the_longest_way_home_ends_at_the_start),
        cmocka_unit_test(who_goes_back_takes_the_trail_up),
        cmocka_unit_test(no_trail_is_no_way),
        cmocka_unit_test(a_full_trail_thins_itself_and_keeps_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
