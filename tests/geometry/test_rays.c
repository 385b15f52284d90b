// test_rays.c - walks over grids and rays against shapes, against sampled truth.
#include "base/random.h"
#include "geometry/rays.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEED 71553
#define SIDE 24 // of the box of cells in which random walks happen

static cairn_random stream(const char *name)
{
    print_message("seed %d, stream %s\n", SEED, name);
    cairn_random random;
    cairn_random_init(&random, SEED, name);
    return random;
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) { fail_msg("%.17g is not %.17g within %g", a, b, tolerance); }
}

static cairn_vec2 random_point(cairn_random *random, double low, double high)
{
    const double x = cairn_random_between(random, low, high);
    return (cairn_vec2){x, cairn_random_between(random, low, high)};
}

static cairn_vec2 heading(double yaw_rad) { return (cairn_vec2){cos(yaw_rad), sin(yaw_rad)}; }

static int32_t cell_at(double at_m, double origin_m, double cell_m)
{
    return (int32_t)floor((at_m - origin_m) / cell_m);
}

// Checks what must hold for every walk, and marks the cells walked.
static void check_walk(cairn_vec2 origin, double cell_m, cairn_vec2 from, cairn_vec2 to, uint8_t walked[SIDE][SIDE])
{
    cairn_grid_walk walk;
    cairn_grid_walk_start(&walk, origin, cell_m, from, to);
    assert_int_equal(walk.x, cell_at(from.x, origin.x, cell_m));
    assert_int_equal(walk.y, cell_at(from.y, origin.y, cell_m));
    const int32_t end_x = cell_at(to.x, origin.x, cell_m), end_y = cell_at(to.y, origin.y, cell_m);
    const int count = 1 + abs(end_x - walk.x) + abs(end_y - walk.y);
    for (int i = 1;; i++) {
        const int32_t x = walk.x, y = walk.y;
        if (walked != NULL) { walked[y][x] = 1; }
        if (!cairn_grid_walk_next(&walk)) {
            assert_int_equal(i, count);
            break;
        }
        assert_int_equal(abs(walk.x - x) + abs(walk.y - y), 1);
    }
    assert_int_equal(walk.x, end_x);
    assert_int_equal(walk.y, end_y);
    assert_false(cairn_grid_walk_next(&walk));
}

// Every cell in which many samples of the segment fall is walked; every walked cell is touched by the segment.
static void a_walk_visits_the_cells_of_a_supersampled_segment(void **state)
{
    (void)state;
    cairn_random random = stream("supersampled");
    for (int i = 0; i < 300; i++) {
        const cairn_vec2 origin = random_point(&random, -3, 3);
        const double cell_m = cairn_random_between(&random, 0.05, 0.5), side_m = cell_m * SIDE * 0.999;
        const cairn_vec2 from = cairn_vec2_add(origin, random_point(&random, 0, side_m));
        const cairn_vec2 to = cairn_vec2_add(origin, random_point(&random, 0, side_m));
        uint8_t walked[SIDE][SIDE] = {{0}};
        check_walk(origin, cell_m, from, to, walked);
        for (int k = 0; k <= 4000; k++) {
            const cairn_vec2 at = cairn_vec2_add(from, cairn_vec2_scale(cairn_vec2_sub(to, from), k / 4000.0));
            assert_true(walked[cell_at(at.y, origin.y, cell_m)][cell_at(at.x, origin.x, cell_m)]);
        }
        const double length = cairn_vec2_distance(from, to);
        const cairn_vec2 along = cairn_vec2_scale(cairn_vec2_sub(to, from), 1 / length);
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                const cairn_pose2 cell = {origin.x + (x + 0.5) * cell_m, origin.y + (y + 0.5) * cell_m, 0};
                const double half_m = cell_m * (0.5 + 1e-9);
                const double touch = cairn_ray_box2(from, along, cell, (cairn_vec2){half_m, half_m});
                if (walked[y][x]) { assert_true(touch >= 0 && touch <= length + cell_m * 1e-9); }
            }
        }
    }
}

// Points on borders and corners are where rounding decides; the ends must be right all the same.
static void walks_between_borders_and_corners_end_where_they_should(void **state)
{
    (void)state;
    cairn_random random = stream("corners");
    for (int i = 0; i < 20000; i++) {
        const double cell_m = 0.1 * (1 + (int)cairn_random_below(&random, 5)), half = 0.5 * cell_m;
        const cairn_vec2 origin = {-0.7, 0.3};
        const cairn_vec2 from = {half * cairn_random_below(&random, 90), half * cairn_random_below(&random, 90)};
        const cairn_vec2 to = {half * cairn_random_below(&random, 90), half * cairn_random_below(&random, 90)};
        check_walk(origin, cell_m, from, to, NULL);
    }
}

static void a_walk_within_one_cell_is_that_cell(void **state)
{
    (void)state;
    cairn_grid_walk walk;
    cairn_grid_walk_start(&walk, (cairn_vec2){0, 0}, 1.0, (cairn_vec2){-0.2, 3.1}, (cairn_vec2){-0.9, 3.9});
    assert_int_equal(walk.x, -1);
    assert_int_equal(walk.y, 3);
    assert_int_equal(walk.steps_left, 0);
    assert_false(cairn_grid_walk_next(&walk));
}

// The oracle: the nearest of the four sides, each met as a segment by Cramer's rule.
static double slow_ray_box2(cairn_vec2 from, cairn_vec2 direction, cairn_pose2 map_T_box, cairn_vec2 half)
{
    const cairn_vec2 inside = cairn_pose2_apply(cairn_pose2_inverse(map_T_box), from);
    if (fabs(inside.x) <= half.x && fabs(inside.y) <= half.y) { return 0; }
    const cairn_vec2 corner[4] = {{half.x, half.y}, {-half.x, half.y}, {-half.x, -half.y}, {half.x, -half.y}};
    double best = -1;
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 a = cairn_pose2_apply(map_T_box, corner[i]);
        const cairn_vec2 side = cairn_vec2_sub(cairn_pose2_apply(map_T_box, corner[(i + 1) % 4]), a);
        const cairn_vec2 to_a = cairn_vec2_sub(a, from);
        const double det = cairn_vec2_cross(direction, side);
        const double t = cairn_vec2_cross(to_a, side) / det, u = cairn_vec2_cross(to_a, direction) / det;
        if (t >= 0 && u >= 0 && u <= 1 && (best < 0 || t < best)) { best = t; }
    }
    return best;
}

static void rays_meet_boxes_where_they_meet_a_side(void **state)
{
    (void)state;
    cairn_random random = stream("boxes in the plane");
    int hits = 0;
    for (int i = 0; i < 20000; i++) {
        const cairn_vec2 at = random_point(&random, -3, 3), from = random_point(&random, -4, 4);
        const cairn_pose2 map_T_box = {at.x, at.y, cairn_random_between(&random, -4, 4)};
        const cairn_vec2 half = random_point(&random, 0.05, 2), along = heading(cairn_random_between(&random, -4, 4));
        const double slow = slow_ray_box2(from, along, map_T_box, half);
        assert_near(cairn_ray_box2(from, along, map_T_box, half), slow, 1e-9);
        hits += slow >= 0;
    }
    assert_true(hits > 2000 && hits < 18000);
}

static void rays_along_a_side_touch_and_beside_it_do_not(void **state)
{
    (void)state;
    const cairn_pose2 box = {5, 0, 0};
    const cairn_vec2 half = {1, 2}, east = {1, 0}, west = {-1, 0};
    assert_near(cairn_ray_box2((cairn_vec2){0, 2}, east, box, half), 4, 0);
    assert_true(cairn_ray_box2((cairn_vec2){0, 2.001}, east, box, half) < 0);
    assert_true(cairn_ray_box2((cairn_vec2){0, 0}, west, box, half) < 0);
    assert_near(cairn_ray_box2((cairn_vec2){5.5, 1}, west, box, half), 0, 0);
}

// The oracle: march along the ray and ask each sample whether it is inside.
static double marched(cairn_vec3 from, cairn_vec3 direction, cairn_pose3 map_T_box, cairn_vec3 half, double step_m)
{
    const cairn_pose3 box_T_map = cairn_pose3_inverse(map_T_box);
    for (double t = 0; t < 20; t += step_m) {
        const cairn_vec3 p = cairn_pose3_apply(box_T_map, cairn_vec3_add(from, cairn_vec3_scale(direction, t)));
        if (fabs(p.x) <= half.x && fabs(p.y) <= half.y && fabs(p.z) <= half.z) { return t; }
    }
    return -1;
}

static cairn_vec3 random_space(cairn_random *random, double low, double high)
{
    const cairn_vec2 flat = random_point(random, low, high);
    return (cairn_vec3){flat.x, flat.y, cairn_random_between(random, low, high)};
}

static void rays_meet_boxes_in_space_where_marching_does(void **state)
{
    (void)state;
    cairn_random random = stream("boxes in space");
    const double step_m = 0.005;
    int hits = 0;
    for (int i = 0; i < 1000; i++) {
        const cairn_vec3 at = random_space(&random, -2, 2), from = random_space(&random, -4, 4);
        const cairn_pose3 box = {at, cairn_quat_exp(random_space(&random, -2, 2))};
        const cairn_vec3 half = random_space(&random, 0.3, 2);
        const cairn_vec3 aim = cairn_vec3_sub(random_space(&random, -3, 3), from);
        const cairn_vec3 along = cairn_vec3_scale(aim, 1 / cairn_vec3_length(aim));
        const double quick = cairn_ray_box3(from, along, box, half), slow = marched(from, along, box, half, step_m);
        if (slow >= 0) { // marching may step over a clipped corner, but never invents a hit
            assert_true(quick >= 0 && quick <= slow + 1e-9 && quick > slow - 2 * step_m);
            hits++;
        } else if (quick >= 0) {
            const cairn_vec3 touch = cairn_vec3_add(from, cairn_vec3_scale(along, quick));
            const cairn_vec3 p = cairn_pose3_apply(cairn_pose3_inverse(box), touch);
            assert_true(fabs(p.x) <= half.x + 1e-9 && fabs(p.y) <= half.y + 1e-9 && fabs(p.z) <= half.z + 1e-9);
        }
    }
    assert_true(hits > 200);
}

static void rays_meet_circles_at_their_radius(void **state)
{
    (void)state;
    cairn_random random = stream("circles");
    for (int i = 0; i < 20000; i++) {
        const cairn_vec2 from = random_point(&random, -4, 4), centre = random_point(&random, -3, 3);
        const double radius = cairn_random_between(&random, 0.05, 2);
        const cairn_vec2 along = heading(cairn_random_between(&random, -4, 4)), to = cairn_vec2_sub(centre, from);
        const double t = cairn_ray_circle(from, along, centre, radius);
        if (cairn_vec2_length(to) <= radius) {
            assert_near(t, 0, 0);
        } else if (t >= 0) {
            const cairn_vec2 touch = cairn_vec2_add(from, cairn_vec2_scale(along, t));
            assert_near(cairn_vec2_distance(touch, centre), radius, 1e-9);
            assert_true(cairn_vec2_dot(along, cairn_vec2_sub(centre, touch)) >= -1e-6); // the near side
        } else {
            const double closest = fmax(0, cairn_vec2_dot(along, to));
            const cairn_vec2 at = cairn_vec2_add(from, cairn_vec2_scale(along, closest));
            assert_true(cairn_vec2_distance(at, centre) > radius - 1e-9);
        }
    }
}

static void distance_to_a_box_is_that_to_its_nearest_sample(void **state)
{
    (void)state;
    cairn_random random = stream("distance");
    for (int i = 0; i < 100; i++) {
        const cairn_vec2 at = random_point(&random, -3, 3), point = random_point(&random, -4, 4);
        const cairn_pose2 box = {at.x, at.y, cairn_random_between(&random, -4, 4)};
        const cairn_vec2 half = random_point(&random, 0.05, 1);
        double nearest = INFINITY;
        for (int k = 0; k <= 100; k++) {
            for (int m = 0; m <= 100; m++) {
                const cairn_vec2 sample = {half.x * (k / 50.0 - 1), half.y * (m / 50.0 - 1)};
                nearest = fmin(nearest, cairn_vec2_distance(point, cairn_pose2_apply(box, sample)));
            }
        }
        const double distance = cairn_box2_distance(point, box, half);
        assert_true(distance <= nearest + 1e-12 && distance > nearest - 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_visits_the_cells_of_a_supersampled_segment),
        cmocka_unit_test(walks_between_borders_and_corners_end_where_they_should),
        cmocka_unit_test(a_walk_within_one_cell_is_that_cell),
        cmocka_unit_test(rays_meet_boxes_where_they_meet_a_side),
        cmocka_unit_test(rays_along_a_side_touch_and_beside_it_do_not),
        cmocka_unit_test(rays_meet_boxes_in_space_where_marching_does),
        cmocka_unit_test(rays_meet_circles_at_their_radius),
        cmocka_unit_test(distance_to_a_box_is_that_to_its_nearest_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
