// quat.c - turns in space as unit quaternions.
//
// Euler angles come from the sums and differences of the components: with half angles r, p, y
//   w + y = (cos p + sin p) cos(r - y)    x - z = (cos p + sin p) sin(r - y)
//   w - y = (cos p - sin p) cos(r + y)    x + z = (cos p - sin p) sin(r + y)
// which keeps full precision next to gimbal lock, where the usual arcsine loses half of the digits.
#include "base/status.h"
#include "geometry/pose3.h"
#include <string.h>

cairn_quat cairn_quat_identity(void) { return (cairn_quat){1, 0, 0, 0}; }

cairn_quat cairn_quat_normalise(cairn_quat q)
{
    const double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    CAIRN_ASSERT(length > 0);
    const double by = 1.0 / length;
    return (cairn_quat){q.w * by, q.x * by, q.y * by, q.z * by};
}

cairn_quat cairn_quat_multiply(cairn_quat a, cairn_quat b)
{
    return (cairn_quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    };
}

cairn_quat cairn_quat_from_axis(cairn_vec3 axis, double angle_rad)
{
    const double length = cairn_vec3_length(axis);
    CAIRN_ASSERT(length > 0);
    const double by = sin(0.5 * angle_rad) / length;
    return (cairn_quat){cos(0.5 * angle_rad), axis.x * by, axis.y * by, axis.z * by};
}

cairn_quat cairn_quat_from_rpy(cairn_rpy rpy)
{
    const double cr = cos(0.5 * rpy.roll_rad), sr = sin(0.5 * rpy.roll_rad);
    const double cp = cos(0.5 * rpy.pitch_rad), sp = sin(0.5 * rpy.pitch_rad);
    const double cy = cos(0.5 * rpy.yaw_rad), sy = sin(0.5 * rpy.yaw_rad);
    return (cairn_quat){
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    };
}

cairn_rpy cairn_quat_to_rpy(cairn_quat q)
{
    const double locked = 1e-12; // below this the angle is rounding noise: the roll is then 0
    const double up = hypot(q.w + q.y, q.x - q.z), down = hypot(q.w - q.y, q.x + q.z);
    double half_difference = atan2(q.x - q.z, q.w + q.y), half_sum = atan2(q.x + q.z, q.w - q.y);
    if (down < locked) { half_sum = -half_difference; }
    if (up < locked) { half_difference = -half_sum; }
    return (cairn_rpy){cairn_angle_wrap(half_sum + half_difference), 2.0 * atan2(up, down) - 0.5 * CAIRN_PI,
                       cairn_angle_wrap(half_sum - half_difference)};
}

void cairn_quat_to_matrix(cairn_quat q, double ret_rotation[9])
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    const double rotation[9] = {1 - 2 * (yy + zz), 2 * (xy - wz),     2 * (xz + wy), //
                                2 * (xy + wz),     1 - 2 * (xx + zz), 2 * (yz - wx), //
                                2 * (xz - wy),     2 * (yz + wx),     1 - 2 * (xx + yy)};
    memcpy(ret_rotation, rotation, sizeof rotation);
}

cairn_quat cairn_quat_exp(cairn_vec3 rotation)
{
    const double square = cairn_vec3_dot(rotation, rotation), angle_rad = sqrt(square);
    // sin(a/2)/a; the series is exact to the last bit where it is used
    const double by =
        angle_rad < 1e-3 ? 0.5 - square / 48.0 + square * square / 3840.0 : sin(0.5 * angle_rad) / angle_rad;
    return (cairn_quat){cos(0.5 * angle_rad), rotation.x * by, rotation.y * by, rotation.z * by};
}

cairn_vec3 cairn_quat_log(cairn_quat q)
{
    const double sign = q.w < 0 ? -1.0 : 1.0, w = sign * q.w;
    const cairn_vec3 v = {sign * q.x, sign * q.y, sign * q.z};
    const double length = cairn_vec3_length(v);
    // 2 atan(s/w)/s, and its limit where s vanishes
    const double by = length < 1e-9 ? 2.0 / w : 2.0 * atan2(length, w) / length;
    return cairn_vec3_scale(v, by);
}

cairn_quat cairn_quat_slerp(cairn_quat from, cairn_quat to, double part)
{
    const cairn_vec3 turn = cairn_quat_log(cairn_quat_multiply(cairn_quat_conjugate(from), to));
    return cairn_quat_normalise(cairn_quat_multiply(from, cairn_quat_exp(cairn_vec3_scale(turn, part))));
}
