// Chains of uncertain transforms. The adjoint of b_T_c^-1 carries an error in b's frame to c's:
//   position' = R^T (position + turn x p),  turn' = R^T turn,
// with R, p of b_T_c. In space the turn is half a rotation vector, which puts a 2 before the cross product.
#include "slam/closure/uncertain.h"
#include <math.h>
#include <string.h>

#define MAX_DEGREES 6u

cairn_graph_pose cairn_graph_pose_identity(uint32_t degrees)
{
    cairn_graph_pose pose = {0};
    if (degrees == 6) { pose.v[3] = 1; }
    return pose;
}

cairn_graph_pose cairn_graph_pose_compose(uint32_t degrees, const cairn_graph_pose *a_T_b,
                                          const cairn_graph_pose *b_T_c)
{
    if (degrees == 3) {
        return cairn_graph_pose_from2(cairn_pose2_compose(cairn_graph_pose_to2(a_T_b), cairn_graph_pose_to2(b_T_c)));
    }
    cairn_pose3 pose = cairn_pose3_compose(cairn_graph_pose_to3(a_T_b), cairn_graph_pose_to3(b_T_c));
    pose.turn = cairn_quat_normalise(pose.turn); // long chains would drift off the unit sphere
    return cairn_graph_pose_from3(pose);
}

cairn_graph_pose cairn_graph_pose_inverse(uint32_t degrees, const cairn_graph_pose *a_T_b)
{
    if (degrees == 3) { return cairn_graph_pose_from2(cairn_pose2_inverse(cairn_graph_pose_to2(a_T_b))); }
    return cairn_graph_pose_from3(cairn_pose3_inverse(cairn_graph_pose_to3(a_T_b)));
}

static inline bool inverse_sized(uint32_t n, const double *matrix, double *ret_inverse)
{
    double factor[36]; // matrix = factor * factor^T, then factor^-1 in place
    double largest = 0;
    for (uint32_t i = 0; i < n; i++) { largest = fmax(largest, matrix[i * n + i]); }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double sum = matrix[i * n + j];
            for (uint32_t k = 0; k < j; k++) { sum -= factor[i * n + k] * factor[j * n + k]; }
            if (i == j && !(sum > 1e-14 * largest)) { return false; }
            factor[i * n + j] = i == j ? sqrt(sum) : sum / factor[j * n + j];
        }
    }
    for (uint32_t j = 0; j < n; j++) {
        factor[j * n + j] = 1 / factor[j * n + j];
        for (uint32_t i = j + 1; i < n; i++) {
            double sum = 0;
            for (uint32_t k = j; k < i; k++) { sum -= factor[i * n + k] * factor[k * n + j]; }
            factor[i * n + j] = sum / factor[i * n + i];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (uint32_t k = i; k < n; k++) { sum += factor[k * n + i] * factor[k * n + j]; }
            ret_inverse[i * n + j] = ret_inverse[j * n + i] = sum;
        }
    }
    return true;
}

bool cairn_symmetric_inverse(uint32_t n, const double *matrix, double *ret_inverse)
{
    CAIRN_ASSERT(n >= 1 && n <= MAX_DEGREES);
    if (n == 3) { return inverse_sized(3, matrix, ret_inverse); }
    return n == 6 ? inverse_sized(6, matrix, ret_inverse) : inverse_sized(n, matrix, ret_inverse);
}

void cairn_information_full(uint32_t degrees, const double *upper, double *ret_full)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < degrees; i++) {
        for (uint32_t j = i; j < degrees; j++) { ret_full[i * degrees + j] = ret_full[j * degrees + i] = upper[at++]; }
    }
}

void cairn_information_upper(uint32_t degrees, const double *full, double *ret_upper)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < degrees; i++) {
        for (uint32_t j = i; j < degrees; j++) { ret_upper[at++] = full[i * degrees + j]; }
    }
}

cairn_err cairn_uncertain_from_factor(uint32_t degrees, const cairn_factor *factor, cairn_uncertain *ret_uncertain)
{
    double full[36];
    cairn_information_full(degrees, factor->information, full);
    cairn_uncertain uncertain = {.pose = factor->measured};
    if (!cairn_symmetric_inverse(degrees, full, uncertain.covariance)) { return CAIRN_ERR_INVALID; }
    *ret_uncertain = uncertain;
    return CAIRN_OK;
}

cairn_uncertain cairn_uncertain_identity(uint32_t degrees)
{
    return (cairn_uncertain){.pose = cairn_graph_pose_identity(degrees)};
}

static void turn_matrix(uint32_t degrees, const cairn_graph_pose *pose, double *ret_turn)
{
    if (degrees == 3) {
        const double c = cos(pose->v[2]), s = sin(pose->v[2]);
        memcpy(ret_turn, (double[4]){c, -s, s, c}, 4 * sizeof(double));
        return;
    }
    cairn_quat_to_matrix(cairn_graph_pose_to3(pose).turn, ret_turn);
}

void cairn_uncertain_carrier(uint32_t degrees, const cairn_graph_pose *a_T_b, double *ret_carrier)
{
    double turn[9];
    turn_matrix(degrees, a_T_b, turn);
    memset(ret_carrier, 0, degrees * degrees * sizeof(double));
    const double *p = a_T_b->v;
    if (degrees == 3) {
        const double adjoint[9] = {turn[0], turn[2], turn[2] * p[0] - turn[0] * p[1],
                                   turn[1], turn[3], turn[3] * p[0] - turn[1] * p[1],
                                   0,       0,       1};
        memcpy(ret_carrier, adjoint, sizeof adjoint);
        return;
    }
    // turn x p as a matrix on the turn, doubled since the turn is half a rotation vector
    const double cross[9] = {0, 2 * p[2], -2 * p[1], -2 * p[2], 0, 2 * p[0], 2 * p[1], -2 * p[0], 0};
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            ret_carrier[i * 6 + j] = ret_carrier[(i + 3) * 6 + j + 3] = turn[j * 3 + i];
            for (uint32_t k = 0; k < 3; k++) { ret_carrier[i * 6 + j + 3] += turn[k * 3 + i] * cross[k * 3 + j]; }
        }
    }
}

// covariance' = adjoint * covariance * adjoint^T. Inlined, so that n is known and loops are unrolled.
static inline void carry_sized(uint32_t n, const double *adjoint, const double *covariance, double *ret_carried)
{
    double half[36];
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++) { sum += adjoint[i * n + k] * covariance[k * n + j]; }
            half[i * n + j] = sum;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++) { sum += half[i * n + k] * adjoint[j * n + k]; }
            ret_carried[i * n + j] = ret_carried[j * n + i] = sum;
        }
    }
}

void cairn_uncertain_carry(uint32_t degrees, const double *carrier, const double *covariance, double *ret_carried)
{
    if (degrees == 3) {
        carry_sized(3, carrier, covariance, ret_carried);
    } else {
        carry_sized(6, carrier, covariance, ret_carried);
    }
}

cairn_uncertain cairn_uncertain_compose(uint32_t degrees, const cairn_uncertain *a_T_b, const cairn_uncertain *b_T_c)
{
    double adjoint[36];
    cairn_uncertain out = {.pose = cairn_graph_pose_compose(degrees, &a_T_b->pose, &b_T_c->pose)};
    cairn_uncertain_carrier(degrees, &b_T_c->pose, adjoint);
    cairn_uncertain_carry(degrees, adjoint, a_T_b->covariance, out.covariance);
    for (uint32_t i = 0; i < degrees * degrees; i++) { out.covariance[i] += b_T_c->covariance[i]; }
    return out;
}

cairn_uncertain cairn_uncertain_inverse(uint32_t degrees, const cairn_uncertain *a_T_b)
{
    double adjoint[36];
    cairn_uncertain out = {.pose = cairn_graph_pose_inverse(degrees, &a_T_b->pose)};
    cairn_uncertain_carrier(degrees, &out.pose, adjoint);
    cairn_uncertain_carry(degrees, adjoint, a_T_b->covariance, out.covariance);
    return out;
}

double cairn_uncertain_trace(uint32_t degrees, const cairn_uncertain *uncertain)
{
    double sum = 0;
    for (uint32_t i = 0; i < degrees; i++) { sum += uncertain->covariance[i * (degrees + 1)]; }
    return sum;
}

double cairn_uncertain_spread(uint32_t degrees, const cairn_uncertain *uncertain)
{
    double a[36];
    memcpy(a, uncertain->covariance, degrees * degrees * sizeof(double));
    double spread = 1;
    for (uint32_t i = 0; i < degrees; i++) {
        const double pivot = a[i * degrees + i];
        if (!(pivot > 0)) { return 0; }
        spread *= sqrt(pivot);
        for (uint32_t j = i + 1; j < degrees; j++) {
            const double by = a[j * degrees + i] / pivot;
            for (uint32_t k = i; k < degrees; k++) { a[j * degrees + k] -= by * a[i * degrees + k]; }
        }
    }
    return spread;
}

double cairn_uncertain_chi2(uint32_t degrees, const cairn_uncertain *uncertain)
{
    double inverse[36], error[MAX_DEGREES];
    if (!cairn_symmetric_inverse(degrees, uncertain->covariance, inverse)) { return INFINITY; }
    // The identity read as a factor's measurement: the error is the transform itself.
    const cairn_factor none = {.from = CAIRN_GRAPH_NONE, .measured = cairn_graph_pose_identity(degrees)};
    cairn_factor_error(degrees, &none, NULL, &uncertain->pose, error, NULL, NULL);
    double chi2 = 0;
    for (uint32_t i = 0; i < degrees; i++) {
        for (uint32_t j = 0; j < degrees; j++) { chi2 += error[i] * inverse[i * degrees + j] * error[j]; }
    }
    return chi2;
}

// Probability that chi2 is below x: closed for whole degrees, by steps of two from the first one or two.
static double chi2_below(uint32_t degrees, double x)
{
    const bool is_odd = degrees % 2 == 1;
    double below = is_odd ? erf(sqrt(x / 2)) : 1 - exp(-x / 2);
    double term = is_odd ? sqrt(2 * x / CAIRN_PI) * exp(-x / 2) : x / 2 * exp(-x / 2);
    for (uint32_t k = is_odd ? 3 : 4; k <= degrees; k += 2) {
        below -= term;
        term *= x / k;
    }
    return below;
}

double cairn_chi2_quantile(uint32_t degrees, double probability)
{
    CAIRN_ASSERT(degrees >= 1 && degrees <= MAX_DEGREES && probability > 0 && probability < 1);
    double low = 0, high = 1;
    while (chi2_below(degrees, high) < probability && high < 1e3) { high *= 2; }
    for (int i = 0; i < 100; i++) { // to the last bit
        const double middle = 0.5 * (low + high);
        *(chi2_below(degrees, middle) < probability ? &low : &high) = middle;
    }
    return high;
}
