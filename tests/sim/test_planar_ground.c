// test_planar_ground.c - planar robots on storeys, steps, edges, slippery and rough ground, and among blocks.
#include "base/random.h"
#include "physics_rig.h"
#include "sim/arena/elements.h"
#include "sim/arena/ground.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE (CAIRN_PI / 180)

static const cairn_physics_kind *const planar = &cairn_physics_planar;

static void rig_create(rig *it, uint32_t robot_count, const cairn_pose2 *starts)
{
    static cairn_complaints complaints;
    const cairn_body_description *robots[ROBOTS_MAX] = {&it->robot, &it->robot, &it->robot};
    const cairn_physics_def def = {
        .arena = &it->place, .robot_count = robot_count, .robots = robots, .starts = starts, .seed = it->seed};
    it->kind = planar;
    it->robot_count = robot_count;
    assert_ok(planar->create(&def, &complaints, &it->physics));
}

// step_m: what the robots climb.
static void rig_start(rig *it, const cairn_sim_elements *elements, double step_m, uint32_t robot_count,
                      const cairn_pose2 *starts)
{
    it->robot = emu();
    it->robot.limits.step_m_max = step_m;
    assert_ok(cairn_arena_create(&it->memory, 8 << 20));
    assert_ok(cairn_sim_arena_make_all(&it->place, elements, &it->memory));
    assert_ok(cairn_ground_index_create(&it->place, &it->memory));
    rig_create(it, robot_count, starts);
}

static rig empty_rig(void) { return (rig){.place = {.size_m = {20, 20}, .ambient_c = 20}}; }

static cairn_platform platform(double x_m, double top_m, double slab_m)
{
    return (cairn_platform){.at_m = {x_m, 10}, .size_m = {4, 4}, .top_m = top_m, .slab_m = slab_m};
}

static cairn_vec3 at_of(const rig *it, uint32_t robot) { return truth_of(it, robot).map_T_base.at_m; }

// ---- steps

static void a_kerb_stops_who_cannot_climb_it(void **state)
{
    (void)state;
    const struct {
        double kerb_m, step_m;
        bool climbed;
    } cases[] = {{0.10, 0.03, false}, {0.10, 0.12, true}, {0.02, 0.03, true}, {0.20, 0.12, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cairn_platform kerb = platform(10, cases[i].kerb_m, 0);
        rig it = empty_rig();
        rig_start(&it, &(cairn_sim_elements){.platforms = &kerb, .platform_count = 1}, cases[i].step_m, 1,
                  &(cairn_pose2){6, 10, 0});
        want(&it, 0, 0.5, 0);
        run(&it, 7);
        const cairn_robot_truth truth = truth_of(&it, 0);
        if (cases[i].climbed) {
            assert_near(truth.map_T_base.at_m.z, cases[i].kerb_m, 1e-9);
            assert_true(truth.map_T_base.at_m.x > 8.5);
            assert_int_equal(planar->collisions(it.physics, 0).count, 0);
        } else {
            assert_near(truth.map_T_base.at_m.x, 8 - 0.27, 2e-3);
            assert_near(truth.map_T_base.at_m.z, 0, 1e-9);
            assert_true(truth.bump_front);
            assert_int_equal(planar->collisions(it.physics, 0).count, 1);
            assert_near(planar->collisions(it.physics, 0).speed_mps_max, 0.5 * 0.99, 0.02);
        }
        assert_false(truth.fallen);
        rig_end(&it);
    }
}

// The side of a ramp is low at its foot and a wall further up. Whoever drives along it, or off it, is never thrown.
static void nobody_is_thrown_off_a_ramp(void **state)
{
    (void)state;
    const unsigned seed = 11;
    print_message("seed %u\n", seed);
    cairn_random random;
    cairn_random_init(&random, seed, "tests/ramps");
    cairn_sim_ramp ramp = {.map_T_ramp = {10, 10, 0.4}, .length_m = 1.6, .width_m = 1.2, .angle_rad = 20 * DEGREE};
    rig it = empty_rig();
    it.place.ramps = &ramp;
    it.place.ramp_count = 1;
    rig_start(&it, &(cairn_sim_elements){0}, 0.03, 1, &(cairn_pose2){8, 9.5, 0});
    for (int turn = 0; turn < 400; turn++) {
        const cairn_robot_truth truth = truth_of(&it, 0);
        const cairn_vec2 to_ramp = {10 - truth.map_T_base.at_m.x, 10 - truth.map_T_base.at_m.y};
        const double off_rad =
            cairn_angle_between(cairn_pose3_to_pose2(truth.map_T_base).yaw_rad, atan2(to_ramp.y, to_ramp.x));
        const bool is_far = cairn_vec2_length(to_ramp) > 1.5;
        want(&it, 0, cairn_random_between(&random, is_far ? 0 : -0.8, 0.8),
             is_far ? 2 * off_rad : cairn_random_between(&random, -2, 2));
        for (int step = 0; step < STEPS_PER_S / 2; step++) {
            run_step(&it);
            const cairn_vec3 speed_mps = truth_of(&it, 0).velocity_mps;
            assert_true(hypot(speed_mps.x, speed_mps.y) < 1.5);
        }
    }
    rig_end(&it);
}

// Step by step: each rise is judged from the step below it. (On steeper stairs so short a robot tips over.)
static void stairs_are_climbed_by_who_can_take_one(void **state)
{
    (void)state;
    for (int can = 0; can < 2; can++) {
        cairn_stairs stairs = {.at_m = {8, 10}, .steps = 5, .rise_m = 0.18, .run_m = 0.4, .width_m = 1.2};
        cairn_platform top = {.at_m = {8 + 5 * 0.4 + 2, 10}, .size_m = {4, 4}, .top_m = 0.9};
        rig it = empty_rig();
        rig_start(&it,
                  &(cairn_sim_elements){.stairs = &stairs, .stairs_count = 1, .platforms = &top, .platform_count = 1},
                  can ? 0.19 : 0.17, 1, &(cairn_pose2){6, 10, 0});
        want(&it, 0, 0.4, 0);
        run(&it, 14);
        assert_near(at_of(&it, 0).z, can ? 0.9 : 0, 1e-6);
        assert_false(truth_of(&it, 0).fallen);
        rig_end(&it);
    }
}

static void the_side_of_a_ramp_is_a_wall_and_its_foot_is_not(void **state)
{
    (void)state;
    cairn_sim_ramp ramp = ridge((cairn_vec2){10, 10}, 6, 0.5, 15); // y from 8.5 to 11.5
    rig it = empty_rig();
    it.place.ramp_count = 1;
    it.place.ramps = &ramp;
    rig_start(&it, NULL, 0.03, 2, (const cairn_pose2[]){{9, 6, CAIRN_PI / 2}, {5, 10, 0}});
    want(&it, 0, 0.5, 0);
    want(&it, 1, 0.5, 0);
    run(&it, 9);
    assert_near(at_of(&it, 0).y, 8.5 - 0.27, 2e-3);
    assert_near(at_of(&it, 0).z, 0, 1e-9);
    assert_true(at_of(&it, 1).z > 0.4);
    run(&it, 9);
    assert_true(at_of(&it, 1).x > 13);
    assert_near(at_of(&it, 1).z, 0, 1e-9);
    assert_int_equal(planar->collisions(it.physics, 1).count, 0);
    rig_end(&it);
}

// ---- storeys

// An upper storey on a slab, and a slope that leads up to it: one robot passes below, one drives up, and they do not
// touch where one is above the other.
static void storeys_are_kept_apart(void **state)
{
    (void)state;
    const double angle_rad = 20 * DEGREE, high_m = 2.4, run_m = high_m / tan(angle_rad);
    cairn_platform upper = {.at_m = {14, 10}, .size_m = {6, 6}, .top_m = high_m, .slab_m = 0.2};
    cairn_sim_ramp slope = {.map_T_ramp = {11 - run_m / 2, 10, 0},
                            .length_m = run_m,
                            .width_m = 1.5,
                            .angle_rad = angle_rad,
                            .slope = true};
    rig it = empty_rig();
    it.place.ramp_count = 1;
    it.place.ramps = &slope;
    rig_start(&it, &(cairn_sim_elements){.platforms = &upper, .platform_count = 1}, 0.03, 2,
              (const cairn_pose2[]){{3, 10, 0}, {14, 4, CAIRN_PI / 2}});
    want(&it, 0, 0.6, 0);
    want(&it, 1, 0.3, 0);
    run(&it, 20);
    assert_near(at_of(&it, 0).z, high_m, 1e-3);
    assert_near(at_of(&it, 1).z, 0, 1e-9);
    assert_near(hypot(at_of(&it, 0).x - at_of(&it, 1).x, at_of(&it, 0).y - at_of(&it, 1).y), 0, 1.0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(planar->collisions(it.physics, i).count, 0);
        assert_false(truth_of(&it, i).fallen);
    }
    rig_end(&it);
}

// A start says on which storey it is.
static void a_robot_starts_on_the_storey_that_the_arena_says(void **state)
{
    (void)state;
    cairn_platform upper = {.at_m = {10, 10}, .size_m = {6, 6}, .top_m = 2.4, .slab_m = 0.2};
    cairn_pose2 starts[] = {{9, 10, 0}, {11, 10, 0}};
    double feet_m[] = {0, 2.4};
    rig it = empty_rig();
    it.place.start_count = 2;
    it.place.starts = starts;
    it.place.start_feet_m = feet_m;
    rig_start(&it, &(cairn_sim_elements){.platforms = &upper, .platform_count = 1}, 0.03, 2, starts);
    run(&it, 0.1);
    assert_near(at_of(&it, 0).z, 0, 1e-9);
    assert_near(at_of(&it, 1).z, 2.4, 1e-9);
    rig_end(&it);
}

// ---- edges

static void over_an_edge_a_robot_falls_and_stays(void **state)
{
    (void)state;
    cairn_platform high = platform(10, 0.5, 0);
    rig it = empty_rig();
    rig_start(&it, &(cairn_sim_elements){.platforms = &high, .platform_count = 1}, 0.03, 1, &(cairn_pose2){11, 10, 0});
    want(&it, 0, 0.3, 0);
    double last_x_m = 0;
    int falling = 0;
    while (it.step < 8 * STEPS_PER_S) {
        run_step(&it);
        const cairn_robot_truth truth = truth_of(&it, 0);
        if (!truth.fallen) { last_x_m = truth.map_T_base.at_m.x; }
        if (truth.fallen && truth.map_T_base.at_m.z > 0) { falling++; }
    }
    assert_near(last_x_m, 12, 0.01); // its middle is at the edge
    assert_near(falling / (double)STEPS_PER_S, sqrt(2 * 0.5 / GRAVITY_MPS2), 0.01);
    assert_true(truth_of(&it, 0).fallen);
    assert_near(at_of(&it, 0).z, 0, 1e-9);
    assert_near(at_of(&it, 0).x, last_x_m, 0.01);
    rig_end(&it);
}

// With its front wheels in the air it can still go back.
static void who_stops_at_an_edge_can_back_away(void **state)
{
    (void)state;
    cairn_platform high = platform(10, 0.5, 0);
    rig it = empty_rig();
    rig_start(&it, &(cairn_sim_elements){.platforms = &high, .platform_count = 1}, 0.03, 1,
              &(cairn_pose2){11.95, 10, 0}); // front wheels 10 cm beyond
    run(&it, 1);
    assert_false(truth_of(&it, 0).fallen);
    assert_near(at_of(&it, 0).z, 0.5, 1e-9);
    want(&it, 0, -0.3, 0);
    run(&it, 3);
    assert_near(at_of(&it, 0).z, 0.5, 1e-9);
    assert_true(at_of(&it, 0).x < 11.4);
    rig_end(&it);
}

// All four wheels carry it over a gap that is shorter than half the wheelbase (0.15 m).
static void a_narrow_gap_is_crossed_and_a_hole_is_fallen_into(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        cairn_hole hole = {.at_m = {10, 10}, .size_m = {wide ? 1.0 : 0.12, 3}, .depth_m = 1};
        rig it = empty_rig();
        it.place.has_holes = true;
        rig_start(&it, &(cairn_sim_elements){.holes = &hole, .hole_count = 1}, 0.03, 1, &(cairn_pose2){8, 10, 0});
        assert_near(at_of(&it, 0).z, 0, 1e-9);
        want(&it, 0, 0.4, 0);
        run(&it, 8);
        assert_int_equal(truth_of(&it, 0).fallen, wide);
        assert_near(at_of(&it, 0).z, wide ? -1 : 0, 1e-6);
        if (!wide) { assert_true(at_of(&it, 0).x > 10.8); }
        assert_int_equal(planar->collisions(it.physics, 0).count, 0);
        rig_end(&it);
    }
}

// A robot that slides into a ditch over its end hangs there by the wheels of one side only until the others have taken
// it away. Whatever it does, it cannot go faster than the ditch is deep.
static void who_slides_off_an_edge_stands_on_what_is_below(void **state)
{
    (void)state;
    cairn_ditch ditch = {
        .at_m = {10, 15}, .length_m = 10, .width_m = 1.68, .along = 1, .depth_m = 0.26, .friction = 0.15};
    rig it = empty_rig();
    it.place.has_holes = true;
    rig_start(&it, &(cairn_sim_elements){.ditches = &ditch, .ditch_count = 1}, 0.03, 1, &(cairn_pose2){8.5, 10.1, 0});
    want(&it, 0, 0.5, 0);
    double fastest_mps = 0, deepest_m = 0;
    while (it.step < 10 * STEPS_PER_S) {
        if (it.step == 3 * STEPS_PER_S) { want(&it, 0, 0, 0); }
        run_step(&it);
        const cairn_robot_truth truth = truth_of(&it, 0);
        fastest_mps = fmax(fastest_mps, cairn_vec3_length(truth.velocity_mps));
        deepest_m = fmax(deepest_m, -truth.map_T_base.at_m.z);
    }
    const cairn_robot_truth truth = truth_of(&it, 0);
    assert_false(truth.fallen);
    assert_true(deepest_m > 0.05); // it was in it
    assert_true(fastest_mps < 0.5 + sqrt(2 * GRAVITY_MPS2 * ditch.depth_m));
    assert_near(cairn_vec3_length(truth.velocity_mps), 0, 1e-3);
    assert_near(truth.map_T_base.at_m.z,
                cairn_sim_ground_m(&it.place, (cairn_vec2){truth.map_T_base.at_m.x, truth.map_T_base.at_m.y}, 0), 0.05);
    rig_end(&it);
}

// ---- slippery and rough ground

// One slab of 20 degrees, its top rising along x. Wheels that are held slide with the difference of weight and
// friction.
static void slippery_slopes_do_not_hold(void **state)
{
    (void)state;
    const double angle_rad = 20 * DEGREE, friction = 0.15;
    const double accel_mps2 = GRAVITY_MPS2 * (sin(angle_rad) - friction * cos(angle_rad));
    for (int across = 0; across < 2; across++) {
        cairn_solid slab = {.kind = CAIRN_SOLID_GROUND, .half_m = {8, 8, 0.5}, .friction = friction};
        slab.map_T_box = (cairn_pose3){{10, 10, 2}, cairn_quat_from_axis((cairn_vec3){0, 1, 0}, -angle_rad)};
        rig it = empty_rig();
        it.robot = emu();
        it.place.solids = &slab;
        it.place.solid_count = 1;
        assert_ok(cairn_arena_create(&it.memory, 1 << 16));
        rig_create(&it, 1, &(cairn_pose2){12, 10, across ? CAIRN_PI / 2 : 0});
        want(&it, 0, 0, 0);
        run(&it, 1);
        const double slid_m = (12 - at_of(&it, 0).x) / cos(angle_rad);
        assert_near(slid_m, 0.5 * accel_mps2, 0.04);
        assert_near(at_of(&it, 0).y, 10, 0.01);

        slab.friction = 0.8; // it holds
        rig_end(&it);
        assert_ok(cairn_arena_create(&it.memory, 1 << 16));
        it.step = 0;
        rig_create(&it, 1, &(cairn_pose2){12, 10, across ? CAIRN_PI / 2 : 0});
        run(&it, 1);
        assert_near(at_of(&it, 0).x, 12, 0.05);
        rig_end(&it);
    }
}

// A ditch of 15 cm whose slopes have a friction of 0.15 keeps whoever drives into it without a run-up.
static void a_slippery_ditch_keeps_its_catch(void **state)
{
    (void)state;
    for (int slippery = 0; slippery < 2; slippery++) {
        cairn_ditch ditch = {.at_m = {10, 10},
                             .length_m = 6,
                             .width_m = 1.4,
                             .depth_m = 0.3,
                             .friction = slippery ? 0.15 : 0.8,
                             .along = 1};
        rig it = empty_rig();
        it.place.has_holes = true;
        rig_start(&it, &(cairn_sim_elements){.ditches = &ditch, .ditch_count = 1}, 0.03, 1, &(cairn_pose2){8, 10, 0});
        want(&it, 0, 0.3, 0);
        run(&it, 15);
        if (slippery) {
            assert_near(at_of(&it, 0).x, 10, 0.5);
            assert_true(at_of(&it, 0).z < -0.05);
        } else {
            assert_true(at_of(&it, 0).x > 11.2);
            assert_near(at_of(&it, 0).z, 0, 1e-6);
        }
        rig_end(&it);
    }
}

// On rubble a robot's wheels stand on the ground that everybody else asks for, too.
static void rubble_lifts_and_tilts(void **state)
{
    (void)state;
    cairn_rough rubble = {
        .kind = CAIRN_ROUGH_RUBBLE, .at_m = {10, 10}, .size_m = {6, 6}, .height_m = 0.25, .cell_m = 0.1, .seed = 7};
    rig it = empty_rig();
    rig_start(&it, &(cairn_sim_elements){.rough = &rubble, .rough_count = 1}, 0.03, 1, &(cairn_pose2){6, 10, 0});
    want(&it, 0, 0.3, 0.05);
    double highest_m = 0, steepest_rad = 0;
    while (it.step < 20 * STEPS_PER_S) {
        run_step(&it);
        const cairn_robot_truth truth = truth_of(&it, 0);
        const cairn_pose2 pose = cairn_pose3_to_pose2(truth.map_T_base);
        double mean_m = 0;
        for (int i = 0; i < 4; i++) {
            const cairn_vec2 wheel = {i < 2 ? 0.15 : -0.15, i % 2 == 0 ? 0.19 : -0.19};
            mean_m += 0.25 * cairn_sim_ground_m(&it.place, cairn_pose2_apply(pose, wheel), INFINITY);
        }
        if (truth.fallen) { break; }
        assert_near(truth.map_T_base.at_m.z, mean_m, 2e-3);
        highest_m = fmax(highest_m, truth.map_T_base.at_m.z);
        steepest_rad = fmax(steepest_rad, fabs(cairn_quat_to_rpy(truth.map_T_base.turn).roll_rad));
    }
    assert_true(highest_m > 0.05 && steepest_rad > 3 * DEGREE);
    rig_end(&it);
}

// ---- blocks

static cairn_sim_block crate(double x_m, double mass_kg)
{
    return (cairn_sim_block){.map_T_block = {x_m, 10, 0}, .size_m = {0.4, 0.4, 0.4}, .mass_kg = mass_kg};
}

static double block_x_m(const rig *it, uint32_t block) { return planar->mover(it->physics, block).at_m.x; }

// Tyres push with 0.8 of 18 kg, blocks resist with 0.6 of theirs: up to 24 kg they give way.
static void blocks_are_pushed_as_far_as_tyres_hold(void **state)
{
    (void)state;
    const double masses_kg[] = {5, 20, 40};
    for (int i = 0; i < 3; i++) {
        cairn_sim_block block = crate(7, masses_kg[i]);
        rig it = empty_rig();
        it.place.block_count = 1;
        it.place.blocks = &block;
        rig_start(&it, NULL, 0.03, 1, &(cairn_pose2){6, 10, 0});
        want(&it, 0, 0.4, 0);
        run(&it, 10);
        const double x_m = block_x_m(&it, 0);
        if (i < 2) {
            assert_true(x_m > 8);
            assert_near(x_m - at_of(&it, 0).x, 0.2 + 0.27, 0.01);
        } else {
            assert_near(x_m, 7, 4e-3); // that the first knock takes
        }
        assert_near(planar->mover(it.physics, 0).at_m.y, 10, 0.02);
        assert_int_equal(planar->collisions(it.physics, 0).count, 1);
        rig_end(&it);
    }
}

static void a_pushed_block_slides_until_friction_has_taken_its_speed(void **state)
{
    (void)state;
    cairn_sim_block block = crate(5, 10);
    rig it = empty_rig();
    it.place.block_count = 1;
    it.place.blocks = &block;
    rig_start(&it, NULL, 0.03, 1, &(cairn_pose2){2, 2, 0});
    planar->push(it.physics, 0, (cairn_vec3){3, 0, 0});
    run(&it, 2);
    assert_near(block_x_m(&it, 0), 5 + 9 / (2 * 0.6 * GRAVITY_MPS2), 0.01);
    rig_end(&it);
}

// A block against a wall stops the robot that pushes it; of two blocks the first pushes the second.
static void blocks_are_stopped_by_walls_and_push_each_other(void **state)
{
    (void)state;
    cairn_sim_wall wall = {.from_m = {9, 0}, .to_m = {9, 20}, .thickness_m = 0.1, .height_m = 1};
    cairn_sim_block blocks[2] = {crate(7, 4), crate(7.8, 4)};
    rig it = empty_rig();
    it.place.wall_count = 1;
    it.place.walls = &wall;
    it.place.block_count = 2;
    it.place.blocks = blocks;
    rig_start(&it, NULL, 0.03, 1, &(cairn_pose2){6, 10, 0});
    want(&it, 0, 0.4, 0);
    run(&it, 15);
    assert_near(block_x_m(&it, 1), 8.95 - 0.2, 5e-3);
    assert_near(block_x_m(&it, 0), 8.95 - 0.6, 1e-2);
    assert_near(at_of(&it, 0).x, 8.95 - 0.8 - 0.27, 2e-2);
    rig_end(&it);
}

// ---- saved and gone on with

static void furnish(rig *it, cairn_sim_wall *wall, cairn_sim_block *blocks)
{
    *it = empty_rig();
    *wall = (cairn_sim_wall){.from_m = {12, 0}, .to_m = {12, 20}, .thickness_m = 0.1, .height_m = 1};
    blocks[0] = crate(7, 4);
    blocks[1] = crate(9, 6);
    it->place.wall_count = 1;
    it->place.walls = wall;
    it->place.block_count = 2;
    it->place.blocks = blocks;
    it->seed = 9;
}

static const cairn_pose2 team[] = {{6, 10, 0}, {6, 12, 0.2}, {10, 8, 2}};

static void ask_all(rig *it)
{
    want(it, 0, 0.4, 0.1);
    want(it, 1, 0.3, -0.3);
    want(it, 2, 0.5, 0.4);
}

static void copy_loops(rig *to, const rig *from)
{
    to->step = from->step;
    memcpy(to->targets, from->targets, sizeof to->targets);
    memcpy(to->integral_rad, from->integral_rad, sizeof to->integral_rad);
    memcpy(to->wanted_radps, from->wanted_radps, sizeof to->wanted_radps);
}

static void a_saved_physics_goes_on_with_the_same_bytes(void **state)
{
    (void)state;
    rig it, other;
    cairn_sim_wall walls[2];
    cairn_sim_block blocks[4];
    furnish(&it, &walls[0], &blocks[0]);
    furnish(&other, &walls[1], &blocks[2]);
    cairn_platform kerb = platform(16, 0.3, 0);
    const cairn_sim_elements elements = {.platforms = &kerb, .platform_count = 1};
    rig_start(&it, &elements, 0.03, 3, team);
    rig_start(&other, &elements, 0.03, 3, team);
    const size_t bytes = planar->state_bytes(it.physics);
    uint8_t *saved = malloc(3 * bytes), *ends[2] = {saved + bytes, saved + 2 * bytes};
    assert_non_null(saved);
    ask_all(&it);
    for (int round = 0; round < 4; round++) {
        run(&it, 2.4);
        planar->save(it.physics, saved);
        assert_ok(planar->load(other.physics, saved));
        copy_loops(&other, &it);
        run(&it, 1);
        run(&other, 1);
        planar->save(it.physics, ends[0]);
        planar->save(other.physics, ends[1]);
        assert_memory_equal(ends[0], ends[1], bytes);
        assert_memory_not_equal(ends[0], saved, bytes);
    }
    free(saved);
    rig_end(&it);
    rig_end(&other);
}

// Bytes from a file: whatever is flipped in them, what is loaded can be stepped, and what is refused changes nothing.
static void damaged_states_are_refused_or_harmless(void **state)
{
    (void)state;
    rig it;
    cairn_sim_wall wall;
    cairn_sim_block blocks[2];
    furnish(&it, &wall, blocks);
    rig_start(&it, NULL, 0.03, 3, team);
    ask_all(&it);
    run(&it, 3);
    const size_t bytes = planar->state_bytes(it.physics);
    uint8_t *sound = malloc(3 * bytes), *damaged = sound + bytes, *after = sound + 2 * bytes;
    assert_non_null(sound);
    planar->save(it.physics, sound);
    cairn_random random;
    cairn_random_init(&random, 5, "damage");
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        memcpy(damaged, sound, bytes);
        const size_t at = cairn_random_below(&random, (uint32_t)bytes / 8) * 8;
        const uint64_t word = cairn_random_u64(&random);
        memcpy(damaged + at, &word, sizeof word);
        assert_ok(planar->load(it.physics, sound));
        if (planar->load(it.physics, damaged) == CAIRN_OK) {
            for (int k = 0; k < 3; k++) { planar->step(it.physics, it.targets); }
            continue;
        }
        refused++;
        planar->save(it.physics, after);
        assert_memory_equal(after, sound, bytes);
    }
    assert_true(refused > 500);
    memset(damaged, 0, bytes);
    assert_int_equal(planar->load(it.physics, damaged), CAIRN_ERR_CORRUPT);
    free(sound);
    rig_end(&it);
}

// ---- large places

// As large as an arena may be: walls all over 500 x 500 m, long ones across it too.
static void sixteen_thousand_solids_are_no_hindrance(void **state)
{
    (void)state;
    enum { COUNT = 16000 };
    cairn_random random;
    cairn_random_init(&random, 6, "large");
    static cairn_solid solids[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        const cairn_pose2 pose = {cairn_random_between(&random, 3, 500), cairn_random_between(&random, 3, 500),
                                  cairn_random_between(&random, -3, 3)};
        solids[i] = (cairn_solid){.kind = CAIRN_SOLID_WALL, .owner = i};
        solids[i].map_T_box = cairn_pose3_from_pose2(pose, 0.5);
        solids[i].half_m = (cairn_vec3){i < 20 ? 60 : cairn_random_between(&random, 0.3, 3), 0.05, 0.5};
    }
    rig it = {.place = {.size_m = {500, 500}, .solid_count = COUNT, .solids = solids}, .robot = emu()};
    assert_ok(cairn_arena_create(&it.memory, 1 << 16));
    rig_create(&it, 2, (const cairn_pose2[]){{1, 1, 0.8}, {1, 400, 0.3}});
    want(&it, 0, 0.5, 0);
    want(&it, 1, 0.5, 0);
    run(&it, 60);
    for (uint32_t i = 0; i < 2; i++) { assert_true(planar->collisions(it.physics, i).count > 0); }
    rig_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kerb_stops_who_cannot_climb_it),
        cmocka_unit_test(nobody_is_thrown_off_a_ramp),
        cmocka_unit_test(stairs_are_climbed_by_who_can_take_one),
        cmocka_unit_test(the_side_of_a_ramp_is_a_wall_and_its_foot_is_not),
        cmocka_unit_test(storeys_are_kept_apart),
        cmocka_unit_test(a_robot_starts_on_the_storey_that_the_arena_says),
        cmocka_unit_test(over_an_edge_a_robot_falls_and_stays),
        cmocka_unit_test(who_stops_at_an_edge_can_back_away),
        cmocka_unit_test(who_slides_off_an_edge_stands_on_what_is_below),
        cmocka_unit_test(a_narrow_gap_is_crossed_and_a_hole_is_fallen_into),
        cmocka_unit_test(slippery_slopes_do_not_hold),
        cmocka_unit_test(a_slippery_ditch_keeps_its_catch),
        cmocka_unit_test(rubble_lifts_and_tilts),
        cmocka_unit_test(blocks_are_pushed_as_far_as_tyres_hold),
        cmocka_unit_test(a_pushed_block_slides_until_friction_has_taken_its_speed),
        cmocka_unit_test(blocks_are_stopped_by_walls_and_push_each_other),
        cmocka_unit_test(a_saved_physics_goes_on_with_the_same_bytes),
        cmocka_unit_test(damaged_states_are_refused_or_harmless),
        cmocka_unit_test(sixteen_thousand_solids_are_no_hindrance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
