// What a robot's mind makes of a battery that ends, of a bumper that stays pressed, and of what reflex finds wrong.
#include "../base/check.h"
#include "bench_mind.h"
#include "rig.h"
#include <string.h>

static bench_mind bench;
static cairn_deliberate *d;
static char events[2000];

static int start(void **unused)
{
    (void)unused;
    cairn_body_description description = rig_description();
    description.battery = (cairn_battery_description){.offered = true, .low = 0.25, .critical = 0.10};
    bench_mind_init(&bench, &description, CAIRN_TASK_UNDER_WAY);
    d = bench.deliberate;
    d->orders.order = 3;
    d->reflex_heard = true;
    events[0] = '\0';
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    bench_mind_finish(&bench);
    return 0;
}

static void read_events(void)
{
    uint8_t bytes[1024];
    size_t size = 0;
    while (cairn_inbox_take(d->def.boxes.reports, bytes, sizeof bytes, &size) == CAIRN_OK) {
        cairn_radio_message message;
        assert_ok(cairn_radio_decode(bytes, size, &message));
        if (message.id != CAIRN_MSG_EVENT) { continue; }
        const size_t used = strlen(events);
        snprintf(events + used, sizeof events - used, "%.*s\n", (int)message.event.text_count,
                 (const char *)message.event.text);
    }
}

static bool has(cairn_lack lack) { return (d->lacks & 1u << lack) != 0; }

// Half a second with this charge; whether the robot may move by itself.
static bool pass(double charge)
{
    bench.now = cairn_mono_add(bench.now, CAIRN_MS(500));
    d->battery = (cairn_battery_frame){.taken = bench.now, .charge = (float)charge};
    d->state.at = bench.now;
    const bool free = cairn_deliberate_heed_battery(d, bench.now);
    read_events();
    return free;
}

static bool goes_home(void) { return d->navigator.task.purpose == CAIRN_PURPOSE_HOME; }

static void who_searches_by_itself_comes_home_with_a_low_battery(void **unused)
{
    (void)unused;
    assert_true(pass(0.26) && !goes_home() && !has(CAIRN_LACK_LOW));
    assert_true(pass(0.24) && goes_home() && has(CAIRN_LACK_LOW));
    assert_int_equal(d->navigator.task.id, BENCH_TASK);
    assert_non_null(strstr(events, "the battery is at 24 %"));
    d->navigator.task =
        (cairn_robot_task){.id = BENCH_TASK + 1, .purpose = CAIRN_PURPOSE_EXPLORE}; // it crossed the news
    assert_true(pass(0.26) && goes_home() && has(CAIRN_LACK_LOW));
    assert_true(pass(0.9) && !has(CAIRN_LACK_LOW)); // charged
}

static void whoever_a_person_has_sent_or_drives_is_only_told_of(void **unused)
{
    (void)unused;
    const cairn_mode modes[] = {CAIRN_MODE_WAYPOINT, CAIRN_MODE_TELEOPERATED, CAIRN_MODE_IDLE};
    for (int i = 0; i < 3; i++) {
        d->orders.mode = modes[i];
        assert_true(pass(0.2) && !goes_home() && has(CAIRN_LACK_LOW));
    }
}

static void a_robot_with_a_critical_battery_stands_and_says_so(void **unused)
{
    (void)unused;
    assert_true(pass(0.2));
    assert_false(pass(0.09));
    assert_true(has(CAIRN_LACK_LOW));
    assert_non_null(strstr(events, "the battery is at 9 %: it stands"));
    d->orders.mode = CAIRN_MODE_WAYPOINT;
    assert_false(pass(0.09));
    d->orders.mode = CAIRN_MODE_TELEOPERATED;
    assert_true(pass(0.09));
}

// The operator has seen it, and decides.
static void an_order_after_that_is_obeyed(void **unused)
{
    (void)unused;
    assert_true(pass(0.2) && goes_home());
    d->orders.order = 4;
    d->navigator.task = (cairn_robot_task){.id = BENCH_TASK + 1, .purpose = CAIRN_PURPOSE_EXPLORE};
    assert_true(pass(0.2) && !goes_home() && !has(CAIRN_LACK_LOW));
    assert_false(pass(0.05));
    d->orders.order = 5;
    assert_true(pass(0.05) && !has(CAIRN_LACK_LOW));
    assert_true(pass(0.04));
    assert_non_null(strstr(events, "does as it is ordered"));
}

static void a_charge_that_nobody_knows_changes_nothing(void **unused)
{
    (void)unused;
    assert_true(pass(NAN) && d->lacks == 0);
    assert_true(pass(0.2) && goes_home());
    assert_true(pass(NAN) && has(CAIRN_LACK_LOW));
    assert_true(isnan(cairn_deliberate_charge(d)));
}

// It would go somewhere else than it means to. A person's stick needs no place, and is not asked here.
static void who_is_not_sure_of_its_place_stands_and_says_so(void **unused)
{
    (void)unused;
    const cairn_mode modes[] = {CAIRN_MODE_AUTONOMOUS, CAIRN_MODE_WAYPOINT};
    for (int i = 0; i < 2; i++) {
        d->orders.mode = modes[i];
        assert_true(cairn_deliberate_may_go(d, bench.now));
        cairn_hold_carry(&d->tracker.hold, (cairn_hold_way){.spun_m = 0.8});
        cairn_deliberate_notice_doubt(d, bench.now);
        assert_false(cairn_deliberate_may_go(d, bench.now));
        cairn_hold_rejoin(&d->tracker.hold);
        cairn_deliberate_notice_doubt(d, bench.now);
        assert_true(cairn_deliberate_may_go(d, bench.now));
    }
    read_events();
    assert_non_null(strstr(events, "is not sure of its place, by 0.8 m: it stands"));
    assert_non_null(strstr(events, "knows its place again"));
}

// On its back, wheels turning for a minute: odometry goes on, and the place does not.
static void a_robot_on_its_back_goes_nowhere_and_says_that_it_is_lost(void **unused)
{
    (void)unused;
    d->state.step_count = 1;
    d->state.at = bench.now;
    cairn_deliberate_notice_doubt(d, bench.now);
    const cairn_pose2 before = cairn_tracker_pose(&d->tracker, &d->state);
    const double own_m = d->state.odom_T_base.x_m;
    d->state.roll_rad = CAIRN_PI;
    for (int i = 0; i < 60 * 62; i++) { // 62 a second
        bench.now = cairn_mono_add(bench.now, CAIRN_MS(16));
        d->state.at = bench.now;
        d->state.odom_T_base.x_m += 0.016 * 0.6;
        cairn_deliberate_notice_doubt(d, bench.now);
    }
    const cairn_pose2 after = cairn_tracker_pose(&d->tracker, &d->state);
    const double moved_m = cairn_vec2_distance(cairn_pose2_at(before), cairn_pose2_at(after));
    printf("wheels went %.1f m, it %.2f m\n", d->state.odom_T_base.x_m - own_m, moved_m);
    assert_true(d->state.odom_T_base.x_m - own_m > 30 && moved_m < 0.5);
    assert_int_equal(d->health.health, CAIRN_HEALTH_LOST);
    assert_int_equal(d->health.reason, CAIRN_HEALTH_TILT);
    assert_true(has(CAIRN_LACK_PLACE));
    read_events();
    assert_non_null(strstr(events, "is lost (it leans): its trail is cut"));
}

static void feel(double x_m, double yaw_rad, bool front, double for_s)
{
    for (int i = 0; i < (int)(for_s * 2.0); i++) {
        bench.now = cairn_mono_add(bench.now, CAIRN_MS(500));
        d->state.at = bench.now;
        d->state.odom_T_base = (cairn_pose2){x_m, 0.0, yaw_rad};
        d->state.bump_front = front;
        cairn_deliberate_notice_bumpers(d, bench.now);
    }
    read_events();
}

static void a_bumper_that_stays_pressed_is_told_of(void **unused)
{
    (void)unused;
    feel(0.0, 0.0, true, 5.0); // at a wall
    assert_false(has(CAIRN_LACK_BUMPER));
    feel(-0.35, 0.0, true, 1.0); // it has backed away
    assert_true(has(CAIRN_LACK_BUMPER));
    assert_non_null(strstr(events, "the front bumper stays pressed"));
    feel(-0.35, 0.0, true, 60.0);
    feel(-0.35, 0.0, false, 1.0);
    assert_false(has(CAIRN_LACK_BUMPER));
    assert_null(strstr(strstr(events, "bumper") + 1, "bumper")); // told once
    feel(-0.35, 0.0, true, 29.0);
    assert_false(has(CAIRN_LACK_BUMPER));
    feel(-0.35, 0.0, true, 2.0);
    assert_true(has(CAIRN_LACK_BUMPER));
}

static void touches_that_come_and_go_are_no_alarm(void **unused)
{
    (void)unused;
    for (int i = 0; i < 50; i++) { feel(0.1 * i, 0.0, i % 2 == 0, 1.0); }
    assert_false(has(CAIRN_LACK_BUMPER));
}

static void a_stuck_wheel_is_told_in_words_once_a_minute(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        bench.now = cairn_mono_add(bench.now, CAIRN_MS(500));
        d->state.at = bench.now;
        d->state.guards = i % 4 < 2 ? 1u << CAIRN_GUARD_WHEELS : 0;
        cairn_deliberate_tell_alarms(d, bench.now);
    }
    read_events();
    assert_non_null(strstr(events, "a wheel is stuck"));
    assert_null(strstr(strstr(events, "a wheel is stuck") + 1, "a wheel is stuck"));
}

static void what_reflex_refuses_is_told_in_words_once_a_minute(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        bench.now = cairn_mono_add(bench.now, CAIRN_MS(500));
        d->state.at = bench.now;
        d->state.commands_refused_count = i < 10 ? 0 : 3;
        d->state.tellings_refused_count = i < 50 ? 0 : (uint32_t)i;
        cairn_deliberate_tell_alarms(d, bench.now);
    }
    read_events();
    const char *first = strstr(events, "reflex refuses what mind tells it (3 so far)");
    assert_non_null(first);
    assert_null(strstr(first + 1, "reflex refuses"));
    for (int i = 0; i < 60; i++) { // a new reflex begins to count anew, and refuses nothing
        bench.now = cairn_mono_add(bench.now, CAIRN_S(1));
        d->state.at = bench.now;
        d->state.commands_refused_count = 0;
        d->state.tellings_refused_count = 0;
        cairn_deliberate_tell_alarms(d, bench.now);
    }
    d->state.commands_refused_count = 1;
    cairn_deliberate_tell_alarms(d, bench.now);
    read_events();
    assert_non_null(strstr(events, "reflex refuses what mind tells it (1 so far)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_searches_by_itself_comes_home_with_a_low_battery, start, finish),
        cmocka_unit_test_setup_teardown(whoever_a_person_has_sent_or_drives_is_only_told_of, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_with_a_critical_battery_stands_and_says_so, start, finish),
        cmocka_unit_test_setup_teardown(an_order_after_that_is_obeyed, start, finish),
        cmocka_unit_test_setup_teardown(a_charge_that_nobody_knows_changes_nothing, start, finish),
        cmocka_unit_test_setup_teardown(who_is_not_sure_of_its_place_stands_and_says_so, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_on_its_back_goes_nowhere_and_says_that_it_is_lost, start, finish),
        cmocka_unit_test_setup_teardown(a_bumper_that_stays_pressed_is_told_of, start, finish),
        cmocka_unit_test_setup_teardown(touches_that_come_and_go_are_no_alarm, start, finish),
        cmocka_unit_test_setup_teardown(a_stuck_wheel_is_told_in_words_once_a_minute, start, finish),
        cmocka_unit_test_setup_teardown(what_reflex_refuses_is_told_in_words_once_a_minute, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
