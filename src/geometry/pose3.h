// pose3.h - quaternions and SE(3): where something is and how it is turned, in space.
//
// Quaternions are unit, Hamilton, (w, x, y, z); q and -q are the same turn. Jacobians of poses are 6x6,
// row-major, in the tangent space (translation, rotation) of the right perturbation T * exp(d).
#pragma once
#include "geometry/pose2.h"
#include <stdbool.h>

typedef struct cairn_quat {
    double w, x, y, z;
} cairn_quat;

typedef struct cairn_pose3 {
    cairn_vec3 at_m;
    cairn_quat turn;
} cairn_pose3;

typedef struct cairn_rpy { // REP-103: fixed axes, roll about x, then pitch about y, then yaw about z
    double roll_rad, pitch_rad, yaw_rad;
} cairn_rpy;

cairn_quat cairn_quat_identity(void);
cairn_quat cairn_quat_normalise(cairn_quat q);
cairn_quat cairn_quat_multiply(cairn_quat a, cairn_quat b);
static inline cairn_quat cairn_quat_conjugate(cairn_quat q) { return (cairn_quat){q.w, -q.x, -q.y, -q.z}; }
static inline cairn_vec3 cairn_quat_rotate(cairn_quat q, cairn_vec3 v)
{
    const cairn_vec3 axis = {q.x, q.y, q.z};
    const cairn_vec3 t = cairn_vec3_scale(cairn_vec3_cross(axis, v), 2.0);
    return cairn_vec3_add(cairn_vec3_add(v, cairn_vec3_scale(t, q.w)), cairn_vec3_cross(axis, t));
}
cairn_quat cairn_quat_from_axis(cairn_vec3 axis, double angle_rad); // axis need not be unit
cairn_quat cairn_quat_from_rpy(cairn_rpy rpy);
cairn_rpy cairn_quat_to_rpy(cairn_quat q);
void cairn_quat_to_matrix(cairn_quat q, double ret_rotation[9]); // row-major: what cairn_quat_rotate does
cairn_quat cairn_quat_exp(cairn_vec3 rotation);                  // rotation vector to turn
cairn_vec3 cairn_quat_log(cairn_quat q);                         // shortest rotation vector
cairn_quat cairn_quat_slerp(cairn_quat from, cairn_quat to, double part);

cairn_pose3 cairn_pose3_identity(void);
bool cairn_pose3_is_same(cairn_pose3 a, cairn_pose3 b); // to the bit, but for the sign of zeros; NaN is never the same
cairn_pose3 cairn_pose3_compose(cairn_pose3 a_T_b, cairn_pose3 b_T_c);
cairn_pose3 cairn_pose3_inverse(cairn_pose3 a_T_b);
cairn_pose3 cairn_pose3_between(cairn_pose3 a_T_b, cairn_pose3 a_T_c);
static inline cairn_vec3 cairn_pose3_apply(cairn_pose3 a_T_b, cairn_vec3 point_b)
{
    return cairn_vec3_add(a_T_b.at_m, cairn_quat_rotate(a_T_b.turn, point_b));
}
cairn_pose3 cairn_pose3_blend(cairn_pose3 from, cairn_pose3 to, double part);
cairn_pose3 cairn_pose3_exp(const double tangent[6]);
void cairn_pose3_log(cairn_pose3 pose, double ret_tangent[6]);
cairn_pose3 cairn_pose3_compose_jacobians(cairn_pose3 a_T_b, cairn_pose3 b_T_c, double *ret_by_first,
                                          double *ret_by_second);
cairn_pose3 cairn_pose3_inverse_jacobian(cairn_pose3 a_T_b, double *ret_by_pose);
cairn_pose3 cairn_pose3_between_jacobians(cairn_pose3 a_T_b, cairn_pose3 a_T_c, double *ret_by_first,
                                          double *ret_by_second);

cairn_pose3 cairn_pose3_from_pose2(cairn_pose2 pose, double z_m);
cairn_pose2 cairn_pose3_to_pose2(cairn_pose3 pose); // drops height, roll and pitch
