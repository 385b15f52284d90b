// Fusing, stick, path and wall following, modes: what each promises, and all of them through the cells.
#include "course.h"
#include "rig.h"
#include "robot/behaviour/fuse.h"
#include "robot/behaviour/surroundings.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SEED 417u

static course *open_course(course *track)
{
    course_init(track, SEED);
    course_box(track, (cairn_vec2){-20.0, -20.0}, (cairn_vec2){20.0, 20.0});
    return track;
}

static cairn_vote random_vote(cairn_random *random)
{
    cairn_vote vote = cairn_vote_none();
    vote.wish = (cairn_motion){cairn_random_between(random, -2.0, 2.0), cairn_random_between(random, -4.0, 4.0)};
    vote.weight = cairn_random_below(random, 3) == 0 ? 0.0 : cairn_random_between(random, 0.0, 10.0);
    vote.turn_radps_offset = cairn_random_between(random, -0.5, 0.5);
    if (cairn_random_below(random, 2) == 0) { vote.forward_mps_min = -cairn_random_between(random, 0.0, 1.0); }
    if (cairn_random_below(random, 2) == 0) { vote.forward_mps_max = cairn_random_between(random, 0.0, 1.0); }
    if (cairn_random_below(random, 2) == 0) { vote.turn_radps_max = cairn_random_between(random, 0.0, 2.0); }
    return vote;
}

static void a_fused_motion_keeps_to_every_limit_of_every_vote(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "fuse");
    print_message("seed %u\n", SEED);
    const cairn_body_limits limits = rig_description().limits;
    for (int round = 0; round < 50000; round++) {
        cairn_vote votes[6];
        const uint32_t count = cairn_random_below(&random, 7);
        for (uint32_t i = 0; i < count; i++) { votes[i] = random_vote(&random); }
        const cairn_motion fused = cairn_fuse(votes, count, &limits);
        assert_true(fabs(fused.forward_mps) <= limits.speed_mps_max && fabs(fused.turn_radps) <= limits.turn_radps_max);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(fused.forward_mps >= votes[i].forward_mps_min && fused.forward_mps <= votes[i].forward_mps_max);
            assert_true(fabs(fused.turn_radps) <= votes[i].turn_radps_max);
        }
    }
}

static void wishes_are_averaged_by_weight_and_without_any_the_robot_stands(void **state)
{
    (void)state;
    const cairn_body_limits limits = rig_description().limits;
    cairn_vote votes[2] = {cairn_vote_for((cairn_motion){0.4, 0.0}, 1.0),
                           cairn_vote_for((cairn_motion){0.0, 0.8}, 3.0)};
    const cairn_motion fused = cairn_fuse(votes, 2, &limits);
    assert_float_equal(fused.forward_mps, 0.1, 1e-12);
    assert_float_equal(fused.turn_radps, 0.6, 1e-12);
    votes[0].weight = votes[1].weight = 0.0;
    votes[0].turn_radps_offset = 0.3;
    const cairn_motion none = cairn_fuse(votes, 2, &limits);
    assert_true(none.forward_mps == 0.0 && none.turn_radps == 0.0);
}

// Each mode by what moves the robot in it: a stick held forward and a path ahead are both there.
static void each_mode_lets_move_only_what_it_names(void **state)
{
    (void)state;
    for (int mode = 0; mode < CAIRN_MODE_COUNT + 1; mode++) {
        course track;
        open_course(&track);
        course_mode(&track, (cairn_mode)mode);
        for (int i = 0; i < 250; i++) {
            course_stick(&track, -0.5, 0.0); // backward
            cairn_path path = {.issued = track.now, .point_count = 1, .points_m = {{5.0, 0.0}}, .speed_mps_max = 0.5};
            cairn_cell_write(track.cells.path, &path, sizeof path);
            course_step(&track);
        }
        const double way = track.map_T_base.x_m;
        const bool by_hand = mode == CAIRN_MODE_TELEOPERATED;
        const bool on_path = mode == CAIRN_MODE_WAYPOINT || mode == CAIRN_MODE_AUTONOMOUS;
        const bool assisted = mode == CAIRN_MODE_ASSISTED_LEFT || mode == CAIRN_MODE_ASSISTED_RIGHT;
        if (by_hand) { assert_true(way < -0.1); }
        if (on_path) { assert_true(way > 0.3); }
        if (!by_hand && !on_path && !assisted) { assert_true(way == 0.0 && track.map_T_base.yaw_rad == 0.0); }
        course_finish(&track);
    }
}

static void before_any_mode_is_ordered_nothing_moves(void **state)
{
    (void)state;
    course track;
    open_course(&track);
    for (int i = 0; i < 100; i++) {
        course_stick(&track, 1.0, 1.0);
        course_step(&track);
        assert_true(track.command.forward_mps == 0.0 && track.command.turn_radps == 0.0);
        assert_int_equal(track.command.issued.ns, track.now.ns); // the watchdog is fed all the same
    }
    course_finish(&track);
}

static void the_stick_is_scaled_to_the_limits(void **state)
{
    (void)state;
    course track;
    open_course(&track);
    course_mode(&track, CAIRN_MODE_TELEOPERATED);
    for (int i = 0; i < 200; i++) {
        course_stick(&track, 0.5, -0.5);
        course_step(&track);
    }
    assert_float_equal(track.command.forward_mps, 0.3, 1e-9);
    assert_float_equal(track.command.turn_radps, -0.75, 1e-9);
    course_finish(&track);
}

static void a_stick_that_is_let_go_or_old_means_zero(void **state)
{
    (void)state;
    for (int let_go = 0; let_go < 2; let_go++) {
        course track;
        open_course(&track);
        course_mode(&track, CAIRN_MODE_TELEOPERATED);
        for (int i = 0; i < 100; i++) {
            course_stick(&track, 1.0, 0.0);
            course_step(&track);
        }
        assert_true(track.command.forward_mps > 0.5);
        if (let_go) {
            const cairn_stick stick = {.received = track.now, .forward = 1.0, .dead_man = false};
            cairn_cell_write(track.cells.stick, &stick, sizeof stick);
        }
        course_run(&track, let_go ? 0.024 : 0.28);
        if (!let_go) { assert_true(track.command.forward_mps > 0.5); }
        if (!let_go) { course_run(&track, 0.048); }
        assert_true(track.command.forward_mps == 0.0);
        course_finish(&track);
    }
}

// Its wheels would be in the hands that hold it.
static void no_stick_turns_the_wheels_of_a_robot_in_the_air(void **state)
{
    (void)state;
    course track;
    open_course(&track);
    course_mode(&track, CAIRN_MODE_TELEOPERATED);
    for (int i = 0; i < 300; i++) {
        course_stick(&track, 1.0, 0.0);
        if (i >= 100 && i < 200) {
            const cairn_in_hands in_hands = {.issued = track.now};
            cairn_cell_write(track.cells.in_hands, &in_hands, sizeof in_hands);
        }
        course_step(&track);
        if (i == 99 || i == 299) { assert_true(track.command.forward_mps > 0.4); }
        if (i >= 110 && i < 200) { assert_true(track.command.forward_mps == 0.0); }
    }
    course_finish(&track);
}

// A smooth random path: a direction that wanders slowly, points 10 cm apart.
static void random_path(cairn_random *random, cairn_path *ret_path)
{
    *ret_path = (cairn_path){.point_count = 20 + cairn_random_below(random, 60), .speed_mps_max = 0.5};
    double yaw = cairn_random_between(random, -CAIRN_PI, CAIRN_PI), bend = 0.0;
    cairn_vec2 at = {0.0, 0.0};
    for (uint32_t i = 0; i < ret_path->point_count; i++) {
        ret_path->points_m[i] = at;
        bend = fmin(fmax(bend + cairn_random_between(random, -0.05, 0.05), -0.15), 0.15);
        yaw += bend;
        at = cairn_vec2_add(at, (cairn_vec2){0.1 * cos(yaw), 0.1 * sin(yaw)});
    }
    ret_path->face_at_end = cairn_random_below(random, 2) == 0;
    ret_path->end_yaw_rad = cairn_random_between(random, -CAIRN_PI, CAIRN_PI);
}

static double off_path_m(const cairn_path *path, cairn_vec2 at)
{
    double nearest = INFINITY;
    for (uint32_t i = 0; i < path->point_count; i++) {
        nearest = fmin(nearest, cairn_vec2_distance(path->points_m[i], at));
    }
    return nearest;
}

// Paths come again every half second from the deliberate level, as they do in the field.
static void random_paths_are_followed_to_their_end_and_heading(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "paths");
    for (int round = 0; round < 60; round++) {
        course track;
        open_course(&track);
        course_mode(&track, CAIRN_MODE_WAYPOINT);
        cairn_path path;
        random_path(&random, &path);
        double furthest = 0.0;
        int periods = 0;
        for (; periods < 125 * 60; periods++) {
            if (periods % 63 == 0) {
                path.issued = track.now;
                cairn_cell_write(track.cells.path, &path, sizeof path);
            }
            course_step(&track);
            furthest = fmax(furthest, off_path_m(&path, cairn_pose2_at(track.map_T_base)));
            if (course_state(&track).arrived && track.forward_mps < 0.001 && fabs(track.turn_radps) < 0.001) { break; }
        }
        const double seconds_max = 10.0 + path.point_count * 0.1 / 0.2;
        assert_true(periods * 0.008 < seconds_max);
        const cairn_vec2 end = path.points_m[path.point_count - 1];
        assert_true(cairn_vec2_distance(end, cairn_pose2_at(track.map_T_base)) < 0.12);
        if (path.face_at_end) {
            assert_true(fabs(cairn_angle_between(track.map_T_base.yaw_rad, path.end_yaw_rad)) < 0.1);
        }
        assert_true(furthest < 0.2);
        course_finish(&track);
    }
}

static void send_to(course *track, cairn_vec2 at_m)
{
    const cairn_path path = {.issued = track->now, .point_count = 1, .points_m = {at_m}, .speed_mps_max = 0.5};
    cairn_cell_write(track->cells.path, &path, sizeof path);
}

static void a_path_older_than_3_s_is_not_followed(void **state)
{
    (void)state;
    course track;
    open_course(&track);
    course_mode(&track, CAIRN_MODE_AUTONOMOUS);
    send_to(&track, (cairn_vec2){15.0, 0.0});
    course_run(&track, 2.9);
    assert_true(track.command.forward_mps > 0.4);
    course_run(&track, 0.2);
    assert_true(track.command.forward_mps == 0.0);
    assert_false(course_state(&track).arrived);
    course_finish(&track);
}

static void a_path_behind_the_robot_is_turned_to_in_place(void **state)
{
    (void)state;
    course track;
    open_course(&track);
    course_mode(&track, CAIRN_MODE_WAYPOINT);
    send_to(&track, (cairn_vec2){-3.0, 0.5});
    course_run(&track, 1.0);
    assert_true(hypot(track.map_T_base.x_m, track.map_T_base.y_m) < 0.02);
    assert_true(track.turn_radps > 0.5);
    course_finish(&track);
}

// Out of a niche where there is no room to turn: the nose keeps pointing into it.
static void a_path_marked_backwards_is_driven_rear_first(void **state)
{
    (void)state;
    course track;
    open_course(&track);
    course_mode(&track, CAIRN_MODE_WAYPOINT);
    const cairn_path path = {.issued = track.now,
                             .point_count = 3,
                             .points_m = {{-0.3, 0.0}, {-0.6, 0.05}, {-0.9, 0.1}},
                             .speed_mps_max = 0.15,
                             .backwards = true};
    cairn_cell_write(track.cells.path, &path, sizeof path);
    course_run(&track, 2.9); // a path is followed for 3 s
    assert_true(track.map_T_base.x_m < -0.2);
    assert_true(fabs(track.map_T_base.yaw_rad) < 0.3);
    course_finish(&track);
}

static void a_wall_is_followed_at_half_a_metre(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        course track;
        course_init(&track, SEED);
        course_box(&track, (cairn_vec2){0.0, 0.0}, (cairn_vec2){8.0, 6.0});
        course_place(&track, (cairn_pose2){4.0, side > 0 ? 5.0 : 1.0, 0.0});
        course_mode(&track, side > 0 ? CAIRN_MODE_ASSISTED_LEFT : CAIRN_MODE_ASSISTED_RIGHT);
        track.stick_held = true;
        course_run(&track, 8.0);
        double way = 0.0, error = 0.0;
        uint32_t count = 0;
        for (int i = 0; i < 125 * 100; i++) { // more than once round the room
            course_step(&track);
            way += track.forward_mps * 0.008;
            if (fabs(track.turn_radps) < 0.1 && track.forward_mps > 0.2) { // along the straight walls
                error += fabs(course_gap_m(&track) - 0.5);
                count++;
            }
        }
        assert_true(way > 20.0);
        assert_true(count > 4000);
        assert_true(error / count < 0.08);
        assert_true(track.gap_m_min > 0.05);
        course_finish(&track);
    }
}

static void in_assisted_mode_the_stick_overrules_the_wall(void **state)
{
    (void)state;
    course track;
    course_init(&track, SEED);
    course_box(&track, (cairn_vec2){0.0, 0.0}, (cairn_vec2){8.0, 6.0});
    course_place(&track, (cairn_pose2){4.0, 5.0, 0.0});
    course_mode(&track, CAIRN_MODE_ASSISTED_LEFT);
    track.stick_held = true;
    course_run(&track, 1.0);
    const double before = track.command.turn_radps;
    track.stick_held = false;
    for (int i = 0; i < 50; i++) {
        course_stick(&track, 0.0, -1.0);
        course_step(&track);
    }
    assert_true(track.command.turn_radps < before - 0.5);
    track.stick_held = true;
    course_run(&track, 1.0); // the stick is at rest: the wall has the say again
    assert_true(track.command.forward_mps > 0.1);
    course_finish(&track);
}

// Who follows a wall for an operator stands when there is none: let go, or not heard for 300 ms. What is told to reflex
// is as old as the stick, so that its watchdog stops the wheels like any that is driven by hand.
static void an_assisted_robot_stands_without_a_held_stick(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const cairn_mode mode = i / 2 ? CAIRN_MODE_ASSISTED_LEFT : CAIRN_MODE_ASSISTED_RIGHT;
        course track;
        open_course(&track);
        course_mode(&track, mode);
        course_run(&track, 1.0);
        assert_true(track.map_T_base.x_m == 0.0); // nobody holds it yet
        track.stick_held = true;
        course_run(&track, 2.0);
        assert_true(track.command.forward_mps > 0.1);
        track.stick_held = false;
        const cairn_mono last = ((const cairn_stick *)cairn_cell_latest(track.cells.stick, NULL))->received;
        if (i % 2) {
            const cairn_stick stick = {.received = track.now, .dead_man = false};
            cairn_cell_write(track.cells.stick, &stick, sizeof stick);
            course_run(&track, 0.024);
        } else {
            course_run(&track, 0.2);
            assert_true(track.command.forward_mps > 0.1);
            assert_int_equal(track.command.issued.ns, last.ns);
            course_run(&track, 0.12);
        }
        assert_true(track.command.forward_mps == 0.0 && track.command.turn_radps == 0.0);
        course_finish(&track);
    }
}

// Wall following needs nothing from above, so it must ask whether anybody is there: a stop could not be heard.
static void without_a_word_from_above_for_a_second_the_robot_stands(void **state)
{
    (void)state;
    course track;
    open_course(&track);
    course_mode(&track, CAIRN_MODE_ASSISTED_LEFT);
    track.stick_held = true;
    course_run(&track, 2.0);
    assert_true(track.forward_mps > 0.1);
    track.deliberate_hangs = true;
    course_run(&track, 0.96);
    assert_true(track.command.forward_mps > 0.1);
    course_run(&track, 0.08);
    assert_true(track.command.forward_mps == 0.0 && track.command.turn_radps == 0.0);
    course_finish(&track);
}

// A tilted robot's beams end on the floor; an upright wall at the same place is still a wall.
static void floor_seen_by_a_tilted_robot_is_no_obstacle(void **state)
{
    (void)state;
    const cairn_body_description description = rig_description();
    const double pitch = 15.0 * CAIRN_PI / 180.0; // nose down
    for (int wall = 0; wall < 2; wall++) {
        static cairn_surroundings around;
        cairn_surroundings_init(&around, &description);
        static cairn_scan_frame scan;
        scan = (cairn_scan_frame){.taken = {1}, .beam_count = 1081, .range_m_min = 0.05f, .range_m_max = 30.0f};
        scan.angle_rad_first = (float)(-0.75 * CAIRN_PI);
        scan.angle_rad_step = (float)(1.5 * CAIRN_PI / 1080);
        for (uint32_t i = 0; i < 1081; i++) {
            const double angle = (double)scan.angle_rad_first + i * (double)scan.angle_rad_step;
            // level floor at the height of the ground contact: 0.28 m below the laser, by the tilted beam
            const double laser_height = 0.28 * cos(pitch) - 0.12 * sin(pitch);
            const double down = cos(angle) * sin(pitch);
            const double floor_m = down > 0.0 ? laser_height / down : INFINITY;
            const double wall_m = wall && cos(angle) > 0.3 ? 0.45 / cos(angle) : INFINITY;
            scan.range_m[i] = (float)fmin(floor_m, wall_m);
        }
        const cairn_reflex_state reflex = {.pitch_rad = pitch};
        cairn_surroundings_look(&around, &reflex, &scan, NULL, (cairn_mono){1});
        if (!wall) { assert_int_equal(around.point_count, 0); }
        if (wall) { assert_true(around.point_count > 10); }
        const cairn_reflex_state level = {0};
        cairn_surroundings_look(&around, &level, &scan, NULL, (cairn_mono){1});
        assert_true(around.point_count > 10); // the same scan taken level would be obstacles
    }
}

// A laser at 0.5 m that nods between 3 degrees up and 21 down, before a floor, a ramp, or a box of 0.3 m.
typedef enum scenery { FLOOR, RAMP, BOX } scenery;
#define THING_M 0.9 // where ramp or box begin, ahead of base

static double met_m(scenery before, cairn_vec3 along)
{
    const double from_x = 0.12, from_z = 0.5;
    double met = along.z < 0 ? from_z / -along.z : INFINITY;
    if (before == RAMP) { // 15 degrees up from THING_M
        const double rise = tan(15 * CAIRN_PI / 180), towards = rise * along.x - along.z;
        const double range = (from_z + rise * (THING_M - from_x)) / towards;
        if (towards > 0 && from_x + range * along.x > THING_M) { met = fmin(met, range); }
    }
    if (before == BOX && along.x > 0) {
        const double range = (THING_M - from_x) / along.x, z = from_z + range * along.z;
        if (z >= 0 && z <= 0.3 && fabs(range * along.y) < 0.3) { met = fmin(met, range); }
    }
    return met;
}

static void look_nodding(cairn_surroundings *around, scenery before, int64_t ns)
{
    static cairn_scan_frame scan;
    scan = (cairn_scan_frame){.taken = {ns}, .beam_count = 1081, .range_m_min = 0.05f, .range_m_max = 30.0f};
    scan.angle_rad_first = (float)(-0.75 * CAIRN_PI);
    scan.angle_rad_step = (float)(1.5 * CAIRN_PI / 1080);
    const double nod = (9 + 12 * sin(2 * CAIRN_PI * cairn_seconds(ns) / 1.25)) * CAIRN_PI / 180;
    scan.nod_rad_first = scan.nod_rad_last = (float)nod;
    for (uint32_t i = 0; i < 1081; i++) {
        const double angle = (double)scan.angle_rad_first + i * (double)scan.angle_rad_step;
        const cairn_vec3 along = {cos(angle) * cos(nod), sin(angle), -cos(angle) * sin(nod)};
        scan.range_m[i] = (float)met_m(before, along);
    }
    const cairn_reflex_state reflex = {0};
    cairn_surroundings_look(around, &reflex, &scan, NULL, (cairn_mono){ns});
}

// Points straight ahead where the box is.
static uint32_t points_ahead(const cairn_surroundings *around)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < around->point_count; i++) {
        count += fabsf(around->x_m[i] - (float)THING_M) < 0.05f && fabsf(around->y_m[i]) < 0.35f;
    }
    return count;
}

static cairn_body_description nodding_description(void)
{
    cairn_body_description description = rig_description();
    description.height_m = 0.62;
    description.limits.climb_rad_max = 20 * CAIRN_PI / 180;
    description.laser.base_T_laser.at_m = (cairn_vec3){0.12, 0, 0.5};
    description.laser.nod = (cairn_nod_description){
        .offered = true, .from_rad = -3 * CAIRN_PI / 180, .to_rad = 21 * CAIRN_PI / 180, .period_s = 1.25};
    return description;
}

static void a_nodding_laser_stops_for_a_low_box_and_not_for_floor_or_ramp(void **state)
{
    (void)state;
    const cairn_body_description description = nodding_description();
    static cairn_surroundings around;
    const scenery sceneries[] = {FLOOR, RAMP, BOX};
    for (int k = 0; k < 3; k++) {
        cairn_surroundings_init(&around, &description);
        for (int64_t ns = CAIRN_S(1); ns < CAIRN_S(6); ns += CAIRN_MS(25)) {
            look_nodding(&around, sceneries[k], ns);
            if (sceneries[k] != BOX) { assert_int_equal(around.point_count, 0); }
            // Seen within the first nod; from then on always there, though most scans go over it.
            if (sceneries[k] == BOX && ns > CAIRN_MS(2250)) { assert_true(points_ahead(&around) > 10); }
        }
    }
    // When it is taken away, the next nods look through where it was.
    for (int64_t ns = CAIRN_S(6); ns < CAIRN_MS(7400); ns += CAIRN_MS(25)) { look_nodding(&around, FLOOR, ns); }
    assert_int_equal(points_ahead(&around), 0);
}

// Who does not know where its laser looks does not see: it might look over everything.
static void a_scan_whose_nod_is_not_known_is_no_look(void **state)
{
    (void)state;
    const cairn_body_description description = nodding_description();
    static cairn_surroundings around;
    cairn_surroundings_init(&around, &description);
    static cairn_scan_frame scan;
    scan = (cairn_scan_frame){.beam_count = 1081, .range_m_min = 0.05f, .range_m_max = 30.0f};
    scan.angle_rad_first = (float)(-0.75 * CAIRN_PI);
    scan.angle_rad_step = (float)(1.5 * CAIRN_PI / 1080);
    for (uint32_t i = 0; i < 1081; i++) { scan.range_m[i] = 5.0f; }
    const cairn_reflex_state reflex = {0};
    const float nods_rad[][2] = {{NAN, 0.1f}, {0.1f, INFINITY}, {0.1f, 0.1f}};
    for (int i = 0; i < 3; i++) {
        scan.taken.ns = CAIRN_S(i + 1);
        scan.nod_rad_first = nods_rad[i][0];
        scan.nod_rad_last = nods_rad[i][1];
        cairn_surroundings_look(&around, &reflex, &scan, NULL, scan.taken);
        assert_int_equal(around.seen, i == 2);
    }
}

// A corridor fills the room for points when a laser nods: it sees each wall at all heights, and noise spreads it. The
// outline of a team-mate, of whom the laser may see only the head, must find room all the same.
static void a_teammates_outline_has_room_among_many_points(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random dice;
    cairn_random_init(&dice, SEED, "tests/outline");
    const cairn_body_description description = nodding_description();
    static cairn_surroundings around;
    static cairn_scan_frame scan;
    static cairn_near_obstacles near;
    cairn_surroundings_init(&around, &description);
    for (uint32_t i = 0; i < 24; i++) { // a mate that passes by, half a metre ahead
        near.x_m[i] = 0.8f + 0.05f * (float)i;
        near.y_m[i] = 0.1f;
    }
    near.point_count = near.hull_count = 24;
    for (int64_t ns = CAIRN_S(1); ns < CAIRN_S(4); ns += CAIRN_MS(25)) {
        scan = (cairn_scan_frame){.taken = {ns}, .beam_count = 1081, .range_m_min = 0.05f, .range_m_max = 30.0f};
        scan.angle_rad_first = (float)(-0.75 * CAIRN_PI);
        scan.angle_rad_step = (float)(1.5 * CAIRN_PI / 1080);
        const double nod = (9 + 12 * sin(2 * CAIRN_PI * cairn_seconds(ns) / 1.25)) * CAIRN_PI / 180;
        scan.nod_rad_first = scan.nod_rad_last = (float)nod;
        for (uint32_t i = 0; i < 1081; i++) {
            const double angle = (double)scan.angle_rad_first + i * (double)scan.angle_rad_step;
            const cairn_vec3 along = {cos(angle) * cos(nod), sin(angle), -cos(angle) * sin(nod)};
            const double wall_m = 0.55 / fmax(fabs(along.y), 1e-6), floor_m = along.z < 0 ? 0.5 / -along.z : INFINITY;
            scan.range_m[i] = (float)(fmin(wall_m, floor_m) + 0.03 * cairn_random_gauss(&dice));
        }
        const cairn_reflex_state reflex = {0};
        cairn_surroundings_look(&around, &reflex, &scan, &near, (cairn_mono){ns});
    }
    assert_true(around.dropped_count > 0); // or it would show nothing
    for (uint32_t i = 0; i < 14; i++) {    // those within reach
        double nearest_m = INFINITY;
        for (uint32_t k = 0; k < around.point_count; k++) {
            nearest_m =
                fmin(nearest_m, hypot((double)(around.x_m[k] - near.x_m[i]), (double)(around.y_m[k] - near.y_m[i])));
        }
        assert_true(nearest_m < 0.05);
    }
}

// What was passed is behind, where the laser does not see, and must not be forgotten, nor worn away, nor grow.
static void points_that_left_the_view_are_kept(void **state)
{
    (void)state;
    course track;
    course_init(&track, SEED);
    track.range_noise_m = 0.01;
    course_box(&track, (cairn_vec2){-1.0, -0.6}, (cairn_vec2){9.0, 0.6});
    course_mode(&track, CAIRN_MODE_TELEOPERATED);
    for (int i = 0; i < 1000; i++) {
        course_stick(&track, 0.5, 0.0);
        course_step(&track);
    }
    course_run(&track, 60.0); // standing: the memory has to last
    const double clearance_m = course_state(&track).clearance_m;
    assert_float_equal(clearance_m, course_gap_m(&track), 0.05);
    course_finish(&track);
}

// The laser contradicts the map where it sees, but it looks over the hull of a team-mate.
static void told_points_in_view_are_left_to_the_laser_except_hulls(void **state)
{
    (void)state;
    const cairn_body_description description = rig_description();
    static cairn_surroundings around;
    cairn_surroundings_init(&around, &description);
    const cairn_reflex_state reflex = {0};
    static cairn_near_obstacles near; // a hull ahead, a wall ahead, a wall behind
    near = (cairn_near_obstacles){.hull_count = 1, .point_count = 3, .x_m = {0.6f, 0.8f, -0.6f}};
    cairn_surroundings_look(&around, &reflex, NULL, &near, (cairn_mono){1});
    assert_int_equal(around.point_count, 2);
    assert_float_equal(around.x_m[0], 0.6f, 0.0);
    assert_float_equal(around.x_m[1], -0.6f, 0.0);
    cairn_surroundings_look(&around, &reflex, NULL, NULL, (cairn_mono){2});
    assert_int_equal(around.point_count, 0); // what was told is not remembered: it is told again, or gone
}

static void blocked_time_grows_only_while_held_back(void **state)
{
    (void)state;
    course track;
    course_init(&track, SEED);
    course_box(&track, (cairn_vec2){-0.45, -0.32}, (cairn_vec2){0.45, 0.32}); // a cage: no way to go or turn
    course_mode(&track, CAIRN_MODE_AUTONOMOUS);
    course_run(&track, 1.0);
    assert_true(course_state(&track).blocked_s == 0.0); // no wish: not blocked
    for (int i = 0; i < 2000; i++) {
        const cairn_path path = {.issued = track.now, .point_count = 1, .points_m = {{3.0, 0.0}}, .speed_mps_max = 0.5};
        if (i % 60 == 0) { cairn_cell_write(track.cells.path, &path, sizeof path); }
        course_step(&track);
    }
    assert_true(course_state(&track).blocked_s > 5.0);
    assert_int_equal(track.touching_count, 0);
    course_clear(&track);
    course_box(&track, (cairn_vec2){-20.0, -20.0}, (cairn_vec2){20.0, 20.0});
    const cairn_path path = {.issued = track.now, .point_count = 1, .points_m = {{3.0, 0.0}}, .speed_mps_max = 0.5};
    cairn_cell_write(track.cells.path, &path, sizeof path);
    course_run(&track, 2.9);
    assert_true(course_state(&track).blocked_s == 0.0);
    course_finish(&track);
}

static void times_and_ways_are_counted_for_the_mode_they_were_spent_in(void **state)
{
    (void)state;
    cairn_mode_tally tally;
    cairn_mode_tally_init(&tally, CAIRN_MODE_IDLE, (cairn_mono){0}, 1.0);
    cairn_mode_tally_step(&tally, CAIRN_MODE_IDLE, (cairn_mono){CAIRN_S(2)}, 1.0);
    cairn_mode_tally_step(&tally, CAIRN_MODE_WAYPOINT, (cairn_mono){CAIRN_S(3)}, 1.25);
    cairn_mode_tally_step(&tally, CAIRN_MODE_STOPPED, (cairn_mono){CAIRN_S(7)}, 3.25);
    assert_int_equal(tally.spent_ns[CAIRN_MODE_IDLE], CAIRN_S(3));
    assert_int_equal(tally.spent_ns[CAIRN_MODE_WAYPOINT], CAIRN_S(4));
    assert_float_equal(tally.travelled_m[CAIRN_MODE_IDLE], 0.25, 0.0);
    assert_float_equal(tally.travelled_m[CAIRN_MODE_WAYPOINT], 2.0, 0.0);
    assert_int_equal(tally.change_count, 2);
    assert_int_equal(tally.since.ns, CAIRN_S(7));
    assert_string_equal(cairn_mode_name(CAIRN_MODE_ASSISTED_LEFT), "assisted left");
    assert_string_equal(cairn_mode_name((cairn_mode)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fused_motion_keeps_to_every_limit_of_every_vote),
        cmocka_unit_test(wishes_are_averaged_by_weight_and_without_any_the_robot_stands),
        cmocka_unit_test(each_mode_lets_move_only_what_it_names),
        cmocka_unit_test(before_any_mode_is_ordered_nothing_moves),
        cmocka_unit_test(the_stick_is_scaled_to_the_limits),
        cmocka_unit_test(a_stick_that_is_let_go_or_old_means_zero),
        cmocka_unit_test(no_stick_turns_the_wheels_of_a_robot_in_the_air),
        cmocka_unit_test(random_paths_are_followed_to_their_end_and_heading),
        cmocka_unit_test(a_path_older_than_3_s_is_not_followed),
        cmocka_unit_test(a_path_behind_the_robot_is_turned_to_in_place),
        cmocka_unit_test(a_path_marked_backwards_is_driven_rear_first),
        cmocka_unit_test(a_wall_is_followed_at_half_a_metre),
        cmocka_unit_test(in_assisted_mode_the_stick_overrules_the_wall),
        cmocka_unit_test(an_assisted_robot_stands_without_a_held_stick),
        cmocka_unit_test(without_a_word_from_above_for_a_second_the_robot_stands),
        cmocka_unit_test(floor_seen_by_a_tilted_robot_is_no_obstacle),
        cmocka_unit_test(a_nodding_laser_stops_for_a_low_box_and_not_for_floor_or_ramp),
        cmocka_unit_test(a_scan_whose_nod_is_not_known_is_no_look),
        cmocka_unit_test(a_teammates_outline_has_room_among_many_points),
        cmocka_unit_test(points_that_left_the_view_are_kept),
        cmocka_unit_test(told_points_in_view_are_left_to_the_laser_except_hulls),
        cmocka_unit_test(blocked_time_grows_only_while_held_back),
        cmocka_unit_test(times_and_ways_are_counted_for_the_mode_they_were_spent_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
