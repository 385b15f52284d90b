// workers.c - a team of threads that waits for rounds of jobs.
//
// A round is one call of run. Its number and the next job to do share one atomic word, the ticket: a worker takes
// a job by compare-and-swap, which fails if it looked at an earlier round. The caller
// works too and returns when every job is done, not when every worker has noticed: on a loaded machine a
// worker that does not get a processor delays nobody.
// Waiting spins for a while, because lockstep starts rounds in quick succession, and then sleeps on a futex.
#include "base/workers.h"
#include "base/clock.h"
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORKERS_MAX 256u
// How long a wait spins before it sleeps: about what being woken costs, so that no wait costs more than twice what it
// must. More: rounds that follow each other closely start sooner; less: fewer processor cycles lost when they do not.
#define SPIN_NS 50000
#define LOOKS_PER_CLOCK 16u // reading the clock costs about two pauses

// What different threads write lies on different cache lines.
struct cairn_workers { // NOLINT(clang-analyzer-optin.performance.Padding)
    uint32_t count;    // with the caller
    int64_t spin_ns;   // 0 where threads outnumber processors
    uint32_t thread_count;
    pthread_t *threads;
    _Atomic bool running;
    _Atomic bool ending;

    _Alignas(64) _Atomic uint64_t ticket; // number of the round in the upper half, next job in the lower
    _Atomic uint32_t job_count;           // these three belong to the round of the ticket
    _Atomic(cairn_job_fn) job;
    _Atomic(void *) context;
    _Alignas(64) _Atomic uint32_t round; // what sleeping workers wait for: the ticket's upper half
    _Atomic uint32_t sleeping_count;
    _Alignas(64) _Atomic uint32_t done_count; // what a sleeping caller waits for
    _Atomic bool caller_sleeps;
};

static void sleep_while_equal(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word, uint32_t count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Returns whether the word (when wanted) became equal to the value or (when not) different from it while we spun.
static bool spin_until(const cairn_workers *workers, _Atomic uint32_t *word, uint32_t value, bool wanted)
{
    const int64_t end_ns = workers->spin_ns ? cairn_mono_now().ns + workers->spin_ns : 0;
    do {
        for (uint32_t i = 0; i < LOOKS_PER_CLOCK; i++) {
            if ((atomic_load_explicit(word, memory_order_acquire) == value) == wanted) { return true; }
            pause_briefly();
        }
    } while (workers->spin_ns && cairn_mono_now().ns < end_ns);
    return false;
}

// Takes the next job and returns true, or false when none is left.
// job and context are read before the swap: if it succeeds, the round was not over and they were its own. (They are
// stored after the ticket of their round, with release, so that whoever reads a newer one fails to swap.)
static bool take_job(cairn_workers *workers, cairn_job_fn *ret_job, void **ret_context, uint32_t *ret_index)
{
    uint64_t ticket = atomic_load_explicit(&workers->ticket, memory_order_acquire);
    for (;;) {
        const uint32_t index = (uint32_t)ticket;
        if (index >= atomic_load_explicit(&workers->job_count, memory_order_acquire)) { return false; }
        *ret_job = atomic_load_explicit(&workers->job, memory_order_acquire);
        *ret_context = atomic_load_explicit(&workers->context, memory_order_acquire);
        *ret_index = index;
        if (atomic_compare_exchange_weak_explicit(&workers->ticket, &ticket, ticket + 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            return true;
        }
    }
}

static void do_jobs(cairn_workers *workers)
{
    cairn_job_fn job;
    void *context;
    uint32_t index;
    while (take_job(workers, &job, &context, &index)) {
        job(context, index);
        atomic_fetch_add(&workers->done_count, 1);
        if (atomic_load(&workers->caller_sleeps)) { wake(&workers->done_count, 1); }
    }
}

// Returns the number of the next round once it has begun.
static uint32_t await_round(cairn_workers *workers, uint32_t seen)
{
    if (!spin_until(workers, &workers->round, seen, false)) {
        atomic_fetch_add(&workers->sleeping_count, 1);
        while (atomic_load(&workers->round) == seen) { sleep_while_equal(&workers->round, seen); }
        atomic_fetch_sub(&workers->sleeping_count, 1);
    }
    return atomic_load(&workers->round);
}

static void *worker_main(void *context)
{
    cairn_workers *const workers = context;
    for (uint32_t round = 0;;) {
        round = await_round(workers, round);
        if (atomic_load(&workers->ending)) { return NULL; }
        do_jobs(workers);
    }
}

static void begin_round(cairn_workers *workers, uint32_t round, uint32_t woken_count_max)
{
    // The next two are ordered against await_round: either it sees the new round, or we see that it sleeps.
    atomic_store(&workers->round, round);
    if (atomic_load(&workers->sleeping_count) > 0) { wake(&workers->round, woken_count_max); }
}

static uint32_t processor_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > WORKERS_MAX ? WORKERS_MAX : (uint32_t)count;
}

static bool start_threads(cairn_workers *workers)
{
    // Signals are for the thread that started us.
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) { return false; }
    while (workers->thread_count + 1 < workers->count) {
        pthread_t *const thread = &workers->threads[workers->thread_count];
        if (pthread_create(thread, NULL, worker_main, workers) != 0) { break; }
        pthread_setname_np(*thread, "cairn-worker");
        workers->thread_count++;
    }
    const int failed = pthread_sigmask(SIG_SETMASK, &before, NULL);
    CAIRN_ASSERT(!failed);
    return workers->thread_count + 1 == workers->count;
}

cairn_err cairn_workers_create(uint32_t worker_count, cairn_workers **ret_workers)
{
    CAIRN_ASSERT(ret_workers && worker_count <= WORKERS_MAX);
    cairn_workers *const workers = aligned_alloc(_Alignof(cairn_workers), sizeof *workers);
    if (!workers) { return CAIRN_ERR_FULL; }
    *workers = (cairn_workers){.count = worker_count ? worker_count : processor_count()};
    workers->spin_ns = workers->count <= processor_count() ? SPIN_NS : 0;
    workers->threads = calloc(workers->count, sizeof *workers->threads);
    if (!workers->threads || !start_threads(workers)) {
        cairn_workers_destroy(workers);
        return CAIRN_ERR_FULL;
    }
    *ret_workers = workers;
    return CAIRN_OK;
}

void cairn_workers_destroy(cairn_workers *workers)
{
    if (!workers) { return; }
    CAIRN_ASSERT(!atomic_load(&workers->running));
    atomic_store(&workers->ending, true);
    begin_round(workers, atomic_load(&workers->round) + 1, WORKERS_MAX);
    for (uint32_t i = 0; i < workers->thread_count; i++) {
        const int failed = pthread_join(workers->threads[i], NULL);
        CAIRN_ASSERT(!failed);
    }
    free(workers->threads);
    free(workers);
}

uint32_t cairn_workers_count(const cairn_workers *workers) { return workers ? workers->count : 1; }

static void await_jobs(cairn_workers *workers, uint32_t job_count)
{
    if (spin_until(workers, &workers->done_count, job_count, true)) { return; }
    atomic_store(&workers->caller_sleeps, true);
    uint32_t done_count;
    while ((done_count = atomic_load(&workers->done_count)) != job_count) {
        sleep_while_equal(&workers->done_count, done_count);
    }
    atomic_store(&workers->caller_sleeps, false);
}

static void run_shared(cairn_workers *workers, cairn_job_fn job, void *context, uint32_t job_count)
{
    const uint32_t round = atomic_load_explicit(&workers->round, memory_order_relaxed) + 1;
    atomic_store_explicit(&workers->done_count, 0, memory_order_relaxed);
    // Close the old round before its job count changes: a late worker must not find jobs in it.
    atomic_store_explicit(&workers->ticket, (uint64_t)round << 32 | UINT32_MAX, memory_order_relaxed);
    atomic_store_explicit(&workers->job_count, job_count, memory_order_release);
    atomic_store_explicit(&workers->job, job, memory_order_release);
    atomic_store_explicit(&workers->context, context, memory_order_release);
    atomic_store_explicit(&workers->ticket, (uint64_t)round << 32, memory_order_release);
    begin_round(workers, round, job_count - 1);
    do_jobs(workers);
    await_jobs(workers, job_count);
}

void cairn_workers_run(cairn_workers *workers, cairn_job_fn job, void *context, uint32_t job_count)
{
    CAIRN_ASSERT(job && job_count < UINT32_MAX);
    const bool alone = !workers || workers->count == 1 || job_count < 2 || atomic_exchange(&workers->running, true);
    if (alone) {
        for (uint32_t i = 0; i < job_count; i++) { job(context, i); }
        return;
    }
    run_shared(workers, job, context, job_count);
    atomic_store(&workers->running, false);
}
