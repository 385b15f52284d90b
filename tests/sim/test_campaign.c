// test_campaign.c - the judge finds each violation when it is staged and none when it is not, and an episode is the
// same every time.
#include "arena_text.h"
#include "body/description_io.h"
#include "both_physics.h"
#include "sim/arena/ground.h"
#include "sim/campaign/campaign.h"
#include <stdlib.h>
#include <string.h>

#define DEGREE (CAIRN_PI / 180)
#define STEP CAIRN_JUDGE_PERIOD_NS

// A wall ahead at x = 6, and a hole beside the way.
static const char place_text[] =
    "name: a\nabout: a place\nsize_m: [12, 8]\n"
    "walls: [{points_m: [[6, 1], [6, 3]], height_m: 1}]\n"
    "holes: [{at_m: [9, 6], size_m: [2, 2], depth_m: 2}]\nstarts: [{at_m: [2, 2], heading_deg: 0}]\n";

typedef struct stage {
    cairn_sim_arena place;
    cairn_body_description body;
    cairn_judge judge;
    cairn_judge_sample sample;
    cairn_mono now;
} stage;

static cairn_body_description body_of(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, CAIRN_SOURCE_ROOT "/robots/%s.yaml", name);
    cairn_body_description body;
    static cairn_complaints complaints;
    assert_ok(cairn_body_description_read(path, &complaints, &body));
    return body;
}

// A robot that stands on the floor, has just been told to, and knows everything.
static void set_up(stage *it, const char *body, uint32_t robot_count)
{
    memset(it, 0, sizeof *it);
    it->place = accepted(place_text);
    it->body = body_of(body);
    const cairn_body_description *const bodies[] = {&it->body, &it->body};
    cairn_judge_init(&it->judge, &it->place, robot_count, bodies);
    it->sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){2, 2, 0}, 0);
    it->sample.believed_m = (cairn_vec2){2, 2};
    it->sample.speaks = it->sample.feels = true;
    it->sample.charge = 1;
}

static void run(stage *it, double for_s, bool commanded)
{
    for (int64_t i = 0; i < cairn_ns_from_seconds(for_s) / STEP; i++) {
        it->now.ns += STEP;
        if (commanded) { it->sample.commanded = it->now; }
        cairn_judge_step(&it->judge, &it->sample, it->now);
    }
}

static void assert_only(const stage *it, cairn_violation_kind kind, uint32_t count)
{
    for (uint32_t k = 0; k < CAIRN_VIOLATION_COUNT; k++) {
        if (it->judge.by_kind[k] != (k == (uint32_t)kind ? count : 0)) {
            fail_msg("%u of %s", it->judge.by_kind[k], cairn_violation_names[k]);
        }
    }
}

static void turn_wheels(stage *it, double rim_mps)
{
    for (int i = 0; i < CAIRN_WHEELS_MAX; i++) { it->sample.truth.wheel_radps[i] = rim_mps / it->body.wheels.radius_m; }
}

static void tilt(stage *it, double roll_deg)
{
    it->sample.truth.map_T_base.turn = cairn_quat_from_rpy((cairn_rpy){roll_deg * DEGREE, 0, 0});
}

static void a_robot_that_stands_breaks_nothing(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    run(&it, 10, true);
    assert_int_equal(it.judge.violation_count, 0);
}

static void wheels_that_are_told_to_turn_without_a_command_are_found_after_308_ms(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    it.sample.told_mps = 0.3;
    run(&it, 1, true);
    run(&it, 0.304, false);
    assert_int_equal(it.judge.violation_count, 0);
    run(&it, 0.1, false);
    assert_only(&it, CAIRN_VIOLATION_COMMAND, 1);
}

static void a_robot_that_rolls_on_after_its_braking_time_is_found(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    run(&it, 1, true);
    turn_wheels(&it, 0.2);
    run(&it, 0.3 + cairn_seconds(cairn_judge_braking_ns(&it.body)), false);
    assert_int_equal(it.judge.violation_count, 0);
    run(&it, 0.1, false);
    assert_only(&it, CAIRN_VIOLATION_BRAKING, 1);
}

static void wheels_that_turn_under_a_stop_are_found_after_the_braking_time(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    turn_wheels(&it, 0.3);
    it.sample.stopped = true;
    run(&it, cairn_seconds(cairn_judge_braking_ns(&it.body)) - 0.05, true);
    assert_int_equal(it.judge.violation_count, 0);
    run(&it, 0.1, true);
    assert_only(&it, CAIRN_VIOLATION_STOP, 1);
}

static void wheels_that_turn_on_its_back_are_found(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    it.sample.condition = 255;
    it.judge.robots[0].was_fallen = true; // how it came there is another question
    tilt(&it, 170);
    turn_wheels(&it, 0.3);
    run(&it, 3, true);
    assert_only(&it, CAIRN_VIOLATION_LYING, 1);
}

static void tipping_over_on_a_level_floor_is_found(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    it.sample.condition = 255;
    run(&it, 2, true);
    tilt(&it, 80);
    run(&it, 1, true);
    assert_only(&it, CAIRN_VIOLATION_TIP, 1);
}

static void a_wheel_over_a_hole_is_found_of_those_who_see_the_ground(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    it.sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){7.9, 6, 0}, 0);
    it.sample.believed_m = (cairn_vec2){7.9, 6};
    run(&it, 1, true);
    assert_only(&it, CAIRN_VIOLATION_EDGE, 1);
    set_up(&it, "rover", 1);
    it.sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){7.9, 6, 0}, 0);
    it.sample.believed_m = (cairn_vec2){7.9, 6};
    run(&it, 1, true);
    assert_int_equal(it.judge.violation_count, 0);
}

// A wheel that dangles in and out is one wheel over one edge; the next edge is another.
static void a_breach_that_comes_and_goes_is_told_once(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    for (int i = 0; i < 30; i++) {
        const double x_m = i % 3 == 0 ? 7.8 : 7.9;
        it.sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){x_m, 6, 0}, 0);
        it.sample.believed_m = (cairn_vec2){x_m, 6};
        run(&it, 0.1, true);
    }
    assert_only(&it, CAIRN_VIOLATION_EDGE, 1);
    it.sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){7.5, 6, 0}, 0);
    it.sample.believed_m = (cairn_vec2){7.5, 6};
    run(&it, 3, true);
    it.sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){7.9, 6, 0}, 0);
    it.sample.believed_m = (cairn_vec2){7.9, 6};
    run(&it, 1, true);
    assert_only(&it, CAIRN_VIOLATION_EDGE, 2);
}

// How deep is the robot file's word: what one comes down unhurt another does not.
static void an_edge_is_as_deep_as_the_robot_file_says(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    it.body.limits.drop_m_max = 2.1;
    it.sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){7.9, 6, 0}, 0);
    it.sample.believed_m = (cairn_vec2){7.9, 6};
    run(&it, 1, true);
    assert_int_equal(it.judge.violation_count, 0);
}

static void half_a_metre_off_for_five_seconds_is_found_of_one_who_says_good(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    it.sample.believed_m.x += 0.6;
    run(&it, 4.9, true);
    assert_int_equal(it.judge.violation_count, 0);
    run(&it, 0.2, true);
    assert_only(&it, CAIRN_VIOLATION_PLACE, 1);
    set_up(&it, "emu", 1);
    it.sample.believed_m.x += 0.6;
    it.sample.health = 255;
    run(&it, 10, true);
    assert_int_equal(it.judge.violation_count, 0);
}

static void a_condition_that_is_not_said_for_two_seconds_is_found(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    it.sample.conditions = 1u << CAIRN_CONDITION_TILTED;
    it.sample.condition = CAIRN_CONDITION_LIFTED; // graver, and true at the same time
    run(&it, 5, true);
    it.sample.condition = 255;
    run(&it, 5, true);
    it.sample.condition = CAIRN_CONDITION_WELL;
    run(&it, 1.9, true);
    assert_int_equal(it.judge.violation_count, 0);
    run(&it, 0.2, true);
    assert_only(&it, CAIRN_VIOLATION_UNSAID, 1);
}

// ---- contacts

// Drives from x = 4 at this speed and touches at the end what stands there.
static void touch(stage *it, double heading_rad, double mps, double own_mps)
{
    const double way_m = 2 - 0.5 * it->body.length_m;
    const int64_t ticks = cairn_ns_from_seconds(way_m / mps) / STEP;
    const double back = heading_rad > 1 ? -1 : 1;
    for (int64_t i = 0; i < ticks; i++) {
        const double x_m = 4 + back * mps * (double)i * cairn_seconds(STEP);
        it->sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){x_m, 2, 0}, 0);
        it->sample.believed_m = (cairn_vec2){x_m, 2};
        run(it, cairn_seconds(STEP), true);
    }
    uint32_t wall = 0;
    while (it->place.solids[wall].kind != CAIRN_SOLID_WALL) { wall++; }
    const double at_x_m = back > 0 ? 6 : 2;
    const cairn_collision touched = {
        .robot = 0, .thing = wall, .at_m = {at_x_m, 2, 0.2}, .closing_mps = mps, .own_mps = own_mps};
    cairn_judge_collision(&it->judge, &touched, it->now);
}

static void running_fast_into_a_wall_in_sight_is_found(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    touch(&it, 0, 0.5, 0.5);
    assert_only(&it, CAIRN_VIOLATION_CONTACT, 1);
}

static void slow_touches_and_being_hit_are_not_its_fault(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    touch(&it, 0, 0.5, 0.15);
    assert_int_equal(it.judge.violation_count, 0);
}

// Wheels with slack jerk: what counts is how it came, not one step of 4 ms.
static void a_jerk_while_it_creeps_is_no_blow(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    touch(&it, 0, 0.1, 0.3);
    assert_int_equal(it.judge.violation_count, 0);
}

// Lasers look over hulls and see the heads behind them: an emu's is 0.27 m behind its nose.
static void a_hull_below_the_laser_is_not_in_its_field(void **state)
{
    (void)state;
    static stage it;
    for (int at_head = 0; at_head < 2; at_head++) {
        set_up(&it, "rover", 2);
        static cairn_body_description emu_body;
        emu_body = body_of("emu");
        it.judge.robots[1].description = &emu_body;
        cairn_judge_sample samples[2];
        for (int i = 0; i < 150; i++) {
            it.now.ns += STEP;
            const double x_m = 1 + 0.4 * i * cairn_seconds(STEP);
            samples[0] = samples[1] = it.sample;
            samples[0].commanded = samples[1].commanded = it.now;
            samples[0].truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){x_m, 2, 0}, 0);
            samples[0].believed_m = (cairn_vec2){x_m, 2};
            samples[1].truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){2, 2, CAIRN_PI}, 0);
            cairn_judge_step(&it.judge, samples, it.now);
        }
        const double back_m = at_head ? 0.0 : -0.27; // the head's front, or the nose
        const cairn_collision touched = {.robot = 0,
                                         .thing = it.place.solid_count + 1,
                                         .at_m = {2 + back_m, 2, 0.2},
                                         .closing_mps = 0.4,
                                         .own_mps = 0.4};
        cairn_judge_collision(&it.judge, &touched, it.now);
        assert_only(&it, CAIRN_VIOLATION_CONTACT, at_head ? 1 : 0);
    }
}

// Whose wheels turn because another robot pushes has not begun to drive.
static void a_robot_that_is_pushed_does_not_drive(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    run(&it, 1, true);
    run(&it, 5, false);
    const cairn_collision touched = {.robot = 0, .thing = it.place.solid_count, .at_m = {2, 2, 0.2}};
    cairn_judge_collision(&it.judge, &touched, it.now);
    turn_wheels(&it, 0.2);
    run(&it, 0.9, false);
    assert_int_equal(it.judge.violation_count, 0);
    run(&it, 0.3, false);
    assert_only(&it, CAIRN_VIOLATION_BRAKING, 1);
}

// Worn wheels that hold an angle swing about it.
static void wheels_that_tremble_stand(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    run(&it, 1, true);
    run(&it, 3, false);
    for (int i = 0; i < 100; i++) {
        turn_wheels(&it, i % 2 == 0 ? 0.08 : -0.08);
        run(&it, 0.016, false);
    }
    assert_int_equal(it.judge.violation_count, 0);
}

// What comes of a guard that its operator holds off is his; five seconds later it is the robot's again.
static void what_comes_of_an_override_is_counted_apart(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    run(&it, 1, true);
    it.sample.overridden = true;
    run(&it, 0.1, true);
    it.sample.overridden = false;
    it.sample.told_mps = 0.3;
    run(&it, 1, false);
    assert_only(&it, CAIRN_VIOLATION_COMMAND, 0);
    assert_int_equal(it.judge.by_kind_overridden[CAIRN_VIOLATION_COMMAND], 1);
    assert_true(it.judge.violations[0].overridden);
    it.sample.told_mps = 0;
    run(&it, 6, true);
    it.sample.told_mps = 0.3;
    run(&it, 1, false);
    assert_only(&it, CAIRN_VIOLATION_COMMAND, 1);
}

static void a_hull_where_it_may_not_be_is_found(void **state)
{
    (void)state;
    static stage it;
    static const cairn_areas areas = {.area_count = 2,
                                      .areas = {{CAIRN_AREA_KEEP_IN, 4, {1, 4, 4, 1}, {1, 1, 4, 4}},
                                                {CAIRN_AREA_KEEP_OUT, 4, {3, 4, 4, 3}, {1, 1, 4, 4}}}};
    const cairn_vec2 places_m[] = {{2, 2}, {2.95, 2}, {3.1, 2}, {1.05, 2}, {0.9, 2}};
    const uint32_t found[] = {0, 0, 1, 0, 1};
    for (int i = 0; i < 5; i++) {
        set_up(&it, "emu", 1);
        it.judge.areas = &areas;
        it.sample.knows_areas = true;
        it.sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){2, 2, 0}, 0);
        it.sample.believed_m = (cairn_vec2){2, 2};
        run(&it, 1, true);
        it.sample.truth.map_T_base = cairn_pose3_from_pose2((cairn_pose2){places_m[i].x, places_m[i].y, 0}, 0);
        it.sample.believed_m = places_m[i];
        run(&it, 1, true);
        assert_only(&it, CAIRN_VIOLATION_AREA, found[i]);
    }
}

static void driving_on_with_an_empty_battery_is_found(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    it.sample.told_mps = 0.3;
    it.sample.charge = NAN; // not judged
    run(&it, 20, true);
    it.sample.charge = 0.01;
    run(&it, 20, true);
    it.sample.charge = 0;
    run(&it, 9, true);
    assert_int_equal(it.judge.violation_count, 0);
    run(&it, 2, true);
    assert_only(&it, CAIRN_VIOLATION_BATTERY, 1);
}

static void driving_on_too_steep_or_without_a_sense_is_found(void **state)
{
    (void)state;
    static stage it;
    for (int drives = 0; drives < 2; drives++) {
        set_up(&it, "emu", 1);
        it.sample.told_mps = drives * 0.3;
        tilt(&it, 40);
        it.body.limits.accept_unseen_ground = true; // its upper wheels hang
        it.sample.imu_failed = true;                // not judged
        run(&it, 3, true);
        it.sample.imu_failed = false;
        run(&it, 3, true);
        assert_only(&it, CAIRN_VIOLATION_TILTED, (uint32_t)drives);
        set_up(&it, "emu", 1);
        it.sample.told_mps = drives * 0.3;
        it.sample.senses_silent = true;
        run(&it, 3, true);
        assert_only(&it, CAIRN_VIOLATION_SENSES, (uint32_t)drives);
        set_up(&it, "emu", 1);
        it.sample.told_mps = drives * 0.3;
        it.sample.count_stands = true;
        run(&it, 6, true);
        assert_only(&it, CAIRN_VIOLATION_COUNTS, (uint32_t)drives);
    }
}

// Who tries the other way is trying to get free.
static void pushing_one_way_with_spinning_wheels_is_found(void **state)
{
    (void)state;
    static stage it;
    for (int turns_back = 0; turns_back < 2; turns_back++) {
        set_up(&it, "emu", 1);
        it.sample.conditions = 1u << CAIRN_CONDITION_SPINNING;
        it.sample.condition = CAIRN_CONDITION_SPINNING;
        it.sample.told_mps = 0.3;
        run(&it, 3, true);
        if (turns_back) { it.sample.told_mps = -0.3; }
        run(&it, 3, true);
        assert_only(&it, CAIRN_VIOLATION_SPINNING, turns_back ? 0 : 1);
    }
}

static void what_is_behind_it_is_in_no_field(void **state)
{
    (void)state;
    static stage it;
    set_up(&it, "emu", 1);
    touch(&it, CAIRN_PI, 0.5, 0.5);
    assert_int_equal(it.judge.violation_count, 0);
}

// ---- whole episodes

static void run_some(const char *which, uint64_t from, uint64_t count)
{
    static cairn_body_description bodies[2];
    static cairn_complaints complaints;
    static cairn_episode_result first, again;
    bodies[0] = body_of("emu");
    bodies[1] = body_of("magic");
    const cairn_campaign_def def = {.physics = which, .seed = 1, .body_count = 2, .bodies = bodies};
    for (uint64_t k = from; k < from + count; k++) {
        assert_ok(cairn_episode_run(&def, k, &complaints, &first));
        print_message("%s %s: %u violations\n", which, first.words, first.violation_count);
        assert_true(first.robot_s >= 60);
    }
    assert_ok(cairn_episode_run(&def, from + count - 1, &complaints, &again));
    assert_int_equal(first.violation_count, again.violation_count);
    assert_memory_equal(first.violations, again.violations, first.violation_count * sizeof first.violations[0]);
}

// Nobody starts on the ice: who slides before his mind begins cannot know from where.
static void places_of_ice_ask_for_no_grip(void **state)
{
    (void)state;
    static cairn_body_description body;
    static cairn_complaints complaints;
    static cairn_plan plan;
    body = body_of("emu");
    const cairn_campaign_def def = {.physics = "planar", .seed = 1, .ice = true, .body_count = 1, .bodies = &body};
    for (uint64_t number = 0; number < 20; number++) {
        assert_ok(cairn_plan_make(&def, number, &complaints, &plan));
        assert_true(plan.no_grip && plan.areas.area_count == 0);
        for (uint32_t i = 0; i < plan.robot_count; i++) {
            const cairn_pose2 start = plan.arena.starts[i];
            assert_float_equal(cairn_sim_ground_m(&plan.arena, cairn_pose2_at(start), 0.1), 0, 1e-6);
            assert_true(cairn_sim_ground_m(&plan.arena, (cairn_vec2){10, start.y_m}, 0.1) < -0.1);
        }
        cairn_plan_finish(&plan);
    }
}

static void an_episode_is_the_same_every_time(void **state)
{
    (void)state;
    run_some("planar", 0, 1);
    if (PHYSICS > 1) { run_some("mujoco", 3, 1); }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_that_stands_breaks_nothing),
        cmocka_unit_test(wheels_that_are_told_to_turn_without_a_command_are_found_after_308_ms),
        cmocka_unit_test(a_robot_that_rolls_on_after_its_braking_time_is_found),
        cmocka_unit_test(wheels_that_turn_under_a_stop_are_found_after_the_braking_time),
        cmocka_unit_test(wheels_that_turn_on_its_back_are_found),
        cmocka_unit_test(tipping_over_on_a_level_floor_is_found),
        cmocka_unit_test(a_wheel_over_a_hole_is_found_of_those_who_see_the_ground),
        cmocka_unit_test(a_breach_that_comes_and_goes_is_told_once),
        cmocka_unit_test(an_edge_is_as_deep_as_the_robot_file_says),
        cmocka_unit_test(half_a_metre_off_for_five_seconds_is_found_of_one_who_says_good),
        cmocka_unit_test(a_condition_that_is_not_said_for_two_seconds_is_found),
        cmocka_unit_test(running_fast_into_a_wall_in_sight_is_found),
        cmocka_unit_test(slow_touches_and_being_hit_are_not_its_fault),
        cmocka_unit_test(driving_on_too_steep_or_without_a_sense_is_found),
        cmocka_unit_test(pushing_one_way_with_spinning_wheels_is_found),
        cmocka_unit_test(what_is_behind_it_is_in_no_field),
        cmocka_unit_test(a_jerk_while_it_creeps_is_no_blow),
        cmocka_unit_test(a_hull_below_the_laser_is_not_in_its_field),
        cmocka_unit_test(a_robot_that_is_pushed_does_not_drive),
        cmocka_unit_test(wheels_that_tremble_stand),
        cmocka_unit_test(what_comes_of_an_override_is_counted_apart),
        cmocka_unit_test(a_hull_where_it_may_not_be_is_found),
        cmocka_unit_test(driving_on_with_an_empty_battery_is_found),
        cmocka_unit_test(places_of_ice_ask_for_no_grip),
        cmocka_unit_test(an_episode_is_the_same_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
