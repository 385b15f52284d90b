// A whole sweep of a made place: what must be an obstacle is, and what can be driven on stays so.
#include "../base/check.h"
#include "made_scene.h"

#define SEED 21
#define NOISE_M 0.01

static made_scene made; // large
static cairn_random dice;
static uint8_t memory[16 << 20];

static cairn_terrain *terrain_of(const cairn_terrain_def *def)
{
    static cairn_arena arena;
    cairn_arena_init(&arena, memory, sizeof memory);
    cairn_terrain *terrain = NULL;
    assert_ok(cairn_terrain_create(def, &arena, &terrain));
    return terrain;
}

static cairn_terrain_view look(const cairn_terrain_def *def)
{
    cairn_terrain *terrain = terrain_of(def);
    scene_look(&made, 360, 120, NOISE_M, &dice);
    const cairn_terrain_sweep sweep = scene_sweep(&made);
    cairn_terrain_view view;
    cairn_terrain_step(terrain, &sweep, &view);
    return view;
}

static void scene_floor(void)
{
    memset(&made, 0, sizeof made);
    made.sensor_m = (cairn_vec3){0.013, 0.021, 0.6};
    scene_add(&made, (cairn_vec3){-20, -20, -1}, (cairn_vec3){20, 20, 0});
    cairn_random_init(&dice, SEED, "test/terrain");
}

static uint32_t cells_of(const cairn_terrain_view *view, uint8_t kind)
{
    uint32_t count = 0;
    for (size_t i = 0; i < cairn_terrain_cell_count(&view->area); i++) { count += view->cells[i] == kind; }
    return count;
}

static void flat_ground_is_drivable_wherever_it_is_seen(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    scene_floor();
    const cairn_terrain_def def = cairn_terrain_def_default();
    const cairn_terrain_view view = look(&def);
    assert_true(cells_of(&view, CAIRN_CELL_DRIVABLE) > 10000);
    assert_int_equal(cells_of(&view, CAIRN_CELL_OBSTACLE), 0);
    assert_int_equal(cells_of(&view, CAIRN_CELL_DROP), 0);
}

// A branch that one passes under must not close the way; a box of the same size on the floor must.
static void what_hangs_high_is_left_out_and_what_stands_is_not(void **state)
{
    (void)state;
    scene_floor();
    scene_add(&made, (cairn_vec3){2, -1, 1.3}, (cairn_vec3){2.5, 1, 1.5});  // hangs
    scene_add(&made, (cairn_vec3){-2.5, -1, 0}, (cairn_vec3){-2, 1, 0.25}); // stands
    const cairn_terrain_def def = cairn_terrain_def_default();
    const cairn_terrain_view view = look(&def);
    uint32_t passed_under = 0, marked = 0;
    for (double y_m = -0.9; y_m < 0.9; y_m += 0.05) {
        for (double x_m = 1.9; x_m < 2.6; x_m += 0.05) {
            assert_int_not_equal(scene_cell(&view, x_m, y_m), CAIRN_CELL_OBSTACLE);
            passed_under += scene_cell(&view, x_m, y_m) == CAIRN_CELL_DRIVABLE;
        }
        marked += scene_cell(&view, -2.02, y_m) == CAIRN_CELL_OBSTACLE;
        assert_int_not_equal(scene_cell(&view, -1.9, y_m), CAIRN_CELL_OBSTACLE); // the floor before it
    }
    assert_true(passed_under > 50);
    assert_true(marked >= 30); // of 36 cells along its front
}

// The range of the filter is what the def says: a lower robot may pass where a higher one may not.
static void clearance_decides_what_hangs_too_low(void **state)
{
    (void)state;
    scene_floor();
    scene_add(&made, (cairn_vec3){2, -1, 0.8}, (cairn_vec3){2.5, 1, 1});
    cairn_terrain_def def = cairn_terrain_def_default();
    cairn_terrain_view view = look(&def);
    assert_true(cells_of(&view, CAIRN_CELL_OBSTACLE) > 10);
    def.clearance_m = 0.7;
    view = look(&def);
    assert_int_equal(cells_of(&view, CAIRN_CELL_OBSTACLE), 0);
}

// Mirrors in puddles give returns from below the floor. A few of them must not pull the ground model down: then the
// filter would leave out real obstacles.
static void echoes_from_below_the_floor_change_nothing(void **state)
{
    (void)state;
    scene_floor();
    scene_add(&made, (cairn_vec3){2, -1, 0}, (cairn_vec3){2.5, 1, 0.6});
    const cairn_terrain_def def = cairn_terrain_def_default();
    cairn_terrain *terrain = terrain_of(&def);
    scene_look(&made, 360, 120, NOISE_M, &dice);
    for (int i = 0; i < 10; i++) { // two side by side, each 0.6 m
        made.hit_x_m[made.hit_count] = 1.82f + 0.05f * (float)(i % 2);
        made.hit_y_m[made.hit_count] = -1.2f + 0.6f * (float)(i / 2);
        made.hit_z_m[made.hit_count++] = -2;
    }
    const cairn_terrain_sweep sweep = scene_sweep(&made);
    cairn_terrain_view view;
    cairn_terrain_step(terrain, &sweep, &view);
    for (size_t i = 0; i < cairn_terrain_cell_count(&view.area); i++) { assert_true(view.ground_um[i] > -100000); }
    uint32_t marked = 0;
    for (double y_m = -0.9; y_m < 0.9; y_m += 0.05) {
        marked += scene_cell(&view, 2.02, y_m) == CAIRN_CELL_OBSTACLE;
        assert_int_not_equal(scene_cell(&view, 1.9, y_m), CAIRN_CELL_OBSTACLE);
    }
    assert_true(marked >= 30);
}

// A robot's map may not depend on what it saw before: merging is somebody else's business.
static void a_second_sweep_knows_nothing_of_the_first(void **state)
{
    (void)state;
    static uint8_t first[400 * 400];
    scene_floor();
    const cairn_terrain_def def = cairn_terrain_def_default();
    cairn_terrain *terrain = terrain_of(&def);
    scene_look(&made, 180, 60, 0, &dice);
    cairn_terrain_sweep sweep = scene_sweep(&made);
    cairn_terrain_view view;
    cairn_terrain_step(terrain, &sweep, &view);
    memcpy(first, view.cells, sizeof first);
    scene_add(&made, (cairn_vec3){1, -1, 0}, (cairn_vec3){2, 1, 0.8});
    scene_look(&made, 180, 60, 0, &dice);
    const cairn_terrain_sweep other = scene_sweep(&made);
    cairn_terrain_step(terrain, &other, &view);
    assert_memory_not_equal(first, view.cells, sizeof first);
    made.box_count--;
    scene_look(&made, 180, 60, 0, &dice);
    sweep = scene_sweep(&made);
    cairn_terrain_step(terrain, &sweep, &view);
    assert_memory_equal(first, view.cells, sizeof first);
}

// The whole way of Magic 5.3: a box that is seen once stays in the merged map for twelve sweeps, then it is forgotten.
static void merged_maps_keep_what_one_sweep_saw(void **state)
{
    (void)state;
    static uint8_t ground[400 * 400], merged[400 * 400], more[4 << 20];
    cairn_arena arena;
    cairn_arena_init(&arena, more, sizeof more);
    cairn_drivability *drivability = NULL;
    const cairn_drivability_def drivability_def = cairn_drivability_def_default();
    assert_ok(cairn_drivability_create(&drivability_def, &arena, &drivability));
    const cairn_terrain_def def = cairn_terrain_def_default();
    const cairn_drivability_area area = {def.area.origin_m, def.area.cell_m, def.area.width, def.area.height};
    scene_floor();
    scene_add(&made, (cairn_vec3){-2.5, -1, 0}, (cairn_vec3){-2, 1, 0.25});
    uint32_t obstacles[13] = {0};
    for (int sweep = 0; sweep < 13; sweep++) {
        const cairn_terrain_view view = look(&def);
        cairn_drivability_map map;
        cairn_terrain_drivability(&view, ground, &map);
        assert_ok(cairn_drivability_add(drivability, (cairn_pose2){0}, &map));
        cairn_drivability_merge(drivability, &area, merged);
        for (int i = 0; i < 400 * 400; i++) { obstacles[sweep] += merged[i] == CAIRN_GROUND_OBSTACLE; }
        made.box_count = 1; // it was carried away
    }
    assert_true(obstacles[0] > 20);
    for (int sweep = 1; sweep < 12; sweep++) { assert_int_equal(obstacles[sweep], obstacles[0]); }
    assert_int_equal(obstacles[12], 0);
}

static void a_sweep_without_returns_gives_an_unknown_map(void **state)
{
    (void)state;
    const cairn_terrain_def def = cairn_terrain_def_default();
    cairn_terrain_view view;
    cairn_terrain_step(terrain_of(&def), &(cairn_terrain_sweep){0}, &view);
    assert_int_equal(cells_of(&view, CAIRN_CELL_UNKNOWN), 400 * 400);
    assert_int_equal(view.ground_um[0], CAIRN_HEIGHT_NONE);
}

static void a_small_arena_is_refused(void **state)
{
    (void)state;
    cairn_arena arena;
    cairn_arena_init(&arena, memory, 100000);
    cairn_terrain *terrain = NULL;
    const cairn_terrain_def def = cairn_terrain_def_default();
    assert_int_equal(cairn_terrain_create(&def, &arena, &terrain), CAIRN_ERR_FULL);
    assert_null(terrain);
    assert_int_equal(cairn_arena_mark(&arena), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_ground_is_drivable_wherever_it_is_seen),
        cmocka_unit_test(what_hangs_high_is_left_out_and_what_stands_is_not),
        cmocka_unit_test(clearance_decides_what_hangs_too_low),
        cmocka_unit_test(echoes_from_below_the_floor_change_nothing),
        cmocka_unit_test(a_second_sweep_knows_nothing_of_the_first),
        cmocka_unit_test(merged_maps_keep_what_one_sweep_saw),
        cmocka_unit_test(a_sweep_without_returns_gives_an_unknown_map),
        cmocka_unit_test(a_small_arena_is_refused),
    };
    return cmocka_run_group_tests_name("terrain", tests, NULL, NULL);
}
