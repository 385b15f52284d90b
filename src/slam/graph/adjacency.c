#include "slam/graph/adjacency.h"

cairn_err cairn_factor_lists_make(const cairn_graph *graph, cairn_arena *arena, cairn_factor_lists *ret_lists)
{
    uint32_t *start = CAIRN_TAKE(arena, uint32_t, (size_t)graph->node_count + 2);
    if (!start) { return CAIRN_ERR_FULL; }
    size_t total = 0;
    for (uint32_t i = 0; i < graph->factor_count; i++) { // counts, two places further on: filling shifts them back
        const cairn_factor *factor = &graph->factors[i];
        if (factor->is_gone) { continue; }
        start[factor->to + 2]++;
        total++;
        if (factor->from != CAIRN_GRAPH_NONE) {
            start[factor->from + 2]++;
            total++;
        }
    }
    uint32_t *list = CAIRN_TAKE(arena, uint32_t, total + 1);
    if (!list) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < graph->node_count; i++) { start[i + 2] += start[i + 1]; }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (factor->is_gone) { continue; }
        list[start[factor->to + 1]++] = i;
        if (factor->from != CAIRN_GRAPH_NONE) { list[start[factor->from + 1]++] = i; }
    }
    *ret_lists = (cairn_factor_lists){.start = start, .factor = list};
    return CAIRN_OK;
}
