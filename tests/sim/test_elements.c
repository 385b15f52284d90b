// test_elements.c - ground elements of arena files: the solids and height fields they become, against geometry by hand.
#include "base/random.h"
#include "check.h"
#include "sim/arena/arena.h"
#include "sim/arena/ground.h"
#include <math.h>
#include <string.h>

#define SEED 5081

static uint8_t block[8 << 20];
static cairn_complaints told;

static cairn_err parse(const char *text, cairn_sim_arena *ret_arena)
{
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    memset(&told, 0, sizeof told);
    return cairn_sim_arena_parse(text, strlen(text), "a.yaml", &memory, &told, ret_arena);
}

static cairn_sim_arena accepted(const char *text)
{
    cairn_sim_arena arena;
    if (parse(text, &arena) != CAIRN_OK) { fail_msg("refused:\n%s", told.text); }
    return arena;
}

static cairn_random stream(const char *name)
{
    print_message("seed %d, stream %s\n", SEED, name);
    cairn_random random;
    cairn_random_init(&random, SEED, name);
    return random;
}

#define HEAD "name: a\nabout: a place\nsize_m: [10, 10]\n"
#define START "starts: [{at_m: [1, 1]}]\n"

static double top_at(const cairn_sim_arena *arena, double x, double y)
{
    return cairn_sim_ground_m(arena, (cairn_vec2){x, y}, INFINITY);
}

static void assert_near(double found, double expected)
{
    if (fabs(found - expected) > 1e-9) { fail_msg("%.12g, expected %.12g", found, expected); }
}

static bool inside(const cairn_solid *solid, cairn_vec3 at_m)
{
    const cairn_vec3 local = cairn_pose3_apply(cairn_pose3_inverse(solid->map_T_box), at_m);
    return fabs(local.x) <= solid->half_m.x && fabs(local.y) <= solid->half_m.y && fabs(local.z) <= solid->half_m.z;
}

static bool inside_ground(const cairn_sim_arena *arena, cairn_vec3 at_m)
{
    for (uint32_t i = 0; i < arena->solid_count; i++) {
        if (arena->solids[i].kind == CAIRN_SOLID_GROUND && inside(&arena->solids[i], at_m)) { return true; }
    }
    return false;
}

// The lower end, the middle and the end of walls, boxes and victims are where their foot says.
static void a_foot_lifts_what_stands_on_it(void **state)
{
    (void)state;
    const cairn_sim_arena arena = accepted("name: a\nabout: a\nsize_m: [10, 10]\nstarts: [{at_m: [1, 1]}]\n"
                                           "walls: [{points_m: [[5, 5], [7, 5]], foot_m: 2.4, height_m: 1}]\n"
                                           "boxes: [{at_m: [5, 8], size_m: [1, 1, 0.5], foot_m: 1.5}]\n");
    assert_near(arena.solids[0].map_T_box.at_m.z, 2.9);
    assert_near(arena.solids[0].half_m.z, 0.5);
    assert_near(arena.solids[1].map_T_box.at_m.z, 1.75);
}

static void a_slope_rises_from_its_foot_to_its_top(void **state)
{
    (void)state;
    cairn_random random = stream("slope");
    const cairn_sim_arena arena = accepted(
        HEAD START
        "ramps: [{kind: slope, at_m: [5, 5], heading_deg: 30, length_m: 6, width_m: 2, top_m: 1, angle_deg: 20}]\n");
    const cairn_sim_ramp *ramp = &arena.ramps[0];
    for (int i = 0; i < 20000; i++) {
        const cairn_vec2 local = {cairn_random_between(&random, -3, 3), cairn_random_between(&random, -0.99, 0.99)};
        const cairn_vec2 at = cairn_pose2_apply(ramp->map_T_ramp, local);
        const double truth_m = fmin(local.x + 3, 5) * tan(ramp->angle_rad);
        assert_true(fabs(cairn_sim_ground_m(&arena, at, INFINITY) - truth_m) < 1e-9);
        // No hollow for rays and wheels below it, and nothing of it beyond its sides.
        const double z = cairn_random_between(&random, 0, truth_m * 0.999);
        assert_true(inside_ground(&arena, (cairn_vec3){at.x, at.y, z}));
    }
    for (int i = 0; i < 1000; i++) {
        const cairn_vec2 local = {cairn_random_between(&random, 3.001, 4), cairn_random_between(&random, -1, 1)};
        assert_near(cairn_sim_ground_m(&arena, cairn_pose2_apply(ramp->map_T_ramp, local), INFINITY), 0);
    }
}

// Platforms, stairs, fields, holes and ditches: heights at places worked out on paper.
static void ground_is_as_high_as_the_file_says(void **state)
{
    (void)state;
    const cairn_sim_arena arena = accepted("name: a\nabout: a\nsize_m: [20, 20]\n" START "platforms:\n"
                                           "  - {at_m: [3, 3], size_m: [2, 1], top_m: 0.2, friction: 0.4}\n"
                                           "  - {at_m: [3, 3], size_m: [4, 4], top_m: 2.4, slab_m: 0.2}\n"
                                           "stairs: [{at_m: [8, 3], heading_deg: 90, steps: 3}]\n"
                                           "ramp_fields:\n"
                                           "  - {kind: continuous, corner_m: [10, 1], tiles: [2, 2]}\n"
                                           "  - {kind: crossing, corner_m: [14, 1], tiles: [2, 2]}\n"
                                           "step_fields: [{kind: hill, corner_m: [1, 8], tiles: [2, 1], levels: 3}]\n"
                                           "holes: [{at_m: [6, 12], size_m: [1, 2], depth_m: 0.5}]\n"
                                           "ditches: [{at_m: [12, 12], length_m: 4, width_m: 1, along: x}]\n");
    assert_true(arena.has_holes);
    assert_near(top_at(&arena, 19, 19), 0);
    // Under the upper storey, on the kerb, and on the storey.
    assert_near(cairn_sim_ground_m(&arena, (cairn_vec2){3, 3}, 1), 0.2);
    assert_near(cairn_sim_ground(&arena, (cairn_vec2){3, 3}, 1).friction, 0.4);
    assert_near(cairn_sim_ground_m(&arena, (cairn_vec2){3, 3.6}, 1), 0);
    assert_near(top_at(&arena, 3, 3), 2.4);
    assert_near(cairn_sim_ceiling_m(&arena, (cairn_vec2){3, 3}, 1), 2.2);
    // Steps go north, each 0.28 m deep and 0.18 m higher; 1.2 m wide.
    assert_near(top_at(&arena, 8, 2.99), 0);
    assert_near(top_at(&arena, 8.59, 3.01), 0.18);
    assert_near(top_at(&arena, 7.41, 3.29), 0.36);
    assert_near(top_at(&arena, 8, 3.83), 0.54);
    assert_near(top_at(&arena, 8, 3.85), 0);
    // Ridges along y, 0.6 m from foot to crest; in the crossing field every second one is along x.
    const double slope = tan(15 * CAIRN_PI / 180);
    assert_near(top_at(&arena, 10.6, 1.1), 0.6 * slope);
    assert_near(top_at(&arena, 10.6, 3.3), 0.6 * slope);
    assert_near(top_at(&arena, 12.0, 2.2), 0.4 * slope);
    assert_near(top_at(&arena, 14.4, 1.3), 0.4 * slope);
    assert_near(top_at(&arena, 15.3, 1.4), 0.4 * slope);
    // Pallets of 6 x 6 posts: one step at the rim, then two, then three.
    assert_near(top_at(&arena, 1.1, 8.5), 0.1);
    assert_near(top_at(&arena, 1.3, 8.5), 0.2);
    assert_near(top_at(&arena, 1.5, 8.5), 0.3);
    assert_near(top_at(&arena, 2.3, 8.5), 0.1);
    assert_near(top_at(&arena, 2.7, 8.7), 0.3);
    // A pit, and a ditch whose sides meet 0.15 m down.
    assert_near(top_at(&arena, 5.51, 11.01), -0.5);
    assert_near(top_at(&arena, 5.49, 11.01), 0);
    assert_near(top_at(&arena, 12, 12), -0.15);
    assert_near(top_at(&arena, 10.1, 11.75), -0.075);
    assert_near(top_at(&arena, 13.9, 12.4), -0.03);
    assert_near(cairn_sim_ground(&arena, (cairn_vec2){12, 12.2}, 1).friction, 0.15);
    assert_near(top_at(&arena, 9.99, 12), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_foot_lifts_what_stands_on_it),
        cmocka_unit_test(a_slope_rises_from_its_foot_to_its_top),
        cmocka_unit_test(ground_is_as_high_as_the_file_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
