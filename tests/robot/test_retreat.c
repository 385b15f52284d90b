// A robot that nobody hears comes back to report: when it does, when it does not, and that it stands no longer than it
// should.
#include "../base/check.h"
#include "bench_mind.h"
#include "rig.h"
#include <stdlib.h>
#include <string.h>

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

// Remembers a straight tunnel along x, 1.6 m wide, from its mouth at 0 so far in; what lies beyond is not known.
static void remember_tunnel(double from_m, double to_m)
{
    uint8_t ground[16 * 400];
    const uint32_t width = (uint32_t)((to_m - from_m) / 0.2 + 0.5);
    const cairn_drivability_area area = {{from_m, -1.6}, 0.2, width, 16};
    assert_in_range(width, 1, 400);
    for (uint32_t i = 0; i < 16 * width; i++) {
        const uint32_t y = i / width;
        const bool beyond = y < 3 || y > 12, wall = y == 3 || y == 12;
        ground[i] = beyond ? CAIRN_GROUND_UNKNOWN : wall ? CAIRN_GROUND_OBSTACLE : CAIRN_GROUND_FREE;
    }
    cairn_memory_grid_put(d->navigator.memory, &area, ground);
}

// Drives to the end of its task, and sees so far ahead from there.
static void arrive(double sees_m)
{
    const cairn_vec2 end_m = d->navigator.task.via_m[d->navigator.task.via_count - 1];
    d->state.distance_m += cairn_vec2_distance(end_m, cairn_pose2_at(d->tracker.private_T_base));
    d->tracker.private_T_base = (cairn_pose2){end_m.x, end_m.y, 0};
    remember_tunnel(-1, 0.2 * round(5 * (end_m.x + sees_m)));
    d->navigator.task_state = CAIRN_TASK_DONE;
}

static void is_sent_in(double to_m)
{
    remember_tunnel(-1, to_m + 4);
    assert_true(pass(0.1, 0));
    d->navigator.task.via_m[0] = (cairn_vec2){to_m, 0};
    d->navigator.task.via_count = 1;
    arrive(4);
}

// Else it would have to come back for every bend of a tunnel.
static void who_hears_nobody_searches_on_as_far_again_as_it_came(void **unused)
{
    (void)unused;
    is_sent_in(15);
    double farthest_m = 15;
    for (int goal = 0; goal < 20 && !goes_home(); goal++) {
        assert_true(pass(30, 9));
        if (goes_home()) { break; }
        assert_int_equal(d->navigator.task.id, BENCH_TASK);
        assert_int_equal(d->navigator.task_state, CAIRN_TASK_UNDER_WAY);
        arrive(4);
        assert_true(d->tracker.private_T_base.x_m > farthest_m); // on, never back
        farthest_m = d->tracker.private_T_base.x_m;
    }
    assert_true(goes_home());
    assert_true(farthest_m >= 30 && farthest_m < 35); // a goal that it is on its way to, it goes to
}

// The yard before a tunnel has its ends, too, and nearer ones.
static void it_does_not_search_on_past_where_it_was_heard(void **unused)
{
    (void)unused;
    is_sent_in(5);
    remember_tunnel(-1, 14);
    assert_true(pass(30, 9) && !goes_home());
    assert_true(d->navigator.task.via_m[d->navigator.task.via_count - 1].x > 10);
}

static void it_goes_back_where_nothing_is_left_to_search(void **unused)
{
    (void)unused;
    is_sent_in(15);
    uint8_t wall[16];
    memset(wall, CAIRN_GROUND_OBSTACLE, sizeof wall);
    const cairn_drivability_area ends[] = {{{-1.2, -1.6}, 0.2, 1, 16}, {{19, -1.6}, 0.2, 1, 16}};
    for (int i = 0; i < 2; i++) { cairn_memory_grid_put(d->navigator.memory, &ends[i], wall); }
    assert_true(pass(30, 9) && goes_home());
}

// It stands and looks for its place; one that stood for good would be lost with all that it has seen.
static void who_is_in_doubt_goes_on_after_ten_seconds(void **unused)
{
    (void)unused;
    d->navigator.task_state = CAIRN_TASK_UNDER_WAY;
    (void)pass(1, 0);
    assert_true(cairn_deliberate_may_go(d, bench.now));
    cairn_hold_carry(&d->tracker.hold, (cairn_hold_way){.spun_m = 0.8});
    cairn_deliberate_notice_doubt(d, bench.now);
    int stood_s = 0;
    while (!cairn_deliberate_may_go(d, bench.now)) {
        (void)pass(1, 0);
        assert_true(++stood_s < 60);
    }
    assert_int_equal(stood_s, 10);
}

static void who_gets_nowhere_does_not_search_on(void **unused)
{
    (void)unused;
    is_sent_in(15);
    d->navigator.task_state = CAIRN_TASK_BLOCKED;
    int waited_s = 0;
    while (!goes_home() && waited_s++ < 100) {
        assert_true(pass(61 + waited_s, 9));
        assert_int_not_equal(d->retreat, CAIRN_RETREAT_ON);
    }
    assert_true(goes_home());
}

// What it has seen is told before it goes on with what the first word told it to do.
static void who_is_heard_while_it_searches_on_stands_and_tells(void **unused)
{
    (void)unused;
    is_sent_in(15);
    assert_true(pass(30, 9) && !goes_home());
    assert_int_equal(d->retreat, CAIRN_RETREAT_ON);
    assert_false(pass(0.1, 9));
    assert_true(pass(0.1, 2));
    assert_int_equal(d->retreat, CAIRN_RETREAT_NONE);
}

static void a_stop_or_another_mode_ends_the_search(void **unused)
{
    (void)unused;
    is_sent_in(15);
    assert_true(pass(30, 9));
    assert_int_equal(d->retreat, CAIRN_RETREAT_ON);
    d->orders.mode = CAIRN_MODE_WAYPOINT;
    assert_true(pass(31, 9));
    assert_int_equal(d->retreat, CAIRN_RETREAT_NONE);
    d->orders.mode = CAIRN_MODE_AUTONOMOUS;
    d->navigator.task_state = CAIRN_TASK_DONE;
    assert_true(pass(32, 9));
    assert_int_equal(d->retreat, CAIRN_RETREAT_ON);
    cairn_navigator_drop(&d->navigator, bench.now); // as a stop does that came and went
    assert_true(pass(33, 9));
    assert_int_equal(d->navigator.task.via_count, 0);
    assert_int_equal(d->retreat, CAIRN_RETREAT_NONE);
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
        cmocka_unit_test_setup_teardown(who_hears_nobody_searches_on_as_far_again_as_it_came, start, finish),
        cmocka_unit_test_setup_teardown(it_does_not_search_on_past_where_it_was_heard, start, finish),
        cmocka_unit_test_setup_teardown(it_goes_back_where_nothing_is_left_to_search, start, finish),
        cmocka_unit_test_setup_teardown(who_is_in_doubt_goes_on_after_ten_seconds, start, finish),
        cmocka_unit_test_setup_teardown(who_gets_nowhere_does_not_search_on, start, finish),
        cmocka_unit_test_setup_teardown(who_is_heard_while_it_searches_on_stands_and_tells, start, finish),
        cmocka_unit_test_setup_teardown(a_stop_or_another_mode_ends_the_search, start, finish),
    };
    return cmocka_run_group_tests_name("retreat", tests, NULL, NULL);
}
