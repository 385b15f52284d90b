// A sweep made flat: walls are where they are, and kerbs, ramps and floors are not there at all.
#include "../base/check.h"
#include "made_scene.h"
#include "terrain/collapse.h"

#define SEED 4

static made_scene made; // large
static cairn_random dice;
static uint8_t memory[16 << 20], upright[400 * 400];

static cairn_scan_points flat; // large

static cairn_terrain_view collapse(double noise_m)
{
    cairn_arena arena;
    cairn_arena_init(&arena, memory, sizeof memory);
    cairn_terrain *terrain = NULL;
    const cairn_terrain_def def = cairn_terrain_def_default();
    assert_ok(cairn_terrain_create(&def, &arena, &terrain));
    scene_look(&made, 360, 120, noise_m, &dice);
    const cairn_terrain_sweep sweep = scene_sweep(&made);
    cairn_terrain_view view;
    cairn_terrain_step(terrain, &sweep, &view);
    const cairn_collapse_def collapse_def = cairn_collapse_def_default();
    assert_ok(cairn_collapse_cells(&view, &collapse_def, &arena, upright));
    cairn_collapse_scan(&view, &collapse_def, &sweep, upright, &flat);
    return view;
}

static void scene_begin(void)
{
    memset(&made, 0, sizeof made);
    made.sensor_m = (cairn_vec3){0.3, -0.2, 0.6};
    scene_add(&made, (cairn_vec3){-20, -20, -1}, (cairn_vec3){20, 20, 0});
    cairn_random_init(&dice, SEED, "test/collapse");
}

// A room of 6 x 4 m. The flat scan of it has its walls where they are, to a few millimetres, though the noise of single
// returns is 2 cm: that is what the averaging is for.
static void a_room_becomes_its_walls(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    scene_begin();
    scene_add(&made, (cairn_vec3){3, -3, 0}, (cairn_vec3){3.2, 3, 2});
    scene_add(&made, (cairn_vec3){-3.2, -3, 0}, (cairn_vec3){-3, 3, 2});
    scene_add(&made, (cairn_vec3){-4, 2, 0}, (cairn_vec3){4, 2.2, 2});
    scene_add(&made, (cairn_vec3){-4, -2.2, 0}, (cairn_vec3){4, -2, 2});
    collapse(0.02);
    uint32_t hits = 0;
    double off_m_sum = 0;
    for (uint32_t i = 0; i < flat.count; i++) {
        if (!flat.hit[i]) { continue; }
        const double x_off = fabs(fabs(flat.x_m[i]) - 3), y_off = fabs(fabs(flat.y_m[i]) - 2);
        hits++;
        off_m_sum += fmin(x_off, y_off);
        assert_true(fmin(x_off, y_off) < 0.06);
    }
    assert_true(hits >= 300); // a direction that was looked into is a third of them
    assert_true(off_m_sum / hits < 0.01);
}

// A kerb of 15 cm stops a robot, but from farther away or another height it is another line.
static void kerbs_are_obstacles_and_not_upright(void **state)
{
    (void)state;
    scene_begin();
    scene_add(&made, (cairn_vec3){1.5, -2, 0}, (cairn_vec3){2, 2, 0.15});
    const cairn_terrain_view view = collapse(0.005);
    uint32_t obstacles = 0;
    for (int i = 0; i < 400 * 400; i++) {
        obstacles += view.cells[i] == CAIRN_CELL_OBSTACLE;
        assert_int_equal(upright[i], 0);
    }
    assert_true(obstacles > 20);
    for (uint32_t i = 0; i < flat.count; i++) { assert_int_equal(flat.hit[i], 0); }
}

// A beam that ends nowhere clears as far as floor was seen, and never past a wall.
static void beams_clear_what_was_seen_and_stop_at_walls(void **state)
{
    (void)state;
    scene_begin();
    scene_add(&made, (cairn_vec3){2, -1, 0}, (cairn_vec3){2.2, 0.6, 2}); // before the sensor, floor all around
    collapse(0);
    uint32_t walls = 0, clear = 0;
    for (uint32_t i = 0; i < flat.count; i++) {
        const double x_m = flat.x_m[i] - flat.sensor_x_m, y_m = flat.y_m[i] - flat.sensor_y_m;
        const bool behind = x_m > 0 && y_m / x_m > -0.75 / 1.75 && y_m / x_m < 0.75 / 1.75;
        if (behind && flat.hit[i]) {
            walls++;
            assert_float_equal(flat.x_m[i], 2, 1e-3);
        }
        if (!flat.hit[i] && hypot(x_m, y_m) > 0) {
            clear++;
            assert_true(!behind || flat.x_m[i] < 2.01); // a beam looks along its middle, returns lie beside it
        }
    }
    assert_true(walls > 30 && clear > 200);
}

// Over a low wall the wall behind it is seen, too. A flat laser would see the nearer one.
static void of_two_walls_in_one_direction_the_nearer_one_counts(void **state)
{
    (void)state;
    scene_begin();
    scene_add(&made, (cairn_vec3){1.52, -3, 0}, (cairn_vec3){1.62, 3, 0.45});
    scene_add(&made, (cairn_vec3){2.52, -3, 0}, (cairn_vec3){2.62, 3, 2});
    collapse(0);
    uint32_t near = 0;
    for (uint32_t i = 0; i < flat.count; i++) {
        const double x_m = flat.x_m[i] - flat.sensor_x_m, y_m = flat.y_m[i] - flat.sensor_y_m;
        if (!flat.hit[i] || x_m < 0 || fabs(y_m) > x_m) { continue; }
        assert_true(flat.x_m[i] < 1.63);
        near++;
    }
    assert_true(near > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_room_becomes_its_walls),
        cmocka_unit_test(kerbs_are_obstacles_and_not_upright),
        cmocka_unit_test(of_two_walls_in_one_direction_the_nearer_one_counts),
        cmocka_unit_test(beams_clear_what_was_seen_and_stop_at_walls),
    };
    return cmocka_run_group_tests_name("collapse", tests, NULL, NULL);
}
