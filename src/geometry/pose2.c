// pose2.c - SE(2) in coordinates (x, y, yaw), with the derivatives written out by hand.
#include "geometry/pose2.h"
#include <stddef.h>
#include <string.h>

// Within three half-turns the subtraction of a full turn is exact (Sterbenz), so this branch and remainder() agree to
// the bit; remainder() is exact everywhere but slow.
double cairn_angle_wrap(double angle_rad)
{
    const double turn = 2.0 * CAIRN_PI;
    if (angle_rad > CAIRN_PI) {
        angle_rad = angle_rad < 3.0 * CAIRN_PI ? angle_rad - turn : remainder(angle_rad, turn);
    } else if (angle_rad < -CAIRN_PI) {
        angle_rad = angle_rad > -3.0 * CAIRN_PI ? angle_rad + turn : remainder(angle_rad, turn);
    }
    return angle_rad == -CAIRN_PI ? CAIRN_PI : angle_rad;
}

double cairn_angle_between(double from_rad, double to_rad) { return cairn_angle_wrap(to_rad - from_rad); }

cairn_vec2 cairn_pose2_rotate(cairn_pose2 a_T_b, cairn_vec2 direction_b)
{
    const double c = cos(a_T_b.yaw_rad), s = sin(a_T_b.yaw_rad);
    return (cairn_vec2){c * direction_b.x - s * direction_b.y, s * direction_b.x + c * direction_b.y};
}

cairn_vec2 cairn_pose2_apply(cairn_pose2 a_T_b, cairn_vec2 point_b)
{
    return cairn_frame2_apply(cairn_frame2_of(a_T_b), point_b);
}

cairn_frame2 cairn_frame2_of(cairn_pose2 a_T_b)
{
    return (cairn_frame2){cairn_pose2_at(a_T_b), cos(a_T_b.yaw_rad), sin(a_T_b.yaw_rad)};
}

cairn_pose2 cairn_pose2_compose(cairn_pose2 a_T_b, cairn_pose2 b_T_c)
{
    return cairn_pose2_compose_jacobians(a_T_b, b_T_c, NULL, NULL);
}

cairn_pose2 cairn_pose2_inverse(cairn_pose2 a_T_b) { return cairn_pose2_inverse_jacobian(a_T_b, NULL); }

cairn_pose2 cairn_pose2_between(cairn_pose2 a_T_b, cairn_pose2 a_T_c)
{
    return cairn_pose2_between_jacobians(a_T_b, a_T_c, NULL, NULL);
}

cairn_pose2 cairn_pose2_blend(cairn_pose2 from, cairn_pose2 to, double part)
{
    const double turn_rad = cairn_angle_between(from.yaw_rad, to.yaw_rad);
    return (cairn_pose2){from.x_m + part * (to.x_m - from.x_m), from.y_m + part * (to.y_m - from.y_m),
                         cairn_angle_wrap(from.yaw_rad + part * turn_rad)};
}

static void store(double *ret_matrix, const double matrix[9])
{
    if (ret_matrix != NULL) { memcpy(ret_matrix, matrix, 9 * sizeof(double)); }
}

cairn_pose2 cairn_pose2_compose_jacobians(cairn_pose2 a_T_b, cairn_pose2 b_T_c, double *ret_by_first,
                                          double *ret_by_second)
{
    const double c = cos(a_T_b.yaw_rad), s = sin(a_T_b.yaw_rad);
    const double dx = c * b_T_c.x_m - s * b_T_c.y_m, dy = s * b_T_c.x_m + c * b_T_c.y_m;
    store(ret_by_first, (double[9]){1, 0, -dy, 0, 1, dx, 0, 0, 1});
    store(ret_by_second, (double[9]){c, -s, 0, s, c, 0, 0, 0, 1});
    return (cairn_pose2){a_T_b.x_m + dx, a_T_b.y_m + dy, cairn_angle_wrap(a_T_b.yaw_rad + b_T_c.yaw_rad)};
}

cairn_pose2 cairn_pose2_inverse_jacobian(cairn_pose2 a_T_b, double *ret_by_pose)
{
    const double c = cos(a_T_b.yaw_rad), s = sin(a_T_b.yaw_rad);
    const double x = -(c * a_T_b.x_m + s * a_T_b.y_m), y = s * a_T_b.x_m - c * a_T_b.y_m;
    store(ret_by_pose, (double[9]){-c, -s, y, s, -c, -x, 0, 0, -1});
    return (cairn_pose2){x, y, cairn_angle_wrap(-a_T_b.yaw_rad)};
}

cairn_pose2 cairn_pose2_between_jacobians(cairn_pose2 a_T_b, cairn_pose2 a_T_c, double *ret_by_first,
                                          double *ret_by_second)
{
    const double c = cos(a_T_b.yaw_rad), s = sin(a_T_b.yaw_rad);
    const double dx = a_T_c.x_m - a_T_b.x_m, dy = a_T_c.y_m - a_T_b.y_m;
    const double x = c * dx + s * dy, y = c * dy - s * dx;
    store(ret_by_first, (double[9]){-c, -s, y, s, -c, -x, 0, 0, -1});
    store(ret_by_second, (double[9]){c, s, 0, -s, c, 0, 0, 0, 1});
    return (cairn_pose2){x, y, cairn_angle_between(a_T_b.yaw_rad, a_T_c.yaw_rad)};
}
