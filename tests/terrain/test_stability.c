// Standing on ground: planes, steps and corners, for which geometry gives the answer.
#include "../base/check.h"
#include "base/random.h"
#include "terrain/stability.h"
#include <math.h>

#define SEED 3
#define EDGE 80
#define CELL_M 0.05
#define DEGREE (CAIRN_PI / 180)

static int32_t height_um[EDGE * EDGE];
static const cairn_height_grid grid = {{.origin_m = {-2, -2}, .cell_m = CELL_M, .width = EDGE, .height = EDGE},
                                       height_um};

// A box on four wheels: half as long and wide as told, its mass above the middle.
static cairn_stand_def box(double half_length_m, double half_width_m, double mass_m)
{
    return (cairn_stand_def){.contact_count = 4,
                             .contact_m = {{half_length_m, half_width_m},
                                           {half_length_m, -half_width_m},
                                           {-half_length_m, half_width_m},
                                           {-half_length_m, -half_width_m}},
                             .mass_m = {0, 0, mass_m},
                             .touch_m = 0.005};
}

static void slope_make(double along_x, double along_y, double base_m)
{
    for (int i = 0; i < EDGE * EDGE; i++) {
        const double x_m = -2 + CELL_M * (i % EDGE + 0.5), y_m = -2 + CELL_M * (i / EDGE + 0.5);
        height_um[i] = cairn_um(base_m + along_x * x_m + along_y * y_m);
    }
}

// Textbook: a box tips over an edge when its mass comes to stand above it, at atan(half width / height).
static void a_box_tips_at_the_slope_that_geometry_says(void **state)
{
    (void)state;
    const cairn_stand_def def = box(0.3, 0.2, 0.25);
    const double tips_rad = atan(0.2 / 0.25); // 38.7 degrees
    for (int degree = 0; degree <= 45; degree++) {
        slope_make(0, tan(degree * DEGREE), 1);
        cairn_stand stand;
        assert_ok(cairn_stand_drop(&def, &grid, (cairn_pose2){0, 0, 0}, &stand));
        assert_int_equal(stand.touching, 15);
        assert_float_equal(stand.angle_rad, tips_rad - degree * DEGREE, 1e-5); // heights are whole micrometres
        assert_int_equal(isinf(stand.risk), degree * DEGREE > tips_rad);
        assert_float_equal(cairn_quat_to_rpy(stand.map_T_base.turn).roll_rad, degree * DEGREE, 1e-5);
        assert_float_equal(stand.map_T_base.at_m.z, 1, 1e-5);
    }
}

// Roll, pitch and yaw together: all wheels on the plane, the base upright on it, heading where it was told to.
static void on_any_slope_and_heading_all_contacts_lie_on_the_ground(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/slopes");
    const cairn_stand_def def = box(0.3, 0.2, 0.25);
    for (int round = 0; round < 30; round++) {
        const double along_x = cairn_random_between(&random, -0.6, 0.6),
                     along_y = cairn_random_between(&random, -0.6, 0.6);
        const double yaw_rad = cairn_random_between(&random, -3, 3);
        slope_make(along_x, along_y, 0.2);
        cairn_stand stand;
        assert_ok(cairn_stand_drop(&def, &grid, (cairn_pose2){0.1, -0.2, yaw_rad}, &stand));
        assert_int_equal(stand.touching, 15);
        for (uint32_t i = 0; i < 4; i++) {
            const cairn_vec3 at =
                cairn_pose3_apply(stand.map_T_base, (cairn_vec3){def.contact_m[i].x, def.contact_m[i].y, 0});
            assert_float_equal(at.z, 0.2 + along_x * at.x + along_y * at.y, 1e-5);
        }
        const cairn_vec3 ahead = cairn_quat_rotate(stand.map_T_base.turn, (cairn_vec3){1, 0, 0});
        assert_float_equal(remainder(atan2(ahead.y, ahead.x) - yaw_rad, 2 * CAIRN_PI), 0, 1e-9);
    }
}

// On one slope the risk depends on which way the robot faces: along the slope the long side helps.
static void turning_towards_the_slope_is_safer_than_standing_across_it(void **state)
{
    (void)state;
    const cairn_stand_def def = box(0.4, 0.2, 0.3);
    slope_make(tan(25 * DEGREE), 0, 0);
    cairn_stand up, across, askew;
    assert_ok(cairn_stand_drop(&def, &grid, (cairn_pose2){0, 0, 0}, &up));
    assert_ok(cairn_stand_drop(&def, &grid, (cairn_pose2){0, 0, CAIRN_PI / 2}, &across));
    assert_ok(cairn_stand_drop(&def, &grid, (cairn_pose2){0.2, -0.1, CAIRN_PI / 4}, &askew));
    // Level it would tip over a long side first, atan(0.2 / 0.3); uphill those still are the weakest.
    assert_float_equal(across.angle_rad, atan(0.2 / 0.3) - 25 * DEGREE, 1e-5);
    assert_float_equal(up.angle_rad, fmin(atan(0.2 / 0.3), atan(0.4 / 0.3) - 25 * DEGREE), 1e-5);
    assert_true(across.risk > askew.risk && askew.risk > up.risk && up.risk >= 1);
}

static void level_ground_is_the_measure_of_risk(void **state)
{
    (void)state;
    const cairn_stand_def def = box(0.3, 0.2, 0.25);
    slope_make(0, 0, -0.7);
    cairn_stand stand;
    assert_ok(cairn_stand_drop(&def, &grid, (cairn_pose2){0.3, -0.4, 1.1}, &stand));
    assert_float_equal(stand.risk, 1, 1e-9);
    // theta * d for a weight of 1 N: the angle of the edge times its distance from the line of the weight.
    assert_float_equal(stand.measure_m_rad, atan(0.2 / 0.25) * 0.2, 1e-9);
    assert_float_equal(stand.map_T_base.at_m.z, -0.7, 1e-9);
}

// One wheel over a hole: three carry, and the line between two of them becomes an edge to tip over.
static void a_wheel_over_a_hole_leaves_three_and_a_nearer_edge(void **state)
{
    (void)state;
    cairn_stand_def def = box(0.3, 0.2, 0.25);
    def.mass_m.x = -0.05; // to the side that still has both of its wheels
    slope_make(0, 0, 0);
    for (int y = 42; y < 47; y++) {
        for (int x = 44; x < 49; x++) { height_um[y * EDGE + x] = cairn_um(-0.4); } // under the left front wheel
    }
    cairn_stand stand;
    assert_ok(cairn_stand_drop(&def, &grid, (cairn_pose2){0, 0, 0}, &stand));
    assert_int_equal(stand.touching, 14);
    // The edge runs from (0.3, -0.2) to (-0.3, 0.2); the mass lies |0.2 * -0.05| / |edge| behind it.
    const double behind_m = 0.4 * 0.05 / hypot(0.6, 0.4);
    assert_float_equal(stand.angle_rad, atan(behind_m / 0.25), 1e-6);
    assert_true(stand.risk > 10);
}

// With the mass above the line between two wheels, both other wheels could carry. Nothing pulls the robot into the
// hole.
static void a_robot_in_balance_stays_level(void **state)
{
    (void)state;
    const cairn_stand_def def = box(0.3, 0.2, 0.25);
    for (int wheel = 0; wheel < 4; wheel++) {
        slope_make(0, 0, 0);
        const int at_x = (int)((2 + def.contact_m[wheel].x) / CELL_M),
                  at_y = (int)((2 + def.contact_m[wheel].y) / CELL_M);
        for (int i = 0; i < 25; i++) { height_um[(at_y + i / 5 - 2) * EDGE + at_x + i % 5 - 2] = cairn_um(-0.4); }
        cairn_stand stand;
        assert_ok(cairn_stand_drop(&def, &grid, (cairn_pose2){0, 0, 0}, &stand));
        assert_int_equal(stand.touching, 15 & ~(1 << wheel));
        assert_float_equal(stand.angle_rad, 0, 1e-6);
    }
}

static void two_wheels_on_a_kerb_lean_the_robot_by_the_kerb(void **state)
{
    (void)state;
    const cairn_stand_def def = box(0.3, 0.2, 0.25);
    for (int i = 0; i < EDGE * EDGE; i++) { height_um[i] = i / EDGE >= EDGE / 2 ? cairn_um(0.1) : 0; }
    cairn_stand stand;
    assert_ok(cairn_stand_drop(&def, &grid, (cairn_pose2){0, 0, 0}, &stand));
    const double lean_rad = asin(0.1 / 0.4); // the wheels are 0.4 m apart along the robot, not along the ground
    assert_float_equal(cairn_quat_to_rpy(stand.map_T_base.turn).roll_rad, lean_rad, 1e-4);
    assert_float_equal(stand.angle_rad, atan(0.2 / 0.25) - lean_rad, 1e-4);
}

// Whatever the ground: nothing sinks in, three carry, and what is said to touch does.
static void on_random_ground_no_contact_is_below_it(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/stand");
    for (int round = 0; round < 200; round++) {
        cairn_stand_def def = box(0.3, 0.2, 0.2);
        for (; def.contact_count < 8; def.contact_count++) { // points along tracks
            def.contact_m[def.contact_count] =
                (cairn_vec2){cairn_random_between(&random, -0.3, 0.3), round % 2 ? 0.2 : -0.2};
        }
        const double rough_m = cairn_random_between(&random, 0, 0.05);
        for (int i = 0; i < EDGE * EDGE; i++) { height_um[i] = cairn_um(rough_m * cairn_random_uniform(&random)); }
        const cairn_pose2 place = {cairn_random_between(&random, -1, 1), cairn_random_between(&random, -1, 1),
                                   cairn_random_between(&random, -3, 3)};
        cairn_stand stand;
        assert_ok(cairn_stand_drop(&def, &grid, place, &stand));
        int carrying = 0;
        for (uint32_t i = 0; i < def.contact_count; i++) {
            const cairn_vec3 at =
                cairn_pose3_apply(stand.map_T_base, (cairn_vec3){def.contact_m[i].x, def.contact_m[i].y, 0});
            const double gap_m = at.z - cairn_height_at(&grid, (cairn_vec2){at.x, at.y});
            // The last look at the ground was where the wheels were a round before: a few millimetres at most.
            assert_true(gap_m > -0.003);
            carrying += stand.touching >> i & 1;
            if (stand.touching >> i & 1) { assert_true(gap_m < def.touch_m + 0.003); }
        }
        assert_true(carrying >= 3);
    }
}

static void heights_between_cells_lie_between_theirs(void **state)
{
    (void)state;
    slope_make(0.3, -0.2, 0.5);
    assert_float_equal(cairn_height_at(&grid, (cairn_vec2){0.313, -0.777}), 0.5 + 0.3 * 0.313 + 0.2 * 0.777, 2e-6);
    assert_true(isnan(cairn_height_at(&grid, (cairn_vec2){2.01, 0})));
    height_um[40 * EDGE + 40] = CAIRN_HEIGHT_NONE;
    assert_true(isnan(cairn_height_at(&grid, (cairn_vec2){0.03, 0.03})));
}

static void unknown_ground_and_a_mass_outside_the_wheels_are_refused(void **state)
{
    (void)state;
    cairn_stand_def def = box(0.3, 0.2, 0.25);
    cairn_stand stand = {.risk = 7};
    slope_make(0, 0, 0);
    assert_int_equal(cairn_stand_drop(&def, &grid, (cairn_pose2){1.9, 0, 0}, &stand), CAIRN_ERR_OUTSIDE);
    def.mass_m.x = 0.31;
    assert_int_equal(cairn_stand_drop(&def, &grid, (cairn_pose2){0, 0, 0}, &stand), CAIRN_ERR_INVALID);
    assert_true(stand.risk == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_tips_at_the_slope_that_geometry_says),
        cmocka_unit_test(on_any_slope_and_heading_all_contacts_lie_on_the_ground),
        cmocka_unit_test(turning_towards_the_slope_is_safer_than_standing_across_it),
        cmocka_unit_test(level_ground_is_the_measure_of_risk),
        cmocka_unit_test(a_wheel_over_a_hole_leaves_three_and_a_nearer_edge),
        cmocka_unit_test(a_robot_in_balance_stays_level),
        cmocka_unit_test(two_wheels_on_a_kerb_lean_the_robot_by_the_kerb),
        cmocka_unit_test(on_random_ground_no_contact_is_below_it),
        cmocka_unit_test(heights_between_cells_lie_between_theirs),
        cmocka_unit_test(unknown_ground_and_a_mass_outside_the_wheels_are_refused),
    };
    return cmocka_run_group_tests_name("stability", tests, NULL, NULL);
}
