// test_planar.c - facts of mechanics that the planar physics must reproduce.
#include "base/random.h"
#include "geometry/rays.h"
#include "physics_rig.h"
#include "sim/physics/planar/planar_contacts.h"
#include <math.h>
#include <string.h>

#define DEGREE (CAIRN_PI / 180)

static const cairn_physics_kind *const planar = &cairn_physics_planar;

static void rig_start(rig *it, uint32_t robot_count, const cairn_pose2 *starts)
{
    static cairn_complaints complaints;
    assert_ok(cairn_arena_create(&it->memory, 1 << 20));
    assert_ok(cairn_sim_arena_make_solids(&it->place, &it->memory));
    it->kind = planar;
    it->robot = emu();
    it->robot_count = robot_count;
    const cairn_body_description *robots[ROBOTS_MAX] = {&it->robot, &it->robot, &it->robot};
    const cairn_physics_def def = {
        .arena = &it->place, .robot_count = robot_count, .robots = robots, .starts = starts, .seed = it->seed};
    assert_ok(planar->create(&def, &complaints, &it->physics));
}

// No wheel loop: every wheel gets the same torque.
static void push(rig *it, double torque_nm, double for_s)
{
    for (int wheel = 0; wheel < CAIRN_WHEELS_MAX; wheel++) { it->targets[0].torque_nm[wheel] = torque_nm; }
    for (int i = 0; i < (int)lround(for_s * STEPS_PER_S); i++) { planar->step(it->physics, it->targets); }
}

// All of a truth but its bumps, which are followed by unused bytes.
#define TRUTH_BYTES offsetof(cairn_robot_truth, bump_front)

static double moved_m(cairn_robot_truth a, cairn_robot_truth b)
{
    return cairn_vec3_length(cairn_vec3_sub(a.map_T_base.at_m, b.map_T_base.at_m));
}

// ---- rolling

static void a_robot_at_rest_stays_and_feels_gravity(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 1, &(cairn_pose2){5, 5, 0.3});
    const cairn_robot_truth before = truth_of(&it, 0);
    push(&it, 0.0, 60);
    const cairn_robot_truth after = truth_of(&it, 0);
    assert_memory_equal(&before, &after, TRUTH_BYTES);
    assert_near(after.accel_mps2.z, GRAVITY_MPS2, 1e-12);
    rig_end(&it);
}

// The slip wanders with a deviation of 0.03 and 4 s: the mean over 400 s has one of 0.03 * sqrt(2 * 4 / 400).
static void turning_on_the_spot_has_the_stated_efficiency(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}, .seed = 3};
    rig_start(&it, 1, &(cairn_pose2){5, 5, 0});
    want(&it, 0, 0, 1.5);
    run(&it, 2);
    double turned_rad = 0, kinematic_rad = 0;
    for (int i = 0; i < 400 * STEPS_PER_S; i++) {
        run_step(&it);
        const cairn_robot_truth truth = truth_of(&it, 0);
        const double rim_mps = (truth.wheel_radps[1] - truth.wheel_radps[0]) * it.robot.wheels.radius_m;
        turned_rad += truth.turn_radps.z / STEPS_PER_S;
        kinematic_rad += rim_mps / it.robot.wheels.track_m / STEPS_PER_S;
    }
    assert_near(kinematic_rad, 400 * 1.5, 6); // the loop does its work against the skidding
    assert_near(turned_rad / kinematic_rad, it.robot.wheels.turn_efficiency, 4 * 0.6 * 0.03 * sqrt(8.0 / 400));
    rig_end(&it);
}

static void driving_on_loses_one_percent_to_slip(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}, .seed = 4};
    rig_start(&it, 1, &(cairn_pose2){0, 5, 0});
    want(&it, 0, 0.5, 0);
    run(&it, 200);
    const cairn_robot_truth truth = truth_of(&it, 0);
    const double rolled_m = truth.wheel_rad[0] * it.robot.wheels.radius_m;
    assert_near(rolled_m, 100, 0.5);
    assert_near(truth.map_T_base.at_m.x / rolled_m, 0.99, 4 * 0.005 * sqrt(8.0 / 200));
    rig_end(&it);
}

// Grip ends at 0.8 of the weight: 32 N m at the wheels would ask for twice that.
static void wheels_driven_too_hard_slip(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 1, &(cairn_pose2){1, 5, 0});
    push(&it, it.robot.wheels.torque_nm_max, 0.08);
    const cairn_robot_truth truth = truth_of(&it, 0);
    assert_near(truth.velocity_mps.x, 0.8 * GRAVITY_MPS2 * 0.08, 0.01);
    assert_true(truth.wheel_radps[0] * it.robot.wheels.radius_m > 1.3 * truth.velocity_mps.x);
    rig_end(&it);
}

static void what_is_felt_in_a_bend_is_speed_times_turning(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 1, &(cairn_pose2){5, 5, 0});
    want(&it, 0, 0.5, 1.0);
    run(&it, 3);
    double felt_mps2 = 0, expected_mps2 = 0;
    for (int i = 0; i < 500; i++) {
        run_step(&it);
        const cairn_robot_truth truth = truth_of(&it, 0);
        felt_mps2 += truth.accel_mps2.y / 500;
        expected_mps2 += hypot(truth.velocity_mps.x, truth.velocity_mps.y) * truth.turn_radps.z / 500;
    }
    assert_near(felt_mps2, expected_mps2, 0.01 * expected_mps2);
    rig_end(&it);
}

// ---- slopes

static cairn_sim_ramp long_ridge(void) { return ridge((cairn_vec2){5, 5}, 6, 0.5, 15); }

static void a_parked_robot_stays_on_a_ramp(void **state)
{
    (void)state;
    cairn_sim_ramp ramp = long_ridge();
    rig it = {.place = {.size_m = {10, 10}, .ramp_count = 1, .ramps = &ramp}};
    rig_start(&it, 1, &(cairn_pose2){3.5, 5, 0});
    want(&it, 0, 0, 0);
    run(&it, 5);
    const cairn_robot_truth before = truth_of(&it, 0);
    assert_near(before.map_T_base.at_m.x, 3.5, 0.1);
    assert_near(before.accel_mps2.x, GRAVITY_MPS2 * sin(15 * DEGREE), 1e-3);
    assert_near(before.accel_mps2.z, GRAVITY_MPS2 * cos(15 * DEGREE), 1e-3);
    run(&it, 60);
    assert_near(moved_m(before, truth_of(&it, 0)), 0, 1e-4);
    rig_end(&it);
}

// Weight along the slope, less rolling friction, moves the mass and turns the wheels; the gears' drag at the speed
// reached takes up to 5 %.
static void without_torque_a_robot_rolls_down(void **state)
{
    (void)state;
    cairn_sim_ramp ramp = long_ridge();
    rig it = {.place = {.size_m = {10, 10}, .ramp_count = 1, .ramps = &ramp}};
    rig_start(&it, 1, &(cairn_pose2){3.5, 5, 0});
    push(&it, 0, 0.4);
    const cairn_wheels_description *wheels = &it.robot.wheels;
    const double wheels_kg = 4 * wheels->rotor_inertia_kgm2 / (wheels->radius_m * wheels->radius_m);
    const double force_n = it.robot.mass_kg * GRAVITY_MPS2 * (sin(15 * DEGREE) - 0.015 * cos(15 * DEGREE));
    const double speed_mps = 0.4 * force_n / (it.robot.mass_kg + wheels_kg);
    assert_near(cairn_vec3_length(truth_of(&it, 0).velocity_mps), speed_mps, 0.06 * speed_mps);
    assert_true(truth_of(&it, 0).velocity_mps.x < 0);
    rig_end(&it);
}

static void a_ramp_is_climbed_and_left_again(void **state)
{
    (void)state;
    cairn_sim_ramp ramp = long_ridge();
    rig it = {.place = {.size_m = {10, 10}, .ramp_count = 1, .ramps = &ramp}};
    rig_start(&it, 1, &(cairn_pose2){1, 5, 0});
    want(&it, 0, 0.5, 0);
    double highest_m = 0, steepest_rad = 0;
    for (int i = 0; i < 18 * STEPS_PER_S; i++) {
        run_step(&it);
        const cairn_robot_truth truth = truth_of(&it, 0);
        highest_m = fmax(highest_m, truth.map_T_base.at_m.z);
        steepest_rad = fmax(steepest_rad, -cairn_quat_to_rpy(truth.map_T_base.turn).pitch_rad);
    }
    assert_near(highest_m, 2.75 * tan(15 * DEGREE), 1e-6);
    assert_near(steepest_rad, 15 * DEGREE, 1e-6);
    assert_near(truth_of(&it, 0).map_T_base.at_m.z, 0, 1e-9);
    // 9 m of rolling, of which the slopes take more than they lead on.
    const double slopes_m = 5.5 / cos(15 * DEGREE) - 5.5;
    assert_near(truth_of(&it, 0).map_T_base.at_m.x, 1 + 9 * 0.99 - slopes_m, 0.15);
    rig_end(&it);
}

// ---- touching

static void a_wall_stops_a_robot_and_the_speed_is_told(void **state)
{
    (void)state;
    cairn_sim_wall wall = {.from_m = {5, 0}, .to_m = {5, 10}, .thickness_m = 0.1, .height_m = 1};
    rig it = {.place = {.size_m = {10, 10}, .wall_count = 1, .walls = &wall}};
    rig_start(&it, 1, &(cairn_pose2){3, 5, 0});
    want(&it, 0, 0.4, 0);
    run(&it, 3);
    assert_int_equal(planar->collisions(it.physics, 0).count, 0);
    run(&it, 4);
    const cairn_robot_truth truth = truth_of(&it, 0);
    assert_near(truth.map_T_base.at_m.x + 0.5 * it.robot.length_m, 4.95, 2e-3);
    assert_true(truth.bump_front && !truth.bump_rear && !truth.bump_left && !truth.bump_right);
    assert_int_equal(planar->collisions(it.physics, 0).count, 1);
    assert_near(planar->collisions(it.physics, 0).speed_mps_max, 0.4 * 0.99, 0.01);

    // Away for more than half a second, and back a little faster.
    want(&it, 0, -0.4, 0);
    run(&it, 1.5);
    assert_false(truth_of(&it, 0).bump_front);
    want(&it, 0, 0.5, 0);
    run(&it, 4);
    assert_int_equal(planar->collisions(it.physics, 0).count, 2);
    assert_near(planar->collisions(it.physics, 0).speed_mps_max, 0.5 * 0.99, 0.02);
    rig_end(&it);
}

static void a_slanting_touch_tells_the_speed_along_the_normal(void **state)
{
    (void)state;
    cairn_sim_wall wall = {.from_m = {5, 0}, .to_m = {5, 10}, .thickness_m = 0.1, .height_m = 1};
    rig it = {.place = {.size_m = {10, 10}, .wall_count = 1, .walls = &wall}};
    const double yaw_rad = 50 * DEGREE;
    rig_start(&it, 1, &(cairn_pose2){3.5, 5, yaw_rad});
    want(&it, 0, 0.4, 0);
    run(&it, 4.6);
    assert_int_equal(planar->collisions(it.physics, 0).count, 1);
    assert_near(planar->collisions(it.physics, 0).speed_mps_max, 0.4 * 0.99 * cos(yaw_rad), 0.02);
    rig_end(&it);
}

static void each_side_bumps_by_itself(void **state)
{
    (void)state;
    cairn_sim_wall wall = {.from_m = {5, 0}, .to_m = {5, 10}, .thickness_m = 0.1, .height_m = 1};
    rig it = {.place = {.size_m = {10, 10}, .wall_count = 1, .walls = &wall}};
    const double side_m = 4.95 - 0.5 * emu().width_m - 2e-4, end_m = 4.95 - 0.5 * emu().length_m - 2e-4;
    const struct {
        cairn_pose2 start;
        bool front, rear, left, right;
    } cases[] = {{{end_m, 5, 0}, true, false, false, false},
                 {{end_m, 5, CAIRN_PI}, false, true, false, false},
                 {{side_m, 5, -CAIRN_PI / 2}, false, false, true, false},
                 {{side_m, 5, CAIRN_PI / 2}, false, false, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig_start(&it, 1, &cases[i].start);
        push(&it, 0, 0.1);
        const cairn_robot_truth truth = truth_of(&it, 0);
        assert_int_equal(truth.bump_front, cases[i].front);
        assert_int_equal(truth.bump_rear, cases[i].rear);
        assert_int_equal(truth.bump_left, cases[i].left);
        assert_int_equal(truth.bump_right, cases[i].right);
        rig_end(&it);
    }
}

static void two_robots_meet_at_the_sum_of_their_speeds(void **state)
{
    (void)state;
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 2, (const cairn_pose2[]){{3, 5, 0}, {6, 5, CAIRN_PI}});
    want(&it, 0, 0.3, 0);
    want(&it, 1, 0.2, 0);
    run(&it, 8);
    for (uint32_t robot = 0; robot < 2; robot++) {
        assert_int_equal(planar->collisions(it.physics, robot).count, 1);
        assert_near(planar->collisions(it.physics, robot).speed_mps_max, 0.5 * 0.99, 0.02);
        assert_true(truth_of(&it, robot).bump_front);
    }
    assert_true(moved_m(truth_of(&it, 0), truth_of(&it, 1)) >= it.robot.length_m - 1e-3);
    rig_end(&it);
}

// A threshold of 2 cm is rolled over; what hangs above the robot is passed under.
static void low_and_high_things_do_not_touch(void **state)
{
    (void)state;
    cairn_solid solids[2] = {{.kind = CAIRN_SOLID_BOX, .half_m = {0.1, 5, 0.01}},
                             {.kind = CAIRN_SOLID_BOX, .owner = 1, .half_m = {0.1, 5, 0.5}}};
    solids[0].map_T_box = cairn_pose3_from_pose2((cairn_pose2){4, 5, 0}, 0.01);
    solids[1].map_T_box = cairn_pose3_from_pose2((cairn_pose2){6, 5, 0}, 1.0);
    rig it = {.place = {.size_m = {10, 10}}};
    rig_start(&it, 1, &(cairn_pose2){2, 5, 0});
    planar->destroy(it.physics);
    it.place.solids = solids;
    it.place.solid_count = 2;
    static cairn_complaints complaints;
    const cairn_body_description *robots[1] = {&it.robot};
    const cairn_physics_def def = {
        .arena = &it.place, .robot_count = 1, .robots = robots, .starts = &(cairn_pose2){2, 5, 0}};
    assert_ok(planar->create(&def, &complaints, &it.physics));
    want(&it, 0, 0.5, 0);
    run(&it, 12);
    assert_true(truth_of(&it, 0).map_T_base.at_m.x > 7);
    assert_int_equal(planar->collisions(it.physics, 0).count, 0);
    rig_end(&it);
}

// ---- rectangles

static cairn_rect random_rect(cairn_random *random)
{
    const double yaw_rad = cairn_random_between(random, -CAIRN_PI, CAIRN_PI);
    return (cairn_rect){{cairn_random_between(random, 0, 3), cairn_random_between(random, 0, 3)},
                        {cos(yaw_rad), sin(yaw_rad)},
                        {cairn_random_between(random, 0.05, 1), cairn_random_between(random, 0.05, 1)}};
}

static cairn_pose2 pose_of(const cairn_rect *rect)
{
    return (cairn_pose2){rect->centre_m.x, rect->centre_m.y, atan2(rect->axis.y, rect->axis.x)};
}

// Points all over one rectangle, the border included, that lie in the other.
static double nearest_m(const cairn_rect *a, const cairn_rect *b)
{
    double nearest = INFINITY;
    for (int x = -40; x <= 40; x++) {
        for (int y = -40; y <= 40; y++) {
            const cairn_vec2 local = {a->half_m.x * x / 40, a->half_m.y * y / 40};
            nearest = fmin(nearest, cairn_box2_distance(cairn_pose2_apply(pose_of(a), local), pose_of(b), b->half_m));
        }
    }
    return nearest;
}

static void rectangles_touch_when_they_share_a_point(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 11, "rects");
    int touching = 0;
    for (int i = 0; i < 400; i++) {
        const cairn_rect a = random_rect(&random), b = random_rect(&random);
        cairn_rect_contact contact = {.gap_m = 0};
        const bool touches = cairn_rects_touch(&a, &b, 0, &contact);
        touching += touches;
        const double sampled_m = fmin(nearest_m(&a, &b), nearest_m(&b, &a));
        if (sampled_m == 0.0) { assert_true(touches); }
        if (sampled_m > 0.05) { assert_false(touches); } // samples are at most 0.036 m apart
        if (!touches) { continue; }
        // Pushed along the normal by the overlap they are just free; by a little less they are not.
        cairn_rect freed = a;
        freed.centre_m = cairn_vec2_add(a.centre_m, cairn_vec2_scale(contact.normal, -contact.gap_m + 1e-9));
        assert_false(cairn_rects_touch(&freed, &b, 0, &contact));
    }
    assert_true(touching > 100 && touching < 300);
}

typedef struct visited_set {
    bool seen[64];
    const cairn_obstacle *first;
} visited_set;

static void note_visit(void *context, const cairn_obstacle *obstacle)
{
    visited_set *visited = context;
    visited->seen[obstacle - visited->first] = true;
}

static void the_index_finds_every_obstacle_in_reach(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, 12, "index");
    cairn_solid solids[64] = {{0}};
    for (uint32_t i = 0; i < 64; i++) {
        const cairn_pose2 pose = {cairn_random_between(&random, -1, 13), cairn_random_between(&random, -1, 8),
                                  cairn_random_between(&random, -3, 3)};
        solids[i] = (cairn_solid){.kind = CAIRN_SOLID_BOX, .owner = i, .map_T_box = cairn_pose3_from_pose2(pose, 0.5)};
        solids[i].half_m =
            (cairn_vec3){cairn_random_between(&random, 0.02, 3), cairn_random_between(&random, 0.02, 0.4), 0.5};
    }
    const cairn_sim_arena place = {.size_m = {12, 7}, .solid_count = 64, .solids = solids};
    cairn_arena memory;
    assert_ok(cairn_arena_create(&memory, cairn_obstacle_index_bytes(&place)));
    cairn_obstacle_index index;
    assert_ok(cairn_obstacle_index_create(&place, &memory, &index));
    for (int i = 0; i < 300; i++) {
        const cairn_vec2 at = {cairn_random_between(&random, -2, 14), cairn_random_between(&random, -2, 9)};
        visited_set visited = {.first = index.obstacles};
        cairn_obstacle_index_visit(&index, at, 0.5, note_visit, &visited);
        for (uint32_t k = 0; k < index.obstacle_count; k++) {
            const cairn_rect *rect = &index.obstacles[k].rect;
            if (cairn_box2_distance(at, pose_of(rect), rect->half_m) < 0.5) { assert_true(visited.seen[k]); }
        }
    }
    cairn_arena_destroy(&memory);
}

// ---- repeating

static cairn_robot_truth after_a_drive(uint64_t seed)
{
    cairn_sim_wall wall = {.from_m = {5, 0}, .to_m = {5, 10}, .thickness_m = 0.1, .height_m = 1};
    rig it = {.place = {.size_m = {10, 10}, .wall_count = 1, .walls = &wall}, .seed = seed};
    rig_start(&it, 2, (const cairn_pose2[]){{3, 5, 0}, {2, 5, 0.4}});
    want(&it, 0, 0.3, 0.4);
    want(&it, 1, 0.3, -0.4);
    run(&it, 20);
    const cairn_robot_truth truth = truth_of(&it, 0);
    rig_end(&it);
    return truth;
}

static void the_seed_decides_everything(void **state)
{
    (void)state;
    const cairn_robot_truth first = after_a_drive(5), again = after_a_drive(5), other = after_a_drive(6);
    assert_memory_equal(&first, &again, TRUTH_BYTES);
    assert_memory_not_equal(&first, &other, TRUTH_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_at_rest_stays_and_feels_gravity),
        cmocka_unit_test(turning_on_the_spot_has_the_stated_efficiency),
        cmocka_unit_test(driving_on_loses_one_percent_to_slip),
        cmocka_unit_test(wheels_driven_too_hard_slip),
        cmocka_unit_test(what_is_felt_in_a_bend_is_speed_times_turning),
        cmocka_unit_test(a_parked_robot_stays_on_a_ramp),
        cmocka_unit_test(without_torque_a_robot_rolls_down),
        cmocka_unit_test(a_ramp_is_climbed_and_left_again),
        cmocka_unit_test(a_wall_stops_a_robot_and_the_speed_is_told),
        cmocka_unit_test(a_slanting_touch_tells_the_speed_along_the_normal),
        cmocka_unit_test(each_side_bumps_by_itself),
        cmocka_unit_test(two_robots_meet_at_the_sum_of_their_speeds),
        cmocka_unit_test(low_and_high_things_do_not_touch),
        cmocka_unit_test(rectangles_touch_when_they_share_a_point),
        cmocka_unit_test(the_index_finds_every_obstacle_in_reach),
        cmocka_unit_test(the_seed_decides_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
