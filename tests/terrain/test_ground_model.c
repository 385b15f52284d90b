// The ground model against obvious ones: every cell looked at from every other, and messages until nothing changes.
#include "../base/check.h"
#include "base/random.h"
#include "terrain/ground_model.h"
#include "terrain/height_kernels.h"
#include <stdlib.h>
#include <string.h>

#define SEED 11
#define EDGE_MAX 40
#define POINTS 3000

static cairn_terrain_area random_area(cairn_random *random)
{
    return (cairn_terrain_area){.origin_m = {-1.25, 2.5},
                                .cell_m = 0.25,
                                .width = 1 + cairn_random_below(random, EDGE_MAX),
                                .height = 1 + cairn_random_below(random, EDGE_MAX)};
}

static void random_lows(cairn_random *random, size_t count, double density, int32_t *ret_um)
{
    for (size_t i = 0; i < count; i++) {
        const bool seen = cairn_random_uniform(random) < density;
        ret_um[i] = seen ? cairn_um(cairn_random_between(random, -1, 1)) : CAIRN_HEIGHT_NONE;
    }
}

// Hands heights to the eight neighbours, one step at a time, until nobody changes any more.
static void slow_spread(int32_t *um, int width, int height, int32_t straight_um, int32_t diagonal_um)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < width * height; i++) {
            for (int k = 0; k < 9; k++) {
                const int x = i % width + k % 3 - 1, y = i / width + k / 3 - 1;
                if (x < 0 || y < 0 || x >= width || y >= height || um[i] == CAIRN_HEIGHT_NONE) { continue; }
                const int32_t way = k == 4 ? 0 : k % 2 == 1 ? straight_um : diagonal_um;
                if (um[i] + way < um[y * width + x]) {
                    um[y * width + x] = um[i] + way;
                    changed = true;
                }
            }
        }
    }
}

// Two passes must reach what any number of messages does: a bound that went round a corner too late would be a hill.
static void spreading_equals_messages_until_nothing_changes(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/spread");
    static int32_t um[EDGE_MAX * EDGE_MAX], slow_um[EDGE_MAX * EDGE_MAX];
    for (int round = 0; round < 150; round++) {
        const cairn_terrain_area area = random_area(&random);
        const size_t count = cairn_terrain_cell_count(&area);
        random_lows(&random, count, pow(10, cairn_random_between(&random, -3, 0)), um);
        memcpy(slow_um, um, sizeof um);
        const double slope = cairn_random_between(&random, 0, 1), straight_um = 1e6 * slope * area.cell_m;
        cairn_ground_spread(&area, slope, um);
        slow_spread(slow_um, (int)area.width, (int)area.height, (int32_t)lrint(straight_um),
                    (int32_t)lrint(sqrt(2) * straight_um));
        assert_memory_equal(um, slow_um, count * sizeof um[0]);
    }
}

// A mission replayed on another processor must give the same map.
static void every_instruction_set_gives_the_same_bits(void **state)
{
    (void)state;
    static const cairn_kernel spread = {"spread", CAIRN_KERNEL_VARIANTS(cairn_heights_spread)};
    static const cairn_kernel round_of = {"round", CAIRN_KERNEL_VARIANTS(cairn_heights_round)};
    cairn_random random;
    cairn_random_init(&random, SEED, "test/kernels");
    static int32_t um[EDGE_MAX * EDGE_MAX], spread_um[CAIRN_ISA_COUNT][EDGE_MAX * EDGE_MAX],
        round_um[CAIRN_ISA_COUNT][EDGE_MAX * EDGE_MAX];
    for (int round = 0; round < 50; round++) {
        const cairn_terrain_area area = random_area(&random);
        const size_t size = cairn_terrain_cell_count(&area) * sizeof um[0];
        random_lows(&random, cairn_terrain_cell_count(&area), cairn_random_uniform(&random), um);
        for (cairn_isa isa = CAIRN_ISA_BASELINE; isa <= cairn_isa_best(); isa++) {
            memcpy(spread_um[isa], um, size);
            ((cairn_heights_spread_fn)cairn_dispatch(&spread, isa))(spread_um[isa], area.width, area.height, 20000,
                                                                    28284);
            ((cairn_heights_round_fn)cairn_dispatch(&round_of, isa))(um, area.width, area.height, 20000, round_um[isa]);
            assert_memory_equal(spread_um[isa], spread_um[CAIRN_ISA_BASELINE], size);
            assert_memory_equal(round_um[isa], round_um[CAIRN_ISA_BASELINE], size);
        }
    }
}

// A closed form, free of the way it is computed: one return makes a pyramid with eight sides.
static void one_return_makes_a_pyramid_of_the_steepest_slope(void **state)
{
    (void)state;
    const cairn_terrain_area area = {.cell_m = 0.05, .width = 101, .height = 77};
    static int32_t um[101 * 77];
    for (int i = 0; i < 101 * 77; i++) { um[i] = CAIRN_HEIGHT_NONE; }
    um[20 * 101 + 30] = cairn_um(-0.5);
    cairn_ground_spread(&area, 0.36397, um);
    for (int y = 0; y < 77; y++) {
        for (int x = 0; x < 101; x++) {
            const double u = abs(x - 30), v = abs(y - 20);
            const double way_m = 0.05 * (fmax(u, v) + (sqrt(2) - 1) * fmin(u, v));
            // Each of up to 70 steps is rounded by at most half a micrometre.
            assert_float_equal(1e-6 * um[y * 101 + x], -0.5 + 0.36397 * way_m, 40e-6);
        }
    }
}

static void without_returns_nothing_is_known(void **state)
{
    (void)state;
    const cairn_terrain_area area = {.cell_m = 0.1, .width = 5, .height = 4};
    int32_t um[20];
    for (int i = 0; i < 20; i++) { um[i] = CAIRN_HEIGHT_NONE; }
    cairn_ground_spread(&area, 0.36, um);
    for (int i = 0; i < 20; i++) { assert_int_equal(um[i], CAIRN_HEIGHT_NONE); }
}

static uint32_t slow_support(const int32_t *um, int width, int height, int cell, const cairn_ground_def *def)
{
    const int reach = (int)def->support_cells;
    uint32_t count = 0;
    for (int i = 0; i < width * height; i++) {
        const bool near = abs(i % width - cell % width) <= reach && abs(i / width - cell / width) <= reach;
        count += i != cell && near && um[i] != CAIRN_HEIGHT_NONE && um[i] <= um[cell] + cairn_um(def->support_m);
    }
    return count;
}

static void a_low_counts_if_and_only_if_enough_others_support_it(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/support");
    static int32_t um[EDGE_MAX * EDGE_MAX], ground_um[EDGE_MAX * EDGE_MAX];
    for (int round = 0; round < 60; round++) {
        const cairn_terrain_area area = random_area(&random);
        const int count = (int)cairn_terrain_cell_count(&area), width = (int)area.width, height = (int)area.height;
        random_lows(&random, (size_t)count, pow(10, cairn_random_between(&random, -2, 0)), um);
        const cairn_ground_def def = {.support_m = cairn_random_between(&random, 0, 0.5),
                                      .support_cells = cairn_random_below(&random, 6),
                                      .support_count = 1 + cairn_random_below(&random, 6)};
        cairn_ground_support(&area, &def, um, ground_um);
        for (int i = 0; i < count; i++) {
            const bool counts =
                um[i] != CAIRN_HEIGHT_NONE && slow_support(um, width, height, i, &def) >= def.support_count;
            assert_int_equal(ground_um[i], counts ? um[i] : CAIRN_HEIGHT_NONE);
        }
    }
}

// Sensors return nonsense for glass and sky; none of it may reach memory outside the map, or move the ground.
static void points_fall_into_their_cells_and_nonsense_into_none(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/bin");
    static float x_m[POINTS], y_m[POINTS], z_m[POINTS];
    static uint32_t cells[POINTS];
    static int32_t points_um[POINTS], low_um[EDGE_MAX * EDGE_MAX], slow_um[EDGE_MAX * EDGE_MAX];
    const float odd[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 1e9f, -1e9f};
    for (int round = 0; round < 20; round++) {
        const cairn_terrain_area area = random_area(&random);
        for (size_t i = 0; i < EDGE_MAX * EDGE_MAX; i++) { slow_um[i] = CAIRN_HEIGHT_NONE; }
        for (int i = 0; i < POINTS; i++) {
            // Eighths of a cell, which single precision holds exactly.
            const int u = (int)cairn_random_below(&random, 8 * EDGE_MAX + 80) - 40;
            const int v = (int)cairn_random_below(&random, 8 * EDGE_MAX + 80) - 40;
            const int sixty_fourths = (int)cairn_random_below(&random, 512) - 256;
            x_m[i] = (float)(area.origin_m.x + area.cell_m * u / 8);
            y_m[i] = (float)(area.origin_m.y + area.cell_m * v / 8);
            z_m[i] = (float)sixty_fourths / 64;
            const bool inside = u >= 0 && v >= 0 && u < 8 * (int)area.width && v < 8 * (int)area.height;
            float *const spoilt[] = {&x_m[i], &y_m[i], &z_m[i]};
            const bool spoil = cairn_random_below(&random, 10) == 0;
            if (spoil) { *spoilt[cairn_random_below(&random, 3)] = odd[cairn_random_below(&random, 7)]; }
            if (!inside || spoil) { continue; }
            int32_t *low = &slow_um[v / 8 * (int)area.width + u / 8];
            *low = cairn_um_min(*low, sixty_fourths * 15625);
        }
        cairn_ground_bin(&area, &(cairn_cloud){x_m, y_m, z_m, POINTS}, cells, points_um, low_um);
        const size_t cell_count = cairn_terrain_cell_count(&area);
        assert_memory_equal(low_um, slow_um, cell_count * sizeof low_um[0]);
        for (int i = 0; i < POINTS; i++) { assert_true(cells[i] < cell_count || cells[i] == CAIRN_CELL_NONE); }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreading_equals_messages_until_nothing_changes),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(one_return_makes_a_pyramid_of_the_steepest_slope),
        cmocka_unit_test(without_returns_nothing_is_known),
        cmocka_unit_test(a_low_counts_if_and_only_if_enough_others_support_it),
        cmocka_unit_test(points_fall_into_their_cells_and_nonsense_into_none),
    };
    return cmocka_run_group_tests_name("ground_model", tests, NULL, NULL);
}
