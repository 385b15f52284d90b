// Guards on how the robot moves: about to tip over, and wheels that turn while it stands.
#include "base/random.h"
#include "rig.h"
#include "robot/reflex/near.h"
#include "robot/reflex/spin.h"
#include "robot/reflex/tip.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SEED 1996u
#define DEGREES (CAIRN_PI / 180.0)
#define SWITCHED_OFF(guard) (1u << (guard))

static cairn_body_description tall_description(double mass_m)
{
    cairn_body_description description = rig_description();
    description.mass_centre_m.z = mass_m;
    description.limits.tilt_rad_max = 1.4; // only what is tested limits it
    return description;
}

static void moving_rig(rig *bench, double mass_m, double forward_mps)
{
    const cairn_body_description description = tall_description(mass_m);
    rig_init(bench, &description);
    rig_command(bench, forward_mps, 0);
    rig_run(bench, 2);
    assert_int_equal(bench->state.guards, 0);
}

// Leans on at this rate, as the gyro says, too.
static void lean(rig *bench, double radps)
{
    bench->slope_rad += radps * 0.008;
    bench->level_bias_radps.y = -radps;
    rig_step(bench);
}

// ---- tipping over

// The force from the centre of mass meets the ground between the wheels, or does not.
static bool stands_by_its_shadow(const cairn_body_description *of, cairn_vec3 force)
{
    if (force.z >= 0) { return false; }
    const cairn_vec3 from = of->mass_centre_m;
    const double down = from.z / -force.z;
    return fabs(from.x + down * force.x) < 0.5 * of->wheels.wheelbase_m &&
           fabs(from.y + down * force.y) < 0.5 * of->wheels.track_m;
}

static void the_measure_is_positive_exactly_while_the_force_points_between_the_wheels(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "tipping/measure");
    print_message("seed %u\n", SEED);
    uint32_t stood = 0;
    for (int i = 0; i < 20000; i++) {
        cairn_body_description of = rig_description();
        of.mass_centre_m =
            (cairn_vec3){cairn_random_between(&random, -0.08, 0.08), cairn_random_between(&random, -0.08, 0.08),
                         cairn_random_between(&random, 0.05, 0.5)};
        cairn_tip tip;
        cairn_tip_init(&tip, &of);
        assert_float_equal(cairn_tip_measure(&tip, (cairn_vec3){0, 0, -9.8}), 1, 1e-9);
        const cairn_vec3 force = {cairn_random_between(&random, -15, 15), cairn_random_between(&random, -15, 15),
                                  cairn_random_between(&random, -15, -1)};
        const double measure = cairn_tip_measure(&tip, force);
        if (fabs(measure) > 1e-9) { assert_int_equal(measure > 0, stands_by_its_shadow(&of, force)); }
        stood += measure > 0;
    }
    assert_true(stood > 4000 && stood < 16000);
}

// How far it leans when the wheels are first told to stand, thrown over backwards at this rate; the lean at which it
// tips over by itself if never.
static double stopped_at_rad(double radps, uint32_t without)
{
    rig bench;
    moving_rig(&bench, 0.2, 0.4);
    cairn_reflex_switch_off(bench.reflex, without);
    const double over_rad = atan2(0.5 * bench.description.wheels.wheelbase_m, 0.2);
    while (bench.slope_rad < over_rad && bench.state.told_mps != 0) { lean(&bench, radps); }
    const double at_rad = bench.slope_rad;
    rig_finish(&bench);
    return at_rad;
}

static void one_that_is_thrown_over_stops_before_it_is_past_help(void **state)
{
    (void)state;
    const double over_rad = atan2(0.14, 0.2);
    for (double radps = 0.4; radps < 3; radps += 0.4) {
        const double at_rad = stopped_at_rad(radps, 0);
        print_message("%.1f rad/s: %.0f of %.0f degrees\n", radps, at_rad / DEGREES, over_rad / DEGREES);
        assert_true(at_rad < over_rad - 2 * DEGREES);
        assert_true(stopped_at_rad(radps, SWITCHED_OFF(CAIRN_GUARD_TIP)) >= over_rad);
    }
    assert_true(stopped_at_rad(2.4, 0) < stopped_at_rad(0.4, 0)); // the faster it turns over, the sooner
}

static void a_lean_that_is_near_tipping_slows_before_it_stops(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench, 0.2, 0.5);
    const double over_rad = atan2(0.14, 0.2);
    for (int i = 0; i < 250; i++) { lean(&bench, 0.78 * over_rad / 2); }
    bench.level_bias_radps.y = 0;
    double before_mps = bench.state.told_mps;
    for (int i = 0; i < 125; i++) {
        rig_step(&bench);
        assert_true(before_mps - bench.state.told_mps < 0.0081); // gently: within its own acceleration
        before_mps = bench.state.told_mps;
    }
    assert_true(rig_guarded(&bench, CAIRN_GUARD_TIP));
    assert_true(bench.state.told_mps >= CAIRN_CREEP_MPS && bench.state.told_mps < 0.4);
    for (int i = 0; i < 125; i++) { lean(&bench, -0.7 * over_rad); }
    bench.level_bias_radps.y = 0;
    rig_run(&bench, 2);
    assert_int_equal(bench.state.guards, 0);
    assert_true(bench.state.told_mps > 0.49);
    rig_finish(&bench);
}

// Ramps that it is meant for, taken at full speed, with blows of stones on the way: it is not stopped.
static void ramps_and_jolts_do_not_stop_it(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "tipping/ramps");
    print_message("seed %u\n", SEED);
    rig bench;
    moving_rig(&bench, 0.14, 0.5);
    for (int round = 0; round < 40; round++) {
        const double from_rad = bench.slope_rad, to_rad = (round % 2 == 0 ? 20 : -20) * DEGREES;
        const int steps = 60 + (int)cairn_random_below(&random, 60); // the base's length at this speed, and more
        for (int i = 0; i < steps + 60; i++) {
            const bool jolt = cairn_random_below(&random, 10) == 0;
            bench.accel_extra_mps2 = (cairn_vec3){0};
            if (jolt) {
                bench.accel_extra_mps2 =
                    (cairn_vec3){cairn_random_between(&random, -40, 40), cairn_random_between(&random, -40, 40),
                                 cairn_random_between(&random, -40, 40)};
            }
            bench.level_bias_radps.x = cairn_random_between(&random, -0.5, 0.5);
            lean(&bench, i < steps ? (to_rad - from_rad) / (steps * 0.008) : 0);
            assert_true(bench.state.told_mps > CAIRN_CREEP_MPS);
        }
    }
    rig_finish(&bench);
}

static void without_an_imu_nothing_tells_of_tipping(void **state)
{
    (void)state;
    cairn_body_description description = tall_description(0.4);
    description.imu.offered = false;
    rig bench;
    rig_init(&bench, &description);
    bench.slope_rad = 30 * DEGREES;
    rig_command(&bench, 0.3, 0);
    rig_run(&bench, 2);
    assert_int_equal(bench.state.guards, 0);
    rig_finish(&bench);
}

// ---- wheels that spin

// What mind sees by its scans: so much of what the wheels do.
static void run_seen(rig *bench, double seconds, double part)
{
    for (int i = 0; i < (int)lround(seconds / 0.008); i++) {
        if (i % 12 == 0) {
            const double mps =
                0.25 * 0.12 *
                (bench->wheel_radps[0] + bench->wheel_radps[1] + bench->wheel_radps[2] + bench->wheel_radps[3]);
            const cairn_seen_motion seen = {.at = bench->now, .forward_mps = part * mps};
            cairn_cell_write(bench->cells.seen, &seen, sizeof seen);
        }
        rig_step(bench);
    }
}

static void spinning_rig(rig *bench, double forward_mps, double turn_radps, uint32_t without)
{
    const cairn_body_description description = rig_description();
    rig_init(bench, &description);
    cairn_reflex_switch_off(bench->reflex, without);
    bench->lifted = true; // nothing of what the wheels do moves it
    rig_command(bench, forward_mps, turn_radps);
}

// It digs in by the way that its wheels turn meanwhile.
static void wheels_that_spin_are_held_and_the_other_way_stays_free(void **state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        rig bench;
        spinning_rig(&bench, 0.2 * way, 0, 0);
        run_seen(&bench, 1.2, 0);
        assert_false(rig_guarded(&bench, CAIRN_GUARD_SPIN)); // so short a slip is none
        run_seen(&bench, 1.3, 0);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_SPIN));
        assert_true(bench.state.told_mps == 0);
        rig_command(&bench, -0.2 * way, 0);
        run_seen(&bench, 0.4, 1);
        assert_false(rig_guarded(&bench, CAIRN_GUARD_SPIN));
        assert_float_equal(bench.state.told_mps, -0.2 * way, 1e-6);
        rig_finish(&bench);
        spinning_rig(&bench, 0.2 * way, 0, SWITCHED_OFF(CAIRN_GUARD_SPIN));
        run_seen(&bench, 2.5, 0);
        assert_float_equal(bench.state.told_mps, 0.2 * way, 1e-6);
        rig_finish(&bench);
    }
}

// Mind may have lost its place, and then says nothing: walls that come no nearer tell reflex by themselves.
static void walls_that_come_no_nearer_hold_wheels_that_spin(void **state)
{
    (void)state;
    const cairn_body_description description = rig_description();
    rig bench;
    for (int lifted = 0; lifted <= 1; lifted++) {
        rig_init(&bench, &description);
        bench.wall_m = 8;
        bench.lifted = lifted != 0;
        rig_command(&bench, 0.4, 0);
        rig_run(&bench, 4);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_SPIN) == bench.lifted);
        rig_finish(&bench);
    }
}

static void held_wheels_may_try_again_after_a_pause(void **state)
{
    (void)state;
    rig bench;
    spinning_rig(&bench, 0.2, 0, 0);
    uint32_t held = 0, periods = 60 * 125;
    for (uint32_t i = 0; i < periods; i++) {
        run_seen(&bench, 0.008, 0);
        held += rig_guarded(&bench, CAIRN_GUARD_SPIN);
    }
    assert_true(held > periods / 3 && held < periods * 3 / 4);
    rig_finish(&bench);
}

static void a_turn_that_the_gyro_does_not_feel_is_held(void **state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        rig bench;
        spinning_rig(&bench, 0, 0.9 * way, 0);
        rig_run(&bench, 2.5);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_SPIN));
        assert_true(bench.state.told_radps == 0);
        rig_command(&bench, 0, -0.9 * way);
        rig_run(&bench, 0.5);
        assert_float_equal(bench.state.told_radps, -0.9 * way, 1e-6);
        rig_finish(&bench);
    }
}

// A false alarm stops a mission: where nobody sees, or half of the way is seen, or it goes as its wheels do, nothing.
static void wheels_that_may_well_grip_are_not_held(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "tipping/grip");
    print_message("seed %u\n", SEED);
    rig bench;
    spinning_rig(&bench, 0.3, 0, 0);
    rig_run(&bench, 10); // no sight at all
    assert_false(rig_guarded(&bench, CAIRN_GUARD_SPIN));
    rig_finish(&bench);
    const cairn_body_description description = rig_description();
    rig_init(&bench, &description);
    for (int i = 0; i < 200; i++) {
        rig_command(&bench, cairn_random_between(&random, -0.6, 0.6), cairn_random_between(&random, -1.5, 1.5));
        for (int k = 0; k < 10; k++) {
            run_seen(&bench, 0.096, cairn_random_between(&random, 0.3, 1.2));
            assert_false(rig_guarded(&bench, CAIRN_GUARD_SPIN));
        }
    }
    rig_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measure_is_positive_exactly_while_the_force_points_between_the_wheels),
        cmocka_unit_test(one_that_is_thrown_over_stops_before_it_is_past_help),
        cmocka_unit_test(a_lean_that_is_near_tipping_slows_before_it_stops),
        cmocka_unit_test(ramps_and_jolts_do_not_stop_it),
        cmocka_unit_test(without_an_imu_nothing_tells_of_tipping),
        cmocka_unit_test(wheels_that_spin_are_held_and_the_other_way_stays_free),
        cmocka_unit_test(walls_that_come_no_nearer_hold_wheels_that_spin),
        cmocka_unit_test(held_wheels_may_try_again_after_a_pause),
        cmocka_unit_test(a_turn_that_the_gyro_does_not_feel_is_held),
        cmocka_unit_test(wheels_that_may_well_grip_are_not_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
