// terrain_network_kernels.c - a run of the network, all units of a layer at a time.
//
// First layer: a sum is looked up for each five cells of each plane. Adding the weights of one set cell after another
// was as many additions, but where such a loop ends is guessed wrong nearly every time. Sums are at most 60 cells of
// +-127 and the bias, far within 16 bits.
// Second layer and outputs: products of pairs of 16-bit numbers, added in 32 bits, which every x86 has an instruction
// for.
//
// Tried and dropped: keeping the answers of 512 windows. It spared a third of the runs, but the guess whether one is
// there is often wrong: no clear gain with AVX2, about a tenth without, for 12 kB more of stack.
#include "maps/codec/terrain_network.h"
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512BW__)
#define BYTES 64
#elif defined(__AVX2__)
#define BYTES 32
#else
#define BYTES 16
#endif
typedef int16_t halves __attribute__((vector_size(BYTES), may_alias));
typedef int32_t words __attribute__((vector_size(BYTES), may_alias));
typedef int32_t four __attribute__((vector_size(16)));
#define PARTS ((int)(CAIRN_TERRAIN_HIDDEN * sizeof(int16_t) / BYTES))   // of the first layer, in 16 bits
#define PARTS2 ((int)(CAIRN_TERRAIN_HIDDEN2 * sizeof(int32_t) / BYTES)) // of the second, in 32

// In each word: its two halves times the other's two, and the sum of that.
static inline words multiply_pairs(words a, words b)
{
#if BYTES == 64
    return (words)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif BYTES == 32
    return (words)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (words)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    return (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

static inline void add_groups(const cairn_terrain_group *groups, uint64_t cells, halves sums[PARTS])
{
    const uint32_t mask = (1u << CAIRN_TERRAIN_GROUP_CELLS) - 1;
    for (uint32_t g = 0; g < CAIRN_TERRAIN_GROUPS; g++) {
        const halves *group = (const halves *)groups[g][cells >> (g * CAIRN_TERRAIN_GROUP_CELLS) & mask];
        for (int i = 0; i < PARTS; i++) { sums[i] += group[i]; }
    }
}

// Its values go through memory: what follows wants them two by two.
static inline void first_layer(const cairn_terrain_network *network, const cairn_terrain_window *window,
                               int16_t ret_values[CAIRN_TERRAIN_HIDDEN])
{
    halves sums[PARTS];
    for (int i = 0; i < PARTS; i++) { sums[i] = ((const halves *)network->bias)[i]; }
    if (window->unknown != 0) { add_groups(network->unknown, window->unknown, sums); }
    if (window->obstacle != 0) { add_groups(network->obstacle, window->obstacle, sums); }
    for (int i = 0; i < PARTS; i++) {
        const halves floored = sums[i] & (sums[i] > 0), is_over = floored > CAIRN_TERRAIN_UNIT;
        ((halves *)ret_values)[i] = (floored & ~is_over) | (CAIRN_TERRAIN_UNIT & is_over);
    }
}

static inline void second_layer(const cairn_terrain_network *network, const int16_t values[CAIRN_TERRAIN_HIDDEN],
                                words ret_values[PARTS2])
{
    words sums[PARTS2];
    for (int k = 0; k < PARTS2; k++) { sums[k] = ((const words *)network->middle_bias)[k]; }
    for (int i = 0; i < CAIRN_TERRAIN_HIDDEN / 2; i++) {
        int32_t pair;
        memcpy(&pair, values + 2 * i, sizeof pair);
        for (int k = 0; k < PARTS2; k++) {
            sums[k] += multiply_pairs((words){0} + pair, ((const words *)network->middle[i])[k]);
        }
    }
    for (int k = 0; k < PARTS2; k++) {
        const words floored = sums[k] & (sums[k] > 0), is_over = floored > CAIRN_TERRAIN_UNIT2;
        ret_values[k] = ((floored & ~is_over) | (CAIRN_TERRAIN_UNIT2 & is_over)) >> 4;
    }
}

// Values of the second layer are below 2^15: as pairs, they are followed by zeros, whatever the weights have there.
static inline int32_t output(const words values[PARTS2], const int32_t weights[CAIRN_TERRAIN_HIDDEN2])
{
    words sums = {0};
    for (int k = 0; k < PARTS2; k++) { sums += multiply_pairs(values[k], ((const words *)weights)[k]); }
    four parts[BYTES / sizeof(four)];
    memcpy(parts, &sums, sizeof sums);
    for (size_t i = 1; i < BYTES / sizeof(four); i++) { parts[0] += parts[i]; }
    return parts[0][0] + parts[0][1] + parts[0][2] + parts[0][3];
}

cairn_terrain_logits CAIRN_KERNEL(cairn_terrain_network_run)(const cairn_terrain_network *network,
                                                             const cairn_terrain_window *window)
{
    _Alignas(64) int16_t values[CAIRN_TERRAIN_HIDDEN];
    words values2[PARTS2];
    first_layer(network, window, values);
    second_layer(network, values, values2);
    cairn_terrain_logits logits;
    for (int q = 0; q < CAIRN_TERRAIN_OUTPUTS; q++) {
        logits.output[q] = (output(values2, network->out[q]) + network->out_bias[q]) / 256;
    }
    return logits;
}
