// From a task to a path, on maps that a robot has made itself by looking around.
#include "../base/check.h"
#include "drive.h"
#include "rig.h"
#include "robot/deliberate/navigator.h"

static const cairn_moving_things NOTHING_MOVES = {0};
static const cairn_behaviour_state UNDER_WAY = {0};

static drive d;
static cairn_body_description description;
static cairn_tracker tracker;
static cairn_navigator navigator;
static cairn_arena memory;

static int start(void **unused)
{
    (void)unused;
    d = (drive){0};
    description = rig_description();
    assert_ok(cairn_arena_create(&memory, 80 << 20));
    assert_ok(cairn_tracker_init(&tracker, &memory));
    assert_ok(cairn_navigator_init(&navigator, &description, &memory));
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    cairn_arena_destroy(&memory);
    return 0;
}

static void look(void)
{
    drive_scan(&d);
    cairn_tracker_step(&tracker, &d.scan, &d.laser, &d.state, &NOTHING_MOVES, d.now);
    cairn_navigator_remember(&navigator, &tracker, d.now);
}

// Stands for some time and looks, so that the map is sure of what it shows.
static void look_around(cairn_pose2 at)
{
    drive_init(&d, at, 3);
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 75; k++) { drive_step(&d, 0, 0); }
        look();
    }
}

static void drive_on(double forward_mps, double turn_radps, int tenths)
{
    for (int i = 0; i < tenths; i++) {
        for (int k = 0; k < 12; k++) { drive_step(&d, forward_mps, turn_radps); }
        look();
    }
}

static void give(uint32_t via_count, const cairn_vec2 *vias)
{
    cairn_robot_task task = {.id = 5, .purpose = CAIRN_PURPOSE_GO, .via_count = via_count};
    for (uint32_t i = 0; i < via_count; i++) { task.via_m[i] = vias[i]; }
    cairn_navigator_give(&navigator, &task);
}

static void step(const cairn_behaviour_state *behaviour, bool may_move)
{
    d.now.ns += CAIRN_MS(500);
    cairn_navigator_step(&navigator, &tracker, &d.state, behaviour, may_move, d.now);
}

static void plan(void) { step(&UNDER_WAY, true); }

// A point of the path, and along it every few centimetres, in the frame of the map.
static cairn_vec2 path_at(double part)
{
    const cairn_path *path = &navigator.path;
    const double where = part * (path->point_count - 1);
    const uint32_t i = (uint32_t)where;
    const cairn_vec2 a = path->points_m[i], b = path->points_m[i + 1 < path->point_count ? i + 1 : i];
    const cairn_vec2 odom = cairn_vec2_add(a, cairn_vec2_scale(cairn_vec2_sub(b, a), where - i));
    return cairn_pose2_apply(d.start, cairn_pose2_apply(tracker.private_T_odom, odom));
}

static double distance_to_segment(cairn_vec2 p, const world_segment *s)
{
    const cairn_vec2 along = cairn_vec2_sub(s->b, s->a), to = cairn_vec2_sub(p, s->a);
    const double part = fmin(fmax(cairn_vec2_dot(along, to) / cairn_vec2_dot(along, along), 0), 1);
    return cairn_vec2_distance(cairn_vec2_add(s->a, cairn_vec2_scale(along, part)), p);
}

static double path_clearance_m(void)
{
    double clearance_m = INFINITY;
    for (int i = 0; i <= 1000; i++) {
        for (uint32_t k = 0; k < d.walls.count; k++) {
            clearance_m = fmin(clearance_m, distance_to_segment(path_at(i / 1000.0), &d.walls.segments[k]));
        }
    }
    return clearance_m;
}

static void a_path_leads_around_what_stands_in_the_way(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 8, 6);
    world_add_box(&d.walls, 3, 2.5, 3.6, 3.7); // just where the straight way would be
    look_around((cairn_pose2){1.5, 3, 0});
    give(1, &(cairn_vec2){3.8, 0.1}); // map (5.3, 3.1)
    plan();
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
    assert_true(navigator.path.point_count > 5);
    assert_true(cairn_vec2_distance(path_at(1), (cairn_vec2){5.3, 3.1}) < 0.1);
    assert_true(path_clearance_m() > 0.5 * description.width_m);
}

// Nothing stands there, but it is kept out of: the robot goes round instead of standing at the border.
static void a_path_leads_around_where_it_may_not_be(void **unused)
{
    (void)unused;
    const double x0 = 1.5, x1 = 2.1; // private frame: map (3, 2.5) to (3.6, 6)
    const cairn_fences fences = {.count = 1,
                                 .fences = {{CAIRN_FENCE_KEEP_OUT, 4, {{x0, -0.5}, {x1, -0.5}, {x1, 3}, {x0, 3}}}}};
    world_add_box(&d.walls, 0, 0, 8, 6);
    look_around((cairn_pose2){1.5, 3, 0});
    give(1, &(cairn_vec2){3.8, 0.1});
    plan();
    const double straight_m = navigator.path.point_count * 0.15;
    navigator.fences = &fences;
    plan();
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
    assert_true(cairn_vec2_distance(path_at(1), (cairn_vec2){5.3, 3.1}) < 0.1);
    assert_true(navigator.path.point_count * 0.15 > straight_m + 0.2);
    for (int i = 0; i <= 1000; i++) {
        const cairn_vec2 at = cairn_pose2_apply(cairn_pose2_inverse(d.start), path_at(i / 1000.0));
        assert_true(at.x < x0 - 0.3 || at.x > x1 + 0.3 || at.y < -0.5 - 0.3);
    }
}

// From the wrong side there is a way out, and to the wrong side there is none.
static void a_goal_where_it_may_not_be_is_not_gone_to(void **unused)
{
    (void)unused;
    const cairn_fences fences = {.count = 1,
                                 .fences = {{CAIRN_FENCE_KEEP_IN, 4, {{-1, -2}, {2, -2}, {2, 2}, {-1, 2}}}}};
    world_add_box(&d.walls, 0, 0, 8, 6);
    look_around((cairn_pose2){1.5, 3, 0});
    navigator.fences = &fences;
    give(1, &(cairn_vec2){4, 0});
    for (int i = 0; i < 5; i++) { plan(); }
    assert_int_equal(navigator.path.point_count, 0);
    give(1, &(cairn_vec2){1.2, 0});
    plan();
    assert_true(navigator.path.point_count > 0);
}

// The odometry frame is not the private one: the path must be in the one that the wheels are led by.
static void a_path_is_in_the_frame_of_odometry(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 8, 6);
    look_around((cairn_pose2){1.5, 3, 0});
    tracker.private_T_odom = (cairn_pose2){0.5, -0.2, 0.3}; // odometry was wrong by this
    d.state.odom_T_base = cairn_pose2_inverse(tracker.private_T_odom);
    give(1, &(cairn_vec2){2, 0});
    navigator.task.face_at_end = true;
    navigator.task.end_yaw_rad = 1.0;
    plan();
    const cairn_vec2 end_m = navigator.path.points_m[navigator.path.point_count - 1];
    const cairn_vec2 want_m = {1.5 * cos(0.3) + 0.2 * sin(0.3), -1.5 * sin(0.3) + 0.2 * cos(0.3)};
    assert_true(cairn_vec2_distance(end_m, want_m) < 0.1);
    assert_true(fabs(navigator.path.end_yaw_rad - 0.7) < 1e-9);
}

// A robot sent to look about where it stands must turn, so it needs a path, of one point.
static void a_task_where_the_robot_stands_gives_a_path_to_turn_on(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 8, 6);
    look_around((cairn_pose2){4, 3, 0});
    give(1, &(cairn_vec2){0.05, 0.05}); // the middle of the very cell that it stands in
    navigator.task.face_at_end = true;
    navigator.task.end_yaw_rad = 2.0;
    plan();
    assert_int_equal(navigator.path.point_count, 1);
    assert_true(navigator.path.face_at_end);
    assert_true(fabs(navigator.path.end_yaw_rad - 2.0) < 1e-9);
    assert_true(cairn_vec2_distance(path_at(1), (cairn_vec2){4, 3}) < 0.15);
    const cairn_behaviour_state arrived = {.arrived = true, .path_issued = navigator.path.issued};
    step(&arrived, true);
    assert_int_equal(navigator.task_state, CAIRN_TASK_DONE);
    assert_int_equal(navigator.path.point_count, 0);
}

// Having arrived at the end of an older path says nothing about this one.
static void arriving_on_an_old_path_does_not_end_the_task(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 8, 6);
    look_around((cairn_pose2){2, 3, 0});
    give(1, &(cairn_vec2){2, 0});
    plan();
    const cairn_behaviour_state old = {.arrived = true, .path_issued = {navigator.path.issued.ns - 1}};
    step(&old, true);
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
}

// A wall 5 m wide, and behind it what the laser has not seen. Straight on lies only the unknown: there is no way. With
// a task that leads round the wall's end, the station knows that ground, and the robot may go.
static void unknown_ground_is_entered_only_along_the_tasks_way(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 20, 12);
    world_add(&d.walls, 5, 3.5, 5, 8.5);
    look_around((cairn_pose2){3.5, 6, 0});
    give(1, &(cairn_vec2){3, 0});
    for (int i = 0; i < 5; i++) { plan(); }
    assert_int_equal(navigator.path.point_count, 0);
    assert_int_equal(navigator.task_state, CAIRN_TASK_NO_WAY);

    const cairn_vec2 round[] = {{0.3, 2.0}, {1.5, 3.2}, {3, 2.5}, {3, 0}};
    give(4, round);
    plan();
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
    assert_true(navigator.path.point_count > 5);
    assert_true(path_clearance_m() > 0.5 * description.width_m);
    cairn_vec2 way[5] = {{0, 0}};
    memcpy(way + 1, round, sizeof round);
    for (int i = 0; i <= 200; i++) {
        const cairn_vec2 at = cairn_pose2_apply(cairn_pose2_inverse(d.start), path_at(i / 200.0));
        double off_m = INFINITY;
        for (int k = 0; k < 4; k++) {
            off_m = fmin(off_m, distance_to_segment(at, &(world_segment){way[k], way[k + 1]}));
        }
        assert_true(off_m < 1.5 || cairn_local_grid_at(tracker.grid, at, d.now) == CAIRN_GROUND_FREE);
    }
}

static void corridor(void)
{
    world_add_box(&d.walls, -1, 0, 9, 1.4);
    look_around((cairn_pose2){0, 0.7, 0});
    give(1, &(cairn_vec2){4, 0});
}

// The fifth failure in a row is told: before that a team-mate may just be passing.
static void a_teammate_in_the_corridor_blocks_it_until_it_is_gone(void **unused)
{
    (void)unused;
    corridor();
    plan();
    assert_true(navigator.path.point_count > 5);
    navigator.teammates = (cairn_teammates){.count = 1, .mates = {{.private_T_base = {2, 0, 0}}}};
    for (int i = 1; i <= 5; i++) {
        navigator.teammates.mates[0].at = d.now;
        plan();
        assert_int_equal(navigator.path.point_count, 0);
        assert_int_equal(navigator.task_state, i < 5 ? CAIRN_TASK_UNDER_WAY : CAIRN_TASK_NO_WAY);
    }
    for (int i = 0; i < 7; i++) { plan(); } // 3.5 s without a word of it
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
    assert_true(navigator.path.point_count > 5);
}

static void a_robot_goes_slowly_near_a_teammate(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 8, 6);
    look_around((cairn_pose2){1.5, 3, 0});
    give(1, &(cairn_vec2){3, 0});
    plan();
    const double free_mps = navigator.path.speed_mps_max;
    assert_true(free_mps == description.limits.speed_mps_max); // of this body, not of all
    navigator.teammates = (cairn_teammates){.count = 1, .mates = {{.at = d.now, .private_T_base = {0, 1.4, 0}}}};
    plan();
    assert_true(navigator.path.point_count > 5);
    assert_true(navigator.path.speed_mps_max <= 0.5 * free_mps);
}

// Behaviour holds it against its wish: somebody should know.
static void a_robot_held_back_for_long_says_so_and_goes_on_trying(void **unused)
{
    (void)unused;
    corridor();
    const cairn_behaviour_state held = {.blocked_s = 6};
    step(&held, true);
    assert_int_equal(navigator.task_state, CAIRN_TASK_BLOCKED);
    assert_true(navigator.path.point_count > 5);
    plan();
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
}

// In a niche too tight to turn in, the way in is the way out.
static void a_robot_that_is_held_backs_out_the_way_it_came(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 12, 6);
    look_around((cairn_pose2){1.5, 3, 0});
    drive_on(0.3, 0, 60);
    const cairn_vec2 at = cairn_pose2_at(cairn_tracker_pose(&tracker, &d.state));
    give(1, &(cairn_vec2){0, 2});
    const cairn_behaviour_state held = {.blocked_s = 3};
    step(&held, true);
    const cairn_path *path = &navigator.path;
    assert_true(path->backwards && path->point_count >= 3);
    double last_m = 0;
    for (uint32_t i = 0; i < path->point_count; i++) {
        const double behind_m = at.x - path->points_m[i].x; // it came along x; odom and private differ by millimetres
        assert_true(behind_m > last_m && behind_m < 1.3 && fabs(path->points_m[i].y - at.y) < 0.1);
        last_m = behind_m;
    }
    // And once out, it goes on.
    const cairn_behaviour_state out = {.arrived = true, .path_issued = path->issued};
    step(&out, true);
    assert_false(navigator.path.backwards);
    assert_true(navigator.path.point_count > 5);
}

// What it has come past on its way out does not draw it in again: turning round to it, it would be wedged.
static void a_robot_that_backs_out_is_led_out_all_the_way(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 12, 6);
    look_around((cairn_pose2){1.5, 3, 0});
    drive_on(0.3, 0, 60);
    give(1, &(cairn_vec2){0, 2});
    const cairn_behaviour_state held = {.blocked_s = 3};
    for (int i = 0; i < 4; i++) {
        step(&held, true);
        const cairn_vec2 at = cairn_pose2_at(cairn_tracker_pose(&tracker, &d.state));
        assert_true(navigator.path.backwards && navigator.path.point_count >= 2);
        for (uint32_t k = 0; k < navigator.path.point_count; k++) {
            assert_true(navigator.path.points_m[k].x < at.x - 0.05);
        }
        drive_on(-0.1, 0, 20); // 0.2 m
    }
}

static void a_paused_robot_keeps_its_task_and_gets_no_path(void **unused)
{
    (void)unused;
    corridor();
    plan();
    step(&UNDER_WAY, false);
    assert_int_equal(navigator.path.point_count, 0);
    assert_int_equal(navigator.path.issued.ns, d.now.ns); // behaviour must hear of it
    assert_int_equal(navigator.task.id, 5);
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
    plan();
    assert_true(navigator.path.point_count > 5);
}

// Out, left and back beside the way out: no via-point may be left out before the robot has come near it.
static void via_points_are_passed_in_order(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, -4, -4, 8, 6);
    look_around((cairn_pose2){0, 0, 0});
    const cairn_vec2 round[] = {{1.5, 0}, {3, 0}, {3, 1.5}, {3, 3}, {1.5, 3}, {0, 3}};
    give(6, round);
    plan();
    assert_int_equal(navigator.via_at, 0);
    for (int i = 0; i < 190; i++) { // along it, turning where it turns
        const bool turning = (i >= 62 && i < 79) || (i >= 140 && i < 157);
        for (int k = 0; k < 12; k++) { drive_step(&d, turning ? 0 : 0.5, turning ? 0.9625 : 0); }
        look();
        const uint32_t last = navigator.via_at;
        cairn_navigator_step(&navigator, &tracker, &d.state, &UNDER_WAY, true, d.now);
        assert_true(navigator.via_at == last || navigator.via_at == last + 1);
        if (navigator.via_at == last) { continue; }
        assert_true(cairn_vec2_distance(cairn_pose2_at(drive_private(&d)), round[last]) < 1.5);
    }
    assert_int_equal(navigator.via_at, 5);
}

// Without station and map: back along its own trail, round the corner that it came by.
static void a_robot_finds_home_along_its_own_trail(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 9, 1.6); // an L of corridors
    d.walls.count--;                       // no left wall: close it farther on
    world_add(&d.walls, 0, 1.6, 0, 0);
    d.walls.segments[2] = (world_segment){{7.4, 1.6}, {0, 1.6}};
    d.walls.segments[1] = (world_segment){{9, 0}, {9, 8}};
    world_add(&d.walls, 7.4, 1.6, 7.4, 8);
    world_add(&d.walls, 7.4, 8, 9, 8);
    look_around((cairn_pose2){1, 0.8, 0});
    drive_on(0.5, 0, 150);    // 7.2 m
    drive_on(0, 0.982, 17);   // 95 degrees left
    drive_on(0.5, -0.02, 90); // 4.3 m
    const cairn_robot_task task = {.id = 9, .purpose = CAIRN_PURPOSE_HOME};
    cairn_navigator_give(&navigator, &task);
    plan();
    assert_int_equal(navigator.task_state, CAIRN_TASK_UNDER_WAY);
    const cairn_robot_task *way = &navigator.task;
    assert_true(way->via_count >= 5);
    assert_true(cairn_vec2_length(way->via_m[way->via_count - 1]) < 0.01);
    cairn_vec2 last = cairn_pose2_at(drive_private(&d));
    for (uint32_t i = 0; i < way->via_count; i++) {
        assert_true(cairn_vec2_distance(last, way->via_m[i]) < 2.7);
        last = way->via_m[i];
    }
    assert_true(navigator.path.point_count > 5);
    assert_true(path_clearance_m() > 0.5 * description.width_m);
    assert_true(path_at(1).y < drive_truth(&d).y_m - 2); // down the corridor that it came up
}

// Only home is a place that a robot knows by itself.
static void a_task_without_points_other_than_home_leads_nowhere(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, -4, -4, 8, 4);
    look_around((cairn_pose2){0, 0, 0});
    drive_on(0.5, 0, 60);
    give(0, NULL);
    plan();
    assert_int_equal(navigator.path.point_count, 0);
    assert_int_equal(navigator.task_state, CAIRN_TASK_DONE);
}

// The laser looks over a team-mate's hull: avoidance must know of it, and know it for a hull.
static void near_obstacles_hold_the_outlines_of_teammates_first(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 8, 6);
    look_around((cairn_pose2){1.5, 0.8, 0}); // a wall 0.8 m to the right
    const cairn_pose2 mate = {1.0, 0.4, 0.6};
    navigator.teammates = (cairn_teammates){.count = 1, .mates = {{.at = d.now, .private_T_base = mate}}};
    static cairn_near_obstacles near;
    near = (cairn_near_obstacles){0};
    cairn_navigator_near_obstacles(&navigator, &tracker, &d.state, d.now, &near);
    assert_true(near.hull_count >= 12);
    assert_true(near.point_count > near.hull_count); // the wall
    const double half_x = 0.5 * description.length_m, half_y = 0.5 * description.width_m;
    double low_x = 9, high_x = -9, low_y = 9, high_y = -9;
    for (uint32_t i = 0; i < near.point_count; i++) {
        const cairn_vec2 at = {near.x_m[i], near.y_m[i]};
        if (i >= near.hull_count) {
            assert_true(fabs(at.y + 0.8) < 0.12);
            continue;
        }
        const cairn_vec2 in_mate = cairn_pose2_apply(cairn_pose2_inverse(mate), at);
        assert_true(fabs(in_mate.x) < half_x + 0.1 && fabs(in_mate.y) < half_y + 0.1);
        low_x = fmin(low_x, in_mate.x), high_x = fmax(high_x, in_mate.x);
        low_y = fmin(low_y, in_mate.y), high_y = fmax(high_y, in_mate.y);
    }
    assert_true(low_x <= -half_x && high_x >= half_x && low_y <= -half_y && high_y >= half_y);
}

// A path to a later via-point may keep far from those before it, which must not hold the robot at its end for ever.
static void a_target_that_is_reached_counts_for_the_corners_cut_before_it(void **unused)
{
    (void)unused;
    world_add_box(&d.walls, 0, 0, 10, 10);
    look_around((cairn_pose2){4, 3, 0});
    const cairn_vec2 vias[] = {{2, 0}, {2, 2}, {-2, 2}};
    give(3, vias);
    plan();
    assert_int_equal(navigator.target_at, 1);
    d.state.odom_T_base = (cairn_pose2){1.9, 1.9, 1.0}; // across, 2 m from the first
    plan();
    assert_int_equal(navigator.target_at, 2);
    assert_true(cairn_vec2_distance(path_at(1), (cairn_vec2){2, 5}) < 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_path_leads_around_what_stands_in_the_way, start, finish),
        cmocka_unit_test_setup_teardown(a_path_leads_around_where_it_may_not_be, start, finish),
        cmocka_unit_test_setup_teardown(a_goal_where_it_may_not_be_is_not_gone_to, start, finish),
        cmocka_unit_test_setup_teardown(a_path_is_in_the_frame_of_odometry, start, finish),
        cmocka_unit_test_setup_teardown(a_task_where_the_robot_stands_gives_a_path_to_turn_on, start, finish),
        cmocka_unit_test_setup_teardown(arriving_on_an_old_path_does_not_end_the_task, start, finish),
        cmocka_unit_test_setup_teardown(unknown_ground_is_entered_only_along_the_tasks_way, start, finish),
        cmocka_unit_test_setup_teardown(a_teammate_in_the_corridor_blocks_it_until_it_is_gone, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_goes_slowly_near_a_teammate, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_held_back_for_long_says_so_and_goes_on_trying, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_is_held_backs_out_the_way_it_came, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_that_backs_out_is_led_out_all_the_way, start, finish),
        cmocka_unit_test_setup_teardown(a_paused_robot_keeps_its_task_and_gets_no_path, start, finish),
        cmocka_unit_test_setup_teardown(via_points_are_passed_in_order, start, finish),
        cmocka_unit_test_setup_teardown(a_target_that_is_reached_counts_for_the_corners_cut_before_it, start, finish),
        cmocka_unit_test_setup_teardown(a_robot_finds_home_along_its_own_trail, start, finish),
        cmocka_unit_test_setup_teardown(a_task_without_points_other_than_home_leads_nowhere, start, finish),
        cmocka_unit_test_setup_teardown(near_obstacles_hold_the_outlines_of_teammates_first, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
