// What operators ask for, from their inbox to the robot.
#include "air.h"
#include "robot/guard_names.h"
#include <stdlib.h>

static air *world;

// Robots 10 and 11 in a room from (2, 2) to (16, 16) that is known and searched; robot 12 is outside of it.
static int start(void **unused)
{
    (void)unused;
    world = air_create(5);
    cairn_atlas *atlas = (cairn_atlas *)air_look(world).atlas;
    place_room(atlas, (cairn_vec2){2, 2}, (cairn_vec2){16, 16}, true);
    world->robots[0].on = world->robots[1].on = true;
    air_run_ms(world, 2500);
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    air_destroy(world);
    return 0;
}

static uint8_t mode_of(uint32_t robot_at) { return world->robots[robot_at].telemetry.mode; }

static void send_to(uint8_t robot, double x_m, double y_m)
{
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_GO, .robot = robot, .to_m = {x_m, y_m}});
}

// A person who sends a robot somewhere wants it there, and not taken away by the team a moment later.
static void a_robot_goes_where_it_is_sent_and_waits_there(void **unused)
{
    (void)unused;
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    send_to(10, 3.25, 14.05);
    air_run_ms(world, 1500);
    assert_int_equal(mode_of(0), CAIRN_MODE_WAYPOINT);
    assert_int_equal(air_event_count(world, "operator: emu1 to (3.2, 14.1); then it waits, until given back") +
                         air_event_count(world, "operator: emu1 to (3.2, 14.0); then it waits, until given back") +
                         air_event_count(world, "operator: emu1 to (3.3, 14.1); then it waits, until given back"),
                     1);
    const cairn_radio_message *told = air_told(world, 0, CAIRN_MSG_TASK, NULL);
    assert_non_null(told);
    const cairn_msg_task *task = &told->task;
    assert_int_equal(task->purpose, CAIRN_PURPOSE_GO);
    cairn_vec2 last = {6, 6};
    for (uint32_t i = 0; i < task->via_x_mm_count; i++) {
        const cairn_vec2 at = {6 + task->via_x_mm[i] * 1e-3, 6 + task->via_y_mm[i] * 1e-3};
        assert_true(cairn_vec2_distance(at, last) <= 5.0);
        last = at;
    }
    assert_true(cairn_vec2_distance(last, (cairn_vec2){3.25, 14.05}) < 0.08);
    assert_int_equal(air_robot_seen(world, 0)->assignment.task, task->task);
    assert_true(air_robot_seen(world, 0)->assignment.by_operator);
    world->robots[0].telemetry.task_state = CAIRN_TASK_DONE;
    air_run_ms(world, 4000);
    assert_int_equal(air_event_count(world, "emu1 is there"), 1);
    assert_int_equal(mode_of(0), CAIRN_MODE_WAYPOINT);
    assert_int_equal(air_robot_seen(world, 0)->assignment.task, 0);
    assert_int_equal(air_look(world).action_count, 1);
}

static void a_place_that_is_not_known_is_gone_to_as_near_as_can_be(void **unused)
{
    (void)unused;
    send_to(10, 20, 8);
    air_run_ms(world, 1000);
    const cairn_assignment *a = &air_robot_seen(world, 0)->assignment;
    assert_int_not_equal(a->task, 0);
    assert_true(a->goal.x_m > 15.3 && a->goal.x_m < 16.0 && fabs(a->goal.y_m - 8) < 0.2);
    assert_int_equal(air_event_count(world, "as near as a way is known: 4."), 1);
}

// Robot 12 stands outside of everything known, robot 10 already where it is nearest.
static void where_no_way_is_known_nobody_is_sent(void **unused)
{
    (void)unused;
    world->robots[2].on = true;
    world->robots[0].telemetry.x_mm = 9550; // (15.55, 6)
    air_run_ms(world, 1500);
    send_to(12, 8, 8);
    send_to(10, 20, 6);
    send_to(10, NAN, 6);
    air_run_ms(world, 2000);
    assert_int_equal(air_event_count(world, "not done: emu3 knows no way there"), 1);
    assert_int_equal(air_event_count(world, "not done: emu1 knows no way there, nor nearer"), 1);
    assert_int_equal(air_event_count(world, "not done: emu1 knows no way there"), 2);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(air_look(world).action_count, 0);
}

static void home_is_a_task_without_points(void **unused)
{
    (void)unused;
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_HOME, .robot = 11});
    air_run_ms(world, 1500);
    const cairn_radio_message *told = air_told(world, 1, CAIRN_MSG_TASK, NULL);
    assert_non_null(told);
    assert_int_equal(told->task.purpose, CAIRN_PURPOSE_HOME);
    assert_int_equal(told->task.via_x_mm_count, 0);
    assert_int_equal(mode_of(1), CAIRN_MODE_WAYPOINT);
    world->robots[1].telemetry.task_state = CAIRN_TASK_NO_WAY;
    air_run_ms(world, 2000);
    world->robots[1].telemetry.task_state = CAIRN_TASK_DONE;
    air_run_ms(world, 2000);
    assert_int_equal(air_event_count(world, "emu2 finds no way"), 1);
    assert_int_equal(air_event_count(world, "emu2 is home"), 1);
}

// Given back, it is the team's, and lets go of what the operator wanted.
static void a_robot_given_back_drops_the_operators_task(void **unused)
{
    (void)unused;
    send_to(10, 10, 10);
    air_run_ms(world, 1000);
    assert_int_not_equal(world->robots[0].telemetry.task, 0);
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_PAUSED});
    air_run_ms(world, 1000);
    assert_int_not_equal(world->robots[0].telemetry.task, 0); // paused: it goes on with it afterwards
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_AUTONOMOUS});
    air_run_ms(world, 1000);
    assert_int_equal(world->robots[0].telemetry.task, 0);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(air_event_count(world, "operator: emu1 autonomous"), 1);
    assert_int_equal(air_look(world).action_count, 3);
}

static void drive(double forward, double turn, bool dead_man, int64_t age_ms)
{
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_DRIVE,
                                           .robot = 10,
                                           .forward = forward,
                                           .turn = turn,
                                           .dead_man = dead_man,
                                           .shown = cairn_mono_add(air_now(world), -CAIRN_MS(age_ms))});
    air_run_ms(world, 60);
}

static void driving_takes_the_robot_over_and_counts_as_one_action(void **unused)
{
    (void)unused;
    for (int i = 0; i < 30; i++) { drive(0.5, -0.25, true, 100); }
    uint32_t count = 0;
    const cairn_msg_stick *stick = &air_told(world, 0, CAIRN_MSG_STICK, &count)->stick;
    assert_true(count >= 25 && count <= 30);
    assert_int_equal(stick->forward_pct, 50);
    assert_int_equal(stick->turn_pct, -25);
    assert_int_equal(stick->dead_man, 1);
    assert_int_equal(stick->sequence, 30);
    assert_int_equal(mode_of(0), CAIRN_MODE_TELEOPERATED);
    assert_int_equal(air_look(world).action_count, 1);
    assert_int_equal(air_event_count(world, "operator: drives emu1"), 1);
    drive(0.5, 0, false, 5000); // let go: never too late
    stick = &air_told(world, 0, CAIRN_MSG_STICK, NULL)->stick;
    assert_int_equal(stick->dead_man, 0);
    assert_int_equal(stick->forward_pct, 0);
    air_run_ms(world, 2000);
    drive(0.5, 0, true, 100);
    assert_int_equal(air_look(world).action_count, 2);
}

// Who drives by what was there a second ago drives into what came since.
static void a_stick_moved_by_an_old_picture_is_not_passed_on(void **unused)
{
    (void)unused;
    for (int i = 0; i < 40; i++) { drive(1, 0, true, 1001); }
    drive(1, 0, true, -100); // nor one from the future
    drive(NAN, 0, true, 10);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_STICK), 0);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(air_look(world).action_count, 0);
    const uint32_t told = air_event_count(world, "operator: emu1 is not driven: the picture is older");
    assert_true(told >= 2 && told <= 3); // in 2.5 s
    drive(1, 0, true, 999);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_STICK), 1);
}

static void hold(uint8_t robot, uint32_t guards, int64_t for_ms)
{
    for (int64_t at_ms = 0; at_ms < for_ms; at_ms += 60) {
        air_do(world, &(cairn_operator_action){
                          .verb = CAIRN_DO_OVERRIDE, .robot = robot, .guards = guards, .shown = air_now(world)});
        air_run_ms(world, 60);
    }
}

// Who reads the events later must see which guard was switched off, and for how long.
static void a_guard_is_overridden_while_the_key_is_held_and_both_ends_are_told(void **unused)
{
    (void)unused;
    const uint32_t tilt = 1u << CAIRN_GUARD_TILT;
    uint32_t count = 0;
    hold(10, tilt, 3000);
    const cairn_radio_message *told = air_told(world, 0, CAIRN_MSG_OVERRIDE, &count);
    assert_non_null(told);
    assert_in_range(count, 40, 50);
    assert_int_equal(told->override.guards, tilt);
    assert_int_equal(told->override.sequence, 50);
    assert_int_equal(air_event_count(world, "operator: overrides tilt of emu1"), 1);
    assert_int_equal(air_event_count(world, "overrode"), 0);
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_OVERRIDE, .robot = 10}); // however old the picture
    air_run_ms(world, 100);
    assert_int_equal(air_told(world, 0, CAIRN_MSG_OVERRIDE, NULL)->override.guards, 0);
    assert_int_equal(air_event_count(world, "operator: overrode tilt of emu1 for 3.0 s"), 1);
    assert_int_equal(air_told_count(world, 1, CAIRN_MSG_OVERRIDE), 0);
}

static void an_override_whose_page_falls_silent_ends_and_is_told(void **unused)
{
    (void)unused;
    hold(10, 1u << CAIRN_GUARD_AREA | 1u << CAIRN_GUARD_BUMP, 1000);
    const uint32_t count = air_told_count(world, 0, CAIRN_MSG_OVERRIDE);
    air_run_ms(world, 2000);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_OVERRIDE), count); // nobody says it for the operator
    assert_int_equal(air_event_count(world, "operator: overrides bump, area of emu1"), 1);
    assert_int_equal(air_event_count(world, "overrode bump, area of emu1 for 0.9 s; the page fell silent") +
                         air_event_count(world, "overrode bump, area of emu1 for 1.0 s; the page fell silent"),
                     1);
}

static void what_may_not_be_overridden_is_refused_in_words(void **unused)
{
    (void)unused;
    hold(10, 1u << CAIRN_GUARD_STOP, 100);
    assert_int_equal(air_event_count(world, "not done: emu1 has a guard there that nobody may override"), 1);
    air_run_ms(world, 1500);
    hold(10, 1u << CAIRN_GUARD_TILT | 1u << CAIRN_LACK_LASER, 100);
    air_run_ms(world, 1500);
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_OVERRIDE, .robot = 10, .guards = 1u << CAIRN_GUARD_TILT});
    air_run_ms(world, 1500);
    assert_int_equal(air_event_count(world, "older than a second"), 1);
    world->robots[1].telemetry.overridden = CAIRN_MSG_TELEMETRY_OVERRIDDEN_UNKNOWN;
    air_run_ms(world, 1500);
    hold(11, 1u << CAIRN_GUARD_TILT, 100);
    assert_int_equal(air_event_count(world, "emu2 knows nothing of overrides"), 1);
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_STOP, .robot = 10});
    air_run_ms(world, 1500);
    hold(10, 1u << CAIRN_GUARD_TILT, 100);
    assert_int_equal(air_event_count(world, "not done: emu1 is stopped"), 1);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_OVERRIDE), 0);
    assert_int_equal(air_told_count(world, 1, CAIRN_MSG_OVERRIDE), 0);
    assert_int_equal(air_event_count(world, "operator: overrides"), 0);
}

static void a_stick_in_assisted_mode_changes_no_mode(void **unused)
{
    (void)unused;
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_ASSISTED_LEFT});
    drive(1, 0, true, 0);
    air_run_ms(world, 1000);
    assert_int_equal(mode_of(0), CAIRN_MODE_ASSISTED_LEFT);
}

static void a_stopped_robot_is_neither_driven_nor_sent(void **unused)
{
    (void)unused;
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_STOP, .robot = 10});
    air_run_ms(world, 1500);
    drive(1, 0, true, 0);
    send_to(10, 10, 10);
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_HOME, .robot = 10});
    air_run_ms(world, 3000);
    assert_int_equal(mode_of(0), CAIRN_MODE_STOPPED);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_STICK), 0);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_TASK), 0);
    assert_int_equal(air_event_count(world, "not done: emu1 is stopped"), 2);
    assert_int_equal(air_event_count(world, "emu1 is not driven: it is stopped"), 1);
}

static void actions_on_nobody_and_nonsense_are_refused(void **unused)
{
    (void)unused;
    const cairn_operator_action wrong[] = {
        {.verb = CAIRN_DO_MODE, .robot = 12, .mode = CAIRN_MODE_IDLE}, // never heard
        {.verb = CAIRN_DO_STOP, .robot = 99},
        {.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_STOPPED},
        {.verb = CAIRN_DO_MODE, .robot = 10, .mode = 200},
        {.verb = CAIRN_DO_MODE, .robot = CAIRN_ALL_ROBOTS, .mode = CAIRN_MODE_IDLE},
        {.verb = CAIRN_DO_RELEASE, .robot = 10}, // it is not stopped
        {.verb = (cairn_operator_verb)77, .robot = 10},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) { air_do(world, &wrong[i]); }
    assert_ok(cairn_inbox_put(cairn_station_operators(world->station), wrong, 7));
    air_run_ms(world, 2000);
    assert_int_equal(air_look(world).action_count, 0);
    assert_int_equal(air_look(world).refused_count, 1);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(air_event_count(world, "nothing has been heard of robot 12"), 1);
    assert_int_equal(air_event_count(world, "nothing has been heard of robot 99"), 1);
    assert_int_equal(air_event_count(world, "emu1 has no such mode"), 1);
    assert_int_equal(air_event_count(world, "emu1 is not stopped (2 times)"), 1); // once a second, the last reason
}

// A page gone wild, or a click too many, must not push out what the operator has not read yet.
static void a_flood_of_what_cannot_be_done_leaves_older_events_alone(void **unused)
{
    (void)unused;
    const uint64_t count_before = air_look(world).events->count;
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 20; k++) {
            air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_RELEASE, .robot = 10});
            air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 99, .mode = CAIRN_MODE_IDLE});
        }
        air_run_ms(world, 100);
    }
    air_run_ms(world, 2000);
    const uint64_t count = air_look(world).events->count - count_before;
    assert_true(count >= 20 && count <= 26); // two in a second, and what else happens
    assert_int_equal(air_event_count(world, "has joined"), 2);
    // None is forgotten: the numbers add up.
    const cairn_events *events = air_look(world).events;
    uint32_t told_count = 0;
    for (uint64_t number = count_before + 1; number <= events->count; number++) {
        const char *text = cairn_events_get(events, number)->text;
        if (strstr(text, "emu1 is not stopped") == NULL) { continue; }
        unsigned times = 1;
        const char *bracket = strchr(text, '(');
        if (bracket != NULL) { assert_int_equal(sscanf(bracket, "(%u times)", &times), 1); }
        told_count += times;
    }
    assert_int_equal(told_count, 2000);
}

// A way takes time to find. Whoever has clicked too often, or another page that has, must not hold up a stop; and what
// was asked before it is not done after it, a release least of all.
static void a_stop_waits_for_nothing_that_was_asked_before(void **unused)
{
    (void)unused;
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_STOP, .robot = 11});
    air_run_ms(world, 1500);
    for (int i = 0; i < 300; i++) { send_to(10, 8 + 0.01 * i, 10); }
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_RELEASE});
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_STOP, .robot = 11});
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_STOP, .robot = 10});
    air_run_ms(world, 1500);
    assert_int_equal(mode_of(0), CAIRN_MODE_STOPPED);
    assert_int_equal(mode_of(1), CAIRN_MODE_STOPPED);
    assert_true(air_robot_seen(world, 1)->stop.wanted);
    assert_int_equal(air_event_count(world, "operator: emu1 to"), 0);
    assert_int_equal(air_event_count(world, "asked before the stop is not done (300)"), 1);
}

// One in a step, so that everything else goes on meanwhile; and none is lost.
static void ways_are_searched_for_one_after_another(void **unused)
{
    (void)unused;
    for (int i = 0; i < 10; i++) { send_to(10, 8 + 0.2 * i, 10); }
    air_run_ms(world, 100);
    assert_int_equal(air_event_count(world, "operator: emu1 to"), 5);
    air_run_ms(world, 100);
    assert_int_equal(air_event_count(world, "operator: emu1 to"), 10);
    assert_true(fabs(air_robot_seen(world, 0)->assignment.target_m.x - 9.8) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_robot_goes_where_it_is_sent_and_waits_there, start, finish),
        cmocka_unit_test_setup_teardown(a_place_that_is_not_known_is_gone_to_as_near_as_can_be, start, finish),
        cmocka_unit_test_setup_teardown(where_no_way_is_known_nobody_is_sent, start, finish),
        cmocka_unit_test_setup_teardown(home_is_a_task_without_points, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_given_back_drops_the_operators_task, start, finish),
        cmocka_unit_test_setup_teardown(driving_takes_the_robot_over_and_counts_as_one_action, start, finish),
        cmocka_unit_test_setup_teardown(a_stick_moved_by_an_old_picture_is_not_passed_on, start, finish),
        cmocka_unit_test_setup_teardown(a_stick_in_assisted_mode_changes_no_mode, start, finish),
        cmocka_unit_test_setup_teardown(a_guard_is_overridden_while_the_key_is_held_and_both_ends_are_told, start,
                                        finish),
        cmocka_unit_test_setup_teardown(an_override_whose_page_falls_silent_ends_and_is_told, start, finish),
        cmocka_unit_test_setup_teardown(what_may_not_be_overridden_is_refused_in_words, start, finish),
        cmocka_unit_test_setup_teardown(a_stopped_robot_is_neither_driven_nor_sent, start, finish),
        cmocka_unit_test_setup_teardown(actions_on_nobody_and_nonsense_are_refused, start, finish),
        cmocka_unit_test_setup_teardown(a_flood_of_what_cannot_be_done_leaves_older_events_alone, start, finish),
        cmocka_unit_test_setup_teardown(a_stop_waits_for_nothing_that_was_asked_before, start, finish),
        cmocka_unit_test_setup_teardown(ways_are_searched_for_one_after_another, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
