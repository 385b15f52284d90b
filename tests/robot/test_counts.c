// Encoders that lie while their frames come: frozen, trembling, one-way, jumping, late, with gaps; of all wheels, of
// one side, of one wheel. Nothing runs away, nothing turns that nobody asked to, and it is told.
#include "base/random.h"
#include "rig.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define SEED 17u
#define LIMIT_MPS 0.6

static const uint32_t all = 15, left = 5, right = 10, rear_right = 8;

static void spoil(rig *bench, uint32_t wheels, rig_count how)
{
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        if ((wheels & 1u << i) != 0) { bench->counts[i] = how; }
    }
}

static double fastest_mps(const rig *bench)
{
    return rig_fastest_wheel_radps(bench) * bench->description.wheels.radius_m;
}

static rig *driving(rig *bench, double forward_mps, double turn_radps)
{
    cairn_body_description description = rig_description();
    description.imu.turn_noise_radps = 0.002;
    description.imu.accel_noise_mps2 = 0.05;
    rig_init(bench, &description);
    bench->base_brakes = true;
    bench->friction_nm = 0.2;
    rig_command(bench, 0.0, 0.0);
    rig_run(bench, 1.0);
    rig_command(bench, forward_mps, turn_radps);
    rig_run(bench, 1.5);
    return bench;
}

typedef struct ride {
    double fastest_mps, turned_rad, way_m;
    double alarm_s; // when the guard first acted; INFINITY never
} ride;

static ride watch(rig *bench, double seconds)
{
    ride seen = {.alarm_s = INFINITY};
    const cairn_pose2 from = bench->truth;
    const int periods = (int)lround(seconds / 0.008);
    for (int i = 0; i < periods; i++) {
        rig_step(bench);
        seen.fastest_mps = fmax(seen.fastest_mps, fastest_mps(bench));
        seen.turned_rad = fmax(seen.turned_rad, fabs(bench->truth.yaw_rad - from.yaw_rad));
        seen.way_m = fmax(seen.way_m, hypot(bench->truth.x_m - from.x_m, bench->truth.y_m - from.y_m));
        if (rig_guarded(bench, CAIRN_GUARD_WHEELS)) { seen.alarm_s = fmin(seen.alarm_s, 0.008 * (i + 1)); }
    }
    return seen;
}

static void encoders_that_freeze_on_the_way_stop_the_robot(void **state)
{
    (void)state;
    const rig_count how[] = {COUNT_FROZEN, COUNT_TREMBLING};
    const double speeds_mps[] = {0.6, 0.25, -0.4};
    for (int k = 0; k < 6; k++) {
        for (int slope = -1; slope <= 1; slope++) {
            rig bench;
            driving(&bench, 0.0, 0.0)->slope_rad = 0.2 * slope;
            rig_run(&bench, 3.0);
            rig_command(&bench, speeds_mps[k % 3], 0.0);
            rig_run(&bench, 2.0);
            spoil(&bench, all, how[k / 3]);
            const ride seen = watch(&bench, 0.9);
            assert_true(seen.alarm_s <= 0.2);
            assert_true(seen.fastest_mps <= 1.15 * fabs(speeds_mps[k % 3]) + 0.02);
            assert_true(fastest_mps(&bench) < 0.02); // the base has braked
            rig_finish(&bench);
        }
    }
}

// The stop comes with the failure: braking by what the counters say would be no braking at all.
static void a_stop_stops_a_robot_whose_encoders_freeze(void **state)
{
    (void)state;
    for (int before = 0; before < 25; before += 3) {
        rig bench;
        driving(&bench, 0.6, 0.0);
        spoil(&bench, all, COUNT_FROZEN);
        rig_run(&bench, 0.008 * before);
        rig_stop(&bench, true, 0);
        const ride seen = watch(&bench, 0.6);
        assert_true(seen.fastest_mps < 1.15 * LIMIT_MPS);
        assert_true(fastest_mps(&bench) < 0.02);
        rig_run(&bench, 5.0);
        assert_true(fastest_mps(&bench) < 0.02);
        rig_finish(&bench);
    }
}

// Dead since it stands: found out when it is told to go, by what it feels. It is tried three times more, and then left.
static void encoders_that_froze_at_rest_let_the_robot_go_nowhere(void **state)
{
    (void)state;
    const double speeds_mps[] = {0.05, 0.2, 0.6, -0.6};
    for (int k = 0; k < 4; k++) {
        rig bench;
        driving(&bench, 0.0, 0.0);
        spoil(&bench, all, COUNT_FROZEN);
        rig_run(&bench, 10.0);
        assert_int_equal(bench.state.guards, 0); // harmless until it drives
        rig_command(&bench, speeds_mps[k], 0.0);
        const ride seen = watch(&bench, 15.0);
        assert_true(seen.alarm_s < 1.0);
        assert_true(seen.fastest_mps < 0.45);
        const ride later = watch(&bench, 15.0);
        assert_true(later.way_m == 0.0 && rig_guarded(&bench, CAIRN_GUARD_WHEELS));
        rig_finish(&bench);
    }
}

static void a_dead_side_or_wheel_turns_the_robot_nowhere(void **state)
{
    (void)state;
    const uint32_t dead[] = {left, right, rear_right};
    for (int k = 0; k < 12; k++) {
        rig bench;
        const bool from_rest = k / 3 % 2 == 0;
        driving(&bench, from_rest ? 0.0 : 0.5, 0.0);
        spoil(&bench, dead[k % 3], k / 6 == 0 ? COUNT_FROZEN : COUNT_TREMBLING);
        rig_command(&bench, 0.5, 0.0);
        const ride seen = watch(&bench, 0.9);
        assert_true(seen.alarm_s < (from_rest ? 0.6 : 0.2));
        assert_true(seen.turned_rad < 0.25);
        assert_true(seen.fastest_mps < 0.7);
        rig_finish(&bench);
    }
}

// Counts up only: as soon as it goes back, it is as good as frozen.
static void a_counter_that_counts_one_way_stops_the_robot_the_other_way(void **state)
{
    (void)state;
    rig bench;
    driving(&bench, 0.4, 0.0);
    spoil(&bench, all, COUNT_ONE_WAY);
    assert_true(isinf(watch(&bench, 1.0).alarm_s));
    rig_command(&bench, -0.4, 0.0);
    const ride seen = watch(&bench, 3.0);
    assert_true(seen.alarm_s < 2.0);
    assert_true(seen.fastest_mps < 0.6);
    rig_finish(&bench);
}

// A wheel that something holds, until it gives up; freed, it drives again.
static void a_stalled_wheel_is_let_go_and_tried_again(void **state)
{
    (void)state;
    rig bench;
    driving(&bench, 0.0, 0.0);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { bench.blocked[i] = true; }
    rig_command(&bench, 0.5, 0.0);
    double bound_s = INFINITY;
    for (int i = 0; i < 250; i++) {
        rig_step(&bench);
        if (bench.target.torque_nm[0] > 7.3) { bound_s = fmin(bound_s, 0.008 * i); }
        if (0.008 * i > bound_s + 0.2) { break; }
    }
    rig_step(&bench);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_WHEELS));
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { bench.blocked[i] = false; }
    rig_run(&bench, 3.0);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_WHEELS));
    assert_float_equal(fastest_mps(&bench), 0.5, 0.05);
    rig_finish(&bench);
}

// A stop drives no wheel: what balances a slope that the IMU tells a little wrong would carry it off, and no counter
// would tell. Nor does it while mind asks for motion under the stop, nor once it was released.
static void a_stopped_robot_is_not_held_by_frozen_counters(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        rig bench;
        driving(&bench, 0.4, 0.0)->friction_nm = 0.0;
        spoil(&bench, all, COUNT_FROZEN);
        rig_run(&bench, k % 2 == 0 ? 0.5 : 4.0);
        rig_stop(&bench, true, 0);
        if (k < 2) { rig_command(&bench, 0.0, 0.0); }
        rig_run(&bench, 0.6);
        assert_true(fastest_mps(&bench) < 0.02);
        bench.accel_extra_mps2.x = 0.15; // that of a slope of one degree
        assert_true(watch(&bench, 10.0).fastest_mps < 0.02);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_WHEELS));
        rig_command(&bench, 0.0, 0.0);
        rig_stop(&bench, false, 1);
        assert_true(watch(&bench, 10.0).fastest_mps < 0.02);
        rig_finish(&bench);
    }
}

// Counters that die while a held wheel is off its place: the hold must not push ever harder to bring it back.
static void a_held_wheel_whose_counter_dies_is_not_pushed_ever_harder(void **state)
{
    (void)state;
    rig bench;
    driving(&bench, 0.0, 0.0)->friction_nm = 0.3;
    bench.slope_rad = 0.2;
    rig_run(&bench, 0.06); // pushed off its place by a load that goes away again
    spoil(&bench, all, COUNT_FROZEN);
    bench.slope_rad = 0.0;
    assert_true(watch(&bench, 30.0).fastest_mps < 0.15);
    rig_finish(&bench);
}

// A robot that is told to stand and is seen to go, though nothing turns by its counters: they have died, or it is
// carried or slides. The base's brake is right for all of these.
static void who_is_told_to_stand_and_is_seen_to_go_is_braked_by_the_base(void **state)
{
    (void)state;
    rig bench;
    driving(&bench, 0.0, 0.0)->friction_nm = 0.0;
    spoil(&bench, all, COUNT_FROZEN);
    bench.slope_rad = -0.02; // so little that the attitude hides it
    double fastest = 0.0;
    for (int i = 0; i < 2500; i++) {
        const cairn_seen_motion saw = {.at = bench.now, .forward_mps = fastest_mps(&bench)};
        if (i % 12 == 0) { cairn_cell_write(bench.cells.seen, &saw, sizeof saw); }
        rig_step(&bench);
        bench.accel_extra_mps2.x = -0.2; // it feels level
        fastest = fmax(fastest, fastest_mps(&bench));
    }
    assert_true(rig_guarded(&bench, CAIRN_GUARD_WHEELS));
    assert_true(fastest > 0.12 && fastest < 0.4);
    assert_true(fastest_mps(&bench) < 0.02);
    rig_finish(&bench);
}

// After three tries only a rest of whoever asks for motion helps.
static void encoders_that_come_back_may_drive_after_a_rest(void **state)
{
    (void)state;
    rig bench;
    driving(&bench, 0.0, 0.0);
    spoil(&bench, all, COUNT_FROZEN);
    rig_command(&bench, 0.3, 0.0);
    rig_run(&bench, 20.0);
    spoil(&bench, all, COUNT_TRUE);
    rig_run(&bench, 5.0);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_WHEELS));
    rig_command(&bench, 0.0, 0.0);
    rig_run(&bench, 1.5);
    rig_command(&bench, 0.3, 0.0);
    rig_run(&bench, 1.5);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_WHEELS));
    assert_float_equal(fastest_mps(&bench), 0.3, 0.03);
    rig_finish(&bench);
}

// What mind's laser sees counts against counters that stand: here the accelerometer feels nothing.
static void sight_finds_frozen_counters_that_the_accelerometer_misses(void **state)
{
    (void)state;
    rig bench;
    driving(&bench, 0.0, 0.0);
    spoil(&bench, all, COUNT_FROZEN);
    rig_command(&bench, 0.1, 0.0);
    double alarm_s = INFINITY, before_mps = 0.0, fastest = 0.0;
    for (int i = 0; i < 100; i++) {
        bench.accel_extra_mps2.x = -(fastest_mps(&bench) - before_mps) / 0.008; // what it felt in the last step
        before_mps = fastest_mps(&bench);
        const cairn_seen_motion saw = {.at = bench.now, .forward_mps = fastest_mps(&bench)};
        if (i % 8 == 0) { cairn_cell_write(bench.cells.seen, &saw, sizeof saw); }
        rig_step(&bench);
        fastest = fmax(fastest, fastest_mps(&bench));
        if (rig_guarded(&bench, CAIRN_GUARD_WHEELS)) { alarm_s = fmin(alarm_s, 0.008 * i); }
    }
    assert_true(alarm_s < 0.6);
    assert_true(fastest < 0.6);
    rig_finish(&bench);
}

// And never for them: a mind that sees nothing move does not hide them.
static void a_mind_that_sees_nothing_move_does_not_hide_frozen_counters(void **state)
{
    (void)state;
    rig bench;
    driving(&bench, 0.0, 0.0);
    spoil(&bench, all, COUNT_FROZEN);
    rig_command(&bench, 0.4, 0.0);
    for (int i = 0; i < 50; i++) {
        const cairn_seen_motion saw = {.at = bench.now};
        cairn_cell_write(bench.cells.seen, &saw, sizeof saw);
        rig_step(&bench);
    }
    assert_true(rig_guarded(&bench, CAIRN_GUARD_WHEELS));
    rig_finish(&bench);
}

// Counters that are half, jump, come late or with gaps may cost precision, and may stop it; they do not make it run
// away.
static void no_other_fault_of_the_encoders_makes_it_run_away(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        rig bench;
        driving(&bench, 0.4, 0.0);
        if (k == 0) { spoil(&bench, rear_right, COUNT_HALF); }
        if (k == 1) { spoil(&bench, all, COUNT_JUMPING); }
        if (k == 2) { bench.encoders_late_ns = CAIRN_MS(24); }
        if (k == 3) { bench.encoders_late_ns = CAIRN_MS(120); }
        double fastest = 0.0;
        for (int i = 0; i < 625; i++) {
            if (k == 4) { bench.encoders_silent = i % 25 < 20; } // 160 ms of every 200
            rig_step(&bench);
            fastest = fmax(fastest, 0.5 * fabs(bench.wheel_radps[0] + bench.wheel_radps[1]) * 0.12);
        }
        print_message("fault %d: fastest %.2f m/s, guards %x\n", k, fastest, bench.state.guards);
        assert_true(fastest < 0.8);
        rig_stop(&bench, true, 0);
        rig_run(&bench, 1.2);
        assert_true(fastest_mps(&bench) < 0.05);
        rig_finish(&bench);
    }
}

// Mind tells what it sees, eight times a second and a tenth of a second late.
static ride watch_seen(rig *bench, double seconds)
{
    ride seen = {.alarm_s = INFINITY};
    double late_mps = 0.0;
    for (int i = 0; i < (int)lround(seconds / 0.008); i++) {
        if (i % 15 == 0) {
            const cairn_seen_motion saw = {.at = {bench->now.ns - CAIRN_MS(100)}, .forward_mps = late_mps};
            cairn_cell_write(bench->cells.seen, &saw, sizeof saw);
            late_mps = 0.25 * 0.12 *
                       (bench->wheel_radps[0] + bench->wheel_radps[1] + bench->wheel_radps[2] + bench->wheel_radps[3]);
        }
        rig_step(bench);
        seen.fastest_mps = fmax(seen.fastest_mps, fastest_mps(bench));
        if (rig_guarded(bench, CAIRN_GUARD_WHEELS)) { seen.alarm_s = fmin(seen.alarm_s, 0.008 * (i + 1)); }
    }
    return seen;
}

// Wheels that count a third of their way go thrice as fast as they are told.
static void encoders_that_count_a_third_are_found_out_by_sight(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        rig bench;
        driving(&bench, k < 2 ? 0.0 : 0.2, 0.0);
        spoil(&bench, all, COUNT_THIRD);
        rig_command(&bench, k % 2 == 0 ? 0.2 : 0.3, 0.0);
        const ride seen = watch_seen(&bench, 3.0);
        print_message("third by sight %d: %.2f m/s, alarm after %.2f s\n", k, seen.fastest_mps, seen.alarm_s);
        assert_true(seen.alarm_s < 1.5);
        rig_finish(&bench);
    }
}

static void encoders_that_count_a_third_are_found_out_by_the_accelerometer(void **state)
{
    (void)state;
    rig bench;
    driving(&bench, 0.0, 0.0);
    spoil(&bench, all, COUNT_THIRD);
    rig_command(&bench, 0.6, 0.0);
    const ride seen = watch(&bench, 0.9);
    print_message("third by feeling: %.2f m/s, alarm after %.2f s\n", seen.fastest_mps, seen.alarm_s);
    assert_true(seen.alarm_s < 0.7);
    rig_finish(&bench);
}

static void encoders_that_count_a_third_are_found_out_by_the_gyro(void **state)
{
    (void)state;
    rig bench;
    driving(&bench, 0.0, 0.0);
    spoil(&bench, all, COUNT_THIRD);
    rig_command(&bench, 0.0, 1.0);
    const ride seen = watch(&bench, 0.9);
    print_message("third by the gyro: turned %.2f rad, alarm after %.2f s\n", seen.turned_rad, seen.alarm_s);
    assert_true(seen.alarm_s < 0.7);
    assert_true(seen.turned_rad < 2.0); // 2.7 without
    rig_finish(&bench);
}

// A mind that is right, late, and sees every motion that sound counters count.
static void sound_encoders_are_believed_by_who_sees(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "counts/seen");
    rig bench;
    driving(&bench, 0.0, 0.0);
    for (int i = 0; i < 120; i++) {
        rig_command(&bench, cairn_random_between(&random, -0.6, 0.6), cairn_random_between(&random, -1.5, 1.5));
        if (i % 4 == 0) { rig_command(&bench, 0.0, 0.0); }
        assert_true(isinf(watch_seen(&bench, 1.0).alarm_s));
    }
    rig_finish(&bench);
}

// Onto another slope, as the gyro feels it.
static void tilt_to(rig *bench, double slope_rad)
{
    const double rate_radps = (slope_rad - bench->slope_rad) / 0.4, bias_radps = bench->level_bias_radps.y;
    for (int i = 0; i < 50; i++) {
        bench->slope_rad += 0.008 * rate_radps;
        bench->level_bias_radps.y = bias_radps - rate_radps;
        rig_step(bench);
        assert_false(rig_guarded(bench, CAIRN_GUARD_WHEELS));
    }
    bench->level_bias_radps.y = bias_radps;
}

// Hills, friction, a wrong mass, and every motion that mind may ask for: sound counters are never doubted for long.
static void sound_encoders_are_believed(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "counts/sound");
    print_message("seed %u\n", SEED);
    for (int round = 0; round < 12; round++) {
        rig bench;
        driving(&bench, 0.0, 0.0);
        bench.friction_nm = cairn_random_between(&random, 0.0, 1.5);
        bench.inertia_factor = cairn_random_between(&random, 0.5, 1.5);
        bench.level_bias_radps.y = cairn_random_between(&random, -0.004, 0.004);
        for (int i = 0; i < 60; i++) {
            tilt_to(&bench, cairn_random_between(&random, -0.25, 0.25));
            rig_command(&bench, cairn_random_between(&random, -0.6, 0.6), cairn_random_between(&random, -1.5, 1.5));
            if (i % 3 == 0) { rig_command(&bench, 0.0, 0.0); }
            if (i % 7 == 0) { rig_command(&bench, cairn_random_between(&random, -0.05, 0.05), 0.0); }
            const ride seen = watch(&bench, 1.2);
            if (!isinf(seen.alarm_s)) { print_message("round %d, motion %d\n", round, i); }
            assert_true(isinf(seen.alarm_s));
        }
        rig_finish(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoders_that_freeze_on_the_way_stop_the_robot),
        cmocka_unit_test(a_stop_stops_a_robot_whose_encoders_freeze),
        cmocka_unit_test(encoders_that_froze_at_rest_let_the_robot_go_nowhere),
        cmocka_unit_test(a_dead_side_or_wheel_turns_the_robot_nowhere),
        cmocka_unit_test(a_counter_that_counts_one_way_stops_the_robot_the_other_way),
        cmocka_unit_test(a_stalled_wheel_is_let_go_and_tried_again),
        cmocka_unit_test(a_stopped_robot_is_not_held_by_frozen_counters),
        cmocka_unit_test(a_held_wheel_whose_counter_dies_is_not_pushed_ever_harder),
        cmocka_unit_test(who_is_told_to_stand_and_is_seen_to_go_is_braked_by_the_base),
        cmocka_unit_test(encoders_that_come_back_may_drive_after_a_rest),
        cmocka_unit_test(sight_finds_frozen_counters_that_the_accelerometer_misses),
        cmocka_unit_test(a_mind_that_sees_nothing_move_does_not_hide_frozen_counters),
        cmocka_unit_test(no_other_fault_of_the_encoders_makes_it_run_away),
        cmocka_unit_test(encoders_that_count_a_third_are_found_out_by_sight),
        cmocka_unit_test(encoders_that_count_a_third_are_found_out_by_the_accelerometer),
        cmocka_unit_test(encoders_that_count_a_third_are_found_out_by_the_gyro),
        cmocka_unit_test(sound_encoders_are_believed_by_who_sees),
        cmocka_unit_test(sound_encoders_are_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
