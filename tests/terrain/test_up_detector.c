// The up-detector's messages against the definition: each pair of cells, compared.
#include "../base/check.h"
#include "base/random.h"
#include "terrain/up_detector.h"
#include <stdlib.h>
#include <string.h>

#define SEED 5
#define EDGE_MAX 30
#define CELLS_MAX (EDGE_MAX * EDGE_MAX)

static cairn_arena scratch_of(void)
{
    static uint8_t block[4 * CELLS_MAX * sizeof(int32_t)];
    cairn_arena scratch;
    cairn_arena_init(&scratch, block, sizeof block);
    return scratch;
}

typedef struct up_scene {
    cairn_terrain_area area;
    int32_t low_um[CELLS_MAX], top_um[CELLS_MAX];
    uint8_t up[CELLS_MAX];
} up_scene;

static void scene_clear(up_scene *scene, uint32_t width, uint32_t height)
{
    scene->area = (cairn_terrain_area){.cell_m = 0.05, .width = width, .height = height};
    for (int i = 0; i < CELLS_MAX; i++) {
        scene->low_um[i] = CAIRN_HEIGHT_NONE;
        scene->top_um[i] = -CAIRN_HEIGHT_NONE;
    }
}

static void scene_put(up_scene *scene, uint32_t x, uint32_t y, double low_m, double top_m)
{
    scene->low_um[y * scene->area.width + x] = cairn_um(low_m);
    scene->top_um[y * scene->area.width + x] = cairn_um(top_m);
}

static void scene_detect(up_scene *scene, const cairn_up_def *def)
{
    cairn_arena scratch = scratch_of();
    assert_ok(cairn_up_detect(&scene->area, def, scene->low_um, scene->top_um, &scratch, scene->up));
    assert_int_equal(cairn_arena_mark(&scratch), 0);
}

static bool slow_up(const up_scene *scene, const cairn_up_def *def, int cell)
{
    const int width = (int)scene->area.width, count = width * (int)scene->area.height;
    for (int i = 0; i < count; i++) {
        const int away = abs(i % width - cell % width) + abs(i / width - cell / width);
        if (away > (int)def->rounds + 1 || scene->low_um[i] == CAIRN_HEIGHT_NONE) { continue; }
        const int32_t slope_um = (int32_t)lrint(1e6 * def->slope * scene->area.cell_m);
        if (scene->top_um[cell] > scene->low_um[i] + away * slope_um + cairn_um(def->step_m)) { return true; }
    }
    return false;
}

static void messages_equal_the_comparison_of_all_pairs(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/up");
    static up_scene scene; // large
    int marked = 0, free = 0;
    for (int round = 0; round < 150; round++) {
        scene_clear(&scene, 1 + cairn_random_below(&random, EDGE_MAX), 1 + cairn_random_below(&random, EDGE_MAX));
        const double density = cairn_random_uniform(&random), rough_m = pow(10, cairn_random_between(&random, -2, 0));
        for (uint32_t y = 0; y < scene.area.height; y++) {
            for (uint32_t x = 0; x < scene.area.width; x++) {
                if (cairn_random_uniform(&random) > density) { continue; }
                const double low_m = rough_m * cairn_random_uniform(&random);
                scene_put(&scene, x, y, low_m, low_m + 0.1 * rough_m * cairn_random_uniform(&random));
            }
        }
        const cairn_up_def def = {.slope = cairn_random_between(&random, 0, 2),
                                  .step_m = cairn_random_between(&random, 0, 0.2),
                                  .rounds = cairn_random_below(&random, 5)};
        scene_detect(&scene, &def);
        for (int i = 0; i < (int)(scene.area.width * scene.area.height); i++) {
            assert_int_equal(scene.up[i], slow_up(&scene, &def, i));
            marked += scene.up[i];
            free += !scene.up[i];
        }
    }
    assert_true(marked > 1000 && free > 1000); // both answers were asked for
}

// What the rule is for: in narrow places each cell that is marked too many may be the way through.
static void only_the_higher_cell_of_a_step_is_marked(void **state)
{
    (void)state;
    static up_scene scene;
    scene_clear(&scene, 8, 1);
    scene_put(&scene, 2, 0, 0, 0);
    scene_put(&scene, 5, 0, 0.3, 0.3); // two cells between them that nobody saw
    scene_detect(&scene, &(cairn_up_def){.slope = 0.5, .step_m = 0.1, .rounds = 2});
    for (int i = 0; i < 8; i++) { assert_int_equal(scene.up[i], i == 5); }
}

// The printed rule tests a cell's lowest return: a wall that is seen down to the floor would be no obstacle.
static void a_wall_seen_down_to_the_floor_is_an_obstacle(void **state)
{
    (void)state;
    static up_scene scene;
    scene_clear(&scene, 3, 1);
    scene_put(&scene, 0, 0, 0, 0.01);
    scene_put(&scene, 1, 0, 0, 1.2);
    scene_put(&scene, 2, 0, 0, 0.01);
    const cairn_up_def def = cairn_up_def_default();
    scene_detect(&scene, &def);
    assert_int_equal(scene.up[0], 0);
    assert_int_equal(scene.up[1], 1);
    assert_int_equal(scene.up[2], 0);
}

// Equation 2 is strict, and its length counts whole steps: the printed comparison with a neighbour would be one short.
static void a_ramp_of_the_steepest_slope_is_drivable_and_a_steeper_one_is_not(void **state)
{
    (void)state;
    static up_scene scene;
    const cairn_up_def def = {.slope = 0.5, .step_m = 0, .rounds = 2};
    for (int steeper = 0; steeper < 2; steeper++) {
        scene_clear(&scene, 20, 1);
        for (uint32_t x = 0; x < 20; x++) {
            const double z_m = x * (0.5 * 0.05 + steeper * 1e-6);
            scene_put(&scene, x, 0, z_m, z_m);
        }
        scene_detect(&scene, &def);
        for (int i = 1; i < 20; i++) { assert_int_equal(scene.up[i], steeper); }
    }
}

static void a_small_scratch_is_refused(void **state)
{
    (void)state;
    static up_scene scene;
    static uint8_t block[128];
    scene_clear(&scene, 20, 20);
    memset(scene.up, 7, sizeof scene.up);
    cairn_arena scratch;
    cairn_arena_init(&scratch, block, sizeof block);
    const cairn_up_def def = cairn_up_def_default();
    assert_int_equal(cairn_up_detect(&scene.area, &def, scene.low_um, scene.top_um, &scratch, scene.up),
                     CAIRN_ERR_FULL);
    assert_int_equal(scene.up[0], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_equal_the_comparison_of_all_pairs),
        cmocka_unit_test(only_the_higher_cell_of_a_step_is_marked),
        cmocka_unit_test(a_wall_seen_down_to_the_floor_is_an_obstacle),
        cmocka_unit_test(a_ramp_of_the_steepest_slope_is_drivable_and_a_steeper_one_is_not),
        cmocka_unit_test(a_small_scratch_is_refused),
    };
    return cmocka_run_group_tests_name("up_detector", tests, NULL, NULL);
}
