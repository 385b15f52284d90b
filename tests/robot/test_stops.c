// A stop means that no wheel is driven, in any posture: robots of every file are lifted, tipped, laid on their backs
// and parked on slopes, and stopped in every way there is. The wheels are those of the bench: a rotor, the robot's mass
// on it or not, and the slope's pull.
#include "body/description_io.h"
#include "rig.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define DEGREES (CAIRN_PI / 180.0)
#define SLIP_M 0.12 // twice what a wheel that is held gives: until it is known to have lost its load

static const char *const files[] = {"emu", "emu-worn", "magic", "negotiator", "rover"};
#define FILES (sizeof files / sizeof files[0])

static cairn_body_description robot_of(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, CAIRN_SOURCE_ROOT "/robots/%s.yaml", name);
    static cairn_complaints complaints;
    cairn_body_description description;
    assert_int_equal(cairn_body_description_read(path, &complaints, &description), CAIRN_OK);
    return description;
}

typedef enum cause { IDLE, MIND_SILENT, STOPPED, CAUSES } cause;

static const char *const cause_names[] = {"idle", "mind silent", "stopped"};

static void stop_by(rig *bench, cause why)
{
    if (why == IDLE) { rig_command(bench, 0.0, 0.0); }
    if (why == MIND_SILENT) { bench->command_every_period = false; }
    if (why == STOPPED) { rig_stop(bench, true, 0); }
}

static rig *begin(rig *bench, const cairn_body_description *description, double forward_mps)
{
    rig_init(bench, description);
    bench->base_brakes = true;
    rig_command(bench, forward_mps, 0.0);
    rig_run(bench, 1.2);
    return bench;
}

// How far the wheel turns that turns farthest, in so many seconds; and how fast it is in the end.
static double turned_m(rig *bench, double seconds)
{
    double from[CAIRN_WHEELS_MAX], farthest_rad = 0.0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { from[i] = bench->wheel_rad[i]; }
    const int periods = (int)lround(seconds / 0.008);
    for (int step = 0; step < periods; step++) {
        rig_step(bench);
        for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
            farthest_rad = fmax(farthest_rad, fabs(bench->wheel_rad[i] - from[i]));
        }
    }
    return farthest_rad * bench->description.wheels.radius_m;
}

static void say(const rig *bench, const char *file, cause why, double turned)
{
    print_message("%s, %s, pitch %.0f, roll %.0f: %.3f m, then %.2f rad/s, torque %.2f\n", file, cause_names[why],
                  -bench->slope_rad / DEGREES, bench->roll_rad / DEGREES, turned, rig_fastest_wheel_radps(bench),
                  bench->target.torque_nm[0]);
}

// From standing and out of full drive. Wheels in the air have nothing to hold; only what was left of their turning.
static void a_stopped_robot_in_the_air_turns_no_wheel_in_any_posture(void **state)
{
    (void)state;
    int failures = 0;
    for (size_t file = 0; file < FILES; file++) {
        const cairn_body_description description = robot_of(files[file]);
        for (int at = 0; at < CAUSES * 2 * 13 * 8; at++) {
            const cause why = (cause)(at % CAUSES);
            const double forward_mps = at / CAUSES % 2 == 0 ? 0.0 : 0.3;
            rig bench;
            begin(&bench, &description, forward_mps)->lifted = true;
            bench.slope_rad = (at / CAUSES / 2 % 13 - 6) * 15.0 * DEGREES;
            bench.roll_rad = (at / CAUSES / 2 / 13) * 45.0 * DEGREES;
            stop_by(&bench, why);
            rig_run(&bench, why == MIND_SILENT ? 0.8 : 0.4); // time to brake
            const double turned = turned_m(&bench, 3.6);
            if (turned > SLIP_M || rig_fastest_wheel_radps(&bench) > 0.3) {
                if (failures++ < 10) { say(&bench, files[file], why, turned); }
            }
            rig_finish(&bench);
        }
    }
    assert_int_equal(failures, 0);
}

// The same where a robot begins so: set down on its back, or switched on in somebody's arms.
static void a_robot_that_is_switched_on_in_any_posture_turns_no_wheel(void **state)
{
    (void)state;
    for (size_t file = 0; file < FILES; file++) {
        const cairn_body_description description = robot_of(files[file]);
        for (int at = 0; at < 13 * 8; at++) {
            rig bench;
            rig_init(&bench, &description);
            bench.base_brakes = bench.lifted = true;
            bench.slope_rad = (at % 13 - 6) * 15.0 * DEGREES;
            bench.roll_rad = at / 13 * 45.0 * DEGREES;
            const double turned = turned_m(&bench, 2.0);
            if (turned > SLIP_M) { say(&bench, files[file], MIND_SILENT, turned); }
            assert_true(turned <= SLIP_M);
            rig_finish(&bench);
        }
    }
}

// What a robot held on a slope is lifted off it: the torque that carried it must not turn the wheels.
static void a_robot_that_is_lifted_off_a_slope_turns_no_wheel(void **state)
{
    (void)state;
    for (size_t file = 0; file < FILES; file++) {
        const cairn_body_description description = robot_of(files[file]);
        for (int at = 0; at < CAUSES * 2; at++) {
            rig bench;
            begin(&bench, &description, 0.0)->slope_rad = (at / CAUSES == 0 ? 20.0 : -20.0) * DEGREES;
            stop_by(&bench, (cause)(at % CAUSES));
            rig_run(&bench, 5.0);
            bench.lifted = true;
            const double turned = turned_m(&bench, 3.0);
            if (turned > SLIP_M) { say(&bench, files[file], (cause)(at % CAUSES), turned); }
            assert_true(turned <= SLIP_M);
            assert_true(rig_fastest_wheel_radps(&bench) < 0.3);
            rig_finish(&bench);
        }
    }
}

// On slopes up to where the motors can hold it, also out of driving and beyond its tilt limit, a stopped robot stays.
static void a_stopped_robot_on_a_slope_stays(void **state)
{
    (void)state;
    int failures = 0;
    for (size_t file = 0; file < FILES; file++) {
        const cairn_body_description description = robot_of(files[file]);
        for (int at = 0; at < CAUSES * 3 * 9; at++) {
            const cause why = (cause)(at % CAUSES);
            rig bench;
            rig_init(&bench, &description);
            bench.base_brakes = true;
            bench.slope_rad = (at / CAUSES / 3 - 4) * 10.0 * DEGREES;
            rig_command(&bench, (at / CAUSES % 3 - 1) * 0.3, 0.0);
            rig_run(&bench, 2.0);
            stop_by(&bench, why);
            const double braked = turned_m(&bench, 1.5);
            const double after = turned_m(&bench, 3.0);
            if (braked > 0.35 || after > 0.03 || rig_fastest_wheel_radps(&bench) > 0.05) {
                if (failures++ < 10) { say(&bench, files[file], why, braked + after); }
            }
            rig_finish(&bench);
        }
    }
    assert_int_equal(failures, 0);
}

// A load beyond its torque turns the wheels; when it ends, they stop where they are and do not wind back.
static void a_wheel_that_was_carried_away_does_not_wind_back(void **state)
{
    (void)state;
    const cairn_body_description description = robot_of("emu");
    for (int why = 0; why < CAUSES; why++) {
        rig bench;
        begin(&bench, &description, 0.0);
        stop_by(&bench, (cause)why);
        rig_run(&bench, 1.0);
        bench.description.mass_kg *= 4.0; // as if somebody pulled it down the slope
        bench.slope_rad = 30.0 * DEGREES;
        const double carried = turned_m(&bench, 2.0);
        assert_true(carried > 1.0);
        bench.description.mass_kg /= 4.0;
        bench.slope_rad = 0.0;
        bench.lifted = true;
        rig_run(&bench, 0.4);
        assert_true(turned_m(&bench, 4.0) < SLIP_M);
        rig_finish(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_robot_in_the_air_turns_no_wheel_in_any_posture),
        cmocka_unit_test(a_robot_that_is_switched_on_in_any_posture_turns_no_wheel),
        cmocka_unit_test(a_robot_that_is_lifted_off_a_slope_turns_no_wheel),
        cmocka_unit_test(a_stopped_robot_on_a_slope_stays),
        cmocka_unit_test(a_wheel_that_was_carried_away_does_not_wind_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
