// The whole's factors are sorted by the names of their nodes, and each factor of the others is looked for among them.
#include "slam/graph/whole.h"
#include "slam/graph/repeats.h"
#include <stdlib.h>

typedef struct named { // a factor, by its nodes' names
    uint64_t from, to; // from is that of to for a factor on one node
    const cairn_factor *factor;
    bool is_matched;
} named;

static named name_factor(const cairn_graph *graph, const cairn_factor *factor, bool is_short)
{
    CAIRN_ASSERT(factor->to < graph->node_count);
    CAIRN_ASSERT(factor->from == CAIRN_GRAPH_NONE || factor->from < graph->node_count);
    const uint64_t mask = is_short ? ((uint64_t)1 << CAIRN_GRAPH_ROBOT_SHIFT) - 1 : UINT64_MAX;
    const uint32_t from = factor->from == CAIRN_GRAPH_NONE ? factor->to : factor->from;
    return (named){graph->nodes[from].name & mask, graph->nodes[factor->to].name & mask, factor, false};
}

static int by_names(const void *a, const void *b)
{
    const named *x = a, *y = b;
    if (x->from != y->from) { return x->from < y->from ? -1 : 1; }
    return (x->to > y->to) - (x->to < y->to);
}

// Whether the sorted factors have one that says the same; marks it, one that is not yet marked if there is.
static bool find_same(uint32_t degrees, named *sorted, uint32_t count, const named *wanted)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (by_names(&sorted[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_found = false;
    for (; low < count && by_names(&sorted[low], wanted) == 0; low++) {
        if (!cairn_factor_measures_same(degrees, sorted[low].factor, wanted->factor)) { continue; }
        is_found = true;
        if (!sorted[low].is_matched) { break; }
    }
    if (is_found && low < count && by_names(&sorted[low], wanted) == 0) { sorted[low].is_matched = true; }
    return is_found;
}

static bool has_robots(const cairn_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].name >> CAIRN_GRAPH_ROBOT_SHIFT != 0) { return true; }
    }
    return false;
}

// Whether `graphs[at]` has all that the others have.
static bool is_whole(const cairn_graph *const *graphs, uint32_t count, uint32_t at, named *sorted, bool *ret_has_more)
{
    CAIRN_ASSERT(at < count && sorted != NULL);
    const cairn_graph *whole = graphs[at];
    const bool is_short = !has_robots(whole);
    for (uint32_t i = 0; i < whole->factor_count; i++) { sorted[i] = name_factor(whole, &whole->factors[i], false); }
    qsort(sorted, whole->factor_count, sizeof *sorted, by_names);
    for (uint32_t g = 0; g < count; g++) {
        if (g == at) { continue; }
        const cairn_graph *part = graphs[g];
        if (part->def.degrees != whole->def.degrees || part->factor_count == 0) { return false; }
        for (uint32_t i = 0; i < part->factor_count; i++) {
            const named wanted = name_factor(part, &part->factors[i], is_short);
            if (!find_same(whole->def.degrees, sorted, whole->factor_count, &wanted)) { return false; }
        }
    }
    *ret_has_more = false;
    for (uint32_t i = 0; i < whole->factor_count; i++) { *ret_has_more |= !sorted[i].is_matched; }
    return true;
}

cairn_err cairn_graph_find_whole(const cairn_graph *const *graphs, uint32_t count, cairn_arena *scratch,
                                 cairn_whole *ret_whole)
{
    CAIRN_ASSERT((graphs != NULL || count == 0) && scratch != NULL && ret_whole != NULL);
    uint32_t largest = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (graphs[i]->factor_count > graphs[largest]->factor_count) { largest = i; }
    }
    *ret_whole = (cairn_whole){.index = CAIRN_GRAPH_NONE};
    if (count < 2) { return CAIRN_OK; }
    const size_t mark = cairn_arena_mark(scratch);
    named *sorted = CAIRN_TAKE(scratch, named, graphs[largest]->factor_count + 1);
    if (!sorted) { return CAIRN_ERR_FULL; }
    bool has_more = false;
    if (is_whole(graphs, count, largest, sorted, &has_more)) { *ret_whole = (cairn_whole){largest, has_more}; }
    cairn_arena_reset(scratch, mark);
    return CAIRN_OK;
}
