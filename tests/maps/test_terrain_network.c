// The terrain model's network: every instruction set gives what the plain sums give.
#include "../base/check.h"
#include "base/random.h"
#include "maps/codec/tables/terrain_weights.h"
#include "maps/codec/terrain_network.h"
#include <stdlib.h>

#define SEED 12

static int32_t clamped(int32_t sum, int32_t one) { return sum < 0 ? 0 : sum > one ? one : sum; }

// Weight by weight, in 32 bits.
static cairn_terrain_logits plain_run(const cairn_terrain_window *window)
{
    int32_t values[HIDDEN], values2[HIDDEN2];
    for (int i = 0; i < HIDDEN; i++) {
        int32_t sum = input_bias[i];
        for (int cell = 0; cell < CAIRN_TERRAIN_WINDOW_CELLS; cell++) {
            sum += (int32_t)(window->unknown >> cell & 1) * input_weights[2 * cell * HIDDEN + i];
            sum += (int32_t)(window->obstacle >> cell & 1) * input_weights[(2 * cell + 1) * HIDDEN + i];
        }
        values[i] = clamped(sum, 64);
    }
    for (int k = 0; k < HIDDEN2; k++) {
        int32_t sum = middle_bias[k];
        for (int i = 0; i < HIDDEN; i++) { sum += values[i] * middle_weights[k * HIDDEN + i]; }
        values2[k] = clamped(sum, 4096) / 16;
    }
    cairn_terrain_logits logits;
    for (int q = 0; q < CAIRN_TERRAIN_OUTPUTS; q++) {
        int32_t sum = out_bias[q];
        for (int k = 0; k < HIDDEN2; k++) { sum += values2[k] * out_weights[q * HIDDEN2 + k]; }
        logits.output[q] = sum / 256;
    }
    return logits;
}

// Dense and sparse, in runs and scattered.
static cairn_terrain_window draw_window(cairn_random *random)
{
    uint64_t bits[4];
    for (int i = 0; i < 4; i++) { bits[i] = cairn_random_u64(random); }
    const uint64_t run = UINT64_MAX << cairn_random_below(random, 64) >> cairn_random_below(random, 64);
    const uint64_t kinds[] = {bits[0], bits[0] & bits[1] & bits[2], bits[0] | bits[1] | bits[2], run, run ^ bits[3], 0};
    const uint64_t unknown = kinds[cairn_random_below(random, 6)] & CAIRN_TERRAIN_WINDOW_ALL;
    const uint64_t obstacle = kinds[cairn_random_below(random, 6)] & CAIRN_TERRAIN_WINDOW_ALL;
    return (cairn_terrain_window){.unknown = unknown, .obstacle = obstacle & ~unknown};
}

static void every_instruction_set_gives_the_plain_sums(void **state)
{
    (void)state;
    static const cairn_kernel run_kernel = {"terrain_network", CAIRN_KERNEL_VARIANTS(cairn_terrain_network_run)};
    static cairn_terrain_network network;
    cairn_terrain_network_init(&network);
    for (unsigned isa = 0; isa <= cairn_isa_best(); isa++) {
        const cairn_terrain_network_fn run = (cairn_terrain_network_fn)cairn_dispatch(&run_kernel, (cairn_isa)isa);
        print_message("%s, seed %d\n", cairn_isa_name((cairn_isa)isa), SEED);
        cairn_random random;
        cairn_random_init(&random, SEED, "test/terrain_network");
        for (int i = 0; i < 20000; i++) {
            const cairn_terrain_window window = draw_window(&random);
            const cairn_terrain_logits wanted = plain_run(&window), got = run(&network, &window);
            assert_int_equal(got.output[0], wanted.output[0]);
            assert_int_equal(got.output[1], wanted.output[1]);
        }
    }
}

// New weights may break what the kernels rely on: 16 bits hold every sum of the first layer.
static void sums_of_the_first_layer_fit_16_bits(void **state)
{
    (void)state;
    for (int i = 0; i < HIDDEN; i++) {
        int32_t size = abs(input_bias[i]);
        for (int cell = 0; cell < CAIRN_TERRAIN_WINDOW_CELLS; cell++) {
            const int32_t unknown = abs(input_weights[2 * cell * HIDDEN + i]);
            const int32_t obstacle = abs(input_weights[(2 * cell + 1) * HIDDEN + i]);
            size += unknown > obstacle ? unknown : obstacle;
        }
        assert_in_range(size, 0, INT16_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_gives_the_plain_sums),
        cmocka_unit_test(sums_of_the_first_layer_fit_16_bits),
    };
    return cmocka_run_group_tests_name("terrain_network", tests, NULL, NULL);
}
