// Metric-based matching in a small world of walls: from where it converges, how exact it is, and what it says of
// itself.
#include "../base/check.h"
#include "matching/mbicp.h"
#include "world.h"

#define SEED 5
#define NOISE_M 0.015
#define DEG (CAIRN_PI / 180)

static cairn_arena arena;
static cairn_scan_points points;

// A room with a nook, a pillar and a slanted wall.
static world make_room(void)
{
    world w = {0};
    world_add_box(&w, -2, -1.5, 5, 4);
    world_add_box(&w, 0.9, 0.7, 1.3, 1.2);
    world_add_box(&w, 3, 2, 3.8, 2.5);
    world_add(&w, -2, 0.5, -1, 2);
    return w;
}

static cairn_mbicp_scan scan_at(const world *w, cairn_pose2 pose, cairn_random *random)
{
    world_scan(w, pose, NOISE_M, 30, random, &points);
    cairn_mbicp_scan scan;
    assert_ok(cairn_mbicp_scan_make(&points, 30, &arena, &scan));
    return scan;
}

static cairn_pose2 random_pose(cairn_random *random, double reach_m, double turn_rad)
{
    return (cairn_pose2){cairn_random_between(random, -reach_m, reach_m),
                         cairn_random_between(random, -reach_m, reach_m),
                         cairn_random_between(random, -turn_rad, turn_rad)};
}

static cairn_match match_one(const cairn_mbicp_scan *reference, const cairn_mbicp_scan *scan, cairn_pose2 guess)
{
    const cairn_mbicp_def def = cairn_mbicp_def_default();
    const cairn_mbicp_reference one = {.scan = reference};
    const cairn_match_prior prior = cairn_match_prior_make(guess, 0.5, 0.5);
    cairn_match match;
    cairn_mbicp_match(&def, &one, 1, scan, &prior, &match);
    return match;
}

static void assert_near(cairn_pose2 got, cairn_pose2 wanted, double off_m, double off_rad)
{
    assert_true(hypot(got.x_m - wanted.x_m, got.y_m - wanted.y_m) < off_m);
    assert_true(fabs(cairn_angle_between(got.yaw_rad, wanted.yaw_rad)) < off_rad);
}

// Odometry on slipping wheels is off by this much between two scans.
static void converges_from_30_cm_and_15_degrees(void **state)
{
    (void)state;
    print_message("seed %d\n", SEED);
    cairn_random random;
    cairn_random_init(&random, SEED, "mbicp basin");
    const world w = make_room();
    for (int i = 0; i < 200; i++) {
        cairn_arena_reset(&arena, 0);
        const cairn_pose2 at = random_pose(&random, 0.5, 3), moved = random_pose(&random, 0.3, 0.4);
        const cairn_mbicp_scan reference = scan_at(&w, at, &random);
        const cairn_mbicp_scan scan = scan_at(&w, cairn_pose2_compose(at, moved), &random);
        const cairn_pose2 off = random_pose(&random, 0.21, 15 * DEG);
        const cairn_match match = match_one(&reference, &scan, cairn_pose2_compose(moved, off));
        assert_true(match.is_trusted);
        assert_near(match.pose, moved, 0.015, 0.3 * DEG);
    }
}

// What a graph makes of a match hangs on its covariance: one that promises too much drags the map along.
static void errors_are_as_large_as_the_covariance_says(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "mbicp covariance");
    const world w = make_room();
    double sum = 0;
    enum { COUNT = 300 };
    for (int i = 0; i < COUNT; i++) {
        cairn_arena_reset(&arena, 0);
        const cairn_pose2 at = random_pose(&random, 0.5, 3), moved = random_pose(&random, 0.3, 0.4);
        const cairn_mbicp_scan reference = scan_at(&w, at, &random);
        const cairn_mbicp_scan scan = scan_at(&w, cairn_pose2_compose(at, moved), &random);
        const cairn_match match = match_one(&reference, &scan, moved);
        const double e[3] = {match.pose.x_m - moved.x_m, match.pose.y_m - moved.y_m,
                             cairn_angle_between(moved.yaw_rad, match.pose.yaw_rad)};
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) { sum += e[r] * match.information[3 * r + c] * e[c]; }
        }
    }
    // Three degrees of freedom: 3 in the mean. Within a factor of three in the deviations, on the safe side.
    print_message("mean of the squared normalised error: %.2f\n", sum / COUNT);
    assert_true(sum / COUNT > 0.33 && sum / COUNT < 6);
}

// Noise of the reference is half of the error; several scans average it away.
static void several_references_are_surer_than_one(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "mbicp references");
    const world w = make_room();
    const cairn_mbicp_def def = cairn_mbicp_def_default();
    double one2 = 0, six2 = 0;
    for (int i = 0; i < 100; i++) {
        cairn_arena_reset(&arena, 0);
        cairn_mbicp_scan scans[6];
        cairn_mbicp_reference references[6];
        for (int k = 0; k < 6; k++) {
            const cairn_pose2 at = random_pose(&random, 0.5, 0.5);
            scans[k] = scan_at(&w, at, &random);
            references[k] = (cairn_mbicp_reference){&scans[k], at};
        }
        const cairn_pose2 truth = random_pose(&random, 0.5, 0.5);
        const cairn_mbicp_scan scan = scan_at(&w, truth, &random);
        const cairn_match_prior prior =
            cairn_match_prior_make(cairn_pose2_compose(truth, random_pose(&random, 0.1, 0.1)), 0.5, 0.5);
        cairn_match one, six;
        cairn_mbicp_match(&def, references, 1, &scan, &prior, &one);
        cairn_mbicp_match(&def, references, 6, &scan, &prior, &six);
        assert_near(six.pose, truth, 0.01, 0.25 * DEG);
        one2 += pow(one.pose.x_m - truth.x_m, 2) + pow(one.pose.y_m - truth.y_m, 2);
        six2 += pow(six.pose.x_m - truth.x_m, 2) + pow(six.pose.y_m - truth.y_m, 2);
    }
    assert_true(six2 < 0.75 * one2);
}

// Along a bare corridor a scan says nothing, and odometry must stand.
static void a_bare_corridor_leaves_the_prior_along_it(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "mbicp corridor");
    world w = {0};
    world_add(&w, -50, -1, 50, -1);
    world_add(&w, -50, 1, 50, 1);
    cairn_arena_reset(&arena, 0);
    const cairn_mbicp_scan reference = scan_at(&w, (cairn_pose2){0}, &random);
    const cairn_mbicp_scan scan = scan_at(&w, (cairn_pose2){0.4, 0.1, 0.1}, &random);
    const cairn_match match = match_one(&reference, &scan, (cairn_pose2){0.5, 0, 0});
    assert_true(match.is_trusted);
    assert_true(match.weakness > 0.95);
    assert_true(fabs(sin(match.weakest_direction_rad)) < 0.05);
    assert_float_equal(match.pose.y_m, 0.1, 0.01);
    assert_float_equal(match.pose.yaw_rad, 0.1, 0.3 * DEG);
    assert_float_equal(match.pose.x_m, 0.5, 0.05);
}

// People walk, doors open: what has moved must not pull.
static void what_moved_does_not_pull(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "mbicp moved");
    for (int i = 0; i < 50; i++) {
        cairn_arena_reset(&arena, 0);
        world before = make_room(), after = make_room();
        world_add_box(&before, -0.9, -1.2, -0.2, -0.7);
        world_add_box(&after, -0.8, -1.1, -0.1, -0.6); // 14 cm on: near enough to be taken for the same
        const cairn_mbicp_scan reference = scan_at(&before, (cairn_pose2){0}, &random);
        const cairn_pose2 moved = random_pose(&random, 0.2, 0.3);
        const cairn_mbicp_scan scan = scan_at(&after, moved, &random);
        const cairn_match match =
            match_one(&reference, &scan, cairn_pose2_compose(moved, random_pose(&random, 0.05, 0.05)));
        assert_near(match.pose, moved, 0.03, 0.8 * DEG);
    }
}

static void a_scan_of_another_place_is_not_trusted(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "mbicp elsewhere");
    const world w = make_room();
    world other = {0};
    world_add_box(&other, -20, -18, 25, 22);
    cairn_arena_reset(&arena, 0);
    const cairn_mbicp_scan reference = scan_at(&w, (cairn_pose2){0}, &random);
    const cairn_mbicp_scan scan = scan_at(&other, (cairn_pose2){0}, &random);
    const cairn_pose2 guess = {0.1, 0.2, 0.3};
    const cairn_match match = match_one(&reference, &scan, guess);
    assert_false(match.is_trusted);
    assert_true((match.doubts & (CAIRN_MATCH_TOO_FEW | CAIRN_MATCH_POOR)) != 0);
    assert_near(match.pose, guess, 1e-12, 1e-12);

    points.count = 0; // a laser that failed
    cairn_mbicp_scan empty;
    assert_ok(cairn_mbicp_scan_make(&points, 30, &arena, &empty));
    assert_false(match_one(&reference, &empty, guess).is_trusted);
    assert_false(match_one(&empty, &scan, guess).is_trusted);
}

static int setup(void **state)
{
    (void)state;
    return cairn_arena_create(&arena, 8 * cairn_mbicp_scan_bytes(WORLD_BEAMS)) == CAIRN_OK ? 0 : 1;
}

static int teardown(void **state)
{
    (void)state;
    cairn_arena_destroy(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converges_from_30_cm_and_15_degrees),
        cmocka_unit_test(errors_are_as_large_as_the_covariance_says),
        cmocka_unit_test(several_references_are_surer_than_one),
        cmocka_unit_test(a_bare_corridor_leaves_the_prior_along_it),
        cmocka_unit_test(what_moved_does_not_pull),
        cmocka_unit_test(a_scan_of_another_place_is_not_trusted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
