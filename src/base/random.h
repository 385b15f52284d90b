// random.h - seeded random streams, one for each named consumer.
//
// A stream depends on the mission's seed and its own name only, so that adding a consumer does not
// change what another one draws. Same seed, same bytes, on every machine (integers) or every machine of
// one kind (floating point).
#pragma once
#include "base/status.h"

typedef struct cairn_random {
    uint64_t state[4]; // xoshiro256++
} cairn_random;

// Name: "emu1/laser", "world/slip", ... Copies nothing.
void cairn_random_init(cairn_random *random, uint64_t seed, const char *name);

uint64_t cairn_random_u64(cairn_random *random);
uint32_t cairn_random_below(cairn_random *random, uint32_t limit); // unbiased in [0, limit), limit > 0
double cairn_random_uniform(cairn_random *random);                 // in [0, 1)
double cairn_random_between(cairn_random *random, double low, double high);
double cairn_random_gauss(cairn_random *random); // mean 0, deviation 1

// Fills an array with gauss(0, 1). Much faster than one at a time; draws a fixed number of words for a
// count, whatever the values, so that what follows does not depend on them. Tails are cut at 6.66. Not the values that
// cairn_random_gauss gives. Exact to about 1e-6; all instruction sets give the same bits.
void cairn_random_gauss_fill(cairn_random *random, float *ret_values, size_t count);
