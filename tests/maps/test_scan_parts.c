// What is drawn out of a scan for matching: patches of surface, and edges where surfaces end.
#include "../base/check.h"
#include "../matching/world.h"
#include "maps/local/scan_edges.h"
#include "maps/local/scan_patches.h"
#include <stdlib.h>

#define SEED 13

static cairn_scan_points points;
static cairn_scan_patches patches;
static cairn_scan_edges edges;

static void look(const world *w, cairn_pose2 from, double noise_m, cairn_random *random)
{
    world_scan(w, from, noise_m, 30, random, &points);
    cairn_scan_patches_find(&points, 12, &patches);
    cairn_scan_edges_find(&points, 12, &edges);
}

// Every patch of a room lies on one of its walls and faces the room; near a corner its direction may be off.
static void patches_lie_on_the_walls_and_face_the_sensor(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/patches");
    world w = {0};
    world_add_box(&w, -1.5, -1, 2.5, 1.2);
    for (int round = 0; round < 40; round++) {
        const cairn_pose2 from = {cairn_random_between(&random, -0.8, 1.5), cairn_random_between(&random, -0.4, 0.6),
                                  cairn_random_between(&random, -3, 3)};
        look(&w, from, 0.01, &random);
        assert_true(patches.count > 30);
        for (uint32_t i = 0; i < patches.count; i++) {
            const cairn_scan_patch *p = &patches.patches[i];
            const cairn_vec2 at = cairn_pose2_apply(from, (cairn_vec2){p->x_m, p->y_m});
            const cairn_vec2 n = cairn_pose2_rotate(from, (cairn_vec2){p->normal_x, p->normal_y});
            const double to_wall[4] = {at.x + 1.5, 2.5 - at.x, at.y + 1, 1.2 - at.y};
            const cairn_vec2 facing[4] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
            int nearest = 0;
            for (int k = 1; k < 4; k++) { nearest = to_wall[k] < to_wall[nearest] ? k : nearest; }
            assert_true(fabs(to_wall[nearest]) < 0.02);
            double second = INFINITY;
            for (int k = 0; k < 4; k++) { second = k != nearest && to_wall[k] < second ? to_wall[k] : second; }
            assert_true(second < 0.16 || cairn_vec2_dot(n, facing[nearest]) > 0.93);
            assert_true(p->count >= CAIRN_PATCH_POINTS_MIN);
            assert_float_equal(hypot(p->normal_x, p->normal_y), 1, 1e-5);
        }
    }
}

static void what_is_out_of_range_or_hit_nothing_makes_no_patch(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/range");
    world w = {0};
    world_add(&w, 13, -5, 13, 5);
    look(&w, (cairn_pose2){0, 0, 0}, 0.01, &random);
    assert_int_equal(patches.count, 0);
    look(&w, (cairn_pose2){4, 0, 0}, 0.01, &random);
    assert_true(patches.count > 10);
    for (uint32_t i = 0; i < points.count; i++) { points.hit[i] = 0; }
    cairn_scan_patches_find(&points, 12, &patches);
    assert_int_equal(patches.count, 0);
    points.count = 0;
    cairn_scan_patches_find(&points, 12, &patches);
    cairn_scan_edges_find(&points, 12, &edges);
    assert_int_equal(patches.count + edges.count, 0);
}

// A corridor whose left wall has an opening from x = 0.5 to 1.5. From x = 0 its far corner closes the view, its near
// corner opens it; both are found where they are, on average to the millimetre, and along the wall.
static void the_corners_of_an_opening_are_edges(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/edges");
    world w = {0};
    world_add(&w, -5, -0.68, 8, -0.68);
    world_add_box(&w, -5, 0.68, 0.5, 0.76);
    world_add_box(&w, 1.5, 0.68, 8, 0.76);
    world_add_box(&w, -5, 2.5, 8, 2.6);
    double near_x = 0, far_x = 0;
    int near_count = 0, far_count = 0;
    for (int round = 0; round < 100; round++) {
        look(&w, (cairn_pose2){0, 0.05, 0.3}, 0.01, &random);
        for (uint32_t i = 0; i < edges.count; i++) {
            const cairn_vec2 at =
                cairn_pose2_apply((cairn_pose2){0, 0.05, 0.3}, (cairn_vec2){edges.edges[i].x_m, edges.edges[i].y_m});
            const cairn_vec2 along = cairn_pose2_rotate((cairn_pose2){0, 0.05, 0.3},
                                                        (cairn_vec2){edges.edges[i].along_x, edges.edges[i].along_y});
            if (fabs(at.y - 0.68) > 0.05) { continue; }
            if (fabs(at.x - 0.5) < 0.05) {
                near_x += at.x, near_count++;
                assert_true(along.x > 0.9);
            } else {
                assert_float_equal(at.x, 1.5, 0.06);
                far_x += at.x, far_count++;
            }
        }
    }
    assert_true(near_count > 60);
    assert_float_equal(near_x / near_count, 0.5, 0.005);
    if (far_count > 0) { assert_float_equal(far_x / far_count, 1.5, 0.03); }
}

static void a_closed_room_has_no_edges(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/closed");
    world w = {0};
    world_add_box(&w, -1.5, -1, 2.5, 1.2);
    for (int round = 0; round < 50; round++) {
        look(&w, (cairn_pose2){0.3, 0.1, 0.1 * round}, 0.01, &random);
        assert_int_equal(edges.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_lie_on_the_walls_and_face_the_sensor),
        cmocka_unit_test(what_is_out_of_range_or_hit_nothing_makes_no_patch),
        cmocka_unit_test(the_corners_of_an_opening_are_edges),
        cmocka_unit_test(a_closed_room_has_no_edges),
    };
    return cmocka_run_group_tests_name("scan_parts", tests, NULL, NULL);
}
