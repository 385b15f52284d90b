// The station from the outside: messages in, messages out.
#include "check.h"
#include "place.h"
#include "station/station.h"
#include <stdlib.h>

static cairn_arena memory;
static cairn_station *station;
static cairn_executor *executor;
static cairn_body_description description;
static cairn_radio_message message;
static char logged[4][256];
static uint32_t logged_count;

static const cairn_pose2 STARTS[] = {{2, 2, 0}, {4, 3, CAIRN_PI / 2}, {20, 20, 0}};

static void note(void *context, cairn_mono now, cairn_log_level level, const char *source, const char *text)
{
    (void)context, (void)now, (void)level, (void)source;
    snprintf(logged[logged_count++ % 4], sizeof logged[0], "%s", text);
}

static int start(void **unused)
{
    (void)unused;
    logged_count = 0;
    description =
        (cairn_body_description){.thermal = {.offered = true, .base_T_camera = {{0.2, 0, 0.3}, {1, 0, 0, 0}}}};
    cairn_station_def def = cairn_station_def_default();
    def.raster = place_raster(30, 30);
    def.robot_count = 3;
    def.log = (cairn_log){.sink = note, .source = "station", .level = CAIRN_LOG_INFO};
    for (uint32_t i = 0; i < 3; i++) {
        def.robots[i] = (cairn_station_robot_def){.id = (uint8_t)(10 + i),
                                                  .map_T_start = STARTS[i],
                                                  .description = &description,
                                                  .mode = CAIRN_MODE_AUTONOMOUS};
    }
    assert_ok(cairn_arena_create(&memory, 96 << 20));
    assert_ok(cairn_station_create(&def, &memory, &station));
    assert_ok(cairn_executor_create_lockstep(CAIRN_MS(20), NULL, &executor));
    cairn_station_register(station, executor, cairn_executor_add_lane(executor, "station", 0));
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_executor_destroy(executor);
    cairn_station_finish(station);
    cairn_arena_destroy(&memory);
    return 0;
}

static void run_ms(int64_t ms)
{
    cairn_executor_run(executor, (cairn_mono){cairn_executor_now(executor).ns + CAIRN_MS(ms)});
}

static void tell(const cairn_radio_message *one)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    assert_ok(cairn_radio_encode(one, bytes, sizeof bytes, &size_bytes));
    assert_ok(cairn_inbox_put(cairn_station_inbox(station), bytes, size_bytes));
}

static void tell_telemetry(uint8_t robot, int32_t x_mm, int32_t y_mm, int16_t yaw_mrad)
{
    cairn_radio_clear(CAIRN_MSG_TELEMETRY, &message);
    message.telemetry.robot = robot;
    message.telemetry.x_mm = x_mm;
    message.telemetry.y_mm = y_mm;
    message.telemetry.yaw_mrad = yaw_mrad;
    message.telemetry.speed_mmps = 300;
    message.telemetry.mode = CAIRN_MODE_IDLE;
    tell(&message);
}

// The next message to a robot of this kind; others on the way are dropped. False: there is none.
static bool told(uint32_t robot_at, uint8_t id)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    while (cairn_inbox_take(cairn_station_outbox(station, robot_at), bytes, sizeof bytes, &size_bytes) == CAIRN_OK) {
        assert_ok(cairn_radio_decode(bytes, size_bytes, &message));
        if (message.id == id) { return true; }
    }
    return false;
}

static cairn_station_view look(void)
{
    cairn_station_view view;
    cairn_station_look(station, &view);
    return view;
}

// A robot begins when the station knows of it, and is told once: an operator may change its mode afterwards.
static void a_robot_is_ordered_into_its_mode_when_first_heard(void **unused)
{
    (void)unused;
    run_ms(100);
    assert_false(told(1, CAIRN_MSG_MODE_ORDER));
    tell_telemetry(11, 0, 0, 0);
    run_ms(40);
    assert_true(told(1, CAIRN_MSG_MODE_ORDER));
    assert_int_equal(message.mode_order.robot, 11);
    assert_int_equal(message.mode_order.mode, CAIRN_MODE_AUTONOMOUS);
    assert_false(told(0, CAIRN_MSG_MODE_ORDER));
    tell_telemetry(11, 0, 0, 0);
    run_ms(40);
    assert_false(told(1, CAIRN_MSG_MODE_ORDER));
}

// Robot 11 faces north at (4, 3); a person 2 m ahead of it and 1 m to its left is at (3, 5).
static void victims_reach_the_list_in_the_frame_of_the_map(void **unused)
{
    (void)unused;
    cairn_radio_clear(CAIRN_MSG_VICTIM_SEEN, &message);
    message.victim_seen = (cairn_msg_victim_seen){.robot = 11,
                                                  .sighting = 1,
                                                  .x_mm = 2000,
                                                  .y_mm = 1000,
                                                  .deviation_mm = 100,
                                                  .temperature_dc = 340,
                                                  .frame_count = 3,
                                                  .confidence_pct = 70};
    tell(&message);
    tell(&message);
    run_ms(40);
    const cairn_victims *victims = look().victims;
    assert_int_equal(victims->victim_count, 1);
    assert_true(cairn_vec2_distance(victims->victims[0].at_m, (cairn_vec2){3, 5}) < 2e-3);
    assert_int_equal(logged_count, 1);
    assert_non_null(strstr(logged[0], "victim 1"));
}

// What comes over the air may come from anybody.
static void messages_from_strangers_and_garbage_are_refused_and_counted(void **unused)
{
    (void)unused;
    tell_telemetry(9, 100, 100, 0);
    cairn_radio_clear(CAIRN_MSG_VICTIM_SEEN, &message);
    message.victim_seen.robot = 200;
    message.victim_seen.sighting = message.victim_seen.frame_count = 1;
    tell(&message);
    cairn_radio_clear(CAIRN_MSG_STOP, &message); // no robot says this
    tell(&message);
    const uint8_t garbage[] = {0x20, 1, 200, 0, 1, 2, 3};
    assert_ok(cairn_inbox_put(cairn_station_inbox(station), garbage, sizeof garbage));
    run_ms(40);
    const cairn_station_view view = look();
    assert_int_equal(view.refused_count, 4);
    assert_int_equal(view.victims->victim_count, 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_false(view.fleet->robots[i].heard);
        assert_false(told(i, CAIRN_MSG_MODE_ORDER));
    }
}

// Robot 11 started at (4, 3) facing north. Robot 10 drives to (3, 2), facing north: from 11's start it is 1 m behind
// and 1 m to the left, and heads the same way.
static void robots_are_told_of_those_near_them_in_their_own_frame(void **unused)
{
    (void)unused;
    tell_telemetry(11, 0, 0, 0);
    run_ms(20);
    tell_telemetry(10, 1000, 0, 1571);
    run_ms(40);
    assert_true(told(1, CAIRN_MSG_TEAMMATES));
    const cairn_msg_teammates *mates = &message.teammates;
    assert_int_equal(mates->robot, 11);
    assert_int_equal(mates->other_count, 1); // robot 12 is far away
    assert_int_equal(mates->other[0], 10);
    assert_true(abs(mates->x_mm[0] + 1000) <= 2);
    assert_true(abs(mates->y_mm[0] - 1000) <= 2);
    assert_true(abs(mates->yaw_mrad[0]) <= 2);
    assert_int_equal(mates->speed_mmps[0], 300);
    assert_true(mates->age_ms[0] <= 40);
    assert_false(told(2, CAIRN_MSG_TEAMMATES));
}

// A robot not heard yet stands where it was put, and is to be kept clear of.
static void robots_not_heard_yet_are_told_of_at_their_start(void **unused)
{
    (void)unused;
    tell_telemetry(10, 0, 0, 0);
    tell_telemetry(10, 0, 0, 0);
    run_ms(20);
    tell_telemetry(11, 0, 0, 0);
    run_ms(40);
    assert_true(told(0, CAIRN_MSG_TEAMMATES));
    assert_int_equal(message.teammates.other[0], 11);
    assert_true(abs(message.teammates.x_mm[0] - 2000) <= 2);
    assert_true(abs(message.teammates.y_mm[0] - 1000) <= 2);
}

// One walk through the rooms of the station: a node, its terrain map, and what comes of them: a task.
static void a_terrain_map_becomes_a_task(void **unused)
{
    (void)unused;
    cairn_radio_clear(CAIRN_MSG_NODE, &message);
    message.node.robot = 10;
    message.node.node = 1;
    tell(&message);
    cairn_radio_clear(CAIRN_MSG_TERRAIN_MAP, &message);
    cairn_msg_terrain_map *map = &message.terrain_map;
    map->robot = 10;
    map->node = 1;
    map->cell_mm = 100;
    map->width = map->height = 32;
    map->x_mm = map->y_mm = -1600;
    map->known_count = map->obstacle_count = 32 * 32 / 8;
    memset(map->known, 0xff, map->known_count);
    tell(&message);
    tell_telemetry(10, 0, 0, 0);
    run_ms(40);
    assert_int_equal(look().atlas->terrain_count, 1);
    assert_int_equal(cairn_raster_at(look().raster, (cairn_vec2){2, 2}), CAIRN_GROUND_FREE);
    assert_false(told(0, CAIRN_MSG_TASK)); // it is idle still
    cairn_radio_clear(CAIRN_MSG_TELEMETRY, &message);
    message.telemetry.robot = 10;
    message.telemetry.mode = CAIRN_MODE_AUTONOMOUS;
    tell(&message);
    run_ms(1000);
    assert_true(told(0, CAIRN_MSG_TASK));
    assert_int_equal(message.task.robot, 10);
    assert_int_equal(message.task.task, 1);
    assert_false(told(1, CAIRN_MSG_TASK));
}

// What a robot looks at while it tells where it is counts as searched.
static void ground_before_the_camera_counts_as_searched(void **unused)
{
    (void)unused;
    cairn_raster *raster = look().atlas->raster;
    memset(raster->ground, CAIRN_GROUND_FREE, (size_t)raster->def.width * raster->def.height);
    tell_telemetry(10, 0, 0, 0);
    run_ms(40);
    assert_int_equal(look().atlas->searched[20 * raster->def.width + 40], CAIRN_SEARCHED_THERMAL); // (4, 2)
    assert_int_equal(look().atlas->searched[20 * raster->def.width + 10], 0);                      // behind it
}

static void events_are_logged_with_their_robot(void **unused)
{
    (void)unused;
    cairn_radio_clear(CAIRN_MSG_EVENT, &message);
    message.event.robot = 12;
    message.event.level = CAIRN_LOG_WARN;
    message.event.text_count = 5;
    memcpy(message.event.text, "hello", 5);
    tell(&message);
    run_ms(40);
    assert_int_equal(logged_count, 1);
    assert_string_equal(logged[0], "robot 12: hello");
}

static void a_station_without_room_says_so_and_leaks_nothing(void **unused)
{
    (void)unused;
    cairn_station_def def = cairn_station_def_default();
    def.raster = place_raster(30, 30);
    def.robot_count = 2;
    const size_t enough_bytes = memory.used_bytes;
    for (size_t part = 0; part < 8; part++) {
        cairn_arena small;
        cairn_station *none = NULL;
        assert_ok(cairn_arena_create(&small, 64 + enough_bytes * part / 8));
        assert_int_equal(cairn_station_create(&def, &small, &none), CAIRN_ERR_FULL);
        assert_null(none);
        cairn_arena_destroy(&small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_robot_is_ordered_into_its_mode_when_first_heard, start, finish),
        cmocka_unit_test_setup_teardown(victims_reach_the_list_in_the_frame_of_the_map, start, finish),
        cmocka_unit_test_setup_teardown(messages_from_strangers_and_garbage_are_refused_and_counted, start, finish),
        cmocka_unit_test_setup_teardown(robots_are_told_of_those_near_them_in_their_own_frame, start, finish),
        cmocka_unit_test_setup_teardown(robots_not_heard_yet_are_told_of_at_their_start, start, finish),
        cmocka_unit_test_setup_teardown(a_terrain_map_becomes_a_task, start, finish),
        cmocka_unit_test_setup_teardown(ground_before_the_camera_counts_as_searched, start, finish),
        cmocka_unit_test_setup_teardown(events_are_logged_with_their_robot, start, finish),
        cmocka_unit_test_setup_teardown(a_station_without_room_says_so_and_leaks_nothing, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
