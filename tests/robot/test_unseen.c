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

#define IMU_NOISE_RADPS 1e-3
#define IMU_NOISE_MPS2 1e-3

typedef enum sight { SIGHT_TRUE, SIGHT_NONE, SIGHT_ZERO } sight;

typedef struct blind_rig {
    rig bench;
    sight sight;
    double noise_mps; // alternates
    int64_t step;
    double speed_mps[HISTORY], turn_radps[HISTORY];
    double fastest_mps, backward_mps, fastest_radps;
} blind_rig;

static void begin(blind_rig *it)
{
    cairn_body_description description = rig_description();
    description.encoders.offered = false;
    description.wheels.rotor_inertia_kgm2 = 0.03;
    description.limits.speed_mps_max = CAIRN_UNSEEN_MPS_MAX;
    description.imu.turn_noise_radps = IMU_NOISE_RADPS;
    description.imu.accel_noise_mps2 = IMU_NOISE_MPS2;
    *it = (blind_rig){.sight = SIGHT_TRUE};
    rig_init(&it->bench, &description);
    it->bench.friction_nm = 0.2;
    it->bench.base_brakes = true;
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
    it->turn_radps[it->step % HISTORY] = true_radps(it);
    if (it->sight == SIGHT_NONE || it->step % SIGHT_STEPS != 0 || it->step < DELAY_STEPS) { return; }
    const int64_t then = (it->step - DELAY_STEPS) % HISTORY;
    const double noise_mps = it->step / SIGHT_STEPS % 2 == 0 ? it->noise_mps : -it->noise_mps;
    const cairn_seen_motion saw = {.at = {it->bench.now.ns - DELAY_STEPS * CAIRN_REFLEX_PERIOD_NS},
                                   .forward_mps = it->sight == SIGHT_ZERO ? 0.0 : it->speed_mps[then] + noise_mps,
                                   .turn_radps = it->sight == SIGHT_ZERO ? 0.0 : it->turn_radps[then]};
    cairn_cell_write(it->bench.cells.seen, &saw, sizeof saw);
}

static void run(blind_rig *it, double for_s)
{
    for (int i = 0; i < (int)lround(for_s / 0.008); i++) {
        rig_step(&it->bench);
        it->step++;
        show(it);
        it->fastest_mps = fmax(it->fastest_mps, fabs(true_mps(it)));
        it->backward_mps = fmax(it->backward_mps, -true_mps(it));
        it->fastest_radps = fmax(it->fastest_radps, fabs(true_radps(it)));
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
    assert_true(cairn_mono_since(it.bench.now, it.bench.target.issued) > it.bench.description.watchdog_ns); // silent
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
    const cairn_seen_motion lies[] = {
        {.forward_mps = NAN},  {.forward_mps = INFINITY}, {.forward_mps = 5.0},
        {.turn_radps = NAN},   {.turn_radps = INFINITY},  {.at = {CAIRN_S(1)}},
        {.at = {-CAIRN_S(1)}}, {.at = {INT64_MIN / 2}},   {.at = {INT64_MIN / 2 - 1}},
    };
    run(&it, 0.4); // too short to be known as resting
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        cairn_seen_motion saw = lies[i];
        saw.at.ns += saw.at.ns < INT64_MIN / 2 ? INT64_MIN / 2 + 1 : it.bench.now.ns;
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

static const struct {
    double forward_mps, turn_radps;
} drives[] = {{0.25, 0.0}, {0.0, 0.4}, {0.25, 0.4}};
#define DRIVES (sizeof drives / sizeof drives[0])

// A robot on its way, watched from now on.
static void begin_drive(blind_rig *it, size_t drive)
{
    begin(it);
    run(it, 2.0);
    rig_command(&it->bench, drives[drive].forward_mps, drives[drive].turn_radps);
    run(it, 3.0);
    it->fastest_mps = it->backward_mps = it->fastest_radps = 0.0;
}

// A torque against a speed that is no longer measured does not brake: it would drive backwards, and spin.
static void a_robot_whose_imu_falls_silent_is_left_to_the_base(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVES; i++) {
        blind_rig it;
        begin_drive(&it, i);
        it.bench.imu_silent = true;
        run(&it, 0.5);
        assert_true(rig_guarded(&it.bench, CAIRN_GUARD_IMU));
        assert_true(true_mps(&it) == 0.0 && true_radps(&it) == 0.0);
        assert_true(it.fastest_mps < 0.3 && it.backward_mps < 0.02);
        assert_true(it.fastest_radps < 0.5);
        run(&it, 3.0);
        assert_true(true_mps(&it) == 0.0 && true_radps(&it) == 0.0);
        // It goes on when the IMU is back, and knows where it is.
        it.bench.imu_silent = false;
        run(&it, 4.0);
        assert_false(rig_guarded(&it.bench, CAIRN_GUARD_IMU));
        assert_true(fabs(true_mps(&it)) + fabs(true_radps(&it)) > 0.1);
        const cairn_pose2 told = it.bench.state.odom_T_base;
        assert_true(isfinite(told.x_m) && isfinite(told.y_m) && isfinite(told.yaw_rad));
        rig_finish(&it.bench);
    }
}

// Nothing is driven without an IMU, whoever holds its guard off: then it is not told to move either.
static void a_robot_without_imu_stands_also_where_its_guard_is_held_off(void **state)
{
    (void)state;
    blind_rig it;
    begin_drive(&it, 0);
    it.bench.imu_silent = true;
    run(&it, 4.0); // what mind sees and what it felt do not quarrel any longer
    for (int i = 0; i < 250; i++) {
        const cairn_override word = {.issued = it.bench.now, .guards = 1u << CAIRN_GUARD_IMU};
        cairn_cell_write(it.bench.cells.override, &word, sizeof word);
        run(&it, 0.008);
        assert_true(it.bench.state.told_mps == 0.0 && it.bench.state.told_radps == 0.0);
    }
    assert_true(rig_guarded(&it.bench, CAIRN_GUARD_ENCODERS));
    assert_true((it.bench.state.overridden >> CAIRN_GUARD_IMU & 1u) != 0);
    rig_finish(&it.bench);
}

// The other way to run away: whoever turns by a gyro that has stopped at 0 gives more and more.
static void an_imu_that_freezes_stops_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * DRIVES; i++) {
        blind_rig it;
        begin_drive(&it, i % DRIVES);
        if (i >= DRIVES) { // at rest, and then it is told to go
            rig_command(&it.bench, 0.0, 0.0);
            run(&it, 2.0);
        }
        it.bench.imu_frozen = true;
        rig_command(&it.bench, drives[i % DRIVES].forward_mps, drives[i % DRIVES].turn_radps);
        run(&it, 5.0);
        assert_true(rig_guarded(&it.bench, CAIRN_GUARD_IMU));
        assert_true(true_mps(&it) == 0.0 && true_radps(&it) == 0.0);
        assert_true(it.fastest_mps < 0.4 && it.fastest_radps < 0.8);
        rig_finish(&it.bench);
    }
}

// Frames that come late say how fast it was.
static void an_imu_that_is_late_stops_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVES; i++) {
        blind_rig it;
        begin_drive(&it, i);
        it.bench.imu_late_ns = CAIRN_MS(150);
        run(&it, 2.0);
        assert_true(rig_guarded(&it.bench, CAIRN_GUARD_IMU));
        assert_true(true_mps(&it) == 0.0 && true_radps(&it) == 0.0);
        assert_true(it.fastest_mps < 0.3 && it.backward_mps < 0.02 && it.fastest_radps < 0.5);
        rig_finish(&it.bench);
    }
}

// Whoever is seen to turn otherwise than its gyro says does not know how it turns.
static void a_gyro_that_lies_does_not_make_it_spin(void **state)
{
    (void)state;
    for (int lie = -1; lie <= 1; lie += 2) {
        for (size_t i = 0; i < DRIVES; i++) {
            blind_rig it;
            begin_drive(&it, i);
            it.bench.turn_bias_radps = 2.0 * lie;
            const double before_rad = it.bench.truth.yaw_rad;
            run(&it, 20.0);
            assert_true(rig_guarded(&it.bench, CAIRN_GUARD_ENCODERS));
            print_message("turned by %.2f rad, %.1f rad/s at most, by a gyro that is off by %d rad/s\n",
                          it.bench.truth.yaw_rad - before_rad, it.fastest_radps, 2 * lie);
            assert_true(fabs(it.bench.truth.yaw_rad - before_rad) < 1.2); // where it was braked in the end
            assert_true(fabs(true_radps(&it)) == 0.0);
            rig_finish(&it.bench);
        }
    }
}

// A base that waits long before it brakes: it must not be taken to stand before it does.
static void a_base_that_brakes_late_is_not_taken_to_stand(void **state)
{
    (void)state;
    blind_rig it;
    begin(&it);
    it.bench.description.watchdog_ns = CAIRN_MS(1500);
    rig_restart(&it.bench);
    it.sight = SIGHT_NONE;
    rig_command(&it.bench, 0.2, 0.0);
    for (int i = 0; i < 200; i++) {
        run(&it, 0.008);
        assert_true(rig_guarded(&it.bench, CAIRN_GUARD_ENCODERS));
    }
    run(&it, 0.8);
    assert_true(it.fastest_mps > 0.05); // and then it does go
    rig_finish(&it.bench);
}

static void a_mind_that_dies_leaves_it_standing(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVES; i++) {
        blind_rig it;
        begin_drive(&it, i);
        it.bench.command_every_period = false;
        it.sight = SIGHT_NONE;
        run(&it, 0.32);
        assert_true(rig_guarded(&it.bench, CAIRN_GUARD_COMMAND));
        run(&it, 1.0);
        assert_true(true_mps(&it) == 0.0 && true_radps(&it) == 0.0);
        assert_true(it.fastest_mps < 0.3 && it.backward_mps < 0.02 && it.fastest_radps < 0.5);
        rig_finish(&it.bench);
    }
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
        cmocka_unit_test(a_robot_whose_imu_falls_silent_is_left_to_the_base),
        cmocka_unit_test(a_robot_without_imu_stands_also_where_its_guard_is_held_off),
        cmocka_unit_test(an_imu_that_freezes_stops_it),
        cmocka_unit_test(an_imu_that_is_late_stops_it),
        cmocka_unit_test(a_gyro_that_lies_does_not_make_it_spin),
        cmocka_unit_test(a_base_that_brakes_late_is_not_taken_to_stand),
        cmocka_unit_test(a_mind_that_dies_leaves_it_standing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
