// Wheels, odometry and attitude against a bench model and analytic motion.
#include "rig.h"
#include "robot/reflex/odometry.h"
#include "robot/reflex/wheels.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double forward(const rig *bench)
{
    double sum = 0.0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { sum += bench->wheel_radps[i]; }
    return sum / CAIRN_WHEELS_MAX * bench->description.wheels.radius_m;
}

static rig *fresh_rig(rig *bench)
{
    const cairn_body_description description = rig_description();
    rig_init(bench, &description);
    rig_command(bench, 0.0, 0.0);
    rig_run(bench, 0.2);
    return bench;
}

// The description is never exact; the loop must stand half and one and a half times the inertia it believes in.
static void a_speed_step_overshoots_by_less_than_a_tenth_and_leaves_no_error(void **state)
{
    (void)state;
    const double factors[] = {0.5, 1.0, 1.5};
    const double frictions[] = {0.0, 0.3};
    for (int k = 0; k < 6; k++) {
        rig bench;
        fresh_rig(&bench)->inertia_factor = factors[k % 3];
        bench.friction_nm = frictions[k / 3];
        rig_command(&bench, 0.5, 0.0);
        double highest = 0.0;
        for (int i = 0; i < 375; i++) {
            rig_step(&bench);
            highest = fmax(highest, forward(&bench));
        }
        assert_true(highest < 0.55);
        assert_float_equal(forward(&bench), 0.5, 0.005);
        rig_finish(&bench);
    }
}

// Against a slope of 15 degrees and friction, both up and down.
static void a_set_speed_is_kept_on_a_slope(void **state)
{
    (void)state;
    for (int k = -1; k <= 1; k += 2) {
        rig bench;
        fresh_rig(&bench)->friction_nm = 0.3;
        bench.slope_rad = k * 15.0 * CAIRN_PI / 180.0;
        rig_command(&bench, 0.4, 0.0);
        rig_run(&bench, 4.0);
        assert_float_equal(forward(&bench), 0.4, 0.005);
        rig_finish(&bench);
    }
}

static void a_robot_parked_on_a_slope_stays(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    rig_command(&bench, 0.3, 0.0);
    rig_run(&bench, 1.0);
    bench.slope_rad = 15.0 * CAIRN_PI / 180.0;
    rig_run(&bench, 2.0);
    rig_command(&bench, 0.0, 0.0);
    rig_run(&bench, 4.0);
    const double parked_rad = bench.wheel_rad[0];
    rig_run(&bench, 60.0);
    assert_float_equal(bench.wheel_rad[0], parked_rad, 0.002 / 0.12);
    assert_true(rig_fastest_wheel_radps(&bench) < 0.05);
    rig_finish(&bench);
}

// Pushed off its place by a slope that appears at once, it must come back, not just stop.
static void a_held_place_is_returned_to(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    const double parked_rad = bench.wheel_rad[2];
    bench.slope_rad = -15.0 * CAIRN_PI / 180.0;
    double furthest = 0.0;
    for (int i = 0; i < 1250; i++) {
        rig_step(&bench);
        furthest = fmax(furthest, fabs(bench.wheel_rad[2] - parked_rad));
    }
    assert_true(furthest * 0.12 < 0.05);
    assert_float_equal(bench.wheel_rad[2], parked_rad, 0.002 / 0.12);
    rig_finish(&bench);
}

// A skidding robot turns slower than its wheels say: the difference of the wheels must make up for it.
// A guard that lets go and holds by turns takes the wheels' hold on and off many times a second: each change must leave
// the wheels no faster than they were.
static void asking_for_nothing_and_next_to_nothing_by_turns_never_speeds_wheels_up(void **state)
{
    (void)state;
    static const double slopes_rad[] = {0, 0.15};
    for (int k = 0; k < 2 * 6; k++) {
        rig bench;
        fresh_rig(&bench)->friction_nm = 0.05;
        bench.slope_rad = slopes_rad[k / 6];
        rig_command(&bench, 0, 0);
        rig_run(&bench, 2);
        for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { bench.wheel_radps[i] = 0.6; } // a little push
        double fastest_radps = 0;
        for (int period = 0; period < 250; period++) {
            rig_command(&bench, 0, period % (k % 6 + 2) == 0 ? -0.03 : 0);
            rig_step(&bench);
            fastest_radps = fmax(fastest_radps, rig_fastest_wheel_radps(&bench));
        }
        printf("every %d periods, slope %.2f: %.2f rad/s at most\n", k % 6 + 2, bench.slope_rad, fastest_radps);
        assert_true(fastest_radps < 0.8);
        assert_true(rig_fastest_wheel_radps(&bench) < 0.6); // what each change gives and takes back, and its skid
        rig_finish(&bench);
    }
}

static void wheels_differ_by_the_turn_times_track_over_efficiency(void **state)
{
    (void)state;
    const cairn_body_description description = rig_description();
    cairn_wheels wheels;
    cairn_wheels_init(&wheels, &description);
    double radps[CAIRN_WHEELS_MAX];
    cairn_wheels_speeds(&wheels, (cairn_motion){0.2, 0.5}, radps);
    assert_float_equal((radps[1] - radps[0]) * 0.12, 0.5 * 0.38 / 0.58, 1e-12);
    assert_float_equal((radps[1] + radps[0]) * 0.12, 2.0 * 0.2, 1e-12);
    cairn_wheels_speeds(&wheels, (cairn_motion){6.0, 3.0}, radps);
    assert_float_equal(fmax(radps[0], radps[1]), 12.0, 1e-12);
    assert_float_equal(radps[1] / radps[0], (6.0 + 1.5 * 0.38 / 0.58) / (6.0 - 1.5 * 0.38 / 0.58), 1e-9);
}

// A circle of radius v / w, driven twice round: the pose must come back, and lie on the circle meanwhile.
static void odometry_follows_an_analytic_circle(void **state)
{
    (void)state;
    for (int with_imu = 0; with_imu < 2; with_imu++) {
        cairn_body_description description = rig_description();
        description.imu.offered = with_imu == 1;
        rig bench;
        rig_init(&bench, &description);
        rig_command(&bench, 0.4, 0.5);
        rig_run(&bench, 26.0);
        assert_float_equal(bench.state.odom_T_base.x_m, bench.truth.x_m, 0.01);
        assert_float_equal(bench.state.odom_T_base.y_m, bench.truth.y_m, 0.01);
        assert_float_equal(cairn_angle_between(bench.state.odom_T_base.yaw_rad, bench.truth.yaw_rad), 0.0, 0.01);
        // the middle of the circle lies 0.8 m to the left of the robot, wherever it is
        const cairn_vec2 middle = cairn_pose2_apply(bench.state.odom_T_base, (cairn_vec2){0.0, 0.8});
        rig_run(&bench, 4.0);
        const cairn_vec2 later = cairn_pose2_apply(bench.state.odom_T_base, (cairn_vec2){0.0, 0.8});
        assert_true(cairn_vec2_distance(middle, later) < 0.01);
        rig_finish(&bench);
    }
}

static void distance_grows_with_the_way_and_not_with_standing(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    rig_command(&bench, 0.5, 0.0);
    rig_run(&bench, 2.0);
    rig_command(&bench, -0.5, 0.0);
    rig_run(&bench, 2.0);
    rig_command(&bench, 0.0, 0.0);
    rig_run(&bench, 1.5);
    const double way_m = bench.state.distance_m;
    assert_true(way_m > 1.0);
    rig_run(&bench, 30.0);
    assert_float_equal(bench.state.distance_m, way_m, 0.006);
    rig_finish(&bench);
}

static void the_gyros_bias_is_learnt_at_rest_and_kept_while_moving(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench)->turn_bias_radps = 0.02;
    rig_run(&bench, 5.0);
    assert_float_equal(bench.state.turn_bias_radps, 0.02, 0.0005);
    rig_command(&bench, 0.3, 0.3);
    rig_run(&bench, 20.0);
    assert_float_equal(bench.state.turn_bias_radps, 0.02, 0.0005);
    rig_finish(&bench);
}

// A robot that stands on something that turns, or is turned by a person, feels as little as one at rest.
static void a_robot_that_is_turned_smoothly_does_not_take_it_for_bias(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench)->turn_bias_radps = 0.02;
    rig_run(&bench, 5.0);
    const double yaw_rad = bench.state.odom_T_base.yaw_rad;
    bench.turn_bias_radps = 0.02 + 0.05; // the world's turn; its wheels stand
    rig_run(&bench, 10.0);
    assert_float_equal(bench.state.turn_bias_radps, 0.02, 0.001);
    assert_float_equal(bench.state.odom_T_base.yaw_rad - yaw_rad, 0.5, 0.01);
    rig_finish(&bench);
}

// Teetering, or people working on it: its wheels stand and nobody told it to move, but it does.
static void a_robot_that_is_shaken_learns_no_bias(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench)->turn_bias_radps = 0.05;
    for (int i = 0; i < 1000; i++) {
        bench.accel_extra_mps2.x = i / 8 % 2 == 0 ? 0.5 : -0.5;
        rig_step(&bench);
    }
    assert_float_equal(bench.state.turn_bias_radps, 0.0, 1e-12);
    bench.accel_extra_mps2.x = 0.0;
    rig_run(&bench, 5.0);
    assert_float_equal(bench.state.turn_bias_radps, 0.05, 0.0005);
    rig_finish(&bench);
}

// Slower than what is taken for a turn, and far beyond it in the end.
static void a_gyro_that_wanders_is_followed_at_every_rest(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    for (int i = 1; i <= 200; i++) {
        bench.turn_bias_radps = 0.0002 * i;
        rig_run(&bench, 1.0);
    }
    assert_float_equal(bench.state.turn_bias_radps, 0.04, 0.001);
    rig_finish(&bench);
}

// Shown by the heading: without the bias it would run away by more than half a radian in 30 s.
static void a_learnt_bias_no_longer_turns_the_heading(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench)->turn_bias_radps = 0.02;
    rig_run(&bench, 5.0);
    const double yaw_rad = bench.state.odom_T_base.yaw_rad;
    rig_run(&bench, 30.0);
    assert_float_equal(bench.state.odom_T_base.yaw_rad, yaw_rad, 0.002);
    rig_finish(&bench);
}

static void pitch_is_that_of_the_slope_even_while_speeding_up(void **state)
{
    (void)state;
    rig bench;
    const cairn_body_description description = rig_description();
    rig_init(&bench, &description);
    bench.slope_rad = 15.0 * CAIRN_PI / 180.0;
    rig_command(&bench, 0.0, 0.0);
    rig_run(&bench, 1.0);
    assert_float_equal(bench.state.pitch_rad, -bench.slope_rad, 0.01);
    for (int i = 0; i < 10; i++) {
        rig_command(&bench, i % 2 == 0 ? 0.6 : 0.0, 0.0);
        rig_run(&bench, 0.6);
        assert_float_equal(bench.state.pitch_rad, -bench.slope_rad, 0.03);
        assert_float_equal(bench.state.roll_rad, 0.0, 0.01);
    }
    rig_finish(&bench);
}

// A robot that rolls over shows it in the gyro long before the accelerometer's mean follows.
static void attitude_follows_a_turn_about_x_at_once(void **state)
{
    (void)state;
    cairn_attitude attitude;
    cairn_attitude_init(&attitude);
    const cairn_attitude_motion motion = {.accel_mps2_max = 1.0};
    cairn_sensed sensed = {.imu = {.is_new = true}, .accel_mps2 = {0.0, 0.0, 9.80665}};
    cairn_attitude_step(&attitude, &sensed, &motion);
    sensed.imu.step_s = 0.008;
    for (int i = 1; i <= 125; i++) {
        const double roll = 0.5 * i * 0.008;
        sensed.turn_radps = (cairn_vec3){0.5, 0.0, 0.0};
        sensed.accel_mps2 = (cairn_vec3){0.0, 9.80665 * sin(roll), 9.80665 * cos(roll)};
        cairn_attitude_step(&attitude, &sensed, &motion);
        assert_float_equal(cairn_attitude_roll_rad(&attitude), roll, 0.003);
    }
    assert_float_equal(cairn_attitude_tilt_rad(&attitude), 0.5, 0.003);
}

// Nobody stands still in a rescue: what the gyro drifts by about level axes is learnt while the robot drives.
static void the_gyros_drift_about_level_axes_is_learnt_on_the_way(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    bench.level_bias_radps = (cairn_vec2){0.006, -0.008};
    rig_command(&bench, 0.2, 0.0);
    rig_run(&bench, 90.0);
    for (int i = 0; i < 100; i++) {
        rig_run(&bench, 0.1);
        assert_float_equal(bench.state.roll_rad, 0.0, 0.002);
        assert_float_equal(bench.state.pitch_rad, 0.0, 0.002);
    }
    rig_finish(&bench);
}

// Over a ridge the accelerometer feels a push that no wheel was told to make; the floor ahead must not seem to rise.
static void a_push_is_not_taken_for_leaning(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    rig_command(&bench, 0.2, 0.0);
    rig_run(&bench, 10.0);
    bench.accel_extra_mps2 = (cairn_vec3){-1.5, 0.0, 0.0};
    rig_run(&bench, 0.3);
    bench.accel_extra_mps2 = (cairn_vec3){0};
    assert_float_equal(bench.state.pitch_rad, 0.0, 0.015);
    rig_run(&bench, 30.0); // and what was wrong is forgotten
    assert_float_equal(bench.state.pitch_rad, 0.0, 0.002);
    rig_finish(&bench);
}

// It says that the robot leans by 20 degrees and more, and is longer than gravity: it is not believed, and in the end
// nobody knows how the robot leans, whatever it says now and then between.
static void an_accelerometer_that_is_longer_than_gravity_is_not_believed(void **state)
{
    (void)state;
    const double wrong_mps2[] = {3.5, -5.9};
    for (int i = 0; i < 2; i++) {
        rig bench;
        fresh_rig(&bench);
        rig_run(&bench, 10.0);
        bench.accel_extra_mps2 = (cairn_vec3){wrong_mps2[i], 0.0, 0.0};
        for (int k = 0; k < 20; k++) {
            rig_run(&bench, 0.1);
            assert_float_equal(bench.state.pitch_rad, 0.0, 0.08);
        }
        rig_run(&bench, 2.0);
        assert_true(isnan(bench.state.pitch_rad));
        assert_true((bench.state.guards & 1u << CAIRN_GUARD_IMU) != 0);
        bench.accel_extra_mps2 = (cairn_vec3){0};
        rig_run(&bench, 0.5); // not for a moment of sense
        assert_true(isnan(bench.state.pitch_rad));
        bench.accel_extra_mps2 = (cairn_vec3){wrong_mps2[i], 0.0, 0.0};
        rig_run(&bench, 5.0);
        assert_true(isnan(bench.state.pitch_rad));
        bench.accel_extra_mps2 = (cairn_vec3){0};
        rig_run(&bench, 4.0);
        assert_float_equal(bench.state.pitch_rad, 0.0, 0.01);
        assert_true((bench.state.guards & 1u << CAIRN_GUARD_IMU) == 0);
        rig_finish(&bench);
    }
}

// Nor one that a reflex finds so when it begins.
static void an_accelerometer_that_is_wrong_from_the_start_is_not_believed(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    bench.accel_extra_mps2 = (cairn_vec3){3.5, 0.0, 0.0};
    rig_run(&bench, 0.1);
    rig_restart(&bench);
    rig_step(&bench);
    for (int k = 0; k < 50; k++) {
        rig_run(&bench, 0.1);
        assert_true(isnan(bench.state.pitch_rad));
    }
    rig_finish(&bench);
}

static void a_body_that_takes_speeds_gets_the_ramped_command(void **state)
{
    (void)state;
    cairn_body_description description = rig_description();
    description.drive = CAIRN_DRIVE_VELOCITY;
    description.encoders.offered = false;
    rig bench;
    rig_init(&bench, &description);
    rig_command(&bench, 0.5, -0.8);
    rig_step(&bench);
    rig_step(&bench);
    assert_int_equal(bench.target.command, CAIRN_DRIVE_VELOCITY);
    assert_true(bench.target.forward_mps > 0.0 && bench.target.forward_mps <= 0.0161);
    assert_float_equal(bench.target.turn_radps / bench.target.forward_mps, -1.6, 1e-9);
    rig_run(&bench, 1.0);
    assert_float_equal(bench.target.forward_mps, 0.5, 0.0);
    assert_float_equal(bench.target.turn_radps, -0.8, 0.0);
    assert_true(isnan(bench.state.forward_mps));
    assert_true(bench.state.odom_T_base.x_m != 0.0);
    rig_finish(&bench);
}

static void a_torque_body_without_encoders_or_imu_is_refused(void **state)
{
    (void)state;
    cairn_body_description description = rig_description();
    description.encoders.offered = description.imu.offered = false;
    cairn_arena arena;
    cairn_body body;
    cairn_reflex_cells cells;
    cairn_reflex *reflex = NULL;
    assert_int_equal(cairn_arena_create(&arena, 1 << 20), CAIRN_OK);
    assert_int_equal(cairn_body_create(&description, &arena, &body), CAIRN_OK);
    assert_int_equal(cairn_reflex_cells_create(&arena, &cells), CAIRN_OK);
    assert_int_equal(cairn_reflex_create(&body, &cells, &arena, &reflex), CAIRN_ERR_UNSUPPORTED);
    assert_null(reflex);
    cairn_arena_destroy(&arena);
}

// A counter that jumps (a board that restarts) must not move the robot on the map.
static void a_jump_of_the_encoders_does_not_move_the_pose(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    rig_command(&bench, 0.3, 0.0);
    rig_run(&bench, 2.0);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { bench.wheel_rad[i] += 1e4; }
    const double before_m = bench.state.odom_T_base.x_m;
    rig_run(&bench, 0.08);
    assert_true(fabs(bench.state.odom_T_base.x_m - before_m) < 0.05);
    rig_run(&bench, 1.0);
    assert_float_equal(forward(&bench), 0.3, 0.02);
    rig_finish(&bench);
}

// The same while it stands: the place that its wheels hold has not moved.
static void a_jump_of_the_encoders_does_not_set_a_standing_robot_in_motion(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    rig_run(&bench, 1.0);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { bench.wheel_rad[i] += 1e4; }
    for (int step = 0; step < 250; step++) {
        rig_step(&bench);
        assert_true(rig_fastest_wheel_radps(&bench) < 0.05);
    }
    rig_finish(&bench);
}

// A robot that turned when its gyro fell silent, stood meanwhile and hears it again has not turned all that time.
static void a_silent_gyro_does_not_turn_the_heading(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    rig_command(&bench, 0.0, 1.0);
    rig_run(&bench, 1.5);
    bench.imu_silent = true;
    rig_run(&bench, 5.0);
    bench.imu_silent = false;
    rig_command(&bench, 0.0, 0.0);
    rig_run(&bench, 1.0);
    assert_true(fabs(cairn_angle_between(bench.truth.yaw_rad, bench.state.odom_T_base.yaw_rad)) < 0.15);
    rig_finish(&bench);
}

// Tipped while its gyro was silent: the first look at gravity tells, not a slow correction.
static void attitude_starts_afresh_when_the_imu_comes_back(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    bench.imu_silent = true;
    bench.slope_rad = 0.2;
    rig_run(&bench, 2.0);
    bench.imu_silent = false;
    rig_run(&bench, 0.016);
    assert_float_equal(bench.state.pitch_rad, -0.2, 0.01);
    rig_finish(&bench);
}

static void the_last_poses_are_told_oldest_first(void **state)
{
    (void)state;
    rig bench;
    fresh_rig(&bench);
    rig_command(&bench, 0.3, 0.1);
    rig_run(&bench, 1.0);
    assert_int_equal(bench.state.recent_count, CAIRN_ODOM_RECENT);
    for (uint32_t i = 0; i < CAIRN_ODOM_RECENT; i++) {
        const int64_t age_ns = (int64_t)(CAIRN_ODOM_RECENT - 1 - i) * CAIRN_REFLEX_PERIOD_NS;
        assert_int_equal(bench.state.recent[i].at.ns, bench.now.ns - age_ns);
    }
    assert_float_equal(bench.state.recent[CAIRN_ODOM_RECENT - 1].odom_T_base.x_m, bench.state.odom_T_base.x_m, 0.0);
    rig_finish(&bench);
}

// No state outside the struct: another robot in the same process changes nothing.
static void two_robots_in_one_process_do_not_disturb_each_other(void **state)
{
    (void)state;
    rig alone, one, other;
    fresh_rig(&alone);
    fresh_rig(&one);
    fresh_rig(&other);
    rig_command(&alone, 0.4, 0.2);
    rig_command(&one, 0.4, 0.2);
    rig_command(&other, -0.1, -1.0);
    rig_run(&alone, 3.0);
    for (int i = 0; i < 375; i++) {
        rig_step(&one);
        rig_step(&other);
    }
    assert_memory_equal(&alone.state.odom_T_base, &one.state.odom_T_base, sizeof(cairn_pose2));
    assert_memory_equal(alone.target.torque_nm, one.target.torque_nm, sizeof one.target.torque_nm);
    rig_finish(&alone);
    rig_finish(&one);
    rig_finish(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_speed_step_overshoots_by_less_than_a_tenth_and_leaves_no_error),
        cmocka_unit_test(a_set_speed_is_kept_on_a_slope),
        cmocka_unit_test(a_robot_parked_on_a_slope_stays),
        cmocka_unit_test(a_held_place_is_returned_to),
        cmocka_unit_test(asking_for_nothing_and_next_to_nothing_by_turns_never_speeds_wheels_up),
        cmocka_unit_test(wheels_differ_by_the_turn_times_track_over_efficiency),
        cmocka_unit_test(odometry_follows_an_analytic_circle),
        cmocka_unit_test(distance_grows_with_the_way_and_not_with_standing),
        cmocka_unit_test(the_gyros_bias_is_learnt_at_rest_and_kept_while_moving),
        cmocka_unit_test(a_robot_that_is_turned_smoothly_does_not_take_it_for_bias),
        cmocka_unit_test(a_robot_that_is_shaken_learns_no_bias),
        cmocka_unit_test(a_gyro_that_wanders_is_followed_at_every_rest),
        cmocka_unit_test(a_learnt_bias_no_longer_turns_the_heading),
        cmocka_unit_test(pitch_is_that_of_the_slope_even_while_speeding_up),
        cmocka_unit_test(attitude_follows_a_turn_about_x_at_once),
        cmocka_unit_test(the_gyros_drift_about_level_axes_is_learnt_on_the_way),
        cmocka_unit_test(a_push_is_not_taken_for_leaning),
        cmocka_unit_test(an_accelerometer_that_is_longer_than_gravity_is_not_believed),
        cmocka_unit_test(an_accelerometer_that_is_wrong_from_the_start_is_not_believed),
        cmocka_unit_test(a_body_that_takes_speeds_gets_the_ramped_command),
        cmocka_unit_test(a_torque_body_without_encoders_or_imu_is_refused),
        cmocka_unit_test(a_jump_of_the_encoders_does_not_move_the_pose),
        cmocka_unit_test(a_jump_of_the_encoders_does_not_set_a_standing_robot_in_motion),
        cmocka_unit_test(a_silent_gyro_does_not_turn_the_heading),
        cmocka_unit_test(attitude_starts_afresh_when_the_imu_comes_back),
        cmocka_unit_test(the_last_poses_are_told_oldest_first),
        cmocka_unit_test(two_robots_in_one_process_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
