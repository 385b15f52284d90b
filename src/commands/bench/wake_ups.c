#include "commands/bench/wake_ups.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct sleeper {
    const cairn_wake_ups_def *def;
    int64_t *late_ns;
    bool refused;
} sleeper;

static int compare(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

cairn_spread cairn_spread_of(int64_t *samples_ns, uint32_t count)
{
    CAIRN_ASSERT(count >= 1);
    qsort(samples_ns, count, sizeof *samples_ns, compare);
    const uint64_t last = count - 1, half = last / 2, nearly_all = last * 99 / 100;
    return (cairn_spread){
        .us_p50 = 1e-3 * (double)samples_ns[half],
        .us_p99 = 1e-3 * (double)samples_ns[nearly_all],
        .us_max = 1e-3 * (double)samples_ns[last],
    };
}

static void *sleep_and_wake(void *context)
{
    sleeper *const self = context;
    const cairn_wake_ups_def *def = self->def;
    const struct sched_param wanted = {.sched_priority = def->priority};
    if (def->priority > 0 && pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) != 0) {
        self->refused = true;
        return NULL;
    }
    cairn_mono due = cairn_mono_add(cairn_mono_now(), def->period_ns);
    for (uint32_t i = 0; i < def->count; i++) {
        cairn_mono_sleep_until(due);
        const cairn_mono now = cairn_mono_now();
        self->late_ns[i] = cairn_mono_since(now, due);
        if (def->step != NULL) { def->step(def->state, now); }
        const int64_t behind_ns = cairn_mono_since(cairn_mono_now(), due);
        due = cairn_mono_add(due, (1 + behind_ns / def->period_ns) * def->period_ns);
    }
    return NULL;
}

// As reflex does: a page that is missing costs milliseconds. Not granted, it is measured without.
static bool lock_memory(const cairn_wake_ups_def *def) { return def->priority > 0 && mlockall(MCL_CURRENT) == 0; }

cairn_err cairn_wake_ups_measure(const cairn_wake_ups_def *def, cairn_spread *ret_late)
{
    CAIRN_ASSERT(def->period_ns > 0 && def->count >= 1);
    sleeper self = {.def = def, .late_ns = calloc(def->count, sizeof(int64_t))};
    if (self.late_ns == NULL) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < def->count; i++) { self.late_ns[i] = -1; } // touched now, not while it is measured
    const bool locked = lock_memory(def);
    pthread_t thread;
    cairn_err err = pthread_create(&thread, NULL, sleep_and_wake, &self) == 0 ? CAIRN_OK : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) {
        pthread_join(thread, NULL);
        if (self.refused) { err = CAIRN_ERR_UNSUPPORTED; }
    }
    if (locked) { munlockall(); }
    if (err == CAIRN_OK) { *ret_late = cairn_spread_of(self.late_ns, def->count); }
    free(self.late_ns);
    return err;
}
