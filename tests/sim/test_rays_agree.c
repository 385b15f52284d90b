// test_rays_agree.c - planar rays and Embree see the same: storeys, ground that rises into the laser's plane, movers.
#include "base/random.h"
#include "check.h"
#include "emu.h"
#include "sim/arena/elements.h"
#include "sim/senses/rays.h"
#include <math.h>

#define SEED 5206
#define BEAMS 1081
#define FIELD_RAD (1.5 * CAIRN_PI)
#define LASER_M 0.33
#define UPPER_M 2.4
#define MOVERS 4

// 20 x 20 m: an upper storey with a wall on it, a slope, stairs and platforms; a door, two blocks and a person.
typedef struct place {
    cairn_sim_wall walls[3];
    cairn_sim_ramp slope;
    cairn_platform platforms[3];
    cairn_stairs stairs;
    cairn_sim_door door;
    cairn_sim_block blocks[2];
    cairn_vec2 point;
    cairn_sim_figure figure;
    cairn_sim_arena arena;
    cairn_arena memory;
} place;

static void place_make(place *it)
{
    *it = (place){
        .walls = {{.from_m = {0, 0}, .to_m = {20, 0}, .thickness_m = 0.1, .height_m = 3},
                  {.from_m = {2, 8}, .to_m = {7, 9}, .thickness_m = 0.1, .height_m = 1},
                  {.from_m = {12, 12}, .to_m = {17, 13}, .thickness_m = 0.1, .height_m = 1, .foot_m = UPPER_M}},
        .slope = {.map_T_ramp = {8, 14, 0.1}, .length_m = 5, .width_m = 1.5, .angle_rad = 0.35, .slope = true},
        .platforms = {{.at_m = {14, 14}, .size_m = {7, 7}, .top_m = UPPER_M, .slab_m = 0.2},
                      {.at_m = {5, 4}, .heading_rad = 0.5, .size_m = {2, 1}, .top_m = 0.5},
                      {.at_m = {8, 5}, .size_m = {2, 1}, .top_m = 0.2}}, // lower than the plane
        .stairs = {.at_m = {12, 3}, .heading_rad = 0.7, .steps = 5, .rise_m = 0.18, .run_m = 0.28, .width_m = 1.2},
        .door = {.hinge_m = {7, 9}, .latch_m = {8, 9.2}, .thickness_m = 0.04, .height_m = 2, .open_rad = 1.5},
        .blocks = {{.map_T_block = {9, 8, 0.3}, .size_m = {0.5, 0.4, 0.6}, .mass_kg = 5},
                   {.map_T_block = {15, 15, 1}, .size_m = {0.5, 0.4, 0.6}, .mass_kg = 5, .foot_m = UPPER_M}},
        .point = {4, 12}};
    it->figure = (cairn_sim_figure){.point_count = 1, .points_m = &it->point, .temperature_c = 33};
    it->arena = (cairn_sim_arena){.size_m = {20, 20},
                                  .ambient_c = 20,
                                  .wall_count = 3,
                                  .walls = it->walls,
                                  .ramp_count = 1,
                                  .ramps = &it->slope,
                                  .door_count = 1,
                                  .doors = &it->door,
                                  .block_count = 2,
                                  .blocks = it->blocks,
                                  .figure_count = 1,
                                  .figures = &it->figure};
    const cairn_sim_elements elements = {
        .platforms = it->platforms, .platform_count = 3, .stairs = &it->stairs, .stairs_count = 1};
    assert_ok(cairn_arena_create(&it->memory, 1 << 20));
    assert_ok(cairn_sim_arena_make_all(&it->arena, &elements, &it->memory));
}

static cairn_rays *rays_of(const cairn_rays_kind *kind, const place *it, const cairn_body_description *robot)
{
    static cairn_complaints complaints;
    const cairn_body_description *robots[2] = {robot, robot};
    const cairn_rays_def def = {.arena = &it->arena, .robot_count = 2, .robots = robots};
    cairn_rays *rays = NULL;
    assert_ok(kind->create(&def, &complaints, &rays));
    return rays;
}

// Where the movers are in a round: the door at any angle, blocks pushed about, the person on the way.
static void move(const place *it, cairn_random *random, cairn_pose3 ret_poses[MOVERS])
{
    for (uint32_t i = 0; i < MOVERS; i++) {
        const cairn_pose3 start = it->arena.solids[it->arena.movers[i].solid].map_T_box;
        const cairn_quat turn =
            cairn_quat_from_axis((cairn_vec3){0, 0, 1}, cairn_random_between(random, -CAIRN_PI, CAIRN_PI));
        ret_poses[i] = (cairn_pose3){start.at_m, cairn_quat_multiply(turn, start.turn)};
        ret_poses[i].at_m.x += cairn_random_between(random, -1.5, 1.5);
        ret_poses[i].at_m.y += cairn_random_between(random, -1.5, 1.5);
    }
}

// Beams that graze an edge may go either way, and so may all from inside a box: such places are left out.
static void both_see_the_same(void **state)
{
    (void)state;
    static place it;
    place_make(&it);
    assert_int_equal(it.arena.mover_count, MOVERS);
    const cairn_body_description robot = emu();
    const cairn_rays_kind *kinds[2] = {&cairn_rays_planar, &cairn_rays_embree};
    cairn_rays *rays[2] = {rays_of(kinds[0], &it, &robot), rays_of(kinds[1], &it, &robot)};
    cairn_random random;
    cairn_random_init(&random, SEED, "rays agree");
    print_message("seed %d\n", SEED);
    int compared = 0, upper = 0;
    for (int round = 0; round < 150; round++) {
        const bool above = round % 3 == 0;
        const double low = above ? 11 : 0.5, high = above ? 17 : 19.5;
        const cairn_pose2 pose = {cairn_random_between(&random, low, high), cairn_random_between(&random, low, high),
                                  cairn_random_between(&random, -CAIRN_PI, CAIRN_PI)};
        const cairn_pose3 laser = cairn_pose3_from_pose2(pose, (above ? UPPER_M : 0) + LASER_M);
        cairn_pose3 movers[MOVERS];
        move(&it, &random, movers);
        const cairn_pose3 robots[2] = {cairn_pose3_from_pose2((cairn_pose2){-50, 0, 0}, 0),
                                       cairn_pose3_from_pose2((cairn_pose2){10, 10, round}, 0)};
        const cairn_sweep sweep = {.beam_count = BEAMS,
                                   .angle_rad_first = -0.5 * FIELD_RAD,
                                   .angle_rad_step = FIELD_RAD / (BEAMS - 1),
                                   .range_m_max = 30,
                                   .map_T_laser_first = laser,
                                   .map_T_laser_last = laser};
        float range_m[2][BEAMS];
        for (int i = 0; i < 2; i++) {
            kinds[i]->set_movers(rays[i], movers);
            kinds[i]->set_robots(rays[i], robots);
            kinds[i]->sweep(rays[i], &sweep, range_m[i]);
        }
        int different = 0, inside = 0;
        for (int i = 0; i < BEAMS; i++) {
            inside += range_m[0][i] == 0.0f;
            const float a = range_m[0][i], b = range_m[1][i];
            different += isinf(a) ? !isinf(b) : !(fabsf(a - b) < 2e-3f);
        }
        if (inside > 0) { continue; }
        if (different > 3) { fail_msg("round %d: %d beams differ", round, different); }
        compared++;
        upper += above;
    }
    assert_true(compared > 100 && upper > 30);
    for (int i = 0; i < 2; i++) { kinds[i]->destroy(rays[i]); }
    cairn_arena_destroy(&it.memory);
}

// A warm person who walks: both cameras see the warmth where the person is, and not where the person was.
static void both_cameras_follow_a_person(void **state)
{
    (void)state;
    static place it;
    place_make(&it);
    const cairn_body_description robot = emu();
    const cairn_rays_kind *kinds[2] = {&cairn_rays_planar, &cairn_rays_embree};
    const cairn_pose3 robots[2] = {cairn_pose3_from_pose2((cairn_pose2){-50, 0, 0}, 0),
                                   cairn_pose3_from_pose2((cairn_pose2){-50, 5, 0}, 0)};
    int warm_before = 0;
    for (int step = 0; step < 3; step++) {
        cairn_pose3 movers[MOVERS];
        for (uint32_t i = 0; i < MOVERS; i++) { movers[i] = it.arena.solids[it.arena.movers[i].solid].map_T_box; }
        movers[3].at_m.y = 11 + step;
        const cairn_thermal_view view = {.width_px = 80,
                                         .height_px = 60,
                                         .field_rad = 1.2,
                                         .map_T_camera = cairn_pose3_from_pose2((cairn_pose2){1, 12, 0}, 0.5)};
        static float celsius[2][80 * 60];
        int different = 0, warm = 0, column_sum = 0;
        for (int i = 0; i < 2; i++) {
            cairn_rays *rays = rays_of(kinds[i], &it, &robot);
            kinds[i]->set_movers(rays, movers);
            kinds[i]->set_robots(rays, robots);
            kinds[i]->thermal(rays, &view, celsius[i]);
            kinds[i]->destroy(rays);
        }
        for (int i = 0; i < 80 * 60; i++) {
            different += fabsf(celsius[0][i] - celsius[1][i]) > 0.01f;
            if (celsius[0][i] > 30) {
                warm++;
                column_sum += i % 80;
            }
        }
        assert_true(warm > 100 && different <= warm / 10);
        const int column = column_sum / warm; // left of the middle is +y
        if (step > 0) { assert_true(column < warm_before - 5); }
        warm_before = column;
    }
    cairn_arena_destroy(&it.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_see_the_same),
                                       cmocka_unit_test(both_cameras_follow_a_person)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
