// pose_graph.c - nodes, factors, their errors and derivatives. No solver in here.
#include "slam/graph/pose_graph.h"
#include <string.h>

#define UNIT_TOLERANCE 1e-6
#define SEMIDEFINITE_TOLERANCE 1e-9 // [-] of the trace: what printing with 10 digits may do to a rank-deficient matrix

cairn_err cairn_graph_create(const cairn_graph_def *def, cairn_arena *arena, cairn_graph **ret_graph)
{
    CAIRN_ASSERT(def->degrees == 3 || def->degrees == 6);
    CAIRN_ASSERT(def->nodes_max <= CAIRN_GRAPH_NODES_MAX && def->factors_max <= CAIRN_GRAPH_FACTORS_MAX);
    cairn_graph *graph = CAIRN_TAKE(arena, cairn_graph, 1);
    if (!graph) { return CAIRN_ERR_FULL; }
    graph->def = *def;
    graph->nodes = CAIRN_TAKE(arena, cairn_graph_node, def->nodes_max);
    graph->factors = CAIRN_TAKE(arena, cairn_factor, def->factors_max);
    if (!graph->nodes || !graph->factors) { return CAIRN_ERR_FULL; }
    *ret_graph = graph;
    return CAIRN_OK;
}

static bool pose_is_valid(uint32_t degrees, const cairn_graph_pose *pose)
{
    const uint32_t count = degrees == 3 ? 3 : 7;
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(pose->v[i])) { return false; }
    }
    if (degrees == 3) { return true; }
    const double *q = pose->v + 3;
    const double squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return fabs(squared - 1) < 2 * UNIT_TOLERANCE;
}

// Cholesky of the matrix with its diagonal raised by the tolerance: works exactly if no eigenvalue is below minus that.
bool cairn_information_is_sound(uint32_t degrees, const double *upper)
{
    double full[36], trace = 0;
    for (uint32_t row = 0, at = 0; row < degrees; row++) {
        for (uint32_t column = row; column < degrees; column++, at++) {
            if (!isfinite(upper[at])) { return false; }
            full[row * degrees + column] = full[column * degrees + row] = upper[at];
        }
        trace += full[row * degrees + row];
    }
    if (!isfinite(trace)) { return false; }
    const double raise = trace > 0 ? SEMIDEFINITE_TOLERANCE * trace : 0;
    for (uint32_t k = 0; k < degrees; k++) {
        double *pivot_row = full + k * degrees;
        const double pivot = pivot_row[k] + raise;
        if (pivot < 0) { return false; }
        for (uint32_t i = k + 1; i < degrees; i++) {
            if (pivot <= 0 && pivot_row[i] != 0) { return false; }
            const double part = pivot > 0 ? pivot_row[i] / pivot : 0;
            for (uint32_t j = k + 1; j < degrees; j++) { full[i * degrees + j] -= part * pivot_row[j]; }
        }
    }
    return true;
}

cairn_err cairn_graph_add_node(cairn_graph *graph, const cairn_graph_node *node, uint32_t *ret_index)
{
    if (!pose_is_valid(graph->def.degrees, &node->pose)) { return CAIRN_ERR_INVALID; }
    if (graph->node_count == graph->def.nodes_max) { return CAIRN_ERR_FULL; }
    graph->nodes[graph->node_count] = *node;
    if (ret_index) { *ret_index = graph->node_count; }
    graph->node_count++;
    return CAIRN_OK;
}

cairn_err cairn_graph_add_factor(cairn_graph *graph, const cairn_factor *factor, uint32_t *ret_index)
{
    CAIRN_ASSERT(factor->kind < CAIRN_FACTOR_KIND_COUNT);
    const bool is_on_one = factor->from == CAIRN_GRAPH_NONE;
    if (factor->to >= graph->node_count || (!is_on_one && factor->from >= graph->node_count)) {
        return CAIRN_ERR_INVALID;
    }
    if (factor->from == factor->to) { return CAIRN_ERR_INVALID; }
    if (!pose_is_valid(graph->def.degrees, &factor->measured) ||
        !cairn_information_is_sound(graph->def.degrees, factor->information)) {
        return CAIRN_ERR_INVALID;
    }
    if (graph->factor_count == graph->def.factors_max) { return CAIRN_ERR_FULL; }
    graph->factors[graph->factor_count] = *factor;
    graph->factors[graph->factor_count].weight = 1;
    if (ret_index) { *ret_index = graph->factor_count; }
    graph->factor_count++;
    return CAIRN_OK;
}

cairn_graph_pose cairn_graph_pose_from2(cairn_pose2 pose)
{
    return (cairn_graph_pose){.v = {pose.x_m, pose.y_m, pose.yaw_rad}};
}

cairn_graph_pose cairn_graph_pose_from3(cairn_pose3 pose)
{
    return (cairn_graph_pose){
        .v = {pose.at_m.x, pose.at_m.y, pose.at_m.z, pose.turn.w, pose.turn.x, pose.turn.y, pose.turn.z}};
}

cairn_pose2 cairn_graph_pose_to2(const cairn_graph_pose *pose)
{
    return (cairn_pose2){.x_m = pose->v[0], .y_m = pose->v[1], .yaw_rad = pose->v[2]};
}

cairn_pose3 cairn_graph_pose_to3(const cairn_graph_pose *pose)
{
    const double *v = pose->v;
    return (cairn_pose3){.at_m = {v[0], v[1], v[2]}, .turn = {.w = v[3], .x = v[4], .y = v[5], .z = v[6]}};
}

// With p = from^-1 * to: e's position is Rm' (p - m), its yaw the difference of yaws. `to` moves p by its own axes, so
// e by R(e's yaw); `from` moves p by -1 and turns it by minus its turn.
static void error_plane(const cairn_factor *factor, const cairn_graph_pose *from, const cairn_graph_pose *to,
                        double *error, double *by_from, double *by_to)
{
    static const cairn_graph_pose origin = {{0}};
    if (factor->from == CAIRN_GRAPH_NONE) { from = &origin; }
    const double cos_from = cos(from->v[2]), sin_from = sin(from->v[2]);
    const double cos_measured = cos(factor->measured.v[2]), sin_measured = sin(factor->measured.v[2]);
    const double dx = to->v[0] - from->v[0], dy = to->v[1] - from->v[1];
    const double px = cos_from * dx + sin_from * dy, py = cos_from * dy - sin_from * dx;
    const double qx = px - factor->measured.v[0], qy = py - factor->measured.v[1];
    error[0] = cos_measured * qx + sin_measured * qy;
    error[1] = cos_measured * qy - sin_measured * qx;
    error[2] = cairn_angle_wrap(to->v[2] - from->v[2] - factor->measured.v[2]);
    if (by_to) {
        const double c = cos(error[2]), s = sin(error[2]);
        memcpy(by_to, (double[9]){c, -s, 0, s, c, 0, 0, 0, 1}, 9 * sizeof(double));
    }
    if (by_from) {
        const double c = cos_measured, s = sin_measured;
        memcpy(by_from, (double[9]){-c, -s, c * py - s * px, s, -c, -s * py - c * px, 0, 0, -1}, 9 * sizeof(double));
    }
}

// What a small turn v (vector part) after the turn q does to q's vector part: w I + [q]x.
static void turn_change(cairn_quat q, double m[9])
{
    memcpy(m, (double[9]){q.w, -q.z, q.y, q.z, q.w, -q.x, -q.y, q.x, q.w}, 9 * sizeof(double));
}

// by[row0.., column0..] = scale * a' * b, with a left out when it is NULL (identity).
static void place(double *by, uint32_t row0, uint32_t column0, double scale, const double *a_transposed,
                  const double b[9])
{
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            double sum = b[i * 3 + j];
            if (a_transposed) {
                sum = a_transposed[i] * b[j] + a_transposed[3 + i] * b[3 + j] + a_transposed[6 + i] * b[6 + j];
            }
            by[(row0 + i) * 6 + column0 + j] = scale * sum;
        }
    }
}

// With P = from^-1 * to = (p, q) and e = M^-1 P: `to` moves e by R(e) and turns its quaternion from behind; `from`
// moves p by -1, turns it by -2 v x p, and turns e's quaternion by minus what R(q)' makes of v.
static void error_space(const cairn_factor *factor, const cairn_graph_pose *from, const cairn_graph_pose *to,
                        double *error, double *by_from, double *by_to)
{
    cairn_pose3 relative = cairn_graph_pose_to3(to);
    if (factor->from != CAIRN_GRAPH_NONE) { relative = cairn_pose3_between(cairn_graph_pose_to3(from), relative); }
    const cairn_pose3 measured = cairn_graph_pose_to3(&factor->measured);
    cairn_pose3 off = cairn_pose3_between(measured, relative);
    if (off.turn.w < 0) { off.turn = (cairn_quat){-off.turn.w, -off.turn.x, -off.turn.y, -off.turn.z}; }
    memcpy(error, (double[6]){off.at_m.x, off.at_m.y, off.at_m.z, off.turn.x, off.turn.y, off.turn.z},
           6 * sizeof(double));

    double change[9];
    turn_change(off.turn, change);
    if (by_to) {
        double rotation[9];
        cairn_quat_to_matrix(off.turn, rotation);
        memset(by_to, 0, 36 * sizeof(double));
        place(by_to, 0, 0, 1, NULL, rotation);
        place(by_to, 3, 3, 1, NULL, change);
    }
    if (by_from) {
        const cairn_vec3 p = relative.at_m;
        const double cross[9] = {0, -p.z, p.y, p.z, 0, -p.x, -p.y, p.x, 0};
        static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        double rotation[9], turned[9], change_transposed[9];
        cairn_quat_to_matrix(measured.turn, rotation);
        memset(by_from, 0, 36 * sizeof(double));
        place(by_from, 0, 0, -1, rotation, identity);
        place(by_from, 0, 3, 2, rotation, cross);
        cairn_quat_to_matrix(cairn_quat_conjugate(relative.turn), turned);
        turn_change(cairn_quat_conjugate(off.turn), change_transposed);
        place(by_from, 3, 3, -1, change_transposed, turned);
    }
}

void cairn_factor_error(uint32_t degrees, const cairn_factor *factor, const cairn_graph_pose *from,
                        const cairn_graph_pose *to, double *ret_error, double *ret_by_from, double *ret_by_to)
{
    CAIRN_ASSERT(!ret_by_from || factor->from != CAIRN_GRAPH_NONE);
    if (degrees == 3) {
        error_plane(factor, from, to, ret_error, ret_by_from, ret_by_to);
    } else {
        error_space(factor, from, to, ret_error, ret_by_from, ret_by_to);
    }
}

cairn_graph_pose cairn_graph_pose_step(uint32_t degrees, const cairn_graph_pose *pose, const double *step)
{
    if (degrees == 3) {
        const double c = cos(pose->v[2]), s = sin(pose->v[2]);
        return (cairn_graph_pose){.v = {pose->v[0] + c * step[0] - s * step[1], pose->v[1] + s * step[0] + c * step[1],
                                        cairn_angle_wrap(pose->v[2] + step[2])}};
    }
    const double squared = step[3] * step[3] + step[4] * step[4] + step[5] * step[5];
    const cairn_quat turn = {.w = squared < 1 ? sqrt(1 - squared) : 0, .x = step[3], .y = step[4], .z = step[5]};
    const cairn_pose3 by = {.at_m = {step[0], step[1], step[2]}, .turn = cairn_quat_normalise(turn)};
    cairn_pose3 moved = cairn_pose3_compose(cairn_graph_pose_to3(pose), by);
    moved.turn = cairn_quat_normalise(moved.turn);
    return cairn_graph_pose_from3(moved);
}

double cairn_factor_chi2(const cairn_graph *graph, uint32_t factor)
{
    CAIRN_ASSERT(factor < graph->factor_count);
    const uint32_t degrees = graph->def.degrees;
    const cairn_factor *it = &graph->factors[factor];
    const cairn_graph_pose *from = it->from == CAIRN_GRAPH_NONE ? NULL : &graph->nodes[it->from].pose;
    double error[6], chi2 = 0;
    cairn_factor_error(degrees, it, from, &graph->nodes[it->to].pose, error, NULL, NULL);
    for (uint32_t row = 0, at = 0; row < degrees; row++) {
        for (uint32_t column = row; column < degrees; column++, at++) {
            chi2 += (row == column ? 1 : 2) * error[row] * it->information[at] * error[column];
        }
    }
    return chi2;
}

double cairn_graph_chi2(const cairn_graph *graph)
{
    double sum = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (!graph->factors[i].is_gone) { sum += cairn_factor_chi2(graph, i); }
    }
    return sum;
}
