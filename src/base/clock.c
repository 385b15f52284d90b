// clock.c - the only file that reads the operating system's clocks.
#include "base/clock.h"
#include <errno.h>
#include <time.h>

static int64_t read_clock(clockid_t clock)
{
    struct timespec time;
    const int failed = clock_gettime(clock, &time);
    CAIRN_ASSERT(!failed);
    return CAIRN_S(time.tv_sec) + time.tv_nsec;
}

cairn_mono cairn_mono_now(void) { return (cairn_mono){read_clock(CLOCK_MONOTONIC)}; }

cairn_wall cairn_wall_now(void) { return (cairn_wall){read_clock(CLOCK_REALTIME)}; }

int64_t cairn_thread_cpu_ns(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

void cairn_mono_sleep_until(cairn_mono until)
{
    if (until.ns <= 0) { return; }
    const struct timespec time = {.tv_sec = until.ns / CAIRN_S(1), .tv_nsec = until.ns % CAIRN_S(1)};
    int result;
    do {
        result = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    } while (result == EINTR);
    CAIRN_ASSERT(result == 0);
}

static cairn_mono machine_now(void *context)
{
    (void)context;
    return cairn_mono_now();
}

static void machine_sleep_until(void *context, cairn_mono until)
{
    (void)context;
    cairn_mono_sleep_until(until);
}

cairn_time cairn_time_of_machine(void) { return (cairn_time){.now = machine_now, .sleep_until = machine_sleep_until}; }
