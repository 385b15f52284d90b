// Sorted by their nodes and what they measured, the same measurements are beside each other, or nearly so.
#include "slam/graph/repeats.h"
#include <math.h>
#include <stdlib.h>

#define SAME 1e-4    // [m, quaternion parts, rad] text files have six digits, and distances are tens of metres
#define LOOK_BACK 4u // others may lie between two that are the same but for rounding

static bool is_between_robots(const cairn_graph *graph, const cairn_factor *factor)
{
    return factor->kind == CAIRN_FACTOR_CLOSURE && factor->from != CAIRN_GRAPH_NONE &&
           graph->nodes[factor->from].robot != graph->nodes[factor->to].robot;
}

static int by_nodes(const void *a, const void *b, void *graph)
{
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const cairn_factor *x = &((const cairn_graph *)graph)->factors[i];
    const cairn_factor *y = &((const cairn_graph *)graph)->factors[k];
    if (x->from != y->from) { return x->from < y->from ? -1 : 1; }
    if (x->to != y->to) { return x->to < y->to ? -1 : 1; }
    if (x->measured.v[0] != y->measured.v[0]) { return x->measured.v[0] < y->measured.v[0] ? -1 : 1; }
    return (i > k) - (i < k);
}

bool cairn_factor_measures_same(uint32_t degrees, const cairn_factor *a, const cairn_factor *b)
{
    double error[6];
    const cairn_factor measured = {.from = CAIRN_GRAPH_NONE, .measured = a->measured};
    cairn_factor_error(degrees, &measured, NULL, &b->measured, error, NULL, NULL);
    for (uint32_t i = 0; i < degrees; i++) {
        if (!(fabs(error[i]) < SAME)) { return false; }
    }
    return true;
}

static bool is_same(uint32_t degrees, const cairn_factor *a, const cairn_factor *b)
{
    return a->from == b->from && a->to == b->to && cairn_factor_measures_same(degrees, a, b);
}

static void close_gaps(cairn_graph *graph)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (!graph->factors[i].is_gone) { graph->factors[kept++] = graph->factors[i]; }
    }
    graph->factor_count = kept;
}

cairn_err cairn_graph_drop_repeats(cairn_graph *graph, cairn_arena *scratch, uint32_t *ret_count)
{
    const size_t mark = cairn_arena_mark(scratch);
    uint32_t *sorted = CAIRN_TAKE(scratch, uint32_t, graph->factor_count + 1);
    uint32_t count = 0, dropped_count = 0;
    if (!sorted) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        if (is_between_robots(graph, &graph->factors[i])) { sorted[count++] = i; }
    }
    qsort_r(sorted, count, sizeof *sorted, by_nodes, graph);
    for (uint32_t i = 1; i < count; i++) {
        cairn_factor *factor = &graph->factors[sorted[i]];
        for (uint32_t k = i; k > 0 && i - k < LOOK_BACK && !factor->is_gone; k--) {
            factor->is_gone = is_same(graph->def.degrees, &graph->factors[sorted[k - 1]], factor);
        }
        dropped_count += factor->is_gone;
    }
    if (dropped_count > 0) { close_gaps(graph); }
    cairn_arena_reset(scratch, mark);
    *ret_count = dropped_count;
    return CAIRN_OK;
}
