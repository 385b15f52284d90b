// CARMEN logs: what the public data sets leave unsaid is deduced rightly, and damage is named with its line.
#include "../base/check.h"
#include "base/random.h"
#include "slam/log/carmen_io.h"
#include "slam/log/text_walk.h"
#include <lzma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SEED 7
#define DEG (CAIRN_PI / 180)

static cairn_err parse(const char *text, cairn_complaints *told, cairn_laser_log *ret_log)
{
    *told = (cairn_complaints){0};
    return cairn_carmen_parse((const uint8_t *)text, strlen(text), "a.log", told, ret_log);
}

// Angles decide where every point lies: a quarter of a degree off bends straight walls.
static void beams_of_a_flaser_are_as_far_apart_as_carmen_has_them(void **state)
{
    (void)state;
    static const struct {
        uint32_t beams;
        double first_deg, step_deg;
    } cases[] = {{180, -90, 1}, {181, -90, 1}, {360, -90, 0.5}, {361, -90, 0.5}, {401, -50, 0.25}, {91, -90, 2}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        static char text[8192];
        size_t used = (size_t)snprintf(text, sizeof text, "FLASER %u", cases[c].beams);
        for (uint32_t i = 0; i < cases[c].beams; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, " %.2f", 1 + 0.01 * i);
        }
        (void)snprintf(text + used, sizeof text - used, " 0 0 0 0 0 0 1.5 host 1.5\n");
        cairn_complaints told;
        cairn_laser_log log;
        assert_ok(parse(text, &told, &log));
        assert_int_equal(log.scan_count, 1);
        assert_int_equal(log.scans[0].beam_count, cases[c].beams);
        assert_float_equal(log.scans[0].angle_first_rad, cases[c].first_deg * DEG, 1e-12);
        assert_float_equal(log.scans[0].angle_step_rad, cases[c].step_deg * DEG, 1e-12);
        assert_int_equal(log.scans[0].stamp_ns, 1500000000);
        cairn_laser_log_close(&log);
    }
}

// A reading of 81.83 m is the SICK's way of saying nothing; taken for a wall it would be one.
static void readings_of_nothing_are_infinite_and_failed_ones_are_no_number(void **state)
{
    (void)state;
    cairn_complaints told;
    cairn_laser_log log;
    assert_ok(parse("FLASER 5 81.83 49.9 0 50.00 1.25 0 0 0 0 0 0 1 h 1\n", &told, &log));
    assert_true(isinf(log.ranges_m[0]) && log.ranges_m[0] > 0);
    assert_float_equal(log.ranges_m[1], 49.9, 1e-5);
    assert_true(isnan(log.ranges_m[2]));
    assert_true(isinf(log.ranges_m[3]));
    assert_float_equal(log.ranges_m[4], 1.25, 1e-6);
    cairn_laser_log_close(&log);

    // ROBOTLASER1 says how far it reaches.
    assert_ok(
        parse("ROBOTLASER1 0 -1.5 3 1.5 8 0.1 0 3 7.9 8.19 2 0 1 2 0.5 1 2 0.5 0 0 0 0 0 9.25 x 1\n", &told, &log));
    assert_float_equal(log.ranges_m[0], 7.9, 1e-5);
    assert_true(isinf(log.ranges_m[1]));
    assert_float_equal(log.scans[0].angle_first_rad, -1.5, 1e-12);
    assert_float_equal(log.scans[0].log_T_base.y_m, 2, 1e-12);
    assert_int_equal(log.scans[0].stamp_ns, 9250000000);
    cairn_laser_log_close(&log);
}

// Readings of the scan as text: most are spread out, every tenth is the cap.
static void add_capped_scan(char *text, size_t *used, cairn_random *random, double cap_m, bool heap)
{
    *used += (size_t)sprintf(text + *used, "FLASER 181");
    for (uint32_t i = 0; i < 181; i++) {
        const double range =
            heap && i % 10 == 0 ? cap_m : cairn_random_between(random, 0.5, heap ? 0.97 * cap_m : cap_m);
        *used += (size_t)sprintf(text + *used, " %.3f", range);
    }
    *used += (size_t)sprintf(text + *used, " 0 0 0 0 0 0 1 h 1\n");
}

// A laser in millimetres ends at 8.191 m. Its cap is found by the heap of readings, and a far wall is not taken for
// one.
static void a_heap_at_the_largest_reading_is_the_lasers_reach(void **state)
{
    (void)state;
    static char text[1 << 16];
    for (int heap = 0; heap < 2; heap++) {
        cairn_random random;
        cairn_random_init(&random, SEED, "carmen cap");
        size_t used = 0;
        for (int s = 0; s < 20; s++) { add_capped_scan(text, &used, &random, 8.191, heap); }
        cairn_complaints told;
        cairn_laser_log log;
        assert_ok(parse(text, &told, &log));
        uint32_t infinite = 0;
        for (size_t i = 0; i < log.range_count; i++) { infinite += isinf(log.ranges_m[i]) != 0; }
        assert_int_equal(infinite, heap ? 20 * 19 : 0);
        cairn_laser_log_close(&log);
    }
}

// The published corrected logs have no odometry in their scans; it must be put together from the pieces.
static void odometry_of_a_corrected_log_is_what_was_driven_between_scans(void **state)
{
    (void)state;
    static char text[1 << 16];
    cairn_random random;
    cairn_random_init(&random, SEED, "carmen corrected");
    cairn_pose2 odom[40], map[40];
    size_t used = 0;
    for (int s = 0; s < 40; s++) {
        const cairn_pose2 step = {cairn_random_between(&random, 0.1, 0.5), 0, cairn_random_between(&random, -0.5, 0.5)};
        const cairn_pose2 slip = {cairn_random_between(&random, -0.05, 0.05), 0.01,
                                  cairn_random_between(&random, -0.1, 0.1)};
        odom[s] = s == 0 ? (cairn_pose2){0} : cairn_pose2_compose(odom[s - 1], step);
        const cairn_pose2 expected = s == 0 ? (cairn_pose2){0} : cairn_pose2_compose(map[s - 1], step);
        map[s] = s == 0 ? expected : cairn_pose2_compose(expected, slip);
        used += (size_t)sprintf(text + used, "ODOM %.9f %.9f %.9f 0 0 0 0 h 0\n", expected.x_m, expected.y_m,
                                expected.yaw_rad);
        used += (size_t)sprintf(
            text + used, "FLASER 2 1 2 %.9f %.9f %.9f %.9f %.9f %.9f 0 h 0\nODOM %.9f %.9f %.9f 0 0 0 0 h 0\nNEFF 3\n",
            map[s].x_m, map[s].y_m, map[s].yaw_rad, map[s].x_m, map[s].y_m, map[s].yaw_rad, map[s].x_m, map[s].y_m,
            map[s].yaw_rad);
    }
    cairn_complaints told;
    cairn_laser_log log;
    assert_ok(parse(text, &told, &log));
    assert_true(log.is_corrected);
    assert_int_equal(log.lines_other, 40);
    for (int s = 1; s < 40; s++) {
        const cairn_pose2 wanted = cairn_pose2_between(odom[s - 1], odom[s]);
        const cairn_pose2 got = cairn_pose2_between(log.scans[s - 1].odom_T_base, log.scans[s].odom_T_base);
        assert_float_equal(got.x_m, wanted.x_m, 1e-6);
        assert_float_equal(got.yaw_rad, wanted.yaw_rad, 1e-6);
        assert_float_equal(log.scans[s].log_T_base.x_m, map[s].x_m, 1e-6);
    }
    cairn_laser_log_close(&log);
}

// In a raw log ODOM lines come and go as they like; the scan's own odometry counts, and the laser sits where both poses
// say.
static void a_raw_log_keeps_its_odometry_and_tells_where_the_laser_sits(void **state)
{
    (void)state;
    cairn_complaints told;
    cairn_laser_log log;
    assert_ok(parse("ODOM 1 0 0 0 0 0 1 h 1\nFLASER 2 1 2 1.2 0 0 1 0 0 1 h 1\nODOM 1.4 0 0 0 0 0 1 h 1\n"
                    "FLASER 2 1 2 2 0.2 1.570796 2 0 1.570796 2 h 1\n",
                    &told, &log));
    assert_false(log.is_corrected);
    assert_float_equal(log.base_T_laser.x_m, 0.2, 1e-6);
    assert_float_equal(log.scans[1].odom_T_base.x_m, 2, 1e-9);
    assert_float_equal(log.scans[1].log_T_base.y_m, 0, 1e-6);
    cairn_laser_log_close(&log);
}

static void damage_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        cairn_err err;
    } cases[] = {
        {"", "no FLASER", CAIRN_ERR_EMPTY},
        {"hello\n", "no FLASER", CAIRN_ERR_EMPTY},
        {"\nFLASER 3 1 2\n", "a.log:2: the line is cut off", CAIRN_ERR_CORRUPT},
        {"FLASER 2 1 2 0 0 0 0 0 0 1 h 1\nFLASER 2 1 x 0 0 0 0 0 0 1 h 1\n", "a.log:2: reading 2 of 2",
         CAIRN_ERR_CORRUPT},
        {"FLASER 2 1 2 0 0 0 0 0\n", "a.log:1: after the readings", CAIRN_ERR_CORRUPT},
        {"FLASER 2 1 2 0 0 0 0 0 1e9 1 h 1\n", "a.log:1: after the readings", CAIRN_ERR_CORRUPT},
        {"FLASER 100000 1 2 0 0 0\n", "a.log:1: a scan of 100000 beams", CAIRN_ERR_TOO_LARGE},
        {"FLASER 2 1 2 0 0 0 0 0 0 1 h 1\nODOM 1 nan 2\n", "a.log:2: ODOM", CAIRN_ERR_CORRUPT},
        {"ROBOTLASER1 0 -1 3\n", "a.log:1: a ROBOTLASER1 line begins", CAIRN_ERR_CORRUPT},
        {"ROBOTLASER1 0 -1 3 9 50 0 0 2 1 2 0 0 0 0 0 0 0 0 0 0 0 0 1\n", "a.log:1: beams that span",
         CAIRN_ERR_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cairn_complaints told;
        cairn_laser_log log;
        assert_int_equal(parse(cases[i].text, &told, &log), cases[i].err);
        assert_non_null(strstr(told.text, cases[i].words));
    }
}

static void write_file(const char *path, const void *bytes, size_t size_bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size_bytes, file), size_bytes);
    assert_int_equal(fclose(file), 0);
}

// The data sets come packed; what is in them must not depend on how.
static void packed_logs_read_as_the_plain_one_does(void **state)
{
    (void)state;
    static char text[1 << 17];
    static uint8_t packed[1 << 17];
    size_t used = 0;
    cairn_random random;
    cairn_random_init(&random, SEED, "carmen packed");
    for (int s = 0; s < 60; s++) { add_capped_scan(text, &used, &random, 20, true); }
    char path[] = "/tmp/cairn-carmen-XXXXXX";
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    (void)close(handle);
    for (int how = 0; how < 5; how++) {
        size_t size = used;
        const void *bytes = text;
        if (how == 1 || how == 3) {
            z_stream stream = {
                .next_in = (Bytef *)text, .avail_in = (uInt)used, .next_out = packed, .avail_out = sizeof packed};
            assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
            assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
            size = stream.total_out;
            (void)deflateEnd(&stream);
            bytes = packed;
        } else if (how == 2 || how == 4) {
            size = 0;
            assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, used, packed,
                                                     &size, sizeof packed),
                             LZMA_OK);
            bytes = packed;
        }
        const bool cut = how >= 3;
        write_file(path, bytes, cut ? size / 2 : size);
        cairn_complaints told = {0};
        cairn_laser_log log;
        const cairn_err err = cairn_carmen_open(path, &told, &log);
        assert_int_equal(err, cut ? CAIRN_ERR_CORRUPT : CAIRN_OK);
        if (cut) {
            assert_non_null(strstr(told.text, "cut off"));
            continue;
        }
        assert_int_equal(log.scan_count, 60);
        assert_int_equal(log.range_count, 60 * 181);
        cairn_laser_log_close(&log);
    }
    (void)remove(path);
    cairn_complaints told = {0};
    cairn_laser_log log;
    assert_int_equal(cairn_carmen_open(path, &told, &log), CAIRN_ERR_IO);
}

// Stamps name scans in the relations of the benchmark: they must come out to the nanosecond.
static void numbers_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "carmen numbers");
    print_message("seed %d\n", SEED);
    for (int i = 0; i < 100000; i++) {
        char text[40];
        static const char *const formats[] = {"%.2f", "%.6f", "%.17g", "%.3e", "%.0f", "%g"};
        const double value = cairn_random_between(&random, -1, 1) * pow(10, cairn_random_between(&random, -8, 12));
        (void)snprintf(text, sizeof text, formats[cairn_random_below(&random, 6)], value);
        cairn_text_walk walk = cairn_text_walk_of(text, strlen(text));
        double got = 0;
        assert_true(cairn_text_next_line(&walk));
        assert_true(cairn_text_real(&walk, &got));
        assert_true(got == strtod(text, NULL));
    }
    static const char *const wrong[] = {"", "-", ".", "+.", "1..2", "nan", "inf", "0x", "1e999", "1.2.3", "a"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cairn_text_walk walk = cairn_text_walk_of(wrong[i], strlen(wrong[i]));
        double got;
        (void)!cairn_text_next_line(&walk);
        assert_false(cairn_text_real(&walk, &got));
    }
    static const struct {
        const char *text;
        bool good;
        int64_t ns;
    } times[] = {{"976052905.167303", true, 976052905167303000},
                 {"-1.5", true, -1500000000},
                 {"0", true, 0},
                 {"6.81211e-38", true, 0},
                 {"9000000001", false, 0},
                 {"x", false, 0},
                 {"1.0000000001", true, 1000000000}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        cairn_text_walk walk = cairn_text_walk_of(times[i].text, strlen(times[i].text));
        int64_t ns = 0;
        (void)!cairn_text_next_line(&walk);
        assert_int_equal(cairn_text_seconds(&walk, &ns), times[i].good);
        assert_int_equal(ns, times[i].ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beams_of_a_flaser_are_as_far_apart_as_carmen_has_them),
        cmocka_unit_test(readings_of_nothing_are_infinite_and_failed_ones_are_no_number),
        cmocka_unit_test(a_heap_at_the_largest_reading_is_the_lasers_reach),
        cmocka_unit_test(odometry_of_a_corrected_log_is_what_was_driven_between_scans),
        cmocka_unit_test(a_raw_log_keeps_its_odometry_and_tells_where_the_laser_sits),
        cmocka_unit_test(damage_is_named_with_its_line),
        cmocka_unit_test(packed_logs_read_as_the_plain_one_does),
        cmocka_unit_test(numbers_are_read_as_strtod_reads_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
