// test_tracks.c - what a robot on tracks with flippers can and cannot do under the MuJoCo physics; limits by bisection.
#include "base/random.h"
#include "body/description_io.h"
#include "physics_rig.h"
#include <stdlib.h>
#include <string.h>

#define NEGOTIATOR CAIRN_SOURCE_ROOT "/robots/negotiator.yaml"
#define DEG (CAIRN_PI / 180)
#define SOLIDS_MAX 32
#define EDGE_X_M 3.0 // where the obstacle begins
#define WAY_Y_M 5.0
#define FOLDED_RAD (150 * DEG)

static const cairn_physics_kind *const mujoco = &cairn_physics_mujoco;

// A place of ground solids, made by hand.
typedef struct course {
    rig it;
    cairn_solid solids[SOLIDS_MAX];
} course;

// A box of ground between two corners.
static void add_ground(course *at, cairn_vec3 low, cairn_vec3 high)
{
    const cairn_vec3 middle = cairn_vec3_scale(cairn_vec3_add(low, high), 0.5);
    CAIRN_ASSERT(at->it.place.solid_count < SOLIDS_MAX);
    at->solids[at->it.place.solid_count] = (cairn_solid){.kind = CAIRN_SOLID_GROUND,
                                                         .owner = at->it.place.solid_count,
                                                         .map_T_box = {middle, {.w = 1}},
                                                         .half_m = cairn_vec3_scale(cairn_vec3_sub(high, low), 0.5)};
    at->it.place.solid_count++;
}

static void add_step(course *at, double from_x_m, double to_x_m, double top_m)
{
    add_ground(at, (cairn_vec3){from_x_m, 2, -0.5}, (cairn_vec3){to_x_m, 8, top_m});
}

// Ground that rises from EDGE_X_M on.
static void add_slope(course *at, double angle_rad)
{
    const cairn_rpy tilt = {.pitch_rad = -angle_rad};
    const cairn_vec3 half = {6, 3, 0.5};
    const cairn_quat turn = cairn_quat_from_rpy(tilt);
    const cairn_vec3 to_foot = cairn_quat_rotate(turn, (cairn_vec3){-half.x, 0, half.z});
    at->solids[at->it.place.solid_count++] =
        (cairn_solid){.kind = CAIRN_SOLID_GROUND,
                      .map_T_box = {cairn_vec3_sub((cairn_vec3){EDGE_X_M, WAY_Y_M, 0}, to_foot), turn},
                      .half_m = half};
}

static void add_stairs(course *at, int steps, double rise_m, double run_m)
{
    for (int i = 0; i < steps; i++) {
        add_step(at, EDGE_X_M + i * run_m, i + 1 < steps ? EDGE_X_M + (i + 1) * run_m : 40, (i + 1) * rise_m);
    }
}

static void read_robot(const char *path, cairn_body_description *ret_robot)
{
    static cairn_complaints complaints;
    if (cairn_body_description_read(path, &complaints, ret_robot) != CAIRN_OK) { fail_msg("%s", complaints.text); }
}

static void start(course *at, double x_m)
{
    static cairn_complaints complaints;
    rig *it = &at->it;
    it->place.size_m = (cairn_vec2){40, 10};
    it->place.solids = at->solids;
    it->kind = mujoco;
    it->robot_count = 1;
    const cairn_body_description *robots[1] = {&it->robot};
    const cairn_pose2 starts[1] = {{x_m, WAY_Y_M, 0}};
    const cairn_physics_def def = {
        .arena = &it->place, .robot_count = 1, .robots = robots, .starts = starts, .seed = 1};
    assert_ok(mujoco->create(&def, &complaints, &it->physics));
    it->targets[0].flipper_rad = NAN;
}

static double pitch_up_rad(const cairn_robot_truth *truth)
{
    return -cairn_quat_to_rpy(truth->map_T_base.turn).pitch_rad;
}
// What a driver does with the flippers, from how the robot stands.
typedef double (*flipper_program)(const cairn_robot_truth *truth);

static double keep_folded(const cairn_robot_truth *truth)
{
    (void)truth;
    return FOLDED_RAD;
}

static double reach_ahead(const cairn_robot_truth *truth)
{
    (void)truth;
    return 0;
}

// Tips up to get hold of an edge, then down as the robot rises, so that they lie on what it climbs.
static double climb(const cairn_robot_truth *truth)
{
    const double up_rad = pitch_up_rad(truth);
    if (up_rad < 8 * DEG) { return 35 * DEG; }
    return up_rad < 20 * DEG ? 10 * DEG : 0;
}

// Whether it gets so far within the time, upright. Ends the course.
static bool gets_to(course *at, double x_m, double for_s, flipper_program flippers)
{
    bool there = false, well = true;
    at->it.targets[0].flipper_rad = FOLDED_RAD;
    run(&at->it, 0.5);
    want(&at->it, 0, 0.3, 0);
    for (int i = 0; i < 50 * for_s && well && !there; i++) {
        const cairn_robot_truth truth = truth_of(&at->it, 0);
        at->it.targets[0].flipper_rad = flippers(&truth);
        run(&at->it, 0.02);
        there = truth.map_T_base.at_m.x > x_m;
        well = fabs(pitch_up_rad(&truth)) < 70 * DEG && truth.map_T_base.at_m.z > -0.3;
    }
    rig_end(&at->it);
    return well && there;
}

static bool climbs_kerb(double height_m, flipper_program flippers)
{
    course at = {0};
    read_robot(NEGOTIATOR, &at.it.robot);
    add_step(&at, EDGE_X_M, 40, height_m);
    start(&at, 1);
    return gets_to(&at, EDGE_X_M + 1, 15, flippers);
}

static bool climbs_slope(double angle_deg, flipper_program flippers)
{
    course at = {0};
    read_robot(NEGOTIATOR, &at.it.robot);
    add_slope(&at, angle_deg * DEG);
    start(&at, 1);
    return gets_to(&at, EDGE_X_M + 2, 20, flippers);
}

static bool crosses_gap(double width_m, flipper_program flippers)
{
    course at = {.it.place.has_holes = true};
    read_robot(NEGOTIATOR, &at.it.robot);
    add_step(&at, 0, EDGE_X_M, 0);
    add_step(&at, EDGE_X_M + width_m, 40, 0);
    start(&at, 1);
    return gets_to(&at, EDGE_X_M + 1.5, 18, flippers);
}

static bool climbs_stairs(double rise_m, flipper_program flippers)
{
    course at = {0};
    read_robot(NEGOTIATOR, &at.it.robot);
    add_stairs(&at, 6, rise_m, 0.28);
    start(&at, 1);
    return gets_to(&at, EDGE_X_M + 6 * 0.28 + 0.5, 30, flippers);
}

// The hardest that is still managed. It must manage the first and fail at the second, or this is no limit.
static double limit_of(bool (*manages)(double hardness, flipper_program flippers), flipper_program flippers,
                       double managed, double failed, double within)
{
    assert_true(manages(managed, flippers));
    assert_false(manages(failed, flippers));
    while (failed - managed > within) {
        const double between = 0.5 * (managed + failed);
        if (manages(between, flippers)) {
            managed = between;
        } else {
            failed = between;
        }
    }
    return managed;
}

// ---- on the flat

static void belts_run_as_fast_as_the_ground_passes(void **state)
{
    (void)state;
    course at = {0};
    read_robot(NEGOTIATOR, &at.it.robot);
    start(&at, 1);
    want(&at.it, 0, 0.4, 0);
    run(&at.it, 3);
    const cairn_robot_truth before = truth_of(&at.it, 0);
    run(&at.it, 5);
    const cairn_robot_truth after = truth_of(&at.it, 0);
    const double way_m = after.map_T_base.at_m.x - before.map_T_base.at_m.x;
    const double belt_m = (after.wheel_rad[0] - before.wheel_rad[0]) * at.it.robot.wheels.radius_m;
    assert_near(way_m, 2, 0.02);
    assert_near(belt_m, way_m, 0.01 * way_m);
    assert_true(after.wheel_rad[0] == after.wheel_rad[2] && after.wheel_rad[1] == after.wheel_rad[3]);
    assert_near(after.map_T_base.at_m.z, 0, 1e-3);
    assert_near(after.map_T_base.at_m.y, WAY_Y_M, 0.01);
    rig_end(&at.it);
}

// Belts slide when they turn: the robot file says how much is left, and planar goes by that.
static void a_turn_is_what_the_robot_file_says_of_that_of_ideal_belts(void **state)
{
    (void)state;
    const double turns_radps[] = {0.5, -1.5, 3};
    for (int i = 0; i < 3; i++) {
        course at = {0};
        read_robot(NEGOTIATOR, &at.it.robot);
        start(&at, 5);
        want(&at.it, 0, 0, turns_radps[i]);
        run(&at.it, 2);
        double turned_rad = 0, ideal_rad = 0;
        for (int step = 0; step < 6 * STEPS_PER_S; step++) {
            run_step(&at.it);
            const cairn_robot_truth truth = truth_of(&at.it, 0);
            turned_rad += truth.turn_radps.z / STEPS_PER_S;
            ideal_rad += (truth.wheel_radps[1] - truth.wheel_radps[0]) * at.it.robot.wheels.radius_m /
                         at.it.robot.wheels.track_m / STEPS_PER_S;
        }
        print_message("turn %.3f of that of ideal belts at %.1f rad/s\n", turned_rad / ideal_rad, turns_radps[i]);
        assert_near(turned_rad / ideal_rad, at.it.robot.wheels.turn_efficiency,
                    0.05 * at.it.robot.wheels.turn_efficiency);
        rig_end(&at.it);
    }
}

static void motors_slip_no_more_than_their_torque_lets_them(void **state)
{
    (void)state;
    course at = {0};
    read_robot(NEGOTIATOR, &at.it.robot);
    start(&at, 5);
    // 2 Nm a side: 44 N on 25 kg and on the belts' own inertia, as long as the motors give all of it.
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { at.it.targets[0].torque_nm[i] = 1; }
    for (int i = 0; i < STEPS_PER_S / 4; i++) { mujoco->step(at.it.physics, at.it.targets); }
    const cairn_wheels_description *wheels = &at.it.robot.wheels;
    const double belts_kg = CAIRN_WHEELS_MAX * wheels->rotor_inertia_kgm2 / (wheels->radius_m * wheels->radius_m);
    const double speed_mps = 0.25 * 4 / wheels->radius_m / (at.it.robot.mass_kg + belts_kg);
    assert_near(truth_of(&at.it, 0).velocity_mps.x, speed_mps, 0.05 * speed_mps);
    rig_end(&at.it);
}

// ---- limits

#define KERB_M_MAX 0.215 // what it measured, less a little: a worse robot fails here
#define SLOPE_DEG_MAX 41.5
#define GAP_M_MAX 0.33

static void the_steepest_ramp_is_that_of_friction(void **state)
{
    (void)state;
    const double with_deg = limit_of(climbs_slope, reach_ahead, 15, 45, 0.5);
    const double without_deg = limit_of(climbs_slope, keep_folded, 15, 45, 0.5);
    print_message("steepest ramp %.1f degrees, without flippers %.1f\n", with_deg, without_deg);
    assert_true(with_deg > SLOPE_DEG_MAX);
    cairn_body_description robot;
    read_robot(NEGOTIATOR, &robot);
    assert_true(robot.limits.climb_rad_max < without_deg * DEG);
}

static void flippers_take_it_up_kerbs_that_it_cannot_climb_without(void **state)
{
    (void)state;
    const double with_m = limit_of(climbs_kerb, reach_ahead, 0.1, 0.4, 0.005);
    const double without_m = limit_of(climbs_kerb, keep_folded, 0.05, 0.3, 0.005);
    print_message("highest kerb %.3f m, without flippers %.3f m\n", with_m, without_m);
    assert_true(with_m > KERB_M_MAX && without_m > 0.08 && without_m < 0.15);
    assert_true(climbs_kerb(0.2, climb));
    cairn_body_description robot;
    read_robot(NEGOTIATOR, &robot);
    assert_true(robot.limits.step_m_max <= with_m);
}

static void the_widest_gap_is_about_half_of_its_length(void **state)
{
    (void)state;
    const double without_m = limit_of(crosses_gap, keep_folded, 0.1, 0.8, 0.01);
    const double with_m = limit_of(crosses_gap, reach_ahead, 0.1, 0.8, 0.01);
    print_message("widest gap %.2f m, with flippers ahead %.2f m\n", without_m, with_m);
    assert_true(without_m > GAP_M_MAX && with_m > without_m);
    cairn_body_description robot;
    read_robot(NEGOTIATOR, &robot);
    assert_true(robot.limits.gap_m_max <= without_m);
}

static void stairs_are_climbed_with_flippers_only(void **state)
{
    (void)state;
    assert_true(climbs_stairs(0.18, climb));
    assert_false(climbs_stairs(0.18, keep_folded));
    assert_false(climbs_stairs(0.35, climb));
}

// ---- flippers

// A servo that is asked to lift the robot's front must be able to, at its own speed and no faster.
static void flippers_lift_the_front_at_their_speed(void **state)
{
    (void)state;
    course at = {0};
    read_robot(NEGOTIATOR, &at.it.robot);
    start(&at, 5);
    at.it.targets[0].flipper_rad = 0;
    run(&at.it, 4);
    const cairn_robot_truth level = truth_of(&at.it, 0);
    assert_near(pitch_up_rad(&level), 0, 0.5 * DEG);
    at.it.targets[0].flipper_rad = -60 * DEG;
    run(&at.it, 2);
    const cairn_robot_truth lifted = truth_of(&at.it, 0);
    assert_true(pitch_up_rad(&lifted) > 10 * DEG);
    at.it.targets[0].flipper_rad = NAN; // stay
    run(&at.it, 5);
    const cairn_robot_truth later = truth_of(&at.it, 0);
    assert_near(pitch_up_rad(&later), pitch_up_rad(&lifted), 1 * DEG);
    rig_end(&at.it);
}

// ---- soundness

static double energy_j(const course *at)
{
    const cairn_robot_truth truth = truth_of(&at->it, 0);
    const cairn_body_description *robot = &at->it.robot;
    const cairn_vec3 centre = cairn_pose3_apply(truth.map_T_base, robot->mass_centre_m);
    const double speed_mps = cairn_vec3_length(truth.velocity_mps);
    return robot->mass_kg * (0.5 * speed_mps * speed_mps + GRAVITY_MPS2 * centre.z);
}

// Random torques and flippers among kerbs. It never gets faster or higher than its motors can make it, and when they
// are off it comes to rest.
static void no_energy_comes_from_nowhere(void **state)
{
    (void)state;
    const uint64_t seed = 5;
    print_message("seed %u\n", (unsigned)seed);
    cairn_random random;
    cairn_random_init(&random, seed, "tests/tracks");
    course at = {0};
    read_robot(NEGOTIATOR, &at.it.robot);
    for (int i = 0; i < 6; i++) { add_step(&at, 1 + 6 * i, 3 + 6 * i, 0.05 * (i + 1)); }
    start(&at, 4.5);
    const double fastest_mps = at.it.robot.wheels.speed_radps_max * at.it.robot.wheels.radius_m;
    for (int stretch = 0; stretch < 60; stretch++) {
        const bool off = stretch % 10 == 9;
        const double energy_before_j = energy_j(&at);
        for (int i = 0; i < CAIRN_WHEELS_MAX; i++) {
            at.it.targets[0].torque_nm[i] = off ? 0 : -12 + 24 * cairn_random_uniform(&random);
        }
        at.it.targets[0].flipper_rad = off ? NAN : (-75 + 255 * cairn_random_uniform(&random)) * DEG;
        for (int i = 0; i < STEPS_PER_S; i++) {
            mujoco->step(at.it.physics, at.it.targets);
            const cairn_robot_truth truth = truth_of(&at.it, 0);
            assert_true(cairn_vec3_length(truth.velocity_mps) < 3 * fastest_mps); // it may fall
            assert_true(truth.map_T_base.at_m.z < 1 && truth.map_T_base.at_m.z > -0.05);
            // A turning robot that is caught by a kerb spins one belt up.
            assert_true(fabs(truth.wheel_radps[0]) < 1.5 * at.it.robot.wheels.speed_radps_max);
        }
        // The flippers' servos may still finish their way.
        if (off) { assert_true(energy_j(&at) < energy_before_j + 10); }
    }
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { at.it.targets[0].torque_nm[i] = 0; }
    at.it.targets[0].flipper_rad = NAN;
    for (int i = 0; i < 10 * STEPS_PER_S; i++) { mujoco->step(at.it.physics, at.it.targets); }
    assert_true(cairn_vec3_length(truth_of(&at.it, 0).velocity_mps) < 0.05);
    rig_end(&at.it);
}

// Wheels and tracks in one model: each drives as it does alone.
static void robots_of_both_kinds_drive_side_by_side(void **state)
{
    (void)state;
    static cairn_complaints complaints;
    rig it = {.place = {.size_m = {10, 10}}, .kind = mujoco, .robot_count = 2};
    read_robot(NEGOTIATOR, &it.robot);
    const cairn_body_description wheeled = emu();
    const cairn_body_description *robots[2] = {&wheeled, &it.robot};
    const cairn_pose2 starts[2] = {{2, 3, 0}, {2, 6, 0}};
    const cairn_physics_def def = {.arena = &it.place, .robot_count = 2, .robots = robots, .starts = starts, .seed = 1};
    assert_ok(mujoco->create(&def, &complaints, &it.physics));
    it.targets[1].flipper_rad = NAN;
    want(&it, 1, 0.3, 0);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { it.wanted_radps[0][i] = 0.3 / wheeled.wheels.radius_m; }
    run(&it, 10);
    for (uint32_t robot = 0; robot < 2; robot++) {
        const cairn_robot_truth truth = truth_of(&it, robot);
        assert_near(truth.velocity_mps.x, 0.3, 0.003);
        assert_near(truth.map_T_base.at_m.y, starts[robot].y_m, 0.01);
        assert_near(truth.map_T_base.at_m.z, 0, 1e-3);
    }
    mujoco->destroy(it.physics);
}

static void a_tracked_robot_goes_on_from_a_saved_state(void **state)
{
    (void)state;
    course at = {0};
    read_robot(NEGOTIATOR, &at.it.robot);
    add_step(&at, EDGE_X_M, 40, 0.15);
    start(&at, 2.3);
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { at.it.targets[0].torque_nm[i] = 1.5; }
    at.it.targets[0].flipper_rad = 35 * DEG;
    for (int i = 0; i < 300; i++) { mujoco->step(at.it.physics, at.it.targets); } // flippers on their way, at the kerb
    void *saved = malloc(mujoco->state_bytes(at.it.physics));
    assert_non_null(saved);
    mujoco->save(at.it.physics, saved);
    for (int i = 0; i < 300; i++) { mujoco->step(at.it.physics, at.it.targets); }
    const cairn_robot_truth first = truth_of(&at.it, 0);
    assert_ok(mujoco->load(at.it.physics, saved));
    for (int i = 0; i < 300; i++) { mujoco->step(at.it.physics, at.it.targets); }
    const cairn_robot_truth again = truth_of(&at.it, 0);
    assert_memory_equal(&first.map_T_base, &again.map_T_base, sizeof first.map_T_base);
    assert_memory_equal(first.wheel_rad, again.wheel_rad, sizeof first.wheel_rad);
    free(saved);
    rig_end(&at.it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(belts_run_as_fast_as_the_ground_passes),
        cmocka_unit_test(a_turn_is_what_the_robot_file_says_of_that_of_ideal_belts),
        cmocka_unit_test(motors_slip_no_more_than_their_torque_lets_them),
        cmocka_unit_test(the_steepest_ramp_is_that_of_friction),
        cmocka_unit_test(flippers_take_it_up_kerbs_that_it_cannot_climb_without),
        cmocka_unit_test(the_widest_gap_is_about_half_of_its_length),
        cmocka_unit_test(stairs_are_climbed_with_flippers_only),
        cmocka_unit_test(flippers_lift_the_front_at_their_speed),
        cmocka_unit_test(no_energy_comes_from_nowhere),
        cmocka_unit_test(robots_of_both_kinds_drive_side_by_side),
        cmocka_unit_test(a_tracked_robot_goes_on_from_a_saved_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
