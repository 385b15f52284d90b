// nonce_memory.h - which hellos a station has heard, and since when: what is too old to be meant can only be repeated.
//
// A robot gives a nonce up after four seconds. Whoever sends it later has recorded it. Nonces are random and were
// authenticated before they are asked for here, so nobody can choose where they fall.
// Memory   16 kB from the arena. Full: the oldest of the eight in the same place goes, and could be repeated once more.
// Threads  One owner.
#pragma once
#include "base/clock.h"
#include "base/memory.h"

#define CAIRN_NONCE_WAYS 8
#define CAIRN_NONCE_SETS 128

typedef struct cairn_heard_nonce {
    uint64_t nonce; // 0: none
    cairn_mono at;  // first heard
} cairn_heard_nonce;

typedef struct cairn_nonce_memory {
    cairn_heard_nonce (*sets)[CAIRN_NONCE_WAYS];
} cairn_nonce_memory;

CAIRN_CHECKED cairn_err cairn_nonce_memory_init(cairn_nonce_memory *memory, cairn_arena *arena);

// How long ago this nonce was first heard: 0 when that is now. Remembers it. O(1).
int64_t cairn_nonce_memory_age_ns(cairn_nonce_memory *memory, uint64_t nonce, cairn_mono now);
