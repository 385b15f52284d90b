// Where the team may be: told to each robot in its own frame, until it says that it keeps to it.
#include "air.h"
#include <stdlib.h>

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

static cairn_team_areas two_areas(void)
{
    return (cairn_team_areas){.fences = {.count = 2,
                                         .fences = {{CAIRN_FENCE_KEEP_IN, 4, {{0, 0}, {30, 0}, {30, 20}, {0, 20}}},
                                                    {CAIRN_FENCE_KEEP_OUT, 3, {{15, 5}, {18, 5}, {15, 8}}}}},
                              .names = {"the floor", "the shaft"}};
}

static void set(const cairn_team_areas *areas) { assert_ok(cairn_station_set_areas(world->station, areas)); }

// Robot 11 faces north at (10, 7): (15, 5) is 2 m behind it and 5 m to its right.
static void each_area_is_told_in_the_robots_own_frame(void **unused)
{
    (void)unused;
    const cairn_team_areas areas = two_areas();
    set(&areas);
    world->robots[1].on = true;
    air_run_ms(world, 3000);
    assert_int_equal(air_told_count(world, 1, CAIRN_MSG_AREA), 2);
    const cairn_radio_message *told = air_told(world, 1, CAIRN_MSG_AREA, NULL);
    assert_int_equal(told->area.robot, 11);
    assert_int_equal(told->area.count, 2);
    assert_int_equal(told->area.index, 1);
    assert_int_equal(told->area.kind, CAIRN_FENCE_KEEP_OUT);
    assert_int_equal(told->area.x_mm_count, 3);
    assert_in_range(told->area.x_mm[0] + 2000, 0, 2);
    assert_in_range(told->area.y_mm[0] + 5000, 0, 2);
    assert_int_equal(air_event_count(world, "areas: keep in the floor, keep out of the shaft"), 1);
    air_run_ms(world, 8000);
    assert_int_equal(air_told_count(world, 1, CAIRN_MSG_AREA), 2); // it agrees
}

// Words are lost with a boot, on either side: what counts is what the robot says that it keeps to.
static void it_is_told_again_until_its_telemetry_agrees(void **unused)
{
    (void)unused;
    const cairn_team_areas areas = two_areas();
    world->robots[0].on = true;
    world->robots[0].obeys = false;
    set(&areas);
    air_run_ms(world, 9000);
    assert_in_range(air_told_count(world, 0, CAIRN_MSG_AREA), 6, 10);
    world->robots[0].obeys = true;
    air_run_ms(world, 4000);
    const uint32_t count = air_told_count(world, 0, CAIRN_MSG_AREA);
    assert_int_not_equal(world->robots[0].telemetry.areas, 0);
    assert_true(cairn_areas_agree(air_robot_seen(world, 0)));
    air_run_ms(world, 5000);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_AREA), count);
    world->robots[0].telemetry.areas = 0; // it has forgotten them
    air_run_ms(world, 4000);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_AREA), count + 2);
}

// A later revision goes before an earlier one, whoever gave that: numbers go on from what the robot names.
static void a_change_is_another_revision_and_none_is_told_too(void **unused)
{
    (void)unused;
    cairn_team_areas areas = two_areas();
    world->robots[0].on = true;
    world->robots[0].telemetry.areas = 40; // of a station before this one
    air_run_ms(world, 3000);
    const cairn_radio_message *told = air_told(world, 0, CAIRN_MSG_AREA, NULL);
    assert_non_null(told);
    assert_int_equal(told->area.revision, 41);
    assert_int_equal(told->area.count, 0);
    assert_int_equal(told->area.x_mm_count, 0);
    set(&areas);
    air_run_ms(world, 3000);
    assert_int_equal(air_told(world, 0, CAIRN_MSG_AREA, NULL)->area.revision, 42);
    set(&areas); // the same
    air_run_ms(world, 3000);
    assert_int_equal(world->robots[0].telemetry.areas, 42);
    areas.fences.count = 0;
    set(&areas);
    air_run_ms(world, 3000);
    assert_int_equal(world->robots[0].telemetry.areas, 43);
    assert_int_equal(air_told(world, 0, CAIRN_MSG_AREA, NULL)->area.count, 0);
    assert_int_equal(air_event_count(world, "areas: none"), 1);
}

// Where its frame lies is learnt on the way: a border must stay where people drew it.
static void it_is_told_again_when_its_frame_has_moved_in_the_map(void **unused)
{
    (void)unused;
    const cairn_team_areas areas = two_areas();
    world->robots[0].on = true;
    set(&areas);
    air_run_ms(world, 3000);
    const uint32_t before = world->robots[0].telemetry.areas;
    cairn_fleet_robot *robot = (cairn_fleet_robot *)air_robot_seen(world, 0);
    cairn_pose2 frame = robot->map_T_private;
    frame.x_m += 0.1;
    cairn_fleet_place(robot, frame);
    air_run_ms(world, 2000);
    assert_int_equal(world->robots[0].telemetry.areas, before);
    frame.x_m += 0.15;
    cairn_fleet_place(robot, frame);
    air_run_ms(world, 2000);
    assert_int_equal(world->robots[0].telemetry.areas, before + 1);
}

static void of_a_robot_that_knows_no_areas_it_is_said_once(void **unused)
{
    (void)unused;
    const cairn_team_areas areas = two_areas();
    world->robots[0].on = true;
    world->robots[0].obeys = false;
    world->robots[0].telemetry.areas = CAIRN_MSG_TELEMETRY_AREAS_UNKNOWN;
    set(&areas);
    air_run_ms(world, 6000);
    assert_int_equal(air_event_count(world, "emu1 knows nothing of areas"), 1);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_AREA), 0);
    world->robots[0].telemetry.areas = 0; // updated
    air_run_ms(world, 2000);
    assert_int_equal(air_told_count(world, 0, CAIRN_MSG_AREA), 2);
}

// As orders, tasks and releases: no robot can use up its own numbers.
static void an_impossible_revision_is_not_believed(void **unused)
{
    (void)unused;
    const cairn_team_areas areas = two_areas();
    world->robots[0].on = true;
    world->robots[0].obeys = false;
    world->robots[0].telemetry.areas = UINT32_MAX - 1;
    set(&areas);
    air_run_ms(world, 3000);
    assert_int_equal(air_event_count(world, "names areas with an impossible number"), 1);
    assert_true(air_robot_seen(world, 0)->areas.count < 10);
}

// A station that was started again from what it had kept says nothing anew.
static void the_state_outlives_a_restart_of_the_station(void **unused)
{
    (void)unused;
    const cairn_team_areas areas = two_areas();
    world->robots[0].on = true;
    set(&areas);
    air_run_ms(world, 3000);
    const size_t max = cairn_station_save_bytes(world->station);
    uint8_t *bytes = malloc(max);
    size_t size = 0;
    assert_non_null(bytes);
    assert_ok(cairn_station_save(world->station, bytes, max, &size));
    const uint64_t before = cairn_station_hashes(world->station).state;
    air_restart_station(world);
    assert_ok(cairn_station_load(world->station, bytes, size));
    free(bytes);
    assert_int_equal(cairn_station_hashes(world->station).state, before);
    const cairn_team_areas *kept = air_look(world).areas;
    assert_int_equal(kept->fences.count, 2);
    assert_string_equal(kept->names[1], "the shaft");
    assert_true(cairn_fence_holds(&kept->fences.fences[1], (cairn_vec2){15.5, 5.5}));
    assert_true(cairn_areas_agree(air_robot_seen(world, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_area_is_told_in_the_robots_own_frame, start, finish),
        cmocka_unit_test_setup_teardown(it_is_told_again_until_its_telemetry_agrees, start, finish),
        cmocka_unit_test_setup_teardown(a_change_is_another_revision_and_none_is_told_too, start, finish),
        cmocka_unit_test_setup_teardown(it_is_told_again_when_its_frame_has_moved_in_the_map, start, finish),
        cmocka_unit_test_setup_teardown(of_a_robot_that_knows_no_areas_it_is_said_once, start, finish),
        cmocka_unit_test_setup_teardown(an_impossible_revision_is_not_believed, start, finish),
        cmocka_unit_test_setup_teardown(the_state_outlives_a_restart_of_the_station, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
