// test_mujoco.c - facts of mechanics that the MuJoCo physics must reproduce.
#include "physics_rig.h"
#include "sim/arena/ground.h"
#include "sim/physics/mujoco/mujoco_private.h"
#include <math.h>
#include <string.h>

static const cairn_physics_kind *const mujoco = &cairn_physics_mujoco;

static void rig_start(rig *it, uint32_t robot_count, const cairn_pose2 *starts)
{
    static cairn_complaints complaints;
    it->kind = mujoco;
    it->robot = emu();
    it->robot_count = robot_count;
    const cairn_body_description *robots[ROBOTS_MAX] = {&it->robot, &it->robot, &it->robot};
    const cairn_physics_def def = {
        .arena = &it->place, .robot_count = robot_count, .robots = robots, .starts = starts, .seed = 1};
    assert_ok(mujoco->create(&def, &complaints, &it->physics));
}

// With the solids of all that was put into the place.
static void rig_start_with_solids(rig *it, uint32_t robot_count, const cairn_pose2 *starts)
{
    assert_ok(cairn_arena_create(&it->memory, 1 << 20));
    assert_ok(cairn_sim_arena_make_solids(&it->place, &it->memory));
    rig_start(it, robot_count, starts);
}

static double apart_m(cairn_robot_truth a, cairn_robot_truth b)
{
    return cairn_vec3_length(cairn_vec3_sub(a.map_T_base.at_m, b.map_T_base.at_m));
}

// Puts a robot into the air.
static void lift(rig *it, double height_m) { it->physics->data->qpos[2] = height_m; }

static void a_robot_falls_as_gravity_says(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 1, &(cairn_pose2){5, 5, 0.3});
    lift(&it, 4);

    const double fall_s = 0.8; // a step of 4 ms makes it fall 0.5 % too far in that time
    run(&it, fall_s);
    const cairn_robot_truth truth = truth_of(&it, 0);
    const double fallen_m = 0.5 * GRAVITY_MPS2 * fall_s * fall_s;
    assert_near(4 - truth.map_T_base.at_m.z, fallen_m, 0.01 * fallen_m);
    assert_near(truth.velocity_mps.z, -GRAVITY_MPS2 * fall_s, 1e-6);
    assert_near(cairn_vec3_length(truth.accel_mps2), 0, 1e-6);
    rig_end(&it);
}

// Everything that senses relies on where the base is: on the floor, not in it.
static void a_robot_at_rest_stands_on_the_floor_and_feels_gravity(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 1, &(cairn_pose2){5, 5, 0.3});
    run(&it, 2);
    const cairn_robot_truth truth = truth_of(&it, 0);
    assert_near(truth.map_T_base.at_m.z, 0, 1e-4);
    assert_near(cairn_pose3_to_pose2(truth.map_T_base).yaw_rad, 0.3, 1e-4);
    assert_near(truth.accel_mps2.x, 0, 1e-3);
    assert_near(truth.accel_mps2.y, 0, 1e-3);
    assert_near(truth.accel_mps2.z, GRAVITY_MPS2, 1e-3);
    assert_false(truth.bump_front || truth.bump_rear || truth.bump_left || truth.bump_right);
    rig_end(&it);
}

// How far a robot whose wheels are held slips in a second on a slope, after its wheel loops have taken hold.
static double slip_m(double angle_deg)
{
    cairn_sim_ramp slope = ridge((cairn_vec2){20, 5}, 36, 0, angle_deg);
    rig it = {.place = {.size_m = {40, 10}, .ramp_count = 1, .ramps = &slope}};
    rig_start_with_solids(&it, 1, &(cairn_pose2){18, 5, 0});
    run(&it, 4);
    const cairn_robot_truth before = truth_of(&it, 0);
    run(&it, 1);
    const double slipped_m = apart_m(before, truth_of(&it, 0));
    rig_end(&it);
    return slipped_m;
}

static void held_wheels_slip_above_the_friction_angle_and_not_below(void **state)
{
    (void)state;
    const double friction_deg = atan(CAIRN_GROUND_FRICTION) * 180 / CAIRN_PI;
    assert_true(slip_m(friction_deg - 4) < 0.001);
    assert_true(slip_m(friction_deg + 4) > 0.5);
}

static void a_ramp_of_15_degrees_is_climbed(void **state)
{
    (void)state;
    cairn_sim_ramp ramp = ridge((cairn_vec2){5, 5}, 4, 0.5, 15);
    rig it = {.place = {.size_m = {10, 10}, .ramp_count = 1, .ramps = &ramp}};
    rig_start_with_solids(&it, 1, &(cairn_pose2){1.5, 5, 0});
    want(&it, 0, 0.4, 0);
    double top_m = 0, pitch_rad = 0;
    for (int i = 0; i < 18 * STEPS_PER_S; i++) {
        run_step(&it);
        const cairn_robot_truth truth = truth_of(&it, 0);
        const cairn_vec3 at = truth.map_T_base.at_m;
        assert_near(at.z, cairn_sim_ground_m(&it.place, (cairn_vec2){at.x, at.y}, INFINITY), 0.05);
        top_m = fmax(top_m, at.z);
        pitch_rad = fmin(pitch_rad, cairn_quat_to_rpy(truth.map_T_base.turn).pitch_rad);
    }
    const cairn_robot_truth truth = truth_of(&it, 0);
    assert_near(top_m, 1.75 * tan(15 * CAIRN_PI / 180), 0.01);
    assert_near(pitch_rad, -15 * CAIRN_PI / 180, 0.03); // nose up
    assert_true(truth.map_T_base.at_m.x > 8);
    assert_near(truth.map_T_base.at_m.y, 5, 0.05);
    assert_int_equal(mujoco->collisions(it.physics, 0).count, 0);
    rig_end(&it);
}

static void a_parked_robot_stays_on_a_ramp(void **state)
{
    (void)state;
    const double headings_rad[] = {0, 0.7, CAIRN_PI / 2};
    for (int i = 0; i < 3; i++) {
        cairn_sim_ramp ramp = ridge((cairn_vec2){5, 5}, 6, 0, 15);
        rig it = {.place = {.size_m = {10, 10}, .ramp_count = 1, .ramps = &ramp}};
        rig_start_with_solids(&it, 1, &(cairn_pose2){3.6, 5, headings_rad[i]});
        run(&it, 2);
        const cairn_robot_truth before = truth_of(&it, 0);
        run(&it, 60);
        assert_true(apart_m(before, truth_of(&it, 0)) < 0.0001);
        rig_end(&it);
    }
}

static void straight_driving_reaches_the_speed_of_the_rims(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 1, &(cairn_pose2){1, 5, 0});
    want(&it, 0, 0.5, 0);
    run(&it, 0.1);
    assert_true(truth_of(&it, 0).accel_mps2.x > 0.5);
    run(&it, 2.9);
    const cairn_robot_truth before = truth_of(&it, 0);
    assert_near(before.velocity_mps.x, 0.5, 0.005);
    assert_near(before.wheel_radps[0], 0.5 / it.robot.wheels.radius_m, 0.02);
    run(&it, 4);
    const cairn_robot_truth after = truth_of(&it, 0);
    assert_near(after.map_T_base.at_m.x - before.map_T_base.at_m.x, 2, 0.01);
    assert_near((after.wheel_rad[3] - before.wheel_rad[3]) * it.robot.wheels.radius_m, 2, 0.01);
    assert_near(after.map_T_base.at_m.y, 5, 0.01);
    rig_end(&it);
}

// Four contacts at (+-a, +-b) whose friction is Coulomb's balance at b^2 / (a^2 + b^2) of the turn that ideal wheels
// would make; planners and odometry rely on this ratio.
static void skid_steering_turns_as_coulomb_friction_says(void **state)
{
    (void)state;
    const double turns_radps[] = {0.3, -1, 1.8};
    for (int i = 0; i < 3; i++) {
        rig it = {.place = {.size_m = {10, 10}}};
        rig_start(&it, 1, &(cairn_pose2){5, 5, 0});
        want(&it, 0, 0, turns_radps[i]);
        run(&it, 2);
        double turn_radps = 0;
        const int steps = 4 * STEPS_PER_S;
        for (int k = 0; k < steps; k++) {
            run_step(&it);
            turn_radps += truth_of(&it, 0).turn_radps.z / steps;
        }
        const double a = 0.5 * it.robot.wheels.wheelbase_m, b = 0.5 * it.robot.wheels.track_m;
        print_message("turn %.3f of that of ideal wheels at %.1f rad/s\n", turn_radps / turns_radps[i], turns_radps[i]);
        assert_near(turn_radps / turns_radps[i], b * b / (a * a + b * b), 0.02);
        rig_end(&it);
    }
}

static void a_wheel_in_the_air_turns_at_its_highest_speed_at_most(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 1, &(cairn_pose2){5, 5, 0});
    lift(&it, 4);
    cairn_motor_target full = {.command = CAIRN_DRIVE_TORQUE, .torque_nm = {100, 100, -100, -100}};
    for (int i = 0; i < STEPS_PER_S / 2; i++) { mujoco->step(it.physics, &full); }
    const cairn_robot_truth truth = truth_of(&it, 0);
    assert_near(truth.wheel_radps[0], it.robot.wheels.speed_radps_max, 0.1 * it.robot.wheels.speed_radps_max);
    assert_near(truth.wheel_radps[3], -it.robot.wheels.speed_radps_max, 0.1 * it.robot.wheels.speed_radps_max);
    rig_end(&it);
}

// The score of a mission rests on this figure. The wall is out of sight of the robot's boxes at the start.
static void driving_into_a_wall_is_one_collision_at_the_speed_of_driving(void **state)
{
    (void)state;
    cairn_sim_wall wall = {.from_m = {4, 0}, .to_m = {4, 10}, .thickness_m = 0.1, .height_m = 2};
    rig it = {.place = {.size_m = {10, 10}, .wall_count = 1, .walls = &wall}};
    rig_start_with_solids(&it, 1, &(cairn_pose2){2, 5, 0});
    want(&it, 0, 0.3, 0);
    run(&it, 5);
    assert_int_equal(mujoco->collisions(it.physics, 0).count, 0);
    run(&it, 2); // is pushing against it for some of this
    cairn_collisions collisions = mujoco->collisions(it.physics, 0);
    assert_int_equal(collisions.count, 1);
    assert_near(collisions.speed_mps_max, 0.3, 0.15 * 0.3);
    const cairn_robot_truth truth = truth_of(&it, 0);
    assert_true(truth.bump_front && !truth.bump_rear && !truth.bump_left && !truth.bump_right);
    assert_near(truth.map_T_base.at_m.x, 4 - 0.05 - 0.5 * it.robot.length_m, 0.02);

    memset(it.integral_rad, 0, sizeof it.integral_rad);
    want(&it, 0, -0.2, 0);
    run(&it, 2);
    assert_false(truth_of(&it, 0).bump_front);
    want(&it, 0, 0.2, 0);
    run(&it, 4);
    collisions = mujoco->collisions(it.physics, 0);
    assert_int_equal(collisions.count, 2);
    assert_near(collisions.speed_mps_max, 0.3, 0.15 * 0.3);
    rig_end(&it);
}

static void backing_into_a_box_bumps_the_rear(void **state)
{
    (void)state;
    cairn_sim_box box = {.map_T_box = {3, 5, 0.4}, .size_m = {0.5, 0.5, 0.5}};
    rig it = {.place = {.size_m = {10, 10}, .box_count = 1, .boxes = &box}};
    rig_start_with_solids(&it, 1, &(cairn_pose2){4.5, 5, 0});
    want(&it, 0, -0.3, 0);
    bool bumped = false;
    for (int i = 0; i < 4 * STEPS_PER_S && !bumped; i++) {
        run_step(&it);
        const cairn_robot_truth truth = truth_of(&it, 0);
        bumped = truth.bump_rear;
        assert_false(truth.bump_front);
    }
    assert_true(bumped);
    run_step(&it);
    assert_true(truth_of(&it, 0).bump_rear); // for 8 ms at least
    rig_end(&it);
}

static void two_robots_that_meet_both_count_it_at_their_closing_speed(void **state)
{
    (void)state;
    const cairn_pose2 starts[] = {{3, 5, 0}, {5, 5, CAIRN_PI}, {5, 8, 0}};
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 3, starts);
    want(&it, 0, 0.25, 0);
    want(&it, 1, 0.15, 0);
    run(&it, 5);
    for (uint32_t robot = 0; robot < 2; robot++) {
        const cairn_collisions collisions = mujoco->collisions(it.physics, robot);
        assert_int_equal(collisions.count, 1);
        assert_near(collisions.speed_mps_max, 0.4, 0.15 * 0.4);
        assert_true(truth_of(&it, robot).bump_front);
    }
    assert_int_equal(mujoco->collisions(it.physics, 2).count, 0);
    rig_end(&it);
}

// Two robots among boxes, driven in circles until they bump into things; all that is true of them, step by step.
static void record_run(cairn_robot_truth (*ret_truths)[2], int steps)
{
    cairn_sim_box boxes[12];
    for (int i = 0; i < 12; i++) {
        boxes[i] =
            (cairn_sim_box){.map_T_box = {1.5 + i % 4, 1.5 + (i - i % 4) * 0.25, 0.3 * i}, .size_m = {0.3, 0.3, 0.4}};
    }
    cairn_sim_ramp ramp = ridge((cairn_vec2){2, 5}, 2, 0, 15);
    rig it = {.place = {.size_m = {6, 6}, .box_count = 12, .boxes = boxes, .ramp_count = 1, .ramps = &ramp}};
    rig_start_with_solids(&it, 2, (cairn_pose2[]){{2, 2, 0.5}, {0.5, 5, 0}});
    memset(ret_truths, 0, (size_t)steps * sizeof *ret_truths);
    for (int i = 0; i < steps; i++) {
        want(&it, 0, 0.4, i / 500 % 2 ? 1.5 : -1);
        want(&it, 1, 0.4, i / 700 % 2 ? 1 : 0);
        run_step(&it);
        for (uint32_t robot = 0; robot < 2; robot++) { mujoco->truth(it.physics, robot, &ret_truths[i][robot]); }
    }
    assert_true(mujoco->collisions(it.physics, 0).count > 0);
    rig_end(&it);
}

static void two_runs_agree_to_the_bit(void **state)
{
    (void)state;
    enum { STEPS = 3000 };
    static cairn_robot_truth first[STEPS][2], second[STEPS][2];
    record_run(first, STEPS);
    record_run(second, STEPS);
    for (int i = 0; i < STEPS; i++) { assert_memory_equal(first[i], second[i], sizeof first[i]); }
}

static void a_robot_that_takes_no_torques_is_refused(void **state)
{
    (void)state;
    static cairn_complaints complaints;
    cairn_body_description robot = emu();
    robot.drive = CAIRN_DRIVE_VELOCITY;
    const cairn_body_description *robots[] = {&robot};
    const cairn_sim_arena place = {.size_m = {10, 10}};
    const cairn_pose2 start = {5, 5, 0};
    const cairn_physics_def def = {.arena = &place, .robot_count = 1, .robots = robots, .starts = &start};
    cairn_physics *physics = NULL;
    assert_int_equal(mujoco->create(&def, &complaints, &physics), CAIRN_ERR_UNSUPPORTED);
    assert_int_equal(complaints.count, 1);
    assert_null(physics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_falls_as_gravity_says),
        cmocka_unit_test(a_robot_at_rest_stands_on_the_floor_and_feels_gravity),
        cmocka_unit_test(held_wheels_slip_above_the_friction_angle_and_not_below),
        cmocka_unit_test(a_ramp_of_15_degrees_is_climbed),
        cmocka_unit_test(a_parked_robot_stays_on_a_ramp),
        cmocka_unit_test(straight_driving_reaches_the_speed_of_the_rims),
        cmocka_unit_test(skid_steering_turns_as_coulomb_friction_says),
        cmocka_unit_test(a_wheel_in_the_air_turns_at_its_highest_speed_at_most),
        cmocka_unit_test(driving_into_a_wall_is_one_collision_at_the_speed_of_driving),
        cmocka_unit_test(backing_into_a_box_bumps_the_rear),
        cmocka_unit_test(two_robots_that_meet_both_count_it_at_their_closing_speed),
        cmocka_unit_test(two_runs_agree_to_the_bit),
        cmocka_unit_test(a_robot_that_takes_no_torques_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
