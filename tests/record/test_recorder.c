// What the recorder writes, read back.
#include "../sim/emu.h"
#include "../sim/journal.h"
#include "record/recorder.h"
#include "station/replay/inputs.h"
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/cairn-recorder-XXXXXX";
static char path[64];
static cairn_body_description seeing, blind;
static cairn_recorder_def def;
static cairn_recorder *recorder;
static cairn_complaints complaints;
static journal found;

static int make_folder(void **unused)
{
    (void)unused;
    if (mkdtemp(folder) == NULL) { return -1; }
    snprintf(path, sizeof path, "%s/journal.mcap", folder);
    return 0;
}

static int remove_folder(void **unused)
{
    (void)unused;
    (void)unlink(path);
    return rmdir(folder);
}

static int start(void **unused)
{
    (void)unused;
    complaints = (cairn_complaints){0};
    seeing = blind = emu();
    seeing.laser = (cairn_laser_description){.offered = true, .rate_hz = 40, .base_T_laser = {.turn = {1, 0, 0, 0}}};
    seeing.thermal =
        (cairn_thermal_description){.offered = true, .rate_hz = 8, .base_T_camera = {.turn = {1, 0, 0, 0}}};
    seeing.imu.offered = true;
    def = cairn_recorder_def_default();
    def.files = cairn_recorder_one_file(path);
    def.synchronous = true;
    def.robot_count = 2;
    def.robots[0] = (cairn_recorder_robot){.name = "emu1", .description = &seeing, .is_placed = true};
    def.robots[1] = (cairn_recorder_robot){.name = "mole", .description = &blind, .is_placed = true};
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_recorder_destroy(recorder);
    recorder = NULL;
    return 0;
}

static void end_and_read(void)
{
    uint64_t hash = 0;
    assert_ok(cairn_recorder_finish(recorder, &complaints, &hash));
    journal_read(&found, path);
    assert_true(found.sound);
    assert_true(found.in_order);
    assert_true(found.hash == hash);
}

// A 40 Hz laser, an 8 Hz camera and a 125 Hz IMU, looked at every 4 ms as the team does.
static void sense(int64_t until_ns)
{
    static cairn_scan_frame scan = {.beam_count = 5, .angle_rad_step = 0.1f, .range_m_max = 30};
    static cairn_thermal_frame thermal = {.width_px = 4, .height_px = 3};
    cairn_imu_frame imu = {0};
    for (int64_t ns = 0; ns < until_ns; ns += CAIRN_MS(4)) {
        scan.taken.ns = ns / CAIRN_MS(25) * CAIRN_MS(25);
        thermal.taken.ns = ns / CAIRN_MS(125) * CAIRN_MS(125);
        imu.taken.ns = ns / CAIRN_MS(8) * CAIRN_MS(8);
        cairn_recorder_add_frames(
            recorder, 0, &(cairn_recorder_frames){.scan = &scan, .thermal = &thermal, .imu = &imu}, (cairn_mono){ns});
        cairn_recorder_add_frames(recorder, 1, &(cairn_recorder_frames){0}, (cairn_mono){ns});
    }
}

static void sense_ten_seconds(void)
{
    assert_ok(cairn_recorder_create(&def, &complaints, &recorder));
    sense(CAIRN_S(10));
    end_and_read();
}

// A sensor's every frame would fill the disk; no frame is written twice.
static void fast_sensors_are_written_as_often_as_asked(void **unused)
{
    (void)unused;
    sense_ten_seconds();
    assert_int_equal(journal_count(&found, "/emu1/scan"), 100);
    assert_int_equal(journal_count(&found, "/emu1/thermal"), 20);
    assert_in_range(journal_count(&found, "/emu1/imu"), 249, 250);
}

static void a_rate_like_the_sensors_keeps_every_frame(void **unused)
{
    (void)unused;
    def.scan_hz = 40;
    def.thermal_hz = 8;
    sense_ten_seconds();
    assert_int_equal(journal_count(&found, "/emu1/scan"), 400);
    assert_int_equal(journal_count(&found, "/emu1/thermal"), 80);
}

static void a_rate_of_0_keeps_none(void **unused)
{
    (void)unused;
    def.scan_hz = def.thermal_hz = 0;
    sense_ten_seconds();
    assert_int_equal(journal_count(&found, "/emu1/scan"), 0);
    assert_int_equal(journal_count(&found, "/emu1/thermal"), 0);
}

// A robot with everything that turns or measures ranges: only what is asked for is written, every reading once, and
// where a sensor that turns looked stands beside what it saw.
static void further_sensors_are_written_when_asked_for(void **unused)
{
    (void)unused;
    seeing.laser.nod = (cairn_nod_description){.offered = true, .to_rad = 0.3, .period_s = 1};
    seeing.thermal.pan_tilt.offered = true;
    seeing.range_imager.offered = seeing.gps.offered = true;
    seeing.range_sensor_count = 2;
    snprintf(seeing.range_sensors[0].name, sizeof seeing.range_sensors[0].name, "floor");
    snprintf(seeing.range_sensors[1].name, sizeof seeing.range_sensors[1].name, "ahead");
    static const double rates_hz[2] = {0, 100};
    for (int asked = 0; asked < 2; asked++) {
        def.range_image_hz = def.ranges_hz = def.gps_hz = rates_hz[asked];
        assert_ok(cairn_recorder_create(&def, &complaints, &recorder));
        static cairn_scan_frame scan = {.beam_count = 5, .angle_rad_step = 0.1f, .range_m_max = 30};
        static cairn_range_image_frame image = {.width_px = 4, .height_px = 3};
        cairn_ranges_frame ranges = {.sensor_count = 2};
        cairn_gps_frame gps = {.fix = true, .at_m = {10, 20, 0}, .claimed_m = 2};
        for (int64_t ns = 0; ns < CAIRN_S(10); ns += CAIRN_MS(4)) {
            scan.taken.ns = ns / CAIRN_MS(100) * CAIRN_MS(100);
            image.taken.ns = ns / CAIRN_MS(200) * CAIRN_MS(200);
            ranges.readings[0].taken.ns = ns / CAIRN_MS(20) * CAIRN_MS(20);
            ranges.readings[1].taken.ns = ns / CAIRN_MS(100) * CAIRN_MS(100);
            gps.taken.ns = ns / CAIRN_MS(500) * CAIRN_MS(500);
            const cairn_recorder_frames frames = {.scan = &scan, .range_image = &image, .ranges = &ranges, .gps = &gps};
            cairn_recorder_add_frames(recorder, 0, &frames, (cairn_mono){ns});
        }
        end_and_read();
        assert_int_equal(journal_count(&found, "/emu1/range_image"), asked ? 50 : 0);
        assert_int_equal(journal_count(&found, "/emu1/range"), asked ? 500 + 100 : 0);
        assert_int_equal(journal_count(&found, "/emu1/fix"), asked ? 20 : 0);
        assert_int_equal(journal_count(&found, "/emu1/scan"), 100);
        assert_int_equal(journal_count(&found, "/tf"), 200); // the nod at each scan's first and last beam
        (void)finish(NULL);
    }
}

// What each level leaves out, and that it keeps what an investigation needs.
static void levels_leave_out_pictures_then_sensors(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t scans, pictures, imu, motions;
    } wanted[CAIRN_RECORD_LEVELS] = {{100, 20, 250, 100}, {100, 0, 250, 100}, {0, 0, 0, 10}};
    for (int level = 0; level < CAIRN_RECORD_LEVELS; level++) {
        def.level = (cairn_record_level)level;
        assert_ok(cairn_recorder_create(&def, &complaints, &recorder));
        sense(CAIRN_S(10));
        const cairn_robot_view view = {.match_quality = 0.5};
        static cairn_radio_message message;
        cairn_radio_clear(CAIRN_MSG_STOP, &message);
        for (int64_t ns = CAIRN_S(10); ns < CAIRN_S(20); ns += CAIRN_MS(100)) {
            cairn_recorder_add_motion(recorder, 0, &view, (cairn_mono){ns});
            cairn_recorder_add_radio(recorder, 0, &message, (cairn_mono){ns});
            cairn_recorder_add_line(recorder, (cairn_mono){ns}, CAIRN_LOG_INFO, "test", "a line");
        }
        end_and_read();
        assert_int_equal(journal_count(&found, "/emu1/scan"), wanted[level].scans);
        assert_int_equal(journal_count(&found, "/emu1/thermal"), wanted[level].pictures);
        assert_int_equal(journal_count(&found, "/emu1/imu"), wanted[level].imu);
        assert_int_equal(journal_count(&found, "/emu1/odom"), wanted[level].motions);
        assert_int_equal(journal_count(&found, "/tf"), wanted[level].motions);
        assert_int_equal(journal_count(&found, "/emu1/radio/stop"), 100);
        assert_int_equal(journal_count(&found, "/rosout"), 100);
        (void)finish(NULL);
    }
}

static void levels_are_known_by_their_names(void **unused)
{
    (void)unused;
    for (int i = 0; i < CAIRN_RECORD_LEVELS; i++) {
        cairn_record_level level = CAIRN_RECORD_LEVELS;
        assert_true(cairn_record_level_from_name(cairn_record_level_name((cairn_record_level)i), &level));
        assert_int_equal(level, i);
    }
    cairn_record_level level = CAIRN_RECORD_ALL;
    assert_false(cairn_record_level_from_name("everything", &level));
}

// Inputs are written together, but none may be missing and none may come after the state that they led to.
static void inputs_stand_before_the_state_that_they_led_to(void **unused)
{
    (void)unused;
    assert_ok(cairn_recorder_create(&def, &complaints, &recorder));
    static uint8_t bytes[CAIRN_INPUTS_BYTES_MAX];
    for (uint64_t step = 1; step <= 100; step++) {
        const cairn_station_record record = {
            .step = step, .ends_step = true, .bytes = bytes, .size_bytes = step == 50 ? sizeof bytes : 40};
        cairn_recorder_add_inputs(recorder, &record, (cairn_mono){CAIRN_MS(20) * (int64_t)step});
        if (step == 70) {
            cairn_recorder_add_state(recorder, step, (cairn_station_hash){1, 2}, (cairn_mono){CAIRN_MS(1400)});
        }
    }
    end_and_read();
    // One by the second that has passed, one before the state, and what is left at the end.
    assert_int_equal(journal_count(&found, "/station/inputs"), 3);
    assert_int_equal(journal_count(&found, "/station/state"), 1);
    const uint32_t inputs = journal_topic(&found, "/station/inputs");
    assert_true(found.topics[inputs].bytes_max > sizeof bytes);
    assert_string_equal(found.topics[inputs].schema, "cairn_msgs/msg/StationInputs");
}

// A program tells its people once, and again when it is over.
static void trouble_with_the_disk_is_news_once(void **unused)
{
    (void)unused;
    def.files.path = "/dev/full";
    assert_ok(cairn_recorder_create(&def, &complaints, &recorder));
    cairn_recorder_news news;
    assert_false(cairn_recorder_next_news(recorder, &news));
    static uint8_t bytes[30000];
    for (int64_t i = 0; i < 100; i++) {
        cairn_recorder_add_setup(recorder, bytes, sizeof bytes, (cairn_mono){CAIRN_MS(i)});
    }
    assert_true(cairn_recorder_next_news(recorder, &news));
    assert_int_equal(news.level, CAIRN_LOG_ERROR);
    assert_non_null(strstr(news.text, "/dev/full"));
    assert_non_null(strstr(news.text, "free some space"));
    assert_false(cairn_recorder_next_news(recorder, &news));
}

// A missing sensor is never faked, not in the journal either.
static void a_robot_without_sensors_has_no_channels_for_them(void **unused)
{
    (void)unused;
    assert_ok(cairn_recorder_create(&def, &complaints, &recorder));
    const cairn_robot_view view = {.match_quality = 0.5};
    const cairn_recorder_truth truth = {.map_T_base = {.turn = {1, 0, 0, 0}}};
    for (uint32_t robot = 0; robot < 2; robot++) {
        cairn_recorder_add_motion(recorder, robot, &view, (cairn_mono){CAIRN_MS(100)});
        cairn_recorder_add_truth(recorder, robot, &truth, (cairn_mono){CAIRN_MS(100)});
        cairn_recorder_add_frames(recorder, robot, &(cairn_recorder_frames){0}, (cairn_mono){CAIRN_MS(100)});
    }
    end_and_read();
    const char *const names[] = {"/emu1/odom", "/emu1/truth", "/emu1/cmd_vel",
                                 "/mole/odom", "/mole/truth", "/mole/cmd_vel"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(journal_count(&found, names[i]), 1);
    }
    assert_int_equal(journal_count(&found, "/tf"), 2);
    assert_int_equal(found.topic_count, 7);
    assert_string_equal(found.topics[journal_topic(&found, "/mole/odom")].schema, "nav_msgs/msg/Odometry");
}

// A laser, a camera, or both: each has its frame, whatever else the robot lacks.
static void every_sensor_has_its_frame(void **unused)
{
    (void)unused;
    size_t bytes[4]; // of the transforms, by sensors: none, laser, camera, both
    for (int sensors = 0; sensors < 4; sensors++) {
        cairn_body_description body = seeing;
        body.laser.offered = (sensors & 1) != 0;
        body.thermal.offered = (sensors & 2) != 0;
        def.robot_count = 1;
        def.robots[0].description = &body;
        assert_ok(cairn_recorder_create(&def, &complaints, &recorder));
        const cairn_robot_view view = {.match_quality = 0.5};
        cairn_recorder_add_motion(recorder, 0, &view, (cairn_mono){CAIRN_MS(100)});
        end_and_read();
        bytes[sensors] = found.topics[journal_topic(&found, "/tf")].bytes_max;
        (void)finish(NULL);
    }
    assert_true(bytes[1] > bytes[0] + 56 && bytes[2] > bytes[0] + 56); // a transform is 7 doubles and its names
    assert_true(bytes[3] > bytes[1] + 56 && bytes[3] > bytes[2] + 56);
}

// Both directions, each kind under its own name, made when it is first heard.
static void radio_messages_get_a_channel_for_each_kind_and_robot(void **unused)
{
    (void)unused;
    assert_ok(cairn_recorder_create(&def, &complaints, &recorder));
    static cairn_radio_message message;
    for (uint32_t i = 0; i < 6; i++) {
        cairn_radio_clear(i < 4 ? CAIRN_MSG_TELEMETRY : CAIRN_MSG_STOP, &message);
        cairn_recorder_add_radio(recorder, i % 2, &message, (cairn_mono){CAIRN_MS(i)});
    }
    message.id = 0xee; // nobody knows it
    cairn_recorder_add_radio(recorder, 0, &message, (cairn_mono){CAIRN_MS(7)});
    end_and_read();
    assert_int_equal(journal_count(&found, "/emu1/radio/telemetry"), 2);
    assert_int_equal(journal_count(&found, "/mole/radio/telemetry"), 2);
    assert_int_equal(journal_count(&found, "/emu1/radio/stop"), 1);
    assert_int_equal(found.message_count, 6);
    assert_string_equal(found.topics[journal_topic(&found, "/emu1/radio/telemetry")].schema,
                        "cairn_msgs/msg/Telemetry");
}

// The map is cut to what is known: a raster of 80 m is not written whole.
static void a_map_is_as_large_as_what_is_known(void **unused)
{
    (void)unused;
    cairn_arena memory;
    cairn_raster *raster = NULL;
    const cairn_raster_def raster_def = cairn_raster_def_default();
    assert_ok(cairn_arena_create(&memory, 8 << 20));
    assert_ok(cairn_raster_create(&raster_def, &memory, &raster));
    assert_ok(cairn_recorder_create(&def, &complaints, &recorder));
    cairn_recorder_add_map(recorder, raster, (cairn_mono){1}); // nothing known: nothing written
    raster->x_min = 100, raster->x_max = 129, raster->y_min = 200, raster->y_max = 219;
    cairn_recorder_add_map(recorder, raster, (cairn_mono){2});
    end_and_read();
    assert_int_equal(journal_count(&found, "/map"), 1);
    const size_t bytes = found.topics[journal_topic(&found, "/map")].bytes_max;
    assert_true(bytes >= 600 && bytes < 800); // 30 x 20 cells and a head
    cairn_arena_destroy(&memory);
}

static void a_folder_that_does_not_exist_is_told(void **unused)
{
    (void)unused;
    def.files.path = "/tmp/cairn-no-such-folder/journal.mcap";
    assert_int_equal(cairn_recorder_create(&def, &complaints, &recorder), CAIRN_ERR_IO);
    assert_null(recorder);
    assert_int_equal(complaints.count, 1);
    assert_non_null(strstr(complaints.text, def.files.path));
}

// A journal that is not complete must not look as if it were.
static void a_full_disk_is_told_at_the_end(void **unused)
{
    (void)unused;
    def.files.path = "/dev/full";
    const cairn_err made = cairn_recorder_create(&def, &complaints, &recorder);
    assert_ok(made);
    for (int64_t i = 0; i < 100; i++) {
        cairn_recorder_add_line(recorder, (cairn_mono){CAIRN_MS(i)}, CAIRN_LOG_INFO, "test", "a line");
    }
    uint64_t hash = 77;
    assert_int_not_equal(cairn_recorder_finish(recorder, &complaints, &hash), CAIRN_OK);
    assert_true(hash == 77);
    assert_non_null(strstr(complaints.text, "not complete"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fast_sensors_are_written_as_often_as_asked, start, finish),
        cmocka_unit_test_setup_teardown(a_rate_like_the_sensors_keeps_every_frame, start, finish),
        cmocka_unit_test_setup_teardown(a_rate_of_0_keeps_none, start, finish),
        cmocka_unit_test_setup_teardown(further_sensors_are_written_when_asked_for, start, finish),
        cmocka_unit_test_setup_teardown(levels_leave_out_pictures_then_sensors, start, finish),
        cmocka_unit_test_setup_teardown(levels_are_known_by_their_names, start, finish),
        cmocka_unit_test_setup_teardown(inputs_stand_before_the_state_that_they_led_to, start, finish),
        cmocka_unit_test_setup_teardown(trouble_with_the_disk_is_news_once, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_without_sensors_has_no_channels_for_them, start, finish),
        cmocka_unit_test_setup_teardown(every_sensor_has_its_frame, start, finish),
        cmocka_unit_test_setup_teardown(radio_messages_get_a_channel_for_each_kind_and_robot, start, finish),
        cmocka_unit_test_setup_teardown(a_map_is_as_large_as_what_is_known, start, finish),
        cmocka_unit_test_setup_teardown(a_folder_that_does_not_exist_is_told, start, finish),
        cmocka_unit_test_setup_teardown(a_full_disk_is_told_at_the_end, start, finish),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
