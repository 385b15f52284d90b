// test_pose3.c - quaternions and SE(3), by random turns and against rotation matrices.
#include "base/random.h"
#include "geometry/pose3.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SEED 33091
#define ROUNDS 1000

static cairn_random stream(const char *name)
{
    print_message("seed %d, stream %s\n", SEED, name);
    cairn_random random;
    cairn_random_init(&random, SEED, name);
    return random;
}

static cairn_vec3 random_point(cairn_random *random)
{
    return (cairn_vec3){cairn_random_between(random, -20, 20), cairn_random_between(random, -20, 20),
                        cairn_random_between(random, -5, 5)};
}

static cairn_quat random_turn(cairn_random *random)
{
    return cairn_quat_normalise((cairn_quat){cairn_random_gauss(random), cairn_random_gauss(random),
                                             cairn_random_gauss(random), cairn_random_gauss(random)});
}

static cairn_pose3 random_pose(cairn_random *random)
{
    const cairn_vec3 at = random_point(random);
    return (cairn_pose3){at, random_turn(random)};
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) { fail_msg("%.17g is not %.17g within %g", a, b, tolerance); }
}

static void assert_same_point(cairn_vec3 a, cairn_vec3 b, double tolerance)
{
    assert_near(cairn_vec3_length(cairn_vec3_sub(a, b)), 0, tolerance);
}

// q and -q are the same turn; the vector part of the difference is half the angle between them.
static void assert_same_turn(cairn_quat a, cairn_quat b, double tolerance)
{
    const cairn_quat d = cairn_quat_multiply(cairn_quat_conjugate(a), b);
    assert_near(fabs(d.w), 1, 1e-12);
    assert_near(cairn_vec3_length((cairn_vec3){d.x, d.y, d.z}), 0, tolerance);
}

static void assert_same_pose(cairn_pose3 a, cairn_pose3 b)
{
    assert_same_point(a.at_m, b.at_m, 1e-12);
    assert_same_turn(a.turn, b.turn, 1e-14);
}

static void turns_about_the_axes_go_the_right_way(void **state)
{
    (void)state;
    const double quarter = CAIRN_PI / 2;
    const cairn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    assert_same_point(cairn_quat_rotate(cairn_quat_from_axis(z, quarter), x), y, 1e-15);
    assert_same_point(cairn_quat_rotate(cairn_quat_from_axis(x, quarter), y), z, 1e-15);
    assert_same_point(cairn_quat_rotate(cairn_quat_from_axis(y, quarter), z), x, 1e-15);
    assert_same_point(cairn_quat_rotate(cairn_quat_from_axis((cairn_vec3){0, 0, 7}, quarter), x), y, 1e-15);
    // REP-103: nose down is a positive pitch
    const cairn_quat down = cairn_quat_from_rpy((cairn_rpy){0, 0.1, 0});
    assert_true(cairn_quat_rotate(down, x).z < 0);
}

static void fixed_axis_angles_are_roll_then_pitch_then_yaw(void **state)
{
    (void)state;
    cairn_random random = stream("fixed axes");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_rpy rpy = {cairn_random_between(&random, -3, 3), cairn_random_between(&random, -1.5, 1.5),
                               cairn_random_between(&random, -3, 3)};
        const cairn_quat roll = cairn_quat_from_axis((cairn_vec3){1, 0, 0}, rpy.roll_rad);
        const cairn_quat pitch = cairn_quat_from_axis((cairn_vec3){0, 1, 0}, rpy.pitch_rad);
        const cairn_quat yaw = cairn_quat_from_axis((cairn_vec3){0, 0, 1}, rpy.yaw_rad);
        assert_same_turn(cairn_quat_from_rpy(rpy), cairn_quat_multiply(yaw, cairn_quat_multiply(pitch, roll)), 1e-14);
        const cairn_rpy back = cairn_quat_to_rpy(cairn_quat_from_rpy(rpy));
        assert_near(back.roll_rad, rpy.roll_rad, 1e-12); // cos(1.5 rad) costs one digit
        assert_near(back.pitch_rad, rpy.pitch_rad, 1e-14);
        assert_near(back.yaw_rad, rpy.yaw_rad, 1e-12);
    }
}

// At and next to gimbal lock roll and yaw are not unique, but the turn that they spell is.
static void angles_spell_the_turn_in_gimbal_lock_too(void **state)
{
    (void)state;
    cairn_random random = stream("gimbal lock");
    const double off[] = {0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-4};
    for (int i = 0; i < ROUNDS; i++) {
        const double pitch = (i % 2 ? 1 : -1) * (CAIRN_PI / 2 - off[i % 6]);
        const cairn_quat turn = cairn_quat_from_rpy(
            (cairn_rpy){cairn_random_between(&random, -3, 3), pitch, cairn_random_between(&random, -3, 3)});
        const cairn_rpy back = cairn_quat_to_rpy(turn);
        assert_true(fabs(back.pitch_rad) <= CAIRN_PI / 2);
        assert_true(fabs(back.roll_rad) <= CAIRN_PI && fabs(back.yaw_rad) <= CAIRN_PI);
        assert_same_turn(cairn_quat_from_rpy(back), turn, 1e-11);
    }
    const cairn_rpy locked = cairn_quat_to_rpy(cairn_quat_from_rpy((cairn_rpy){0.5, CAIRN_PI / 2, 0.2}));
    assert_near(locked.roll_rad, 0, 0);
    assert_near(locked.yaw_rad, -0.3, 1e-14);
}

static void rotating_agrees_with_the_sandwich_product_and_with_the_matrix(void **state)
{
    (void)state;
    cairn_random random = stream("rotate");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_quat q = random_turn(&random);
        const cairn_vec3 v = random_point(&random);
        const cairn_quat s =
            cairn_quat_multiply(cairn_quat_multiply(q, (cairn_quat){0, v.x, v.y, v.z}), cairn_quat_conjugate(q));
        assert_same_point(cairn_quat_rotate(q, v), (cairn_vec3){s.x, s.y, s.z}, 1e-13);
        assert_near(cairn_vec3_length(cairn_quat_rotate(q, v)), cairn_vec3_length(v), 1e-13);
        double r[9];
        cairn_quat_to_matrix(q, r);
        const cairn_vec3 by_matrix = {r[0] * v.x + r[1] * v.y + r[2] * v.z, r[3] * v.x + r[4] * v.y + r[5] * v.z,
                                      r[6] * v.x + r[7] * v.y + r[8] * v.z};
        assert_same_point(by_matrix, (cairn_vec3){s.x, s.y, s.z}, 1e-13);
    }
}

static void logarithm_and_exponential_undo_each_other(void **state)
{
    (void)state;
    cairn_random random = stream("exp and log");
    for (int i = 0; i < ROUNDS; i++) {
        const double size = pow(10, cairn_random_between(&random, -12, 0)) * (CAIRN_PI - 1e-6);
        const cairn_vec3 axis = cairn_quat_rotate(random_turn(&random), (cairn_vec3){1, 0, 0});
        const cairn_vec3 rotation = cairn_vec3_scale(axis, size);
        assert_same_turn(cairn_quat_exp(rotation), cairn_quat_from_axis(axis, size), 1e-15);
        const cairn_vec3 back = cairn_quat_log(cairn_quat_exp(rotation));
        assert_same_point(back, rotation, 1e-14 * size + 1e-18);
        const cairn_quat q = cairn_quat_exp(rotation), minus = {-q.w, -q.x, -q.y, -q.z};
        assert_same_point(cairn_quat_log(minus), back, 0);
    }
}

static void slerp_turns_evenly_the_short_way(void **state)
{
    (void)state;
    cairn_random random = stream("slerp");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_quat from = random_turn(&random), to = random_turn(&random);
        const double part = cairn_random_uniform(&random);
        assert_same_turn(cairn_quat_slerp(from, to, 0), from, 1e-14);
        assert_same_turn(cairn_quat_slerp(from, to, 1), to, 1e-14);
        const cairn_quat whole = cairn_quat_multiply(cairn_quat_conjugate(from), to);
        const cairn_quat some = cairn_quat_multiply(cairn_quat_conjugate(from), cairn_quat_slerp(from, to, part));
        assert_near(cairn_vec3_length(cairn_quat_log(some)), part * cairn_vec3_length(cairn_quat_log(whole)), 1e-12);
    }
}

static void poses_form_a_group(void **state)
{
    (void)state;
    cairn_random random = stream("group");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_pose3 a = random_pose(&random), b = random_pose(&random), c = random_pose(&random);
        const cairn_pose3 one = cairn_pose3_identity();
        assert_same_pose(cairn_pose3_compose(cairn_pose3_compose(a, b), c),
                         cairn_pose3_compose(a, cairn_pose3_compose(b, c)));
        assert_same_pose(cairn_pose3_compose(a, cairn_pose3_inverse(a)), one);
        assert_same_pose(cairn_pose3_compose(cairn_pose3_inverse(a), a), one);
        assert_same_pose(cairn_pose3_compose(one, a), a);
        assert_same_pose(cairn_pose3_between(a, b), cairn_pose3_compose(cairn_pose3_inverse(a), b));
        const cairn_vec3 point = random_point(&random);
        assert_same_point(cairn_pose3_apply(cairn_pose3_compose(a, b), point),
                          cairn_pose3_apply(a, cairn_pose3_apply(b, point)), 1e-12);
    }
}

// exp(d) is the limit of many small moves, each of which is a shift and a turn to first order.
static void the_exponential_is_the_limit_of_many_small_moves(void **state)
{
    (void)state;
    cairn_random random = stream("small moves");
    for (int i = 0; i < 20; i++) {
        double d[6];
        for (int k = 0; k < 6; k++) { d[k] = cairn_random_between(&random, -1, 1); }
        const int doublings = 20;
        const double by = 1.0 / (1 << doublings);
        cairn_pose3 move = {{d[0] * by, d[1] * by, d[2] * by},
                            cairn_quat_exp((cairn_vec3){d[3] * by, d[4] * by, d[5] * by})};
        for (int k = 0; k < doublings; k++) { move = cairn_pose3_compose(move, move); }
        const cairn_pose3 whole = cairn_pose3_exp(d);
        assert_same_point(move.at_m, whole.at_m, 4.0 * by); // first order: half |w||v| by
        assert_same_turn(move.turn, whole.turn, 1e-10);
    }
}

static void pose_logarithm_and_exponential_undo_each_other(void **state)
{
    (void)state;
    cairn_random random = stream("pose exp and log");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_pose3 pose = random_pose(&random);
        double d[6], back[6];
        cairn_pose3_log(pose, d);
        assert_same_pose(cairn_pose3_exp(d), pose);
        const double size = pow(10, cairn_random_between(&random, -8, 0));
        for (int k = 0; k < 6; k++) { d[k] = size * cairn_random_between(&random, -1.5, 1.5); }
        cairn_pose3_log(cairn_pose3_exp(d), back);
        for (int k = 0; k < 6; k++) { assert_near(back[k], d[k], 1e-14); }
    }
}

typedef cairn_pose3 (*pair_fn)(cairn_pose3, cairn_pose3);

static cairn_pose3 nudged(cairn_pose3 pose, int axis, double by)
{
    double d[6] = {0};
    d[axis] = by;
    return cairn_pose3_compose(pose, cairn_pose3_exp(d));
}

static void check_jacobian(pair_fn fn, cairn_pose3 a, cairn_pose3 b, int which, const double jacobian[36])
{
    const double h = 1e-5;
    const cairn_pose3 result = fn(a, b);
    for (int column = 0; column < 6; column++) {
        double high[6], low[6];
        const cairn_pose3 up = which == 0 ? fn(nudged(a, column, h), b) : fn(a, nudged(b, column, h));
        const cairn_pose3 down = which == 0 ? fn(nudged(a, column, -h), b) : fn(a, nudged(b, column, -h));
        cairn_pose3_log(cairn_pose3_between(result, up), high);
        cairn_pose3_log(cairn_pose3_between(result, down), low);
        for (int row = 0; row < 6; row++) {
            assert_near(jacobian[6 * row + column], (high[row] - low[row]) / (2 * h), 1e-8);
        }
    }
}

static cairn_pose3 inverse_of_first(cairn_pose3 a, cairn_pose3 b)
{
    (void)b;
    return cairn_pose3_inverse(a);
}

static void jacobians_agree_with_central_differences_in_the_tangent_space(void **state)
{
    (void)state;
    cairn_random random = stream("jacobians");
    for (int i = 0; i < 200; i++) {
        const cairn_pose3 a = random_pose(&random), b = random_pose(&random);
        double by_first[36], by_second[36];
        assert_same_pose(cairn_pose3_compose_jacobians(a, b, by_first, by_second), cairn_pose3_compose(a, b));
        check_jacobian(cairn_pose3_compose, a, b, 0, by_first);
        check_jacobian(cairn_pose3_compose, a, b, 1, by_second);
        assert_same_pose(cairn_pose3_between_jacobians(a, b, by_first, by_second), cairn_pose3_between(a, b));
        check_jacobian(cairn_pose3_between, a, b, 0, by_first);
        check_jacobian(cairn_pose3_between, a, b, 1, by_second);
        assert_same_pose(cairn_pose3_inverse_jacobian(a, by_first), cairn_pose3_inverse(a));
        check_jacobian(inverse_of_first, a, b, 0, by_first);
        assert_same_pose(cairn_pose3_compose_jacobians(a, b, NULL, NULL), cairn_pose3_compose(a, b));
    }
}

static void poses_of_the_plane_keep_their_composition_in_space(void **state)
{
    (void)state;
    cairn_random random = stream("plane and space");
    for (int i = 0; i < ROUNDS; i++) {
        const cairn_pose2 a = {cairn_random_between(&random, -9, 9), 2, cairn_random_between(&random, -3.1, 3.1)};
        const cairn_pose2 b = {cairn_random_between(&random, -9, 9), 1, cairn_random_between(&random, -3.1, 3.1)};
        const cairn_pose2 flat = cairn_pose2_compose(a, b);
        const cairn_pose2 back =
            cairn_pose3_to_pose2(cairn_pose3_compose(cairn_pose3_from_pose2(a, 0.5), cairn_pose3_from_pose2(b, 0)));
        assert_near(back.x_m, flat.x_m, 1e-13);
        assert_near(back.y_m, flat.y_m, 1e-13);
        assert_near(cairn_angle_between(back.yaw_rad, flat.yaw_rad), 0, 1e-14);
    }
}

static void blending_halfway_is_halfway(void **state)
{
    (void)state;
    const cairn_pose3 from = cairn_pose3_from_pose2((cairn_pose2){0, 0, 3}, 0);
    const cairn_pose3 to = cairn_pose3_from_pose2((cairn_pose2){2, 4, -3}, 6);
    assert_same_pose(cairn_pose3_blend(from, to, 0.5), cairn_pose3_from_pose2((cairn_pose2){1, 2, CAIRN_PI}, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_about_the_axes_go_the_right_way),
        cmocka_unit_test(fixed_axis_angles_are_roll_then_pitch_then_yaw),
        cmocka_unit_test(angles_spell_the_turn_in_gimbal_lock_too),
        cmocka_unit_test(rotating_agrees_with_the_sandwich_product_and_with_the_matrix),
        cmocka_unit_test(logarithm_and_exponential_undo_each_other),
        cmocka_unit_test(slerp_turns_evenly_the_short_way),
        cmocka_unit_test(poses_form_a_group),
        cmocka_unit_test(the_exponential_is_the_limit_of_many_small_moves),
        cmocka_unit_test(pose_logarithm_and_exponential_undo_each_other),
        cmocka_unit_test(jacobians_agree_with_central_differences_in_the_tangent_space),
        cmocka_unit_test(poses_of_the_plane_keep_their_composition_in_space),
        cmocka_unit_test(blending_halfway_is_halfway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
