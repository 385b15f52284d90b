// Both problems are sums of w |x_to - x_from A|^2 - or, with b, w |x_to - x_from - b|^2 - over rows x of up to 3
// numbers for each node. Rows of turns: the first row of a plane's turn is enough, the second is the first turned by 90
// degrees; in space there are three, solved one after the other. Held nodes keep their value: their part of the
// gradient is 0.
#include "slam/start/chordal.h"
#include <math.h>
#include <string.h>

#define ARENA_ALIGN_BYTES 64u // of base/memory.h
#define ROW 3u                // numbers in a row; in the plane the third is 0

typedef struct link {  // one factor in one of the problems
    uint32_t from, to; // from is CAIRN_GRAPH_NONE for a factor on one node
    double weight;
    double turn[9]; // rows are multiplied by it from the right; identity for positions
    double shift[ROW];
} link;

typedef struct problem {
    cairn_graph *graph;
    uint32_t size; // 2 or 3
    uint32_t link_count;
    link *links;
    bool *is_held;
    uint32_t *parents; // union of nodes that are joined
    double *turns;     // 9 for each node
    double *x, *residual, *direction, *product, *diagonal;
} problem;

cairn_chordal_def cairn_chordal_def_default(void)
{
    return (cairn_chordal_def){.iterations_max = 2000, .tolerance = 1e-5};
}

static void turn_of(const problem *p, const cairn_graph_pose *pose, double *ret_turn)
{
    if (p->size == 2) {
        const double c = cos(pose->v[2]), s = sin(pose->v[2]);
        memcpy(ret_turn, (double[9]){c, -s, 0, s, c, 0, 0, 0, 0}, 9 * sizeof(double));
        return;
    }
    cairn_quat_to_matrix(cairn_graph_pose_to3(pose).turn, ret_turn);
}

// Mean of the diagonal of a factor's information, over its positions or its turn.
static double mean_information(uint32_t degrees, const cairn_factor *factor, bool of_turn)
{
    const uint32_t half = degrees == 3 ? 2 : 3;
    double sum = 0;
    uint32_t at = 0, count = 0;
    for (uint32_t i = 0; i < degrees; at += degrees - i, i++) {
        if ((i >= half) != of_turn) { continue; }
        sum += factor->information[at];
        count++;
    }
    return sum / count;
}

static uint32_t find_part(uint32_t *parents, uint32_t node)
{
    while (parents[node] != node) { node = parents[node] = parents[parents[node]]; }
    return node;
}

// Holds fixed nodes, and the first node of each part that has no other hold. A part's name is its first node.
static void hold_nodes(problem *p)
{
    const cairn_graph *graph = p->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) { p->parents[i] = i; }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (factor->is_gone || factor->from == CAIRN_GRAPH_NONE) { continue; }
        const uint32_t a = find_part(p->parents, factor->from), b = find_part(p->parents, factor->to);
        p->parents[a > b ? a : b] = a > b ? b : a;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) { p->is_held[i] = find_part(p->parents, i) == i; }
    for (uint32_t i = 0; i < graph->factor_count; i++) { // references that say all hold their part
        const cairn_factor *factor = &graph->factors[i];
        if (!factor->is_gone && factor->from == CAIRN_GRAPH_NONE &&
            mean_information(graph->def.degrees, factor, true) > 0) {
            p->is_held[find_part(p->parents, factor->to)] = false;
        }
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!graph->nodes[i].is_fixed) { continue; }
        const uint32_t part = find_part(p->parents, i);
        p->is_held[part] = graph->nodes[part].is_fixed;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) { p->is_held[i] |= graph->nodes[i].is_fixed; }
}

static void multiply(const double *row, const double *turn, double *ret_row)
{
    for (uint32_t k = 0; k < ROW; k++) { ret_row[k] = row[0] * turn[k] + row[1] * turn[3 + k] + row[2] * turn[6 + k]; }
}

// row * turn^T
static void multiply_back(const double *row, const double *turn, double *ret_row)
{
    for (uint32_t k = 0; k < ROW; k++) {
        ret_row[k] = row[0] * turn[3 * k] + row[1] * turn[3 * k + 1] + row[2] * turn[3 * k + 2];
    }
}

// gradient = half the derivative of the cost at x; with_shift false: of its quadratic part alone. Held nodes: 0.
static void gradient(const problem *p, const double *x, bool with_shift, double *ret_gradient)
{
    memset(ret_gradient, 0, (size_t)p->graph->node_count * ROW * sizeof(double));
    for (uint32_t i = 0; i < p->link_count; i++) {
        const link *l = &p->links[i];
        double error[ROW], carried[ROW] = {0};
        if (l->from != CAIRN_GRAPH_NONE) { multiply(x + (size_t)l->from * ROW, l->turn, carried); }
        for (uint32_t k = 0; k < ROW; k++) {
            error[k] = l->weight * (x[(size_t)l->to * ROW + k] - carried[k] - (with_shift ? l->shift[k] : 0));
            ret_gradient[(size_t)l->to * ROW + k] += error[k];
        }
        if (l->from == CAIRN_GRAPH_NONE) { continue; }
        multiply_back(error, l->turn, carried);
        for (uint32_t k = 0; k < ROW; k++) { ret_gradient[(size_t)l->from * ROW + k] -= carried[k]; }
    }
    for (uint32_t i = 0; i < p->graph->node_count; i++) {
        if (p->is_held[i]) { memset(ret_gradient + (size_t)i * ROW, 0, ROW * sizeof(double)); }
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) { sum += a[i] * b[i]; }
    return sum;
}

// Conjugate gradients with the diagonal as preconditioner, from x. Returns the iterations.
static uint32_t descend(const cairn_chordal_def *def, problem *p)
{
    const size_t count = (size_t)p->graph->node_count * ROW;
    for (uint32_t i = 0; i < p->graph->node_count; i++) { p->diagonal[i] = 0; }
    for (uint32_t i = 0; i < p->link_count; i++) {
        p->diagonal[p->links[i].to] += p->links[i].weight;
        if (p->links[i].from != CAIRN_GRAPH_NONE) { p->diagonal[p->links[i].from] += p->links[i].weight; }
    }
    gradient(p, p->x, true, p->residual);
    double along = 0;
    for (size_t i = 0; i < count; i++) {
        const double scale = p->diagonal[i / ROW] > 0 ? 1 / p->diagonal[i / ROW] : 0;
        p->residual[i] = -p->residual[i];
        p->direction[i] = scale * p->residual[i];
        along += p->residual[i] * p->direction[i];
    }
    const double enough = def->tolerance * def->tolerance * along;
    uint32_t iterations = 0;
    while (iterations < def->iterations_max && along > enough) {
        gradient(p, p->direction, false, p->product);
        const double curve = dot(p->direction, p->product, count);
        if (!(curve > 0)) { break; }
        const double step = along / curve, before = along;
        along = 0;
        for (size_t i = 0; i < count; i++) {
            p->x[i] += step * p->direction[i];
            p->residual[i] -= step * p->product[i];
            const double scale = p->diagonal[i / ROW] > 0 ? 1 / p->diagonal[i / ROW] : 0;
            along += scale * p->residual[i] * p->residual[i];
        }
        for (size_t i = 0; i < count; i++) {
            const double scale = p->diagonal[i / ROW] > 0 ? 1 / p->diagonal[i / ROW] : 0;
            p->direction[i] = scale * p->residual[i] + along / before * p->direction[i];
        }
        iterations++;
    }
    return iterations;
}

// The links of row `row` of the turns.
static void link_turns(problem *p, uint32_t row)
{
    p->link_count = 0;
    for (uint32_t i = 0; i < p->graph->factor_count; i++) {
        const cairn_factor *factor = &p->graph->factors[i];
        const double weight = mean_information(p->graph->def.degrees, factor, true);
        if (factor->is_gone || !(weight > 0)) { continue; }
        link *l = &p->links[p->link_count++];
        *l = (link){.from = factor->from, .to = factor->to, .weight = weight};
        turn_of(p, &factor->measured, l->turn);
        if (factor->from == CAIRN_GRAPH_NONE) { memcpy(l->shift, l->turn + (size_t)row * 3, sizeof l->shift); }
    }
}

static void link_positions(problem *p)
{
    p->link_count = 0;
    for (uint32_t i = 0; i < p->graph->factor_count; i++) {
        const cairn_factor *factor = &p->graph->factors[i];
        const double weight = mean_information(p->graph->def.degrees, factor, false);
        if (factor->is_gone || !(weight > 0)) { continue; }
        link *l = &p->links[p->link_count++];
        *l = (link){.from = factor->from, .to = factor->to, .weight = weight, .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        const double at[ROW] = {factor->measured.v[0], factor->measured.v[1], p->size == 3 ? factor->measured.v[2] : 0};
        if (factor->from == CAIRN_GRAPH_NONE) {
            memcpy(l->shift, at, sizeof at);
        } else {
            multiply_back(at, p->turns + (size_t)factor->from * 9, l->shift); // from's turn times the measured position
        }
    }
}

// The nearest turn to a matrix: for the plane from its first row, for space by averaging with its inverse transposed
// (Newton's iteration for the polar decomposition), which converges from any matrix of positive determinant.
static bool make_orthogonal(uint32_t size, double *m)
{
    if (size == 2) {
        const double length = hypot(m[0], m[1]);
        if (!(length > 1e-9)) { return false; }
        m[0] /= length, m[1] /= length;
        m[3] = -m[1], m[4] = m[0];
        return true;
    }
    for (int round = 0; round < 50; round++) {
        const double cofactor[9] = {m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6],
                                    m[2] * m[7] - m[1] * m[8], m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7],
                                    m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5], m[0] * m[4] - m[1] * m[3]};
        const double determinant = m[0] * cofactor[0] + m[1] * cofactor[1] + m[2] * cofactor[2];
        if (!(determinant > 1e-12)) { return false; }
        double change = 0;
        for (int i = 0; i < 9; i++) {
            const double better = 0.5 * (m[i] + cofactor[i] / determinant);
            change = fmax(change, fabs(better - m[i]));
            m[i] = better;
        }
        if (change < 1e-14) { break; }
    }
    return true;
}

static cairn_quat quat_of(const double *m)
{
    // From the largest of the four, so that nothing small is divided by.
    const double trace = m[0] + m[4] + m[8];
    cairn_quat q;
    if (trace > 0) {
        q = (cairn_quat){1 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    } else if (m[0] > m[4] && m[0] > m[8]) {
        q = (cairn_quat){m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
    } else if (m[4] > m[8]) {
        q = (cairn_quat){m[2] - m[6], m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7]};
    } else {
        q = (cairn_quat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8]};
    }
    return cairn_quat_normalise(q);
}

static uint32_t solve_turns(const cairn_chordal_def *def, problem *p)
{
    const uint32_t node_count = p->graph->node_count;
    uint32_t iterations = 0;
    for (uint32_t i = 0; i < node_count; i++) { turn_of(p, &p->graph->nodes[i].pose, p->turns + (size_t)i * 9); }
    for (uint32_t row = 0; row < (p->size == 2 ? 1 : 3); row++) {
        for (uint32_t i = 0; i < node_count; i++) {
            memcpy(p->x + (size_t)i * ROW, p->turns + (size_t)i * 9 + (size_t)row * 3, ROW * sizeof(double));
        }
        link_turns(p, row);
        iterations += descend(def, p);
        for (uint32_t i = 0; i < node_count; i++) {
            memcpy(p->turns + (size_t)i * 9 + (size_t)row * 3, p->x + (size_t)i * ROW, ROW * sizeof(double));
        }
    }
    for (uint32_t i = 0; i < node_count; i++) { // averages that cancel say nothing: as it was
        double *turn = p->turns + (size_t)i * 9;
        if (!make_orthogonal(p->size, turn)) { turn_of(p, &p->graph->nodes[i].pose, turn); }
    }
    return iterations;
}

static uint32_t solve_positions(const cairn_chordal_def *def, problem *p)
{
    for (uint32_t i = 0; i < p->graph->node_count; i++) {
        for (uint32_t k = 0; k < ROW; k++) {
            p->x[(size_t)i * ROW + k] = k < p->size ? p->graph->nodes[i].pose.v[k] : 0;
        }
    }
    link_positions(p);
    return descend(def, p);
}

static void write_poses(const problem *p)
{
    for (uint32_t i = 0; i < p->graph->node_count; i++) {
        const double *turn = p->turns + (size_t)i * 9, *at = p->x + (size_t)i * ROW;
        cairn_graph_node *node = &p->graph->nodes[i];
        if (p->is_held[i]) { continue; }
        node->pose = p->size == 2 ? cairn_graph_pose_from2((cairn_pose2){at[0], at[1], atan2(turn[3], turn[0])})
                                  : cairn_graph_pose_from3((cairn_pose3){{at[0], at[1], at[2]}, quat_of(turn)});
    }
}

size_t cairn_chordal_scratch_bytes(const cairn_graph *graph)
{
    const size_t for_node = sizeof(bool) + sizeof(uint32_t) + (9 + 4 * ROW + 1) * sizeof(double);
    return graph->node_count * for_node + graph->factor_count * sizeof(link) + 9 * ARENA_ALIGN_BYTES;
}

static cairn_err take_scratch(problem *p, cairn_arena *scratch)
{
    const size_t nodes = p->graph->node_count;
    p->links = CAIRN_TAKE(scratch, link, p->graph->factor_count);
    p->is_held = CAIRN_TAKE(scratch, bool, nodes);
    p->parents = CAIRN_TAKE(scratch, uint32_t, nodes);
    p->turns = CAIRN_TAKE(scratch, double, 9 * nodes);
    p->x = CAIRN_TAKE(scratch, double, ROW *nodes);
    p->residual = CAIRN_TAKE(scratch, double, ROW *nodes);
    p->direction = CAIRN_TAKE(scratch, double, ROW *nodes);
    p->product = CAIRN_TAKE(scratch, double, ROW *nodes);
    p->diagonal = CAIRN_TAKE(scratch, double, nodes);
    const bool is_all = p->links && p->is_held && p->parents && p->turns && p->x && p->residual && p->direction &&
                        p->product && p->diagonal;
    return is_all ? CAIRN_OK : CAIRN_ERR_FULL;
}

cairn_err cairn_chordal_place(const cairn_chordal_def *def, cairn_graph *graph, cairn_arena *scratch,
                              cairn_chordal_info *ret_info)
{
    problem p = {.graph = graph, .size = graph->def.degrees == 3 ? 2 : 3};
    cairn_chordal_info info = {0};
    const size_t mark = cairn_arena_mark(scratch);
    const cairn_err err = take_scratch(&p, scratch);
    if (err == CAIRN_OK) {
        hold_nodes(&p);
        info.turn_iterations = solve_turns(def, &p);
        info.position_iterations = solve_positions(def, &p);
        write_poses(&p);
        if (ret_info) { *ret_info = info; }
    }
    cairn_arena_reset(scratch, mark);
    return err;
}
