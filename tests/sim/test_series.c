// How a mission went over time: bounded, thinned evenly, and true however thin it gets.
#include "check.h"
#include "sim/mission/report/series.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static cairn_series series;

static bool near(double a, double b) { return fabs(a - b) < 1e-6; } // times come from whole nanoseconds

// A mission in which every figure is a known function of time.
static void run(double until_s)
{
    cairn_series_init(&series);
    for (int64_t ns = 0; ns <= cairn_ns_from_seconds(until_s); ns += CAIRN_MS(100)) {
        const cairn_mono now = {ns};
        if (!cairn_series_is_due(&series, now)) { continue; }
        cairn_series_sample *sample = cairn_series_add(&series, now);
        sample->radio_bytes = (uint64_t)(1000 * sample->at_s);
        sample->robots[0].distance_m = (float)(0.5 * sample->at_s);
    }
}

static void a_short_mission_has_a_sample_every_two_seconds(void **unused)
{
    (void)unused;
    run(100);
    assert_int_equal(series.count, 51);
    for (uint32_t i = 0; i < series.count; i++) { assert_true(near(series.samples[i].at_s, 2.0 * i)); }
}

// Memory does not grow with the mission; samples stay evenly spaced, and no spacing is wider than need be.
static void a_day_takes_no_more_than_an_hour(void **unused)
{
    (void)unused;
    run(20000);
    assert_true(series.count <= CAIRN_SERIES_MAX && series.count > CAIRN_SERIES_MAX / 2);
    const double period_s = series.samples[1].at_s - series.samples[0].at_s;
    assert_true(near(period_s, 64)); // the least 2 s * 2^n for which 20000 s fit
    for (uint32_t i = 1; i < series.count; i++) {
        assert_true(near(series.samples[i].at_s - series.samples[i - 1].at_s, period_s));
    }
}

// 1000 bytes a second are 8 kbit/s, before and after thinning.
static void rates_stay_true_when_it_is_thinned(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        run(i == 0 ? 50 : 5000);
        assert_true(cairn_series_kbit_per_s(&series, 0) == 0);
        for (uint32_t k = 1; k < series.count; k++) {
            assert_true(fabs(cairn_series_kbit_per_s(&series, k) - 8) < 1e-9);
        }
    }
}

// The end of a mission may fall on a sample, or between two.
static void the_end_is_there_once(void **unused)
{
    (void)unused;
    run(10);
    assert_int_equal(series.count, 6);
    cairn_series_add(&series, (cairn_mono){CAIRN_S(10)})->report_count = 7;
    assert_int_equal(series.count, 6);
    assert_int_equal(series.samples[5].report_count, 7);
    assert_true(cairn_series_add(&series, (cairn_mono){CAIRN_MS(10500)})->at_s > 10.4);
    assert_int_equal(series.count, 7);
}

// One column for each figure, whatever a robot is called.
static void the_table_has_a_row_for_each_sample(void **unused)
{
    (void)unused;
    run(4);
    series.samples[2].station_up = true;
    series.samples[2].found_count = 3;
    series.samples[2].robots[1].mode = CAIRN_MODE_AUTONOMOUS;
    series.samples[2].robots[1].state = CAIRN_SERIES_DEAD;
    series.samples[2].robots[1].health = CAIRN_HEALTH_LOST;
    series.samples[2].robots[1].error_m = 1.25f;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    const char *const names[] = {"emu1", "a,\"b\""};
    assert_true(cairn_series_write_csv(&series, 2, names, file));
    fclose(file);
    assert_string_equal(
        text, "t_s,explored_fraction,victims_found,victims_reported,radio_kbit_per_s,station,"
              "\"emu1.mode\",\"emu1.speed_mps\",\"emu1.distance_m\",\"emu1.state\","
              "\"emu1.health\",\"emu1.error_m\","
              "\"a,\"\"b\"\".mode\",\"a,\"\"b\"\".speed_mps\",\"a,\"\"b\"\".distance_m\","
              "\"a,\"\"b\"\".state\",\"a,\"\"b\"\".health\",\"a,\"\"b\"\".error_m\"\n"
              "0.000,0.00000,0,0,0.000,down,stopped,0.000,0.00,well,good,0.000,stopped,0.000,0.00,well,good,0.000\n"
              "2.000,0.00000,0,0,8.000,down,stopped,0.000,1.00,well,good,0.000,stopped,0.000,0.00,well,good,0.000\n"
              "4.000,0.00000,3,0,8.000,up,stopped,0.000,2.00,well,good,0.000,autonomous,0.000,0.00,dead,lost,1.250\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_mission_has_a_sample_every_two_seconds),
        cmocka_unit_test(a_day_takes_no_more_than_an_hour),
        cmocka_unit_test(rates_stay_true_when_it_is_thinned),
        cmocka_unit_test(the_end_is_there_once),
        cmocka_unit_test(the_table_has_a_row_for_each_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
