// random_kernels.c - many normal values at a time.
//
// Box and Muller's transform: 64 random bits make two values, r cos(a) and r sin(a) with r = sqrt(-2 ln u). No
// branch and no table, so that compilers turn the lane loops into vector code. Logarithm, sine and cosine are
// polynomials with minimax coefficients, good to 2e-7; sums and products are never contracted, square roots are
// exact: all copies agree to the bit.
#include "base/random_kernels.h"
#include <math.h>
#include <string.h>

#define LANES CAIRN_GAUSS_LANES
#define BATCH_ROWS 32 // 2 kB of random words and 4 kB of values: stays in the first-level cache
#define BATCH_WORDS (BATCH_ROWS * LANES)

// Some lanes at a time, as a vector that the compiler splits into what the instruction set has. With 4 the state of a
// group stays in registers everywhere; 8 spills with AVX2 and takes twice as long.
#define GROUP_LANES 4
typedef uint64_t group __attribute__((vector_size(GROUP_LANES * sizeof(uint64_t))));

static void draw_group(cairn_gauss_lanes *lanes, int first_lane, uint64_t *ret_words, size_t row_count)
{
    group a, b, c, d;
    memcpy(&a, &lanes->state[0][first_lane], sizeof a);
    memcpy(&b, &lanes->state[1][first_lane], sizeof b);
    memcpy(&c, &lanes->state[2][first_lane], sizeof c);
    memcpy(&d, &lanes->state[3][first_lane], sizeof d);
    for (size_t row = 0; row < row_count; row++) {
        const group sum = a + d;
        const group word = ((sum << 23) | (sum >> 41)) + a;
        memcpy(ret_words + row * LANES + first_lane, &word, sizeof word);
        const group shifted = b << 17;
        c ^= a;
        d ^= b;
        b ^= c;
        a ^= d;
        c ^= shifted;
        d = (d << 45) | (d >> 19);
    }
    memcpy(&lanes->state[0][first_lane], &a, sizeof a);
    memcpy(&lanes->state[1][first_lane], &b, sizeof b);
    memcpy(&lanes->state[2][first_lane], &c, sizeof c);
    memcpy(&lanes->state[3][first_lane], &d, sizeof d);
}

static void draw_words(cairn_gauss_lanes *lanes, uint64_t *ret_words, size_t row_count)
{
    for (int lane = 0; lane < LANES; lane += GROUP_LANES) { draw_group(lanes, lane, ret_words, row_count); }
}

static inline float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// -2 ln(u) for u in (0, 1]; never negative.
static inline float minus_two_ln(float u)
{
    // u = m * 2^e with m in [sqrt(1/2), sqrt(2)): 0x3f3504f3 is sqrt(1/2).
    const uint32_t bits = bits_from_float(u) - 0x3f3504f3u;
    const float e = (float)((int32_t)bits >> 23);
    const float f = float_from_bits((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    float p = -0.1018858647f;
    p = p * f + 0.1598409598f;
    p = p * f - 0.171323873f;
    p = p * f + 0.1992905713f;
    p = p * f - 0.2498245121f;
    p = p * f + 0.333341136f;
    p = p * f - 0.5000009124f;
    const float ln_m = f + (f * f) * p;
    return -2.0f * (ln_m + e * 0.69314718f);
}

// The radius from 31 bits (the lowest is not used): at most sqrt(-2 ln 2^-32) = 6.66.
static inline float radius(uint32_t bits)
{
    const float u = ((float)(int32_t)(bits >> 1) + 0.5f) * 0x1p-31f;
    return sqrtf(minus_two_ln(u));
}

// A point on the unit circle: 30 bits choose the angle within +-45 degrees, one bit mirrors it to the other side,
// one swaps the axes.
static inline void direction(uint32_t bits, float *ret_x, float *ret_y)
{
    const float t = (float)(int32_t)(bits << 2) * 0x1p-31f; // of 45 degrees, in [-1, 1]
    const float y = t * t;
    const float sine = t * (((-3.595429073e-5f * y + 0.002490006801f) * y - 0.08074543471f) * y + 0.785398161f);
    const float cosine = ((-0.0003188774749f * y + 0.01584991071f) * y - 0.3084242519f) * y + 0.9999999723f;

    const uint32_t s = bits_from_float(sine), c = bits_from_float(cosine) ^ (bits & 0x80000000u);
    const uint32_t swap = 0u - ((bits >> 30) & 1u);
    const uint32_t differ = (s ^ c) & swap;
    *ret_x = float_from_bits(c ^ differ);
    *ret_y = float_from_bits(s ^ differ);
}

static void transform_words(const uint64_t *restrict words, float *restrict ret_first, float *restrict ret_second,
                            size_t word_count)
{
    for (size_t i = 0; i < word_count; i++) {
        const float r = radius((uint32_t)words[i]);
        float x, y;
        direction((uint32_t)(words[i] >> 32), &x, &y);
        ret_first[i] = r * x;
        ret_second[i] = r * y;
    }
}

void CAIRN_KERNEL(cairn_gauss_rows)(cairn_gauss_lanes *lanes, float *ret_values, size_t row_count)
{
    uint64_t words[BATCH_WORDS];
    while (row_count > 0) {
        const size_t rows = row_count < BATCH_ROWS ? row_count : BATCH_ROWS;
        draw_words(lanes, words, rows);
        transform_words(words, ret_values, ret_values + rows * LANES, rows * LANES);
        ret_values += rows * CAIRN_GAUSS_ROW_VALUES;
        row_count -= rows;
    }
}
