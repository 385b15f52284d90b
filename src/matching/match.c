// match.c - what all matchers share: from information to covariance, and the words for doubts.
#include "matching/match.h"
#include <math.h>
#include <string.h>

static const char *const doubt_names[CAIRN_MATCH_DOUBT_COUNT] = {
    "too few points", "poor fit", "free floor contradicts", "second peak", "slides", "at the edge of the search"};

cairn_match_prior cairn_match_prior_make(cairn_pose2 pose, double deviation_m, double deviation_rad)
{
    CAIRN_ASSERT(deviation_m > 0 && deviation_rad > 0);
    const double m2 = deviation_m * deviation_m, rad2 = deviation_rad * deviation_rad;
    return (cairn_match_prior){.pose = pose, .covariance = {m2, 0, 0, 0, m2, 0, 0, 0, rad2}};
}

bool cairn_symmetric3_invert(const double matrix[9], double ret_inverse[9])
{
    const double a = matrix[0], b = matrix[1], c = matrix[2], d = matrix[4], e = matrix[5], f = matrix[8];
    const double minor = a * d - b * b, c0 = d * f - e * e, c1 = c * e - b * f, c2 = b * e - c * d;
    const double determinant = a * c0 + b * c1 + c * c2;
    if (!(a > 0 && minor > 0 && determinant > 0) || !isfinite(determinant)) { return false; }
    const double by = 1 / determinant, i12 = by * (b * c - a * e);
    const double inverse[9] = {by * c0, by * c1, by * c2, by * c1, by * (a * f - c * c), i12, by * c2, i12, by * minor};
    memcpy(ret_inverse, inverse, sizeof inverse);
    return true;
}

void cairn_match_covariance(const cairn_match *match, double ret_covariance[9])
{
    const double least_m = 1 / (CAIRN_MATCH_UNKNOWN_M * CAIRN_MATCH_UNKNOWN_M);
    const double least_rad = 1 / (CAIRN_MATCH_UNKNOWN_RAD * CAIRN_MATCH_UNKNOWN_RAD);
    // Once is enough, unless one direction is known so well that another one is lost to rounding.
    for (double part = 1;; part *= 10) {
        double information[9];
        memcpy(information, match->information, sizeof information);
        information[0] += part * least_m, information[4] += part * least_m, information[8] += part * least_rad;
        if (cairn_symmetric3_invert(information, ret_covariance)) { return; }
        CAIRN_ASSERT(part < 1e30); // a matcher's information is finite and positive semidefinite
    }
}

void cairn_match_factor_information(const cairn_match *match, double ret_upper[6])
{
    // A step (u, v) in the scan's frame moves (x, y) by R(yaw) (u, v), so the information turns to R' I R.
    const double c = cos(match->pose.yaw_rad), s = sin(match->pose.yaw_rad), *i = match->information;
    const double turned[6] = {c * c * i[0] + 2 * c * s * i[1] + s * s * i[4],
                              c * s * (i[4] - i[0]) + (c * c - s * s) * i[1],
                              c * i[2] + s * i[5],
                              s * s * i[0] - 2 * c * s * i[1] + c * c * i[4],
                              c * i[5] - s * i[2],
                              i[8]};
    memcpy(ret_upper, turned, sizeof turned);
}

void cairn_match_set_weakness(cairn_match *match)
{
    const double *i = match->information;
    const double mean = 0.5 * (i[0] + i[4]), apart = 0.5 * (i[0] - i[4]), mixed = i[1];
    match->weakness = mean > 0 ? sqrt(apart * apart + mixed * mixed) / mean : 1;
    match->weakest_direction_rad = cairn_angle_wrap(0.5 * atan2(2 * i[1], i[0] - i[4]) + 0.5 * CAIRN_PI);
}

// With u the direction: (1 - u u') H (1 - u u'), which stays positive.
void cairn_match_forget(cairn_match *match, cairn_vec2 along)
{
    CAIRN_ASSERT(fabs(cairn_vec2_length(along) - 1) < 1e-6);
    double *h = match->information;
    const double u[3] = {along.x, along.y, 0};
    const double a[3] = {h[0] * u[0] + h[1] * u[1], h[1] * u[0] + h[4] * u[1], h[2] * u[0] + h[5] * u[1]};
    const double s = a[0] * u[0] + a[1] * u[1];
    for (int i = 0; i < 9; i++) { h[i] += s * u[i / 3] * u[i % 3] - u[i / 3] * a[i % 3] - a[i / 3] * u[i % 3]; }
    cairn_match_set_weakness(match);
}

const char *cairn_match_doubt_name(cairn_match_doubt doubt)
{
    CAIRN_ASSERT(doubt > 0 && doubt < 1 << CAIRN_MATCH_DOUBT_COUNT && (doubt & (doubt - 1)) == 0);
    return doubt_names[__builtin_ctz((unsigned)doubt)];
}
