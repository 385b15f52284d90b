// Warm people in thermal pictures become sightings, in the right place, once.
#include "../base/check.h"
#include "../perception/scene.h"
#include "drive.h"
#include "robot/deliberate/watch.h"

#define SEED 11

static const cairn_moving_things NOTHING_MOVES = {0};
static const cairn_pose2 START = {1.5, 2.5, 0};

static scene place;
static drive d;
static cairn_tracker tracker;
static cairn_watch watch;
static cairn_arena memory;
static cairn_thermal_description camera;
static cairn_msg_victim_seen seen;

static int start(void **unused)
{
    (void)unused;
    place = (scene){0};
    world_add_box(&place.walls, 0, 0, 7, 5);
    place.all = place.walls;
    camera = (cairn_thermal_description){.offered = true,
                                         .base_T_camera = SCENE_BASE_T_CAMERA,
                                         .width_px = SCENE_WIDTH,
                                         .height_px = SCENE_HEIGHT,
                                         .field_rad = SCENE_FIELD_RAD};
    assert_ok(cairn_arena_create(&memory, 40 << 20));
    assert_ok(cairn_tracker_init(&tracker, &memory));
    const cairn_laser_description laser = {.offered = true, .base_T_laser = {.at_m = {0.16, 0, 0.33}}};
    assert_ok(cairn_watch_init(&watch, &laser, &memory));
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void begin(void)
{
    d = (drive){.walls = place.all, .noise_m = 0.01};
    drive_init(&d, START, SEED);
}

// An eighth of a second of driving; a scan; and a picture that was taken picture_age_ns before now.
static void look(double forward_mps, double turn_radps, int64_t picture_age_ns)
{
    static cairn_thermal_frame frame;
    for (int i = 0; i < 15; i++) { drive_step(&d, forward_mps, turn_radps); }
    drive_scan(&d);
    cairn_tracker_step(&tracker, &d.scan, &d.laser, &d.state, &NOTHING_MOVES, d.now);
    frame.taken = (cairn_mono){d.now.ns - picture_age_ns};
    frame.width_px = SCENE_WIDTH;
    frame.height_px = SCENE_HEIGHT;
    scene_picture(&place, drive_truth_at(&d, frame.taken), &d.random, frame.centikelvin);
    cairn_watch_step(&watch, &frame, &camera, &tracker, &d.state);
}

static double off_m(cairn_pose2 person)
{
    const cairn_vec2 at = cairn_pose2_apply(START, (cairn_vec2){seen.x_mm * 1e-3, seen.y_mm * 1e-3});
    return cairn_vec2_distance(at, cairn_pose2_at(person));
}

static void a_person_is_reported_after_a_second_where_it_sits(void **unused)
{
    (void)unused;
    const cairn_pose2 person = {4.5, 3.0, CAIRN_PI};
    scene_add_person(&place, person);
    begin();
    for (int i = 0; i < 9; i++) { look(0, 0, CAIRN_MS(32)); }
    assert_false(cairn_watch_take_report(&watch, 3, &seen));
    look(0, 0, CAIRN_MS(32));
    assert_true(cairn_watch_take_report(&watch, 3, &seen));
    assert_int_equal(seen.robot, 3);
    assert_int_equal(seen.frame_count, 10);
    assert_true(off_m(person) < 0.2);
    assert_true(seen.deviation_mm < 500);
    assert_true(seen.temperature_dc > 320 && seen.temperature_dc < 345);
    assert_int_equal(watch.picture_count, 10);
}

// At 1 rad/s a person 3 m away moves by 30 cm in the picture between scan and picture: that must be taken out.
static void a_turning_robot_places_people_where_they_sit(void **unused)
{
    (void)unused;
    const cairn_pose2 person = {4.5, 2.7, CAIRN_PI};
    scene_add_person(&place, person);
    begin();
    for (int i = 0; i < 7; i++) { look(0, i < 3 ? -0.4 : 0, CAIRN_MS(120)); } // a little to the right
    uint32_t report_count = 0;
    for (int i = 0; i < 3; i++) {
        look(0, 1.0, CAIRN_MS(120)); // and back fast
        while (cairn_watch_take_report(&watch, 3, &seen)) {
            report_count++;
            assert_true(off_m(person) < 0.2);
        }
    }
    assert_true(report_count >= 1);
    assert_true(cairn_victim_tracks_count(watch.tracks) == 1);
}

// The radio is thin: news only.
static void a_sighting_goes_out_once(void **unused)
{
    (void)unused;
    scene_add_person(&place, (cairn_pose2){4.0, 2.2, CAIRN_PI});
    begin();
    uint32_t report_count = 0, first_at = 0;
    for (uint32_t i = 1; i <= 40; i++) {
        look(0, 0, CAIRN_MS(32));
        while (cairn_watch_take_report(&watch, 3, &seen)) {
            if (report_count++ == 0) { first_at = i; }
            assert_int_equal(seen.sighting, 1); // it stays the same person
        }
    }
    assert_int_equal(first_at, 10);
    assert_true(report_count <= 4); // again only where it is much surer: confidence grows from 0 to 1 but once
    assert_false(cairn_watch_take_report(&watch, 3, &seen));
}

static void two_people_are_two_sightings(void **unused)
{
    (void)unused;
    const cairn_pose2 people[] = {{4.5, 1.6, CAIRN_PI}, {4.2, 3.4, CAIRN_PI}};
    scene_add_person(&place, people[0]);
    scene_add_person(&place, people[1]);
    begin();
    for (int i = 0; i < 10; i++) { look(0, 0, CAIRN_MS(32)); }
    bool found[2] = {false, false};
    uint32_t report_count = 0;
    while (cairn_watch_take_report(&watch, 3, &seen)) {
        report_count++;
        for (int i = 0; i < 2; i++) { found[i] = found[i] || off_m(people[i]) < 0.2; }
    }
    assert_int_equal(report_count, 2);
    assert_true(found[0] && found[1]);
}

// A private frame has no height: upstairs, whoever sits above a person who was reported is somebody else.
static void who_sits_above_another_is_reported_as_another_on_that_floor(void **unused)
{
    (void)unused;
    scene_add_person(&place, (cairn_pose2){4.0, 2.5, CAIRN_PI});
    begin();
    for (int floor = 0; floor <= 1; floor++) {
        cairn_watch_be_on_floor(&watch, floor);
        for (int i = 0; i < 10; i++) { look(0, 0, CAIRN_MS(32)); } // long enough to see that it stands still
        assert_true(cairn_watch_take_report(&watch, 3, &seen));
        assert_int_equal(seen.floor, floor);
        assert_int_equal(seen.sighting, floor + 1);
        assert_true(seen.z_mm > 100 && seen.z_mm < 1500); // above the ground: a person sits
    }
    cairn_watch_be_on_floor(&watch, 1); // the same floor: the same person
    for (int i = 0; i < 10; i++) { look(0, 0, CAIRN_MS(32)); }
    while (cairn_watch_take_report(&watch, 3, &seen)) { assert_int_equal(seen.sighting, 2); }
}

static void an_empty_room_holds_nobody(void **unused)
{
    (void)unused;
    begin();
    for (int i = 0; i < 20; i++) { look(0, 0.5, CAIRN_MS(32)); }
    assert_int_equal(watch.picture_count, 20);
    assert_int_equal(watch.spot_count, 0);
    assert_false(cairn_watch_take_report(&watch, 3, &seen));
}

// How far away a warm spot is, only the laser knows; and it must have looked at about that time.
static void a_picture_without_a_scan_of_its_time_is_not_used(void **unused)
{
    (void)unused;
    scene_add_person(&place, (cairn_pose2){4.5, 2.5, CAIRN_PI});
    begin();
    look(0, 0, CAIRN_MS(32));
    const uint32_t before = watch.picture_count;
    static cairn_thermal_frame frame = {.width_px = SCENE_WIDTH, .height_px = SCENE_HEIGHT};
    scene_picture(&place, START, &d.random, frame.centikelvin);
    frame.taken = (cairn_mono){d.now.ns + CAIRN_S(1)};
    cairn_watch_step(&watch, &frame, &camera, &tracker, &d.state);
    frame.taken = (cairn_mono){d.now.ns - CAIRN_S(1)};
    cairn_watch_step(&watch, &frame, &camera, &tracker, &d.state);
    assert_int_equal(watch.picture_count, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_person_is_reported_after_a_second_where_it_sits, start, finish),
        cmocka_unit_test_setup_teardown(a_turning_robot_places_people_where_they_sit, start, finish),
        cmocka_unit_test_setup_teardown(a_sighting_goes_out_once, start, finish),
        cmocka_unit_test_setup_teardown(two_people_are_two_sightings, start, finish),
        cmocka_unit_test_setup_teardown(who_sits_above_another_is_reported_as_another_on_that_floor, start, finish),
        cmocka_unit_test_setup_teardown(an_empty_room_holds_nobody, start, finish),
        cmocka_unit_test_setup_teardown(a_picture_without_a_scan_of_its_time_is_not_used, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
