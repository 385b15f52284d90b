// What a robot is told, and what it makes of it: stop, modes, stick, tasks; and what it tells of that.
#include "../base/check.h"
#include "base/random.h"
#include "rig.h"
#include "robot/deliberate/deliberate.h"
#include <string.h>

#define US 7
#define SEED 20240611

static cairn_body_description description;
static cairn_arena memory;
static cairn_body body;
static cairn_reflex_cells reflex;
static cairn_behaviour_cells behaviour;
static cairn_inbox *inbox, *outbox;
static cairn_deliberate mind;
static cairn_radio_message message;
static cairn_mono now;

static int start(void **unused)
{
    (void)unused;
    now = (cairn_mono){0};
    description = rig_description();
    assert_ok(cairn_arena_create(&memory, 48 << 20));
    assert_ok(cairn_body_create(&description, &memory, &body));
    assert_ok(cairn_reflex_cells_create(&memory, &reflex));
    assert_ok(cairn_behaviour_cells_create(&memory, &behaviour));
    assert_ok(cairn_inbox_create(&memory, 64 << 10, CAIRN_RADIO_BYTES_MAX, CAIRN_INBOX_DROP_OLDEST, &inbox));
    assert_ok(cairn_inbox_create(&memory, 64 << 10, CAIRN_RADIO_BYTES_MAX, CAIRN_INBOX_DROP_OLDEST, &outbox));
    const cairn_deliberate_def def = {
        .robot_id = US, .body = &body, .reflex = &reflex, .behaviour = &behaviour, .inbox = inbox, .outbox = outbox};
    assert_ok(cairn_deliberate_init(&mind, &def, &memory));
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_inbox_finish(inbox);
    cairn_inbox_finish(outbox);
    cairn_arena_destroy(&memory);
    return 0;
}

static void read_post(void)
{
    now.ns += CAIRN_MS(16);
    cairn_deliberate_listen(&mind, now);
    cairn_deliberate_read_post(&mind, now);
}

static void tell(const cairn_radio_message *one)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    assert_ok(cairn_radio_encode(one, bytes, sizeof bytes, &size_bytes));
    assert_ok(cairn_inbox_put(inbox, bytes, size_bytes));
    read_post();
}

static void tell_mode(uint8_t robot, uint8_t mode)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_MODE_ORDER, .mode_order = {.robot = robot, .mode = mode}};
    tell(&message);
}

static void tell_stop(uint8_t robot, bool stop, uint32_t release_count)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_STOP,
                                    .stop = {.robot = robot, .stop = stop, .release_count = release_count}};
    tell(&message);
}

static void tell_stick(uint8_t robot, uint32_t sequence, int8_t forward_pct)
{
    message = (cairn_radio_message){
        .id = CAIRN_MSG_STICK,
        .stick = {.robot = robot, .sequence = sequence, .forward_pct = forward_pct, .turn_pct = -50, .dead_man = 1}};
    tell(&message);
}

static void tell_task(uint8_t robot, uint32_t task)
{
    message = (cairn_radio_message){.id = CAIRN_MSG_TASK};
    message.task = (cairn_msg_task){.robot = robot,
                                    .task = task,
                                    .purpose = CAIRN_PURPOSE_EXPLORE,
                                    .end_yaw_mrad = CAIRN_MSG_TASK_END_YAW_MRAD_UNKNOWN,
                                    .via_x_mm_count = 2,
                                    .via_x_mm = {1500, -2500},
                                    .via_y_mm_count = 2,
                                    .via_y_mm = {100, 200}};
    tell(&message);
}

static const cairn_stop_command *stop_cell(void) { return cairn_cell_latest(reflex.stop, NULL); }
static const cairn_stick *stick_cell(void) { return cairn_cell_latest(behaviour.stick, NULL); }

// The next event that the robot tells; NULL: none.
static const char *next_event(void)
{
    static char text[256];
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    while (cairn_inbox_take(outbox, bytes, sizeof bytes, &size_bytes) == CAIRN_OK) {
        assert_ok(cairn_radio_decode(bytes, size_bytes, &message));
        if (message.id != CAIRN_MSG_EVENT) { continue; }
        snprintf(text, sizeof text, "%.*s", (int)message.event.text_count, (const char *)message.event.text);
        return text;
    }
    return NULL;
}

// Whoever pressed the button must not be overruled by a task planner.
static void a_stop_stays_whatever_modes_are_ordered(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    tell_stop(US, true, 0);
    assert_int_equal(mind.mode, CAIRN_MODE_STOPPED);
    for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) {
        tell_mode(US, (uint8_t)mode);
        assert_int_equal(mind.mode, CAIRN_MODE_STOPPED);
        assert_true(stop_cell()->stop);
    }
}

static void a_stop_for_all_stops_us_too(void **unused)
{
    (void)unused;
    tell_stop(0, true, 0);
    assert_int_equal(mind.mode, CAIRN_MODE_STOPPED);
    assert_true(stop_cell()->stop);
}

// A late copy of an old release must not set a stopped robot free.
static void only_a_release_with_a_greater_count_releases(void **unused)
{
    (void)unused;
    tell_stop(US, true, 0);
    tell_stop(US, false, 0);
    assert_true(stop_cell()->stop);
    tell_stop(US, false, 5);
    assert_false(stop_cell()->stop);
    assert_int_equal(stop_cell()->release_count, 5);
    tell_stop(US, true, 5);
    for (uint32_t count = 0; count <= 5; count++) {
        tell_stop(US, false, count);
        assert_true(stop_cell()->stop);
        assert_int_equal(mind.mode, CAIRN_MODE_STOPPED);
    }
    tell_stop(US, false, 6);
    assert_false(stop_cell()->stop);
}

// A release must not start a motion: the robot waits to be told what to do.
static void a_released_robot_is_idle(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    tell_stop(US, true, 0);
    tell_stop(US, false, 1);
    assert_int_equal(mind.mode, CAIRN_MODE_IDLE);
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(mind.mode, CAIRN_MODE_AUTONOMOUS);
}

// Stopped is a latch, not a mode that one can be ordered into and out of.
static void no_mode_order_stops(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_WAYPOINT);
    tell_mode(US, CAIRN_MODE_STOPPED);
    assert_int_equal(mind.mode, CAIRN_MODE_WAYPOINT);
}

static void a_stick_that_arrives_late_is_dropped(void **unused)
{
    (void)unused;
    tell_stick(US, 10, 40);
    assert_true(fabs(stick_cell()->forward - 0.4) < 1e-12);
    assert_true(fabs(stick_cell()->turn + 0.5) < 1e-12);
    assert_true(stick_cell()->dead_man);
    assert_int_equal(stick_cell()->received.ns, now.ns);
    tell_stick(US, 9, 90);
    tell_stick(US, 10, 80);
    assert_true(fabs(stick_cell()->forward - 0.4) < 1e-12);
    tell_stick(US, 11, -20);
    assert_true(fabs(stick_cell()->forward + 0.2) < 1e-12);
}

static void stick_counts_may_wrap_around(void **unused)
{
    (void)unused;
    tell_stick(US, UINT32_MAX - 1, 10);
    tell_stick(US, 1, 20);
    assert_true(fabs(stick_cell()->forward - 0.2) < 1e-12);
    tell_stick(US, UINT32_MAX, 30); // from before
    assert_true(fabs(stick_cell()->forward - 0.2) < 1e-12);
}

static void messages_for_others_change_nothing(void **unused)
{
    (void)unused;
    tell_mode(US + 1, CAIRN_MODE_AUTONOMOUS);
    tell_stop(US + 1, true, 0);
    tell_stick(US + 1, 1, 100);
    tell_task(US + 1, 3);
    message = (cairn_radio_message){.id = CAIRN_MSG_TEAMMATES};
    message.teammates = (cairn_msg_teammates){.robot = US + 1,
                                              .other_count = 1,
                                              .other = {2},
                                              .x_mm_count = 1,
                                              .y_mm_count = 1,
                                              .yaw_mrad_count = 1,
                                              .speed_mmps_count = 1,
                                              .age_ms_count = 1};
    tell(&message);
    assert_int_equal(mind.mode, CAIRN_MODE_IDLE);
    assert_false(mind.stop.stop);
    assert_null(stick_cell());
    assert_int_equal(mind.navigator.task.id, 0);
    assert_int_equal(mind.navigator.teammates.count, 0);
}

static void a_task_arrives_whole_and_is_dropped_by_task_0(void **unused)
{
    (void)unused;
    tell_task(US, 3);
    const cairn_robot_task *task = &mind.navigator.task;
    assert_int_equal(task->id, 3);
    assert_int_equal(task->purpose, CAIRN_PURPOSE_EXPLORE);
    assert_int_equal(task->via_count, 2);
    assert_true(cairn_vec2_distance(task->via_m[1], (cairn_vec2){-2.5, 0.2}) < 1e-9);
    assert_false(task->face_at_end);
    assert_int_equal(mind.navigator.task_state, CAIRN_TASK_UNDER_WAY);
    tell_task(US, 0);
    assert_int_equal(mind.navigator.task_state, CAIRN_TASK_NONE);
}

static void teammates_are_where_they_were_when_they_were_heard(void **unused)
{
    (void)unused;
    now.ns = CAIRN_S(10);
    message = (cairn_radio_message){.id = CAIRN_MSG_TEAMMATES};
    message.teammates = (cairn_msg_teammates){.robot = US,
                                              .other_count = 1,
                                              .other = {2},
                                              .x_mm_count = 1,
                                              .x_mm = {-1200},
                                              .y_mm_count = 1,
                                              .y_mm = {300},
                                              .yaw_mrad_count = 1,
                                              .yaw_mrad = {-1500},
                                              .speed_mmps_count = 1,
                                              .speed_mmps = {250},
                                              .age_ms_count = 1,
                                              .age_ms = {700}};
    tell(&message);
    const cairn_teammate *mate = &mind.navigator.teammates.mates[0];
    assert_int_equal(mind.navigator.teammates.count, 1);
    assert_int_equal(mate->at.ns, now.ns - CAIRN_MS(700));
    assert_true(fabs(mate->private_T_base.x_m + 1.2) < 1e-9 && fabs(mate->private_T_base.y_m - 0.3) < 1e-9);
    assert_true(fabs(mate->private_T_base.yaw_rad + 1.5) < 1e-9 && fabs(mate->forward_mps - 0.25) < 1e-9);
}

// Whatever comes over the air: what cannot be understood is counted, and the robot stays as it was.
static void garbage_is_counted_and_changes_nothing(void **unused)
{
    (void)unused;
    printf("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "tests/post");
    tell_mode(US, CAIRN_MODE_WAYPOINT);
    tell_task(US, 3);
    static cairn_navigator before;
    before = mind.navigator;
    uint32_t put_count = 0;
    for (int round = 0; round < 5000; round++) {
        uint8_t bytes[300];
        const size_t size = 1 + cairn_random_below(&random, sizeof bytes - 1);
        for (size_t i = 0; i < size; i++) { bytes[i] = (uint8_t)cairn_random_below(&random, 256); }
        bytes[0] = (uint8_t)cairn_random_below(&random, 0x30); // near the ids that exist
        if (round % 2 == 0 && size >= 4) {                     // and half of them of a length that fits
            bytes[2] = (uint8_t)((size - 4) & 0xff);
            bytes[3] = (uint8_t)((size - 4) >> 8);
        }
        if (cairn_radio_decode(bytes, size, &message) == CAIRN_OK) { continue; } // by chance a message
        assert_ok(cairn_inbox_put(inbox, bytes, size));
        read_post();
        put_count++;
    }
    assert_true(put_count > 4000);
    assert_int_equal(mind.messages_dropped_count, put_count);
    assert_int_equal(mind.mode, CAIRN_MODE_WAYPOINT);
    assert_false(mind.stop.stop);
    assert_null(stick_cell());
    assert_memory_equal(&mind.navigator, &before, sizeof before);
}

// A message that a robot does not listen to is dropped too, and is seen to be.
static void messages_that_robots_send_are_counted_when_received(void **unused)
{
    (void)unused;
    cairn_radio_clear(CAIRN_MSG_TELEMETRY, &message);
    message.telemetry.robot = US;
    tell(&message);
    assert_int_equal(mind.messages_dropped_count, 1);
}

static void each_change_of_mode_is_told_once(void **unused)
{
    (void)unused;
    tell_mode(US, CAIRN_MODE_IDLE); // it is already
    assert_null(next_event());
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    assert_string_equal(next_event(), "mode autonomous");
    assert_int_equal(message.event.robot, US);
    assert_int_equal(message.event.mono_ns, now.ns);
    tell_mode(US, CAIRN_MODE_AUTONOMOUS);
    assert_null(next_event());
    tell_stop(US, true, 0);
    assert_string_equal(next_event(), "mode stopped");
    tell_stop(US, false, 1);
    assert_string_equal(next_event(), "mode idle");
    assert_null(next_event());
}

// The score tells time and way in each mode: nothing may be lost between modes.
static void times_and_ways_in_all_modes_add_up(void **unused)
{
    (void)unused;
    cairn_random random;
    cairn_random_init(&random, SEED, "tests/tally");
    cairn_reflex_state state = {.step_count = 1};
    int64_t spent_ns[CAIRN_MODE_COUNT] = {0};
    double travelled_m[CAIRN_MODE_COUNT] = {0};
    uint32_t change_count = 0;
    cairn_mono changed = now;
    for (int i = 0; i < 300; i++) {
        const cairn_mode before = mind.mode;
        const cairn_mono then = now;
        const double way_m = cairn_random_uniform(&random);
        now.ns += CAIRN_MS(1) * cairn_random_below(&random, 400);
        state.at = now;
        state.distance_m += way_m;
        cairn_cell_write(reflex.state_deliberate, &state, sizeof state);
        tell_mode(US, (uint8_t)(1 + cairn_random_below(&random, CAIRN_MODE_COUNT - 1)));
        spent_ns[before] += now.ns - then.ns;
        travelled_m[before] += way_m;
        if (mind.mode == before) { continue; }
        change_count++;
        changed = now;
    }
    int64_t sum_ns = 0;
    for (int mode = 0; mode < CAIRN_MODE_COUNT; mode++) {
        assert_int_equal(mind.tally.spent_ns[mode], spent_ns[mode]);
        assert_true(fabs(mind.tally.travelled_m[mode] - travelled_m[mode]) < 1e-9);
        sum_ns += mind.tally.spent_ns[mode];
    }
    assert_int_equal(sum_ns, now.ns);
    assert_int_equal(mind.tally.mode, mind.mode);
    assert_int_equal(mind.tally.change_count, change_count);
    assert_int_equal(mind.tally.since.ns, changed.ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stop_stays_whatever_modes_are_ordered, start, finish),
        cmocka_unit_test_setup_teardown(a_stop_for_all_stops_us_too, start, finish),
        cmocka_unit_test_setup_teardown(only_a_release_with_a_greater_count_releases, start, finish),
        cmocka_unit_test_setup_teardown(a_released_robot_is_idle, start, finish),
        cmocka_unit_test_setup_teardown(no_mode_order_stops, start, finish),
        cmocka_unit_test_setup_teardown(a_stick_that_arrives_late_is_dropped, start, finish),
        cmocka_unit_test_setup_teardown(stick_counts_may_wrap_around, start, finish),
        cmocka_unit_test_setup_teardown(messages_for_others_change_nothing, start, finish),
        cmocka_unit_test_setup_teardown(a_task_arrives_whole_and_is_dropped_by_task_0, start, finish),
        cmocka_unit_test_setup_teardown(teammates_are_where_they_were_when_they_were_heard, start, finish),
        cmocka_unit_test_setup_teardown(garbage_is_counted_and_changes_nothing, start, finish),
        cmocka_unit_test_setup_teardown(messages_that_robots_send_are_counted_when_received, start, finish),
        cmocka_unit_test_setup_teardown(each_change_of_mode_is_told_once, start, finish),
        cmocka_unit_test_setup_teardown(times_and_ways_in_all_modes_add_up, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
