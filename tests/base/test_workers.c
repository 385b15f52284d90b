// Every job of a round is done exactly once before run returns, with any number of workers.
#include "base/random.h"
#include "base/workers.h"
#include "check.h"
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define JOBS_MAX 100

typedef struct round_state {
    uint32_t done[JOBS_MAX]; // not atomic: a job writes only its own
    uint32_t number;
} round_state;

static void mark_done(void *context, uint32_t job)
{
    round_state *const round = context;
    round->done[job] += round->number;
}

// Many rounds in quick succession, so that late workers meet the rounds after theirs.
static void run_rounds(uint32_t worker_count, uint32_t round_count)
{
    cairn_workers *workers = NULL;
    assert_ok(cairn_workers_create(worker_count, &workers));
    assert_int_equal(cairn_workers_count(workers), worker_count);
    cairn_random random;
    cairn_random_init(&random, worker_count, "test/workers"); // seed: the number of workers
    for (uint32_t n = 1; n <= round_count; n++) {
        round_state round = {.number = n};
        const uint32_t job_count = cairn_random_below(&random, n % 7 ? 6 : JOBS_MAX);
        cairn_workers_run(workers, mark_done, &round, job_count);
        for (uint32_t i = 0; i < JOBS_MAX; i++) { assert_int_equal(round.done[i], i < job_count ? n : 0); }
    }
    cairn_workers_destroy(workers);
}

static void each_job_is_done_once(void **state)
{
    (void)state;
    run_rounds(1, 100);
    run_rounds(2, 10000);
    run_rounds(5, 2000); // more than most machines have
}

// Pauses between rounds let the workers fall asleep; they must be found again.
static void sleeping_workers_are_woken(void **state)
{
    (void)state;
    cairn_workers *workers = NULL;
    assert_ok(cairn_workers_create(3, &workers));
    for (uint32_t n = 1; n <= 50; n++) {
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
        round_state round = {.number = n};
        cairn_workers_run(workers, mark_done, &round, 10);
        for (uint32_t i = 0; i < 10; i++) { assert_int_equal(round.done[i], n); }
    }
    cairn_workers_destroy(workers);
}

static void mark_done_slowly(void *context, uint32_t job)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000 * job}, NULL);
    mark_done(context, job);
}

static void run_waits_for_the_slowest_job(void **state)
{
    (void)state;
    cairn_workers *workers = NULL;
    assert_ok(cairn_workers_create(4, &workers));
    for (uint32_t n = 1; n <= 20; n++) {
        round_state round = {.number = n};
        cairn_workers_run(workers, mark_done_slowly, &round, 4);
        for (uint32_t i = 0; i < 4; i++) { assert_int_equal(round.done[i], n); }
    }
    cairn_workers_destroy(workers);
}

static void meet(void *context, uint32_t job)
{
    (void)job;
    _Atomic int *const waiting = context;
    atomic_fetch_add(waiting, 1);
    while (atomic_load(waiting) < 2) { nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL); }
}

// Two jobs that wait for each other end only if two threads do them.
static void two_workers_work_at_the_same_time(void **state)
{
    (void)state;
    cairn_workers *workers = NULL;
    assert_ok(cairn_workers_create(2, &workers));
    for (int i = 0; i < 20; i++) {
        _Atomic int waiting = 0;
        cairn_workers_run(workers, meet, &waiting, 2);
        assert_int_equal(waiting, 2);
    }
    cairn_workers_destroy(workers);
}

static void record_order(void *context, uint32_t job)
{
    uint32_t *const list = context;
    list[++list[0]] = job;
}

static void without_workers_jobs_run_in_order(void **state)
{
    (void)state;
    uint32_t list[6] = {0};
    cairn_workers_run(NULL, record_order, list, 5);
    for (uint32_t i = 0; i < 5; i++) { assert_int_equal(list[i + 1], i); }
    assert_int_equal(cairn_workers_count(NULL), 1);
    cairn_workers_destroy(NULL);
}

typedef struct nested_state {
    cairn_workers *workers;
    round_state inner[8];
} nested_state;

static void run_inner(void *context, uint32_t job)
{
    nested_state *const nested = context;
    nested->inner[job].number = job + 1;
    cairn_workers_run(nested->workers, mark_done, &nested->inner[job], 20);
}

static void a_job_may_use_the_workers_itself(void **state)
{
    (void)state;
    nested_state nested = {0};
    assert_ok(cairn_workers_create(3, &nested.workers));
    cairn_workers_run(nested.workers, run_inner, &nested, 8);
    for (uint32_t job = 0; job < 8; job++) {
        for (uint32_t i = 0; i < 20; i++) { assert_int_equal(nested.inner[job].done[i], job + 1); }
    }
    cairn_workers_destroy(nested.workers);
}

static void zero_means_as_many_workers_as_processors(void **state)
{
    (void)state;
    cairn_workers *workers = NULL;
    assert_ok(cairn_workers_create(0, &workers));
    assert_int_equal(cairn_workers_count(workers), sysconf(_SC_NPROCESSORS_ONLN));
    cairn_workers_destroy(workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_job_is_done_once),
        cmocka_unit_test(sleeping_workers_are_woken),
        cmocka_unit_test(run_waits_for_the_slowest_job),
        cmocka_unit_test(two_workers_work_at_the_same_time),
        cmocka_unit_test(without_workers_jobs_run_in_order),
        cmocka_unit_test(a_job_may_use_the_workers_itself),
        cmocka_unit_test(zero_means_as_many_workers_as_processors),
    };
    return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
