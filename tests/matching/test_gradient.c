// Scan-to-map matching in a small world of walls: from where it converges, how exact it is, what it says of itself, and
// how far a robot that lives by it drifts.
#include "../base/check.h"
#include "matching/gradient.h"
#include "world.h"
#include <stdlib.h>

#define SEED 1

static cairn_arena arena;
static cairn_scan_points points;

static cairn_mono at_s(double s) { return (cairn_mono){cairn_ns_from_seconds(s)}; }

static cairn_local_grid *make_grid(void)
{
    const cairn_local_grid_def def = cairn_local_grid_def_default();
    cairn_arena_reset(&arena, 0);
    cairn_local_grid *grid = NULL;
    assert_ok(cairn_local_grid_create(&def, &arena, &grid));
    return grid;
}

// A room with a nook, a pillar and a slanted wall.
static world make_room(void)
{
    world w = {0};
    world_add_box(&w, -2, -1.5, 3, 2);
    world_add_box(&w, 0.9, 0.7, 1.3, 1.2);
    world_add(&w, -2, 0.5, -1, 2);
    return w;
}

// The room seen from a few places at known poses.
static void map_room(cairn_local_grid *grid, const world *w, cairn_random *random)
{
    for (int i = 0; i < 12; i++) {
        const cairn_pose2 pose = {0.1 * cos(i), 0.1 * sin(i), 0.5 * i};
        world_scan(w, pose, 0.01, 30, random, &points);
        cairn_local_grid_add(grid, pose, &points, at_s(0.1 * i));
    }
}

static cairn_match_def loose_def(void)
{
    cairn_match_def def = cairn_match_def_default();
    def.prior_xy_m = 0.3, def.prior_yaw_rad = 0.2;
    return def;
}

static void converges_from_20_cm_and_10_degrees(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "test/basin");
    const world w = make_room();
    cairn_local_grid *grid = make_grid();
    map_room(grid, &w, &random);
    const cairn_match_def def = loose_def();
    for (int i = 0; i < 300; i++) {
        const cairn_pose2 truth = {cairn_random_between(&random, -0.3, 0.5), cairn_random_between(&random, -0.4, 0.3),
                                   cairn_random_between(&random, -3.1, 3.1)};
        const double off_m = cairn_random_between(&random, 0, 0.2), way = cairn_random_between(&random, -3.1, 3.1);
        const cairn_pose2 guess = {truth.x_m + off_m * cos(way), truth.y_m + off_m * sin(way),
                                   truth.yaw_rad + cairn_random_between(&random, -1, 1) * 10 * CAIRN_PI / 180};
        world_scan(&w, truth, 0.01, 30, &random, &points);
        cairn_match match;
        cairn_match_gradient(&def, grid, &points, guess, at_s(1.5), &match);
        assert_true(match.is_trusted && match.score > 0.8);
        assert_true(hypot(match.pose.x_m - truth.x_m, match.pose.y_m - truth.y_m) < 0.01);
        assert_true(fabs(cairn_angle_between(match.pose.yaw_rad, truth.yaw_rad)) < 0.005);
    }
}

// Whatever the place within a cell, the mean error is zero: under a millimetre here, where cells are 50 mm.
static void has_no_bias_towards_the_cells(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/bias");
    const cairn_match_def def = loose_def();
    double worst_m = 0, worst_rad = 0;
    for (int place = 0; place < 6; place++) {
        const double shift = 0.00833 * place; // of the whole room against the grid
        world w = make_room();
        for (uint32_t k = 0; k < w.count; k++) {
            w.segments[k].a.x += shift, w.segments[k].a.y += 0.7 * shift;
            w.segments[k].b.x += shift, w.segments[k].b.y += 0.7 * shift;
        }
        cairn_local_grid *grid = make_grid();
        map_room(grid, &w, &random);
        double x = 0, y = 0, yaw = 0;
        for (int i = 0; i < 40; i++) {
            const cairn_pose2 truth = {0.2, 0.1, 0.4};
            const cairn_pose2 guess = {0.2 + 0.02 * cairn_random_gauss(&random),
                                       0.1 + 0.02 * cairn_random_gauss(&random),
                                       0.4 + 0.01 * cairn_random_gauss(&random)};
            world_scan(&w, truth, 0.01, 30, &random, &points);
            cairn_match match;
            cairn_match_gradient(&def, grid, &points, guess, at_s(1.5), &match);
            x += (match.pose.x_m - truth.x_m) / 40, y += (match.pose.y_m - truth.y_m) / 40;
            yaw += (match.pose.yaw_rad - truth.yaw_rad) / 40;
        }
        worst_m = fmax(worst_m, hypot(x, y)), worst_rad = fmax(worst_rad, fabs(yaw));
    }
    print_message("worst mean error %.2f mm, %.2f mrad\n", 1e3 * worst_m, 1e3 * worst_rad);
    assert_true(worst_m < 0.001);
    assert_true(worst_rad < 0.001);
}

// A bare corridor along 0.3 rad, longer than the laser is used: the scan cannot say where along it the robot is.
static void a_corridor_is_weak_along_itself_and_the_prior_holds(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/corridor");
    world w = {0};
    const double c = cos(0.3), s = sin(0.3);
    world_add(&w, -40 * c + 0.7 * s, -40 * s - 0.7 * c, 40 * c + 0.7 * s, 40 * s - 0.7 * c);
    world_add(&w, -40 * c - 0.7 * s, -40 * s + 0.7 * c, 40 * c - 0.7 * s, 40 * s + 0.7 * c);
    cairn_local_grid *grid = make_grid();
    for (int i = 0; i < 10; i++) {
        world_scan(&w, (cairn_pose2){0, 0, 0.3 + 0.2 * i}, 0.01, 30, &random, &points);
        cairn_local_grid_add(grid, (cairn_pose2){0, 0, 0.3 + 0.2 * i}, &points, at_s(0.1 * i));
    }
    const cairn_match_def def = cairn_match_def_default();
    const cairn_pose2 guess = {0.03 * c - 0.05 * s, 0.03 * s + 0.05 * c, 0.32}; // 3 cm along, 5 cm across
    world_scan(&w, (cairn_pose2){0, 0, 0.3}, 0.01, 30, &random, &points);
    cairn_match match;
    cairn_match_gradient(&def, grid, &points, guess, at_s(1), &match);
    assert_true(match.is_trusted);
    assert_true(match.weakness > 0.98);
    assert_true(fabs(sin(match.weakest_direction_rad - 0.3)) < 0.05);
    const double along = match.pose.x_m * c + match.pose.y_m * s;
    const double across = -match.pose.x_m * s + match.pose.y_m * c;
    assert_float_equal(along, 0.03, 0.005);
    assert_float_equal(across, 0, 0.005);
    assert_float_equal(match.pose.yaw_rad, 0.3, 0.002);
}

// On a ramp the laser sees only the corridor's sides, and wheels slip. When the end comes into view again, one match
// must put the robot right, although nearly all of the scan fits the map as it is.
static void the_end_of_a_corridor_puts_the_place_along_it_right(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/end");
    world w = {0};
    world_add_box(&w, -6, -0.68, 3, 0.68);
    cairn_local_grid *grid = make_grid();
    for (int i = 0; i < 10; i++) {
        world_scan(&w, (cairn_pose2){0.1 * i, 0, 0}, 0.01, 30, &random, &points);
        cairn_local_grid_add(grid, (cairn_pose2){0.1 * i, 0, 0}, &points, at_s(0.1 * i));
    }
    const cairn_match_def def = cairn_match_def_default();
    for (int off_cm = -24; off_cm <= 24; off_cm += 3) {
        world_scan(&w, (cairn_pose2){0.5, 0.05, 0.02}, 0.01, 30, &random, &points);
        cairn_match match;
        cairn_match_gradient(&def, grid, &points, (cairn_pose2){0.5 + 0.01 * off_cm, 0.05, 0.02}, at_s(1), &match);
        assert_true(match.is_trusted);
        assert_float_equal(match.pose.x_m, 0.5, 0.005);
    }
}

// Where no end is in sight, openings tell how far the robot has come. Scan after scan the guess is 3 cm too far.
static void openings_hold_the_place_along_a_corridor(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/openings");
    world w = {0};
    world_add(&w, -40, -0.68, 40, -0.68);
    world_add_box(&w, -40, 0.68, 0.5, 0.76);
    world_add_box(&w, 1.8, 0.68, 40, 0.76);
    world_add(&w, -40, 3, 40, 3);
    cairn_local_grid *grid = make_grid();
    for (int i = 0; i < 10; i++) {
        world_scan(&w, (cairn_pose2){0.05 * i, 0, 0}, 0.01, 30, &random, &points);
        cairn_local_grid_add(grid, (cairn_pose2){0.05 * i, 0, 0}, &points, at_s(0.1 * i));
    }
    cairn_match_def def = cairn_match_def_default();
    cairn_pose2 pose = {0.45, 0, 0};
    for (int i = 0; i < 30; i++) {
        const cairn_pose2 guess = {pose.x_m + 0.03, pose.y_m, pose.yaw_rad};
        world_scan(&w, (cairn_pose2){0.45, 0, 0}, 0.01, 30, &random, &points);
        cairn_match match;
        cairn_match_gradient(&def, grid, &points, guess, at_s(1), &match);
        pose = match.pose;
    }
    assert_float_equal(pose.x_m, 0.45, 0.05); // alone it would be off by 0.9
}

static void a_room_is_weak_in_no_direction(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/room");
    const world w = make_room();
    cairn_local_grid *grid = make_grid();
    map_room(grid, &w, &random);
    const cairn_match_def def = cairn_match_def_default();
    cairn_match match;
    world_scan(&w, (cairn_pose2){0, 0, 0}, 0.01, 30, &random, &points);
    cairn_match_gradient(&def, grid, &points, (cairn_pose2){0.01, 0, 0}, at_s(1.5), &match);
    assert_true(match.weakness < 0.5);
    assert_true(match.information[0] > 1e4 && match.information[4] > 1e4 && match.information[8] > 1e4);
}

// Another robot, half a metre wide and a metre away, that was not there when the map was made.
static void a_newcomer_in_view_does_not_pull(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/newcomer");
    world w = make_room();
    cairn_local_grid *grid = make_grid();
    map_room(grid, &w, &random);
    world_add_box(&w, 1.0, -0.4, 1.5, 0.1);
    const cairn_match_def def = cairn_match_def_default();
    cairn_match match;
    for (int i = 0; i < 20; i++) {
        world_scan(&w, (cairn_pose2){0, 0, 0}, 0.01, 30, &random, &points);
        cairn_match_gradient(&def, grid, &points, (cairn_pose2){0.02, -0.01, 0.01}, at_s(1.5), &match);
        assert_true(match.is_trusted);
        assert_true(hypot(match.pose.x_m, match.pose.y_m) < 0.004);
        assert_true(fabs(match.pose.yaw_rad) < 0.002);
    }
}

static void an_empty_map_or_scan_leaves_the_guess(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "test/empty");
    const world w = make_room();
    cairn_local_grid *grid = make_grid();
    const cairn_match_def def = cairn_match_def_default();
    const cairn_pose2 guess = {0.3, 0.2, 0.1};
    cairn_match match;
    world_scan(&w, guess, 0.01, 30, &random, &points);
    cairn_match_gradient(&def, grid, &points, guess, at_s(1), &match);
    assert_false(match.is_trusted);
    assert_memory_equal(&match.pose, &guess, sizeof guess);
    map_room(grid, &w, &random);
    points.count = 0;
    cairn_match_gradient(&def, grid, &points, guess, at_s(1), &match);
    assert_false(match.is_trusted);
    assert_memory_equal(&match.pose, &guess, sizeof guess);
    assert_true(match.weakness == 1);
}

// A robot that lives by the matcher, as gradient.h says that it should be used.
typedef struct drive_result {
    double off_m, off_rad, driven_m;
    int refused_count;
} drive_result;

static drive_result drive_maze(uint64_t seed, double metres)
{
    cairn_random random, laser;
    cairn_random_init(&random, seed, "test/maze");
    cairn_random_init(&laser, seed, "test/laser");
    maze m;
    maze_make(&m, 7, 1.44, 0.15, &random);
    static world w;
    w.count = 0;
    maze_build(&m, 0.08, &w);
    maze_driver driver = {.m = &m, .before = -1, .at = {0.72, 0.72, 0}, .speed_mps = 0.5, .turn_radps_max = 1.2};
    cairn_random_init(&driver.random, seed, "test/driver");
    world_odometry odometry = {.gyro_bias_radps = 0.003};
    cairn_random_init(&odometry.random, seed, "test/odometry");

    cairn_local_grid *grid = make_grid();
    cairn_match_def def = cairn_match_def_default();
    const cairn_pose2 start = driver.at;
    cairn_pose2 before = start, pose = {0, 0, 0}, mapped = pose;
    drive_result result = {0};
    for (int step = 0; result.driven_m < metres; step++) {
        for (int i = 0; i < 10; i++) { maze_drive(&driver, 0.01); }
        const cairn_mono now = at_s(0.1 * step);
        const cairn_pose2 moved = world_odometry_step(&odometry, before, driver.at, 0.1);
        result.driven_m += cairn_vec2_distance(cairn_pose2_at(before), cairn_pose2_at(driver.at));
        before = driver.at;
        world_scan(&w, driver.at, 0.01, 30, &laser, &points);

        const cairn_pose2 guess = cairn_pose2_compose(pose, moved);
        cairn_match match;
        cairn_match_def_set_motion(&def, cairn_vec2_length(cairn_pose2_at(moved)), moved.yaw_rad);
        cairn_match_gradient(&def, grid, &points, guess, now, &match);
        pose = match.pose;
        result.refused_count += !match.is_trusted;
        const cairn_pose2 since = cairn_pose2_between(mapped, pose);
        if (step == 0 || cairn_vec2_length(cairn_pose2_at(since)) > 0.05 || fabs(since.yaw_rad) > 0.05 ||
            step % 5 == 0) {
            cairn_local_grid_centre(grid, cairn_pose2_at(pose));
            cairn_local_grid_add(grid, pose, &points, now);
            mapped = pose;
        }
    }
    const cairn_pose2 off = cairn_pose2_between(cairn_pose2_between(start, driver.at), pose);
    result.off_m = cairn_vec2_length(cairn_pose2_at(off)), result.off_rad = off.yaw_rad;
    return result;
}

static void drifts_less_than_3_cm_and_a_third_of_a_degree_in_100_m_of_maze(void **state)
{
    (void)state;
    for (uint64_t seed = SEED; seed < SEED + 2; seed++) {
        const drive_result result = drive_maze(seed, 100);
        print_message("seed %d: off by %.1f mm and %.2f degrees after %.0f m\n", (int)seed, 1e3 * result.off_m,
                      result.off_rad * 180 / CAIRN_PI, result.driven_m);
        assert_true(result.off_m < 0.03);
        assert_true(fabs(result.off_rad) < 0.3 * CAIRN_PI / 180);
        assert_int_equal(result.refused_count, 1); // the first: there is no map yet
    }
}

int main(void)
{
    if (cairn_arena_create(&arena, 32 << 20) != CAIRN_OK) { return 1; }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converges_from_20_cm_and_10_degrees),
        cmocka_unit_test(has_no_bias_towards_the_cells),
        cmocka_unit_test(a_corridor_is_weak_along_itself_and_the_prior_holds),
        cmocka_unit_test(the_end_of_a_corridor_puts_the_place_along_it_right),
        cmocka_unit_test(openings_hold_the_place_along_a_corridor),
        cmocka_unit_test(a_room_is_weak_in_no_direction),
        cmocka_unit_test(a_newcomer_in_view_does_not_pull),
        cmocka_unit_test(an_empty_map_or_scan_leaves_the_guess),
        cmocka_unit_test(drifts_less_than_3_cm_and_a_third_of_a_degree_in_100_m_of_maze),
    };
    const int failed = cmocka_run_group_tests_name("gradient", tests, NULL, NULL);
    cairn_arena_destroy(&arena);
    return failed;
}
