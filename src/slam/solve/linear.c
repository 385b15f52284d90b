// The plane is written out: cosines and sines are taken once for each node, and those of differences are products.
#include "slam/solve/linear.h"
#include <string.h>

cairn_err cairn_linear_create(const cairn_graph *graph, cairn_arena *arena, cairn_linear *ret_linear)
{
    const size_t nodes = graph->def.nodes_max, factors = graph->def.factors_max, degrees = graph->def.degrees;
    cairn_linear l = {.degrees = graph->def.degrees};
    l.diagonal = CAIRN_TAKE(arena, double, nodes *degrees *degrees);
    l.beside = CAIRN_TAKE(arena, double, factors *degrees *degrees);
    l.b = CAIRN_TAKE(arena, double, nodes *degrees);
    l.turns = CAIRN_TAKE(arena, double, degrees == 3 ? 2 * nodes : 1);
    l.measured = CAIRN_TAKE(arena, double, degrees == 3 ? 2 * factors : 1);
    if (!l.diagonal || !l.beside || !l.b || !l.turns || !l.measured) { return CAIRN_ERR_FULL; }
    cairn_linear_learn(&l, graph, 0);
    *ret_linear = l;
    return CAIRN_OK;
}

void cairn_linear_learn(cairn_linear *linear, const cairn_graph *graph, uint32_t first_factor)
{
    if (linear->degrees != 3) { return; }
    for (uint32_t i = first_factor; i < graph->factor_count; i++) {
        sincos(graph->factors[i].measured.v[2], &linear->measured[2 * i + 1], &linear->measured[2 * i]);
    }
}

void cairn_linear_turn(cairn_linear *linear, const cairn_graph *graph, uint32_t node)
{
    if (linear->degrees != 3) { return; }
    sincos(graph->nodes[node].pose.v[2], &linear->turns[2 * node + 1], &linear->turns[2 * node]);
}

static void read_turns(cairn_linear *linear, const cairn_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) { cairn_linear_turn(linear, graph, i); }
}

// ---- plane

// A factor between two nodes, seen from both.
typedef struct plane {
    double e[3];
    double c, s;   // of the error's yaw: how `to` moves the error
    double cm, sm; // of the measured yaw
    double a, b;   // how turning `from` moves the error
} plane;

static inline plane look_plane(const cairn_linear *l, const cairn_graph *graph, const cairn_factor *factor,
                               uint32_t index)
{
    static const double origin[3] = {0}, straight[2] = {1, 0};
    const bool is_on_one = factor->from == CAIRN_GRAPH_NONE;
    const double *from = is_on_one ? origin : graph->nodes[factor->from].pose.v, *to = graph->nodes[factor->to].pose.v;
    const double *turn_from = is_on_one ? straight : l->turns + 2 * (size_t)factor->from;
    const double *turn_to = l->turns + 2 * (size_t)factor->to, *m = factor->measured.v;
    plane p = {.cm = l->measured[2 * (size_t)index], .sm = l->measured[2 * (size_t)index + 1]};
    const double dx = to[0] - from[0], dy = to[1] - from[1];
    const double px = turn_from[0] * dx + turn_from[1] * dy, py = turn_from[0] * dy - turn_from[1] * dx;
    const double qx = px - m[0], qy = py - m[1];
    p.e[0] = p.cm * qx + p.sm * qy;
    p.e[1] = p.cm * qy - p.sm * qx;
    p.e[2] = cairn_angle_wrap(to[2] - from[2] - m[2]);
    const double c = turn_from[0] * turn_to[0] + turn_from[1] * turn_to[1];
    const double s = turn_from[0] * turn_to[1] - turn_from[1] * turn_to[0];
    p.c = p.cm * c + p.sm * s;
    p.s = p.cm * s - p.sm * c;
    p.a = p.cm * py - p.sm * px;
    p.b = -p.sm * py - p.cm * px;
    return p;
}

// For the columns (c, s, 0), (-s, c, 0), (0, 0, 1) of `to`.
static inline void times_to(const plane *p, const double row[3], double ret[3])
{
    ret[0] = row[0] * p->c + row[1] * p->s;
    ret[1] = row[1] * p->c - row[0] * p->s;
    ret[2] = row[2];
}

// For the columns (-cm, sm, 0), (-sm, -cm, 0), (a, b, -1) of `from`.
static inline void times_from(const plane *p, const double row[3], double ret[3])
{
    ret[0] = row[1] * p->sm - row[0] * p->cm;
    ret[1] = -row[0] * p->sm - row[1] * p->cm;
    ret[2] = row[0] * p->a + row[1] * p->b - row[2];
}

// J' M for a J of that shape and a symmetric or plain M by rows: the same product, column by column.
static inline void square_plane(const plane *p, const double w[3][3], double from_from[9], double from_to[9],
                                double to_to[9])
{
    double by_to[3][3], by_from[3][3]; // (W J)' by rows: W is symmetric, so row i is W's row i times J
    for (int i = 0; i < 3; i++) {
        times_to(p, w[i], by_to[i]);
        times_from(p, w[i], by_from[i]);
    }
    for (int j = 0; j < 3; j++) {
        const double to_column[3] = {by_to[0][j], by_to[1][j], by_to[2][j]};
        const double from_column[3] = {by_from[0][j], by_from[1][j], by_from[2][j]};
        double product[3];
        times_to(p, to_column, product);
        for (int i = 0; i < 3; i++) { to_to[3 * i + j] = product[i]; }
        times_from(p, to_column, product);
        for (int i = 0; i < 3; i++) { from_to[3 * i + j] = product[i]; }
        times_from(p, from_column, product);
        for (int i = 0; i < 3; i++) { from_from[3 * i + j] = product[i]; }
    }
}

static inline double weigh_plane(const cairn_factor *factor, const plane *p, double w[3][3], double we[3])
{
    const double *u = factor->information, weight = factor->weight;
    w[0][0] = weight * u[0];
    w[0][1] = w[1][0] = weight * u[1];
    w[0][2] = w[2][0] = weight * u[2];
    w[1][1] = weight * u[3];
    w[1][2] = w[2][1] = weight * u[4];
    w[2][2] = weight * u[5];
    for (int i = 0; i < 3; i++) { we[i] = w[i][0] * p->e[0] + w[i][1] * p->e[1] + w[i][2] * p->e[2]; }
    return p->e[0] * we[0] + p->e[1] * we[1] + p->e[2] * we[2];
}

static double make_plane(cairn_linear *l, const cairn_graph *graph)
{
    double chi2 = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (factor->is_gone) { continue; }
        const plane p = look_plane(l, graph, factor, i);
        double w[3][3], we[3], from_from[9], to_to[9], by[3];
        chi2 += weigh_plane(factor, &p, w, we);
        square_plane(&p, w, from_from, l->beside + 9 * (size_t)i, to_to);
        double *diagonal = l->diagonal + 9 * (size_t)factor->to, *b = l->b + 3 * (size_t)factor->to;
        times_to(&p, we, by);
        for (int k = 0; k < 9; k++) { diagonal[k] += to_to[k]; }
        for (int k = 0; k < 3; k++) { b[k] -= by[k]; }
        if (factor->from == CAIRN_GRAPH_NONE) { continue; }
        diagonal = l->diagonal + 9 * (size_t)factor->from;
        b = l->b + 3 * (size_t)factor->from;
        times_from(&p, we, by);
        for (int k = 0; k < 9; k++) { diagonal[k] += from_from[k]; }
        for (int k = 0; k < 3; k++) { b[k] -= by[k]; }
    }
    return chi2;
}

// ---- space, and single factors

static void unfold(const cairn_factor *factor, uint32_t degrees, double w[36])
{
    for (uint32_t row = 0, at = 0; row < degrees; row++) {
        for (uint32_t column = row; column < degrees; column++, at++) {
            w[row * degrees + column] = w[column * degrees + row] = factor->weight * factor->information[at];
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

static void factor_space(const cairn_graph *graph, const cairn_factor *factor, cairn_factor_part *part)
{
    const bool is_on_one = factor->from == CAIRN_GRAPH_NONE;
    double e[6], by_from[36], by_to[36], w[36], we[6], wj[36];
    cairn_factor_error(6, factor, is_on_one ? NULL : &graph->nodes[factor->from].pose, &graph->nodes[factor->to].pose,
                       e, is_on_one ? NULL : by_from, by_to);
    unfold(factor, 6, w);
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

void cairn_linear_factor(const cairn_linear *linear, const cairn_graph *graph, uint32_t factor,
                         cairn_factor_part *ret_part)
{
    const cairn_factor *it = &graph->factors[factor];
    if (linear->degrees == 6) {
        factor_space(graph, it, ret_part);
        return;
    }
    const plane p = look_plane(linear, graph, it, factor);
    double w[3][3], we[3];
    ret_part->chi2 = weigh_plane(it, &p, w, we);
    square_plane(&p, w, ret_part->from_from, ret_part->from_to, ret_part->to_to);
    times_to(&p, we, ret_part->by_to);
    times_from(&p, we, ret_part->by_from);
}

static double make_space(cairn_linear *l, const cairn_graph *graph)
{
    double chi2 = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (factor->is_gone) { continue; }
        cairn_factor_part part;
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
    read_turns(linear, graph);
    return degrees == 3 ? make_plane(linear, graph) : make_space(linear, graph);
}

double cairn_linear_chi2(cairn_linear *linear, const cairn_graph *graph)
{
    double chi2 = 0;
    read_turns(linear, graph);
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (factor->is_gone) { continue; }
        if (linear->degrees == 3) {
            const plane p = look_plane(linear, graph, factor, i);
            double w[3][3], we[3];
            chi2 += weigh_plane(factor, &p, w, we);
        } else {
            chi2 += (double)factor->weight * cairn_factor_chi2(graph, i);
        }
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
