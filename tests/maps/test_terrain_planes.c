// Terrain planes against asking, for every coarse cell, all fine cells whose middles lie in it.
#include "../base/check.h"
#include "base/random.h"
#include "maps/terrain_planes.h"
#include <math.h>
#include <string.h>

#define SEED 5

static cairn_arena arena;
static cairn_terrain_planes planes;

static cairn_mono at_s(double s) { return (cairn_mono){cairn_ns_from_seconds(s)}; }

// A grid with a scan of random ranges in it.
static cairn_local_grid *make_grid(cairn_random *random)
{
    cairn_local_grid_def def = cairn_local_grid_def_default();
    def.size_cells = 256;
    cairn_arena_reset(&arena, 0);
    cairn_local_grid *grid = NULL;
    assert_ok(cairn_local_grid_create(&def, &arena, &grid));
    static cairn_scan_points points;
    points = (cairn_scan_points){.count = 720};
    double range = 2;
    for (int i = 0; i < 720; i++) {
        range = cairn_random_uniform(random) < 0.02 ? cairn_random_between(random, 0.5, 5) : range;
        points.x_m[i] = (float)(range * cos(i * CAIRN_PI / 360)),
        points.y_m[i] = (float)(range * sin(i * CAIRN_PI / 360));
        points.hit[i] = 1;
    }
    cairn_local_grid_add(grid, (cairn_pose2){0.3, -0.1, 0.2}, &points, at_s(1));
    return grid;
}

static void slow_bits(const cairn_local_grid *grid, cairn_pose2 node, double cell_m, int size, int u, int v,
                      bool *ret_known, bool *ret_obstacle)
{
    int known = 0;
    bool obstacle = false;
    const cairn_vec2 near = {(u + 0.5 - 0.5 * size) * cell_m, (v + 0.5 - 0.5 * size) * cell_m};
    const cairn_vec2 around = cairn_pose2_apply(node, near);
    const int mid_x = (int)floor(around.x / 0.05), mid_y = (int)floor(around.y / 0.05);
    for (int y = mid_y - 8; y <= mid_y + 8; y++) {
        for (int x = mid_x - 8; x <= mid_x + 8; x++) {
            const cairn_vec2 middle = {(x + 0.5) * 0.05, (y + 0.5) * 0.05};
            const cairn_vec2 there = cairn_pose2_apply(cairn_pose2_inverse(node), middle);
            if ((int)floor(there.x / cell_m + 0.5 * size) != u || (int)floor(there.y / cell_m + 0.5 * size) != v) {
                continue;
            }
            const cairn_ground ground = cairn_local_grid_at(grid, middle, at_s(1));
            known += ground != CAIRN_GROUND_UNKNOWN;
            obstacle |= ground == CAIRN_GROUND_OBSTACLE;
        }
    }
    *ret_obstacle = obstacle;
    *ret_known = 2 * known > (cell_m / 0.05) * (cell_m / 0.05) + 1e-9 || obstacle; // by area
}

static void bits_agree_with_asking_every_fine_cell(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/terrain");
    int obstacle_count = 0, known_count = 0;
    for (int round = 0; round < 4; round++) {
        const cairn_local_grid *grid = make_grid(&random);
        const cairn_pose2 node = {cairn_random_between(&random, -1, 1), cairn_random_between(&random, -1, 1),
                                  cairn_random_between(&random, -3, 3)};
        const double cell_m = round & 1 ? 0.1 : 0.2;
        cairn_terrain_planes_sample(grid, node, cell_m, 40, at_s(1), &planes);
        assert_int_equal(planes.width, 40);
        assert_float_equal(planes.origin_m.x, -20 * cell_m, 1e-12);
        for (int i = 0; i < 400; i++) {
            const int u = (int)cairn_random_below(&random, 40), v = (int)cairn_random_below(&random, 40);
            bool known, obstacle;
            slow_bits(grid, node, cell_m, 40, u, v, &known, &obstacle);
            assert_int_equal(cairn_plane_bit(planes.known, (uint32_t)(v * 40 + u)), known);
            assert_int_equal(cairn_plane_bit(planes.obstacle, (uint32_t)(v * 40 + u)), obstacle);
            obstacle_count += obstacle, known_count += known;
        }
    }
    assert_true(obstacle_count > 20 && known_count > 100);
}

static void what_is_forgotten_is_not_told(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/forgotten");
    const cairn_local_grid *grid = make_grid(&random);
    memset(&planes, 0xff, sizeof planes);
    cairn_terrain_planes_sample(grid, (cairn_pose2){0, 0, 0}, 0.1, 160, at_s(40), &planes);
    for (size_t i = 0; i < sizeof planes.known; i++) { assert_int_equal(planes.known[i] | planes.obstacle[i], 0); }
}

int main(void)
{
    if (cairn_arena_create(&arena, 8 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_agree_with_asking_every_fine_cell),
        cmocka_unit_test(what_is_forgotten_is_not_told),
    };
    const int failed = cmocka_run_group_tests_name("terrain_planes", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
