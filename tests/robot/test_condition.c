// What a robot says has become of it, from what it feels.
#include "robot/condition/condition.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STEP_NS CAIRN_MS(16)

static const cairn_condition_input stands = {.tilt_rad_max = 0.6, .seen_mps = NAN};

// Seconds until it is said; 99: never within five.
static double said_after_s(const cairn_condition_input *input, cairn_condition what)
{
    cairn_condition_state state;
    cairn_condition_init(&state);
    cairn_mono now = {0};
    for (; now.ns < CAIRN_S(5); now.ns += STEP_NS) {
        if (cairn_condition_step(&state, input, now) == what) { return cairn_seconds(now.ns); }
    }
    return 99;
}

static void each_is_said_within_two_seconds(void **unused)
{
    (void)unused;
    cairn_condition_input fallen = stands, tilted = stands, slides = stands, blocked = stands, spins = stands;
    fallen.tilt_rad = 1.6;
    tilted.tilt_rad = 0.7;
    slides.seen_mps = -0.2;
    blocked.told_mps = 0.2;
    spins.spin_s = 1;
    assert_true(said_after_s(&fallen, CAIRN_CONDITION_FALLEN) < 2);
    assert_true(said_after_s(&tilted, CAIRN_CONDITION_TILTED) < 2);
    assert_true(said_after_s(&slides, CAIRN_CONDITION_SLIDING) < 2);
    assert_true(said_after_s(&blocked, CAIRN_CONDITION_BLOCKED) < 2);
    blocked.bump_left = blocked.bump_right = true;
    assert_true(said_after_s(&blocked, CAIRN_CONDITION_WEDGED) < 2);
    assert_true(said_after_s(&spins, CAIRN_CONDITION_SPINNING) < 2);
    cairn_condition_input blind = stands;
    blind.blind = true;
    assert_true(said_after_s(&blind, CAIRN_CONDITION_BLIND) < 2);
}

static void a_robot_that_stands_or_drives_is_well(void **unused)
{
    (void)unused;
    cairn_condition_input drives = stands;
    drives.told_mps = drives.wheels_mps = drives.seen_mps = 0.5;
    drives.told_radps = drives.turn_radps = 0.3;
    for (int what = 1; what < CAIRN_CONDITION_COUNT; what++) {
        assert_true(said_after_s(&stands, (cairn_condition)what) > 5);
        assert_true(said_after_s(&drives, (cairn_condition)what) > 5);
    }
}

static void what_nobody_knows_is_not_said(void **unused)
{
    (void)unused;
    const cairn_condition_input none = {
        .tilt_rad_max = 0.6, .tilt_rad = NAN, .told_mps = 0.3, .wheels_mps = NAN, .turn_radps = NAN, .seen_mps = NAN};
    for (int what = 1; what < CAIRN_CONDITION_COUNT; what++) {
        assert_true(said_after_s(&none, (cairn_condition)what) > 5);
    }
}

// A jolt is not a fall; and what has ended is said for a second longer, once.
static void a_short_lean_is_not_said_and_an_end_is_said_late(void **unused)
{
    (void)unused;
    cairn_condition_state state;
    cairn_condition_init(&state);
    cairn_condition_input input = stands;
    cairn_mono now = {0};
    input.tilt_rad = 1.6;
    for (; now.ns < CAIRN_MS(200); now.ns += STEP_NS) {
        assert_int_equal(cairn_condition_step(&state, &input, now), CAIRN_CONDITION_WELL);
    }
    for (; now.ns < CAIRN_S(1); now.ns += STEP_NS) { (void)cairn_condition_step(&state, &input, now); }
    assert_int_equal(state.said, CAIRN_CONDITION_FALLEN);
    input.tilt_rad = 0;
    assert_int_equal(cairn_condition_step(&state, &input, now), CAIRN_CONDITION_FALLEN);
    for (; now.ns < CAIRN_S(3); now.ns += STEP_NS) { (void)cairn_condition_step(&state, &input, now); }
    assert_int_equal(state.said, CAIRN_CONDITION_WELL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_said_within_two_seconds),
        cmocka_unit_test(a_robot_that_stands_or_drives_is_well),
        cmocka_unit_test(what_nobody_knows_is_not_said),
        cmocka_unit_test(a_short_lean_is_not_said_and_an_end_is_said_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
