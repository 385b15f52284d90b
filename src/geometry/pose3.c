// pose3.c - SE(3), its exponential and its Jacobians.
//
// With the right perturbation T * exp(d) all derivatives are adjoints: (A exp(d)) B = A B exp(Ad(B^-1) d), and
// (A exp(d))^-1 = A^-1 exp(-Ad(A) d). Composition renormalises, so that long chains stay unit.
#include "geometry/pose3.h"
#include <stddef.h>
#include <string.h>

cairn_pose3 cairn_pose3_identity(void) { return (cairn_pose3){{0, 0, 0}, {1, 0, 0, 0}}; }

bool cairn_pose3_is_same(cairn_pose3 a, cairn_pose3 b)
{
    return a.at_m.x == b.at_m.x && a.at_m.y == b.at_m.y && a.at_m.z == b.at_m.z && a.turn.w == b.turn.w &&
           a.turn.x == b.turn.x && a.turn.y == b.turn.y && a.turn.z == b.turn.z;
}

cairn_pose3 cairn_pose3_compose(cairn_pose3 a_T_b, cairn_pose3 b_T_c)
{
    return (cairn_pose3){cairn_pose3_apply(a_T_b, b_T_c.at_m),
                         cairn_quat_normalise(cairn_quat_multiply(a_T_b.turn, b_T_c.turn))};
}

cairn_pose3 cairn_pose3_inverse(cairn_pose3 a_T_b)
{
    const cairn_quat back = cairn_quat_conjugate(a_T_b.turn);
    return (cairn_pose3){cairn_vec3_scale(cairn_quat_rotate(back, a_T_b.at_m), -1.0), back};
}

cairn_pose3 cairn_pose3_between(cairn_pose3 a_T_b, cairn_pose3 a_T_c)
{
    const cairn_quat back = cairn_quat_conjugate(a_T_b.turn);
    return (cairn_pose3){cairn_quat_rotate(back, cairn_vec3_sub(a_T_c.at_m, a_T_b.at_m)),
                         cairn_quat_normalise(cairn_quat_multiply(back, a_T_c.turn))};
}

cairn_pose3 cairn_pose3_blend(cairn_pose3 from, cairn_pose3 to, double part)
{
    const cairn_vec3 way = cairn_vec3_sub(to.at_m, from.at_m);
    return (cairn_pose3){cairn_vec3_add(from.at_m, cairn_vec3_scale(way, part)),
                         cairn_quat_slerp(from.turn, to.turn, part)};
}

// v + by_cross * (w x v) + by_twice * (w x (w x v)): the shape of V and of its inverse.
static cairn_vec3 bend(cairn_vec3 v, cairn_vec3 w, double by_cross, double by_twice)
{
    const cairn_vec3 once = cairn_vec3_cross(w, v), twice = cairn_vec3_cross(w, once);
    return cairn_vec3_add(v, cairn_vec3_add(cairn_vec3_scale(once, by_cross), cairn_vec3_scale(twice, by_twice)));
}

cairn_pose3 cairn_pose3_exp(const double tangent[6])
{
    const cairn_vec3 shift = {tangent[0], tangent[1], tangent[2]}, w = {tangent[3], tangent[4], tangent[5]};
    const double square = cairn_vec3_dot(w, w), angle_rad = sqrt(square);
    // (1 - cos a)/a^2 and (a - sin a)/a^3, by series where those lose digits
    double by_cross = 0.5 - square / 24.0 + square * square / 720.0;
    double by_twice = 1.0 / 6.0 - square / 120.0 + square * square / 5040.0;
    if (angle_rad > 1e-2) {
        const double s = sin(0.5 * angle_rad);
        by_cross = 2.0 * s * s / square;
        by_twice = (angle_rad - sin(angle_rad)) / (square * angle_rad);
    }
    return (cairn_pose3){bend(shift, w, by_cross, by_twice), cairn_quat_exp(w)};
}

void cairn_pose3_log(cairn_pose3 pose, double ret_tangent[6])
{
    const cairn_vec3 w = cairn_quat_log(pose.turn);
    const double square = cairn_vec3_dot(w, w), half_rad = 0.5 * sqrt(square);
    // (1 - (a/2) cot(a/2)) / a^2, by series where that loses digits; finite up to a = pi and beyond
    double by_twice = 1.0 / 12.0 + square / 720.0 + square * square / 30240.0;
    if (half_rad > 1e-2) { by_twice = (1.0 - half_rad * cos(half_rad) / sin(half_rad)) / square; }
    const cairn_vec3 shift = bend(pose.at_m, w, -0.5, by_twice);
    const double tangent[6] = {shift.x, shift.y, shift.z, w.x, w.y, w.z};
    memcpy(ret_tangent, tangent, sizeof tangent);
}

static void store_identity(double *ret_matrix)
{
    if (ret_matrix == NULL) { return; }
    memset(ret_matrix, 0, 36 * sizeof(double));
    for (int i = 0; i < 6; i++) { ret_matrix[7 * i] = 1.0; }
}

// sign * Ad(pose) = sign * [R, [t]x R; 0, R], column by column.
static void store_adjoint(cairn_pose3 pose, double sign, double *ret_matrix)
{
    if (ret_matrix == NULL) { return; }
    memset(ret_matrix, 0, 36 * sizeof(double));
    const cairn_vec3 axes[3] = {{sign, 0, 0}, {0, sign, 0}, {0, 0, sign}};
    for (int column = 0; column < 3; column++) {
        const cairn_vec3 r = cairn_quat_rotate(pose.turn, axes[column]), t = cairn_vec3_cross(pose.at_m, r);
        const double turned[3] = {r.x, r.y, r.z}, shifted[3] = {t.x, t.y, t.z};
        for (int row = 0; row < 3; row++) {
            ret_matrix[6 * row + column] = turned[row];
            ret_matrix[6 * (row + 3) + column + 3] = turned[row];
            ret_matrix[6 * row + column + 3] = shifted[row];
        }
    }
}

cairn_pose3 cairn_pose3_compose_jacobians(cairn_pose3 a_T_b, cairn_pose3 b_T_c, double *ret_by_first,
                                          double *ret_by_second)
{
    store_adjoint(cairn_pose3_inverse(b_T_c), 1.0, ret_by_first);
    store_identity(ret_by_second);
    return cairn_pose3_compose(a_T_b, b_T_c);
}

cairn_pose3 cairn_pose3_inverse_jacobian(cairn_pose3 a_T_b, double *ret_by_pose)
{
    store_adjoint(a_T_b, -1.0, ret_by_pose);
    return cairn_pose3_inverse(a_T_b);
}

cairn_pose3 cairn_pose3_between_jacobians(cairn_pose3 a_T_b, cairn_pose3 a_T_c, double *ret_by_first,
                                          double *ret_by_second)
{
    const cairn_pose3 b_T_c = cairn_pose3_between(a_T_b, a_T_c);
    store_adjoint(cairn_pose3_inverse(b_T_c), -1.0, ret_by_first);
    store_identity(ret_by_second);
    return b_T_c;
}

cairn_pose3 cairn_pose3_from_pose2(cairn_pose2 pose, double z_m)
{
    return (cairn_pose3){{pose.x_m, pose.y_m, z_m}, cairn_quat_from_rpy((cairn_rpy){0, 0, pose.yaw_rad})};
}

cairn_pose2 cairn_pose3_to_pose2(cairn_pose3 pose)
{
    return (cairn_pose2){pose.at_m.x, pose.at_m.y, cairn_quat_to_rpy(pose.turn).yaw_rad};
}
