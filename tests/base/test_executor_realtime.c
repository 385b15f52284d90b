// The realtime executor starts nothing early, loses no period uncounted, and can be stopped from anywhere.
#include "base/executor.h"
#include "check.h"
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

#define PERIOD_NS CAIRN_MS(5)
#define HOUR_NS CAIRN_S(3600)

typedef struct counter {
    cairn_executor *executor;
    uint64_t step_count, publish_count, stop_after;
    int64_t last_period;  // that a step was started in
    uint64_t wrong_count; // steps in a period that had been served, outputs without a step
    cairn_mono stepped_at;
} counter;

static void count_step(void *state, cairn_mono now)
{
    counter *const self = state;
    const int64_t period = now.ns / PERIOD_NS;
    self->wrong_count += self->step_count > 0 && period <= self->last_period;
    self->last_period = period;
    self->stepped_at = now;
    self->step_count++;
    if (self->step_count == self->stop_after) { cairn_executor_ask_stop(self->executor); }
}

static void count_publish(void *state, cairn_mono now)
{
    counter *const self = state;
    self->publish_count++;
    self->wrong_count += self->publish_count != self->step_count || now.ns < self->stepped_at.ns;
}

static cairn_executor *new_executor(void)
{
    cairn_executor *executor = NULL;
    assert_ok(cairn_executor_create_realtime(&executor));
    return executor;
}

static void each_period_is_served_once_or_counted_as_skipped(void **state)
{
    (void)state;
    cairn_executor *const executor = new_executor();
    counter count = {.executor = executor};
    const uint32_t lane = cairn_executor_add_lane(executor, "emu1", 0);
    const uint32_t task = cairn_executor_add_task(executor, &(cairn_task_def){.name = "count",
                                                                              .lane = lane,
                                                                              .period_ns = PERIOD_NS,
                                                                              .step = count_step,
                                                                              .publish = count_publish,
                                                                              .state = &count});
    cairn_executor_run(executor, (cairn_mono){12 * PERIOD_NS});
    const cairn_task_info info = cairn_executor_task_info(executor, task);
    assert_int_equal(count.wrong_count, 0);
    assert_int_equal(info.step_count, count.step_count);
    assert_int_equal(info.step_count, count.publish_count);
    assert_true(info.step_count >= 1);
    assert_true(info.step_count + info.skipped_count >= 12);
    assert_true(info.late_ns_max >= 0 && info.late_ns_max < PERIOD_NS);
    assert_true(info.step_ns_max > 0);
    cairn_executor_destroy(executor);
}

static void sleep_three_periods(void *state, cairn_mono now)
{
    count_step(state, now);
    cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), 3 * PERIOD_NS));
}

// The first run ends late, with a period waiting; the second serves it at the time where the first ended.
static void time_stands_still_between_runs(void **state)
{
    (void)state;
    cairn_executor *const executor = new_executor();
    counter count = {.executor = executor, .stop_after = 2};
    assert_int_equal(cairn_executor_now(executor).ns, 0);
    const uint32_t lane = cairn_executor_add_lane(executor, "emu1", 0);
    cairn_executor_add_task(
        executor,
        &(cairn_task_def){
            .name = "sleep", .lane = lane, .period_ns = PERIOD_NS, .step = sleep_three_periods, .state = &count});
    cairn_executor_run(executor, (cairn_mono){PERIOD_NS});
    const cairn_mono paused = cairn_executor_now(executor);
    assert_int_equal(count.step_count, 1);
    assert_true(paused.ns >= 3 * PERIOD_NS);
    cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), CAIRN_MS(2)));
    assert_int_equal(cairn_executor_now(executor).ns, paused.ns);
    cairn_executor_run(executor, cairn_mono_add(paused, PERIOD_NS));
    assert_int_equal(count.wrong_count, 0);
    assert_int_equal(count.step_count, 2);
    assert_true(count.stepped_at.ns >= paused.ns);
    assert_true(cairn_executor_now(executor).ns >= paused.ns + 3 * PERIOD_NS);
    cairn_executor_destroy(executor);
}

static void tasks_of_one_processor_take_turns(void **state)
{
    (void)state;
    cairn_executor *const executor = new_executor();
    counter often = {0}, seldom = {0};
    const uint32_t lane = cairn_executor_add_lane(executor, "emu1", 0);
    cairn_executor_add_task(
        executor,
        &(cairn_task_def){.name = "often", .lane = lane, .period_ns = PERIOD_NS, .step = count_step, .state = &often});
    const uint32_t task = cairn_executor_add_task(executor, &(cairn_task_def){.name = "seldom",
                                                                              .lane = lane,
                                                                              .period_ns = 3 * PERIOD_NS,
                                                                              .offset_ns = PERIOD_NS,
                                                                              .step = count_step,
                                                                              .state = &seldom});
    cairn_executor_run(executor, (cairn_mono){7 * PERIOD_NS});
    const cairn_task_info info = cairn_executor_task_info(executor, task);
    assert_true(info.step_count >= 1 && info.step_count + info.skipped_count >= 2);
    assert_true(often.step_count >= 1);
    assert_int_equal(often.wrong_count + seldom.wrong_count, 0);
    cairn_executor_destroy(executor);
}

static void a_step_can_stop_the_run(void **state)
{
    (void)state;
    cairn_executor *const executor = new_executor();
    counter count = {.executor = executor, .stop_after = 3}, other = {0};
    const uint32_t lane = cairn_executor_add_lane(executor, "emu1", 0);
    cairn_executor_add_task(
        executor,
        &(cairn_task_def){.name = "stop", .lane = lane, .period_ns = PERIOD_NS, .step = count_step, .state = &count});
    cairn_executor_add_task(executor, &(cairn_task_def){.name = "sleep",
                                                        .lane = lane,
                                                        .processor = 1,
                                                        .period_ns = HOUR_NS,
                                                        .offset_ns = HOUR_NS / 2,
                                                        .step = count_step,
                                                        .state = &other});
    cairn_executor_run(executor, (cairn_mono){HOUR_NS});
    assert_int_equal(count.step_count, 3);
    assert_int_equal(other.step_count, 0);
    cairn_executor_destroy(executor);
}

static cairn_executor *interrupted;

static void stop_on_signal(int number)
{
    (void)number;
    cairn_executor_ask_stop(interrupted);
}

static void a_signal_handler_can_stop_the_run(void **state)
{
    (void)state;
    interrupted = new_executor();
    counter count = {0};
    const uint32_t lane = cairn_executor_add_lane(interrupted, "emu1", 0);
    cairn_executor_add_task(
        interrupted,
        &(cairn_task_def){.name = "sleep", .lane = lane, .period_ns = HOUR_NS, .step = count_step, .state = &count});
    struct sigaction act = {.sa_handler = stop_on_signal}, before;
    assert_int_equal(sigaction(SIGALRM, &act, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 30000}}, NULL), 0);
    cairn_executor_run(interrupted, (cairn_mono){HOUR_NS});
    assert_true(cairn_executor_now(interrupted).ns < HOUR_NS);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    cairn_executor_destroy(interrupted);
}

typedef struct meeting {
    _Atomic int here_count;
    cairn_executor *executor;
} meeting;

static void wait_for_the_other(void *state, cairn_mono now)
{
    (void)now;
    meeting *const place = state;
    atomic_fetch_add(&place->here_count, 1);
    while (atomic_load(&place->here_count) < 2) { cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), 10000)); }
    cairn_executor_ask_stop(place->executor);
}

// Two steps that wait for each other end only if each processor is a thread of its own.
static void processors_of_a_lane_run_side_by_side(void **state)
{
    (void)state;
    cairn_executor *const executor = new_executor();
    meeting place = {.executor = executor};
    const uint32_t lane = cairn_executor_add_lane(executor, "emu1", 0);
    for (uint32_t i = 0; i < 2; i++) {
        cairn_executor_add_task(executor, &(cairn_task_def){.name = "meet",
                                                            .lane = lane,
                                                            .processor = i,
                                                            .period_ns = HOUR_NS,
                                                            .step = wait_for_the_other,
                                                            .state = &place});
    }
    cairn_executor_run(executor, (cairn_mono){HOUR_NS});
    assert_int_equal(place.here_count, 2);
    cairn_executor_destroy(executor);
}

// Whether the rights are granted depends on the machine; that a refusal is said does not.
static void refused_rights_are_said(void **state)
{
    (void)state;
    for (int priority = 0; priority <= 50; priority += 50) {
        cairn_executor *const executor = new_executor();
        counter count = {.executor = executor, .stop_after = 1};
        const uint32_t lane = cairn_executor_add_lane(executor, "emu1", 0);
        cairn_executor_add_task(executor, &(cairn_task_def){.name = "count",
                                                            .lane = lane,
                                                            .period_ns = PERIOD_NS,
                                                            .priority = priority,
                                                            .step = count_step,
                                                            .state = &count});
        cairn_executor_run(executor, (cairn_mono){HOUR_NS});
        static cairn_complaints why;
        memset(&why, 0, sizeof why);
        const bool granted = cairn_executor_is_realtime(executor, &why);
        assert_true(granted || priority > 0);
        assert_int_equal(granted, why.count == 0);
        assert_int_equal(granted, cairn_executor_is_realtime(executor, NULL));
        cairn_executor_destroy(executor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_period_is_served_once_or_counted_as_skipped),
        cmocka_unit_test(time_stands_still_between_runs),
        cmocka_unit_test(tasks_of_one_processor_take_turns),
        cmocka_unit_test(a_step_can_stop_the_run),
        cmocka_unit_test(a_signal_handler_can_stop_the_run),
        cmocka_unit_test(processors_of_a_lane_run_side_by_side),
        cmocka_unit_test(refused_rights_are_said),
    };
    return cmocka_run_group_tests_name("executor_realtime", tests, NULL, NULL);
}
