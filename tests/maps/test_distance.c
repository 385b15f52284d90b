// The distance transform is exact: compared with looking at every mark from every cell.
#include "../base/check.h"
#include "base/random.h"
#include "maps/distance.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 7
#define EDGE_MAX 80

static float slow_distance(const uint8_t *marked, int width, int height, int x, int y, float limit_cells)
{
    double best = limit_cells;
    for (int v = 0; v < height; v++) {
        for (int u = 0; u < width; u++) {
            if (marked[v * width + u]) { best = fmin(best, sqrt((double)((u - x) * (u - x) + (v - y) * (v - y)))); }
        }
    }
    return (float)best;
}

static void check_grid(const uint8_t *marked, int width, int height, float limit_cells)
{
    static uint8_t block[1 << 20];
    static float distance[EDGE_MAX * EDGE_MAX];
    cairn_arena scratch;
    cairn_arena_init(&scratch, block, sizeof block);
    assert_ok(cairn_distance_transform(marked, (uint32_t)width, (uint32_t)height, limit_cells, &scratch, distance));
    assert_int_equal(cairn_arena_mark(&scratch), 0);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            assert_float_equal(distance[y * width + x], slow_distance(marked, width, height, x, y, limit_cells), 1e-5);
        }
    }
}

static void agrees_with_brute_force_on_random_grids(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/distance");
    static uint8_t marked[EDGE_MAX * EDGE_MAX];
    for (int round = 0; round < 60; round++) {
        const int width = 1 + (int)cairn_random_below(&random, EDGE_MAX);
        const int height = 1 + (int)cairn_random_below(&random, EDGE_MAX);
        const double density = pow(10, cairn_random_between(&random, -4, -0.3));
        for (int i = 0; i < width * height; i++) { marked[i] = cairn_random_uniform(&random) < density ? 255 : 0; }
        check_grid(marked, width, height, (float)cairn_random_between(&random, 0, 60));
    }
}

static void nothing_marked_gives_the_limit_everywhere(void **state)
{
    (void)state;
    static uint8_t marked[40 * 30];
    check_grid(marked, 40, 30, 12.5f);
}

static void without_an_effective_limit_the_far_corner_is_exact(void **state)
{
    (void)state;
    static uint8_t marked[EDGE_MAX * EDGE_MAX];
    marked[0] = 1;
    check_grid(marked, EDGE_MAX, EDGE_MAX, 1e9f);
    marked[0] = 0;
    marked[EDGE_MAX * EDGE_MAX - 1] = 1;
    check_grid(marked, EDGE_MAX, EDGE_MAX, 1e9f);
}

static void a_small_scratch_is_refused_and_given_back(void **state)
{
    (void)state;
    static uint8_t block[1024], marked[64 * 64];
    float untouched[64 * 64] = {7};
    cairn_arena scratch;
    cairn_arena_init(&scratch, block, sizeof block);
    assert_int_equal(cairn_distance_transform(marked, 64, 64, 5, &scratch, untouched), CAIRN_ERR_FULL);
    assert_int_equal(cairn_arena_mark(&scratch), 0);
    assert_true(untouched[0] == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_brute_force_on_random_grids),
        cmocka_unit_test(nothing_marked_gives_the_limit_everywhere),
        cmocka_unit_test(without_an_effective_limit_the_far_corner_is_exact),
        cmocka_unit_test(a_small_scratch_is_refused_and_given_back),
    };
    return cmocka_run_group_tests_name("distance", tests, NULL, NULL);
}
