// Modes and stops are state: whatever the radio or a restart does, robots come to be as they are wanted.
#include "air.h"
#include "station/command.h"

static air *world;

static int start(void **unused)
{
    (void)unused;
    world = air_create(11);
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    air_destroy(world);
    return 0;
}

static void act(cairn_operator_verb verb, uint8_t robot)
{
    air_do(world, &(cairn_operator_action){.verb = verb, .robot = robot});
}

static void all_on(void)
{
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) { world->robots[i].on = true; }
    air_run_ms(world, 2500);
}

static uint8_t mode_of(uint32_t robot_at) { return world->robots[robot_at].telemetry.mode; }

// A robot may take a message and yet forget it: what counts is what it says of itself.
static void an_order_that_was_forgotten_is_said_again_until_it_is_named(void **unused)
{
    (void)unused;
    world->robots[0].obeys = false;
    world->robots[0].on = true;
    air_run_ms(world, 7000);
    const uint32_t count = air_told_count(world, 0, CAIRN_MSG_MODE_ORDER);
    assert_true(count == 3 || count == 4); // each 2 s
    const cairn_radio_message *told = air_told(world, 0, CAIRN_MSG_MODE_ORDER, NULL);
    world->robots[0].telemetry.order = told->mode_order.order;
    air_run_ms(world, 6000);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_MODE_ORDER), count);
}

// What is lost on the air the link sends again by itself: the queue is not filled with the same order.
static void a_deaf_robot_gets_its_order_once_when_it_hears_again(void **unused)
{
    (void)unused;
    all_on();
    world->robots[0].deaf = true;
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_PAUSED});
    air_run_ms(world, 10000);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    const uint32_t before = air_told_count(world, 0, CAIRN_MSG_MODE_ORDER);
    world->robots[0].deaf = false;
    air_run_ms(world, 4000);
    assert_int_equal(mode_of(0), CAIRN_MODE_PAUSED);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_MODE_ORDER), before + 1);
}

// It counts its way from where it stands now, and the station does not know where that is: sent on, it would go to
// wrong places. Nobody has told it to move since it was started, either.
static void a_robot_that_was_started_again_is_wanted_idle_until_told_otherwise(void **unused)
{
    (void)unused;
    all_on();
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    const uint32_t before = world->robots[0].kept_count;
    air_restart_robot(world, 0);
    air_run_ms(world, 5000);
    for (uint32_t i = before; i < world->robots[0].kept_count; i++) {
        const cairn_radio_message *told = &world->robots[0].kept[i];
        assert_false(told->id == CAIRN_MSG_TASK && told->task.task != 0);
        assert_false(told->id == CAIRN_MSG_MODE_ORDER && told->mode_order.mode != CAIRN_MODE_IDLE);
    }
    assert_int_equal(mode_of(0), CAIRN_MODE_IDLE);
    assert_true(cairn_command_order_taken(air_robot_seen(world, 0)));
    assert_int_equal(air_event_count(world, "emu1 has started again"), 1);
    assert_int_equal(air_event_count(world, "emu1 has forgotten its orders, and waits"), 1);
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_AUTONOMOUS});
    air_run_ms(world, 2000);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(mode_of(1), CAIRN_MODE_AUTONOMOUS);
}

static void a_station_that_was_started_again_goes_on_counting_orders_and_tasks(void **unused)
{
    (void)unused;
    all_on();
    for (int i = 0; i < 20; i++) {
        const uint8_t mode = i % 2 ? CAIRN_MODE_AUTONOMOUS : CAIRN_MODE_IDLE;
        air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = mode});
        air_run_ms(world, 200);
    }
    const uint32_t order = world->robots[0].telemetry.order;
    assert_true(order >= 20);
    world->robots[0].telemetry.task = 77;
    air_restart_station(world);
    air_run_ms(world, 6000);
    assert_true(world->robots[0].telemetry.order > order);
    assert_int_equal(world->robots[0].telemetry.order, air_robot_seen(world, 0)->order.order);
    assert_true(air_robot_seen(world, 0)->task_count >= 77);
}

// Numbers of orders, tasks and releases go on from what a robot names. One that names numbers near the end, which
// nobody gave, must not keep others, or itself, from being ordered, sent and released.
static void numbers_that_nobody_gave_are_not_believed_and_cost_nobody_orders(void **unused)
{
    (void)unused;
    all_on();
    const uint32_t order = world->robots[0].telemetry.order;
    const cairn_msg_telemetry before = world->robots[0].telemetry;
    world->robots[0].obeys = false;
    world->robots[0].telemetry.order = UINT32_MAX - 1;
    world->robots[0].telemetry.task = UINT32_MAX;
    world->robots[0].telemetry.release_count = UINT32_MAX;
    air_run_ms(world, 3000);
    assert_int_equal(air_event_count(world, "emu1 names"), 1);
    assert_true(air_robot_seen(world, 0)->strange_count > 3);
    act(CAIRN_DO_STOP, 11);
    air_run_ms(world, 2000);
    act(CAIRN_DO_RELEASE, 11);
    air_run_ms(world, 2000);
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 11, .mode = CAIRN_MODE_AUTONOMOUS});
    air_run_ms(world, 2000);
    assert_int_equal(mode_of(1), CAIRN_MODE_AUTONOMOUS);
    assert_true(world->robots[1].telemetry.order < 100);
    world->robots[0].obeys = true; // it was only what it said
    world->robots[0].telemetry = before;
    act(CAIRN_DO_STOP, 10);
    air_run_ms(world, 2000);
    act(CAIRN_DO_RELEASE, 10);
    air_run_ms(world, 2000);
    assert_int_equal(world->robots[0].telemetry.release_count, 1);
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_AUTONOMOUS});
    air_run_ms(world, 2000);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    assert_true(world->robots[0].telemetry.order > order && world->robots[0].telemetry.order < 100);
    assert_true(air_robot_seen(world, 0)->task_count < 100);
    assert_int_equal(air_event_count(world, "emu1 names"), 1);
}

// Each robot's orders are counted for themselves: what one names does not change what another is told.
static void orders_are_counted_for_each_robot(void **unused)
{
    (void)unused;
    world->robots[0].telemetry.order = 5000; // of a station before
    all_on();
    assert_true(world->robots[0].telemetry.order > 5000);
    assert_true(world->robots[1].telemetry.order < 100);
}

static void a_stop_of_all_is_acknowledged_by_each_and_catches_late_joiners(void **unused)
{
    (void)unused;
    world->robots[0].on = world->robots[1].on = true;
    air_run_ms(world, 2500);
    act(CAIRN_DO_STOP, CAIRN_ALL_ROBOTS);
    air_run_ms(world, 20);
    assert_true(air_look(world).stop_all);
    assert_true(air_robot_seen(world, 0)->stop.wanted);
    assert_false(air_robot_seen(world, 0)->stop.acknowledged);
    air_run_ms(world, 1500);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(mode_of(i), CAIRN_MODE_STOPPED);
        assert_true(air_robot_seen(world, i)->stop.acknowledged);
    }
    assert_int_equal(air_event_count(world, "emu1 is stopped"), 1);
    assert_int_equal(air_event_count(world, "emu2 is stopped"), 1);
    world->robots[2].on = true;
    air_run_ms(world, 2500);
    assert_int_equal(mode_of(2), CAIRN_MODE_STOPPED);
    assert_true(air_robot_seen(world, 2)->stop.acknowledged);
    assert_int_equal(air_told_count(world, 2, CAIRN_MSG_MODE_ORDER), 0);
    // Nothing wears it out, and orders do not get past it.
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_AUTONOMOUS});
    air_run_ms(world, 10000);
    for (uint32_t i = 0; i < 3; i++) { assert_int_equal(mode_of(i), CAIRN_MODE_STOPPED); }
    assert_int_equal(air_event_count(world, "not done: emu1 is stopped: release it first"), 1);
}

// Whatever the radio loses.
static void stops_and_releases_get_through_when_a_third_of_all_datagrams_is_lost(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        printf("seed %llu\n", (unsigned long long)seed);
        world = air_create(seed);
        world->loss = 0.33;
        for (uint32_t i = 0; i < AIR_ROBOTS; i++) { world->robots[i].on = true; }
        air_run_ms(world, 8000);
        act(CAIRN_DO_STOP, CAIRN_ALL_ROBOTS);
        air_run_ms(world, 5000);
        for (uint32_t i = 0; i < AIR_ROBOTS; i++) {
            assert_int_equal(mode_of(i), CAIRN_MODE_STOPPED);
            assert_true(air_robot_seen(world, i)->stop.acknowledged);
        }
        act(CAIRN_DO_RELEASE, CAIRN_ALL_ROBOTS);
        air_run_ms(world, 5000);
        for (uint32_t i = 0; i < AIR_ROBOTS; i++) {
            assert_int_equal(mode_of(i), CAIRN_MODE_IDLE);
            assert_true(air_robot_seen(world, i)->stop.acknowledged);
        }
        air_destroy(world);
    }
}

// One that has lost its memory is not stopped any more: it is again before it can do much.
static void a_stopped_robot_that_was_started_again_is_stopped_again(void **unused)
{
    (void)unused;
    all_on();
    act(CAIRN_DO_STOP, 11);
    air_run_ms(world, 1500);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(mode_of(1), CAIRN_MODE_STOPPED);
    air_restart_robot(world, 1);
    air_run_ms(world, 3000);
    assert_int_equal(mode_of(1), CAIRN_MODE_STOPPED);
    assert_true(air_robot_seen(world, 1)->stop.acknowledged);
}

static void a_stop_reaches_a_robot_that_comes_back_from_silence(void **unused)
{
    (void)unused;
    all_on();
    world->robots[0].deaf = world->robots[0].mute = true;
    air_run_ms(world, 5000);
    act(CAIRN_DO_STOP, CAIRN_ALL_ROBOTS);
    air_run_ms(world, 60000);
    assert_false(air_robot_seen(world, 0)->stop.acknowledged);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    world->robots[0].deaf = world->robots[0].mute = false;
    air_run_ms(world, 3000);
    assert_int_equal(mode_of(0), CAIRN_MODE_STOPPED);
    assert_true(air_robot_seen(world, 0)->stop.acknowledged);
}

static void a_release_is_an_act_of_its_own_and_leaves_the_robot_idle(void **unused)
{
    (void)unused;
    all_on();
    act(CAIRN_DO_STOP, CAIRN_ALL_ROBOTS);
    air_run_ms(world, 2000);
    act(CAIRN_DO_RELEASE, 10); // one alone is not released while all are stopped
    air_run_ms(world, 2000);
    assert_int_equal(mode_of(0), CAIRN_MODE_STOPPED);
    assert_int_equal(air_event_count(world, "release all"), 1);
    act(CAIRN_DO_RELEASE, CAIRN_ALL_ROBOTS);
    air_run_ms(world, 10000);
    assert_false(air_look(world).stop_all);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(mode_of(i), CAIRN_MODE_IDLE); // it was autonomous
        assert_false(air_robot_seen(world, i)->stop.wanted);
        assert_true(air_robot_seen(world, i)->stop.acknowledged);
        assert_int_equal(world->robots[i].telemetry.order, air_robot_seen(world, i)->order.order);
    }
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_AUTONOMOUS});
    air_run_ms(world, 2000);
    assert_int_equal(mode_of(0), CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(mode_of(1), CAIRN_MODE_IDLE);
}

// A release needs a count that the robot has not seen, even if another station has counted before.
static void a_release_counts_on_from_what_the_robot_has_seen(void **unused)
{
    (void)unused;
    world->robots[0].telemetry.release_count = 1000;
    all_on();
    act(CAIRN_DO_STOP, 10);
    air_run_ms(world, 2000);
    act(CAIRN_DO_RELEASE, 10);
    air_run_ms(world, 2000);
    assert_int_equal(mode_of(0), CAIRN_MODE_IDLE);
    assert_int_equal(world->robots[0].telemetry.release_count, 1001);
}

// A robot that was started again between stop and release is not stopped, and does not count the release.
static void a_release_of_a_robot_that_forgot_its_stop_comes_to_an_end(void **unused)
{
    (void)unused;
    all_on();
    act(CAIRN_DO_STOP, 10);
    air_run_ms(world, 2000);
    world->robots[0].telemetry.mode = CAIRN_MODE_IDLE;
    act(CAIRN_DO_RELEASE, 10);
    air_run_ms(world, 5000);
    assert_true(air_robot_seen(world, 0)->stop.acknowledged);
    assert_int_equal(mode_of(0), CAIRN_MODE_IDLE);
    const uint32_t said = air_told_count(world, 0, CAIRN_MSG_STOP);
    air_run_ms(world, 5000);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_STOP), said);
}

// The stop of a station before this one is not forgotten, and not lifted by an order.
static void a_robot_found_stopped_stays_so_until_released(void **unused)
{
    (void)unused;
    all_on();
    act(CAIRN_DO_STOP, 10);
    air_run_ms(world, 2000);
    air_restart_station(world);
    air_run_ms(world, 6000);
    assert_int_equal(mode_of(0), CAIRN_MODE_STOPPED);
    assert_true(air_robot_seen(world, 0)->stop.wanted);
    assert_int_equal(air_event_count(world, "emu1 says that it is stopped"), 1);
    act(CAIRN_DO_RELEASE, 10);
    air_run_ms(world, 3000);
    assert_int_equal(mode_of(0), CAIRN_MODE_IDLE);
    assert_int_equal(mode_of(1), CAIRN_MODE_AUTONOMOUS);
}

// Orders and stops travel in streams of their own. One that was given before the stop, and was lost on the air, must
// not set the robot going after its release.
static void nothing_from_before_a_stop_arrives_after_its_release(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        world = air_create(seed);
        all_on();
        const cairn_operator_action waypoint = {.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_WAYPOINT};
        if (seed % 2 == 0) {
            air_do(world, &waypoint);
        } // a task is on the air when it is stopped; otherwise this order
        air_run_ms(world, 1000);
        const uint32_t kept_before = world->robots[0].kept_count;
        world->loss = 0.5;
        air_do(world, seed % 2 == 0 ? &(cairn_operator_action){.verb = CAIRN_DO_HOME, .robot = 10} : &waypoint);
        air_run_ms(world, 40);
        act(CAIRN_DO_STOP, 10);
        air_run_ms(world, 200);
        act(CAIRN_DO_RELEASE, 10);
        air_run_ms(world, 15000);
        bool released = false;
        for (uint32_t i = kept_before; i < world->robots[0].kept_count; i++) {
            const cairn_radio_message *told = &world->robots[0].kept[i];
            released |= told->id == CAIRN_MSG_STOP && !told->stop.stop;
            const bool moves = (told->id == CAIRN_MSG_MODE_ORDER && told->mode_order.mode != CAIRN_MODE_IDLE) ||
                               (told->id == CAIRN_MSG_TASK && told->task.task != 0);
            if (released && moves) { fail_msg("seed %llu: an old order came last", (unsigned long long)seed); }
        }
        assert_true(released && air_robot_seen(world, 0)->stop.acknowledged);
        assert_int_equal(mode_of(0), CAIRN_MODE_IDLE);
        air_destroy(world);
    }
}

// The link keeps sixteen orders for a robot that does not hear. The last word counts, and not two seconds late.
static void the_last_of_many_orders_is_taken_as_soon_as_the_robot_hears(void **unused)
{
    (void)unused;
    all_on();
    world->robots[0].deaf = true;
    for (int i = 0; i < 21; i++) {
        const uint8_t mode = i % 2 ? CAIRN_MODE_AUTONOMOUS : CAIRN_MODE_PAUSED;
        air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = mode});
        air_run_ms(world, 20);
    }
    world->robots[0].deaf = false;
    air_run_ms(world, 1000);
    assert_int_equal(mode_of(0), CAIRN_MODE_PAUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_order_that_was_forgotten_is_said_again_until_it_is_named, start, finish),
        cmocka_unit_test_setup_teardown(a_deaf_robot_gets_its_order_once_when_it_hears_again, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_was_started_again_is_wanted_idle_until_told_otherwise, start,
                                        finish),
        cmocka_unit_test_setup_teardown(numbers_that_nobody_gave_are_not_believed_and_cost_nobody_orders, start,
                                        finish),
        cmocka_unit_test_setup_teardown(orders_are_counted_for_each_robot, start, finish),
        cmocka_unit_test_setup_teardown(a_station_that_was_started_again_goes_on_counting_orders_and_tasks, start,
                                        finish),
        cmocka_unit_test_setup_teardown(a_stop_of_all_is_acknowledged_by_each_and_catches_late_joiners, start, finish),
        cmocka_unit_test(stops_and_releases_get_through_when_a_third_of_all_datagrams_is_lost),
        cmocka_unit_test_setup_teardown(a_stopped_robot_that_was_started_again_is_stopped_again, start, finish),
        cmocka_unit_test_setup_teardown(a_stop_reaches_a_robot_that_comes_back_from_silence, start, finish),
        cmocka_unit_test_setup_teardown(a_release_is_an_act_of_its_own_and_leaves_the_robot_idle, start, finish),
        cmocka_unit_test_setup_teardown(a_release_counts_on_from_what_the_robot_has_seen, start, finish),
        cmocka_unit_test_setup_teardown(a_release_of_a_robot_that_forgot_its_stop_comes_to_an_end, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_found_stopped_stays_so_until_released, start, finish),
        cmocka_unit_test_setup_teardown(the_last_of_many_orders_is_taken_as_soon_as_the_robot_hears, start, finish),
        cmocka_unit_test(nothing_from_before_a_stop_arrives_after_its_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
