// What a robot in trouble tries by itself, and when it asks for help.
#include "robot/escape/escape.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STEP_NS CAIRN_MS(16)

static cairn_escape_state state;
static cairn_escape_input in;
static cairn_mono now;

static int start(void **unused)
{
    (void)unused;
    cairn_escape_init(&state);
    in = (cairn_escape_input){.at_work = true, .may_move = true};
    now = (cairn_mono){CAIRN_S(1)};
    return 0;
}

static void run(double for_s)
{
    for (const int64_t end_ns = now.ns + cairn_ns_from_seconds(for_s); now.ns < end_ns; now.ns += STEP_NS) {
        cairn_escape_step(&state, &in, now);
    }
}

// Whoever pushes on harms himself: the first step after the word ends it.
static void trouble_ends_the_work_in_the_same_step(void **unused)
{
    (void)unused;
    run(5);
    assert_int_equal(state.manoeuvre, CAIRN_MANOEUVRE_NONE);
    in.condition = CAIRN_CONDITION_BLOCKED;
    cairn_escape_step(&state, &in, now);
    assert_int_equal(state.escape, CAIRN_ESCAPE_UNDER_WAY);
    assert_int_equal(state.manoeuvre, CAIRN_MANOEUVRE_BACK);
}

// In every trouble that lasts, the tries are those of the table, and then it stands.
static void each_trouble_that_lasts_ends_in_a_call_for_help(void **unused)
{
    (void)unused;
    for (unsigned condition = 1; condition < CAIRN_CONDITION_COUNT; condition++) {
        start(NULL);
        in.condition = (cairn_condition)condition;
        run(60);
        assert_int_equal(state.escape, CAIRN_ESCAPE_NEEDS_HELP);
        assert_int_equal(state.manoeuvre, CAIRN_MANOEUVRE_STAND);
        assert_int_equal(state.tries_count, cairn_escape_tries_max(in.condition));
        assert_int_equal(cairn_escape_tells(&state, CAIRN_CONDITION_WELL), condition);
    }
}

// Nothing that it could do would help, and motion might harm who holds it.
static void the_fallen_and_the_lifted_do_not_move_and_ask_at_once(void **unused)
{
    (void)unused;
    static const cairn_condition which[] = {CAIRN_CONDITION_FALLEN, CAIRN_CONDITION_LIFTED};
    for (int i = 0; i < 2; i++) {
        start(NULL);
        in.condition = which[i];
        in.by_hand = true;
        cairn_escape_step(&state, &in, now);
        assert_int_equal(state.escape, CAIRN_ESCAPE_NEEDS_HELP);
        assert_int_equal(state.tries_count, 0);
        assert_int_equal(state.manoeuvre, CAIRN_MANOEUVRE_STAND);
    }
}

static void by_hand_nothing_is_tried(void **unused)
{
    (void)unused;
    in.by_hand = true;
    in.condition = CAIRN_CONDITION_WEDGED;
    run(60);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NONE);
    assert_int_equal(state.manoeuvre, CAIRN_MANOEUVRE_NONE);
}

static void one_that_backs_out_of_it_goes_on_and_is_free(void **unused)
{
    (void)unused;
    in.condition = CAIRN_CONDITION_SPINNING;
    run(1);
    in.condition = CAIRN_CONDITION_WELL;
    in.arrived = true;
    run(0.1);
    in.arrived = false;
    assert_int_equal(state.manoeuvre, CAIRN_MANOEUVRE_NONE); // goes on, and is watched
    assert_int_equal(state.escape, CAIRN_ESCAPE_UNDER_WAY);
    run(9);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NONE);
}

// To and fro between a place and the way out of it is no progress: tries at one place are counted together.
static void trouble_at_the_same_place_goes_on_with_the_next_try(void **unused)
{
    (void)unused;
    for (uint32_t tries = 1; tries <= cairn_escape_tries_max(CAIRN_CONDITION_BLOCKED); tries++) {
        in.condition = CAIRN_CONDITION_BLOCKED;
        run(1);
        assert_int_equal(state.tries_count, tries);
        in.condition = CAIRN_CONDITION_WELL;
        in.arrived = true;
        run(0.1);
        in.arrived = false;
        run(4);
    }
    in.condition = CAIRN_CONDITION_BLOCKED;
    run(1);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NEEDS_HELP);

    start(NULL);
    in.condition = CAIRN_CONDITION_BLOCKED;
    run(1);
    in.condition = CAIRN_CONDITION_WELL;
    run(30);
    in.at_m.x += 3;
    in.condition = CAIRN_CONDITION_BLOCKED;
    run(1);
    assert_int_equal(state.tries_count, 1);
}

// A robot that stands is not stuck any longer by what it feels: only who moves it, or sends it on, ends that.
static void a_stuck_one_needs_help_until_it_is_moved_or_sent_on(void **unused)
{
    (void)unused;
    in.condition = CAIRN_CONDITION_WEDGED;
    run(60);
    in.condition = CAIRN_CONDITION_WELL;
    run(60);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NEEDS_HELP);
    const cairn_escape_state waits = state;
    in.at_m.y += 0.5;
    run(0.1);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NONE);
    state = waits;
    in.at_m.y -= 0.5;
    in.order++;
    run(0.1);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NONE);
    in.condition = CAIRN_CONDITION_WEDGED; // still: it tries again from the beginning
    run(0.1);
    assert_int_equal(state.tries_count, 1);
}

static void one_set_upright_is_well_after_three_seconds(void **unused)
{
    (void)unused;
    in.condition = CAIRN_CONDITION_FALLEN;
    run(10);
    in.condition = CAIRN_CONDITION_WELL;
    run(2.9);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NEEDS_HELP);
    run(0.3);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NONE);
}

static void one_set_down_waits_until_it_knows_its_place_or_is_ordered(void **unused)
{
    (void)unused;
    in.condition = CAIRN_CONDITION_LIFTED;
    in.lost = true;
    run(2);
    in.condition = CAIRN_CONDITION_WELL;
    run(30);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NEEDS_HELP);
    in.lost = false;
    run(0.1);
    assert_int_equal(state.escape, CAIRN_ESCAPE_NONE);
}

// As before there were troubles: nothing has happened to it.
static void one_that_avoidance_holds_backs_out_any_number_of_times(void **unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        in.held_s = 3;
        run(0.1);
        assert_int_equal(state.manoeuvre, CAIRN_MANOEUVRE_BACK);
        in.held_s = 0;
        in.arrived = true;
        run(0.1);
        in.arrived = false;
        assert_int_equal(state.escape, CAIRN_ESCAPE_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(trouble_ends_the_work_in_the_same_step, start),
        cmocka_unit_test_setup(each_trouble_that_lasts_ends_in_a_call_for_help, start),
        cmocka_unit_test_setup(the_fallen_and_the_lifted_do_not_move_and_ask_at_once, start),
        cmocka_unit_test_setup(by_hand_nothing_is_tried, start),
        cmocka_unit_test_setup(one_that_backs_out_of_it_goes_on_and_is_free, start),
        cmocka_unit_test_setup(trouble_at_the_same_place_goes_on_with_the_next_try, start),
        cmocka_unit_test_setup(a_stuck_one_needs_help_until_it_is_moved_or_sent_on, start),
        cmocka_unit_test_setup(one_set_upright_is_well_after_three_seconds, start),
        cmocka_unit_test_setup(one_set_down_waits_until_it_knows_its_place_or_is_ordered, start),
        cmocka_unit_test_setup(one_that_avoidance_holds_backs_out_any_number_of_times, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
