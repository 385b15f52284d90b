// wake_ups.h - a thread that is to wake once in each period: how late it really is.
#pragma once
#include "base/clock.h"

#define CAIRN_REFLEX_PRIORITY 80 // SCHED_FIFO: above all that is ours, below the kernel's own threads

typedef struct cairn_wake_ups_def {
    int64_t period_ns;                         // > 0
    uint32_t count;                            // of wake-ups, >= 1
    int priority;                              // SCHED_FIFO; 0: as any other program
    void (*step)(void *state, cairn_mono now); // may be NULL; runs at each wake-up on the thread that is measured
    void *state;
} cairn_wake_ups_def;

// What half, all but one in a hundred, and all of some samples stay below. Microseconds.
typedef struct cairn_spread {
    double us_p50, us_p99, us_max;
} cairn_spread;

// Sorts the samples. count >= 1.
cairn_spread cairn_spread_of(int64_t *samples_ns, uint32_t count);

// Measures on a thread of its own, and returns when it is done, after period * count. A thread that is late by more
// than a period skips what it has missed. CAIRN_ERR_UNSUPPORTED if SCHED_FIFO is not permitted; FULL without memory or
// thread. *ret_late is then untouched.
CAIRN_CHECKED cairn_err cairn_wake_ups_measure(const cairn_wake_ups_def *def, cairn_spread *ret_late);
