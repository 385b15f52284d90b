// test_unseen.c - robots whose wheels nobody counts: driven by gyro, accelerometer and what mind saw; safe without.
#include "rig.h"
#include "robot/reflex/unseen.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SIGHT_STEPS 12 // mind sees about ten times a second
#define DELAY_STEPS 12 // and tells it so much later
#define HISTORY 64
#define BASE_WATCHDOG_NS CAIRN_MS(200)

typedef enum sight { SIGHT_TRUE, SIGHT_NONE, SIGHT_ZERO } sight;

typedef struct blind_rig {
    rig bench;
    sight sight;
    double noise_mps; // alternates
    int64_t step;
    double speed_mps[HISTORY];
    double fastest_mps;
} blind_rig;

static void begin(blind_rig *it)
{
    cairn_body_description description = rig_description();
    description.encoders.offered = false;
    description.wheels.rotor_inertia_kgm2 = 0.03;
    description.limits.speed_mps_max = CAIRN_UNSEEN_MPS_MAX;
    *it = (blind_rig){.sight = SIGHT_TRUE};
    rig_init(&it->bench, &description);
    it->bench.friction_nm = 0.2;
}

static double true_mps(const blind_rig *it)
{
    const double *w = it->bench.wheel_radps;
    return 0.25 * (w[0] + w[1] + w[2] + w[3]) * it->bench.description.wheels.radius_m;
}

static double true_radps(const blind_rig *it)
{
    const double *w = it->bench.wheel_radps;
    const cairn_wheels_description *wheels = &it->bench.description.wheels;
    return 0.5 * (w[1] + w[3] - w[0] - w[2]) * wheels->radius_m * wheels->turn_efficiency / wheels->track_m;
}

static void show(blind_rig *it)
{
    it->speed_mps[it->step % HISTORY] = true_mps(it);
    if (it->sight == SIGHT_NONE || it->step % SIGHT_STEPS != 0 || it->step < DELAY_STEPS) { return; }
    const double was_mps = it->speed_mps[(it->step - DELAY_STEPS) % HISTORY];
    const double noise_mps = it->step / SIGHT_STEPS % 2 == 0 ? it->noise_mps : -it->noise_mps;
    const cairn_seen_motion saw = {.at = {it->bench.now.ns - DELAY_STEPS * CAIRN_REFLEX_PERIOD_NS},
                                   .forward_mps = it->sight == SIGHT_ZERO ? 0.0 : was_mps + noise_mps};
    cairn_cell_write(it->bench.cells.seen, &saw, sizeof saw);
}

// The base's own watchdog: a brake that holds.
static void hold_if_silent(blind_rig *it)
{
    if (cairn_mono_since(it->bench.now, it->bench.target.issued) <= BASE_WATCHDOG_NS) { return; }
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { it->bench.wheel_radps[i] = 0.0; }
}

static void run(blind_rig *it, double for_s)
{
    for (int i = 0; i < (int)lround(for_s / 0.008); i++) {
        hold_if_silent(it);
        rig_step(&it->bench);
        it->step++;
        show(it);
        it->fastest_mps = fmax(it->fastest_mps, fabs(true_mps(it)));
        for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
            assert_true(fabs(it->bench.target.torque_nm[wheel]) <= it->bench.description.wheels.torque_nm_max);
        }
    }
}

static double mean_mps(blind_rig *it, double for_s)
{
    double sum = 0.0;
    const int steps = (int)lround(for_s / 0.008);
    for (int i = 0; i < steps; i++) {
        run(it, 0.008);
        sum += true_mps(it);
    }
    return sum / steps;
}

static void speed_and_turn_are_kept_on_the_flat_and_on_a_slope(void **state)
{
    (void)state;
    const double slopes_rad[] = {0.0, 0.2, -0.2};
    for (int i = 0; i < 3; i++) {
        blind_rig it;
        begin(&it);
        it.bench.slope_rad = slopes_rad[i];
        it.noise_mps = 0.05;
        run(&it, 3.0);
        rig_command(&it.bench, 0.25, 0.0);
        run(&it, 3.0);
        assert_float_equal(mean_mps(&it, 2.0), 0.25, 0.03);
        assert_true(it.fastest_mps < 0.4);
        rig_command(&it.bench, 0.15, 0.4);
        run(&it, 3.0);
        assert_float_equal(true_radps(&it), 0.4, 0.04);
        rig_finish(&it.bench);
    }
}

static void a_stop_is_braked_and_then_left_to_the_base(void **state)
{
    (void)state;
    blind_rig it;
    begin(&it);
    run(&it, 2.0);
    rig_command(&it.bench, 0.25, 0.0);
    run(&it, 3.0);
    const double before_m = it.bench.truth.x_m;
    rig_stop(&it.bench, true, 0);
    run(&it, 2.0);
    assert_true(it.bench.truth.x_m - before_m < 0.12);
    assert_true(true_mps(&it) == 0.0);
    assert_true(cairn_mono_since(it.bench.now, it.bench.target.issued) > BASE_WATCHDOG_NS); // silent
    rig_finish(&it.bench);
}

// Nobody sees the robot any longer: it must stand, and say why.
static void a_robot_that_nobody_sees_any_longer_stops(void **state)
{
    (void)state;
    blind_rig it;
    begin(&it);
    run(&it, 2.0);
    rig_command(&it.bench, 0.25, 0.0);
    run(&it, 3.0);
    it.sight = SIGHT_NONE;
    run(&it, 0.7);
    assert_true(rig_guarded(&it.bench, CAIRN_GUARD_ENCODERS));
    run(&it, 0.3);
    assert_true(fabs(true_mps(&it)) < 0.02);
    rig_finish(&it.bench);
}

// From rest it may go on, but only as far as it can before it would have to be seen: by short steps, slowly.
static void without_any_sight_it_goes_by_short_steps_only(void **state)
{
    (void)state;
    blind_rig it;
    begin(&it);
    it.sight = SIGHT_NONE;
    rig_command(&it.bench, 0.3, 0.0);
    int moving_steps = 0, longest_steps = 0;
    for (int i = 0; i < 20 * 125; i++) {
        run(&it, 0.008);
        moving_steps = fabs(true_mps(&it)) > 0.01 ? moving_steps + 1 : 0;
        longest_steps = moving_steps > longest_steps ? moving_steps : longest_steps;
    }
    assert_true(it.fastest_mps < 0.4);
    assert_true(longest_steps < 0.8 * 125);
    assert_true(it.bench.truth.x_m < 20 * 0.1);
    rig_finish(&it.bench);
}

// The way to run away: whoever is told that he stands gives more. The accelerometer knows better.
static void a_sight_that_lies_does_not_make_it_run_away(void **state)
{
    (void)state;
    blind_rig it;
    begin(&it);
    it.sight = SIGHT_ZERO;
    run(&it, 2.0);
    rig_command(&it.bench, 0.25, 0.0);
    run(&it, 30.0);
    print_message("fastest %.2f m/s under a sight that says 0\n", it.fastest_mps);
    assert_true(it.fastest_mps < 0.5);
    rig_finish(&it.bench);
}

static void sights_that_cannot_be_are_not_taken(void **state)
{
    (void)state;
    blind_rig it;
    begin(&it);
    it.sight = SIGHT_NONE;
    const double speeds_mps[] = {NAN, INFINITY, 5.0, 0.0, 0.0};
    const int64_t ages_ns[] = {0, 0, 0, -CAIRN_S(1), CAIRN_S(1)};
    run(&it, 0.4); // too short to be known as resting
    for (int i = 0; i < 5; i++) {
        const cairn_seen_motion saw = {.at = {it.bench.now.ns - ages_ns[i]}, .forward_mps = speeds_mps[i]};
        cairn_cell_write(it.bench.cells.seen, &saw, sizeof saw);
        rig_command(&it.bench, 0.2, 0.0);
        run(&it, 0.016);
        assert_true(rig_guarded(&it.bench, CAIRN_GUARD_ENCODERS));
        for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
            assert_float_equal(it.bench.target.torque_nm[wheel], 0.0, 0.05);
        }
    }
    rig_finish(&it.bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_and_turn_are_kept_on_the_flat_and_on_a_slope),
        cmocka_unit_test(a_stop_is_braked_and_then_left_to_the_base),
        cmocka_unit_test(a_robot_that_nobody_sees_any_longer_stops),
        cmocka_unit_test(without_any_sight_it_goes_by_short_steps_only),
        cmocka_unit_test(a_sight_that_lies_does_not_make_it_run_away),
        cmocka_unit_test(sights_that_cannot_be_are_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
