// Time that another process rules: it fills the gaps, stands still with its ruler, and never goes back.
#include "base/executor.h"
#include "base/ruled_clock.h"
#include "check.h"
#include <pthread.h>
#include <stdlib.h>

static void nothing_published_is_time_zero(void **state)
{
    (void)state;
    cairn_ruled_memory memory = {0};
    cairn_ruled_clock clock;
    cairn_ruled_clock_init(&clock, &memory);
    assert_int_equal(cairn_ruled_now(&clock, (cairn_mono){CAIRN_S(5)}).ns, 0);
    assert_true(cairn_ruled_silent_ns(&clock, (cairn_mono){CAIRN_S(5)}) == INT64_MAX);
}

static void moments_in_between_are_filled_in_up_to_a_bound(void **state)
{
    (void)state;
    cairn_ruled_memory memory = {0};
    cairn_ruled_clock clock;
    cairn_ruled_clock_init(&clock, &memory);
    cairn_ruled_publish(&memory, (cairn_mono){CAIRN_S(100)}, (cairn_mono){CAIRN_S(7)});
    assert_int_equal(cairn_ruled_now(&clock, (cairn_mono){CAIRN_S(7) + 1000}).ns, CAIRN_S(100) + 1000);
    const int64_t still_ns = CAIRN_S(100) + CAIRN_RULED_NS_AHEAD;
    assert_int_equal(cairn_ruled_now(&clock, (cairn_mono){CAIRN_S(8)}).ns, still_ns);
    assert_int_equal(cairn_ruled_now(&clock, (cairn_mono){CAIRN_S(80)}).ns, still_ns);
    assert_int_equal(cairn_ruled_silent_ns(&clock, (cairn_mono){CAIRN_S(80)}), CAIRN_S(73));
}

// A ruler that was late and goes on from where it was is, for a moment, behind what its followers believed.
static void time_does_not_go_back(void **state)
{
    (void)state;
    cairn_ruled_memory memory = {0};
    cairn_ruled_clock clock;
    cairn_ruled_clock_init(&clock, &memory);
    srand(4);
    cairn_mono ruled = {0}, machine = {CAIRN_S(3)}, last = {0};
    for (int i = 0; i < 20000; i++) {
        machine.ns += rand() % CAIRN_MS(9);
        if (rand() % 3 == 0) {
            ruled.ns += CAIRN_MS(4);
            cairn_ruled_publish(&memory, ruled, machine);
        }
        const cairn_mono now = cairn_ruled_now(&clock, machine);
        assert_true(now.ns >= last.ns);
        assert_true(now.ns <= ruled.ns + CAIRN_RULED_NS_AHEAD);
        last = now;
    }
}

typedef struct ruler {
    cairn_ruled_memory memory;
    atomic_bool over;
} ruler;

// Half as fast as the machine's.
static void *rule(void *context)
{
    ruler *self = context;
    for (cairn_mono ruled = {CAIRN_S(50)}; !atomic_load(&self->over); ruled.ns += CAIRN_MS(1)) {
        cairn_ruled_publish(&self->memory, ruled, cairn_mono_now());
        cairn_mono_sleep_until(cairn_mono_add(cairn_mono_now(), CAIRN_MS(2)));
    }
    return NULL;
}

typedef struct steps {
    cairn_mono last;
    uint64_t count, wrong_count;
} steps;

static void take_step(void *state, cairn_mono now)
{
    steps *self = state;
    self->wrong_count += now.ns < self->last.ns || now.ns < CAIRN_S(50);
    self->last = now;
    self->count++;
}

static void an_executor_runs_by_the_rulers_time(void **state)
{
    (void)state;
    static ruler one;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, rule, &one), 0);
    cairn_ruled_clock clock;
    cairn_ruled_clock_init(&clock, &one.memory);
    while (cairn_ruled_now(&clock, cairn_mono_now()).ns == 0) {}
    cairn_executor *executor = NULL;
    assert_ok(cairn_executor_create_by_time(cairn_ruled_time(&clock), &executor));
    steps seen = {0};
    const uint32_t lane = cairn_executor_add_lane(executor, "lane", 0);
    const cairn_task_def task = {
        .name = "step", .lane = lane, .period_ns = CAIRN_MS(8), .step = take_step, .state = &seen};
    cairn_executor_add_task(executor, &task);
    const cairn_mono until = cairn_mono_add(cairn_executor_now(executor), CAIRN_MS(200));
    cairn_executor_run(executor, until);
    atomic_store(&one.over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(seen.wrong_count, 0);
    assert_true(seen.count >= 1 && seen.count <= 26);
    assert_true(cairn_executor_now(executor).ns >= until.ns);
    cairn_executor_destroy(executor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_published_is_time_zero),
        cmocka_unit_test(moments_in_between_are_filled_in_up_to_a_bound),
        cmocka_unit_test(time_does_not_go_back),
        cmocka_unit_test(an_executor_runs_by_the_rulers_time),
    };
    return cmocka_run_group_tests_name("ruled_clock", tests, NULL, NULL);
}
