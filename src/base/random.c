// random.c - xoshiro256++ (Blackman & Vigna 2019) seeded by splitmix64 from the seed and the stream's name.
#include "base/random.h"
#include "base/random_kernels.h"
#include <math.h>
#include <string.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// FNV-1a over the bytes of the name.
static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++) { hash = (hash ^ (uint8_t)*name) * 0x100000001b3u; }
    return hash;
}

void cairn_random_init(cairn_random *random, uint64_t seed, const char *name)
{
    CAIRN_ASSERT(random && name);
    // The seed is scrambled first, so that neighbouring seeds and similar names do not meet.
    uint64_t state = splitmix(&seed) ^ hash_name(name);
    for (int i = 0; i < 4; i++) { random->state[i] = splitmix(&state); }
}

static uint64_t rotate_left(uint64_t word, int by) { return (word << by) | (word >> (64 - by)); }

uint64_t cairn_random_u64(cairn_random *random)
{
    uint64_t *const s = random->state;
    const uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    const uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

// The high half of a 32x32-bit product is uniform once the few low halves that come up too often are refused
// (Lemire 2019).
uint32_t cairn_random_below(cairn_random *random, uint32_t limit)
{
    CAIRN_ASSERT(limit > 0);
    const uint32_t refused = (0u - limit) % limit;
    uint64_t product;
    do {
        product = (cairn_random_u64(random) >> 32) * limit;
    } while ((uint32_t)product < refused);
    return (uint32_t)(product >> 32);
}

double cairn_random_uniform(cairn_random *random) { return (double)(cairn_random_u64(random) >> 11) * 0x1p-53; }

double cairn_random_between(cairn_random *random, double low, double high)
{
    CAIRN_ASSERT(low <= high);
    return low + (high - low) * cairn_random_uniform(random);
}

// Box and Muller; the second value is thrown away, so that a stream has no state but its words.
double cairn_random_gauss(cairn_random *random)
{
    const double u = 1.0 - cairn_random_uniform(random); // in (0, 1]
    const double turn = cairn_random_uniform(random);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * turn);
}

static const cairn_kernel gauss_rows = {"gauss_rows", CAIRN_KERNEL_VARIANTS(cairn_gauss_rows)};

void cairn_random_gauss_fill(cairn_random *random, float *ret_values, size_t count)
{
    CAIRN_ASSERT(random && (ret_values || count == 0));
    uint64_t seed = cairn_random_u64(random);
    cairn_gauss_lanes lanes;
    for (int word = 0; word < 4; word++) {
        for (int i = 0; i < CAIRN_GAUSS_LANES; i++) { lanes.state[word][i] = splitmix(&seed); }
    }

    const cairn_gauss_rows_fn rows = (cairn_gauss_rows_fn)cairn_dispatch(&gauss_rows, cairn_isa_best());
    const size_t row_count = count / CAIRN_GAUSS_ROW_VALUES;
    const size_t rest_count = count % CAIRN_GAUSS_ROW_VALUES;
    rows(&lanes, ret_values, row_count);
    if (rest_count > 0) {
        float rest[CAIRN_GAUSS_ROW_VALUES];
        rows(&lanes, rest, 1);
        memcpy(ret_values + row_count * CAIRN_GAUSS_ROW_VALUES, rest, rest_count * sizeof *rest);
    }
}
