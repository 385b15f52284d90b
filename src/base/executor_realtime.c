// executor_realtime.c - a thread for each processor of each lane, by this machine's clock.
//
// Threads sleep to absolute times in slices, so that a stop asked for from a signal handler, which can do no more
// than set a flag, is obeyed soon. Signals are blocked in all of them: handlers run in the thread that called run.
#include "base/executor_parts.h"
#include "base/sanitized.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// Longest sleep without a look at the flag. Longer: a stop takes longer; shorter: more wake-ups for nothing.
#define SLICE_NS CAIRN_MS(20)

static int64_t now_ns(const cairn_executor *executor)
{
    return executor->time.now(executor->time.context).ns -
           atomic_load_explicit(&executor->zero_ns, memory_order_relaxed);
}

// The earliest due of the thread's tasks, the first registered of equals; NULL if it has none.
static cairn_task *next_task(const cairn_executor_thread *thread)
{
    cairn_task *next = NULL;
    for (uint32_t i = 0; i < thread->lane->task_count; i++) {
        cairn_task *const task = &thread->executor->tasks[thread->lane->tasks[i]];
        if (task->def.processor != thread->processor) { continue; }
        if (!next || task->due_ns < next->due_ns) { next = task; }
    }
    return next;
}

// False if asked to stop before.
static bool sleep_until(const cairn_executor *executor, int64_t due_ns)
{
    for (;;) {
        if (atomic_load_explicit(&executor->stop, memory_order_relaxed)) { return false; }
        const int64_t at_ns = now_ns(executor);
        if (at_ns >= due_ns) { return true; }
        const int64_t wake_ns = due_ns - at_ns > SLICE_NS ? at_ns + SLICE_NS : due_ns;
        const int64_t zero_ns = atomic_load_explicit(&executor->zero_ns, memory_order_relaxed);
        executor->time.sleep_until(executor->time.context, (cairn_mono){wake_ns + zero_ns});
    }
}

static void run_task(const cairn_executor *executor, cairn_task *task)
{
    const int64_t cpu_before_ns = cairn_thread_cpu_ns();
    const int64_t start_ns = now_ns(executor);
    cairn_task_begin(task, start_ns);
    task->def.step(task->def.state, (cairn_mono){start_ns});
    if (task->def.publish) { task->def.publish(task->def.state, (cairn_mono){now_ns(executor)}); }

    const int64_t took_ns = cairn_thread_cpu_ns() - cpu_before_ns;
    if (took_ns > atomic_load_explicit(&task->step_ns_max, memory_order_relaxed)) {
        atomic_store_explicit(&task->step_ns_max, took_ns, memory_order_relaxed);
    }
}

static void ask_for_fifo(cairn_executor_thread *thread)
{
    thread->fifo_error = 0;
    if (thread->priority == 0) { return; }
    const struct sched_param wanted = {.sched_priority = thread->priority};
    thread->fifo_error = CAIRN_SANITIZED ? ENOTSUP : pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted);
}

static void *thread_main(void *context)
{
    cairn_executor_thread *const thread = context;
    const cairn_executor *const executor = thread->executor;
    ask_for_fifo(thread);
    for (;;) {
        cairn_task *const task = next_task(thread);
        if (task->due_ns >= executor->until_ns) {
            sleep_until(executor, executor->until_ns);
            return NULL;
        }
        if (!sleep_until(executor, task->due_ns)) { return NULL; }
        run_task(executor, task);
    }
}

// A thread for each processor that has tasks, with the highest of their priorities.
static void list_threads(cairn_executor *executor)
{
    executor->thread_count = 0;
    for (uint32_t l = 0; l < executor->lane_count; l++) {
        for (uint32_t p = 0; p < CAIRN_PROCESSORS_MAX; p++) {
            cairn_executor_thread thread = {.executor = executor, .lane = &executor->lanes[l], .processor = p};
            uint32_t task_count = 0;
            for (uint32_t i = 0; i < thread.lane->task_count; i++) {
                const cairn_task_def *const def = &executor->tasks[thread.lane->tasks[i]].def;
                if (def->processor != p) { continue; }
                task_count++;
                if (def->priority > thread.priority) { thread.priority = def->priority; }
            }
            if (task_count > 0) { executor->threads[executor->thread_count++] = thread; }
        }
    }
}

// Locking what is taken later too needs an unlimited allowance: with a limited one, taking memory would fail.
static bool may_lock_memory(void)
{
    struct rlimit limit;
    if (geteuid() == 0) { return true; }
    return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

static void lock_memory(cairn_executor *executor)
{
    bool wanted = false;
    for (uint32_t i = 0; i < executor->thread_count; i++) { wanted |= executor->threads[i].priority > 0; }
    if (!wanted || executor->memory_locked) { return; }
    executor->lock_error = EPERM;
    if (!may_lock_memory()) { return; }
    executor->memory_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    executor->lock_error = executor->memory_locked ? 0 : errno;
}

void cairn_executor_unlock_memory(cairn_executor *executor)
{
    if (executor->memory_locked) { munlockall(); }
    executor->memory_locked = false;
}

// The kernel keeps 15 characters of a thread's name.
static void name_thread(const cairn_executor_thread *thread)
{
    char name[16];
    snprintf(name, sizeof name, "%u.%.12s", thread->processor, thread->lane->name);
    pthread_setname_np(thread->thread, name);
}

static void start_threads(cairn_executor *executor)
{
    sigset_t all, before;
    sigfillset(&all);
    int failed = pthread_sigmask(SIG_SETMASK, &all, &before);
    CAIRN_ASSERT(!failed);
    for (uint32_t i = 0; i < executor->thread_count; i++) {
        cairn_executor_thread *const thread = &executor->threads[i];
        failed = pthread_create(&thread->thread, NULL, thread_main, thread);
        CAIRN_ASSERT(!failed);
        name_thread(thread);
    }
    failed = pthread_sigmask(SIG_SETMASK, &before, NULL);
    CAIRN_ASSERT(!failed);
}

void cairn_executor_run_realtime(cairn_executor *executor, cairn_mono until)
{
    executor->until_ns = until.ns;
    list_threads(executor);
    lock_memory(executor);
    // Time goes on from where the run before left it.
    if (!executor->ruled) {
        const int64_t machine_ns = executor->time.now(executor->time.context).ns;
        atomic_store(&executor->zero_ns, machine_ns - atomic_load(&executor->now_ns));
    }
    start_threads(executor);
    for (uint32_t i = 0; i < executor->thread_count; i++) {
        const int failed = pthread_join(executor->threads[i].thread, NULL);
        CAIRN_ASSERT(!failed);
    }
    atomic_store(&executor->stop, false);
    atomic_store(&executor->now_ns, now_ns(executor));
}

bool cairn_executor_is_realtime(const cairn_executor *executor, cairn_complaints *why)
{
    CAIRN_ASSERT(executor);
    if (executor->is_lockstep) {
        if (why) { cairn_complain(why, NULL, 0, "the lockstep executor runs in virtual time"); }
        return false;
    }
    bool granted = executor->lock_error == 0;
    if (!granted && why) {
        cairn_complain(why, NULL, 0, "memory is not locked (%s); run as root or set the memlock limit to unlimited",
                       strerror(executor->lock_error));
    }
    for (uint32_t i = 0; i < executor->thread_count; i++) {
        const cairn_executor_thread *const thread = &executor->threads[i];
        if (thread->fifo_error == 0) { continue; }
        granted = false;
        if (!why) { continue; }
        cairn_complain(why, NULL, 0, "%s/%u has no SCHED_FIFO priority %d (%s); run as root or set the rtprio limit",
                       thread->lane->name, thread->processor, thread->priority, strerror(thread->fifo_error));
    }
    return granted;
}
