// Holes and drops: found where rays prove them, as far as they can, and nowhere else.
#include "../base/check.h"
#include "made_scene.h"

#define SEED 8

static made_scene made; // large
static cairn_random dice;
static uint8_t memory[16 << 20];

static cairn_terrain_view look(double noise_m)
{
    cairn_arena arena;
    cairn_arena_init(&arena, memory, sizeof memory);
    cairn_terrain *terrain = NULL;
    const cairn_terrain_def def = cairn_terrain_def_default();
    assert_ok(cairn_terrain_create(&def, &arena, &terrain));
    scene_look(&made, 360, 160, noise_m, &dice);
    const cairn_terrain_sweep sweep = scene_sweep(&made);
    cairn_terrain_view view;
    cairn_terrain_step(terrain, &sweep, &view);
    return view;
}

static void scene_begin(double sensor_m)
{
    memset(&made, 0, sizeof made);
    made.sensor_m = (cairn_vec3){0.013, 0.021, sensor_m};
    cairn_random_init(&dice, SEED, "test/negative");
}

// Whether somebody who drives from the sensor along x meets a cell that is marked before he has driven into x_m.
static bool is_stopped_before(const cairn_terrain_view *view, double y_m, double x_m)
{
    for (double at_m = 0.3; at_m < x_m; at_m += 0.05) {
        if (scene_cell(view, at_m, y_m) >= CAIRN_CELL_OBSTACLE) { return true; }
    }
    return false;
}

// A pit 1 m deep, from 1.5 m to 3 m ahead, whose floor and far wall are seen.
static void a_pit_stops_whoever_drives_towards_it(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    scene_begin(0.6);
    scene_add(&made, (cairn_vec3){-20, -20, -2}, (cairn_vec3){1.5, 20, 0});
    scene_add(&made, (cairn_vec3){3, -20, -2}, (cairn_vec3){20, 20, 0});
    scene_add(&made, (cairn_vec3){1.5, -20, -2}, (cairn_vec3){3, 20, -1});
    const cairn_terrain_view view = look(0.01);
    for (double y_m = -0.5; y_m <= 0.5; y_m += 0.05) {
        assert_true(is_stopped_before(&view, y_m, 1.7));
        assert_false(is_stopped_before(&view, y_m, 1.4)); // the floor before it is drivable
    }
}

// A trench whose floor is out of sight: all that is seen of it is its far wall, and noise spreads that over two cells.
static void a_trench_without_a_visible_floor_stops_whoever_drives_towards_it(void **state)
{
    (void)state;
    scene_begin(0.7);
    scene_add(&made, (cairn_vec3){-20, -20, -2}, (cairn_vec3){1.5, 20, 0});
    scene_add(&made, (cairn_vec3){2.2, -20, -2}, (cairn_vec3){20, 20, 0});
    const cairn_terrain_view view = look(0.01);
    for (double y_m = -0.5; y_m <= 0.5; y_m += 0.05) {
        assert_true(is_stopped_before(&view, y_m, 2.1));
        assert_false(is_stopped_before(&view, y_m, 1.4));
    }
}

// A ramp down is steeper than the prior, but it is seen all along: no reason to doubt it.
static void a_ramp_that_is_seen_is_no_drop(void **state)
{
    (void)state;
    scene_begin(0.7);
    scene_add(&made, (cairn_vec3){-20, -20, -2}, (cairn_vec3){0.5, 20, 0});
    for (int i = 0; i < 14; i++) { // 15 degrees, in steps of 5 cm
        const double x_m = 0.5 + 0.2 * i, z_m = -0.2 * tan(15 * CAIRN_PI / 180) * (i + 1);
        scene_add(&made, (cairn_vec3){x_m, -20, -2}, (cairn_vec3){x_m + 0.2, 20, z_m});
    }
    const cairn_terrain_view view = look(0.005);
    for (size_t i = 0; i < cairn_terrain_cell_count(&view.area); i++) {
        const double x_m = -10 + 0.05 * (double)(i % 400), y_m = -10 + 0.05 * (double)(i / 400);
        if (x_m < 2.5 && fabs(y_m) < 1.5) { assert_int_not_equal(view.cells[i], CAIRN_CELL_DROP); }
    }
}

// The edge of a platform: rays beyond it return from nowhere. Only the misses tell.
static void an_edge_into_nothing_stops_whoever_drives_towards_it(void **state)
{
    (void)state;
    scene_begin(0.6);
    scene_add(&made, (cairn_vec3){-20, -20, -2}, (cairn_vec3){2, 20, 0});
    cairn_terrain_view view = look(0.01);
    for (double y_m = -0.5; y_m <= 0.5; y_m += 0.05) {
        assert_true(is_stopped_before(&view, y_m, 2.2));
        assert_false(is_stopped_before(&view, y_m, 1.9));
    }
}

// What the header promises: from h above the ground, drops up to h / (slope + step / L) away, and none beyond h /
// slope.
static void drops_are_found_up_to_the_distance_that_the_slope_allows(void **state)
{
    (void)state;
    const cairn_drop_def def = cairn_drop_def_default();
    const double height_m = 0.6, ring = 2 * 90.0 / 160 * CAIRN_PI / 180; // two rows of rays must fall between
    int found_count = 0, not_found_count = 0;
    for (int tenth = 10; tenth < 60; tenth += 4) {
        const double edge_m = 0.1 * tenth, falls = height_m / edge_m;
        scene_begin(height_m);
        scene_add(&made, (cairn_vec3){-20, -20, -2}, (cairn_vec3){edge_m, 20, 0});
        const cairn_terrain_view view = look(0);
        bool found = false;
        for (double y_m = -0.1; y_m <= 0.1; y_m += 0.05) { found |= is_stopped_before(&view, y_m, edge_m + 1); }
        if (falls > def.slope + def.step_m / (10 - edge_m) + ring * (1 + falls * falls)) {
            assert_true(found);
            found_count++;
        }
        if (falls < def.slope) {
            assert_false(found);
            not_found_count++;
        }
    }
    assert_true(found_count >= 4 && not_found_count >= 4);
}

// Behind a box nothing is seen either; that is no hole, and a map that said so would close rooms.
static void the_shadow_of_a_box_is_no_drop(void **state)
{
    (void)state;
    for (int tenth = 2; tenth <= 5; tenth++) {
        scene_begin(0.7);
        scene_add(&made, (cairn_vec3){-20, -20, -1}, (cairn_vec3){20, 20, 0});
        scene_add(&made, (cairn_vec3){0.6, -0.5, 0}, (cairn_vec3){1, 0.5, 0.1 * tenth});
        const cairn_terrain_view view = look(0.01);
        for (size_t i = 0; i < cairn_terrain_cell_count(&view.area); i++) {
            assert_int_not_equal(view.cells[i], CAIRN_CELL_DROP);
        }
    }
}

// The quick look at a ray's end leaves most rays out; it must never leave out one that proves something. Single rays
// over random ground, against the definition.
static void leaving_out_rays_that_prove_nothing_changes_nothing(void **state)
{
    (void)state;
    cairn_arena scratch;
    static int32_t low_um[60 * 60];
    static uint8_t up[60 * 60], drop[60 * 60];
    const cairn_terrain_area area = {.origin_m = {-1.5, -1.5}, .cell_m = 0.05, .width = 60, .height = 60};
    const cairn_drop_def def = {.slope = 0.2, .step_m = 0.1, .rays_min = 1};
    cairn_random_init(&dice, SEED, "test/rays");
    uint32_t proving = 0;
    for (int round = 0; round < 2000; round++) {
        for (int i = 0; i < 60 * 60; i++) {
            const bool seen = cairn_random_uniform(&dice) < 0.05;
            low_um[i] = seen ? cairn_um(cairn_random_between(&dice, -0.1, 0.1)) : CAIRN_HEIGHT_NONE;
        }
        const float end[3] = {(float)cairn_random_between(&dice, -1.4, 1.4),
                              (float)cairn_random_between(&dice, -1.4, 1.4),
                              (float)cairn_random_between(&dice, -0.6, 0)};
        const cairn_terrain_sweep sweep = {{0.01, 0.01, 0.5}, {&end[0], &end[1], &end[2], 1}, {0}};
        cairn_arena_init(&scratch, memory, sizeof memory);
        assert_ok(cairn_drops_find(&area, &def, &sweep, &(cairn_drop_ground){low_um, up}, &scratch, drop));
        bool marked = false;
        for (int i = 0; i < 60 * 60; i++) { marked |= drop[i]; }
        // The obvious way: back along the ray, cell by cell, to the first ground that is a step above its end.
        const double du = (end[0] - 0.01) / 0.05, dv = (end[1] - 0.01) / 0.05, steps = fmax(fabs(du), fabs(dv));
        bool proves = false;
        for (int step = 0; step < (int)steps; step++) {
            const double u = (end[0] + 1.5) / 0.05 - step * du / steps, v = (end[1] + 1.5) / 0.05 - step * dv / steps;
            const int32_t rim_um = low_um[(int)v * 60 + (int)u];
            if (step == 0 || rim_um == CAIRN_HEIGHT_NONE || 1e-6 * rim_um <= end[2] + 0.1) { continue; }
            const double away_m = 0.05 * step * hypot(du, dv) / steps;
            proves = end[2] < 1e-6 * rim_um - 0.2 * away_m - 0.1;
            break;
        }
        const bool own_seen =
            low_um[(int)((end[1] + 1.5) / 0.05) * 60 + (int)((end[0] + 1.5) / 0.05)] != CAIRN_HEIGHT_NONE;
        if (!own_seen) { assert_int_equal(marked, proves); }
        proving += proves;
    }
    assert_true(proving > 200 && proving < 1800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pit_stops_whoever_drives_towards_it),
        cmocka_unit_test(a_trench_without_a_visible_floor_stops_whoever_drives_towards_it),
        cmocka_unit_test(a_ramp_that_is_seen_is_no_drop),
        cmocka_unit_test(an_edge_into_nothing_stops_whoever_drives_towards_it),
        cmocka_unit_test(drops_are_found_up_to_the_distance_that_the_slope_allows),
        cmocka_unit_test(the_shadow_of_a_box_is_no_drop),
        cmocka_unit_test(leaving_out_rays_that_prove_nothing_changes_nothing),
    };
    return cmocka_run_group_tests_name("negative", tests, NULL, NULL);
}
