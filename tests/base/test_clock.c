// Time goes forward, sleeping ends no earlier than asked, conversions round to the nearest nanosecond.
#include "base/clock.h"
#include "check.h"

static void monotonic_time_never_goes_back(void **state)
{
    (void)state;
    cairn_mono before = cairn_mono_now();
    int back_count = 0;
    for (int i = 0; i < 100000; i++) {
        const cairn_mono now = cairn_mono_now();
        back_count += cairn_mono_since(now, before) < 0;
        before = now;
    }
    assert_int_equal(back_count, 0);
}

static void sleeping_ends_no_earlier_than_asked(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        const cairn_mono until = cairn_mono_add(cairn_mono_now(), CAIRN_MS(2));
        cairn_mono_sleep_until(until);
        assert_true(cairn_mono_since(cairn_mono_now(), until) >= 0);
    }
    cairn_mono_sleep_until((cairn_mono){0});
    cairn_mono_sleep_until((cairn_mono){-5});
}

static void work_takes_processor_time(void **state)
{
    (void)state;
    const int64_t start_ns = cairn_thread_cpu_ns();
    for (volatile uint32_t i = 0; i < 1000000; i++) {}
    assert_true(cairn_thread_cpu_ns() > start_ns);
}

static void wall_time_is_after_this_was_written(void **state)
{
    (void)state;
    assert_true(cairn_wall_now().ns > CAIRN_S(1700000000));
}

static void seconds_round_to_the_nearest_nanosecond(void **state)
{
    (void)state;
    assert_int_equal(cairn_ns_from_seconds(0.004), CAIRN_MS(4));
    assert_int_equal(cairn_ns_from_seconds(-0.0000000014), -1);
    assert_int_equal(cairn_ns_from_seconds(0.0000000016), 2);
    for (int64_t ns = -CAIRN_S(5); ns < CAIRN_S(5); ns += 123456789) {
        assert_int_equal(cairn_ns_from_seconds(cairn_seconds(ns)), ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotonic_time_never_goes_back),
        cmocka_unit_test(sleeping_ends_no_earlier_than_asked),
        cmocka_unit_test(work_takes_processor_time),
        cmocka_unit_test(wall_time_is_after_this_was_written),
        cmocka_unit_test(seconds_round_to_the_nearest_nanosecond),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
