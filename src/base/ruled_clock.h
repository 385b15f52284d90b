// ruled_clock.h - time that one process rules and others follow, through memory that they share.
//
// A simulator publishes how far it has come; those who follow fill in the moments in between by their machine's clock,
// but never go more than CAIRN_RULED_NS_AHEAD past what was published: when the ruler hangs or dies, time stands still
// for all, and goes on when it does. It never goes back, as long as the ruler's does not.
// Threads  One publisher. A follower may be used by all threads of its process.
#pragma once
#include "base/clock.h"
#include <stdatomic.h>

#define CAIRN_RULED_NS_AHEAD CAIRN_MS(12) // three ticks: longer than the ruler is ever late while it is well

// In shared memory, zeroed when made; all-zero: nothing published yet.
typedef struct cairn_ruled_memory {
    _Alignas(64) _Atomic uint64_t mark; // odd while being written
    _Atomic int64_t time_ns;            // ruled time
    _Atomic int64_t at_ns;              // when it was published, by the machine's clock
} cairn_ruled_memory;

void cairn_ruled_publish(cairn_ruled_memory *memory, cairn_mono time, cairn_mono machine_now);

typedef struct cairn_ruled_clock {
    cairn_ruled_memory *memory; // borrowed; only read
    _Atomic int64_t last_ns;    // what was told last: time does not go back
} cairn_ruled_clock;

void cairn_ruled_clock_init(cairn_ruled_clock *clock, cairn_ruled_memory *memory);
// Ruled time at this moment of the machine's clock. 0 before the first was published.
cairn_mono cairn_ruled_now(cairn_ruled_clock *clock, cairn_mono machine_now);
// How long nothing was published, by the machine's clock; INT64_MAX: never.
int64_t cairn_ruled_silent_ns(const cairn_ruled_clock *clock, cairn_mono machine_now);
cairn_time cairn_ruled_time(cairn_ruled_clock *clock); // borrows
