// test_mujoco_ground.c - what the MuJoCo physics has around its robots: solids by place, rough ground, holes, blocks.
#include "base/random.h"
#include "physics_rig.h"
#include "rough_arena.h"
#include "sim/physics/mujoco/mujoco_private.h"
#include <stdlib.h>

static const cairn_physics_kind *const mujoco = &cairn_physics_mujoco;

static void rig_read(rig *it, const char *yaml, uint32_t robot_count)
{
    static cairn_complaints complaints;
    it->kind = mujoco;
    it->robot = emu();
    it->robot_count = robot_count;
    read_arena(yaml, &it->memory, &it->place);
    const cairn_body_description *robots[ROBOTS_MAX] = {&it->robot, &it->robot, &it->robot};
    const cairn_physics_def def = {
        .arena = &it->place, .robot_count = robot_count, .robots = robots, .starts = it->place.starts, .seed = 1};
    for (uint32_t i = 0; i < robot_count; i++) { it->targets[i].flipper_rad = NAN; }
    assert_ok(mujoco->create(&def, &complaints, &it->physics));
}

#define EMPTY "name: empty\nabout: test\nsize_m: [12, 12]\n"
#define START(x, y) "starts: [{at_m: [" #x ", " #y "], heading_deg: 0}]\n"

// ---- solids by place

typedef struct found_solids {
    uint32_t times[600];
} found_solids;

static void note_found(void *context, uint32_t solid) { ((found_solids *)context)->times[solid]++; }

// From above; boxes lie level here.
static double level_distance_m(const cairn_solid *solid, cairn_vec2 from_m)
{
    const cairn_vec3 at = {from_m.x - solid->map_T_box.at_m.x, from_m.y - solid->map_T_box.at_m.y, 0};
    const cairn_vec3 local = cairn_quat_rotate(cairn_quat_conjugate(solid->map_T_box.turn), at);
    return hypot(fmax(fabs(local.x) - solid->half_m.x, 0), fmax(fabs(local.y) - solid->half_m.y, 0));
}

// What is near is found whatever its shape, once; inside and outside of the arena.
static void the_index_finds_what_a_search_of_all_finds(void **state)
{
    (void)state;
    enum { SOLIDS = 600 };
    cairn_random chance;
    cairn_random_init(&chance, 7, "solids");
    static cairn_solid solids[SOLIDS];
    for (int i = 0; i < SOLIDS; i++) {
        const cairn_pose2 pose = {cairn_random_between(&chance, -5, 65), cairn_random_between(&chance, -5, 45),
                                  cairn_random_between(&chance, -3, 3)};
        const double long_m = i % 20 == 0 ? 25 : 1;
        solids[i] = (cairn_solid){
            .map_T_box = cairn_pose3_from_pose2(pose, 0.5),
            .half_m = {cairn_random_between(&chance, 0.01, long_m), cairn_random_between(&chance, 0.01, 0.5), 0.5}};
    }
    cairn_mover mover = {.kind = CAIRN_SOLID_BLOCK, .solid = 17};
    const cairn_sim_arena arena = {
        .size_m = {60, 40}, .solid_count = SOLIDS, .solids = solids, .mover_count = 1, .movers = &mover};
    cairn_solid_index *index = NULL;
    assert_ok(cairn_solid_index_create(&arena, &index));
    for (int trial = 0; trial < 300; trial++) {
        const cairn_vec2 at = {cairn_random_between(&chance, -8, 68), cairn_random_between(&chance, -8, 48)};
        const double reach_m = cairn_random_between(&chance, 0.1, 3);
        found_solids found = {0};
        cairn_solid_index_find(index, at, reach_m, note_found, &found);
        for (uint32_t i = 0; i < SOLIDS; i++) {
            assert_true(found.times[i] <= 1);
            if (i == mover.solid) { assert_int_equal(found.times[i], 0); }
            if (i != mover.solid && level_distance_m(&solids[i], at) <= reach_m) {
                assert_int_equal(found.times[i], 1);
            }
        }
    }
    cairn_solid_index_destroy(index);
}

// ---- ground

// The highest point of ground below a robot's wheels, and where its base is when it stands there.
static void a_robot_stands_on_gravel_as_high_as_it_is(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(
        &it,
        EMPTY
        "rough: [{kind: gravel, at_m: [6, 6], heading_deg: 25, size_m: [6, 6], height_m: 0.1, cell_m: 0.3}]\n" START(
            1.5, 1.5),
        1);
    cairn_mujoco_set_pose(it.physics->data->qpos, (cairn_pose3){{6, 6, 0.2}, cairn_quat_identity()});
    run(&it, 3);
    const cairn_robot_truth truth = truth_of(&it, 0);
    const cairn_robot_shape shape = cairn_robot_shape_of(&it.robot);
    double sum_m = 0;
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
        cairn_vec3 foot = shape.wheel_centre_m[i];
        foot.z = 0;
        const cairn_vec3 at = cairn_pose3_apply(truth.map_T_base, foot);
        const double ground_m = cairn_sim_ground_m(&it.place, (cairn_vec2){at.x, at.y}, INFINITY);
        assert_true(at.z > ground_m - 0.02 && at.z < ground_m + 0.06);
        sum_m += ground_m;
    }
    assert_true(sum_m > 0.04);
    assert_true(cairn_vec3_length(truth.velocity_mps) < 0.01);
    rig_end(&it);
}

// A field that is one plane is a ramp: the same slope, the same climb.
static void a_field_that_is_a_plane_is_driven_like_a_ramp(void **state)
{
    (void)state;
    enum { COLUMNS = 41, ROWS = 21 };
    static float heights[ROWS * COLUMNS];
    for (int row = 1; row < ROWS - 1; row++) {
        for (int column = 0; column < COLUMNS - 1; column++) {
            heights[row * COLUMNS + column] = (float)(column * 0.1 * tan(0.2));
        }
    }
    cairn_height_field field = {.map_T_field = {3, 5, 0.3},
                                .cell_m = 0.1,
                                .columns = COLUMNS,
                                .rows = ROWS,
                                .height_m = heights,
                                .height_m_max = (float)(3.9 * tan(0.2))};
    rig it = {.kind = mujoco, .robot = emu(), .robot_count = 1, .place = {.size_m = {12, 12}}};
    it.place.field_count = 1;
    it.place.fields = &field;
    const cairn_pose2 start = cairn_pose2_compose(field.map_T_field, (cairn_pose2){-0.6, 1, 0});
    const cairn_body_description *robot = &it.robot;
    const cairn_physics_def def = {.arena = &it.place, .robot_count = 1, .robots = &robot, .starts = &start};
    static cairn_complaints complaints;
    assert_ok(mujoco->create(&def, &complaints, &it.physics));
    want(&it, 0, 0.4, 0);
    run(&it, 6);
    const cairn_robot_truth truth = truth_of(&it, 0);
    const cairn_vec3 at =
        cairn_pose3_apply(cairn_pose3_inverse(cairn_pose3_from_pose2(field.map_T_field, 0)), truth.map_T_base.at_m);
    assert_near(at.x, -0.6 + 0.4 * 6, 0.2);
    assert_near(at.y, 1, 0.05);
    assert_near(at.z, at.x * tan(0.2), 0.01);
    assert_near(cairn_quat_to_rpy(truth.map_T_base.turn).pitch_rad, -0.2, 0.02);
    assert_int_equal(mujoco->collisions(it.physics, 0).count, 0);

    want(&it, 0, 0, 0);
    memset(it.integral_rad, 0, sizeof it.integral_rad);
    run(&it, 2);
    const cairn_vec3 parked = truth_of(&it, 0).map_T_base.at_m;
    run(&it, 20); // tyres hold on to it as on a ramp
    assert_true(cairn_vec3_length(cairn_vec3_sub(truth_of(&it, 0).map_T_base.at_m, parked)) < 0.001);
    rig_end(&it);
}

// Held wheels slide on a slope that is steeper than the friction of its ground, and only there.
static void ground_is_as_slippery_as_it_says(void **state)
{
    (void)state;
    for (int slippery = 0; slippery < 2; slippery++) {
        cairn_sim_ramp slope = ridge((cairn_vec2){6, 6}, 10, 0, 15);
        rig it = {.kind = mujoco, .robot = emu(), .robot_count = 1, .place = {.size_m = {12, 12}, .ramp_count = 1}};
        it.place.ramps = &slope;
        assert_ok(cairn_arena_create(&it.memory, 1 << 20));
        assert_ok(cairn_sim_arena_make_solids(&it.place, &it.memory));
        for (uint32_t i = 0; i < it.place.solid_count; i++) { it.place.solids[i].friction = slippery ? 0.2 : 0.35; }
        const cairn_body_description *robot = &it.robot;
        const cairn_physics_def def = {
            .arena = &it.place, .robot_count = 1, .robots = &robot, .starts = &(cairn_pose2){4, 6, 0}};
        static cairn_complaints complaints;
        assert_ok(mujoco->create(&def, &complaints, &it.physics));
        run(&it, 2);
        const double before_m = truth_of(&it, 0).map_T_base.at_m.x;
        run(&it, 2);
        const double slid_m = before_m - truth_of(&it, 0).map_T_base.at_m.x;
        if (slippery) {
            assert_true(slid_m > 0.5);
        } else {
            assert_near(slid_m, 0, 0.001); // tan 15 degrees is 0.27
        }
        rig_end(&it);
    }
}

// However many fields lie side by side, each carries.
static void a_robot_stands_on_nine_small_fields(void **state)
{
    (void)state;
    char yaml[2048];
    int at = snprintf(yaml, sizeof yaml, "%srough:\n", EMPTY);
    for (int i = 0; i < 9; i++) {
        const int column = i % 3, row = i / 3;
        at += snprintf(yaml + at, sizeof yaml - (size_t)at,
                       "  - {kind: gravel, at_m: [%g, %g], size_m: [0.6, 0.6], height_m: 0.12, seed: %d}\n",
                       5.4 + 0.6 * column, 5.4 + 0.6 * row, i);
    }
    snprintf(yaml + at, sizeof yaml - (size_t)at, "%s", START(2, 2));
    rig it = {0};
    rig_read(&it, yaml, 1);
    cairn_mujoco_set_pose(it.physics->data->qpos, (cairn_pose3){{6, 6, 0.2}, cairn_quat_identity()});
    run(&it, 2);
    const cairn_robot_truth truth = truth_of(&it, 0);
    double clear_m = INFINITY;
    for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) {
        const cairn_vec3 foot = {(wheel < 2 ? 0.5 : -0.5) * it.robot.wheels.wheelbase_m,
                                 (wheel % 2 == 0 ? 0.5 : -0.5) * it.robot.wheels.track_m, 0};
        const cairn_vec3 below = cairn_pose3_apply(truth.map_T_base, foot);
        clear_m = fmin(clear_m, below.z - cairn_sim_ground_m(&it.place, (cairn_vec2){below.x, below.y}, 1));
    }
    assert_true(clear_m > -0.005); // tyres give that much
    rig_end(&it);
}

// A pit is as deep as it is, and who lies in it is told so.
static void a_robot_that_drives_over_an_edge_falls(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it, EMPTY "holes: [{at_m: [6, 6], size_m: [3, 3], depth_m: 1.5}]\n" START(3, 6), 1);
    run(&it, 1);
    assert_near(truth_of(&it, 0).map_T_base.at_m.z, 0, 0.002); // a floor of boxes carries as a plane does
    assert_false(truth_of(&it, 0).fallen);
    want(&it, 0, 0.5, 0);
    run(&it, 6);
    const cairn_robot_truth truth = truth_of(&it, 0);
    assert_true(truth.fallen);
    assert_true(truth.map_T_base.at_m.z < -1 && truth.map_T_base.at_m.z > -1.6);
    rig_end(&it);
}

// On its wheels or not, and while it drives about: a hole of the usual depth lets nobody out.
static void a_robot_on_its_wheels_down_a_hole_has_fallen(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it, EMPTY "holes: [{at_m: [6, 6], size_m: [5, 5]}]\n" START(1, 1), 1);
    cairn_mujoco_set_pose(it.physics->data->qpos, (cairn_pose3){{4.5, 6, -1}, cairn_quat_identity()});
    want(&it, 0, 0.3, 0);
    for (int i = 0; i < 2 * STEPS_PER_S; i++) {
        run_step(&it);
        assert_true(truth_of(&it, 0).fallen);
    }
    assert_near(truth_of(&it, 0).map_T_base.at_m.z, -1, 0.002);
    rig_end(&it);
}

static void a_robot_on_its_back_has_fallen_after_a_second(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it, EMPTY START(6, 6), 1);
    cairn_mujoco_set_pose(it.physics->data->qpos,
                          (cairn_pose3){{6, 6, 0.6}, cairn_quat_from_axis((cairn_vec3){1, 0, 0}, CAIRN_PI)});
    run(&it, 0.9);
    assert_false(truth_of(&it, 0).fallen);
    run(&it, 0.2);
    assert_true(truth_of(&it, 0).fallen);
    rig_end(&it);
}

// ---- blocks and other movers

#define BLOCK(mass) "blocks: [{at_m: [4, 6], size_m: [0.3, 0.6, 0.4], mass_kg: " #mass "}]\n"

// A block is pushed by a robot that is heavier, stays where it was pushed to, and the touch is a collision.
static void a_light_block_is_pushed_and_then_lies_still(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it, EMPTY BLOCK(6) START(3, 6), 1);
    const cairn_pose3 start = mujoco->mover(it.physics, 0);
    run(&it, 1);
    const cairn_pose3 untouched = mujoco->mover(it.physics, 0);
    assert_memory_equal(&start, &untouched, sizeof start);
    want(&it, 0, 0.4, 0);
    double last_x = start.at_m.x;
    for (int i = 0; i < 5 * STEPS_PER_S; i++) {
        run_step(&it);
        const double x = mujoco->mover(it.physics, 0).at_m.x;
        assert_true(fabs(x - last_x) < 0.4 * 0.004 * 4); // no jump when it is let loose
        last_x = x;
    }
    assert_near(last_x, truth_of(&it, 0).map_T_base.at_m.x + 0.27 + 0.15, 0.03);
    assert_true(last_x > start.at_m.x + 1);
    assert_true(mujoco->collisions(it.physics, 0).count >= 1);
    assert_near(mujoco->collisions(it.physics, 0).speed_mps_max, 0.4, 0.08);

    want(&it, 0, -0.4, 0);
    run(&it, 2);
    assert_false(cairn_mujoco_is_loose(it.physics, 0)); // it costs nothing again
    const cairn_pose3 left = mujoco->mover(it.physics, 0);
    run(&it, 2);
    const cairn_pose3 later = mujoco->mover(it.physics, 0);
    assert_memory_equal(&left, &later, sizeof left);
    assert_near(left.at_m.z, 0.2, 0.003);
    rig_end(&it);
}

static void a_heavy_block_stops_a_robot(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it, EMPTY BLOCK(200) START(3, 6), 1);
    want(&it, 0, 0.4, 0);
    run(&it, 5);
    assert_near(mujoco->mover(it.physics, 0).at_m.x, 4, 0.02);
    rig_end(&it);
}

static void a_block_stops_at_a_wall_and_lies_on_a_platform(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it,
             EMPTY "walls: [{points_m: [[5.5, 4], [5.5, 8]], thickness_m: 0.2, height_m: 1}]\n"
                   "platforms: [{at_m: [9, 9], size_m: [1, 1], top_m: 0.5}]\n" BLOCK(2) START(3, 6),
             1);
    mujoco->push(it.physics, 0, (cairn_vec3){4, 0, 0});
    run(&it, 3);
    const double stopped_m = mujoco->mover(it.physics, 0).at_m.x; // without a wall it would slide 1.6 m
    assert_true(stopped_m > 4.5 && stopped_m < 5.255);

    mujoco->put(it.physics, 0, (cairn_pose3){{9, 9, 1.2}, cairn_quat_identity()});
    run(&it, 2); // falls
    assert_near(mujoco->mover(it.physics, 0).at_m.z, 0.7, 0.005);
    rig_end(&it);
}

// Pushes slide as far as friction lets them: v^2 / (2 mu g).
static void a_pushed_block_slides_as_far_as_friction_says(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it, EMPTY "blocks: [{at_m: [4, 6], size_m: [0.6, 0.6, 0.1], mass_kg: 3}]\n" START(1, 1), 1);
    mujoco->push(it.physics, 0, (cairn_vec3){2, 0, 0});
    run(&it, 2);
    const double slid_m = mujoco->mover(it.physics, 0).at_m.x - 4;
    const double should_m = 2 * 2 / (2 * CAIRN_MUJOCO_BLOCK_FRICTION * GRAVITY_MPS2);
    print_message("slid %.3f m, by Coulomb %.3f m\n", slid_m, should_m);
    assert_near(slid_m, should_m, 0.1 * should_m);
    rig_end(&it);
}

// What lies on a block that is taken away falls.
static void a_stack_comes_down_when_its_foot_is_pushed_away(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it,
             EMPTY "blocks: [{at_m: [4, 6], size_m: [0.3, 0.3, 0.3], mass_kg: 3}, "
                   "{at_m: [4, 6], foot_m: 0.3, size_m: [0.3, 0.3, 0.3], mass_kg: 3}]\n" START(1, 1),
             1);
    mujoco->push(it.physics, 0, (cairn_vec3){5, 0, 0});
    run(&it, 3);
    assert_near(mujoco->mover(it.physics, 1).at_m.z, 0.15, 0.01);
    rig_end(&it);
}

// Doors and figures are where the world puts them, at once.
static void a_figure_that_steps_in_the_way_is_touched(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it, EMPTY "figures: [{name: ann, kind: bystander, points_m: [[10, 10]]}]\n" START(3, 6), 1);
    want(&it, 0, 0.4, 0);
    run(&it, 2);
    assert_int_equal(mujoco->collisions(it.physics, 0).count, 0);
    cairn_pose3 pose = mujoco->mover(it.physics, 0);
    pose.at_m.x = truth_of(&it, 0).map_T_base.at_m.x + 0.9;
    pose.at_m.y = 6;
    mujoco->put(it.physics, 0, pose);
    run(&it, 4);
    assert_int_equal(mujoco->collisions(it.physics, 0).count, 1);
    const double stopped_m = truth_of(&it, 0).map_T_base.at_m.x;
    assert_true(stopped_m < pose.at_m.x - 0.27);
    pose.at_m.x = 10;
    pose.at_m.y = 10;
    mujoco->put(it.physics, 0, pose);
    run(&it, 2);
    assert_true(truth_of(&it, 0).map_T_base.at_m.x > stopped_m + 0.3);
    rig_end(&it);
}

// ---- many robots

// Robots beyond the number of bits of an int meet each other all the same, and stand on the same floor.
static void each_of_50_robots_meets_its_neighbour(void **state)
{
    (void)state;
    const cairn_body_description robot = emu();
    const cairn_body_description *robots[CAIRN_SIM_ROBOTS_MAX];
    cairn_pose2 starts[CAIRN_SIM_ROBOTS_MAX];
    for (int i = 0; i < CAIRN_SIM_ROBOTS_MAX; i++) {
        robots[i] = &robot;
        // Pairs that look at each other: 0 and 49, 1 and 48, ...
        const int pair = i < 25 ? i : 49 - i, column = pair % 5, row = pair / 5;
        starts[i] = (cairn_pose2){2 + 3 * column + (i < 25 ? 0 : 0.8), 2 + 2 * row, i < 25 ? 0 : CAIRN_PI};
    }
    const cairn_sim_arena arena = {.size_m = {20, 20}};
    const cairn_physics_def def = {
        .arena = &arena, .robot_count = CAIRN_SIM_ROBOTS_MAX, .robots = robots, .starts = starts};
    static cairn_complaints complaints;
    cairn_physics *physics = NULL;
    assert_ok(mujoco->create(&def, &complaints, &physics));
    cairn_motor_target targets[CAIRN_SIM_ROBOTS_MAX];
    for (int i = 0; i < CAIRN_SIM_ROBOTS_MAX; i++) {
        targets[i] = (cairn_motor_target){.torque_nm = {1, 1, 1, 1}, .flipper_rad = NAN};
    }
    for (int i = 0; i < 2 * STEPS_PER_S; i++) { mujoco->step(physics, targets); }
    for (uint32_t i = 0; i < CAIRN_SIM_ROBOTS_MAX; i++) {
        cairn_robot_truth truth;
        mujoco->truth(physics, i, &truth);
        assert_int_equal(mujoco->collisions(physics, i).count, 1);
        assert_near(truth.map_T_base.at_m.z, 0, 0.02);
        assert_true(truth.bump_front);
    }
    mujoco->destroy(physics);
}

// ---- saving and loading

static cairn_physics *rough_physics(const cairn_sim_arena *arena, const cairn_body_description *robot)
{
    static cairn_complaints complaints;
    const cairn_body_description *robots[ROUGH_ROBOTS];
    for (int i = 0; i < ROUGH_ROBOTS; i++) { robots[i] = robot; }
    const cairn_physics_def def = {
        .arena = arena, .robot_count = ROUGH_ROBOTS, .robots = robots, .starts = arena->starts, .seed = 1};
    cairn_physics *physics = NULL;
    assert_ok(mujoco->create(&def, &complaints, &physics));
    return physics;
}

static void drive_at_random(cairn_physics *physics, uint64_t seed, int steps)
{
    cairn_random chance;
    cairn_random_init(&chance, seed, "drive");
    cairn_motor_target targets[ROUGH_ROBOTS] = {0};
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < ROUGH_ROBOTS && step % 50 == 0; i++) {
            const double left = cairn_random_between(&chance, -8, 8), right = cairn_random_between(&chance, -8, 8);
            targets[i] = (cairn_motor_target){.torque_nm = {left, right, left, right}, .flipper_rad = NAN};
        }
        if (step % 300 == 100) {
            for (uint32_t i = 0; i < 3; i++) {
                mujoco->push(physics, i, (cairn_vec3){cairn_random_between(&chance, -2, 2), 1, 1});
            }
        }
        mujoco->step(physics, targets);
    }
}

static void a_loaded_state_goes_on_with_the_same_bytes(void **state)
{
    (void)state;
    cairn_arena memory;
    cairn_sim_arena arena;
    read_arena(rough_yaml, &memory, &arena);
    const cairn_body_description robot = emu();
    cairn_physics *first = rough_physics(&arena, &robot);
    const size_t bytes = mujoco->state_bytes(first);
    unsigned char *saved = malloc(bytes), *first_end = malloc(bytes), *other_end = malloc(bytes);
    drive_at_random(first, 1, 3 * STEPS_PER_S);
    mujoco->save(first, saved);
    drive_at_random(first, 2, 3 * STEPS_PER_S);
    mujoco->save(first, first_end);
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        cairn_physics *other = rough_physics(&arena, &robot);
        if (elsewhere) { drive_at_random(other, 3, 2 * STEPS_PER_S); }
        assert_int_equal(mujoco->state_bytes(other), bytes);
        assert_ok(mujoco->load(other, saved));
        drive_at_random(other, 2, 3 * STEPS_PER_S);
        mujoco->save(other, other_end);
        assert_memory_equal(first_end, other_end, bytes);
        mujoco->destroy(other);
    }
    assert_ok(mujoco->load(first, saved)); // back in time
    drive_at_random(first, 2, 3 * STEPS_PER_S);
    mujoco->save(first, other_end);
    assert_memory_equal(first_end, other_end, bytes);
    mujoco->destroy(first);
    free(saved);
    free(first_end);
    free(other_end);
    cairn_arena_destroy(&memory);
}

// Bytes from a file may be anything. Of single bytes changed many go unnoticed: positions are numbers. None is read
// where it must not be.
static void a_state_that_does_not_fit_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    cairn_arena memory;
    cairn_sim_arena arena;
    read_arena(rough_yaml, &memory, &arena);
    const cairn_body_description robot = emu();
    cairn_physics *physics = rough_physics(&arena, &robot);
    drive_at_random(physics, 1, 200);
    const size_t bytes = mujoco->state_bytes(physics);
    unsigned char *saved = malloc(bytes), *damaged = malloc(bytes), *after = malloc(bytes);
    mujoco->save(physics, saved);

    const double not_a_number = NAN;
    memcpy(damaged, saved, bytes);
    memcpy(damaged + 80, &not_a_number, sizeof not_a_number); // the first position
    assert_int_equal(mujoco->load(physics, damaged), CAIRN_ERR_CORRUPT);
    memcpy(damaged, saved, bytes);
    damaged[8] ^= 1; // its size
    assert_int_equal(mujoco->load(physics, damaged), CAIRN_ERR_CORRUPT);
    mujoco->save(physics, after);
    assert_memory_equal(saved, after, bytes);

    cairn_random chance;
    cairn_random_init(&chance, 5, "damage");
    uint32_t refused = 0;
    for (int trial = 0; trial < 400; trial++) {
        memcpy(damaged, saved, bytes);
        damaged[cairn_random_below(&chance, (uint32_t)bytes)] ^= (unsigned char)(1 + cairn_random_below(&chance, 255));
        if (mujoco->load(physics, damaged) == CAIRN_OK) { continue; }
        refused++;
        mujoco->save(physics, after);
    }
    assert_true(refused > 10 && refused < 390);
    assert_ok(mujoco->load(physics, saved));
    drive_at_random(physics, 1, 20);
    mujoco->destroy(physics);
    free(saved);
    free(damaged);
    free(after);
    cairn_arena_destroy(&memory);
}

// A door is never let loose: what says so would be looked for among the blocks.
static void a_state_with_a_loose_door_is_refused(void **state)
{
    (void)state;
    rig it = {0};
    rig_read(&it, EMPTY "doors: [{name: d, hinge_m: [5, 5], latch_m: [6, 5]}]\n" START(2, 2), 1);
    const size_t bytes = mujoco->state_bytes(it.physics);
    unsigned char *saved = malloc(bytes);
    assert_non_null(saved);
    mujoco->save(it.physics, saved);
    assert_ok(mujoco->load(it.physics, saved));
    const uint64_t wanted = 1; // of the last mover, at the end of the state
    memcpy(saved + bytes - sizeof wanted, &wanted, sizeof wanted);
    assert_int_equal(mujoco->load(it.physics, saved), CAIRN_ERR_CORRUPT);
    free(saved);
    rig_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_finds_what_a_search_of_all_finds),
        cmocka_unit_test(a_robot_stands_on_gravel_as_high_as_it_is),
        cmocka_unit_test(a_field_that_is_a_plane_is_driven_like_a_ramp),
        cmocka_unit_test(ground_is_as_slippery_as_it_says),
        cmocka_unit_test(a_robot_that_drives_over_an_edge_falls),
        cmocka_unit_test(a_robot_stands_on_nine_small_fields),
        cmocka_unit_test(a_robot_on_its_wheels_down_a_hole_has_fallen),
        cmocka_unit_test(a_robot_on_its_back_has_fallen_after_a_second),
        cmocka_unit_test(a_light_block_is_pushed_and_then_lies_still),
        cmocka_unit_test(a_heavy_block_stops_a_robot),
        cmocka_unit_test(a_block_stops_at_a_wall_and_lies_on_a_platform),
        cmocka_unit_test(a_pushed_block_slides_as_far_as_friction_says),
        cmocka_unit_test(a_stack_comes_down_when_its_foot_is_pushed_away),
        cmocka_unit_test(a_figure_that_steps_in_the_way_is_touched),
        cmocka_unit_test(each_of_50_robots_meets_its_neighbour),
        cmocka_unit_test(a_loaded_state_goes_on_with_the_same_bytes),
        cmocka_unit_test(a_state_that_does_not_fit_is_refused_and_changes_nothing),
        cmocka_unit_test(a_state_with_a_loose_door_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
