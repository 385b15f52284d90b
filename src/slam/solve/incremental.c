#include "slam/solve/incremental.h"
#include "slam/solve/incremental_parts.h"
#include <string.h>

#define GAIN_FLOOR 1e-9  // [-] of chi2: less is rounding, also where chi2 is nearly 0
#define CHI2_STILL 1e-18 // [-] of a new factor: rounding of who placed its node along it
#define B_STILL 1e-13    // [-] of the largest number on the diagonal: gradients below it are rounding

cairn_incremental_def cairn_incremental_def_default(cairn_incremental_mode mode)
{
    const bool is_exact = mode == CAIRN_INCREMENTAL_EXACT;
    return (cairn_incremental_def){.mode = mode,
                                   .step_m_max = 3e-7,
                                   .gain_part = 5e-3,
                                   .still_m = 1e-4,
                                   .linear_m_max = is_exact ? 0.02 : 0.1,
                                   .iterations_max = is_exact ? 50 : 10};
}

// ---- memory

static cairn_err take_structure(cairn_incremental *n, const cairn_graph *graph, cairn_arena *arena)
{
    const size_t nodes = graph->def.nodes_max, factors = graph->def.factors_max;
    cairn_structure *s = &n->structure;
    s->is_held = CAIRN_TAKE(arena, bool, nodes);
    s->order = CAIRN_TAKE(arena, uint32_t, nodes);
    s->ends = CAIRN_TAKE(arena, uint32_t, 2 * factors);
    s->incidence.head = CAIRN_TAKE(arena, uint32_t, nodes);
    s->incidence.next = CAIRN_TAKE(arena, uint32_t, 2 * factors);
    n->above = CAIRN_TAKE(arena, uint32_t, nodes);
    n->is_anchored = CAIRN_TAKE(arena, bool, nodes);
    n->is_touched = CAIRN_TAKE(arena, bool, nodes);
    n->touched = CAIRN_TAKE(arena, uint32_t, nodes);
    n->is_moved = CAIRN_TAKE(arena, bool, nodes);
    n->is_far = CAIRN_TAKE(arena, bool, nodes);
    n->stamp_of = CAIRN_TAKE(arena, uint32_t, factors);
    n->to_touch = CAIRN_TAKE(arena, uint32_t, factors);
    n->list = CAIRN_TAKE(arena, uint32_t, nodes);
    s->incidence.ends = s->ends;
    return s->is_held && s->order && s->ends && s->incidence.head && s->incidence.next && n->above && n->is_anchored &&
                   n->is_touched && n->touched && n->is_moved && n->is_far && n->stamp_of && n->to_touch && n->list
               ? CAIRN_OK
               : CAIRN_ERR_FULL;
}

static cairn_err take_numbers(cairn_incremental *n, const cairn_graph *graph, cairn_arena *arena)
{
    const size_t nodes = graph->def.nodes_max, factors = graph->def.factors_max, degrees = graph->def.degrees;
    n->diagonal = CAIRN_TAKE(arena, double, nodes *degrees *degrees);
    n->beside = CAIRN_TAKE(arena, double, factors *degrees *degrees);
    n->b = CAIRN_TAKE(arena, double, nodes *degrees);
    n->by = CAIRN_TAKE(arena, double, factors *degrees);
    n->turns = CAIRN_TAKE(arena, double, 2 * nodes);
    n->measured = CAIRN_TAKE(arena, double, 2 * factors);
    n->chi2_of = CAIRN_TAKE(arena, double, factors);
    n->linear_at = CAIRN_TAKE(arena, cairn_graph_pose, nodes);
    n->step = CAIRN_TAKE(arena, double, nodes *degrees);
    return n->diagonal && n->beside && n->b && n->by && n->turns && n->measured && n->chi2_of && n->linear_at && n->step
               ? CAIRN_OK
               : CAIRN_ERR_FULL;
}

static cairn_err take_fronts(cairn_incremental *n, const cairn_graph *graph, cairn_arena *arena)
{
    const size_t nodes = graph->def.nodes_max, degrees = graph->def.degrees;
    const size_t core = nodes < 16384 ? nodes : 16384;
    const cairn_fronts_def def = {
        .degrees = graph->def.degrees,
        .variables_max = graph->def.nodes_max,
        .fronts_max = 3 * graph->def.nodes_max + 1024,
        .vars_max = 64 * graph->def.nodes_max + 65536,
        .entries_max = 8 * graph->def.factors_max + 65536,
        // A graph of rooms and corridors needs about 30 blocks a node, updates included; the rest is for holes.
        .values_max = n->def.values_max > 0 ? n->def.values_max : nodes * degrees * degrees * 400 + 65536,
    };
    n->is_dirty = CAIRN_TAKE(arena, bool, def.fronts_max);
    n->is_active = CAIRN_TAKE(arena, bool, def.fronts_max);
    n->orphans = CAIRN_TAKE(arena, uint32_t, 2 * (size_t)def.fronts_max);
    const size_t scratch_bytes = nodes * 1024 + core * core / 8 + ((size_t)4 << 20);
    void *block = CAIRN_TAKE(arena, uint8_t, scratch_bytes);
    if (!n->is_dirty || !n->is_active || !n->orphans || !block) { return CAIRN_ERR_FULL; }
    cairn_arena_init(&n->scratch, block, scratch_bytes);
    return cairn_fronts_create(&def, arena, &n->fronts);
}

cairn_err cairn_incremental_create(const cairn_incremental_def *def, const cairn_graph *graph, cairn_arena *arena,
                                   cairn_incremental **ret_incremental)
{
    cairn_incremental *n = CAIRN_TAKE(arena, cairn_incremental, 1);
    if (!n) { return CAIRN_ERR_FULL; }
    n->def = *def;
    cairn_err err = take_structure(n, graph, arena);
    if (err == CAIRN_OK) { err = take_numbers(n, graph, arena); }
    if (err == CAIRN_OK) { err = take_fronts(n, graph, arena); }
    if (err == CAIRN_OK) { *ret_incremental = n; }
    return err;
}

// ---- what is new

static void touch_node(cairn_incremental *n, uint32_t node)
{
    if (n->structure.is_held[node] || n->is_touched[node]) { return; }
    n->is_touched[node] = true;
    n->touched[n->touched_count++] = node;
}

static uint32_t root_of(cairn_incremental *n, uint32_t node)
{
    while (n->above[node] != node) { node = n->above[node] = n->above[n->above[node]]; }
    return node;
}

// Something else holds this part of the map now.
static void release(cairn_incremental *n, const cairn_graph *graph, uint32_t node)
{
    cairn_structure *s = &n->structure;
    if (!s->is_held[node] || graph->nodes[node].is_fixed) { return; }
    s->is_held[node] = false;
    s->free_count++;
    touch_node(n, node);
    n->is_pulled |= s->incidence.next[s->incidence.head[node]] != NONE; // others than the one that frees it pull, too
    for (uint32_t at = s->incidence.head[node]; at != NONE; at = s->incidence.next[at]) {
        s->ends[at] = node;
        if (s->ends[at ^ 1u] != NONE) { touch_node(n, s->ends[at ^ 1u]); }
    }
}

static void anchor(cairn_incremental *n, const cairn_graph *graph, uint32_t root)
{
    if (n->is_anchored[root]) { return; }
    n->is_anchored[root] = true;
    release(n, graph, root);
}

static void join_parts(cairn_incremental *n, const cairn_graph *graph, uint32_t a, uint32_t b)
{
    a = root_of(n, a);
    b = root_of(n, b);
    if (a == b) { return; }
    const uint32_t low = a < b ? a : b, high = a + b - low;
    n->above[high] = low;
    release(n, graph, high);
    if (n->is_anchored[high]) { anchor(n, graph, low); }
}

static void read_turn(double *turn, double yaw_rad) { sincos(yaw_rad, &turn[1], &turn[0]); }

static void take_in_node(cairn_incremental *n, const cairn_graph *graph, uint32_t node)
{
    cairn_structure *s = &n->structure;
    s->incidence.head[node] = NONE;
    s->is_held[node] = true;
    n->above[node] = node;
    n->is_anchored[node] = graph->nodes[node].is_fixed;
    n->linear_at[node] = graph->nodes[node].pose;
    if (graph->def.degrees == 3) { read_turn(n->turns + 2 * (size_t)node, graph->nodes[node].pose.v[2]); }
    if (node == 0) { memcpy(n->origin_m, graph->nodes[0].pose.v, sizeof n->origin_m); }
}

static void add_to(double *sum, const double *part, uint32_t count, double sign)
{
    for (uint32_t i = 0; i < count; i++) { sum[i] += sign * part[i]; }
}

static void set_gradient(cairn_incremental *n, const cairn_graph *graph, uint32_t index, const cairn_map_part *part)
{
    const cairn_factor *factor = &graph->factors[index];
    const uint32_t degrees = graph->def.degrees;
    double *by = n->by + (size_t)index * degrees, *b_to = n->b + (size_t)factor->to * degrees, change[6];
    for (uint32_t i = 0; i < degrees; i++) {
        change[i] = part->by[i] - by[i];
        by[i] = part->by[i];
    }
    add_to(b_to, change, degrees, -1);
    if (factor->from != NONE) { add_to(n->b + (size_t)factor->from * degrees, change, degrees, 1); }
    n->chi2 += part->chi2 - n->chi2_of[index];
    n->chi2_of[index] = part->chi2;
}

static void set_matrix(cairn_incremental *n, const cairn_graph *graph, uint32_t index, const cairn_map_part *part)
{
    const cairn_factor *factor = &graph->factors[index];
    const uint32_t square = graph->def.degrees * graph->def.degrees;
    double *beside = n->beside + (size_t)index * square, change[36];
    for (uint32_t i = 0; i < square; i++) {
        change[i] = part->block[i] + beside[i];
        beside[i] = -part->block[i];
    }
    add_to(n->diagonal + (size_t)factor->to * square, change, square, 1);
    if (factor->from != NONE) { add_to(n->diagonal + (size_t)factor->from * square, change, square, 1); }
}

static void look_at(const cairn_incremental *n, const cairn_graph *graph, uint32_t index, cairn_map_part *ret_part)
{
    static const double straight[2] = {1, 0};
    const cairn_factor *factor = &graph->factors[index];
    if (factor->is_gone) {
        memset(ret_part, 0, sizeof *ret_part);
        return;
    }
    const cairn_map_turns turns = {.from = factor->from == NONE ? straight : n->turns + 2 * (size_t)factor->from,
                                   .measured = n->measured + 2 * (size_t)index};
    cairn_map_linear(graph, factor, n->origin_m, turns, ret_part);
}

static void take_in_factor(cairn_incremental *n, const cairn_graph *graph, uint32_t index)
{
    cairn_structure *s = &n->structure;
    const cairn_factor *factor = &graph->factors[index];
    cairn_map_part part;
    look_at(n, graph, index, &part);
    set_gradient(n, graph, index, &part);
    set_matrix(n, graph, index, &part);
    const uint32_t nodes[2] = {factor->from, factor->to};
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t at = 2 * index + side, node = nodes[side];
        s->ends[at] = NONE;
        if (node == NONE) { continue; }
        s->incidence.next[at] = s->incidence.head[node];
        s->incidence.head[node] = at;
        if (s->is_held[node]) { continue; }
        s->ends[at] = node;
        touch_node(n, node);
    }
    n->is_pulled |= part.chi2 > CHI2_STILL;
    if (factor->is_gone) { return; }
    if (factor->from == NONE) {
        anchor(n, graph, root_of(n, factor->to));
    } else {
        join_parts(n, graph, factor->from, factor->to);
    }
}

// New numbers in an old place.
static void renew_factor(cairn_incremental *n, const cairn_graph *graph, uint32_t index, const cairn_map_part *part)
{
    set_matrix(n, graph, index, part);
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t node = n->structure.ends[2 * index + side];
        if (node != NONE) { cairn_incremental_mark_dirty(n, node); }
    }
}

static void take_in(cairn_incremental *n, const cairn_graph *graph)
{
    cairn_structure *s = &n->structure;
    for (uint32_t i = s->factor_count; i < graph->factor_count && graph->def.degrees == 3; i++) {
        read_turn(n->measured + 2 * (size_t)i, graph->factors[i].measured.v[2]);
    }
    for (; s->node_count < graph->node_count; s->node_count++) { take_in_node(n, graph, s->node_count); }
    for (; s->factor_count < graph->factor_count; s->factor_count++) { take_in_factor(n, graph, s->factor_count); }
    for (uint32_t i = 0; i < n->to_touch_count; i++) {
        cairn_map_part part;
        if (graph->def.degrees == 3) {
            read_turn(n->measured + 2 * (size_t)n->to_touch[i], graph->factors[n->to_touch[i]].measured.v[2]);
        }
        look_at(n, graph, n->to_touch[i], &part);
        set_gradient(n, graph, n->to_touch[i], &part);
        renew_factor(n, graph, n->to_touch[i], &part);
    }
    n->is_pulled |= n->to_touch_count > 0;
    n->to_touch_count = 0;
}

void cairn_incremental_touch(cairn_incremental *incremental, uint32_t factor)
{
    CAIRN_ASSERT(factor < incremental->structure.factor_count);
    for (uint32_t i = 0; i < incremental->to_touch_count; i++) {
        if (incremental->to_touch[i] == factor) { return; }
    }
    incremental->to_touch[incremental->to_touch_count++] = factor;
}

// ---- solving

static bool factor_dirty(cairn_incremental *n)
{
    if (!n->any_dirty) { return true; }
    const cairn_front_matrix matrix = {.diagonal = n->diagonal, .beside = n->beside};
    for (uint32_t f = 0; f < n->fronts->front_count; f++) {
        if (!n->is_dirty[f]) { continue; }
        n->is_dirty[f] = false;
        if (n->fronts->fronts[f].is_alive && !cairn_fronts_factor_one(n->fronts, &matrix, f)) { return false; }
    }
    n->any_dirty = false;
    return true;
}

cairn_err cairn_incremental_refresh(cairn_incremental *n)
{
    cairn_incremental_info info = {0};
    const cairn_err err = cairn_incremental_renew(n, &info);
    if (err != CAIRN_OK) { return err; }
    return factor_dirty(n) ? CAIRN_OK : CAIRN_ERR_INVALID;
}

static double largest(const double *values, uint32_t count)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++) { // fmax would be a call
        const double size = fabs(values[i]);
        most = size > most ? size : most;
    }
    return most;
}

// y = L^-1 b, where b is not zero and above; the rest is zero. Returns y'y, by which chi2 would fall.
static double forward(cairn_incremental *n, const cairn_graph *graph)
{
    const uint32_t degrees = graph->def.degrees, square = degrees * degrees;
    cairn_fronts *f = n->fronts;
    double gain = 0;
    memcpy(n->step, n->b, (size_t)graph->node_count * degrees * sizeof *n->step);
    memset(n->is_active, 0, f->front_count * sizeof *n->is_active);
    for (uint32_t i = 0; i < f->front_count; i++) {
        const cairn_front *front = &f->fronts[i];
        if (!front->is_alive) { continue; }
        const uint32_t *vars = f->vars + front->vars_at;
        for (uint32_t p = 0; p < front->pivot_count && !n->is_active[i]; p++) {
            const double scale = n->diagonal[(size_t)vars[p] * square];
            n->is_active[i] = largest(n->b + (size_t)vars[p] * degrees, degrees) > B_STILL * scale;
        }
        if (!n->is_active[i]) {
            for (uint32_t p = 0; p < front->pivot_count; p++) {
                memset(n->step + (size_t)vars[p] * degrees, 0, degrees * sizeof *n->step);
            }
            continue;
        }
        cairn_fronts_forward_one(f, i, n->step);
        if (front->parent != NONE) { n->is_active[front->parent] = true; }
        for (uint32_t p = 0; p < front->pivot_count; p++) {
            const double *y = n->step + (size_t)vars[p] * degrees;
            for (uint32_t k = 0; k < degrees; k++) { gain += y[k] * y[k]; }
        }
    }
    return gain;
}

// x = L'^-1 y, from the top down to where nothing moves any longer. Returns the longest move.
static double backward(cairn_incremental *n, const cairn_graph *graph, double still)
{
    const uint32_t degrees = graph->def.degrees;
    cairn_fronts *f = n->fronts;
    double most = 0;
    for (uint32_t i = f->front_count; i-- > 0;) {
        const cairn_front *front = &f->fronts[i];
        if (!front->is_alive) { continue; }
        const uint32_t *vars = f->vars + front->vars_at, all = front->pivot_count + front->row_count;
        bool moves = n->is_active[i];
        for (uint32_t r = front->pivot_count; r < all && !moves; r++) { moves = n->is_moved[vars[r]]; }
        if (moves) { cairn_fronts_backward_one(f, i, n->step); }
        for (uint32_t p = 0; p < front->pivot_count; p++) {
            const double move = moves ? largest(n->step + (size_t)vars[p] * degrees, degrees) : 0;
            n->is_moved[vars[p]] = move > still;
            most = move > most ? move : most;
        }
    }
    return most;
}

// Errors of the factors of a node that moved; their blocks too if it is far from where these were made.
static void look_again(cairn_incremental *n, const cairn_graph *graph, uint32_t node)
{
    const cairn_structure *s = &n->structure;
    for (uint32_t at = s->incidence.head[node]; at != NONE; at = s->incidence.next[at]) {
        const uint32_t index = at / 2;
        if (n->stamp_of[index] == n->stamp || graph->factors[index].is_gone) { continue; }
        n->stamp_of[index] = n->stamp;
        cairn_map_part part;
        look_at(n, graph, index, &part);
        set_gradient(n, graph, index, &part);
        const uint32_t from = graph->factors[index].from, to = graph->factors[index].to;
        if (n->is_far[to] || (from != NONE && n->is_far[from])) { renew_factor(n, graph, index, &part); }
    }
}

static bool has_gone_far(const cairn_incremental *n, const cairn_graph *graph, uint32_t node)
{
    const double *now = graph->nodes[node].pose.v, *was = n->linear_at[node].v;
    const double far = n->def.linear_m_max;
    if (graph->def.degrees == 3) {
        return hypot(now[0] - was[0], now[1] - was[1]) > far || fabs(cairn_angle_wrap(now[2] - was[2])) > far;
    }
    double squared = 0, same = 0;
    for (int i = 0; i < 3; i++) { squared += (now[i] - was[i]) * (now[i] - was[i]); }
    for (int i = 3; i < 7; i++) { same += now[i] * was[i]; }
    return squared > far * far || 2 * sqrt(fmax(0, 1 - same * same)) > far; // twice the sine of half the angle between
}

static uint32_t move_nodes(cairn_incremental *n, cairn_graph *graph)
{
    const uint32_t degrees = graph->def.degrees;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (n->structure.is_held[i] || !n->is_moved[i]) { continue; }
        cairn_graph_pose *pose = &graph->nodes[i].pose;
        *pose = cairn_map_move(degrees, pose, n->origin_m, n->step + (size_t)i * degrees);
        if (degrees == 3) { read_turn(n->turns + 2 * (size_t)i, pose->v[2]); }
        n->is_far[i] = has_gone_far(n, graph, i);
        if (n->is_far[i]) { n->linear_at[i] = *pose; }
        n->list[moved++] = i;
    }
    n->stamp++;
    for (uint32_t i = 0; i < moved; i++) { look_again(n, graph, n->list[i]); }
    for (uint32_t i = 0; i < moved; i++) { n->is_far[n->list[i]] = false; }
    return moved;
}

// The last step and the one before tell how fast steps shrink: whether the next one is worth it.
static bool is_still(const cairn_incremental *n, double most, double most_before)
{
    const double next = most_before > most ? most * most / most_before : most;
    return next <= n->def.step_m_max;
}

static cairn_err solve(cairn_incremental *n, cairn_graph *graph, bool is_exact, cairn_incremental_info *info)
{
    const double still = is_exact ? 1e-3 * n->def.step_m_max : n->def.still_m;
    double most_before = 0;
    while (info->iterations < n->def.iterations_max && !info->is_converged) {
        const cairn_err err = cairn_incremental_renew(n, info);
        if (err != CAIRN_OK) { return err; }
        if (!factor_dirty(n)) { return CAIRN_ERR_INVALID; }
        const double gain = forward(n, graph);
        if (!isfinite(gain)) { return CAIRN_ERR_INVALID; }
        if (!is_exact && gain <= n->def.gain_part * n->chi2 + GAIN_FLOOR) {
            info->is_converged = true;
            break;
        }
        const double most = backward(n, graph, still);
        info->iterations++;
        info->nodes_moved = move_nodes(n, graph);
        info->is_converged = is_exact ? is_still(n, most, most_before) : info->nodes_moved == 0;
        most_before = most;
    }
    n->is_pulled = !info->is_converged;
    return CAIRN_OK;
}

static cairn_err step_as(cairn_incremental *n, cairn_graph *graph, bool is_exact, bool is_wanted,
                         cairn_incremental_info *ret_info)
{
    cairn_incremental_info info = {0};
    take_in(n, graph);
    cairn_err err = CAIRN_OK;
    if (n->is_pulled || is_wanted) {
        err = solve(n, graph, is_exact, &info);
    } else {
        info.is_converged = true;
    }
    info.chi2 = n->chi2;
    if (ret_info) { *ret_info = info; }
    return err;
}

cairn_err cairn_incremental_step(cairn_incremental *n, cairn_graph *graph, cairn_incremental_info *ret_info)
{
    return step_as(n, graph, n->def.mode == CAIRN_INCREMENTAL_EXACT, false, ret_info);
}

cairn_err cairn_incremental_settle(cairn_incremental *n, cairn_graph *graph, cairn_incremental_info *ret_info)
{
    return step_as(n, graph, true, true, ret_info);
}
