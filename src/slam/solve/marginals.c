#include "slam/solve/marginals.h"
#include "slam/solve/incremental_parts.h"
#include <string.h>

// y = L^-1 e for one unit vector, on the way from a variable to its root.
static void climb(cairn_fronts *f, uint32_t variable, uint32_t axis, double *y)
{
    y[(size_t)variable * f->def.degrees + axis] = 1;
    for (uint32_t at = f->front_of[variable]; at != NONE; at = f->fronts[at].parent) {
        cairn_fronts_forward_one(f, at, y);
    }
}

// Both columns are zero but on their ways; from where these meet on, they are the same.
static double product(const cairn_fronts *f, uint32_t variable, const double *a, const double *b)
{
    const uint32_t degrees = f->def.degrees;
    double sum = 0;
    for (uint32_t at = f->front_of[variable]; at != NONE; at = f->fronts[at].parent) {
        const cairn_front *front = &f->fronts[at];
        for (uint32_t p = 0; p < front->pivot_count; p++) {
            const size_t from = (size_t)f->vars[front->vars_at + p] * degrees;
            for (uint32_t i = 0; i < degrees; i++) { sum += a[from + i] * b[from + i]; }
        }
    }
    return sum;
}

cairn_err cairn_fronts_inverse(cairn_fronts *f, uint32_t a, uint32_t b, cairn_arena *scratch, double *ret_block)
{
    const uint32_t degrees = f->def.degrees;
    const size_t numbers = (size_t)f->def.variables_max * degrees, mark = cairn_arena_mark(scratch);
    double *columns[2][6];
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t k = 0; k < degrees; k++) {
            if (side == 1 && a == b) {
                columns[1][k] = columns[0][k];
                continue;
            }
            columns[side][k] = CAIRN_TAKE(scratch, double, numbers);
            if (!columns[side][k]) {
                cairn_arena_reset(scratch, mark);
                return CAIRN_ERR_FULL;
            }
            climb(f, side == 0 ? a : b, k, columns[side][k]);
        }
    }
    for (uint32_t i = 0; i < degrees; i++) {
        for (uint32_t j = 0; j < degrees; j++) {
            ret_block[i * degrees + j] = product(f, a, columns[0][i], columns[1][j]);
        }
    }
    cairn_arena_reset(scratch, mark);
    return CAIRN_OK;
}

cairn_err cairn_batch_marginal(cairn_batch *batch, uint32_t a, uint32_t b, cairn_arena *scratch, double *ret_covariance)
{
    if (!cairn_batch_refactor(batch)) { return CAIRN_ERR_INVALID; }
    cairn_fronts *f = cairn_batch_fronts(batch);
    const uint32_t square = f->def.degrees * f->def.degrees;
    if (cairn_batch_holds(batch, a) || cairn_batch_holds(batch, b)) {
        memset(ret_covariance, 0, square * sizeof *ret_covariance);
        return CAIRN_OK;
    }
    return cairn_fronts_inverse(f, a, b, scratch, ret_covariance);
}

// A step of a node in its own frame, by the motion of the map's frame that makes it: (R', R' [turn about the origin]).
static void steps_by_motions(const cairn_graph *graph, const double *origin, uint32_t node, double *by)
{
    const double *v = graph->nodes[node].pose.v;
    const double x = v[0] - origin[0], y = v[1] - origin[1];
    if (graph->def.degrees == 3) {
        const double c = cos(v[2]), s = sin(v[2]);
        memcpy(by, (double[9]){c, s, s * x - c * y, -s, c, c * x + s * y, 0, 0, 1}, 9 * sizeof *by);
        return;
    }
    const cairn_pose3 pose = cairn_graph_pose_to3(&graph->nodes[node].pose);
    const cairn_quat back = cairn_quat_conjugate(pose.turn);
    const cairn_vec3 at = {x, y, v[2] - origin[2]};
    static const cairn_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memset(by, 0, 36 * sizeof *by);
    for (uint32_t j = 0; j < 3; j++) {
        const cairn_vec3 turned = cairn_quat_rotate(back, axes[j]);
        const cairn_vec3 swung = cairn_quat_rotate(back, cairn_vec3_scale(cairn_vec3_cross(axes[j], at), 2));
        const double shift[3] = {turned.x, turned.y, turned.z}, swing[3] = {swung.x, swung.y, swung.z};
        for (uint32_t i = 0; i < 3; i++) {
            by[i * 6 + j] = by[(3 + i) * 6 + 3 + j] = shift[i];
            by[i * 6 + 3 + j] = swing[i];
        }
    }
}

cairn_err cairn_incremental_marginal(cairn_incremental *n, const cairn_graph *graph, uint32_t a, uint32_t b,
                                     cairn_arena *scratch, double *ret_covariance)
{
    const uint32_t degrees = graph->def.degrees;
    CAIRN_ASSERT(a < n->structure.node_count && b < n->structure.node_count);
    memset(ret_covariance, 0, (size_t)degrees * degrees * sizeof *ret_covariance);
    if (n->structure.is_held[a] || n->structure.is_held[b]) { return CAIRN_OK; }
    cairn_err err = cairn_incremental_refresh(n);
    double block[36], by_a[36], by_b[36];
    if (err == CAIRN_OK) { err = cairn_fronts_inverse(n->fronts, a, b, scratch, block); }
    if (err != CAIRN_OK) { return err; }
    steps_by_motions(graph, n->origin_m, a, by_a);
    steps_by_motions(graph, n->origin_m, b, by_b);
    for (uint32_t i = 0; i < degrees; i++) {
        for (uint32_t j = 0; j < degrees; j++) {
            for (uint32_t k = 0; k < degrees; k++) {
                for (uint32_t l = 0; l < degrees; l++) {
                    ret_covariance[i * degrees + j] +=
                        by_a[i * degrees + k] * block[k * degrees + l] * by_b[j * degrees + l];
                }
            }
        }
    }
    return CAIRN_OK;
}
