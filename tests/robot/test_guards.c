// The guards: nothing above the reflex level can defeat them.
#include "base/random.h"
#include "rig.h"
#include "robot/reflex/guards.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SEED 125u
#define DEGREES (CAIRN_PI / 180.0)

static rig *moving_rig(rig *bench)
{
    const cairn_body_description description = rig_description();
    rig_init(bench, &description);
    rig_command(bench, 0.4, 0.0);
    rig_run(bench, 1.5);
    assert_true(rig_fastest_wheel_radps(bench) > 2.0);
    assert_int_equal(bench->state.guards, 0);
    return bench;
}

static void send_command(rig *bench, cairn_mono issued, double forward, double turn)
{
    const cairn_motion_command command = {.issued = issued, .forward_mps = forward, .turn_radps = turn};
    bench->command_every_period = false;
    cairn_cell_write(bench->cells.command, &command, sizeof command);
}

// The bound that a person may rely on, for a robot that takes speeds: what is written is there to see. The last
// command may be issued at any moment between two periods.
static void the_written_speed_is_zero_308_ms_after_the_last_command(void **state)
{
    (void)state;
    cairn_body_description description = rig_description();
    description.drive = CAIRN_DRIVE_VELOCITY;
    for (int64_t phase_ns = 0; phase_ns < CAIRN_MS(8); phase_ns += 250000) {
        rig bench;
        rig_init(&bench, &description);
        rig_command(&bench, 0.6, 0.3);
        rig_run(&bench, 2.0);
        const cairn_mono issued = cairn_mono_add(bench.now, phase_ns);
        rig_step(&bench); // so that it is not from the future when it is read
        send_command(&bench, issued, 0.6, 0.3);
        bool stopped = false;
        for (int i = 0; i < 60; i++) {
            rig_step(&bench);
            const int64_t age_ns = cairn_mono_since(bench.now, issued);
            const bool zero = bench.target.forward_mps == 0.0 && bench.target.turn_radps == 0.0;
            if (age_ns <= CAIRN_MS(300)) { assert_false(zero); }
            if (age_ns >= CAIRN_MS(308)) { assert_true(zero); }
            stopped = stopped || zero;
        }
        assert_true(stopped);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_COMMAND));
        rig_finish(&bench);
    }
}

// The same for torque: from 308 ms on the wheels only brake, gently, and the robot then holds its place.
static void a_lost_command_brakes_within_grip_and_then_holds(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench)->command_every_period = false;
    const cairn_mono last = bench.now;
    double before = bench.wheel_radps[0] * 0.12;
    while (cairn_mono_since(bench.now, last) < CAIRN_S(2)) {
        rig_step(&bench);
        if (cairn_mono_since(bench.now, last) < CAIRN_MS(308)) { continue; }
        const double speed = bench.wheel_radps[0] * 0.12;
        assert_true(before - speed < 4.0 * 0.008); // no harder than wheels grip
        assert_true(speed <= before + 0.005 || fabs(speed) < 0.02);
        before = fmin(before, speed);
        if (cairn_mono_since(bench.now, last) > CAIRN_MS(900)) { assert_true(fabs(speed) < 0.02); }
    }
    const double place = bench.wheel_rad[0];
    bench.slope_rad = 10.0 * DEGREES;
    rig_run(&bench, 10.0);
    assert_float_equal(bench.wheel_rad[0], place, 0.01 / 0.12);
    rig_finish(&bench);
}

static void a_robot_that_never_heard_anything_stands_still(void **state)
{
    (void)state;
    const cairn_body_description description = rig_description();
    rig bench;
    rig_init(&bench, &description);
    rig_run(&bench, 5.0);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_COMMAND));
    assert_true(rig_fastest_wheel_radps(&bench) == 0.0);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { assert_true(bench.target.torque_nm[i] == 0.0); }
    rig_finish(&bench);
}

static void a_stop_brakes_at_once_and_stays(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench);
    rig_stop(&bench, true, 0);
    rig_step(&bench);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_STOP));
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { assert_true(bench.target.torque_nm[i] < -4.0); } // harder than gentle
    const double began_rad = bench.wheel_rad[0];
    rig_run(&bench, 0.4);
    assert_true(rig_fastest_wheel_radps(&bench) < 0.2);
    assert_true((bench.wheel_rad[0] - began_rad) * 0.12 < 0.08); // from 0.4 m/s
    rig_run(&bench, 20.0);                                       // commands keep coming; the stop stays
    assert_true(rig_fastest_wheel_radps(&bench) < 0.05);         // a tick to and fro, without any friction
    assert_true(rig_guarded(&bench, CAIRN_GUARD_STOP));
    rig_finish(&bench);
}

static void a_stop_is_released_only_by_a_greater_count(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench);
    rig_stop(&bench, true, 7);
    rig_run(&bench, 1.0);
    const uint32_t not_enough[] = {0, 3, 7};
    for (int i = 0; i < 3; i++) {
        rig_stop(&bench, false, not_enough[i]);
        rig_run(&bench, 0.1);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_STOP));
    }
    rig_stop(&bench, false, 8);
    rig_run(&bench, 2.0);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_STOP));
    assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
    // The same release again, late and repeated, must not undo a new stop.
    rig_stop(&bench, true, 8);
    rig_run(&bench, 0.1);
    rig_stop(&bench, false, 8);
    rig_run(&bench, 0.1);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_STOP));
    rig_finish(&bench);
}

static void a_release_from_the_future_does_not_release(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench);
    rig_stop(&bench, true, 1);
    rig_run(&bench, 0.1);
    const cairn_stop_command early = {.issued = cairn_mono_add(bench.now, CAIRN_S(1)), .release_count = 2};
    cairn_cell_write(bench.cells.stop, &early, sizeof early);
    rig_run(&bench, 0.1);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_STOP));
    // A reflex that was held up in the midst of a step saw it come early; said again, it counts.
    rig_stop(&bench, false, 2);
    rig_run(&bench, 0.1);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_STOP));
    rig_finish(&bench);
}

// After a release the robot speeds up from zero within its limits; it does not leap to the old speed.
static void after_a_release_the_ramp_starts_from_zero(void **state)
{
    (void)state;
    cairn_body_description description = rig_description();
    description.drive = CAIRN_DRIVE_VELOCITY;
    rig bench;
    rig_init(&bench, &description);
    rig_command(&bench, 0.6, 0.0);
    rig_run(&bench, 1.0);
    rig_stop(&bench, true, 0);
    rig_run(&bench, 0.5);
    assert_true(bench.target.forward_mps == 0.0);
    rig_stop(&bench, false, 1);
    rig_step(&bench);
    assert_float_equal(bench.target.forward_mps, 0.008, 1e-9);
    rig_finish(&bench);
}

static void commands_that_cannot_be_are_refused_and_counted(void **state)
{
    (void)state;
    const struct {
        int64_t age_ns;
        double forward, turn;
    } refused[] = {
        {-CAIRN_MS(20), 0.1, 0.0}, {0, NAN, 0.0},          {0, 0.0, NAN},   {0, INFINITY, 0.0},
        {0, 0.0, -INFINITY},       {0, 0.61, 0.0},         {0, -0.61, 0.0}, {0, 0.0, 1.51},
        {0, 0.0, -1.51},           {CAIRN_S(1), 0.2, 0.0},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        rig bench;
        moving_rig(&bench);
        assert_int_equal(bench.state.commands_refused_count, 0);
        const double torque = bench.target.torque_nm[0];
        send_command(&bench, cairn_mono_add(bench.now, CAIRN_MS(8) - refused[i].age_ns), refused[i].forward,
                     refused[i].turn);
        rig_step(&bench);
        assert_int_equal(bench.state.commands_refused_count, 1);
        assert_float_equal(bench.target.torque_nm[0], torque, 0.5); // the last good one is still in force
        rig_run(&bench, 0.5);
        assert_int_equal(bench.state.commands_refused_count, 1); // counted once, not each period
        assert_true(rig_guarded(&bench, CAIRN_GUARD_COMMAND));
        rig_finish(&bench);
    }
}

static rig *rig_with_button(rig *bench)
{
    cairn_body_description description = rig_description();
    description.stop_button_offered = true;
    rig_init(bench, &description);
    rig_command(bench, 0.4, 0.0);
    rig_run(bench, 1.5);
    assert_true(rig_fastest_wheel_radps(bench) > 2.0);
    assert_int_equal(bench->state.guards, 0);
    return bench;
}

// Letting it out is no release: a person must have looked.
static void the_stop_button_brakes_at_once_and_latches(void **state)
{
    (void)state;
    rig bench;
    rig_with_button(&bench)->button_pressed = true;
    rig_step(&bench);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_STOP) && rig_guarded(&bench, CAIRN_GUARD_BUTTON));
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { assert_true(bench.target.torque_nm[i] < -4.0); }
    rig_run(&bench, 1.0);
    assert_true(rig_fastest_wheel_radps(&bench) < 0.2);
    rig_stop(&bench, false, 1); // while it is in
    rig_run(&bench, 1.0);
    bench.button_pressed = false;
    rig_run(&bench, 3.0);
    rig_stop(&bench, false, 1); // spent
    rig_run(&bench, 1.0);
    assert_true(bench.state.stop_latched && rig_guarded(&bench, CAIRN_GUARD_BUTTON));
    assert_true(rig_fastest_wheel_radps(&bench) < 0.2);
    rig_stop(&bench, false, 2);
    rig_run(&bench, 2.0);
    assert_int_equal(bench.state.guards, 0);
    assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
    rig_finish(&bench);
}

static void a_silent_stop_button_counts_as_pressed(void **state)
{
    (void)state;
    rig bench;
    rig_with_button(&bench)->button_silent = true;
    rig_run(&bench, 0.096);
    assert_false(bench.state.stop_latched);
    rig_run(&bench, 0.016);
    assert_true(bench.state.stop_latched && rig_guarded(&bench, CAIRN_GUARD_BUTTON));
    bench.button_silent = false;
    rig_run(&bench, 1.0);
    assert_true(bench.state.stop_latched);
    rig_finish(&bench);
    cairn_body_description description = rig_description();
    description.stop_button_offered = true;
    rig_init(&bench, &description); // one that never speaks has a second
    bench.button_silent = true;
    rig_command(&bench, 0.4, 0.0);
    rig_run(&bench, 0.9);
    assert_false(bench.state.stop_latched);
    rig_run(&bench, 0.2);
    assert_true(bench.state.stop_latched);
    rig_finish(&bench);
}

// A stop by the button outlives reflex, as any stop does.
static void a_stop_by_the_button_outlives_reflex(void **state)
{
    (void)state;
    rig bench;
    rig_with_button(&bench)->button_pressed = true;
    rig_run(&bench, 0.5);
    bench.button_pressed = false;
    rig_run(&bench, 0.5);
    rig_restart(&bench);
    rig_run(&bench, 1.0);
    assert_true(bench.state.stop_latched);
    assert_true(rig_fastest_wheel_radps(&bench) < 0.2);
    rig_finish(&bench);
}

static void a_ramp_of_15_degrees_does_not_trip_the_tilt_guard(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench);
    for (int i = 0; i < 20; i++) {
        bench.slope_rad = (i % 2 == 0 ? 15.0 : -15.0) * DEGREES; // without any gyro: as abrupt as it can be
        rig_command(&bench, i % 3 == 0 ? 0.6 : -0.6, i % 5 == 0 ? 1.0 : 0.0);
        for (int k = 0; k < 100; k++) {
            rig_step(&bench);
            assert_false(rig_guarded(&bench, CAIRN_GUARD_TILT));
        }
    }
    rig_finish(&bench);
}

static void jolts_do_not_trip_the_tilt_guard(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "guards/jolts");
    rig bench;
    moving_rig(&bench)->slope_rad = 15.0 * DEGREES;
    for (int i = 0; i < 2000; i++) {
        const bool jolt = cairn_random_below(&random, 10) == 0;
        bench.accel_extra_mps2 = (cairn_vec3){0};
        if (jolt) {
            bench.accel_extra_mps2 = (cairn_vec3){cairn_random_between(&random, -60.0, 60.0),
                                                  cairn_random_between(&random, -60.0, 60.0), 0.0};
        }
        rig_step(&bench);
        assert_false(rig_guarded(&bench, CAIRN_GUARD_TILT));
    }
    rig_finish(&bench);
}

static void beyond_its_limit_the_robot_stops_until_it_is_well_back(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench);
    for (int period = 1; period <= 125; period++) { // within a second, as the gyro feels
        bench.slope_rad = period / 125.0 * 40.0 * DEGREES;
        bench.level_bias_radps.y = -40.0 * DEGREES;
        rig_step(&bench);
    }
    bench.level_bias_radps.y = 0;
    rig_run(&bench, 4.0);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_TILT));
    rig_run(&bench, 1.0);
    assert_true(rig_fastest_wheel_radps(&bench) < 0.05);
    bench.slope_rad = 32.0 * DEGREES; // under the limit, but not by enough
    rig_run(&bench, 10.0);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_TILT));
    bench.slope_rad = 10.0 * DEGREES;
    rig_run(&bench, 4.0);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_TILT));
    assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
    rig_finish(&bench);
}

static void without_an_imu_there_is_no_tilt_guard_and_it_is_said(void **state)
{
    (void)state;
    cairn_body_description description = rig_description();
    description.imu.offered = false;
    rig bench;
    rig_init(&bench, &description);
    rig_command(&bench, 0.3, 0.0);
    rig_run(&bench, 1.0);
    assert_int_equal(bench.state.guards, 0);
    assert_true(isnan(bench.state.pitch_rad) && isnan(bench.state.roll_rad));
    assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
    rig_finish(&bench);
}

// 100 ms without a frame, and the guard acts within one period more; it lets go when frames are back.
static void a_silent_sensor_stops_the_robot(void **state)
{
    (void)state;
    const cairn_guard guards[] = {CAIRN_GUARD_ENCODERS, CAIRN_GUARD_IMU, CAIRN_GUARD_BUMP};
    for (int sensor = 0; sensor < 3; sensor++) {
        rig bench;
        moving_rig(&bench);
        bool *const silent[] = {&bench.encoders_silent, &bench.imu_silent, &bench.bump_silent};
        *silent[sensor] = true;
        rig_run(&bench, 0.096);
        assert_false(rig_guarded(&bench, guards[sensor]));
        rig_run(&bench, 0.016);
        assert_true(rig_guarded(&bench, guards[sensor]));
        rig_run(&bench, 1.0);
        if (sensor != 0) { assert_true(rig_fastest_wheel_radps(&bench) < 0.05); }
        if (sensor == 0) { // blind wheels: no torque on level ground rather than a guess
            for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { assert_float_equal(bench.target.torque_nm[i], 0.0, 0.05); }
        }
        *silent[sensor] = false;
        rig_run(&bench, 2.0);
        assert_false(rig_guarded(&bench, guards[sensor]));
        assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
        rig_finish(&bench);
    }
}

// An IMU that says the same again and again tells nothing: no tilt, for one. Where it is said to have no noise, it may.
static void a_frozen_imu_stops_the_robot(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        rig bench;
        moving_rig(&bench);
        if (noisy) { bench.description.imu.turn_noise_radps = bench.description.imu.accel_noise_mps2 = 1e-3; }
        rig_restart(&bench);
        rig_run(&bench, 2.0);
        assert_false(rig_guarded(&bench, CAIRN_GUARD_IMU));
        bench.imu_frozen = true;
        rig_run(&bench, 0.112);
        assert_int_equal(rig_guarded(&bench, CAIRN_GUARD_IMU), noisy);
        rig_run(&bench, 1.0);
        assert_int_equal(rig_fastest_wheel_radps(&bench) < 0.05, noisy);
        bench.imu_frozen = false;
        rig_run(&bench, 2.0);
        assert_false(rig_guarded(&bench, CAIRN_GUARD_IMU));
        assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
        rig_finish(&bench);
    }
}

// Half an IMU is none: a gyro that stands hides every turn, an accelerometer every fall.
static void a_gyro_or_an_accelerometer_that_freezes_alone_stops_the_robot(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        rig bench;
        moving_rig(&bench);
        bench.description.imu.turn_noise_radps = bench.description.imu.accel_noise_mps2 = 1e-3;
        rig_restart(&bench);
        rig_run(&bench, 2.0);
        bool *const frozen = half == 0 ? &bench.gyro_frozen : &bench.accel_frozen;
        *frozen = true;
        rig_run(&bench, 0.1);
        *frozen = false; // a coarse sensor may do that
        rig_run(&bench, 0.4);
        assert_false(rig_guarded(&bench, CAIRN_GUARD_IMU));
        *frozen = true;
        rig_run(&bench, 0.4);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_IMU));
        rig_run(&bench, 1.0);
        assert_true(rig_fastest_wheel_radps(&bench) < 0.05);
        *frozen = false;
        rig_run(&bench, 2.0);
        assert_false(rig_guarded(&bench, CAIRN_GUARD_IMU));
        assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
        rig_finish(&bench);
    }
}

// The gyro alone would drift for as long as it is believed.
static void an_accelerometer_that_feels_no_gravity_stops_the_robot(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench)->accel_extra_mps2.z = -9.0;
    rig_run(&bench, 1.9);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_IMU));
    rig_run(&bench, 0.3);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_IMU));
    assert_true(bench.state.told_mps == 0.0);
    bench.accel_extra_mps2.z = 0.0;
    rig_run(&bench, 2.0);
    assert_int_equal(bench.state.guards, 0);
    rig_finish(&bench);
}

// Counters that jump with every frame tell no speed: that is as good as silence.
static void encoders_that_keep_jumping_stop_the_robot(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench);
    for (int step = 0; step < 125; step++) {
        for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { bench.wheel_rad[i] += step % 2 == 0 ? 1e3 : -1e3; }
        rig_step(&bench);
    }
    assert_true(rig_guarded(&bench, CAIRN_GUARD_ENCODERS));
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { assert_float_equal(bench.target.torque_nm[i], 0.0, 0.05); }
    rig_run(&bench, 2.0);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_ENCODERS));
    assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
    rig_finish(&bench);
}

// Reflex cannot brake without encoders, and a fresh target would keep the base from braking by itself.
static void without_encoders_reflex_falls_silent_and_the_base_brakes(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench);
    bench.encoders_silent = true;
    rig_run(&bench, 1.0);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_ENCODERS));
    assert_true(cairn_mono_since(bench.now, bench.target.issued) > bench.description.watchdog_ns);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { assert_float_equal(bench.target.torque_nm[i], 0.0, 0.05); }
    bench.encoders_silent = false;
    rig_run(&bench, 2.0);
    assert_true(cairn_mono_since(bench.now, bench.target.issued) <= CAIRN_REFLEX_PERIOD_NS);
    assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
    rig_finish(&bench);
}

static void a_touch_forbids_motion_into_it_and_no_other(void **state)
{
    (void)state;
    cairn_body_description description = rig_description();
    description.drive = CAIRN_DRIVE_VELOCITY;
    description.laser.field_rad = 2.0 * CAIRN_PI; // it sees behind: only the touch limits it
    const struct {
        cairn_bump_frame bump;
        double low, high; // forward speeds that remain
    } cases[] = {
        {{.front = true}, -0.5, 0.0},
        {{.rear = true}, 0.0, 0.5},
        {{.front = true, .rear = true}, 0.0, 0.0},
        {{.left = true}, -0.1, 0.1},
        {{.right = true, .front = true}, -0.1, 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int way = -1; way <= 1; way += 2) {
            rig bench;
            rig_init(&bench, &description);
            bench.bump = cases[i].bump;
            rig_command(&bench, 0.5 * way, 1.4 * way);
            rig_run(&bench, 2.0);
            assert_true(rig_guarded(&bench, CAIRN_GUARD_BUMP));
            assert_float_equal(bench.target.forward_mps, way < 0 ? cases[i].low : cases[i].high, 0.002);
            assert_float_equal(bench.target.turn_radps, 0.3 * way, 0.002);
            bench.bump = (cairn_bump_frame){0};
            rig_run(&bench, 2.0);
            assert_float_equal(bench.target.forward_mps, 0.5 * way, 1e-9);
            rig_finish(&bench);
        }
    }
}

static double hull_to_wall_m(const rig *bench)
{
    return bench->wall_m - bench->truth.x_m - 0.5 * bench->description.length_m;
}

// Mind asks for full speed at a wall, as a broken one may: it creeps when it gets there.
static void a_wall_is_never_met_faster_than_creeping(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        cairn_body_description description = rig_description();
        if (late) { description.laser.delay_s = 0.05; }
        rig bench;
        rig_init(&bench, &description);
        bench.wall_m = 2.0;
        rig_command(&bench, 0.6, 0.0);
        double near_mps = 0.0, far_mps = 0.0;
        for (int i = 0; i < 2000 && hull_to_wall_m(&bench) > 0.0; i++) {
            rig_step(&bench);
            const double mps = rig_fastest_wheel_radps(&bench) * 0.12;
            if (hull_to_wall_m(&bench) > 0.5) { far_mps = fmax(far_mps, mps); }
            if (hull_to_wall_m(&bench) < 0.01) { near_mps = fmax(near_mps, mps); }
        }
        assert_true(far_mps > 0.55); // it brakes late
        assert_true(near_mps > 0.0 && near_mps < 0.2);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_OBSTACLE));
        rig_finish(&bench);
    }
}

// Tyres that slide are slower than the robot: by their counts it slows down as it is told. Who is seen to run on
// stands.
static void who_is_seen_to_run_on_at_a_wall_is_told_to_stand(void **state)
{
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        rig bench;
        const cairn_body_description description = rig_description();
        rig_init(&bench, &description);
        bench.wall_m = 2.0;
        rig_command(&bench, 0.6, 0.0);
        bool stood = false, creeps = false;
        for (int i = 0; i < 2000 && hull_to_wall_m(&bench) > 0.0; i++) {
            const double counted_mps = rig_fastest_wheel_radps(&bench) * 0.12;
            const cairn_seen_motion saw = {.at = bench.now, .forward_mps = slides != 0 ? 0.6 : counted_mps};
            cairn_cell_write(bench.cells.seen, &saw, sizeof saw);
            rig_step(&bench);
            if (!rig_guarded(&bench, CAIRN_GUARD_OBSTACLE)) { continue; }
            stood = stood || bench.state.told_mps == 0.0;
            creeps = creeps || bench.state.told_mps < 0.1;
        }
        assert_true(creeps);
        assert_int_equal(stood, slides);
        rig_finish(&bench);
    }
}

// What a range imager shows of a floor, of a block of that height that begins so far ahead of base, and of a ramp
// there.
static void show(rig *bench, double ahead_m, double high_m, double slope)
{
    static cairn_range_image_frame image;
    const cairn_range_imager_description *imager = &bench->description.range_imager;
    const double pixel = 2.0 * tan(0.5 * imager->field_rad) / imager->width_px;
    const cairn_vec3 from = imager->base_T_camera.at_m;
    image =
        (cairn_range_image_frame){.taken = bench->now, .width_px = imager->width_px, .height_px = imager->height_px};
    for (uint32_t i = 0; i < imager->width_px * imager->height_px; i++) {
        const double left = (0.5 * imager->width_px - i % imager->width_px - 0.5) * pixel;
        const double up = (0.5 * imager->height_px - floor(i / (double)imager->width_px) - 0.5) * pixel;
        const cairn_vec3 ray = cairn_quat_rotate(imager->base_T_camera.turn, (cairn_vec3){1, left, up});
        double depth_m = 0.0;
        for (int k = 1; k <= 1500 && depth_m == 0.0; k++) { // until it is within something
            const double x = from.x + ray.x * 0.002 * k, z = from.z + ray.z * 0.002 * k;
            const bool in_ramp = slope > 0.0 && x > ahead_m && z < (x - ahead_m) * slope;
            if (z < 0.0 || in_ramp || (x > ahead_m && z < high_m)) { depth_m = 0.002 * k; }
        }
        image.millimetres[i] = (uint16_t)(1000.0 * depth_m + (i + bench->frame_count) % 3);
    }
    cairn_cell_write(bench->body.range_image_reflex, &image, sizeof image);
}

static cairn_body_description looking_down(void)
{
    cairn_body_description description = rig_description();
    description.range_imager = (cairn_range_imager_description){
        .offered = true,
        .base_T_camera = {{0.1, 0.0, 0.44}, cairn_quat_from_axis((cairn_vec3){0, 1, 0}, 0.52)},
        .width_px = 22,
        .height_px = 18,
        .field_rad = 0.82,
        .rate_hz = 5.0,
        .range_m_min = 0.3,
        .range_m_max = 7.5,
        .noise_m = 0.002,
        .delay_s = 0.0,
    };
    return description;
}

// Drives at what stands 2 m ahead; returns how fast it is when it gets there.
static double met_at_mps(const cairn_body_description *description, double high_m, double slope, bool *ret_guarded)
{
    rig bench;
    rig_init(&bench, description);
    rig_command(&bench, 0.6, 0.0);
    *ret_guarded = false;
    const double way_m = 2.0 - 0.5 * description->length_m;
    for (int i = 0; i < 2000 && bench.truth.x_m < way_m; i++) {
        if (i % 25 == 0) { show(&bench, 2.0 - bench.truth.x_m, high_m, slope); }
        rig_step(&bench);
        *ret_guarded = *ret_guarded || rig_guarded(&bench, CAIRN_GUARD_OBSTACLE);
    }
    assert_true(bench.truth.x_m >= way_m);
    const double mps = rig_fastest_wheel_radps(&bench) * 0.12;
    rig_finish(&bench);
    return mps;
}

// The laser looks over other robots' hulls and low blocks. Ramps and kerbs are not this guard's matter.
static void what_only_the_range_imager_sees_is_met_creeping(void **state)
{
    (void)state;
    bool guarded;
    cairn_body_description description = looking_down();
    assert_true(met_at_mps(&description, 0.20, 0.0, &guarded) < 0.15 && guarded);
    assert_true(met_at_mps(&description, 0.14, 0.0, &guarded) < 0.15 && guarded);
    description.limits.step_m_max = 0.2; // a step, or a robot
    const double climbed_mps = met_at_mps(&description, 0.20, 0.0, &guarded);
    assert_true(climbed_mps > 0.08 && climbed_mps < 0.15 && guarded);
    description.limits.climb_rad_max = 0.35;
    assert_true(met_at_mps(&description, 0.0, 0.33, &guarded) > 0.5 && !guarded);
    assert_true(met_at_mps(&description, 0.04, 0.0, &guarded) > 0.5 && !guarded);
}

// Away from the wall nothing is forbidden, though it stands right before the hull.
static void a_wall_ahead_does_not_hold_a_robot_that_backs_away(void **state)
{
    (void)state;
    rig bench;
    const cairn_body_description description = rig_description();
    rig_init(&bench, &description);
    bench.wall_m = 0.3;
    rig_command(&bench, -0.15, 0.0);
    for (int i = 0; i < 125; i++) {
        rig_step(&bench);
        assert_false(rig_guarded(&bench, CAIRN_GUARD_OBSTACLE));
    }
    assert_float_equal(bench.state.told_mps, -0.15, 1e-9);
    rig_finish(&bench);
}

// The corners of a robot that turns sweep wider than its sides.
static void a_turn_does_not_swing_a_corner_into_a_wall(void **state)
{
    (void)state;
    rig bench;
    const cairn_body_description description = rig_description();
    rig_init(&bench, &description);
    bench.wall_m = 0.5 * description.length_m + 0.03;
    rig_command(&bench, 0.0, 1.5);
    for (int i = 0; i < 125; i++) {
        rig_step(&bench);
        const double yaw = bench.truth.yaw_rad;
        const double corner_m = 0.5 * (description.length_m * cos(yaw) + description.width_m * fabs(sin(yaw)));
        if (corner_m > bench.wall_m) { assert_true(fabs(bench.state.turn_radps) * 0.34 < 0.2); }
    }
    assert_true(rig_guarded(&bench, CAIRN_GUARD_OBSTACLE));
    rig_finish(&bench);
}

static void a_robot_whose_laser_falls_silent_creeps(void **state)
{
    (void)state;
    rig bench;
    moving_rig(&bench)->laser_silent = true;
    rig_run(&bench, 0.25); // the last scan is up to 24 ms old
    assert_false(rig_guarded(&bench, CAIRN_GUARD_OBSTACLE));
    rig_run(&bench, 0.5);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_OBSTACLE));
    assert_true(bench.state.told_mps <= CAIRN_CREEP_MPS);
    bench.laser_silent = false;
    rig_run(&bench, 1.0);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_OBSTACLE));
    assert_float_equal(bench.state.told_mps, 0.4, 1e-9);
    rig_finish(&bench);
}

static void backwards_it_goes_slowly_where_nothing_looks(void **state)
{
    (void)state;
    for (int all_around = 0; all_around < 2; all_around++) {
        cairn_body_description description = rig_description();
        if (all_around) { description.laser.field_rad = 2.0 * CAIRN_PI; }
        rig bench;
        rig_init(&bench, &description);
        rig_command(&bench, -0.5, 0.0);
        rig_run(&bench, 2.0);
        assert_float_equal(bench.state.told_mps, all_around ? -0.5 : -CAIRN_UNSIGHTED_MPS, 1e-6);
        rig_finish(&bench);
    }
}

// What was heard by another time would seem to be of now: a command, for one, for as long as the leap was.
static void a_clock_that_leaps_stops_the_robot_for_half_a_second(void **state)
{
    (void)state;
    const int64_t leaps_ns[] = {-CAIRN_S(3600), -CAIRN_MS(9), CAIRN_MS(150), CAIRN_S(3600)};
    for (size_t i = 0; i < sizeof leaps_ns / sizeof leaps_ns[0]; i++) {
        rig bench;
        const cairn_body_description description = rig_description();
        rig_init(&bench, &description);
        bench.now.ns = CAIRN_S(7200);
        rig_command(&bench, 0.4, 0.0);
        rig_run(&bench, 1.5);
        assert_int_equal(bench.state.guards, 0);
        bench.now.ns += leaps_ns[i];
        bench.command_every_period = false;
        rig_step(&bench);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_CLOCK));
        assert_true(bench.state.told_mps == 0.0);
        rig_run(&bench, 1.0);
        assert_false(rig_guarded(&bench, CAIRN_GUARD_CLOCK));
        assert_true(rig_guarded(&bench, CAIRN_GUARD_COMMAND)); // the old one is not in force again
        assert_true(bench.state.told_mps == 0.0);
        rig_command(&bench, 0.4, 0.0);
        rig_run(&bench, 1.5);
        assert_int_equal(bench.state.guards, 0);
        assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
        rig_finish(&bench);
    }
}

// Whatever is wanted and whichever guards act: no component grows, none changes its sign.
static void guards_only_take_speed_away(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "guards/limit");
    for (int i = 0; i < 100000; i++) {
        const cairn_guards guards = {
            .halt = (cairn_halt)cairn_random_below(&random, 3),
            .forward_mps_min = -cairn_random_between(&random, 0.0, 1.0),
            .forward_mps_max = cairn_random_between(&random, 0.0, 1.0),
            .turn_radps_max = cairn_random_between(&random, 0.0, 2.0),
        };
        const cairn_motion wanted = {cairn_random_between(&random, -2.0, 2.0),
                                     cairn_random_between(&random, -3.0, 3.0)};
        const cairn_motion left = cairn_guards_limit(&guards, wanted);
        assert_true(fabs(left.forward_mps) <= fabs(wanted.forward_mps) && left.forward_mps * wanted.forward_mps >= 0.0);
        assert_true(fabs(left.turn_radps) <= fabs(wanted.turn_radps) && left.turn_radps * wanted.turn_radps >= 0.0);
    }
}

static void write_garbage(cairn_random *random, cairn_cell *cell, size_t size_bytes)
{
    unsigned char *bytes = cairn_cell_begin(cell);
    for (size_t i = 0; i < size_bytes; i++) { bytes[i] = (unsigned char)cairn_random_below(random, 256); }
    cairn_cell_publish(cell);
}

// A command that is nearly right: each field is either good or one of the ways to be wrong.
static void write_crooked_command(cairn_random *random, rig *bench)
{
    const double values[] = {0.3, -0.3, 0.0, 1e300, -1e300, NAN, INFINITY, 5e-324, 0.6000001, -0.6};
    const int64_t ages_ns[] = {0, CAIRN_MS(100), CAIRN_MS(301), -CAIRN_MS(9), INT64_MAX, INT64_MIN, -1};
    const int64_t age_ns = ages_ns[cairn_random_below(random, 7)];
    const cairn_motion_command command = {
        .issued = {age_ns == INT64_MAX || age_ns == INT64_MIN ? age_ns : bench->now.ns + CAIRN_MS(8) - age_ns},
        .forward_mps = values[cairn_random_below(random, 10)],
        .turn_radps = values[cairn_random_below(random, 10)],
    };
    cairn_cell_write(bench->cells.command, &command, sizeof command);
}

// A second account of the stop's protocol.
typedef struct stop_account {
    bool latched;
    uint32_t highest;
} stop_account;

static void account_for(stop_account *account, cairn_cell *cell, cairn_mono read_at)
{
    const cairn_stop_command *seen = cairn_cell_latest(cell, NULL);
    if (seen == NULL) { return; }
    unsigned char byte = 0;
    memcpy(&byte, (const unsigned char *)seen + offsetof(cairn_stop_command, stop), 1);
    const bool releases =
        byte == 0 && seen->release_count > account->highest && seen->issued.ns <= read_at.ns + CAIRN_CLOCK_SLACK_NS;
    account->latched = byte != 0 || (account->latched && !releases);
    if (seen->release_count > account->highest) { account->highest = seen->release_count; }
}

static void write_anything(cairn_random *random, rig *bench, const stop_account *account)
{
    const uint32_t pick = cairn_random_below(random, 40);
    if (pick < 5) { write_garbage(random, bench->cells.command, sizeof(cairn_motion_command)); }
    if (pick >= 5 && pick < 30) { write_crooked_command(random, bench); }
    if (pick == 30) { write_garbage(random, bench->cells.stop, sizeof(cairn_stop_command)); }
    if (pick > 30) { rig_stop(bench, pick == 31, account->highest + cairn_random_below(random, 2)); }
}

// Garbage in both cells: torques stay bounded and finite, speeds within limits, and once a stop was seen it
// is released by the protocol alone.
static void garbage_from_above_cannot_defeat_the_reflexes(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "guards/garbage");
    print_message("seed %u\n", SEED);
    uint32_t moving_count = 0, latched_count = 0;
    for (int round = 0; round < 60; round++) {
        const cairn_body_description description = rig_description();
        rig bench;
        rig_init(&bench, &description);
        stop_account account = {0};
        for (int i = 0; i < 500; i++) {
            write_anything(&random, &bench, &account);
            account_for(&account, bench.cells.stop, cairn_mono_add(bench.now, CAIRN_REFLEX_PERIOD_NS));
            rig_step(&bench);
            assert_int_equal(rig_guarded(&bench, CAIRN_GUARD_STOP), account.latched);
            for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
                assert_true(fabs(bench.target.torque_nm[wheel]) <= 8.0); // false for NaN
            }
            assert_true(rig_fastest_wheel_radps(&bench) * 0.12 < 0.6 + 1.5 * 0.19 / 0.58 + 0.1);
            moving_count += rig_fastest_wheel_radps(&bench) > 0.5;
            latched_count += account.latched;
        }
        rig_finish(&bench);
    }
    assert_true(moving_count > 1000 && latched_count > 1000); // both were put to the test
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_written_speed_is_zero_308_ms_after_the_last_command),
        cmocka_unit_test(a_lost_command_brakes_within_grip_and_then_holds),
        cmocka_unit_test(a_robot_that_never_heard_anything_stands_still),
        cmocka_unit_test(a_stop_brakes_at_once_and_stays),
        cmocka_unit_test(a_stop_is_released_only_by_a_greater_count),
        cmocka_unit_test(a_release_from_the_future_does_not_release),
        cmocka_unit_test(after_a_release_the_ramp_starts_from_zero),
        cmocka_unit_test(commands_that_cannot_be_are_refused_and_counted),
        cmocka_unit_test(the_stop_button_brakes_at_once_and_latches),
        cmocka_unit_test(a_silent_stop_button_counts_as_pressed),
        cmocka_unit_test(a_stop_by_the_button_outlives_reflex),
        cmocka_unit_test(a_ramp_of_15_degrees_does_not_trip_the_tilt_guard),
        cmocka_unit_test(jolts_do_not_trip_the_tilt_guard),
        cmocka_unit_test(beyond_its_limit_the_robot_stops_until_it_is_well_back),
        cmocka_unit_test(without_an_imu_there_is_no_tilt_guard_and_it_is_said),
        cmocka_unit_test(a_silent_sensor_stops_the_robot),
        cmocka_unit_test(a_frozen_imu_stops_the_robot),
        cmocka_unit_test(a_gyro_or_an_accelerometer_that_freezes_alone_stops_the_robot),
        cmocka_unit_test(an_accelerometer_that_feels_no_gravity_stops_the_robot),
        cmocka_unit_test(encoders_that_keep_jumping_stop_the_robot),
        cmocka_unit_test(without_encoders_reflex_falls_silent_and_the_base_brakes),
        cmocka_unit_test(a_touch_forbids_motion_into_it_and_no_other),
        cmocka_unit_test(a_wall_is_never_met_faster_than_creeping),
        cmocka_unit_test(what_only_the_range_imager_sees_is_met_creeping),
        cmocka_unit_test(who_is_seen_to_run_on_at_a_wall_is_told_to_stand),
        cmocka_unit_test(a_wall_ahead_does_not_hold_a_robot_that_backs_away),
        cmocka_unit_test(a_turn_does_not_swing_a_corner_into_a_wall),
        cmocka_unit_test(a_robot_whose_laser_falls_silent_creeps),
        cmocka_unit_test(backwards_it_goes_slowly_where_nothing_looks),
        cmocka_unit_test(a_clock_that_leaps_stops_the_robot_for_half_a_second),
        cmocka_unit_test(guards_only_take_speed_away),
        cmocka_unit_test(garbage_from_above_cannot_defeat_the_reflexes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
