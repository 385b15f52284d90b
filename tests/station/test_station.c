// The station from the outside: datagrams in, datagrams out.
#include "air.h"
#include "robot/guard_names.h"
#include <stdlib.h>

static air *world;

static int start(void **unused)
{
    (void)unused;
    world = air_create(7);
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    air_destroy(world);
    return 0;
}

// Nobody has to say who is there: a robot that is switched on appears, and is put to work.
static void a_robot_appears_when_it_is_heard_and_is_ordered_into_its_mode(void **unused)
{
    (void)unused;
    air_run_ms(world, 200);
    assert_false(air_robot_seen(world, 1)->heard);
    world->robots[1].on = true;
    air_run_ms(world, 1500);
    const cairn_fleet_robot *robot = air_robot_seen(world, 1);
    assert_true(robot->heard);
    assert_false(robot->lost);
    assert_int_equal(robot->link.state, CAIRN_LINK_CONNECTED);
    assert_true(cairn_fleet_link_quality(robot, air_now(world)) > 0.9);
    assert_int_equal(air_event_count(world, "emu2 has joined"), 1);
    const cairn_radio_message *told = air_told(world, 1, CAIRN_MSG_MODE_ORDER, NULL);
    assert_non_null(told);
    assert_int_equal(told->mode_order.robot, 11);
    assert_int_equal(told->mode_order.mode, CAIRN_MODE_AUTONOMOUS);
    air_run_ms(world, 4000);
    assert_int_equal(air_told_count(world, 1, CAIRN_MSG_MODE_ORDER), 1); // once it has taken it
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_MODE_ORDER), 0);
    assert_false(air_robot_seen(world, 0)->heard);
}

// A station of a deployment orders idle to whom it hears for the first time. Started afresh, it must not set going what
// somebody left standing, and brings to rest what drives by the orders of a station that nobody asks any more.
static void a_fresh_station_leaves_idle_robots_idle_and_brings_others_to_rest(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) { world->def.robots[i].mode = CAIRN_MODE_IDLE; }
    world->robots[0].telemetry.mode = CAIRN_MODE_IDLE;
    world->robots[0].telemetry.order = 7;
    world->robots[1].telemetry.mode = CAIRN_MODE_AUTONOMOUS;
    world->robots[1].telemetry.order = 9;
    air_restart_station(world);
    for (uint32_t i = 0; i < 2; i++) { world->robots[i].on = world->robots[i].obeys = true; }
    air_run_ms(world, 6000);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(world->robots[i].telemetry.mode, CAIRN_MODE_IDLE);
        assert_int_equal(air_robot_seen(world, i)->order.mode, CAIRN_MODE_IDLE);
        assert_int_equal(air_told_count(world, i, CAIRN_MSG_TASK), 0);
    }
    air_do(world, &(cairn_operator_action){.verb = CAIRN_DO_MODE, .robot = 10, .mode = CAIRN_MODE_AUTONOMOUS});
    air_run_ms(world, 2000);
    assert_int_equal(world->robots[0].telemetry.mode, CAIRN_MODE_AUTONOMOUS);
    assert_int_equal(world->robots[1].telemetry.mode, CAIRN_MODE_IDLE);
}

static void a_silent_robot_is_lost_and_found_again(void **unused)
{
    (void)unused;
    world->robots[0].on = true;
    air_run_ms(world, 1500);
    world->robots[0].mute = true;
    air_run_ms(world, 2000);
    assert_false(air_robot_seen(world, 0)->lost);
    const double before = cairn_fleet_link_quality(air_robot_seen(world, 0), air_now(world));
    air_run_ms(world, 8000);
    assert_true(air_robot_seen(world, 0)->lost);
    assert_true(before < 0.9 && before > 0.0);
    assert_true(cairn_fleet_link_quality(air_robot_seen(world, 0), air_now(world)) == 0.0);
    assert_int_equal(air_event_count(world, "emu1 is silent"), 1);
    world->robots[0].mute = false;
    air_run_ms(world, 2000);
    assert_false(air_robot_seen(world, 0)->lost);
    assert_int_equal(air_event_count(world, "emu1 is heard again after 10 s") +
                         air_event_count(world, "emu1 is heard again after 11 s"),
                     1);
}

// The operator looks at this figure before trusting a stop to pass: it must not be about one way only.
static void the_quality_of_a_link_falls_when_the_robot_hears_nothing(void **unused)
{
    (void)unused;
    world->robots[0].on = true;
    air_run_ms(world, 5000);
    assert_true(cairn_fleet_link_quality(air_robot_seen(world, 0), air_now(world)) > 0.9);
    world->robots[0].deaf = true;
    air_run_ms(world, 5000);
    assert_false(air_robot_seen(world, 0)->lost);
    assert_true(cairn_fleet_link_quality(air_robot_seen(world, 0), air_now(world)) == 0.0);
    world->robots[0].deaf = false;
    air_run_ms(world, 2000);
    assert_true(cairn_fleet_link_quality(air_robot_seen(world, 0), air_now(world)) > 0.9);
}

// Robot 11 faces north at (10, 7); a person 2 m ahead of it and 1 m to its left is at (9, 9).
static void victims_reach_the_list_in_the_frame_of_the_map(void **unused)
{
    (void)unused;
    cairn_radio_message message;
    cairn_radio_clear(CAIRN_MSG_VICTIM_SEEN, &message);
    message.victim_seen = (cairn_msg_victim_seen){.robot = 11,
                                                  .sighting = 1,
                                                  .x_mm = 2000,
                                                  .y_mm = 1000,
                                                  .deviation_mm = 100,
                                                  .temperature_dc = 340,
                                                  .frame_count = 3,
                                                  .confidence_pct = 70};
    world->robots[1].on = true;
    air_say(world, 1, &message);
    air_say(world, 1, &message);
    air_run_ms(world, 1000);
    const cairn_victims *victims = air_look(world).victims;
    assert_int_equal(victims->victim_count, 1);
    assert_true(cairn_vec2_distance(victims->victims[0].at_m, (cairn_vec2){9, 9}) < 2e-3);
    assert_int_equal(air_event_count(world, "victim 1 found by emu2 at (9.0, 9.0)"), 1);
}

// A robot has proved who it is, not who others are.
static void a_robot_may_speak_only_for_itself(void **unused)
{
    (void)unused;
    world->robots[0].on = true;
    air_run_ms(world, 1000);
    assert_int_equal(air_look(world).refused_count, 0);
    cairn_radio_message message;
    cairn_radio_clear(CAIRN_MSG_VICTIM_SEEN, &message);
    message.victim_seen.robot = 12;
    message.victim_seen.sighting = message.victim_seen.frame_count = 1;
    air_say(world, 0, &message);
    cairn_radio_clear(CAIRN_MSG_STOP, &message); // no robot says this
    message.stop.robot = 10;
    air_say(world, 0, &message);
    air_run_ms(world, 1000);
    assert_int_equal(air_look(world).refused_count, 2);
    assert_int_equal(air_look(world).victims->victim_count, 0);
    assert_false(air_robot_seen(world, 2)->heard);
}

// Anybody can send anything.
static void datagrams_of_strangers_and_garbage_are_dropped_and_counted(void **unused)
{
    (void)unused;
    cairn_inbox *box = cairn_station_from_air(world->station);
    const uint8_t stranger[40] = {0x10, 99};
    const uint8_t known[40] = {0x10, 10, 1, 0, 1, 0, 0, 0};
    const cairn_air_address none = {0};
    assert_ok(cairn_air_box_put(box, &none, stranger, sizeof stranger));
    assert_ok(cairn_air_box_put(box, &none, stranger, 1));
    assert_ok(cairn_air_box_put(box, &none, known, sizeof known));
    air_run_ms(world, 600);
    assert_int_equal(air_look(world).refused_count, 2);
    assert_false(air_robot_seen(world, 0)->heard);
    uint64_t dropped = 0;
    for (int i = CAIRN_LINK_MALFORMED; i < CAIRN_LINK_VERDICT_COUNT; i++) {
        dropped += air_robot_seen(world, 0)->link.verdict_count[i];
    }
    assert_int_equal(dropped, 1);
}

// Robot 11 started at (10, 7) facing north. Robot 10 is at (9, 6), facing north: from 11's start it is 1 m behind
// and 1 m to the left, and heads the same way.
static void robots_are_told_of_those_near_them_in_their_own_frame(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 3; i++) { world->robots[i].on = true; }
    world->robots[0].telemetry.x_mm = 3000;
    world->robots[0].telemetry.yaw_mrad = 1571;
    world->robots[0].telemetry.speed_mmps = 300;
    air_run_ms(world, 10500);
    uint32_t count = 0;
    const cairn_radio_message *told = air_told(world, 1, CAIRN_MSG_TEAMMATES, &count);
    assert_non_null(told);
    const cairn_msg_teammates *mates = &told->teammates;
    assert_int_equal(mates->robot, 11);
    assert_int_equal(mates->other_count, 1); // robot 12 is far away
    assert_int_equal(mates->other[0], 10);
    assert_true(abs(mates->x_mm[0] + 1000) <= 2);
    assert_true(abs(mates->y_mm[0] - 1000) <= 2);
    assert_true(abs(mates->yaw_mrad[0]) <= 2);
    assert_int_equal(mates->speed_mmps[0], 300);
    assert_true(mates->age_ms[0] <= 600);
    assert_true(count >= 15 && count <= 21); // twice a second, for the radio is thin
    assert_int_equal(air_told_count(world, 2, CAIRN_MSG_TEAMMATES), 0);
}

// On a thin radio a second passes between where it was and when that is heard.
static void the_age_of_a_place_counts_its_way_over_the_radio(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 3; i++) { world->robots[i].on = true; }
    world->robots[0].telemetry.x_mm = 3000;
    world->robots[0].late_ns = CAIRN_MS(900);
    air_run_ms(world, 10500);
    const cairn_radio_message *told = air_told(world, 1, CAIRN_MSG_TEAMMATES, NULL);
    assert_non_null(told);
    assert_int_equal(told->teammates.other[0], 10);
    assert_in_range(told->teammates.age_ms[0], 900, 1500);
}

// However many are near and whenever they speak: the radio is thin.
static void no_robot_is_told_of_others_more_than_twice_a_second(void **unused)
{
    (void)unused;
    world->robots[2].telemetry.x_mm = world->robots[2].telemetry.y_mm = -15000; // (9, 9)
    for (uint32_t i = 0; i < 3; i++) {
        world->robots[i].on = true;
        air_run_ms(world, 1160);
    }
    const uint32_t before = air_told_count(world, 0, CAIRN_MSG_TEAMMATES);
    air_run_ms(world, 10000);
    uint32_t count = 0;
    assert_int_equal(air_told(world, 0, CAIRN_MSG_TEAMMATES, &count)->teammates.other_count, 2);
    assert_true(count - before >= 10 && count - before <= 21);
}

// A robot not heard yet stands where it was put, and is to be kept clear of.
static void robots_not_heard_yet_are_told_of_at_their_start(void **unused)
{
    (void)unused;
    world->def.robots[2].map_T_start = (cairn_pose2){7, 8, 0};
    air_restart_station(world);
    world->robots[0].on = world->robots[1].on = true;
    air_run_ms(world, 3000);
    const cairn_radio_message *told = air_told(world, 0, CAIRN_MSG_TEAMMATES, NULL);
    assert_non_null(told);
    assert_int_equal(told->teammates.other_count, 2);
    assert_int_equal(told->teammates.other[1], 12);
    assert_true(abs(told->teammates.x_mm[1] - 1000) <= 2);
    assert_true(abs(told->teammates.y_mm[1] - 2000) <= 2);
}

// One walk through the rooms of the station: a node, its terrain map, and what comes of them: a task.
static void a_terrain_map_becomes_a_task(void **unused)
{
    (void)unused;
    static cairn_radio_message node, terrain;
    air_make_terrain(&world->robots[0], 1, &node, &terrain);
    world->robots[0].on = true;
    air_say(world, 0, &terrain); // in the wrong order
    air_run_ms(world, 1000);
    assert_int_equal(air_look(world).atlas->terrain_count, 0);
    air_say(world, 0, &node);
    air_run_ms(world, 2000);
    assert_int_equal(air_look(world).atlas->terrain_count, 1);
    assert_int_equal(cairn_raster_at(air_look(world).raster, (cairn_vec2){6, 6}), CAIRN_GROUND_FREE);
    const cairn_radio_message *told = air_told(world, 0, CAIRN_MSG_TASK, NULL);
    assert_non_null(told);
    assert_int_equal(told->task.robot, 10);
    const cairn_assignment *a = &air_robot_seen(world, 0)->assignment;
    assert_int_equal(a->task, told->task.task);
    assert_int_equal(a->via_count, told->task.via_x_mm_count);
    assert_true(fabs(a->via_m[0].x - 6 - told->task.via_x_mm[0] * 1e-3) < 2e-3);
    assert_int_equal(air_told_count(world, 1, CAIRN_MSG_TASK), 0);
}

// A trail goes on from its last node: one at the end of all numbers would be the last for ever.
static void a_node_with_an_impossible_number_is_not_taken(void **unused)
{
    (void)unused;
    static cairn_radio_message node, terrain;
    world->robots[0].on = true;
    air_run_ms(world, 1000);
    for (uint32_t i = 0; i < 2; i++) {
        air_make_terrain(&world->robots[0], UINT32_MAX - i, &node, &terrain);
        air_say(world, 0, &node);
        air_say(world, 0, &terrain);
    }
    air_run_ms(world, 1000);
    assert_int_equal(air_look(world).atlas->node_count + air_look(world).atlas->terrain_count, 0);
    assert_int_equal(air_event_count(world, "emu1 names a node with an impossible number"), 1);
    air_make_terrain(&world->robots[0], 1, &node, &terrain);
    air_say(world, 0, &node);
    air_say(world, 0, &terrain);
    air_run_ms(world, 1000);
    assert_int_equal(air_look(world).atlas->terrain_count, 1);
}

// A dead robot must not keep the others from where it was going: the only way out of a room.
static void a_lost_robots_goal_is_given_to_another(void **unused)
{
    (void)unused;
    cairn_atlas *atlas = (cairn_atlas *)air_look(world).atlas;
    place_room(atlas, (cairn_vec2){2, 2}, (cairn_vec2){16, 16}, true);
    place_paint(atlas, (cairn_vec2){1.8, 5}, (cairn_vec2){2, 7}, CAIRN_GROUND_UNKNOWN, true);
    world->robots[0].on = world->robots[1].on = true;
    air_run_ms(world, 3000);
    const cairn_vec2 goal_m = air_robot_seen(world, 0)->assignment.target_m;
    assert_int_not_equal(air_robot_seen(world, 0)->assignment.task, 0);
    assert_true(goal_m.x < 2.2);
    assert_int_equal(air_robot_seen(world, 1)->assignment.task, 0);
    world->robots[0].mute = true;
    air_run_ms(world, 6000);
    assert_true(air_robot_seen(world, 0)->lost);
    assert_int_equal(air_robot_seen(world, 0)->assignment.task, 0);
    assert_int_equal(air_event_count(world, "of emu1 is open to others"), 1);
    const cairn_assignment *taken = &air_robot_seen(world, 1)->assignment;
    assert_int_not_equal(taken->task, 0);
    assert_true(cairn_vec2_distance(taken->target_m, goal_m) < 0.5);
}

// What a robot looks at while it tells where it is counts as searched.
static void ground_before_the_camera_counts_as_searched(void **unused)
{
    (void)unused;
    cairn_raster *raster = air_look(world).atlas->raster;
    memset(raster->ground, CAIRN_GROUND_FREE, (size_t)raster->def.width * raster->def.height);
    world->robots[0].on = true;
    air_run_ms(world, 1000);
    assert_int_equal(air_look(world).atlas->searched[60 * raster->def.width + 80], CAIRN_SEARCHED_THERMAL); // (8, 6)
    assert_int_equal(air_look(world).atlas->searched[60 * raster->def.width + 50], 0);                      // behind it
}

// A robot that is blind drives over the ground all the same: it must not keep the others from looking there.
static void what_a_silent_camera_passes_is_not_searched(void **unused)
{
    (void)unused;
    cairn_raster *raster = air_look(world).atlas->raster;
    memset(raster->ground, CAIRN_GROUND_FREE, (size_t)raster->def.width * raster->def.height);
    world->robots[0].on = true;
    world->robots[0].telemetry.guards = 1u << CAIRN_LACK_THERMAL;
    air_run_ms(world, 3000);
    assert_int_equal(air_look(world).atlas->searched[60 * raster->def.width + 80], 0);
    world->robots[0].telemetry.guards = 0;
    air_run_ms(world, 2000);
    assert_int_equal(air_look(world).atlas->searched[60 * raster->def.width + 80], CAIRN_SEARCHED_THERMAL);
}

static void what_a_robot_passes_that_does_not_know_its_place_is_not_searched(void **unused)
{
    (void)unused;
    cairn_raster *raster = air_look(world).atlas->raster;
    memset(raster->ground, CAIRN_GROUND_FREE, (size_t)raster->def.width * raster->def.height);
    world->robots[0].on = true;
    world->robots[0].telemetry.guards = 1u << CAIRN_LACK_PLACE;
    air_run_ms(world, 3000);
    assert_int_equal(air_look(world).atlas->searched[60 * raster->def.width + 80], 0);
}

// Two nodes of robot 10, a second apart: 12 m ahead of its start at (6, 6), where it no longer is when they come.
static void say_nodes(uint32_t first, int64_t taken_ns, double y_m)
{
    static cairn_radio_message node, terrain;
    for (uint32_t i = 0; i < 2; i++) {
        air_make_terrain(&world->robots[0], first + i, &node, &terrain);
        node.node.x_mm = 12000;
        node.node.y_mm = (int32_t)(y_m * 1e3);
        terrain.terrain_grid.x_mm += node.node.x_mm;
        terrain.terrain_grid.y_mm += node.node.y_mm;
        node.node.mono_ns = taken_ns + i * CAIRN_S(1);
        air_say(world, 0, &node);
        air_say(world, 0, &terrain);
    }
}

static uint8_t searched_at(double x_m, double y_m)
{
    const cairn_atlas *atlas = air_look(world).atlas;
    return atlas->searched[(size_t)(y_m * 10) * atlas->raster->def.width + (size_t)(x_m * 10)];
}

// A place without radio is searched once, and not again and again: the trail tells of it afterwards. What comes in time
// telemetry has told, and better.
static void what_was_looked_at_unheard_counts_when_its_nodes_come(void **unused)
{
    (void)unused;
    world->robots[0].on = true;
    world->robots[0].late_ns = -CAIRN_S(99); // its clock began earlier
    air_run_ms(world, 1000);
    say_nodes(1, CAIRN_S(97), 5.0); // just now
    air_run_ms(world, 3000);
    assert_int_equal(cairn_raster_at(air_look(world).raster, (cairn_vec2){19.5, 11.05}), CAIRN_GROUND_FREE);
    assert_int_equal(searched_at(19.5, 11.05), 0);
    say_nodes(10, CAIRN_S(50), -4.0); // long ago
    air_run_ms(world, 3000);
    assert_int_equal(searched_at(19.5, 2.05), CAIRN_SEARCHED_THERMAL);
    assert_int_equal(searched_at(16.5, 2.05), 0); // behind it
}

static void what_a_robot_says_becomes_an_event_that_can_be_shown(void **unused)
{
    (void)unused;
    cairn_radio_message message;
    cairn_radio_clear(CAIRN_MSG_EVENT, &message);
    message.event.robot = 12;
    message.event.level = CAIRN_LOG_WARN;
    message.event.text_count = 9;
    memcpy(message.event.text, "he\nl\xff\xc3\xb6o\xe2", 9);
    world->robots[2].on = true;
    air_say(world, 2, &message);
    air_run_ms(world, 1000);
    assert_int_equal(air_event_count(world, "emu3: he?l?\xc3\xb6o?"), 1);
    const cairn_events *events = air_look(world).events;
    for (uint64_t number = 1; number <= events->count; number++) {
        const cairn_event *event = cairn_events_get(events, number);
        assert_int_equal(event->number, number);
        if (strstr(event->text, "he?l") == NULL) { continue; }
        assert_int_equal(event->robot, 12);
        assert_int_equal(event->level, CAIRN_LOG_WARN);
    }
}

static void of_too_many_events_the_oldest_go(void **unused)
{
    (void)unused;
    static cairn_events events;
    events = (cairn_events){0};
    for (int i = 1; i <= CAIRN_EVENTS_MAX + 10; i++) {
        cairn_events_add(&events, (cairn_mono){i}, CAIRN_LOG_INFO, 0, "event %d", i);
    }
    assert_null(cairn_events_get(&events, 0));
    assert_null(cairn_events_get(&events, 10));
    assert_string_equal(cairn_events_get(&events, 11)->text, "event 11");
    assert_string_equal(cairn_events_get(&events, CAIRN_EVENTS_MAX + 10)->text, "event 522");
    assert_null(cairn_events_get(&events, CAIRN_EVENTS_MAX + 11));
}

static void a_station_without_room_says_so_and_leaks_nothing(void **unused)
{
    (void)unused;
    const size_t enough_bytes = world->memory.used_bytes;
    for (size_t part = 0; part < 16; part++) {
        cairn_arena small;
        cairn_station *none = NULL;
        assert_ok(cairn_arena_create(&small, 64 + enough_bytes * part / 16));
        assert_int_equal(cairn_station_create(&world->def, &small, &none), CAIRN_ERR_FULL);
        assert_null(none);
        cairn_arena_destroy(&small);
    }
}

static uint64_t hash_of_a_mission(uint64_t seed, uint32_t *ret_tapped)
{
    static cairn_radio_message node, terrain;
    air *one = air_create(seed);
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) { one->robots[i].on = true; }
    air_run_ms(one, 1000);
    for (uint32_t i = 0; i < AIR_ROBOTS; i++) {
        air_make_terrain(&one->robots[i], 1, &node, &terrain);
        air_say(one, i, &node);
        air_say(one, i, &terrain);
    }
    air_run_ms(one, 4000);
    air_do(one, &(cairn_operator_action){.verb = CAIRN_DO_STOP});
    air_run_ms(one, 1000);
    const uint64_t hash = one->hash;
    *ret_tapped = one->tapped_count;
    air_destroy(one);
    return hash;
}

// The same seed gives the same bytes on the air; another one other bytes.
static void the_same_inputs_give_the_same_datagrams(void **unused)
{
    (void)unused;
    uint32_t tapped[3] = {0};
    const uint64_t first = hash_of_a_mission(3, &tapped[0]), again = hash_of_a_mission(3, &tapped[1]);
    const uint64_t other = hash_of_a_mission(4, &tapped[2]);
    assert_true(first == again);
    assert_true(first != other);
    assert_int_equal(tapped[0], tapped[1]);
    assert_true(tapped[0] > 3 * (8 + 2 + 1)); // telemetry, node and map, order at least
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_robot_appears_when_it_is_heard_and_is_ordered_into_its_mode, start, finish),
        cmocka_unit_test_setup_teardown(a_fresh_station_leaves_idle_robots_idle_and_brings_others_to_rest, start,
                                        finish),
        cmocka_unit_test_setup_teardown(the_quality_of_a_link_falls_when_the_robot_hears_nothing, start, finish),
        cmocka_unit_test_setup_teardown(a_silent_robot_is_lost_and_found_again, start, finish),
        cmocka_unit_test_setup_teardown(victims_reach_the_list_in_the_frame_of_the_map, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_may_speak_only_for_itself, start, finish),
        cmocka_unit_test_setup_teardown(datagrams_of_strangers_and_garbage_are_dropped_and_counted, start, finish),
        cmocka_unit_test_setup_teardown(robots_are_told_of_those_near_them_in_their_own_frame, start, finish),
        cmocka_unit_test_setup_teardown(the_age_of_a_place_counts_its_way_over_the_radio, start, finish),
        cmocka_unit_test_setup_teardown(no_robot_is_told_of_others_more_than_twice_a_second, start, finish),
        cmocka_unit_test_setup_teardown(robots_not_heard_yet_are_told_of_at_their_start, start, finish),
        cmocka_unit_test_setup_teardown(a_terrain_map_becomes_a_task, start, finish),
        cmocka_unit_test_setup_teardown(a_node_with_an_impossible_number_is_not_taken, start, finish),
        cmocka_unit_test_setup_teardown(a_lost_robots_goal_is_given_to_another, start, finish),
        cmocka_unit_test_setup_teardown(ground_before_the_camera_counts_as_searched, start, finish),
        cmocka_unit_test_setup_teardown(what_a_silent_camera_passes_is_not_searched, start, finish),
        cmocka_unit_test_setup_teardown(what_a_robot_passes_that_does_not_know_its_place_is_not_searched, start,
                                        finish),
        cmocka_unit_test_setup_teardown(what_was_looked_at_unheard_counts_when_its_nodes_come, start, finish),
        cmocka_unit_test_setup_teardown(what_a_robot_says_becomes_an_event_that_can_be_shown, start, finish),
        cmocka_unit_test(of_too_many_events_the_oldest_go),
        cmocka_unit_test_setup_teardown(a_station_without_room_says_so_and_leaks_nothing, start, finish),
        cmocka_unit_test(the_same_inputs_give_the_same_datagrams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
