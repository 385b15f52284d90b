// terrain_network_kernels.c - a run of the network, all units of a layer at a time.
//
// First layer: unknown cells come in runs, and each run of set bits counts as the sums up to its end less those up to
// the gap before it, so it costs two additions. Partial sums may wrap around; the whole is at most 60 cells of +-127
// and the bias, far within 16 bits.
// Second layer: 16 bits hold a sum modulo 65536. The largest and the least sum of a unit are closer together than that
// (a test holds the weights to it), so counted from the centre between them a sum is exact, however its parts wrapped.
//
// Tried and dropped: keeping the answers of 512 windows. It spared a third of the runs, but the guess whether one is
// there is often wrong: no clear gain with AVX2, about a tenth without, for 12 kB more of stack.
#include "maps/codec/terrain_network.h"

// As many units as the instruction set adds at once.
#if defined(__AVX512BW__)
#define LANES 32
#define LANES2 16 // the second layer has no more
#elif defined(__AVX2__)
#define LANES 16
#define LANES2 16
#else
#define LANES 8
#define LANES2 8
#endif
#define PARTS (CAIRN_TERRAIN_HIDDEN / LANES)
#define PARTS2 (CAIRN_TERRAIN_HIDDEN2 / LANES2)

typedef uint16_t units __attribute__((vector_size(LANES * sizeof(uint16_t)), may_alias));
typedef uint16_t units2 __attribute__((vector_size(LANES2 * sizeof(uint16_t)), may_alias));

// Not inlined: what follows wants the values in memory, one by one.
__attribute__((noinline)) static void first_layer(const cairn_terrain_network *network,
                                                  const cairn_terrain_window *window, int16_t *ret_values)
{
    const uint64_t unknown = window->unknown;
    units sums[PARTS];
    for (int i = 0; i < PARTS; i++) { sums[i] = ((const units *)network->bias)[i]; }
    const uint64_t ends = unknown ^ unknown >> 1;
    for (uint64_t rest = ends & unknown; rest != 0; rest &= rest - 1) {
        const units *run = (const units *)network->unknown_sums[__builtin_ctzll(rest)];
        for (int i = 0; i < PARTS; i++) { sums[i] += run[i]; }
    }
    for (uint64_t rest = ends & ~unknown; rest != 0; rest &= rest - 1) {
        const units *gap = (const units *)network->unknown_sums[__builtin_ctzll(rest)];
        for (int i = 0; i < PARTS; i++) { sums[i] -= gap[i]; }
    }
    for (uint64_t rest = window->obstacle; rest != 0; rest &= rest - 1) {
        const units *weights = (const units *)network->obstacle[__builtin_ctzll(rest)];
        for (int i = 0; i < PARTS; i++) { sums[i] += weights[i]; }
    }
    for (int i = 0; i < PARTS; i++) { ((units *)ret_values)[i] = sums[i]; }
    for (int i = 0; i < CAIRN_TERRAIN_HIDDEN; i++) {
        const int16_t floored = ret_values[i] < 0 ? 0 : ret_values[i];
        ret_values[i] = floored > CAIRN_TERRAIN_UNIT ? CAIRN_TERRAIN_UNIT : floored;
    }
}

static void second_layer(const cairn_terrain_network *network, const int16_t *values, int16_t *ret_values)
{
    units2 sums[PARTS2];
    for (int k = 0; k < PARTS2; k++) { sums[k] = ((const units2 *)network->middle_bias)[k]; }
    for (int i = 0; i < CAIRN_TERRAIN_HIDDEN; i += 4) {
        for (int j = i; j < i + 4; j++) {
            const units2 *weights = (const units2 *)network->middle[j];
            for (int k = 0; k < PARTS2; k++) { sums[k] += (uint16_t)values[j] * weights[k]; }
        }
    }
    for (int k = 0; k < PARTS2; k++) { ((units2 *)ret_values)[k] = sums[k]; }
    for (int k = 0; k < CAIRN_TERRAIN_HIDDEN2; k++) {
        const int16_t low = (int16_t)-network->centre[k], high = (int16_t)(CAIRN_TERRAIN_UNIT2 - network->centre[k]);
        const int16_t floored = ret_values[k] < low ? low : ret_values[k];
        const int16_t bounded = floored > high ? high : floored;
        ret_values[k] = (int16_t)((uint16_t)(bounded - low) / 16);
    }
}

// Not inlined: compilers would mix the outputs, and multiply one by one.
__attribute__((noinline)) static int32_t output(const int16_t *values, const int16_t *weights)
{
    int32_t sum = 0;
    for (int k = 0; k < CAIRN_TERRAIN_HIDDEN2; k++) { sum += values[k] * weights[k]; }
    return sum;
}

cairn_terrain_logits CAIRN_KERNEL(cairn_terrain_network_run)(const cairn_terrain_network *network,
                                                             const cairn_terrain_window *window)
{
    _Alignas(64) int16_t values[CAIRN_TERRAIN_HIDDEN], values2[CAIRN_TERRAIN_HIDDEN2];
    first_layer(network, window, values);
    second_layer(network, values, values2);
    cairn_terrain_logits logits;
    for (int q = 0; q < CAIRN_TERRAIN_OUTPUTS; q++) {
        logits.output[q] = (output(values2, network->out[q]) + network->out_bias[q]) / 256;
    }
    return logits;
}
