// Obstacle avoidance: in rooms and corridors, whatever is wished, the hull touches nothing.
#include "course.h"
#include "rig.h"
#include "robot/behaviour/avoid.h"
#include "robot/behaviour/laser_doubt.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEED 20260714u

// A maze cell's worth of walls: corridors of 1.3 m with a bend, a dead end and a box standing about.
static void build_maze(course *track, cairn_random *random)
{
    course_clear(track);
    course_box(track, (cairn_vec2){0.0, 0.0}, (cairn_vec2){5.2, 3.9});
    course_box(track, (cairn_vec2){1.28, 0.0}, (cairn_vec2){1.33, 2.6});
    course_box(track, (cairn_vec2){2.58, 1.3}, (cairn_vec2){2.63, 3.9});
    course_box(track, (cairn_vec2){3.88, 0.0}, (cairn_vec2){3.93, 2.6});
    const double x = cairn_random_between(random, 1.5, 2.2), y = cairn_random_between(random, 0.2, 0.9);
    course_box(track, (cairn_vec2){x, y}, (cairn_vec2){x + 0.2, y + 0.2});
}

// A pose whose hull is clear of all walls.
static void place_free(course *track, cairn_random *random)
{
    do {
        course_place(track,
                     (cairn_pose2){cairn_random_between(random, 0.4, 4.8), cairn_random_between(random, 0.4, 3.5),
                                   cairn_random_between(random, -CAIRN_PI, CAIRN_PI)});
    } while (course_gap_m(track) < 0.15);
}

// A path straight to some place, walls or no walls: a wish as foolish as can be.
static void foolish_path(course *track, cairn_random *random)
{
    cairn_path *path = cairn_cell_begin(track->cells.path);
    *path = (cairn_path){.issued = track->now, .point_count = 2, .speed_mps_max = 0.6};
    path->points_m[0] = cairn_pose2_at(track->map_T_base);
    path->points_m[1] = (cairn_vec2){cairn_random_between(random, -0.5, 5.7), cairn_random_between(random, -0.5, 4.4)};
    path->face_at_end = cairn_random_below(random, 2) == 0;
    path->end_yaw_rad = cairn_random_between(random, -CAIRN_PI, CAIRN_PI);
    cairn_cell_publish(track->cells.path);
}

// Walls behind that the laser has not seen yet: what a map would tell.
static void tell_near_walls(course *track)
{
    cairn_near_obstacles *near = cairn_cell_begin(track->cells.obstacles);
    near->issued = track->now;
    near->point_count = 0;
    for (uint32_t i = 0; i < track->wall_count; i++) {
        const cairn_vec2 from = track->walls[i].from, edge = cairn_vec2_sub(track->walls[i].to, from);
        const double length = cairn_vec2_length(edge), apart = 0.04;
        for (int k = 0; k * apart <= length; k++) {
            const cairn_vec2 point = cairn_vec2_add(from, cairn_vec2_scale(edge, k * apart / length));
            const bool is_near = cairn_vec2_distance(point, cairn_pose2_at(track->map_T_base)) < 1.0;
            if (!is_near || near->point_count == CAIRN_NEAR_POINTS_MAX) { continue; }
            near->x_m[near->point_count] = (float)point.x;
            near->y_m[near->point_count++] = (float)point.y;
        }
    }
    cairn_cell_publish(track->cells.obstacles);
}

// 10,000 s in all: 500 places, 20 s each, a new foolish wish every 2.5 s.
static void no_wish_makes_the_hull_touch_a_wall(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "avoid/wishes");
    course *track = calloc(1, sizeof *track);
    course_init(track, SEED);
    track->range_noise_m = 0.01;
    double way_m = 0.0, turned_rad = 0.0;
    for (int place = 0; place < 500; place++) {
        build_maze(track, &random);
        place_free(track, &random);
        course_mode(track, CAIRN_MODE_AUTONOMOUS);
        tell_near_walls(track);
        for (int wish = 0; wish < 8; wish++) {
            foolish_path(track, &random);
            for (int i = 0; i < 313; i++) {
                course_step(track);
                way_m += fabs(track->forward_mps) * 0.008;
                turned_rad += fabs(track->turn_radps) * 0.008;
            }
        }
    }
    print_message("seed %u: nearest %.3f m, touching %u periods at up to %.2f m/s, %.0f m and %.0f rad driven\n", SEED,
                  track->gap_m_min, track->touching_count, track->touch_mps_max, way_m, turned_rad);
    assert_int_equal(track->touching_count, 0);
    assert_true(way_m > 500.0); // it did move
    course_finish(track);
    free(track);
}

// An operator may push something aside: into contact, but only creeping.
static void an_operator_can_creep_into_contact_and_no_faster(void **state)
{
    (void)state;
    course *track = calloc(1, sizeof *track);
    course_init(track, SEED);
    course_box(track, (cairn_vec2){-2.0, -2.0}, (cairn_vec2){2.0, 2.0});
    course_mode(track, CAIRN_MODE_TELEOPERATED);
    while (track->touching_count == 0 && track->now.ns < CAIRN_S(60)) {
        course_stick(track, 1.0, 0.0);
        course_step(track);
    }
    assert_true(track->touching_count > 0);
    assert_true(track->touch_mps_max < 0.085);
    course_finish(track);
    free(track);
}

static void without_a_fresh_scan_nothing_moves_by_itself(void **state)
{
    (void)state;
    course *track = calloc(1, sizeof *track);
    course_init(track, SEED);
    course_mode(track, CAIRN_MODE_AUTONOMOUS);
    track->scans_off = true;
    for (int i = 0; i < 200; i++) {
        const cairn_path path = {
            .issued = track->now, .point_count = 1, .points_m = {{3.0, 0.0}}, .speed_mps_max = 0.5};
        cairn_cell_write(track->cells.path, &path, sizeof path);
        course_step(track);
        assert_true(track->command.forward_mps == 0.0 && track->command.turn_radps == 0.0);
    }
    course_finish(track);
    free(track);
}

// A laser that fails near a wall: what it saw last is braked for, then the robot stands.
static void a_laser_that_fails_on_the_way_stops_the_robot_before_the_wall(void **state)
{
    (void)state;
    enum { COVERED, SILENT, FROZEN, EMPTY, NOISY_FROZEN };
    for (int fault = COVERED; fault <= NOISY_FROZEN; fault++) {
        course *track = calloc(1, sizeof *track);
        course_init(track, SEED);
        course_box(track, (cairn_vec2){-2.0, -2.0}, (cairn_vec2){2.0, 2.0});
        course_mode(track, CAIRN_MODE_AUTONOMOUS);
        if (fault == NOISY_FROZEN) { track->range_noise_m = track->description.laser.noise_m = 0.01; }
        for (int i = 0; i < 1000; i++) {
            const bool failed = track->map_T_base.x_m > 1.3; // 0.4 m before the wall
            track->laser_covered = failed && fault == COVERED;
            track->scans_off = failed && fault == SILENT;
            track->laser_frozen = failed && (fault == FROZEN || fault == NOISY_FROZEN);
            track->laser_empty = failed && fault == EMPTY;
            const cairn_path path = {
                .issued = track->now, .point_count = 1, .points_m = {{3.0, 0.0}}, .speed_mps_max = 0.5};
            cairn_cell_write(track->cells.path, &path, sizeof path);
            course_step(track);
        }
        assert_true(track->map_T_base.x_m > 1.3);
        assert_int_equal(track->touching_count, 0);
        assert_true(track->command.forward_mps == 0.0 && track->command.turn_radps == 0.0);
        course_finish(track);
        free(track);
    }
}

static void follow(course *track, const cairn_vec2 *points, uint32_t count)
{
    cairn_path *path = cairn_cell_begin(track->cells.path);
    *path = (cairn_path){.issued = track->now, .point_count = count, .speed_mps_max = 0.5};
    memcpy(path->points_m, points, count * sizeof points[0]);
    cairn_cell_publish(track->cells.path);
}

// Safety is easy for a robot that never moves. Round the maze along the middles of its corridors, and back.
static void corridors_of_1_3_m_are_driven_at_a_good_pace(void **state)
{
    (void)state;
    const cairn_vec2 there[] = {{0.64, 0.6}, {0.64, 1.5}, {0.64, 2.6},  {0.9, 3.1},  {1.3, 3.2},
                                {1.7, 3.1},  {1.95, 2.6}, {1.95, 1.5},  {1.97, 0.9}, {2.2, 0.67},
                                {2.6, 0.65}, {3.0, 0.67}, {3.25, 0.95}, {3.25, 1.5}, {3.25, 2.6},
                                {3.5, 3.1},  {3.9, 3.2},  {4.3, 3.1},   {4.55, 2.6}, {4.55, 0.6}};
    enum { COUNT = sizeof there / sizeof there[0] };
    cairn_vec2 back[COUNT];
    for (int i = 0; i < COUNT; i++) { back[i] = there[COUNT - 1 - i]; }
    cairn_random random;
    cairn_random_init(&random, SEED, "avoid/corridors");
    course *track = calloc(1, sizeof *track);
    course_init(track, SEED);
    track->range_noise_m = 0.01;
    build_maze(track, &random);
    track->wall_count -= 4; // without the box
    course_place(track, (cairn_pose2){0.64, 0.6, 0.5 * CAIRN_PI});
    course_mode(track, CAIRN_MODE_WAYPOINT);
    for (int leg = 0; leg < 2; leg++) {
        const cairn_mono began = track->now;
        do {
            follow(track, leg == 0 ? there : back, COUNT);
            course_run(track, 0.4);
        } while (!course_state(track).arrived && cairn_mono_since(track->now, began) < CAIRN_S(120));
        print_message("leg %d: %.1f s, nearest %.3f m\n", leg, cairn_seconds(cairn_mono_since(track->now, began)),
                      track->gap_m_min);
        assert_true(course_state(track).arrived);
        assert_true(cairn_mono_since(track->now, began) < CAIRN_S(50)); // 11 m
    }
    assert_true(track->gap_m_min > 0.02);
    course_finish(track);
    free(track);
}

// The hull of one robot as the last four walls of another's course.
static void show_to(course *track, const course *other)
{
    track->wall_count -= 4;
    cairn_vec2 corners[4];
    for (int i = 0; i < 4; i++) {
        const cairn_vec2 corner = {i == 0 || i == 3 ? 0.26 : -0.26, i < 2 ? 0.22 : -0.22};
        corners[i] = cairn_pose2_apply(other->map_T_base, corner);
    }
    for (int i = 0; i < 4; i++) { course_wall(track, corners[i], corners[(i + 1) % 4]); }
}

// Each takes the other for a wall that stands; both brake, and together that must be enough.
static void two_robots_that_drive_at_each_other_do_not_touch(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "avoid/two");
    course *both = calloc(2, sizeof *both);
    double nearest = INFINITY;
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 2; i++) {
            course_init(&both[i], SEED + (uint64_t)round);
            both[i].range_noise_m = 0.01;
            course_box(&both[i], (cairn_vec2){-4.0, -0.65}, (cairn_vec2){4.0, 0.65});
            course_box(&both[i], (cairn_vec2){9.0, 0.0}, (cairn_vec2){9.5, 0.5}); // to be replaced
            const double x = (i == 0 ? -1.0 : 1.0) * cairn_random_between(&random, 1.2, 2.5);
            course_place(&both[i], (cairn_pose2){x, cairn_random_between(&random, -0.2, 0.2), i == 0 ? 0.0 : CAIRN_PI});
            course_mode(&both[i], CAIRN_MODE_AUTONOMOUS);
        }
        for (int period = 0; period < 125 * 12; period++) {
            for (int i = 0; i < 2; i++) {
                const cairn_vec2 goal = {i == 0 ? 3.5 : -3.5, 0.0};
                if (period % 60 == 0) { follow(&both[i], &goal, 1); }
                show_to(&both[i], &both[1 - i]);
            }
            for (int i = 0; i < 2; i++) { course_step(&both[i]); }
        }
        for (int i = 0; i < 2; i++) {
            nearest = fmin(nearest, both[i].gap_m_min);
            assert_int_equal(both[i].touching_count, 0);
            course_finish(&both[i]);
        }
    }
    print_message("nearest %.3f m\n", nearest);
    free(both);
}

// ---- ground

// A robot that has been told of sound ground up to a place ahead of it, in a course without walls.
static void on_a_platform(course *track, double edge_m)
{
    course_init(track, 5);
    course_clear(track);
    track->description.range_imager.offered = true;
    course_place(track, (cairn_pose2){0, 0, 0});
    cairn_sound_ground ground = {.low_x = -CAIRN_SEEN_CELLS / 2, .low_y = -CAIRN_SEEN_CELLS / 2};
    for (uint32_t i = 0; i < CAIRN_SEEN_CELLS * CAIRN_SEEN_CELLS; i++) {
        const int32_t x = (int32_t)(i % CAIRN_SEEN_CELLS) + ground.low_x;
        if ((x + 0.5) * CAIRN_SEEN_CELL_M < edge_m) { ground.bits[i >> 3] |= (uint8_t)(1u << (i & 7)); }
    }
    cairn_cell_write(track->cells.ground, &ground, sizeof ground);
}

// Contact tells of walls. Nothing tells of an edge but eyes, so there is no creeping over one.
static void an_operator_is_granted_no_creep_over_an_edge(void **state)
{
    (void)state;
    for (int turned = -1; turned <= 1; turned++) {
        static course track;
        on_a_platform(&track, 1.5);
        course_mode(&track, CAIRN_MODE_TELEOPERATED);
        double far_m = 0;
        for (int i = 0; i < 1250; i++) { // 10 s
            course_stick(&track, 1, 0.4 * turned);
            course_step(&track);
            far_m = fmax(far_m, track.map_T_base.x_m);
            const cairn_vec2 wheel = {0.5 * track.description.wheels.wheelbase_m,
                                      0.5 * track.description.wheels.track_m};
            assert_true(cairn_pose2_apply(track.map_T_base, wheel).x < 1.5);
            assert_true(cairn_pose2_apply(track.map_T_base, (cairn_vec2){wheel.x, -wheel.y}).x < 1.5);
        }
        assert_true(far_m > 0.5);
        course_finish(&track);
    }
}

// The fastest turn to the right, by hand, on a platform that ends at this distance from the middle of the robot.
static double fastest_turn_radps(double edge_m)
{
    static course track;
    on_a_platform(&track, edge_m);
    course_mode(&track, CAIRN_MODE_TELEOPERATED);
    double fastest = 0;
    for (int i = 0; i < 500; i++) {
        course_stick(&track, 0, -1);
        course_step(&track);
        fastest = fmax(fastest, fabs(track.turn_radps));
    }
    course_finish(&track);
    return fastest;
}

// A kerb that nobody looked at is lower than the laser, and met by a corner of the hull that swings out.
static void corners_swing_gently_where_nobody_has_seen_the_ground(void **state)
{
    (void)state;
    static course track;
    course_init(&track, 5);
    const double corner_m = 0.5 * hypot(track.description.length_m, track.description.width_m);
    course_finish(&track);
    const double on_seen = fastest_turn_radps(corner_m + 0.1), over_unseen = fastest_turn_radps(corner_m - 0.03);
    printf("corner at %.3f m: %.2f rad/s over what was seen, %.2f rad/s over what was not\n", corner_m, on_seen,
           over_unseen);
    assert_true(on_seen > 0.9);
    assert_true(over_unseen * corner_m < 0.21);
    assert_true(over_unseen > 0.1); // it gets on
}

// What it was told of is as good as ever, and beyond there is nothing: no look, no way.
static void who_has_not_been_told_of_ground_stands(void **state)
{
    (void)state;
    static course track;
    course_init(&track, 6);
    course_clear(&track);
    track.description.range_imager.offered = true;
    course_place(&track, (cairn_pose2){0, 0, 0});
    course_mode(&track, CAIRN_MODE_TELEOPERATED);
    for (int i = 0; i < 250; i++) {
        course_stick(&track, 1, 0.3);
        course_step(&track);
    }
    assert_true(track.map_T_base.x_m == 0 && track.map_T_base.yaw_rad == 0);
    course_finish(&track);
}

// Its mind was started again on the way.
static void who_rolls_and_has_not_been_told_of_ground_comes_to_rest(void **state)
{
    (void)state;
    static course track;
    course_init(&track, 6);
    course_clear(&track);
    track.description.range_imager.offered = true;
    course_place(&track, (cairn_pose2){0, 0, 0});
    course_mode(&track, CAIRN_MODE_TELEOPERATED);
    track.forward_mps = 0.5;
    for (int i = 0; i < 250; i++) {
        course_stick(&track, 1, 0);
        course_step(&track);
    }
    assert_true(fabs(track.forward_mps) < 0.01);
    course_finish(&track);
}

static void who_sees_no_ground_drives_only_where_its_file_accepts_that(void **state)
{
    (void)state;
    for (int accepts = 0; accepts < 2; accepts++) {
        static course track;
        course_init(&track, 7);
        course_clear(&track);
        track.description.limits.accept_unseen_ground = accepts;
        course_place(&track, (cairn_pose2){0, 0, 0});
        course_mode(&track, CAIRN_MODE_TELEOPERATED);
        for (int i = 0; i < 250; i++) {
            course_stick(&track, 1, 0);
            course_step(&track);
        }
        assert_true((track.map_T_base.x_m > 0.3) == (accepts != 0));
        course_finish(&track);
    }
}

// ---- speed

// Each body by its own file, and none faster than it can brake before what its surroundings show: 1.5 m.
static void a_body_is_sent_at_its_own_speed_within_its_sight(void **state)
{
    (void)state;
    cairn_body_description body = rig_description();
    const double speeds[] = {0.3, 0.6, 1.2, 4.0};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        body.limits.speed_mps_max = speeds[i];
        body.limits.accel_mps2_max = 1.6;
        const double mps = cairn_avoid_speed_mps_max(&body);
        const double stops_m = 0.12 * mps + 0.5 * mps * mps / 0.8;
        assert_true(stops_m < 1.5 - 0.5 * hypot(body.length_m, body.width_m));
        if (speeds[i] < 1.3) { assert_true(mps == speeds[i]); }
    }
}

// ---- doubt

static bool doubts(cairn_laser_doubt *doubt, const cairn_laser_description *laser, cairn_scan_frame *scan,
                   float range_m)
{
    scan->taken = cairn_mono_add(scan->taken, CAIRN_MS(25));
    for (uint32_t i = 0; i < scan->beam_count; i++) { scan->range_m[i] = range_m; }
    return cairn_laser_doubt_step(doubt, laser, scan, (cairn_pose2){0});
}

// Walls leave the view one after another, and then there is nothing: that is no fault.
static void who_comes_out_into_the_open_is_not_blind(void **state)
{
    (void)state;
    static cairn_scan_frame scan = {.beam_count = 200, .range_m_min = 0.1f, .range_m_max = 30};
    const cairn_laser_description laser = {.offered = true, .noise_m = 0.01};
    cairn_laser_doubt doubt = {0};
    for (uint32_t met = 200; met > 0; met--) { // in 5 s
        scan.taken = cairn_mono_add(scan.taken, CAIRN_MS(25));
        for (uint32_t i = 0; i < 200; i++) { scan.range_m[i] = i < met ? 5.0f + 0.001f * (float)(met % 7) : INFINITY; }
        assert_false(cairn_laser_doubt_step(&doubt, &laser, &scan, (cairn_pose2){0}));
    }
    for (int i = 0; i < 400; i++) { assert_false(doubts(&doubt, &laser, &scan, INFINITY)); }
}

static void emptiness_all_at_once_is_doubted_until_something_is_met(void **state)
{
    (void)state;
    static cairn_scan_frame scan = {.beam_count = 200, .range_m_min = 0.1f, .range_m_max = 30};
    const cairn_laser_description laser = {.offered = true, .noise_m = 0.01};
    cairn_laser_doubt doubt = {0};
    for (int i = 0; i < 40; i++) { assert_false(doubts(&doubt, &laser, &scan, INFINITY)); } // it began in the open
    for (int i = 0; i < 40; i++) { assert_false(doubts(&doubt, &laser, &scan, 3.0f + 0.001f * (float)i)); }
    assert_false(doubts(&doubt, &laser, &scan, INFINITY)); // one scan may be lost
    assert_true(doubts(&doubt, &laser, &scan, INFINITY));
    for (int i = 0; i < 400; i++) { assert_true(doubts(&doubt, &laser, &scan, INFINITY)); }
    assert_false(doubts(&doubt, &laser, &scan, 3.0f));
}

// What a laser measures in the middle of a room of 6 x 4 m, having turned and gone.
static void see_room(cairn_scan_frame *scan, cairn_pose2 at, double wrong_m)
{
    scan->taken.ns += CAIRN_MS(25);
    for (uint32_t i = 0; i < scan->beam_count; i++) {
        const double angle = at.yaw_rad + (double)scan->angle_rad_first + i * (double)scan->angle_rad_step;
        const double to_x_m = ((cos(angle) > 0 ? 3.0 : -3.0) - at.x_m) / cos(angle);
        const double to_y_m = ((sin(angle) > 0 ? 2.0 : -2.0) - at.y_m) / sin(angle);
        const double noise_m = 0.01 * (((i * 7919u + (uint32_t)(scan->taken.ns / 1000000)) % 21u) / 10.0 - 1.0);
        scan->range_m[i] = (float)fmax(fmin(to_x_m, to_y_m) + noise_m + wrong_m, 0.0);
    }
}

// A laser that is wrong by the same amount everywhere agrees with itself: only how it became so tells. A robot that
// believes it takes walls to be elsewhere.
static void ranges_that_leap_all_together_are_doubted_until_they_leap_back(void **state)
{
    (void)state;
    static cairn_scan_frame scan = {.beam_count = 540,
                                    .angle_rad_first = -2.35f,
                                    .angle_rad_step = 0.0087f,
                                    .range_m_min = 0.1f,
                                    .range_m_max = 30};
    const cairn_laser_description laser = {.offered = true, .noise_m = 0.01};
    static const double wrongs_m[] = {0.1, 0.6, -0.1, -0.8};
    for (size_t k = 0; k < sizeof wrongs_m / sizeof wrongs_m[0]; k++) {
        static cairn_laser_doubt doubt;
        doubt = (cairn_laser_doubt){0};
        cairn_pose2 at = {-1.0, 0.3, 0.1};
        for (int i = 0; i < 400; i++) { // it goes 1.2 m/s and turns 2 rad/s, more than robots do
            const bool wrong = i >= 100 && i < 300;
            at.x_m = -1.0 + 1.5 * sin(0.02 * i);
            at.yaw_rad = cairn_angle_wrap(0.1 + 0.05 * i);
            see_room(&scan, at, wrong ? wrongs_m[k] : 0.0);
            assert_int_equal(cairn_laser_doubt_step(&doubt, &laser, &scan, at), wrong);
        }
        for (int i = 0; i < 400; i++) { // one scan in ten is wrong
            see_room(&scan, at, i % 10 == 9 ? wrongs_m[k] : 0.0);
            assert_int_equal(cairn_laser_doubt_step(&doubt, &laser, &scan, at), i % 10 == 9);
        }
    }
}

// Another program has seen the laser work: its doubt is taken over by one that begins, and ends in the same way.
static void who_begins_while_the_laser_is_doubted_goes_on_doubting(void **state)
{
    (void)state;
    static cairn_scan_frame scan = {.beam_count = 200, .range_m_min = 0.1f, .range_m_max = 30};
    const cairn_laser_description laser = {.offered = true, .noise_m = 0.01};
    cairn_laser_doubt doubt = {0};
    cairn_laser_doubt_go_on(&doubt, true);
    for (int i = 0; i < 40; i++) { assert_true(doubts(&doubt, &laser, &scan, INFINITY)); }
    assert_false(doubts(&doubt, &laser, &scan, 3.0f));
    cairn_laser_doubt_go_on(&doubt, true); // has seen for itself
    assert_false(doubts(&doubt, &laser, &scan, 3.02f));
}

// It is there to show the ground, which is always there.
static void a_range_imager_that_begins_in_emptiness_is_doubted(void **state)
{
    (void)state;
    static cairn_range_image_frame image = {.taken = {CAIRN_S(1)}, .width_px = 20, .height_px = 10};
    const cairn_range_imager_description imager = {.offered = true, .noise_m = 0.01};
    cairn_laser_doubt doubt = {0};
    assert_false(cairn_image_doubt_step(&doubt, &imager, &image, (cairn_pose2){0})); // one may be lost
    image.taken = cairn_mono_add(image.taken, CAIRN_MS(100));
    assert_true(cairn_image_doubt_step(&doubt, &imager, &image, (cairn_pose2){0}));
    for (uint32_t i = 0; i < 100; i++) { image.millimetres[i] = 1500; }
    image.taken = cairn_mono_add(image.taken, CAIRN_MS(100));
    assert_false(cairn_image_doubt_step(&doubt, &imager, &image, (cairn_pose2){0}));
}

// It looks into the sky at the upper end of each nod.
static void a_laser_that_nods_may_see_nothing_for_a_part_of_its_nod(void **state)
{
    (void)state;
    static cairn_scan_frame scan = {.beam_count = 200, .range_m_min = 0.1f, .range_m_max = 30};
    const cairn_laser_description laser = {
        .offered = true, .noise_m = 0.01, .nod = {.offered = true, .period_s = 1.25}};
    cairn_laser_doubt doubt = {0};
    for (int i = 0; i < 500; i++) {
        const float range_m = i % 50 < 25 ? 2.0f + 0.001f * (float)(i % 50) : INFINITY;
        assert_false(doubts(&doubt, &laser, &scan, range_m));
    }
    bool blind = false;
    for (int i = 0; i < 60; i++) { blind = doubts(&doubt, &laser, &scan, INFINITY); }
    assert_true(blind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_wish_makes_the_hull_touch_a_wall),
        cmocka_unit_test(an_operator_can_creep_into_contact_and_no_faster),
        cmocka_unit_test(without_a_fresh_scan_nothing_moves_by_itself),
        cmocka_unit_test(a_laser_that_fails_on_the_way_stops_the_robot_before_the_wall),
        cmocka_unit_test(corridors_of_1_3_m_are_driven_at_a_good_pace),
        cmocka_unit_test(two_robots_that_drive_at_each_other_do_not_touch),
        cmocka_unit_test(a_body_is_sent_at_its_own_speed_within_its_sight),
        cmocka_unit_test(who_comes_out_into_the_open_is_not_blind),
        cmocka_unit_test(ranges_that_leap_all_together_are_doubted_until_they_leap_back),
        cmocka_unit_test(emptiness_all_at_once_is_doubted_until_something_is_met),
        cmocka_unit_test(who_begins_while_the_laser_is_doubted_goes_on_doubting),
        cmocka_unit_test(a_range_imager_that_begins_in_emptiness_is_doubted),
        cmocka_unit_test(a_laser_that_nods_may_see_nothing_for_a_part_of_its_nod),
        cmocka_unit_test(an_operator_is_granted_no_creep_over_an_edge),
        cmocka_unit_test(corners_swing_gently_where_nobody_has_seen_the_ground),
        cmocka_unit_test(who_has_not_been_told_of_ground_stands),
        cmocka_unit_test(who_rolls_and_has_not_been_told_of_ground_comes_to_rest),
        cmocka_unit_test(who_sees_no_ground_drives_only_where_its_file_accepts_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
