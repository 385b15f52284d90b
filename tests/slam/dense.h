// dense.h - the obvious solver, for small graphs: Gauss-Newton on full matrices. And graphs made from a known truth.
#pragma once
#include "../base/check.h"
#include "base/random.h"
#include "slam/closure/uncertain.h"
#include "slam/solve/robust.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Information of all nodes, weights counted, fixed nodes (or the first, if there is none) held by a huge prior; and the
// right side. matrix: size x size.
static inline void dense_build(const cairn_graph *graph, double *matrix, double *right)
{
    const uint32_t n = graph->def.degrees, size = n * graph->node_count;
    memset(matrix, 0, (size_t)size * size * sizeof(double));
    memset(right, 0, size * sizeof(double));
    bool is_held = false;
    for (uint32_t i = 0; i < graph->node_count; i++) { is_held |= graph->nodes[i].is_fixed; }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!graph->nodes[i].is_fixed && (is_held || i > 0)) { continue; }
        for (uint32_t k = i * n; k < i * n + n; k++) { matrix[(size_t)k * size + k] += 1e12; }
    }
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        const cairn_factor *factor = &graph->factors[f];
        if (factor->is_gone) { continue; }
        const bool is_pair = factor->from != CAIRN_GRAPH_NONE;
        double error[6], by[2][36], information[36];
        cairn_factor_error(n, factor, is_pair ? &graph->nodes[factor->from].pose : NULL, &graph->nodes[factor->to].pose,
                           error, is_pair ? by[0] : NULL, by[1]);
        cairn_information_full(n, factor->information, information);
        const uint32_t at[2] = {is_pair ? factor->from * n : 0, factor->to * n};
        for (uint32_t a = is_pair ? 0 : 1; a < 2; a++) {
            double half[36] = {0}; // by[a]^T * information * weight
            for (uint32_t i = 0; i < n; i++) {
                for (uint32_t j = 0; j < n; j++) {
                    for (uint32_t k = 0; k < n; k++) {
                        half[i * n + j] += (double)factor->weight * by[a][k * n + i] * information[k * n + j];
                    }
                }
                for (uint32_t k = 0; k < n; k++) { right[at[a] + i] -= half[i * n + k] * error[k]; }
            }
            for (uint32_t b = is_pair ? 0 : 1; b < 2; b++) {
                for (uint32_t i = 0; i < n; i++) {
                    for (uint32_t j = 0; j < n; j++) {
                        for (uint32_t k = 0; k < n; k++) {
                            matrix[(size_t)(at[a] + i) * size + at[b] + j] += half[i * n + k] * by[b][k * n + j];
                        }
                    }
                }
            }
        }
    }
}

// Cholesky in place of the lower triangle; positive definite or the test fails.
static inline void dense_factor(double *matrix, uint32_t size)
{
    for (uint32_t j = 0; j < size; j++) {
        double *row_j = matrix + (size_t)j * size;
        for (uint32_t i = j; i < size; i++) {
            double *row_i = matrix + (size_t)i * size;
            double sum = row_i[j];
            for (uint32_t k = 0; k < j; k++) { sum -= row_i[k] * row_j[k]; }
            if (i == j) { assert_true(sum > 0); }
            row_i[j] = i == j ? sqrt(sum) : sum / row_j[j];
        }
    }
}

static inline void dense_substitute(const double *factor, uint32_t size, double *right)
{
    for (uint32_t i = 0; i < size; i++) {
        for (uint32_t k = 0; k < i; k++) { right[i] -= factor[(size_t)i * size + k] * right[k]; }
        right[i] /= factor[(size_t)i * size + i];
    }
    for (uint32_t i = size; i-- > 0;) {
        for (uint32_t k = i + 1; k < size; k++) { right[i] -= factor[(size_t)k * size + i] * right[k]; }
        right[i] /= factor[(size_t)i * size + i];
    }
}

// A cairn_weighted_solver. Stops when a step is below 1e-9.
static inline cairn_err dense_solve(void *context, cairn_graph *graph, uint32_t iterations_max)
{
    (void)context;
    const uint32_t n = graph->def.degrees, size = n * graph->node_count;
    double *matrix = malloc((size_t)size * size * sizeof(double)), *right = malloc(size * sizeof(double));
    assert_true(matrix && right);
    double longest = 1;
    for (uint32_t i = 0; i < iterations_max && longest > 1e-9; i++) {
        dense_build(graph, matrix, right);
        dense_factor(matrix, size);
        dense_substitute(matrix, size, right);
        longest = 0;
        for (uint32_t k = 0; k < size; k++) { longest = fmax(longest, fabs(right[k])); }
        for (uint32_t k = 0; k < graph->node_count; k++) {
            graph->nodes[k].pose = cairn_graph_pose_step(n, &graph->nodes[k].pose, right + (size_t)k * n);
        }
    }
    free(matrix);
    free(right);
    return CAIRN_OK;
}

// Covariance of b seen from a, at the graph's poses, with all its factors: in b's frame, as cairn_uncertain has it.
static inline cairn_uncertain dense_relative(const cairn_graph *graph, uint32_t a, uint32_t b)
{
    const uint32_t n = graph->def.degrees, size = n * graph->node_count;
    double *matrix = malloc((size_t)size * size * sizeof(double)), *column = malloc(size * sizeof(double));
    assert_true(matrix && column);
    dense_build(graph, matrix, column);
    dense_factor(matrix, size);
    // a_T_b's derivatives by both nodes are those of the error of a factor that fits.
    const cairn_graph_pose a_T_map = cairn_graph_pose_inverse(n, &graph->nodes[a].pose);
    cairn_factor fits = {.from = a, .to = b};
    fits.measured = cairn_graph_pose_compose(n, &a_T_map, &graph->nodes[b].pose);
    double error[6], by[2][36];
    cairn_factor_error(n, &fits, &graph->nodes[a].pose, &graph->nodes[b].pose, error, by[0], by[1]);
    cairn_uncertain out = {.pose = fits.measured};
    for (uint32_t row = 0; row < n; row++) {
        memset(column, 0, size * sizeof(double));
        for (uint32_t k = 0; k < n; k++) {
            column[a * n + k] = by[0][row * n + k];
            column[b * n + k] = by[1][row * n + k];
        }
        dense_substitute(matrix, size, column);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t k = 0; k < n; k++) {
                out.covariance[row * n + i] +=
                    by[0][i * n + k] * column[a * n + k] + by[1][i * n + k] * column[b * n + k];
            }
        }
    }
    free(matrix);
    free(column);
    return out;
}

// How noisy a made graph's factors are.
typedef struct noise {
    double position_m, turn; // deviations; turn: rad in the plane, quaternion part in space
} noise;

static inline void set_information(cairn_factor *factor, uint32_t degrees, noise deviation)
{
    double full[36] = {0};
    const uint32_t half = degrees == 3 ? 2 : 3;
    for (uint32_t i = 0; i < degrees; i++) {
        const double d = i < half ? deviation.position_m : deviation.turn;
        full[i * (degrees + 1)] = 1 / (d * d);
    }
    cairn_information_upper(degrees, full, factor->information);
}

// A factor that tells the truth, but for noise of that deviation (random NULL: none). Returns its index.
static inline uint32_t add_true_factor(cairn_graph *graph, const cairn_graph_pose *truth, uint32_t from, uint32_t to,
                                       cairn_factor_kind kind, noise deviation, cairn_random *random)
{
    const uint32_t n = graph->def.degrees, half = n == 3 ? 2 : 3;
    cairn_factor factor = {.from = from, .to = to, .kind = (uint8_t)kind, .weight = 1};
    factor.measured = truth[to];
    if (from != CAIRN_GRAPH_NONE) {
        const cairn_graph_pose inverse = cairn_graph_pose_inverse(n, &truth[from]);
        factor.measured = cairn_graph_pose_compose(n, &inverse, &truth[to]);
    }
    double step[6] = {0};
    for (uint32_t i = 0; i < n && random; i++) {
        step[i] = (i < half ? deviation.position_m : deviation.turn) * cairn_random_gauss(random);
    }
    // The error of a factor is measured^-1 * true: the measurement lies the step back from the truth.
    if (random) { factor.measured = cairn_graph_pose_step(n, &factor.measured, step); }
    set_information(&factor, n, deviation);
    uint32_t index = 0;
    assert_ok(cairn_graph_add_factor(graph, &factor, &index));
    return index;
}

// Poses on a few rounds of a circle of 4 m radius, climbing a little in space.
static inline void make_circle(uint32_t degrees, uint32_t count, uint32_t rounds, cairn_graph_pose *ret_truth)
{
    for (uint32_t i = 0; i < count; i++) {
        const double angle = 2 * CAIRN_PI * rounds * i / count;
        const cairn_pose2 pose = {4 * cos(angle), 4 * sin(angle), cairn_angle_wrap(angle + CAIRN_PI / 2)};
        if (degrees == 3) {
            ret_truth[i] = cairn_graph_pose_from2(pose);
        } else {
            cairn_pose3 high = cairn_pose3_from_pose2(pose, 0.02 * i);
            high.turn = cairn_quat_multiply(high.turn, cairn_quat_from_axis((cairn_vec3){1, 0, 0}, 0.3 * sin(angle)));
            ret_truth[i] = cairn_graph_pose_from3(high);
        }
    }
}

static inline double pose_distance(const cairn_graph_pose *a, const cairn_graph_pose *b, uint32_t degrees)
{
    double sum = 0;
    for (uint32_t i = 0; i < (degrees == 3 ? 2 : 3); i++) { sum += (a->v[i] - b->v[i]) * (a->v[i] - b->v[i]); }
    return sqrt(sum);
}

// Two rounds of a circle, whose truth is given back; each node of the second is closed to its twin of the first.
static inline cairn_graph *make_twice_round(const cairn_graph_def *def, noise deviation, cairn_arena *arena,
                                            cairn_random *random, cairn_graph_pose *ret_truth)
{
    const uint32_t count = def->nodes_max, half = count / 2;
    cairn_graph *graph = NULL;
    make_circle(def->degrees, count, 2, ret_truth);
    assert_ok(cairn_graph_create(def, arena, &graph));
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(cairn_graph_add_node(graph, &(cairn_graph_node){.pose = ret_truth[i], .name = i}, NULL));
        if (i > 0) { add_true_factor(graph, ret_truth, i - 1, i, CAIRN_FACTOR_ODOMETRY, deviation, random); }
    }
    for (uint32_t i = half; i < count; i++) {
        add_true_factor(graph, ret_truth, i, i - half, CAIRN_FACTOR_CLOSURE, deviation, random);
    }
    return graph;
}
