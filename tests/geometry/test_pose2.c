// test_pose2.c - the laws of SE(2), by random poses.
#include "base/random.h"
#include "geometry/pose2.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SEED 20817
#define ROUNDS 2000

static cairn_random stream(const char *name)
{
    print_message("seed %d, stream %s\n", SEED, name);
    cairn_random random;
    cairn_random_init(&random, SEED, name);
    return random;
}

static cairn_pose2 random_pose(cairn_random *random)
{
    return (cairn_pose2){cairn_random_between(random, -50, 50), cairn_random_between(random, -50, 50),
                         cairn_angle_wrap(cairn_random_between(random, -10, 10))};
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) { fail_msg("%.17g is not %.17g within %g", a, b, tolerance); }
}

static void assert_same_pose(cairn_pose2 a, cairn_pose2 b)
{
    assert_near(a.x_m, b.x_m, 1e-12 * 100);
    assert_near(a.y_m, b.y_m, 1e-12 * 100);
    assert_near(cairn_angle_between(a.yaw_rad, b.yaw_rad), 0, 1e-14);
}

static void wrapping_keeps_pi_and_turns_minus_pi_into_it(void **state)
{
    (void)state;
    assert_true(cairn_angle_wrap(CAIRN_PI) == CAIRN_PI);
    assert_true(cairn_angle_wrap(-CAIRN_PI) == CAIRN_PI);
    assert_true(cairn_angle_wrap(nextafter(CAIRN_PI, 4)) == nextafter(CAIRN_PI, 4) - 2 * CAIRN_PI);
    assert_true(cairn_angle_wrap(nextafter(-CAIRN_PI, 0)) == nextafter(-CAIRN_PI, 0));
    assert_true(cairn_angle_wrap(nextafter(-CAIRN_PI, -4)) == nextafter(-CAIRN_PI, -4) + 2 * CAIRN_PI);
    assert_true(cairn_angle_wrap(0.0) == 0.0);
    assert_true(cairn_angle_wrap(2 * CAIRN_PI) == 0.0);
    assert_true(cairn_angle_wrap(-2 * CAIRN_PI) == 0.0);
}

// remainder() is exact by the standard, so it is the oracle for the quick branches.
static void wrapping_agrees_with_the_exact_remainder(void **state)
{
    (void)state;
    cairn_random random = stream("wrap");
    for (int i = 0; i < 100000; i++) {
        const double angle = cairn_random_between(&random, -25, 25);
        const double wrapped = cairn_angle_wrap(angle), exact = remainder(angle, 2 * CAIRN_PI);
        assert_true(wrapped > -CAIRN_PI && wrapped <= CAIRN_PI);
        assert_true(wrapped == (exact == -CAIRN_PI ? CAIRN_PI : exact));
        assert_true(cairn_angle_wrap(wrapped) == wrapped);
    }
}

static void the_shortest_turn_crosses_the_back(void **state)
{
    (void)state;
    assert_near(cairn_angle_between(3.0, -3.0), 2 * CAIRN_PI - 6.0, 1e-15);
    assert_near(cairn_angle_between(-3.0, 3.0), 6.0 - 2 * CAIRN_PI, 1e-15);
    assert_true(cairn_angle_between(0.0, -CAIRN_PI) == CAIRN_PI);
}

static void a_known_pose_moves_a_known_point(void **state)
{
    (void)state;
    const cairn_pose2 map_T_base = {1, 2, CAIRN_PI / 2};
    const cairn_vec2 point = cairn_pose2_apply(map_T_base, (cairn_vec2){3, 1});
    assert_near(point.x, 0, 1e-15);
    assert_near(point.y, 5, 1e-15);
    const cairn_vec2 direction = cairn_pose2_rotate(map_T_base, (cairn_vec2){1, 0});
    assert_near(direction.x, 0, 1e-15);
    assert_near(direction.y, 1, 1e-15);
}

static void poses_form_a_group(void **state)
{
    (void)state;
    cairn_random random = stream("group");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_pose2 a = random_pose(&random), b = random_pose(&random), c = random_pose(&random), one = {0, 0, 0};
        assert_same_pose(cairn_pose2_compose(cairn_pose2_compose(a, b), c),
                         cairn_pose2_compose(a, cairn_pose2_compose(b, c)));
        assert_same_pose(cairn_pose2_compose(a, cairn_pose2_inverse(a)), one);
        assert_same_pose(cairn_pose2_compose(cairn_pose2_inverse(a), a), one);
        assert_same_pose(cairn_pose2_compose(a, one), a);
        assert_same_pose(cairn_pose2_compose(one, a), a);
        assert_same_pose(cairn_pose2_between(a, b), cairn_pose2_compose(cairn_pose2_inverse(a), b));
        assert_same_pose(cairn_pose2_compose(a, cairn_pose2_between(a, b)), b);
    }
}

static void composing_is_applying_one_after_the_other(void **state)
{
    (void)state;
    cairn_random random = stream("apply");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_pose2 a = random_pose(&random), b = random_pose(&random), p = random_pose(&random);
        const cairn_vec2 point = cairn_pose2_at(p);
        const cairn_vec2 once = cairn_pose2_apply(cairn_pose2_compose(a, b), point);
        const cairn_vec2 twice = cairn_pose2_apply(a, cairn_pose2_apply(b, point));
        assert_near(cairn_vec2_distance(once, twice), 0, 1e-12);
    }
}

static void blending_meets_both_ends_and_takes_the_short_turn(void **state)
{
    (void)state;
    const cairn_pose2 from = {0, 0, 3.0}, to = {2, -4, -3.0};
    assert_same_pose(cairn_pose2_blend(from, to, 0), from);
    assert_same_pose(cairn_pose2_blend(from, to, 1), to);
    assert_same_pose(cairn_pose2_blend(from, to, 0.5), (cairn_pose2){1, -2, CAIRN_PI});
}

typedef cairn_pose2 (*pair_fn)(cairn_pose2, cairn_pose2);

static cairn_pose2 nudged(cairn_pose2 pose, int axis, double by)
{
    double *part[3] = {&pose.x_m, &pose.y_m, &pose.yaw_rad};
    *part[axis] += by;
    return pose;
}

// Compares the derivative by argument `which` with central differences.
static void check_jacobian(pair_fn fn, cairn_pose2 a, cairn_pose2 b, int which, const double jacobian[9])
{
    const double h = 1e-6;
    for (int column = 0; column < 3; column++) {
        const cairn_pose2 high = which == 0 ? fn(nudged(a, column, h), b) : fn(a, nudged(b, column, h));
        const cairn_pose2 low = which == 0 ? fn(nudged(a, column, -h), b) : fn(a, nudged(b, column, -h));
        assert_near(jacobian[column], (high.x_m - low.x_m) / (2 * h), 1e-7);
        assert_near(jacobian[3 + column], (high.y_m - low.y_m) / (2 * h), 1e-7);
        assert_near(jacobian[6 + column], cairn_angle_between(low.yaw_rad, high.yaw_rad) / (2 * h), 1e-7);
    }
}

static cairn_pose2 inverse_of_first(cairn_pose2 a, cairn_pose2 b)
{
    (void)b;
    return cairn_pose2_inverse(a);
}

// Rounding of coordinates of up to 100 m by steps of 1e-6 leaves about 1e-8.
static void jacobians_agree_with_central_differences(void **state)
{
    (void)state;
    cairn_random random = stream("jacobians");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_pose2 a = random_pose(&random), b = random_pose(&random);
        double by_first[9], by_second[9];
        assert_same_pose(cairn_pose2_compose_jacobians(a, b, by_first, by_second), cairn_pose2_compose(a, b));
        check_jacobian(cairn_pose2_compose, a, b, 0, by_first);
        check_jacobian(cairn_pose2_compose, a, b, 1, by_second);
        assert_same_pose(cairn_pose2_between_jacobians(a, b, by_first, by_second), cairn_pose2_between(a, b));
        check_jacobian(cairn_pose2_between, a, b, 0, by_first);
        check_jacobian(cairn_pose2_between, a, b, 1, by_second);
        assert_same_pose(cairn_pose2_inverse_jacobian(a, by_first), cairn_pose2_inverse(a));
        check_jacobian(inverse_of_first, a, b, 0, by_first);
    }
}

// Loops use frames for speed; missions must come out the same to the bit.
static void a_frame_moves_points_as_its_pose_does(void **state)
{
    (void)state;
    cairn_random random = stream("frames");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_pose2 pose = random_pose(&random);
        const cairn_vec2 point = {cairn_random_between(&random, -9, 9), cairn_random_between(&random, -9, 9)};
        const cairn_vec2 moved = cairn_frame2_apply(cairn_frame2_of(pose), point);
        const cairn_vec2 expected = cairn_vec2_add(cairn_pose2_at(pose), cairn_pose2_rotate(pose, point));
        assert_true(moved.x == expected.x && moved.y == expected.y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrapping_keeps_pi_and_turns_minus_pi_into_it),
        cmocka_unit_test(wrapping_agrees_with_the_exact_remainder),
        cmocka_unit_test(the_shortest_turn_crosses_the_back),
        cmocka_unit_test(a_known_pose_moves_a_known_point),
        cmocka_unit_test(poses_form_a_group),
        cmocka_unit_test(composing_is_applying_one_after_the_other),
        cmocka_unit_test(blending_meets_both_ends_and_takes_the_short_turn),
        cmocka_unit_test(jacobians_agree_with_central_differences),
        cmocka_unit_test(a_frame_moves_points_as_its_pose_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
