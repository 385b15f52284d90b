// pose2.h - SE(2): where something is and which way it faces, in the plane.
//
// Reads as a chain: map_T_laser = compose(map_T_base, base_T_laser). Headings are kept in (-pi, pi].
// Jacobians are 3x3, row-major, rows and columns (x, y, yaw).
#pragma once
#include "geometry/vec.h"

typedef struct cairn_pose2 {
    double x_m, y_m, yaw_rad;
} cairn_pose2;

double cairn_angle_wrap(double angle_rad);                  // to (-pi, pi]
double cairn_angle_between(double from_rad, double to_rad); // shortest turn, in (-pi, pi]

cairn_pose2 cairn_pose2_compose(cairn_pose2 a_T_b, cairn_pose2 b_T_c); // a_T_c
cairn_pose2 cairn_pose2_inverse(cairn_pose2 a_T_b);                    // b_T_a
cairn_pose2 cairn_pose2_between(cairn_pose2 a_T_b, cairn_pose2 a_T_c); // b_T_c
cairn_vec2 cairn_pose2_apply(cairn_pose2 a_T_b, cairn_vec2 point_b);   // point_a
cairn_vec2 cairn_pose2_rotate(cairn_pose2 a_T_b, cairn_vec2 direction_b);
cairn_pose2 cairn_pose2_blend(cairn_pose2 from, cairn_pose2 to, double part); // part 0..1, shortest turn
static inline cairn_vec2 cairn_pose2_at(cairn_pose2 pose) { return (cairn_vec2){pose.x_m, pose.y_m}; }

// A pose whose cosine and sine are known, for many points: cairn_frame2_apply gives the bits of cairn_pose2_apply.
typedef struct cairn_frame2 {
    cairn_vec2 at_m;
    double cosine, sine; // of its yaw
} cairn_frame2;

cairn_frame2 cairn_frame2_of(cairn_pose2 a_T_b);
static inline cairn_vec2 cairn_frame2_apply(cairn_frame2 a_T_b, cairn_vec2 point_b)
{
    const cairn_vec2 turned = {a_T_b.cosine * point_b.x - a_T_b.sine * point_b.y,
                               a_T_b.sine * point_b.x + a_T_b.cosine * point_b.y};
    return cairn_vec2_add(a_T_b.at_m, turned);
}

// The same with derivatives by each argument; either may be NULL.
cairn_pose2 cairn_pose2_compose_jacobians(cairn_pose2 a_T_b, cairn_pose2 b_T_c, double *ret_by_first,
                                          double *ret_by_second);
cairn_pose2 cairn_pose2_inverse_jacobian(cairn_pose2 a_T_b, double *ret_by_pose);
cairn_pose2 cairn_pose2_between_jacobians(cairn_pose2 a_T_b, cairn_pose2 a_T_c, double *ret_by_first,
                                          double *ret_by_second);
