// What a robot says has become of it, from what it feels.
#include "geometry/vec.h"
#include "robot/condition/condition.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STEP_NS CAIRN_MS(16)

static const cairn_condition_input stands = {.tilt_rad_max = 0.6, .half_track_m = 0.2};

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
    spins.wheels_mps = spins.told_mps = 0.2;
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
    const cairn_condition_input none = {.tilt_rad_max = 0.6,
                                        .half_track_m = 0.2,
                                        .tilt_rad = NAN,
                                        .roll_rad = NAN,
                                        .pitch_rad = NAN,
                                        .told_mps = 0.3,
                                        .wheels_mps = NAN,
                                        .turn_radps = NAN,
                                        .seen_mps = NAN};
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

typedef struct hands {
    double sway_rad, period_s, turn_radps, wheels_mps, seen_mps;
} hands;

// Rolls to and fro for so long.
static cairn_condition sway(cairn_condition_state *state, const hands *by, double for_s, cairn_mono *now)
{
    cairn_condition_input input = stands;
    input.turn_radps = by->turn_radps;
    input.wheels_mps = input.told_mps = by->wheels_mps;
    input.seen_mps = by->seen_mps;
    for (const int64_t end_ns = now->ns + cairn_ns_from_seconds(for_s); now->ns < end_ns; now->ns += STEP_NS) {
        input.roll_rad = input.tilt_rad = by->sway_rad * sin(2 * CAIRN_PI * cairn_seconds(now->ns) / by->period_s);
        (void)cairn_condition_step(state, &input, *now);
    }
    return state->said;
}

// Its wheels stand, or turn freely, and no ground makes it sway so. Set down, it is well again.
static void hands_that_sway_are_felt_within_two_seconds(void **unused)
{
    (void)unused;
    const hands carry[] = {{0.06, 1.2, 0, 0, 0}, {0.06, 2, 0.3, 0, 0}, {0.06, 2, 0, 0, 0.3}, {0.08, 1.2, 0, 0.3, 0}};
    const hands still = {0.001, 1.2, 0, 0, 0};
    for (size_t i = 0; i < sizeof carry / sizeof carry[0]; i++) {
        cairn_condition_state state;
        cairn_condition_init(&state);
        cairn_mono now = {0};
        assert_int_equal(sway(&state, &carry[i], 2, &now), CAIRN_CONDITION_LIFTED);
        assert_int_equal(sway(&state, &still, 3, &now), CAIRN_CONDITION_WELL);
    }
}

// Rubble tilts a robot that drives, and the ground gives way once under one that stands.
static void ground_that_tilts_is_not_taken_for_hands(void **unused)
{
    (void)unused;
    cairn_condition_state state;
    cairn_condition_init(&state);
    cairn_mono now = {0};
    const hands rubble = {0.15, 1.5, 0.2, 0.3, 0.28};
    assert_int_equal(sway(&state, &rubble, 5, &now), CAIRN_CONDITION_WELL);
    cairn_condition_input input = stands;
    cairn_condition_init(&state);
    for (; now.ns < CAIRN_S(10); now.ns += STEP_NS) {
        input.roll_rad = input.tilt_rad = now.ns < CAIRN_S(7) ? 0 : 0.1;
        assert_int_equal(cairn_condition_step(&state, &input, now), CAIRN_CONDITION_WELL);
    }
}

// Who tips over slowly leans one way only: nobody holds it.
// Whoever takes it up need not sway, and its wheels may turn; a ramp taken fast is no hand.
static void one_that_rises_is_lifted(void **unused)
{
    (void)unused;
    cairn_condition_input lifted = stands, climbs = stands;
    lifted.rises_mps = 0.25;
    lifted.told_mps = lifted.wheels_mps = 0.1;
    climbs.told_mps = climbs.wheels_mps = climbs.seen_mps = 0.6;
    climbs.rises_mps = 0.2;
    assert_true(said_after_s(&lifted, CAIRN_CONDITION_LIFTED) < 1);
    assert_true(said_after_s(&climbs, CAIRN_CONDITION_LIFTED) > 5);
}

static void one_that_tips_over_is_not_taken_for_lifted(void **unused)
{
    (void)unused;
    cairn_condition_state state;
    cairn_condition_init(&state);
    cairn_condition_input input = stands;
    for (cairn_mono now = {0}; now.ns < CAIRN_S(5); now.ns += STEP_NS) {
        input.roll_rad = input.tilt_rad = 0.3 * cairn_seconds(now.ns);
        assert_int_not_equal(cairn_condition_step(&state, &input, now), CAIRN_CONDITION_LIFTED);
    }
    assert_int_equal(state.said, CAIRN_CONDITION_FALLEN);
}

// What it leans more by than on the way there is what its belly lies on.
static void spinning_with_another_lean_is_its_belly(void **unused)
{
    (void)unused;
    cairn_condition_state state;
    cairn_condition_init(&state);
    cairn_mono now = {0};
    const hands drives = {0.002, 2, 0, 0.3, 0.3};
    assert_int_equal(sway(&state, &drives, 3, &now), CAIRN_CONDITION_WELL);
    cairn_condition_input spins = stands;
    spins.wheels_mps = spins.told_mps = 0.3;
    spins.pitch_rad = -0.1;
    spins.tilt_rad = 0.1;
    const int64_t until_ns = now.ns + CAIRN_S(2);
    for (; now.ns < until_ns; now.ns += STEP_NS) { (void)cairn_condition_step(&state, &spins, now); }
    assert_int_equal(state.said, CAIRN_CONDITION_HIGH_CENTRED);
    // On a slope it is the slope.
    spins.pitch_rad = -0.3;
    spins.tilt_rad = 0.3;
    for (const int64_t end_ns = now.ns + CAIRN_S(2); now.ns < end_ns; now.ns += STEP_NS) {
        (void)cairn_condition_step(&state, &spins, now);
    }
    assert_int_equal(state.said, CAIRN_CONDITION_SPINNING);
}

// Matching tells of the way a little later than wheels do.
static void one_that_starts_is_not_stuck(void **unused)
{
    (void)unused;
    cairn_condition_state state;
    cairn_condition_init(&state);
    cairn_condition_input input = stands;
    for (cairn_mono now = {0}; now.ns < CAIRN_S(5); now.ns += STEP_NS) {
        const double age_s = cairn_seconds(now.ns) - 2;
        input.told_mps = input.wheels_mps = fmin(fmax(age_s, 0), 0.5);
        input.seen_mps = fmin(fmax(age_s - 0.25, 0), 0.5);
        assert_int_equal(cairn_condition_step(&state, &input, now), CAIRN_CONDITION_WELL);
    }
}

// Its belts spin or are held, and nobody counts them: that it does not do what it is told is all that tells.
static void one_whose_wheels_nobody_counts_is_stuck_when_it_lags(void **unused)
{
    (void)unused;
    cairn_condition_input turns = stands, creeps = stands;
    turns.uncounted = creeps.uncounted = true;
    turns.told_radps = 0.2;
    turns.turn_radps = 0.1;
    assert_true(said_after_s(&turns, CAIRN_CONDITION_BLOCKED) < 2.2);
    creeps.told_mps = 0.08;
    creeps.wheels_mps = creeps.seen_mps = 0.01;
    assert_true(said_after_s(&creeps, CAIRN_CONDITION_BLOCKED) < 2.2);
    turns.turn_radps = 0.17;
    creeps.wheels_mps = creeps.seen_mps = 0.06;
    for (int what = 1; what < CAIRN_CONDITION_COUNT; what++) {
        assert_true(said_after_s(&turns, (cairn_condition)what) > 5);
        assert_true(said_after_s(&creeps, (cairn_condition)what) > 5);
    }
    turns.turn_radps = 0.1;
    turns.seen_mps = turns.told_mps = turns.wheels_mps = 0.2; // it goes
    assert_true(said_after_s(&turns, CAIRN_CONDITION_BLOCKED) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_said_within_two_seconds),
        cmocka_unit_test(a_robot_that_stands_or_drives_is_well),
        cmocka_unit_test(what_nobody_knows_is_not_said),
        cmocka_unit_test(hands_that_sway_are_felt_within_two_seconds),
        cmocka_unit_test(ground_that_tilts_is_not_taken_for_hands),
        cmocka_unit_test(one_that_rises_is_lifted),
        cmocka_unit_test(one_that_tips_over_is_not_taken_for_lifted),
        cmocka_unit_test(spinning_with_another_lean_is_its_belly),
        cmocka_unit_test(one_that_starts_is_not_stuck),
        cmocka_unit_test(one_whose_wheels_nobody_counts_is_stuck_when_it_lags),
        cmocka_unit_test(a_short_lean_is_not_said_and_an_end_is_said_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
