// uncertain.h - a transform that is not exactly known: what chains of factors say, and how well they say it.
//
// Frames   a_T_b * step(d), d normal with mean 0 and the covariance: the error is in b's frame, as pose_graph.h has it
//          (plane: x, y, yaw; space: position, then the vector part of the turn's quaternion, half the rotation
//          vector).
// Exact    To first order: covariances are carried by the adjoint, and what is left out grows with the square of the
//          turn.
// Memory   None.
// Threads  Any.
#pragma once
#include "slam/graph/pose_graph.h"

typedef struct cairn_uncertain {
    cairn_graph_pose pose;
    double covariance[36]; // degrees x degrees, row-major, symmetric; plane: the first 9
} cairn_uncertain;

cairn_graph_pose cairn_graph_pose_identity(uint32_t degrees);
cairn_graph_pose cairn_graph_pose_compose(uint32_t degrees, const cairn_graph_pose *a_T_b,
                                          const cairn_graph_pose *b_T_c);
cairn_graph_pose cairn_graph_pose_inverse(uint32_t degrees, const cairn_graph_pose *a_T_b);

// What a factor says of from_T_to. CAIRN_ERR_INVALID if its information leaves a direction open (a point seen by GPS
// has no turn): such a factor cannot carry a chain.
CAIRN_CHECKED cairn_err cairn_uncertain_from_factor(uint32_t degrees, const cairn_factor *factor,
                                                    cairn_uncertain *ret_uncertain);
cairn_uncertain cairn_uncertain_identity(uint32_t degrees); // known exactly
cairn_uncertain cairn_uncertain_compose(uint32_t degrees, const cairn_uncertain *a_T_b, const cairn_uncertain *b_T_c);
cairn_uncertain cairn_uncertain_inverse(uint32_t degrees, const cairn_uncertain *a_T_b);
// The matrix, degrees x degrees, that carries a small error in a's frame to b's (the adjoint of b_T_a), and a
// covariance carried by such a matrix.
void cairn_uncertain_carrier(uint32_t degrees, const cairn_graph_pose *a_T_b, double *ret_carrier);
void cairn_uncertain_carry(uint32_t degrees, const double *carrier, const double *covariance, double *ret_carried);
double cairn_uncertain_trace(uint32_t degrees, const cairn_uncertain *uncertain);
// Volume of the covariance's unit ellipsoid over that of the unit ball: root of the determinant.
double cairn_uncertain_spread(uint32_t degrees, const cairn_uncertain *uncertain);
// How far from the identity, squared, in units of the covariance; infinite if the covariance has no inverse.
double cairn_uncertain_chi2(uint32_t degrees, const cairn_uncertain *uncertain);

// Below which a right answer's chi2 lies with this probability, 0 < probability < 1. degrees 1..6.
double cairn_chi2_quantile(uint32_t degrees, double probability);

// Symmetric positive definite n x n, n <= 6: full row-major in, inverse out (may be the same place). False if it is
// not, or nearly not: a pivot below 1e-14 of the largest. cairn_symmetric3_invert (matching/match.h) has no such bound.
bool cairn_symmetric_inverse(uint32_t n, const double *matrix, double *ret_inverse);
void cairn_information_full(uint32_t degrees, const double *upper, double *ret_full); // 6 or 21 numbers to 9 or 36
void cairn_information_upper(uint32_t degrees, const double *full, double *ret_upper);
