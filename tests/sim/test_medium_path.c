// test_medium_path.c - which walls stand between two antennas.
#include "base/random.h"
#include "check.h"
#include "sim/medium/medium_path.h"

#define SOLIDS_MAX 16

static cairn_solid solids[SOLIDS_MAX];
static cairn_sim_arena arena = {.solids = solids};
static uint8_t block[1 << 14];

static int begin(void **state)
{
    (void)state;
    arena.solid_count = 0;
    return 0;
}

static void add_solid(cairn_solid_kind kind, cairn_pose2 pose, cairn_vec3 size_m)
{
    assert_true(arena.solid_count < SOLIDS_MAX);
    const cairn_pose3 map_T_box = {{pose.x_m, pose.y_m, size_m.z / 2},
                                   cairn_quat_from_axis((cairn_vec3){0, 0, 1}, pose.yaw_rad)};
    solids[arena.solid_count++] =
        (cairn_solid){.kind = kind, .map_T_box = map_T_box, .half_m = cairn_vec3_scale(size_m, 0.5)};
}

static uint32_t walls_on(cairn_vec2 from_m, cairn_vec2 to_m)
{
    cairn_arena memory;
    cairn_arena_init(&memory, block, sizeof block);
    cairn_medium_walls walls;
    assert_ok(cairn_medium_walls_create(&arena, 0.5, &memory, &walls));
    const uint32_t there = cairn_medium_walls_between(&walls, from_m, to_m);
    assert_int_equal(cairn_medium_walls_between(&walls, to_m, from_m), there);
    return there;
}

static void only_what_reaches_the_antenna_is_in_the_way(void **state)
{
    (void)state;
    add_solid(CAIRN_SOLID_BOX, (cairn_pose2){1, 0, 0}, (cairn_vec3){0.5, 0.5, 0.4}); // too low
    add_solid(CAIRN_SOLID_GROUND, (cairn_pose2){2, 0, 0}, (cairn_vec3){0.5, 0.5, 2});
    add_solid(CAIRN_SOLID_VICTIM, (cairn_pose2){3, 0, 0}, (cairn_vec3){0.5, 0.5, 2});
    assert_int_equal(walls_on((cairn_vec2){0, 0}, (cairn_vec2){9, 0}), 0);
    add_solid(CAIRN_SOLID_BOX, (cairn_pose2){4, 0, 0}, (cairn_vec3){0.5, 0.5, 0.6});
    add_solid(CAIRN_SOLID_WALL, (cairn_pose2){5, 0, 0}, (cairn_vec3){0.1, 3, 1});
    assert_int_equal(walls_on((cairn_vec2){0, 0}, (cairn_vec2){9, 0}), 2);
    assert_int_equal(walls_on((cairn_vec2){0, 0}, (cairn_vec2){4.9, 0}), 1);
    assert_int_equal(walls_on((cairn_vec2){0, 2}, (cairn_vec2){9, 2}), 0);
    assert_int_equal(walls_on((cairn_vec2){6, 0}, (cairn_vec2){6, 0}), 0);
}

static void a_corner_of_two_walls_is_one(void **state)
{
    (void)state;
    add_solid(CAIRN_SOLID_WALL, (cairn_pose2){2, 0, 0}, (cairn_vec3){4.1, 0.1, 1});
    add_solid(CAIRN_SOLID_WALL, (cairn_pose2){4, 2, 0}, (cairn_vec3){0.1, 4.1, 1});
    assert_int_equal(walls_on((cairn_vec2){3.5, 0.5}, (cairn_vec2){4.5, -0.5}), 1);
    assert_int_equal(walls_on((cairn_vec2){1, -1}, (cairn_vec2){5, 3}), 2);
}

static bool inside_any(cairn_vec2 point_m)
{
    for (uint32_t i = 0; i < arena.solid_count; i++) {
        const cairn_pose2 pose = cairn_pose3_to_pose2(solids[i].map_T_box);
        const cairn_vec2 local_m = cairn_pose2_apply(cairn_pose2_inverse(pose), point_m);
        if (fabs(local_m.x) <= solids[i].half_m.x && fabs(local_m.y) <= solids[i].half_m.y) { return true; }
    }
    return false;
}

// Walks in steps of a millimetre. A way that cuts a corner of less than that, or slips through such a gap, may differ:
// with these sizes one in some hundred.
static void walls_are_those_that_a_walker_meets(void **state)
{
    (void)state;
    enum { WAYS = 200 };
    cairn_random random;
    cairn_random_init(&random, 11, "walls");
    for (int i = 0; i < 14; i++) {
        const cairn_pose2 pose = {cairn_random_between(&random, 0, 8), cairn_random_between(&random, 0, 8),
                                  cairn_random_between(&random, -3, 3)};
        add_solid(CAIRN_SOLID_WALL, pose, (cairn_vec3){cairn_random_between(&random, 0.5, 3), 0.15, 1});
    }
    uint32_t differ = 0, met_sum = 0;
    for (int i = 0; i < WAYS; i++) {
        const cairn_vec2 from_m = {cairn_random_between(&random, 0, 8), cairn_random_between(&random, 0, 8)};
        const cairn_vec2 to_m = {cairn_random_between(&random, 0, 8), cairn_random_between(&random, 0, 8)};
        const cairn_vec2 way_m = cairn_vec2_sub(to_m, from_m);
        const int steps = (int)(cairn_vec2_length(way_m) / 0.001) + 1;
        uint32_t met = 0;
        bool was_inside = false;
        for (int k = 0; k <= steps; k++) {
            const bool inside = inside_any(cairn_vec2_add(from_m, cairn_vec2_scale(way_m, (double)k / steps)));
            met += inside && !was_inside;
            was_inside = inside;
        }
        differ += met != walls_on(from_m, to_m);
        met_sum += met;
    }
    assert_true(differ <= 4 && met_sum > WAYS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(only_what_reaches_the_antenna_is_in_the_way, begin),
        cmocka_unit_test_setup(a_corner_of_two_walls_is_one, begin),
        cmocka_unit_test_setup(walls_are_those_that_a_walker_meets, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
