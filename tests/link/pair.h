// pair.h - two links on virtual time with a bad radio between them, for tests.
#pragma once
#include "link/link.h"
#include <setjmp.h> // cmocka.h wants these first
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_ok(call) assert_int_equal((call), CAIRN_OK)

#define PAIR_TICK_NS CAIRN_MS(4)
#define PAIR_ARENA_BYTES (1 << 20)

// What the radio does to a datagram. Delay and jitter are of one way; jitter is uniform, so packets overtake.
typedef struct radio_faults {
    double loss, twice; // [-] chances
    int64_t delay_ns, jitter_ns;
    int64_t silent_from_ns, silent_to_ns; // true time; what is sent in between is lost
    int64_t extra_up_ns;                  // more delay from robot to station
} radio_faults;

typedef struct radio_datagram {
    int64_t at_ns;  // true time of arrival
    uint64_t order; // of sending
    int to;         // role
    size_t size;
    uint8_t bytes[CAIRN_LINK_MTU_MAX];
} radio_datagram;

typedef struct sent_note {
    int64_t at_ns;
    size_t cost_bytes;
} sent_note;

typedef struct pair pair;

struct pair {
    uint64_t seed;
    int64_t now_ns;       // true time
    int64_t clock_ns[2];  // a role's own clock at true time 0
    double drift[2];      // [-] of a role's own clock
    cairn_link *links[2]; // by role
    cairn_link_def defs[2];
    cairn_arena arenas[2];
    bool hold_acks[2]; // of a role, from its next boot on
    radio_faults faults;
    cairn_random random;
    radio_datagram *flying; // a heap block of flying_max
    uint32_t flying_count;
    uint64_t order;
    int sender;          // whose step is running
    sent_note *notes[2]; // everything sent, for the budget
    uint32_t note_count[2];
    uint64_t hash;                                                         // over every byte sent, and when
    void (*tap)(pair *world, int from, const uint8_t *bytes, size_t size); // sees every datagram sent; may be NULL
    void *tap_context;
};

pair *pair_create(uint64_t seed, const radio_faults *faults);
void pair_destroy(pair *world);
cairn_mono pair_clock(const pair *world, int role);

// A new boot of one end: another session, everything it had queued is gone.
void pair_restart(pair *world, int role);

// Delivers what is due, steps both links, and moves time on by a tick.
void pair_tick(pair *world);
void pair_run(pair *world, int64_t duration_ns); // and throws away what is delivered

// The most that was sent in any span of 1 s, above rate * 1 s + burst; <= 0 if the budget was kept.
int64_t pair_over_budget(const pair *world, int role);
