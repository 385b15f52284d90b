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

#define SIDE 60

// A field of 3 x 3 m with single rays over it, from 0.5 m above its middle.
typedef struct ray_field {
    cairn_terrain_area area;
    cairn_drop_def def;
    int32_t low_um[SIDE * SIDE];
    uint8_t up[SIDE * SIDE], drop[SIDE * SIDE];
    float end_x_m[2], end_y_m[2], end_z_m[2];
} ray_field;

static void field_clear(ray_field *field)
{
    memset(field, 0, sizeof *field);
    field->area = (cairn_terrain_area){.origin_m = {-1.5, -1.5}, .cell_m = 0.05, .width = SIDE, .height = SIDE};
    field->def = (cairn_drop_def){.slope = 0.2, .step_m = 0.1, .rays_min = 1};
    for (int i = 0; i < SIDE * SIDE; i++) { field->low_um[i] = CAIRN_HEIGHT_NONE; }
}

static uint32_t field_find(ray_field *field, uint32_t ray_count)
{
    cairn_arena scratch;
    cairn_arena_init(&scratch, memory, sizeof memory);
    const cairn_terrain_sweep sweep = {
        {0.01, 0.01, 0.5}, {field->end_x_m, field->end_y_m, field->end_z_m, ray_count}, {0}};
    const cairn_drop_ground ground = {field->low_um, field->up};
    assert_ok(cairn_drops_find(&field->area, &field->def, &sweep, &ground, &scratch, field->drop));
    uint32_t marked = 0;
    for (int i = 0; i < SIDE * SIDE; i++) { marked += field->drop[i]; }
    return marked;
}

// The obvious way: back along the ray, cell by cell, to the first ground that is a step above its end.
static bool slow_proves(const ray_field *field)
{
    const double x_m = field->end_x_m[0], y_m = field->end_y_m[0], z_m = field->end_z_m[0];
    const double du = (x_m - 0.01) / 0.05, dv = (y_m - 0.01) / 0.05, steps = fmax(fabs(du), fabs(dv));
    for (int step = 1; step < (int)steps; step++) {
        const double u = (x_m + 1.5) / 0.05 - step * du / steps, v = (y_m + 1.5) / 0.05 - step * dv / steps;
        const int32_t rim_um = field->low_um[(int)v * SIDE + (int)u];
        if (rim_um == CAIRN_HEIGHT_NONE || 1e-6 * rim_um <= z_m + field->def.step_m) { continue; }
        const double away_m = 0.05 * step * hypot(du, dv) / steps;
        return z_m < 1e-6 * rim_um - field->def.slope * away_m - field->def.step_m;
    }
    return false;
}

// The quick look at a ray's end leaves most rays out; it must never leave out one that proves something. Few rims, and
// rays that are just deep enough or just not: then nothing but the rim on the ray's own way can let it through.
static void leaving_out_rays_that_prove_nothing_changes_nothing(void **state)
{
    (void)state;
    static ray_field field; // large
    cairn_random_init(&dice, SEED, "test/rays");
    uint32_t proving = 0;
    for (int round = 0; round < 3000; round++) {
        field_clear(&field);
        const double turn = cairn_random_between(&dice, -CAIRN_PI, CAIRN_PI),
                     range_m = cairn_random_between(&dice, 0.8, 1.4);
        const double rim_m = cairn_random_between(&dice, 0.2, range_m - 0.2), step_m = 0.1 + 0.2 * (range_m - rim_m);
        field.end_x_m[0] = (float)(0.01 + range_m * cos(turn));
        field.end_y_m[0] = (float)(0.01 + range_m * sin(turn));
        field.end_z_m[0] = (float)(-step_m + cairn_random_between(&dice, -0.03, 0.03));
        const int x = (int)((1.51 + rim_m * cos(turn)) / 0.05), y = (int)((1.51 + rim_m * sin(turn)) / 0.05);
        field.low_um[y * SIDE + x] = 0;
        const bool proves = slow_proves(&field);
        assert_int_equal(field_find(&field, 1) > 0, proves);
        proving += proves;
    }
    assert_true(proving > 500 && proving < 2500);
}

// A wall's returns fall into two cells; the one before the end's is no rim, and does not stand in the way.
static void the_wall_that_a_ray_ends_on_is_not_its_rim(void **state)
{
    (void)state;
    static ray_field field;
    field_clear(&field);
    for (int x = 30; x < 40; x++) { field.low_um[30 * SIDE + x] = 0; } // floor up to 0.5 m, then nothing
    field.end_x_m[0] = 1.02f;
    field.end_y_m[0] = 0.01f;
    field.end_z_m[0] = -0.5f;
    const uint32_t marked = field_find(&field, 1);
    assert_true(marked > 0);
    field.low_um[30 * SIDE + 49] = -200000; // higher parts of the wall that the ray ends on
    field.up[30 * SIDE + 49] = 1;
    assert_int_equal(field_find(&field, 1), marked);
    field.low_um[30 * SIDE + 45] = -600000; // and so does the floor of the hole, where it is seen
    assert_int_equal(field_find(&field, 1), marked);
    field.up[30 * SIDE + 33] = 1; // but an obstacle before the rim makes it a shadow
    assert_int_equal(field_find(&field, 1), 0);
}

// Of a wall that is seen from its waist up the edge has one return only, which is higher than the floor behind it and
// no obstacle by itself. Were it a rim, the floor beyond each corner that a robot passes would be a hole.
static void the_edge_of_a_wall_is_no_rim(void **state)
{
    (void)state;
    static ray_field field;
    field_clear(&field);
    field.low_um[30 * SIDE + 36] = 300000;
    field.end_x_m[0] = 1.02f;
    field.end_y_m[0] = 0.01f;
    field.end_z_m[0] = 0.0f;
    assert_true(field_find(&field, 1) > 0); // a hill that ends
    for (int i = 0; i < 9; i++) {
        if (i == 4) { continue; }
        const int beside = (29 + i / 3) * SIDE + 35 + i % 3;
        field.up[beside] = 1;
        assert_int_equal(field_find(&field, 1), 0);
        field.up[beside] = 0;
    }
    field.up[28 * SIDE + 36] = 1;
    assert_true(field_find(&field, 1) > 0);
}

static void as_many_rays_as_asked_for_must_agree(void **state)
{
    (void)state;
    static ray_field field;
    field_clear(&field);
    for (int x = 30; x < 40; x++) { field.low_um[30 * SIDE + x] = 0; }
    for (int i = 0; i < 2; i++) {
        field.end_x_m[i] = 1.02f;
        field.end_y_m[i] = 0.01f;
        field.end_z_m[i] = -0.5f;
    }
    field.def.rays_min = 2;
    assert_int_equal(field_find(&field, 1), 0);
    assert_true(field_find(&field, 2) > 0);
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
        cmocka_unit_test(the_wall_that_a_ray_ends_on_is_not_its_rim),
        cmocka_unit_test(the_edge_of_a_wall_is_no_rim),
        cmocka_unit_test(as_many_rays_as_asked_for_must_agree),
    };
    return cmocka_run_group_tests_name("negative", tests, NULL, NULL);
}
