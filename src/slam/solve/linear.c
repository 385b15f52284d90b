// The plane: all that a pass reads is kept close together, cosines and sines of measured yaws among it.
#include "slam/solve/linear.h"
#include "slam/solve/fused.h"
#include <string.h>

#define LANES CAIRN_PLANE_LANES

cairn_err cairn_linear_create(const cairn_graph *graph, cairn_arena *arena, cairn_linear *ret_linear)
{
    const bool is_plane = graph->def.degrees == 3;
    const size_t groups = (graph->factor_count + LANES - 1) / LANES, degrees = graph->def.degrees;
    const size_t factors = groups * LANES, nodes = (size_t)graph->node_count + 1; // and the origin
    cairn_linear l = {.degrees = graph->def.degrees, .group_count = is_plane ? (uint32_t)groups : 0};
    l.diagonal = CAIRN_TAKE(arena, double, nodes *degrees *degrees);
    l.beside = CAIRN_TAKE(arena, double, factors *degrees *degrees);
    l.b = CAIRN_TAKE(arena, double, nodes *degrees);
    l.groups = CAIRN_TAKE(arena, cairn_plane_factors, l.group_count);
    l.seen = CAIRN_TAKE(arena, double, is_plane ? nodes *CAIRN_PLANE_SEEN : 1);
    if (!l.diagonal || !l.beside || !l.b || !l.groups || !l.seen) { return CAIRN_ERR_FULL; }
    for (uint32_t g = 0; g < l.group_count; g++) {
        for (uint32_t i = 0; i < LANES; i++) {
            l.groups[g].measured[3][i] = 1;
            l.groups[g].from[i] = l.groups[g].to[i] = graph->node_count;
        }
    }
    if (is_plane) { l.seen[CAIRN_PLANE_SEEN * (nodes - 1) + 3] = 1; }
    *ret_linear = l;
    return CAIRN_OK;
}

// ---- plane

static void learn_factor(cairn_plane_factors *group, uint32_t i, const cairn_factor *factor, uint32_t origin)
{
    group->from[i] = factor->from == CAIRN_GRAPH_NONE ? origin : factor->from;
    group->to[i] = factor->to;
    if (group->measured[2][i] != factor->measured.v[2]) {
        sincos(factor->measured.v[2], &group->measured[4][i], &group->measured[3][i]);
    }
    for (int k = 0; k < 3; k++) { group->measured[k][i] = factor->measured.v[k]; }
    const double weight = factor->is_gone ? 0 : factor->weight;
    for (int k = 0; k < 6; k++) { group->information[k][i] = weight * factor->information[k]; }
}

void cairn_linear_learn(cairn_linear *linear, const cairn_graph *graph)
{
    if (linear->degrees != 3) { return; }
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        learn_factor(&linear->groups[f / LANES], f % LANES, &graph->factors[f], graph->node_count);
    }
}

static double pass_plane(cairn_linear *linear, const cairn_graph *graph, const cairn_plane_matrix *add_to)
{
    typedef double (*plane_fn)(const cairn_plane_factors *, uint32_t, const double *, const cairn_plane_matrix *);
    static const cairn_kernel kernel = {"plane_linear", CAIRN_KERNEL_VARIANTS(cairn_plane_linear)};
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const double *pose = graph->nodes[i].pose.v;
        double *seen = linear->seen + CAIRN_PLANE_SEEN * (size_t)i;
        seen[0] = pose[0];
        seen[1] = pose[1];
        seen[2] = pose[2];
        sincos(pose[2], &seen[4], &seen[3]);
    }
    return ((plane_fn)cairn_dispatch_fused(&kernel))(linear->groups, linear->group_count, linear->seen, add_to);
}

static double make_plane(cairn_linear *l, const cairn_graph *graph)
{
    const cairn_plane_matrix add_to = {.diagonal = l->diagonal, .beside = l->beside, .b = l->b};
    const double chi2 = pass_plane(l, graph, &add_to);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        double *block = l->diagonal + 9 * (size_t)i;
        block[3] = block[1];
        block[6] = block[2];
        block[7] = block[5];
    }
    return chi2;
}

// ---- space

// What one factor adds: blocks row-major, b without its sign turned.
typedef struct factor_part {
    double from_from[36], from_to[36], to_to[36]; // only to_to for a factor on one node
    double by_from[6], by_to[6];                  // J' W e
    double chi2;                                  // weighted
} factor_part;

static void unfold(const cairn_factor *factor, double w[36])
{
    for (uint32_t row = 0, at = 0; row < 6; row++) {
        for (uint32_t column = row; column < 6; column++, at++) {
            w[row * 6 + column] = w[column * 6 + row] = factor->weight * factor->information[at];
        }
    }
}

// ret = a' b, both 6x6.
static void square_space(const double a[36], const double b[36], double ret[36])
{
    memset(ret, 0, 36 * sizeof *ret);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) { ret[6 * i + j] += a[6 * k + i] * b[6 * k + j]; }
        }
    }
}

static void turn_space(const double a[36], const double v[6], double ret[6])
{
    for (int i = 0; i < 6; i++) {
        ret[i] = 0;
        for (int k = 0; k < 6; k++) { ret[i] += a[6 * k + i] * v[k]; }
    }
}

static void factor_space(const cairn_graph *graph, const cairn_factor *factor, factor_part *part)
{
    const bool is_on_one = factor->from == CAIRN_GRAPH_NONE;
    double e[6], by_from[36], by_to[36], w[36], we[6], wj[36];
    cairn_factor_error(6, factor, is_on_one ? NULL : &graph->nodes[factor->from].pose, &graph->nodes[factor->to].pose,
                       e, is_on_one ? NULL : by_from, by_to);
    unfold(factor, w);
    turn_space(w, e, we);
    part->chi2 = 0;
    for (int i = 0; i < 6; i++) { part->chi2 += e[i] * we[i]; }
    square_space(w, by_to, wj);
    square_space(by_to, wj, part->to_to);
    turn_space(by_to, we, part->by_to);
    if (is_on_one) { return; }
    square_space(by_from, wj, part->from_to);
    turn_space(by_from, we, part->by_from);
    square_space(w, by_from, wj);
    square_space(by_from, wj, part->from_from);
}

static double make_space(cairn_linear *l, const cairn_graph *graph)
{
    double chi2 = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (factor->is_gone) { continue; }
        factor_part part;
        factor_space(graph, factor, &part);
        chi2 += part.chi2;
        double *diagonal = l->diagonal + 36 * (size_t)factor->to, *b = l->b + 6 * (size_t)factor->to;
        for (int k = 0; k < 36; k++) { diagonal[k] += part.to_to[k]; }
        for (int k = 0; k < 6; k++) { b[k] -= part.by_to[k]; }
        if (factor->from == CAIRN_GRAPH_NONE) { continue; }
        memcpy(l->beside + 36 * (size_t)i, part.from_to, sizeof part.from_to);
        diagonal = l->diagonal + 36 * (size_t)factor->from;
        b = l->b + 6 * (size_t)factor->from;
        for (int k = 0; k < 36; k++) { diagonal[k] += part.from_from[k]; }
        for (int k = 0; k < 6; k++) { b[k] -= part.by_from[k]; }
    }
    return chi2;
}

double cairn_linear_make(cairn_linear *linear, const cairn_graph *graph)
{
    const size_t degrees = linear->degrees, nodes = graph->node_count;
    memset(linear->diagonal, 0, nodes * degrees * degrees * sizeof *linear->diagonal);
    memset(linear->b, 0, nodes * degrees * sizeof *linear->b);
    return degrees == 3 ? make_plane(linear, graph) : make_space(linear, graph);
}

double cairn_linear_chi2(cairn_linear *linear, const cairn_graph *graph)
{
    if (linear->degrees == 3) { return pass_plane(linear, graph, NULL); }
    double chi2 = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (!factor->is_gone) { chi2 += (double)factor->weight * cairn_factor_chi2(graph, i); }
    }
    return chi2;
}

void cairn_linear_multiply(const cairn_linear *linear, const cairn_graph *graph, const bool *is_held, const double *v,
                           double *ret_product)
{
    const uint32_t degrees = linear->degrees, square = degrees * degrees;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const double *block = linear->diagonal + (size_t)n * square, *x = v + (size_t)n * degrees;
        for (uint32_t i = 0; i < degrees; i++) {
            double sum = 0;
            for (uint32_t j = 0; j < degrees; j++) { sum += block[i * degrees + j] * x[j]; }
            ret_product[(size_t)n * degrees + i] = is_held[n] ? 0 : sum;
        }
    }
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        const cairn_factor *factor = &graph->factors[f];
        if (factor->is_gone || factor->from == CAIRN_GRAPH_NONE || is_held[factor->from] || is_held[factor->to]) {
            continue;
        }
        const double *block = linear->beside + (size_t)f * square;
        const double *x_from = v + (size_t)factor->from * degrees, *x_to = v + (size_t)factor->to * degrees;
        double *from = ret_product + (size_t)factor->from * degrees, *to = ret_product + (size_t)factor->to * degrees;
        for (uint32_t i = 0; i < degrees; i++) {
            for (uint32_t j = 0; j < degrees; j++) {
                from[i] += block[i * degrees + j] * x_to[j];
                to[j] += block[i * degrees + j] * x_from[i];
            }
        }
    }
}
