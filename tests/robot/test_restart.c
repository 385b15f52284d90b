// A reflex that is started again goes on where the one before it left, or says that it cannot.
#include "base/random.h"
#include "rig.h"
#include "robot/reflex/kept.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SEED 308u

static rig *driven_rig(rig *bench)
{
    const cairn_body_description description = rig_description();
    rig_init(bench, &description);
    bench->friction_nm = 0.5;
    bench->turn_bias_radps = 0.02;
    rig_run(bench, 3.0);
    rig_command(bench, 0.4, 0.3);
    rig_run(bench, 3.0);
    assert_true(rig_fastest_wheel_radps(bench) > 2.0);
    return bench;
}

// Where the first reflex of a driven rig has no predecessor.
static void the_first_reflex_begins_an_odometry_at_once(void **state)
{
    (void)state;
    const cairn_body_description description = rig_description();
    rig bench;
    rig_init(&bench, &description);
    rig_step(&bench);
    assert_false(bench.state.unsettled);
    assert_int_equal(bench.state.start_count, 1);
    assert_true(bench.state.odom_id != 0);
    rig_finish(&bench);
}

// It rolls on without torque, further than a robot with a watchdog that brakes. The counters tell.
static void odometry_goes_on_with_the_way_that_was_rolled_meanwhile(void **state)
{
    (void)state;
    rig bench;
    driven_rig(&bench);
    const cairn_reflex_state before = bench.state;
    const cairn_pose2 stood = bench.truth;
    rig_wait(&bench, 0.8);
    const double rolled_m = hypot(bench.truth.x_m - stood.x_m, bench.truth.y_m - stood.y_m);
    assert_true(rolled_m > 0.1 && rolled_m < 0.45);
    rig_restart(&bench);
    rig_step(&bench);
    assert_false(bench.state.unsettled);
    assert_true(bench.state.odom_id == before.odom_id);
    assert_int_equal(bench.state.start_count, 2);
    assert_true(bench.state.step_count == before.step_count + 1);
    assert_true(bench.state.distance_m > before.distance_m);
    assert_float_equal(bench.state.turn_bias_radps, before.turn_bias_radps, 1e-9);
    assert_float_equal(bench.state.odom_T_base.x_m, bench.truth.x_m, 0.03);
    assert_float_equal(bench.state.odom_T_base.y_m, bench.truth.y_m, 0.03);
    rig_run(&bench, 5.0);
    assert_float_equal(bench.state.odom_T_base.x_m, bench.truth.x_m, 0.05);
    assert_float_equal(bench.state.odom_T_base.y_m, bench.truth.y_m, 0.05);
    rig_finish(&bench);
}

static void wheels_that_turned_too_far_or_were_reset_begin_another_odometry(void **state)
{
    (void)state;
    const double moved_m[] = {0.55, -0.55, 3.0, 1e6};
    for (int i = 0; i < 4; i++) {
        rig bench;
        driven_rig(&bench);
        rig_command(&bench, 0.0, 0.0);
        rig_run(&bench, 1.0);
        const cairn_reflex_state before = bench.state;
        rig_wait(&bench, 0.5);
        bench.wheel_rad[i] += moved_m[i] / 0.12; // one is enough
        rig_restart(&bench);
        rig_step(&bench);
        assert_false(bench.state.unsettled);
        assert_true(bench.state.odom_id != before.odom_id && bench.state.odom_id != 0);
        assert_int_equal(bench.state.start_count, 2);
        assert_float_equal(hypot(bench.state.odom_T_base.x_m, bench.state.odom_T_base.y_m), 0.0, 0.01);
        rig_finish(&bench);
    }
}

// Until the encoders speak nobody knows; after two seconds it does without.
static void silent_encoders_leave_the_place_open_for_two_seconds(void **state)
{
    (void)state;
    for (int comes_back = 0; comes_back < 2; comes_back++) {
        rig bench;
        driven_rig(&bench);
        const cairn_reflex_state before = bench.state;
        bench.encoders_silent = true;
        rig_wait(&bench, 0.5);
        rig_restart(&bench);
        rig_run(&bench, 1.0);
        assert_true(bench.state.unsettled);
        rig_restart(&bench); // and once more: what the first one kept is handed on
        rig_run(&bench, 1.0);
        assert_true(bench.state.unsettled);
        bench.encoders_silent = comes_back == 0;
        rig_run(&bench, 1.5);
        assert_false(bench.state.unsettled);
        assert_int_equal(bench.state.odom_id == before.odom_id, comes_back == 1);
        assert_int_equal(bench.state.start_count, 3);
        rig_finish(&bench);
    }
}

static void a_body_without_encoders_goes_on_unchecked(void **state)
{
    (void)state;
    cairn_body_description description = rig_description();
    description.drive = CAIRN_DRIVE_VELOCITY;
    description.encoders.offered = false;
    rig bench;
    rig_init(&bench, &description);
    rig_command(&bench, 0.3, 0.0);
    rig_run(&bench, 3.0);
    const cairn_reflex_state before = bench.state;
    rig_restart(&bench);
    rig_step(&bench);
    assert_true(bench.state.odom_id == before.odom_id && !bench.state.unsettled);
    assert_float_equal(bench.state.odom_T_base.x_m, before.odom_T_base.x_m, 0.01);
    rig_finish(&bench);
}

// The rule for people: only the protocol lets go, and it goes on counting.
static void a_stop_stays_latched_over_restarts(void **state)
{
    (void)state;
    rig bench;
    driven_rig(&bench);
    rig_stop(&bench, true, 5);
    rig_run(&bench, 1.0);
    rig_stop(&bench, false, 5); // a mind that forgot
    for (int i = 0; i < 3; i++) {
        rig_restart(&bench);
        bench.wheel_rad[0] += i * 100.0; // its place is another question
        rig_run(&bench, 1.0);
        assert_true(rig_guarded(&bench, CAIRN_GUARD_STOP));
        assert_true(bench.state.stop_latched && bench.state.release_count_max == 5);
        assert_true(rig_fastest_wheel_radps(&bench) < 0.1);
    }
    rig_stop(&bench, false, 6);
    rig_run(&bench, 2.0);
    assert_false(rig_guarded(&bench, CAIRN_GUARD_STOP));
    assert_true(rig_fastest_wheel_radps(&bench) > 2.0);
    rig_finish(&bench);
}

// A file keeps the last command for years, and a clock that began anew may come by its time.
static void a_command_from_before_the_start_is_not_obeyed(void **state)
{
    (void)state;
    rig bench;
    driven_rig(&bench);
    rig_command(&bench, 0.0, 0.0);
    rig_run(&bench, 1.0);
    rig_command(&bench, 0.5, 0.0);
    rig_step(&bench);
    bench.command_every_period = false;
    rig_restart(&bench); // within 300 ms of it
    rig_step(&bench);
    assert_true(rig_guarded(&bench, CAIRN_GUARD_COMMAND));
    assert_true(bench.state.told_mps == 0.0);
    rig_finish(&bench);
}

// A bit that fell over in the file is found, whichever it is; and then nothing of it is believed.
static void what_was_kept_is_sound_only_as_a_whole(void **state)
{
    (void)state;
    rig bench;
    driven_rig(&bench);
    const cairn_reflex_kept kept = *(const cairn_reflex_kept *)cairn_cell_latest(bench.cells.kept, NULL);
    rig_finish(&bench);
    assert_true(cairn_reflex_kept_is_sound(&kept));
    assert_false(cairn_reflex_kept_is_sound(NULL));
    for (size_t bit = 0; bit < 8 * sizeof kept; bit++) {
        cairn_reflex_kept damaged = kept;
        ((uint8_t *)&damaged)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(cairn_reflex_kept_is_sound(&damaged));
    }
    const cairn_reflex_kept empty = {0};
    assert_false(cairn_reflex_kept_is_sound(&empty));
}

// Sealed by a reflex that had gone mad: the hash is right, the rest cannot be.
static void what_cannot_be_is_not_sound_under_any_seal(void **state)
{
    (void)state;
    const cairn_reflex_kept good = {.odom_id = 1, .start_count = 1, .ticks_known = 1};
    cairn_reflex_kept cases[12];
    for (int i = 0; i < 12; i++) { cases[i] = good; }
    cases[1].odom_T_base.x_m = NAN;
    cases[2].odom_T_base.y_m = INFINITY;
    cases[3].odom_T_base.yaw_rad = 100.0;
    cases[4].odom_T_base.x_m = 1e9;
    cases[5].distance_m = -1.0;
    cases[6].distance_m = NAN;
    cases[7].turn_bias_radps = 3.0;
    cases[8].turn_bias_radps = NAN;
    cases[9].stop_latched = 2;
    cases[10].ticks_known = 77;
    cases[11].odom_id = 0;
    for (int i = 0; i < 12; i++) {
        cairn_reflex_kept_seal(&cases[i]);
        assert_int_equal(cairn_reflex_kept_is_sound(&cases[i]), i == 0);
    }
}

static void the_fate_of_an_odometry_is_this_table(void **state)
{
    (void)state;
    const struct {
        cairn_odom_evidence evidence;
        cairn_odom_fate fate;
    } table[] = {
        {{.kept = false, .encoders = true, .ticks_kept = true, .ticks_heard = true}, CAIRN_ODOM_ANEW},
        {{.kept = false, .encoders = false}, CAIRN_ODOM_ANEW},
        {{.kept = true, .encoders = false}, CAIRN_ODOM_GO_ON},
        {{.kept = true, .encoders = true, .ticks_kept = false, .ticks_heard = true}, CAIRN_ODOM_ANEW},
        {{.kept = true, .encoders = true, .ticks_kept = true}, CAIRN_ODOM_WAIT},
        {{.kept = true, .encoders = true, .ticks_kept = true, .waited_ns = CAIRN_S(2)}, CAIRN_ODOM_WAIT},
        {{.kept = true, .encoders = true, .ticks_kept = true, .waited_ns = CAIRN_S(2) + 1}, CAIRN_ODOM_ANEW},
        {{.kept = true, .encoders = true, .ticks_kept = true, .ticks_heard = true}, CAIRN_ODOM_GO_ON},
        {{true, true, true, true, 0.49, CAIRN_S(9)}, CAIRN_ODOM_GO_ON},
        {{true, true, true, true, 0.5, 0}, CAIRN_ODOM_ANEW},
        {{true, true, true, true, INFINITY, 0}, CAIRN_ODOM_ANEW},
        {{true, true, true, true, NAN, 0}, CAIRN_ODOM_ANEW},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(cairn_odom_judge(&table[i].evidence), table[i].fate);
    }
}

static void scribble(cairn_random *random, void *memory, size_t size_bytes)
{
    uint8_t *bytes = memory;
    for (uint32_t i = cairn_random_below(random, 200); i > 0; i--) {
        bytes[cairn_random_below(random, (uint32_t)size_bytes)] = (uint8_t)cairn_random_below(random, 256);
    }
}

// A mind gone mad writes what it likes, where it likes, into the memory that it may write to; between, it drives. No
// breach, no torque beyond the limit, and no speed that nobody may ask for.
static void scribbling_over_the_shared_memory_hurts_nobody(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "restart/scribble");
    print_message("seed %u\n", SEED);
    uint32_t moving_count = 0;
    for (int round = 0; round < 60; round++) {
        rig bench;
        driven_rig(&bench);
        for (int i = 0; i < 400; i++) {
            if (cairn_random_below(&random, 4) == 0) {
                scribble(&random, bench.memory.to_reflex, cairn_reflex_memory_bytes_to());
            }
            if (cairn_random_below(&random, 100) == 0) { rig_stop(&bench, false, bench.state.release_count_max + 1); }
            if (cairn_random_below(&random, 100) == 0) { rig_restart(&bench); }
            rig_step(&bench);
            for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
                assert_true(fabs(bench.target.torque_nm[wheel]) <= 8.0); // false for NaN
            }
            assert_true(fabs(bench.state.told_mps) <= 0.6 && fabs(bench.state.told_radps) <= 1.5);
            assert_true(rig_fastest_wheel_radps(&bench) * 0.12 < 0.6 + 1.5 * 0.19 / 0.58 + 0.1);
            moving_count += rig_fastest_wheel_radps(&bench) > 0.5;
        }
        rig_finish(&bench);
    }
    assert_true(moving_count > 1000);
}

static void write_garbage(cairn_random *random, cairn_cell *cell, size_t size_bytes, cairn_mono now)
{
    uint8_t *bytes = cairn_cell_begin(cell);
    for (size_t i = 0; i < size_bytes; i++) { bytes[i] = (uint8_t)cairn_random_below(random, 256); }
    const int64_t times_ns[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, -1, 0};
    int64_t time_ns = now.ns + CAIRN_MS(cairn_random_below(random, 20)); // where every frame has it
    if (cairn_random_below(random, 3) == 0) { time_ns = times_ns[cairn_random_below(random, 5)]; }
    if (cairn_random_below(random, 4) != 0) { memcpy(bytes, &time_ns, sizeof time_ns); }
    cairn_cell_publish(cell);
}

// Sensors gone mad, with times from both ends of the clock, and a restart now and then: a robot may stand, or drive
// crookedly, but within its limits.
static void garbage_from_all_sides_stays_within_limits(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "restart/garbage");
    for (int round = 0; round < 60; round++) {
        rig bench;
        driven_rig(&bench);
        const struct {
            cairn_cell *cell;
            size_t size_bytes;
        } cells[] = {
            {bench.cells.command, sizeof(cairn_motion_command)},       {bench.cells.stop, sizeof(cairn_stop_command)},
            {bench.body.encoders_reflex, sizeof(cairn_encoder_frame)}, {bench.body.imu_reflex, sizeof(cairn_imu_frame)},
            {bench.body.bump_reflex, sizeof(cairn_bump_frame)},
        };
        bool *const silent[] = {&bench.encoders_silent, &bench.imu_silent, &bench.bump_silent};
        for (int i = 0; i < 400; i++) {
            const uint32_t which = cairn_random_below(&random, 5);
            write_garbage(&random, cells[which].cell, cells[which].size_bytes, bench.now);
            for (int sensor = 0; sensor < 3; sensor++) { *silent[sensor] = cairn_random_below(&random, 2) == 0; }
            if (cairn_random_below(&random, 50) == 0) { rig_restart(&bench); }
            rig_step(&bench);
            for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
                assert_true(fabs(bench.target.torque_nm[wheel]) <= 8.0); // false for NaN
            }
            assert_true(fabs(bench.state.told_mps) <= 0.6 && fabs(bench.state.told_radps) <= 1.5);
            assert_true(isfinite(bench.state.odom_T_base.x_m) && isfinite(bench.state.distance_m));
        }
        rig_finish(&bench);
    }
}

// Two processes read one clock, each for itself: a little from the future is of now, more is not.
static void a_command_may_be_a_little_from_the_future(void **state)
{
    (void)state;
    const int64_t ahead_ns[] = {0, 300000, CAIRN_CLOCK_SLACK_NS, CAIRN_CLOCK_SLACK_NS + 1, CAIRN_MS(50)};
    for (int i = 0; i < 5; i++) {
        rig bench;
        driven_rig(&bench);
        bench.command_every_period = false;
        const cairn_motion_command command = {.issued = cairn_mono_add(bench.now, CAIRN_REFLEX_PERIOD_NS + ahead_ns[i]),
                                              .forward_mps = 0.4};
        cairn_cell_write(bench.cells.command, &command, sizeof command);
        rig_step(&bench);
        assert_int_equal(bench.state.commands_refused_count, ahead_ns[i] > CAIRN_CLOCK_SLACK_NS);
        // It lives no longer for it.
        while (cairn_mono_since(bench.now, command.issued) < CAIRN_MS(308)) { rig_step(&bench); }
        assert_true(bench.state.told_mps == 0.0);
        rig_finish(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_reflex_begins_an_odometry_at_once),
        cmocka_unit_test(odometry_goes_on_with_the_way_that_was_rolled_meanwhile),
        cmocka_unit_test(wheels_that_turned_too_far_or_were_reset_begin_another_odometry),
        cmocka_unit_test(silent_encoders_leave_the_place_open_for_two_seconds),
        cmocka_unit_test(a_body_without_encoders_goes_on_unchecked),
        cmocka_unit_test(a_stop_stays_latched_over_restarts),
        cmocka_unit_test(a_command_from_before_the_start_is_not_obeyed),
        cmocka_unit_test(what_was_kept_is_sound_only_as_a_whole),
        cmocka_unit_test(what_cannot_be_is_not_sound_under_any_seal),
        cmocka_unit_test(the_fate_of_an_odometry_is_this_table),
        cmocka_unit_test(scribbling_over_the_shared_memory_hurts_nobody),
        cmocka_unit_test(garbage_from_all_sides_stays_within_limits),
        cmocka_unit_test(a_command_may_be_a_little_from_the_future),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
