#include "slam/solve/map_frame.h"
#include <string.h>

static inline void weigh(const cairn_factor *factor, uint32_t degrees, double *w)
{
    for (uint32_t row = 0, at = 0; row < degrees; row++) {
        for (uint32_t column = row; column < degrees; column++, at++) {
            w[row * degrees + column] = w[column * degrees + row] = factor->weight * factor->information[at];
        }
    }
}

// K = A' W A, by = A' W e, chi2 = e' W e.
static inline void square(uint32_t degrees, const double *a, const double *w, const double *e, cairn_map_part *part)
{
    double wa[36], we[6];
    part->chi2 = 0;
    for (uint32_t i = 0; i < degrees; i++) {
        we[i] = 0;
        for (uint32_t k = 0; k < degrees; k++) { we[i] += w[i * degrees + k] * e[k]; }
        part->chi2 += e[i] * we[i];
        for (uint32_t j = 0; j < degrees; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < degrees; k++) { sum += w[i * degrees + k] * a[k * degrees + j]; }
            wa[i * degrees + j] = sum;
        }
    }
    for (uint32_t i = 0; i < degrees; i++) {
        part->by[i] = 0;
        for (uint32_t k = 0; k < degrees; k++) { part->by[i] += a[k * degrees + i] * we[k]; }
        for (uint32_t j = i; j < degrees; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < degrees; k++) { sum += a[k * degrees + i] * wa[k * degrees + j]; }
            part->block[i * degrees + j] = part->block[j * degrees + i] = sum;
        }
    }
}

// With Q = Rm' Rf': e moves by Q (shift + turn x t).
static void linear_plane(const cairn_graph *graph, const cairn_factor *factor, const double *origin,
                         cairn_map_turns turns, cairn_map_part *part)
{
    static const double zeros[3] = {0};
    const double *from = factor->from == CAIRN_GRAPH_NONE ? zeros : graph->nodes[factor->from].pose.v;
    const double *to = graph->nodes[factor->to].pose.v, *m = factor->measured.v;
    const double cf = turns.from[0], sf = turns.from[1], cm = turns.measured[0], sm = turns.measured[1];
    const double dx = to[0] - from[0], dy = to[1] - from[1];
    const double qx = cf * dx + sf * dy - m[0], qy = cf * dy - sf * dx - m[1];
    const double e[3] = {cm * qx + sm * qy, cm * qy - sm * qx, cairn_angle_wrap(to[2] - from[2] - m[2])};
    const double c = cf * cm - sf * sm, s = sf * cm + cf * sm; // of both turns together
    const double x = to[0] - origin[0], y = to[1] - origin[1];
    const double a[9] = {c, s, s * x - c * y, -s, c, c * x + s * y, 0, 0, 1};
    double w[9];
    weigh(factor, 3, w);
    square(3, a, w, e, part);
}

// The same with turns as quaternion parts, and e's quaternion turned from in front: (w I - [v]x) Q.
static void linear_space(const cairn_graph *graph, const cairn_factor *factor, const double *origin,
                         cairn_map_part *part)
{
    const cairn_graph_pose *to = &graph->nodes[factor->to].pose;
    const bool is_on_one = factor->from == CAIRN_GRAPH_NONE;
    double e[6], a[36] = {0}, w[36];
    cairn_factor_error(6, factor, is_on_one ? NULL : &graph->nodes[factor->from].pose, to, e, NULL, NULL);
    cairn_quat turn = cairn_graph_pose_to3(&factor->measured).turn;
    if (!is_on_one) { turn = cairn_quat_multiply(cairn_graph_pose_to3(&graph->nodes[factor->from].pose).turn, turn); }
    turn = cairn_quat_conjugate(turn);
    const double square_length = e[3] * e[3] + e[4] * e[4] + e[5] * e[5], w_error = sqrt(fmax(0, 1 - square_length));
    const cairn_vec3 v = {e[3], e[4], e[5]}, at = {to->v[0] - origin[0], to->v[1] - origin[1], to->v[2] - origin[2]};
    static const cairn_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (uint32_t j = 0; j < 3; j++) {
        const cairn_vec3 turned = cairn_quat_rotate(turn, axes[j]);
        const cairn_vec3 swung = cairn_quat_rotate(turn, cairn_vec3_scale(cairn_vec3_cross(axes[j], at), 2));
        const cairn_vec3 rolled = cairn_vec3_sub(cairn_vec3_scale(turned, w_error), cairn_vec3_cross(v, turned));
        const double shift[3] = {turned.x, turned.y, turned.z}, swing[3] = {swung.x, swung.y, swung.z};
        const double roll[3] = {rolled.x, rolled.y, rolled.z};
        for (uint32_t i = 0; i < 3; i++) {
            a[i * 6 + j] = shift[i];
            a[i * 6 + 3 + j] = swing[i];
            a[(3 + i) * 6 + 3 + j] = roll[i];
        }
    }
    weigh(factor, 6, w);
    square(6, a, w, e, part);
}

void cairn_map_linear(const cairn_graph *graph, const cairn_factor *factor, const double origin_m[3],
                      cairn_map_turns turns, cairn_map_part *ret_part)
{
    if (graph->def.degrees == 3) {
        linear_plane(graph, factor, origin_m, turns, ret_part);
    } else {
        linear_space(graph, factor, origin_m, ret_part);
    }
}

cairn_graph_pose cairn_map_move(uint32_t degrees, const cairn_graph_pose *pose, const double origin_m[3],
                                const double *motion)
{
    if (degrees == 3) {
        const double c = cos(motion[2]), s = sin(motion[2]), x = pose->v[0] - origin_m[0], y = pose->v[1] - origin_m[1];
        return (cairn_graph_pose){{c * x - s * y + motion[0] + origin_m[0], s * x + c * y + motion[1] + origin_m[1],
                                   cairn_angle_wrap(pose->v[2] + motion[2])}};
    }
    const double squared = motion[3] * motion[3] + motion[4] * motion[4] + motion[5] * motion[5];
    const cairn_quat turn = cairn_quat_normalise(
        (cairn_quat){.w = squared < 1 ? sqrt(1 - squared) : 0, .x = motion[3], .y = motion[4], .z = motion[5]});
    const cairn_vec3 origin = {origin_m[0], origin_m[1], origin_m[2]}, shift = {motion[0], motion[1], motion[2]};
    cairn_pose3 moved = cairn_graph_pose_to3(pose);
    moved.at_m =
        cairn_vec3_add(cairn_vec3_add(cairn_quat_rotate(turn, cairn_vec3_sub(moved.at_m, origin)), shift), origin);
    moved.turn = cairn_quat_normalise(cairn_quat_multiply(turn, moved.turn));
    return cairn_graph_pose_from3(moved);
}
