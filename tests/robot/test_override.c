// Guards that the operator holds off, and the battery's, which he may have to.
#include "rig.h"
#include "robot/reflex/near.h"
#include "robot/reflex/override.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BIT(guard) (1u << (guard))
#define DEGREES (CAIRN_PI / 180.0)

static void hold_off(rig *bench, uint32_t guards)
{
    const cairn_override word = {.issued = bench->now, .guards = guards};
    cairn_cell_write(bench->cells.override, &word, sizeof word);
}

static void run_held(rig *bench, double seconds, uint32_t guards)
{
    for (int i = 0; i < (int)lround(seconds / 0.008); i++) {
        hold_off(bench, guards);
        rig_step(bench);
    }
}

// A robot whose IMU is silent, and which is asked to drive.
static void deaf_rig(rig *bench)
{
    const cairn_body_description description = rig_description();
    rig_init(bench, &description);
    rig_command(bench, 0.4, 0.8);
    rig_run(bench, 1);
    bench->imu_silent = true;
    rig_run(bench, 1);
    assert_true(rig_guarded(bench, CAIRN_GUARD_IMU) && bench->state.told_mps == 0);
}

static void a_guard_that_is_held_off_is_told_and_lets_it_creep(void **state)
{
    (void)state;
    rig bench;
    deaf_rig(&bench);
    run_held(&bench, 2, BIT(CAIRN_GUARD_IMU));
    assert_false(rig_guarded(&bench, CAIRN_GUARD_IMU));
    assert_int_equal(bench.state.overridden, BIT(CAIRN_GUARD_IMU));
    assert_float_equal(bench.state.told_mps, CAIRN_CREEP_MPS, 1e-9);
    assert_float_equal(bench.state.told_radps, CAIRN_CREEP_RADPS, 1e-9);
    bench.imu_silent = false;
    run_held(&bench, 1, BIT(CAIRN_GUARD_IMU)); // nothing would act: nothing is told, and it creeps all the same
    assert_int_equal(bench.state.overridden, 0);
    assert_float_equal(bench.state.told_mps, CAIRN_CREEP_MPS, 1e-9);
    rig_run(&bench, 0.49);
    assert_float_equal(bench.state.told_mps, CAIRN_CREEP_MPS, 1e-9);
    rig_run(&bench, 2); // let go
    assert_float_equal(bench.state.told_mps, 0.4, 1e-9);
    rig_finish(&bench);
}

static void a_word_that_is_old_or_from_the_future_or_was_there_before_holds_nothing_off(void **state)
{
    (void)state;
    rig bench;
    deaf_rig(&bench);
    hold_off(&bench, BIT(CAIRN_GUARD_IMU));
    rig_run(&bench, 0.2);
    assert_true(bench.state.told_mps > 0);
    rig_run(&bench, 0.32);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_IMU) && bench.state.told_mps == 0);
    const int64_t ages_ns[] = {-CAIRN_S(1), CAIRN_MS(501), INT64_MIN / 2};
    for (size_t i = 0; i < sizeof ages_ns / sizeof ages_ns[0]; i++) {
        const cairn_override word = {.issued = {bench.now.ns - ages_ns[i]}, .guards = BIT(CAIRN_GUARD_IMU)};
        cairn_cell_write(bench.cells.override, &word, sizeof word);
        rig_run(&bench, 0.2);
        assert_true(bench.state.told_mps == 0);
    }
    hold_off(&bench, BIT(CAIRN_GUARD_IMU));
    rig_restart(&bench);
    rig_run(&bench, 0.4);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_IMU) && bench.state.told_mps == 0);
    rig_finish(&bench);
}

// By a person who fell asleep on the key, or a key that is stuck.
static void no_hold_is_longer_than_thirty_seconds_and_gaps_do_not_prolong_it(void **state)
{
    (void)state;
    rig bench;
    deaf_rig(&bench);
    run_held(&bench, 14, BIT(CAIRN_GUARD_IMU));
    rig_run(&bench, 1.2); // of which the last word is good for half a second
    run_held(&bench, 14.7, BIT(CAIRN_GUARD_IMU));
    assert_true(bench.state.told_mps > 0);
    run_held(&bench, 1, BIT(CAIRN_GUARD_IMU));
    assert_true(rig_guarded(&bench, CAIRN_GUARD_IMU) && bench.state.told_mps == 0);
    run_held(&bench, 20, BIT(CAIRN_GUARD_IMU) | BIT(CAIRN_GUARD_TIP));
    assert_true(bench.state.told_mps == 0);
    rig_run(&bench, 1.4); // less than a second since the last word was good
    run_held(&bench, 0.5, BIT(CAIRN_GUARD_IMU));
    assert_true(bench.state.told_mps == 0);
    rig_run(&bench, 1.6);
    run_held(&bench, 0.5, BIT(CAIRN_GUARD_IMU));
    assert_true(bench.state.told_mps > 0);
    rig_finish(&bench);
}

// All bits are set, by a mind gone mad: what keeps it from being stopped, and from running away, stays.
static void what_must_not_be_held_off_cannot_be(void **state)
{
    (void)state;
    const cairn_guard guards[] = {CAIRN_GUARD_STOP, CAIRN_GUARD_BUTTON, CAIRN_GUARD_COMMAND, CAIRN_GUARD_ENCODERS,
                                  CAIRN_GUARD_CLOCK};
    for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++) {
        cairn_body_description description = rig_description();
        description.stop_button_offered = true;
        rig bench;
        rig_init(&bench, &description);
        rig_command(&bench, 0.4, 0);
        run_held(&bench, 1, UINT32_MAX);
        assert_true(bench.state.told_mps > 0);
        if (guards[i] == CAIRN_GUARD_STOP) { rig_stop(&bench, true, 0); }
        if (guards[i] == CAIRN_GUARD_BUTTON) { bench.button_pressed = true; }
        if (guards[i] == CAIRN_GUARD_COMMAND) { bench.command_every_period = false; }
        if (guards[i] == CAIRN_GUARD_ENCODERS) { bench.encoders_silent = true; }
        if (guards[i] == CAIRN_GUARD_CLOCK) { bench.now.ns += CAIRN_S(2); }
        run_held(&bench, 0.4, UINT32_MAX);
        assert_true(rig_guarded(&bench, guards[i]));
        assert_true(bench.state.told_mps == 0);
        assert_int_equal(bench.state.overridden & ~CAIRN_GUARDS_OVERRIDABLE, 0);
        rig_finish(&bench);
    }
}

static void who_pushes_on_in_spite_of_a_touch_pushes_slowly(void **state)
{
    (void)state;
    const cairn_body_description description = rig_description();
    rig bench;
    rig_init(&bench, &description);
    bench.bump.front = true;
    rig_command(&bench, 0.5, 1.4);
    run_held(&bench, 2, BIT(CAIRN_GUARD_BUMP));
    const double corner_m = 0.5 * hypot(description.length_m, description.width_m);
    assert_float_equal(bench.state.told_mps, CAIRN_UNSIGHTED_MPS, 1e-9);
    assert_float_equal(bench.state.told_radps, CAIRN_UNSIGHTED_MPS / corner_m, 1e-9);
    assert_int_equal(bench.state.overridden, BIT(CAIRN_GUARD_BUMP));
    rig_finish(&bench);
}

// One that lies tilted may be driven off, slowly; what balances a slope is still not given beyond the limit.
static void a_tilted_robot_may_be_crept_back(void **state)
{
    (void)state;
    const cairn_body_description description = rig_description();
    rig bench;
    rig_init(&bench, &description);
    bench.slope_rad = 40 * DEGREES;
    bench.friction_nm = 8; // it lies on something
    rig_command(&bench, 0.3, 0);
    rig_run(&bench, 6);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_TILT) && bench.state.told_mps == 0);
    run_held(&bench, 2, BIT(CAIRN_GUARD_TILT) | BIT(CAIRN_GUARD_TIP));
    assert_float_equal(bench.state.told_mps, CAIRN_CREEP_MPS, 1e-9);
    assert_true((bench.state.overridden & BIT(CAIRN_GUARD_TILT)) != 0);
    rig_finish(&bench);
}

// ---- battery

static void run_charged(rig *bench, double seconds, double charge)
{
    for (int i = 0; i < (int)lround(seconds); i++) {
        const cairn_battery_frame frame = {.taken = bench->now, .voltage_v = 24, .charge = (float)charge};
        cairn_cell_write(bench->body.battery_reflex, &frame, sizeof frame);
        rig_run(bench, 1);
    }
}

static void battery_rig(rig *bench)
{
    cairn_body_description description = rig_description();
    description.battery = (cairn_battery_description){.offered = true, .low = 0.25, .critical = 0.1};
    rig_init(bench, &description);
    rig_command(bench, 0.4, 0);
    run_charged(bench, 2, 0.8);
    assert_int_equal(bench->state.guards, 0);
}

static void at_the_end_of_its_battery_it_stands_until_it_is_charged_or_the_operator_holds_the_guard_off(void **state)
{
    (void)state;
    rig bench;
    battery_rig(&bench);
    run_charged(&bench, 4, 0.05); // a dip: somebody pushed it up a kerb
    assert_false(rig_guarded(&bench, CAIRN_GUARD_BATTERY));
    run_charged(&bench, 1, 0.2);
    run_charged(&bench, 4, 0.09);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_BATTERY));
    run_charged(&bench, 3, 0.09);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_BATTERY) && bench.state.told_mps == 0);
    run_held(&bench, 2, BIT(CAIRN_GUARD_BATTERY));
    assert_float_equal(bench.state.told_mps, 0.4, 1e-9);
    run_charged(&bench, 4, 0.13); // a gauge that trembles
    assert_true(rig_guarded(&bench, CAIRN_GUARD_BATTERY));
    run_charged(&bench, 3, 0.3);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_BATTERY));
    assert_true(bench.state.told_mps > 0.39);
    rig_finish(&bench);
    battery_rig(&bench);
    cairn_reflex_switch_off(bench.reflex, BIT(CAIRN_GUARD_BATTERY));
    run_charged(&bench, 10, 0.02);
    assert_true(bench.state.told_mps > 0.39);
    rig_finish(&bench);
}

static void a_gauge_that_is_silent_or_impossible_stops_nothing(void **state)
{
    (void)state;
    const double charges[] = {NAN, -0.2, 1.4, INFINITY};
    rig bench;
    battery_rig(&bench);
    rig_run(&bench, 20);
    assert_int_equal(bench.state.guards, 0);
    for (size_t i = 0; i < sizeof charges / sizeof charges[0]; i++) {
        run_charged(&bench, 8, charges[i]);
        assert_int_equal(bench.state.guards, 0);
    }
    run_charged(&bench, 7, 0.05);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_BATTERY));
    rig_run(&bench, 12); // then silent: nobody knows
    assert_false(rig_guarded(&bench, CAIRN_GUARD_BATTERY));
    rig_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guard_that_is_held_off_is_told_and_lets_it_creep),
        cmocka_unit_test(a_word_that_is_old_or_from_the_future_or_was_there_before_holds_nothing_off),
        cmocka_unit_test(no_hold_is_longer_than_thirty_seconds_and_gaps_do_not_prolong_it),
        cmocka_unit_test(what_must_not_be_held_off_cannot_be),
        cmocka_unit_test(who_pushes_on_in_spite_of_a_touch_pushes_slowly),
        cmocka_unit_test(a_tilted_robot_may_be_crept_back),
        cmocka_unit_test(at_the_end_of_its_battery_it_stands_until_it_is_charged_or_the_operator_holds_the_guard_off),
        cmocka_unit_test(a_gauge_that_is_silent_or_impossible_stops_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
