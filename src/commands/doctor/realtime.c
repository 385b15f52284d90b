// What a robot's threads get: tried out, not looked up.
#include "base/executor.h"
#include "commands/bench/wake_ups.h"
#include "commands/doctor/doctor.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROBOT_LOCKED_BYTES ((size_t)384 << 20) // measured: mind 363 MiB, most of it stacks and libraries; reflex 5 MiB
#define WAKE_UP_PERIOD_NS CAIRN_MS(8)          // reflex
#define WAKE_UP_COUNT 125u
#define LATE_US 1000.0 // an eighth of reflex's period

static const char limits_file[] = "/etc/security/limits.d/cairn.conf";

static void limit_words(int which, char *ret_words, size_t size_bytes)
{
    struct rlimit limit = {0};
    getrlimit(which, &limit);
    if (limit.rlim_cur == RLIM_INFINITY) {
        snprintf(ret_words, size_bytes, "unlimited");
    } else if (which == RLIMIT_MEMLOCK) {
        snprintf(ret_words, size_bytes, "%llu kB", (unsigned long long)limit.rlim_cur / 1024);
    } else {
        snprintf(ret_words, size_bytes, "%llu", (unsigned long long)limit.rlim_cur);
    }
}

static void do_nothing(void *state, cairn_mono now)
{
    (void)state;
    (void)now;
}

// Asks the executor that drives a robot: what it gets, a robot gets.
static void look_at_executor(cairn_examination *examination)
{
    cairn_executor *executor = NULL;
    if (cairn_executor_create_realtime(&executor) != CAIRN_OK) {
        cairn_finding *finding = cairn_find(examination, "real time", "no memory for an executor");
        cairn_advise(finding, CAIRN_PROBLEM, "free some memory");
        return;
    }
    const uint32_t lane = cairn_executor_add_lane(executor, "doctor", 0);
    const cairn_task_def task = {.name = "doctor",
                                 .lane = lane,
                                 .period_ns = WAKE_UP_PERIOD_NS,
                                 .priority = CAIRN_REFLEX_PRIORITY,
                                 .step = do_nothing};
    cairn_executor_add_task(executor, &task);
    cairn_executor_run(executor, (cairn_mono){CAIRN_MS(20)});
    const bool granted = cairn_executor_is_realtime(executor, NULL);
    cairn_executor_destroy(executor);
    cairn_finding *finding = cairn_find(examination, "real time",
                                        granted ? "a robot gets SCHED_FIFO and locked memory"
                                                : "a robot gets no SCHED_FIFO, or its memory is not locked");
    if (!granted) {
        cairn_advise(
            finding, cairn_needed_by(examination, CAIRN_FOR_ROBOT),
            "use deploy/systemd/cairn-robot@.service, or write `USER - rtprio %d` and `USER - memlock unlimited` "
            "to %s and log in again",
            CAIRN_REFLEX_PRIORITY, limits_file);
    }
}

static bool look_at_priority(cairn_examination *examination)
{
    const cairn_wake_ups_def once = {.period_ns = CAIRN_MS(1), .count = 1, .priority = CAIRN_REFLEX_PRIORITY};
    cairn_spread late;
    char limit[32];
    limit_words(RLIMIT_RTPRIO, limit, sizeof limit);
    const bool granted = cairn_wake_ups_measure(&once, &late) == CAIRN_OK;
    cairn_finding *finding = cairn_find(examination, "SCHED_FIFO", "priority %d %s (limit rtprio %s)",
                                        CAIRN_REFLEX_PRIORITY, granted ? "granted" : "refused", limit);
    if (!granted) {
        cairn_advise(finding, cairn_needed_by(examination, CAIRN_FOR_ROBOT),
                     "`USER - rtprio %d` in %s, and log in again", CAIRN_REFLEX_PRIORITY, limits_file);
    }
    return granted;
}

static void look_at_locked_memory(cairn_examination *examination)
{
    char limit[32];
    limit_words(RLIMIT_MEMLOCK, limit, sizeof limit);
    void *block = mmap(NULL, ROBOT_LOCKED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    // The system is asked itself: mlock() of a sanitized build does nothing and is content.
    const bool locked = block != MAP_FAILED && syscall(SYS_mlock, block, ROBOT_LOCKED_BYTES) == 0;
    const int why = errno;
    if (block != MAP_FAILED) { munmap(block, ROBOT_LOCKED_BYTES); }
    cairn_finding *finding = cairn_find(
        examination, "locked memory", "%zu MiB, what a robot needs, %s%s (limit memlock %s)", ROBOT_LOCKED_BYTES >> 20,
        locked ? "locked" : "cannot be locked: ", locked ? "" : strerror(why), limit);
    if (!locked) {
        cairn_advise(finding, cairn_needed_by(examination, CAIRN_FOR_ROBOT),
                     "`USER - memlock unlimited` in %s, and log in again", limits_file);
    }
}

static void look_at_wake_ups(cairn_examination *examination, bool fifo)
{
    const cairn_wake_ups_def def = {
        .period_ns = WAKE_UP_PERIOD_NS, .count = WAKE_UP_COUNT, .priority = fifo ? CAIRN_REFLEX_PRIORITY : 0};
    cairn_spread late;
    if (cairn_wake_ups_measure(&def, &late) != CAIRN_OK) {
        cairn_advise(cairn_find(examination, "wake-ups", "no thread can be started"), CAIRN_PROBLEM,
                     "free some memory or raise `ulimit -u`");
        return;
    }
    cairn_finding *finding =
        cairn_find(examination, "wake-ups", "125 Hz for 1 s%s: late by %.0f us (half), %.0f us (99 %%), %.0f us (most)",
                   fifo ? " with SCHED_FIFO" : "", late.us_p50, late.us_p99, late.us_max);
    if (late.us_max > LATE_US) {
        cairn_advise(finding, CAIRN_NOTE,
                     "end what else runs here and look again; `cairn bench reflex` tells more, docs/control.md what it "
                     "means");
    }
}

void cairn_examine_realtime(cairn_examination *examination)
{
    const bool fifo = look_at_priority(examination);
    look_at_locked_memory(examination);
    look_at_executor(examination);
    look_at_wake_ups(examination, fifo);
}
