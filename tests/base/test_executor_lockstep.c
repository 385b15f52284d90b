// The lockstep executor does what executor.h says: compared with a slow scheduler that goes through every tick.
#include "base/executor.h"
#include "base/random.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

#define TICK_NS CAIRN_MS(4)
#define EVENTS_MAX 20000u
#define TASKS_MAX 16u
#define LANES_MAX 5u

typedef struct event {
    int64_t at_ns;
    uint32_t task;
    uint32_t is_publish;
} event;

// What happened in one lane, in order.
typedef struct trace {
    event events[EVENTS_MAX];
    uint32_t count;
} trace;

typedef struct recorder {
    trace *to;
    uint32_t task;
} recorder;

static void record(trace *to, int64_t at_ns, uint32_t task, bool is_publish)
{
    if (to->count < EVENTS_MAX) { to->events[to->count] = (event){at_ns, task, is_publish}; }
    to->count++;
}

static void record_step(void *state, cairn_mono now)
{
    const recorder *const self = state;
    record(self->to, now.ns, self->task, false);
}

static void record_publish(void *state, cairn_mono now)
{
    const recorder *const self = state;
    record(self->to, now.ns, self->task, true);
}

typedef struct plan {
    uint32_t lane_count, task_count;
    uint32_t phases[LANES_MAX];
    cairn_task_def tasks[TASKS_MAX];
    cairn_task_info infos[TASKS_MAX];
    trace *traces; // one for each lane
    recorder recorders[TASKS_MAX];
} plan;

static void random_plan(plan *made, cairn_random *random)
{
    trace *const traces = made->traces;
    *made = (plan){.traces = traces};
    for (uint32_t i = 0; i < LANES_MAX; i++) { traces[i].count = 0; }
    made->lane_count = 1 + cairn_random_below(random, LANES_MAX);
    made->task_count = 1 + cairn_random_below(random, TASKS_MAX);
    for (uint32_t i = 0; i < made->lane_count; i++) { made->phases[i] = cairn_random_below(random, 3); }
    for (uint32_t i = 0; i < made->task_count; i++) {
        cairn_task_def *const def = &made->tasks[i];
        *def = (cairn_task_def){
            .name = "task",
            .lane = cairn_random_below(random, made->lane_count),
            .processor = cairn_random_below(random, 3),
            .period_ns = TICK_NS * (1 + cairn_random_below(random, 12)),
            .offset_ns = TICK_NS * cairn_random_below(random, 10),
            .step = record_step,
            .publish = record_publish,
            .state = &made->recorders[i],
        };
        if (cairn_random_below(random, 2)) { def->cost_ns = 1 + cairn_random_below(random, 3 * (uint32_t)TICK_NS); }
        if (cairn_random_below(random, 8) == 0) { def->cost_ns = 4 * def->period_ns; }
        made->recorders[i] = (recorder){&traces[def->lane], i};
    }
}

// The obvious scheduler: a task keeps count of the periods that began and were not served.
typedef struct slow_task {
    uint32_t pending_count;
    int64_t oldest_ns, newest_ns; // of the pending
    bool is_running;
    int64_t finish_ns;
} slow_task;

static bool slow_is_free(const plan *of, const slow_task *tasks, uint32_t like)
{
    for (uint32_t i = 0; i < of->task_count; i++) {
        const bool same =
            of->tasks[i].lane == of->tasks[like].lane && of->tasks[i].processor == of->tasks[like].processor;
        if (same && tasks[i].is_running) { return false; }
    }
    return true;
}

static void slow_start(plan *of, slow_task *tasks, uint32_t task, int64_t now_ns)
{
    slow_task *const self = &tasks[task];
    const cairn_task_def *const def = &of->tasks[task];
    if (self->pending_count == 0 || !slow_is_free(of, tasks, task)) { return; }
    of->infos[task].step_count++;
    of->infos[task].skipped_count += self->pending_count - 1;
    if (now_ns - self->newest_ns > of->infos[task].late_ns_max) {
        of->infos[task].late_ns_max = now_ns - self->newest_ns;
    }
    self->pending_count = 0;
    record(&of->traces[def->lane], now_ns, task, false);
    if (def->cost_ns == 0) {
        record(&of->traces[def->lane], now_ns, task, true);
        return;
    }
    self->is_running = true;
    self->finish_ns = now_ns;
    while (self->finish_ns < now_ns + def->cost_ns) { self->finish_ns += TICK_NS; }
}

static void slow_tick(plan *of, slow_task *tasks, int64_t now_ns)
{
    for (uint32_t i = 0; i < of->task_count; i++) {
        if (tasks[i].is_running && tasks[i].finish_ns == now_ns) {
            record(&of->traces[of->tasks[i].lane], now_ns, i, true);
            tasks[i].is_running = false;
        }
    }
    for (uint32_t i = 0; i < of->task_count; i++) {
        const cairn_task_def *const def = &of->tasks[i];
        if (now_ns < def->offset_ns || (now_ns - def->offset_ns) % def->period_ns != 0) { continue; }
        if (tasks[i].pending_count++ == 0) { tasks[i].oldest_ns = now_ns; }
        tasks[i].newest_ns = now_ns;
    }
    // Those that wait, by the time since when; the last round takes those just due, in order of registration.
    for (int64_t due_ns = 0; due_ns <= now_ns; due_ns += TICK_NS) {
        for (uint32_t i = 0; i < of->task_count; i++) {
            if (tasks[i].oldest_ns == due_ns) { slow_start(of, tasks, i, now_ns); }
        }
    }
}

static void run_slowly(plan *of, int64_t until_ns)
{
    slow_task tasks[TASKS_MAX] = {0};
    for (int64_t now_ns = 0; now_ns < until_ns; now_ns += TICK_NS) { slow_tick(of, tasks, now_ns); }
}

// Runs the plan in three pieces.
static void run_really(plan *of, uint32_t worker_count, int64_t until_ns)
{
    cairn_workers *workers = NULL;
    cairn_executor *executor = NULL;
    assert_ok(cairn_workers_create(worker_count, &workers));
    assert_ok(cairn_executor_create_lockstep(TICK_NS, workers, &executor));
    for (uint32_t i = 0; i < of->lane_count; i++) {
        assert_int_equal(cairn_executor_add_lane(executor, "lane", of->phases[i]), i);
    }
    for (uint32_t i = 0; i < of->task_count; i++) {
        assert_int_equal(cairn_executor_add_task(executor, &of->tasks[i]), i);
    }
    for (int64_t piece = 1; piece <= 3; piece++) {
        cairn_executor_run(executor, (cairn_mono){until_ns * piece / 3});
        assert_int_equal(cairn_executor_now(executor).ns, until_ns * piece / 3);
    }
    for (uint32_t i = 0; i < of->task_count; i++) { of->infos[i] = cairn_executor_task_info(executor, i); }
    cairn_executor_destroy(executor);
    cairn_workers_destroy(workers);
}

static void assert_same_run(const plan *got, const plan *wanted)
{
    for (uint32_t i = 0; i < wanted->lane_count; i++) {
        assert_true(wanted->traces[i].count <= EVENTS_MAX);
        assert_int_equal(got->traces[i].count, wanted->traces[i].count);
        assert_memory_equal(got->traces[i].events, wanted->traces[i].events, wanted->traces[i].count * sizeof(event));
    }
    for (uint32_t i = 0; i < wanted->task_count; i++) {
        assert_int_equal(got->infos[i].step_count, wanted->infos[i].step_count);
        assert_int_equal(got->infos[i].skipped_count, wanted->infos[i].skipped_count);
        assert_int_equal(got->infos[i].late_ns_max, wanted->infos[i].late_ns_max);
    }
}

static void any_task_set_runs_as_the_slow_scheduler_says_with_1_and_2_workers(void **state)
{
    (void)state;
    plan wanted = {.traces = calloc(LANES_MAX, sizeof(trace))}, got = {.traces = calloc(LANES_MAX, sizeof(trace))};
    uint64_t skipped_count = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        cairn_random random;
        cairn_random_init(&random, seed, "test/plan"); // seeds 1 to 60
        random_plan(&wanted, &random);
        run_slowly(&wanted, 300 * TICK_NS);
        for (uint32_t worker_count = 1; worker_count <= 2; worker_count++) {
            cairn_random_init(&random, seed, "test/plan");
            random_plan(&got, &random);
            run_really(&got, worker_count, 300 * TICK_NS);
            assert_same_run(&got, &wanted);
        }
        for (uint32_t i = 0; i < wanted.task_count; i++) { skipped_count += wanted.infos[i].skipped_count; }
    }
    assert_true(skipped_count > 1000); // the plans were hard enough to mean something
    free(wanted.traces);
    free(got.traces);
}

typedef struct one_task {
    trace seen;
    recorder self;
    cairn_executor *executor;
} one_task;

static cairn_executor *executor_with(const cairn_task_def *defs, uint32_t count, uint32_t lane_count)
{
    cairn_executor *executor = NULL;
    assert_ok(cairn_executor_create_lockstep(CAIRN_MS(1), NULL, &executor));
    for (uint32_t i = 0; i < lane_count; i++) { cairn_executor_add_lane(executor, "lane", lane_count - i); }
    for (uint32_t i = 0; i < count; i++) { cairn_executor_add_task(executor, &defs[i]); }
    return executor;
}

// The figures of executor.h by hand: cost 2.5 ms on a 1 ms tick.
static void outputs_appear_at_now_plus_cost_rounded_up_to_a_tick(void **state)
{
    (void)state;
    static trace seen;
    recorder self = {&seen, 7};
    const cairn_task_def def = {.name = "a",
                                .period_ns = CAIRN_MS(10),
                                .offset_ns = CAIRN_MS(2),
                                .cost_ns = 2500000,
                                .step = record_step,
                                .publish = record_publish,
                                .state = &self};
    cairn_executor *const executor = executor_with(&def, 1, 1);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(15)});
    const event wanted[] = {{CAIRN_MS(2), 7, 0}, {CAIRN_MS(5), 7, 1}, {CAIRN_MS(12), 7, 0}};
    assert_int_equal(seen.count, 3);
    assert_memory_equal(seen.events, wanted, sizeof wanted);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(16)});
    assert_int_equal(seen.count, 4);
    assert_int_equal(seen.events[3].at_ns, CAIRN_MS(15));
    cairn_executor_destroy(executor);
}

// A costly task that is always due must not keep the others of its processor out for ever.
static void no_task_starves_behind_an_overloaded_one(void **state)
{
    (void)state;
    static trace seen;
    recorder greedy = {&seen, 0}, modest = {&seen, 1}, quick = {&seen, 2};
    const cairn_task_def defs[] = {
        {.name = "g", .period_ns = CAIRN_MS(1), .cost_ns = CAIRN_MS(5), .step = record_step, .state = &greedy},
        {.name = "m", .period_ns = CAIRN_MS(20), .cost_ns = CAIRN_MS(5), .step = record_step, .state = &modest},
        {.name = "q", .period_ns = CAIRN_MS(20), .step = record_step, .state = &quick},
    };
    cairn_executor *const executor = executor_with(defs, 3, 1);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(200)});
    assert_int_equal(cairn_executor_task_info(executor, 1).step_count, 10);
    assert_int_equal(cairn_executor_task_info(executor, 2).step_count, 10);
    assert_int_equal(cairn_executor_task_info(executor, 0).step_count, 30);
    cairn_executor_destroy(executor);
}

// Lane 0 has phase 2, lane 1 phase 1: what phase 1 wrote is read by phase 2 in the same tick.
static void phases_run_in_order_within_a_tick(void **state)
{
    (void)state;
    static trace seen;
    recorder late = {&seen, 0}, early = {&seen, 1};
    const cairn_task_def defs[] = {
        {.name = "l", .lane = 0, .period_ns = CAIRN_MS(1), .step = record_step, .state = &late},
        {.name = "e", .lane = 1, .period_ns = CAIRN_MS(2), .step = record_step, .state = &early},
    };
    cairn_executor *const executor = executor_with(defs, 2, 2);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(3)});
    const event wanted[] = {{0, 1, 0}, {0, 0, 0}, {CAIRN_MS(1), 0, 0}, {CAIRN_MS(2), 1, 0}, {CAIRN_MS(2), 0, 0}};
    assert_int_equal(seen.count, 5);
    assert_memory_equal(seen.events, wanted, sizeof wanted);
    cairn_executor_destroy(executor);
}

static void stop_at_5_ms(void *state, cairn_mono now)
{
    one_task *const self = state;
    record_step(&self->self, now);
    assert_int_equal(cairn_executor_now(self->executor).ns, now.ns);
    if (now.ns == CAIRN_MS(5)) { cairn_executor_ask_stop(self->executor); }
}

static void a_stop_ends_the_run_after_its_tick_and_the_next_run_goes_on(void **state)
{
    (void)state;
    static one_task task;
    task.self = (recorder){&task.seen, 0};
    const cairn_task_def defs[] = {
        {.name = "a", .lane = 0, .period_ns = CAIRN_MS(1), .step = record_step, .state = &task.self},
        {.name = "s", .lane = 1, .period_ns = CAIRN_MS(1), .step = stop_at_5_ms, .state = &task},
    };
    cairn_executor *const executor = task.executor = executor_with(defs, 2, 2);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(10)});
    assert_int_equal(task.seen.count, 12);
    assert_int_equal(cairn_executor_now(executor).ns, CAIRN_MS(6));
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(10)});
    assert_int_equal(task.seen.count, 20);

    cairn_executor_ask_stop(executor);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(20)});
    assert_int_equal(task.seen.count, 20);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(20)});
    assert_int_equal(task.seen.count, 40);
    cairn_executor_destroy(executor);
}

static void count_publish(void *state, cairn_mono now)
{
    (void)now;
    ++*(int *)state;
}

static void do_nothing(void *state, cairn_mono now)
{
    (void)state;
    (void)now;
}

// A process that is killed says nothing of what it was at; the next one begins at once.
static void outputs_of_a_step_that_is_forgotten_never_appear(void **state)
{
    (void)state;
    cairn_executor *executor = NULL;
    assert_ok(cairn_executor_create_lockstep(CAIRN_MS(1), NULL, &executor));
    int published = 0;
    const cairn_task_def def = {.name = "task",
                                .lane = cairn_executor_add_lane(executor, "lane", 0),
                                .period_ns = CAIRN_MS(100),
                                .cost_ns = CAIRN_MS(10),
                                .step = do_nothing,
                                .publish = count_publish,
                                .state = &published};
    cairn_executor_add_task(executor, &def);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(5)});
    cairn_executor_forget(executor, "lane", 0);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(105)});
    assert_int_equal(published, 0);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(150)});
    assert_int_equal(published, 1);
    cairn_executor_destroy(executor);
}

static void what_does_not_fit_the_tick_is_a_breach(void **state)
{
    (void)state;
    recorder self = {0};
    cairn_task_def def = {.name = "a", .period_ns = CAIRN_MS(1) + 1, .step = record_step, .state = &self};
    cairn_executor *const executor = executor_with(NULL, 0, 1);
    assert_breach(cairn_executor_add_task(executor, &def));
    def.period_ns = CAIRN_MS(1);
    def.offset_ns = 1;
    assert_breach(cairn_executor_add_task(executor, &def));
    def.offset_ns = 0;
    def.lane = 1;
    assert_breach(cairn_executor_add_task(executor, &def));
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(1)});
    assert_breach(cairn_executor_add_lane(executor, "too late", 0));
    assert_false(cairn_executor_is_realtime(executor, NULL));
    cairn_executor_destroy(executor);
    cairn_executor_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_task_set_runs_as_the_slow_scheduler_says_with_1_and_2_workers),
        cmocka_unit_test(outputs_appear_at_now_plus_cost_rounded_up_to_a_tick),
        cmocka_unit_test(no_task_starves_behind_an_overloaded_one),
        cmocka_unit_test(phases_run_in_order_within_a_tick),
        cmocka_unit_test(a_stop_ends_the_run_after_its_tick_and_the_next_run_goes_on),
        cmocka_unit_test(outputs_of_a_step_that_is_forgotten_never_appear),
        cmocka_unit_test(what_does_not_fit_the_tick_is_a_breach),
    };
    return cmocka_run_group_tests_name("executor_lockstep", tests, NULL, NULL);
}
