// A robot that nobody hears comes back to report: when it does, when it does not, and that it stands no longer than it
// should.
#include "../base/check.h"
#include "bench_mind.h"
#include "rig.h"
#include <stdlib.h>

static bench_mind bench;
static cairn_deliberate *d;
static cairn_robot_contact contact;

static int start(void **unused)
{
    (void)unused;
    const cairn_body_description description = rig_description();
    bench_mind_init(&bench, &description, CAIRN_TASK_DONE);
    d = bench.deliberate;
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    bench_mind_finish(&bench);
    return 0;
}

// A second passes, in which the station was last heard so long ago; returns whether the robot may move.
static bool pass(double silent_s, uint32_t unsent_count)
{
    bench.now = cairn_mono_add(bench.now, CAIRN_S(1));
    contact = (cairn_robot_contact){
        .at = bench.now, .heard = true, .silent_ns = cairn_ns_from_seconds(silent_s), .unsent_count = unsent_count};
    cairn_cell_write(d->def.boxes.contact, &contact, sizeof contact);
    return cairn_deliberate_heed_contact(d, bench.now);
}

static bool goes_home(void) { return d->navigator.task.purpose == CAIRN_PURPOSE_HOME; }

static void who_has_done_its_task_and_hears_nobody_goes_back(void **unused)
{
    (void)unused;
    assert_true(pass(19, 9) && !goes_home());
    assert_true(pass(20, 9) && goes_home());
    assert_int_equal(d->navigator.task.id, BENCH_TASK); // what the station gave out since is greater
}

static void who_was_never_heard_or_has_no_task_stays(void **unused)
{
    (void)unused;
    d->navigator.task.id = 0;
    assert_true(pass(500, 9) && !goes_home());
    d->navigator.task.id = BENCH_TASK;
    contact = (cairn_robot_contact){.at = bench.now, .heard = false, .silent_ns = CAIRN_S(500)};
    cairn_cell_write(d->def.boxes.contact, &contact, sizeof contact);
    assert_true(cairn_deliberate_heed_contact(d, bench.now) && !goes_home());
}

// Whoever is stopped, paused, driven or sent by a person stays where that person has it.
static void only_who_searches_by_itself_goes_back(void **unused)
{
    (void)unused;
    for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) {
        if (mode == CAIRN_MODE_AUTONOMOUS) { continue; }
        d->orders.mode = (cairn_mode)mode;
        assert_true(pass(500, 9));
        assert_false(goes_home());
        assert_int_equal(d->retreat, CAIRN_RETREAT_NONE);
    }
}

static void a_stop_or_another_mode_ends_the_retreat(void **unused)
{
    (void)unused;
    const cairn_mode modes[] = {CAIRN_MODE_STOPPED, CAIRN_MODE_TELEOPERATED, CAIRN_MODE_WAYPOINT};
    for (int i = 0; i < 3; i++) {
        for (int reports = 0; reports < 2; reports++) {
            d->orders.mode = CAIRN_MODE_AUTONOMOUS;
            d->navigator.task.purpose = CAIRN_PURPOSE_EXPLORE;
            d->navigator.task_state = CAIRN_TASK_DONE;
            (void)pass(30, 9);
            if (reports) { assert_false(pass(0.5, 9)); }
            d->orders.mode = modes[i];
            assert_true(pass(0.5, 9));
            assert_int_equal(d->retreat, CAIRN_RETREAT_NONE);
        }
    }
}

static void who_has_work_goes_on_unless_it_gets_nowhere_for_a_minute(void **unused)
{
    (void)unused;
    d->navigator.task_state = CAIRN_TASK_UNDER_WAY;
    for (int s = 0; s < 300; s++) { // half a metre a second
        d->tracker.private_T_base.x_m += 0.5;
        assert_true(pass(s, 9) && !goes_home());
    }
    int waited_s = 0;
    while (!goes_home() && waited_s < 100) {
        assert_true(pass(300 + waited_s, 9));
        waited_s++;
    }
    assert_in_range(waited_s, 57, 62);
}

static void it_stands_where_it_is_heard_until_its_map_is_told(void **unused)
{
    (void)unused;
    (void)pass(30, 9);
    assert_true(pass(31, 9));
    for (int i = 0; i < 5; i++) { assert_false(pass(0.1, 9)); }
    assert_true(pass(0.1, 2));
    assert_int_equal(d->retreat, CAIRN_RETREAT_NONE);
}

// A radio that is too thin for the map must not hold it for ever.
static void it_stands_for_twelve_seconds_at_most(void **unused)
{
    (void)unused;
    (void)pass(30, 9);
    int stood_s = 0;
    while (!pass(0.1, 99)) { assert_true(++stood_s < 60); }
    assert_int_equal(stood_s, 12);
}

static void it_goes_on_when_it_was_heard_by_chance(void **unused)
{
    (void)unused;
    (void)pass(30, 9);
    assert_false(pass(0.1, 9));
    assert_true(pass(3, 9));
    assert_int_equal(d->retreat, CAIRN_RETREAT_BACK);
    assert_true(goes_home());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_has_done_its_task_and_hears_nobody_goes_back, start, finish),
        cmocka_unit_test_setup_teardown(who_was_never_heard_or_has_no_task_stays, start, finish),
        cmocka_unit_test_setup_teardown(only_who_searches_by_itself_goes_back, start, finish),
        cmocka_unit_test_setup_teardown(a_stop_or_another_mode_ends_the_retreat, start, finish),
        cmocka_unit_test_setup_teardown(who_has_work_goes_on_unless_it_gets_nowhere_for_a_minute, start, finish),
        cmocka_unit_test_setup_teardown(it_stands_where_it_is_heard_until_its_map_is_told, start, finish),
        cmocka_unit_test_setup_teardown(it_stands_for_twelve_seconds_at_most, start, finish),
        cmocka_unit_test_setup_teardown(it_goes_on_when_it_was_heard_by_chance, start, finish),
    };
    return cmocka_run_group_tests_name("retreat", tests, NULL, NULL);
}
