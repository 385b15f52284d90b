// The graph is copied in the order of growth: nodes ring by ring, and factors by the later of their two nodes. What is
// placed is then always the first so many nodes and factors of the copy, a graph of its own.
#include "slam/solve/grow.h"
#include "slam/closure/uncertain.h"
#include "slam/graph/adjacency.h"
#include <math.h>
#include <stdlib.h>

typedef struct growth {
    const cairn_grow_def *def;
    cairn_graph *graph;
    cairn_factor_lists lists;
    uint32_t *order;    // nodes, as they come
    uint32_t *position; // in the order, for each node; CAIRN_GRAPH_NONE: not yet
    uint32_t *part;     // for each place in the order, the first node of a part that grows from its far end
    uint32_t count;
    cairn_graph *copy;
    cairn_arena *scratch;
    cairn_grow_info info;
} growth;

cairn_grow_def cairn_grow_def_default(void)
{
    return (cairn_grow_def){.growth = 1.15, .nodes_new = 8, .iterations = 3};
}

static void put(growth *g, uint32_t node)
{
    CAIRN_ASSERT(node < g->graph->node_count && g->count < g->graph->node_count);
    g->position[node] = g->count;
    g->order[g->count++] = node;
}

// Takes in all that factors reach from what is in the order from `head` on, ring by ring.
static void spread(growth *g, uint32_t head)
{
    for (; head < g->count; head++) {
        const uint32_t at = g->order[head];
        for (uint32_t k = g->lists.start[at]; k < g->lists.start[at + 1]; k++) {
            const cairn_factor *factor = &g->graph->factors[g->lists.factor[k]];
            if (factor->from == CAIRN_GRAPH_NONE) { continue; }
            const uint32_t other = factor->from == at ? factor->to : factor->from;
            if (g->position[other] == CAIRN_GRAPH_NONE) { put(g, other); }
        }
    }
}

// Whether a factor on one node says where the part from `head` on is.
static bool is_held(const growth *g, uint32_t head)
{
    for (; head < g->count; head++) {
        const uint32_t at = g->order[head];
        for (uint32_t k = g->lists.start[at]; k < g->lists.start[at + 1]; k++) {
            if (g->graph->factors[g->lists.factor[k]].from == CAIRN_GRAPH_NONE) { return true; }
        }
    }
    return false;
}

// Orders the part from `head` on again, from the node that is the last now.
static void turn_about(growth *g, uint32_t head)
{
    CAIRN_ASSERT(head < g->count);
    const uint32_t first = g->order[head], last = g->order[g->count - 1];
    for (uint32_t i = head; i < g->count; i++) { g->position[g->order[i]] = CAIRN_GRAPH_NONE; }
    g->count = head;
    put(g, last);
    spread(g, head);
    for (uint32_t i = head; i < g->count; i++) { g->part[i] = first; }
}

static void find_order(growth *g)
{
    const uint32_t node_count = g->graph->node_count;
    for (uint32_t i = 0; i < node_count; i++) { g->position[i] = g->part[i] = CAIRN_GRAPH_NONE; }
    for (uint32_t i = 0; i < node_count; i++) {
        if (g->graph->nodes[i].is_fixed) { put(g, i); }
    }
    spread(g, 0);
    for (uint32_t i = 0; i < node_count; i++) {
        if (g->position[i] != CAIRN_GRAPH_NONE) { continue; }
        const uint32_t head = g->count;
        put(g, i);
        spread(g, head);
        if (g->def->from_far && !is_held(g, head)) { turn_about(g, head); }
    }
    CAIRN_ASSERT(g->count == node_count);
}

static uint32_t later_of(const cairn_factor *factor)
{
    return factor->from == CAIRN_GRAPH_NONE || factor->from < factor->to ? factor->to : factor->from;
}

// CAIRN_GRAPH_NONE for a factor on one node, so that those come last.
static uint32_t earlier_of(const cairn_factor *factor)
{
    return factor->from == CAIRN_GRAPH_NONE || factor->from < factor->to ? factor->from : factor->to;
}

static int by_later_node(const void *a, const void *b)
{
    const uint32_t i = later_of(a), k = later_of(b), l = earlier_of(a), m = earlier_of(b);
    return i != k ? (i > k) - (i < k) : (l > m) - (l < m);
}

static cairn_err copy_in_order(growth *g)
{
    const cairn_graph *graph = g->graph;
    const cairn_graph_def def = {
        .degrees = graph->def.degrees, .nodes_max = graph->node_count, .factors_max = graph->factor_count};
    const cairn_err err = cairn_graph_create(&def, g->scratch, &g->copy);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < graph->node_count; i++) { g->copy->nodes[i] = graph->nodes[g->order[i]]; }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (graph->factors[i].is_gone) { continue; }
        cairn_factor *factor = &g->copy->factors[g->copy->factor_count++];
        *factor = graph->factors[i];
        factor->to = g->position[factor->to];
        if (factor->from != CAIRN_GRAPH_NONE) { factor->from = g->position[factor->from]; }
    }
    qsort(g->copy->factors, g->copy->factor_count, sizeof *g->copy->factors, by_later_node);
    return CAIRN_OK;
}

// Places the next node beside the earliest that a factor links it to; a root stays. Takes its factors in.
static void add_next(growth *g)
{
    CAIRN_ASSERT(g->copy->node_count < g->graph->node_count);
    cairn_graph *copy = g->copy;
    const uint32_t node = copy->node_count++, degrees = copy->def.degrees;
    const uint32_t all = copy->def.factors_max;
    for (bool is_placed = copy->nodes[node].is_fixed; copy->factor_count < all; copy->factor_count++) {
        const cairn_factor *factor = &copy->factors[copy->factor_count];
        if (later_of(factor) != node) { break; }
        if (is_placed || factor->from == CAIRN_GRAPH_NONE) { continue; }
        const cairn_graph_pose back = cairn_graph_pose_inverse(degrees, &factor->measured);
        copy->nodes[node].pose = cairn_graph_pose_compose(degrees, &copy->nodes[earlier_of(factor)].pose,
                                                          factor->to == node ? &factor->measured : &back);
        is_placed = true;
    }
}

static cairn_err solve_placed(growth *g)
{
    const size_t mark = cairn_arena_mark(g->scratch);
    cairn_batch_def def = cairn_batch_def_default();
    def.ordering = g->def->ordering;
    cairn_batch *batch = NULL;
    cairn_batch_info info = {0};
    cairn_err err = cairn_batch_create(&def, g->copy, g->scratch, &batch);
    if (err == CAIRN_OK) { err = cairn_batch_run(batch, g->copy, g->def->iterations, &info); }
    cairn_arena_reset(g->scratch, mark);
    g->info.solve_count++;
    g->info.iterations += info.iterations;
    return err;
}

static cairn_err grow(growth *g)
{
    const uint32_t node_count = g->graph->node_count;
    g->copy->def.factors_max = g->copy->factor_count;
    g->copy->node_count = g->copy->factor_count = 0;
    while (g->copy->node_count < node_count) {
        const uint32_t placed = g->copy->node_count;
        const double most = fmax(placed * g->def->growth, (double)placed + g->def->nodes_new);
        while (g->copy->node_count < node_count && g->copy->node_count < most) { add_next(g); }
        const cairn_err err = solve_placed(g);
        if (err != CAIRN_OK) { return err; }
    }
    return CAIRN_OK;
}

// A part that grew from its far end lies where that end was; it is carried to where its first node was.
static void write_poses(growth *g)
{
    const uint32_t degrees = g->graph->def.degrees;
    uint32_t part = CAIRN_GRAPH_NONE;
    cairn_graph_pose carry = cairn_graph_pose_identity(degrees);
    for (uint32_t i = 0; i < g->graph->node_count; i++) {
        const uint32_t first = g->part[i];
        const cairn_graph_pose *grown = &g->copy->nodes[i].pose;
        if (first != part && first != CAIRN_GRAPH_NONE) {
            const cairn_graph_pose back = cairn_graph_pose_inverse(degrees, &g->copy->nodes[g->position[first]].pose);
            carry = cairn_graph_pose_compose(degrees, &g->graph->nodes[first].pose, &back);
        }
        part = first;
        g->graph->nodes[g->order[i]].pose =
            part == CAIRN_GRAPH_NONE ? *grown : cairn_graph_pose_compose(degrees, &carry, grown);
    }
}

cairn_err cairn_grow_place(const cairn_grow_def *def, cairn_graph *graph, cairn_arena *scratch,
                           cairn_grow_info *ret_info)
{
    CAIRN_ASSERT(def != NULL && graph != NULL && scratch != NULL);
    CAIRN_ASSERT(def->growth > 1 && def->nodes_new > 0);
    const size_t mark = cairn_arena_mark(scratch);
    growth g = {.def = def, .graph = graph, .scratch = scratch};
    g.order = CAIRN_TAKE(scratch, uint32_t, graph->node_count + 1);
    g.position = CAIRN_TAKE(scratch, uint32_t, graph->node_count + 1);
    g.part = CAIRN_TAKE(scratch, uint32_t, graph->node_count + 1);
    cairn_err err =
        g.order && g.position && g.part ? cairn_factor_lists_make(graph, scratch, &g.lists) : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) {
        find_order(&g);
        err = copy_in_order(&g);
    }
    if (err == CAIRN_OK) { err = grow(&g); }
    if (err == CAIRN_OK) { write_poses(&g); }
    cairn_arena_reset(scratch, mark);
    if (err == CAIRN_OK && ret_info) { *ret_info = g.info; }
    return err;
}
