#include "slam/solve/structure.h"
#include <string.h>

#define NONE CAIRN_GRAPH_NONE

static uint32_t root_of(uint32_t *above, uint32_t node)
{
    while (above[node] != node) {
        above[node] = above[above[node]];
        node = above[node];
    }
    return node;
}

static void join(uint32_t *above, uint32_t a, uint32_t b)
{
    a = root_of(above, a);
    b = root_of(above, b);
    if (a < b) { above[b] = a; } // the first node of a part is its root
    if (b < a) { above[a] = b; }
}

// Returns how many parts there are.
static uint32_t hold_parts(const cairn_graph *graph, uint32_t *above, bool *is_anchored, bool *is_held)
{
    for (uint32_t i = 0; i < graph->node_count; i++) { above[i] = i; }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (!factor->is_gone && factor->from != NONE) { join(above, factor->from, factor->to); }
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        is_held[i] = graph->nodes[i].is_fixed;
        if (is_held[i]) { is_anchored[root_of(above, i)] = true; }
    }
    for (uint32_t i = 0; i < graph->factor_count; i++) {
        const cairn_factor *factor = &graph->factors[i];
        if (!factor->is_gone && factor->from == NONE) { is_anchored[root_of(above, factor->to)] = true; }
    }
    uint32_t part_count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (above[i] != i) { continue; }
        part_count++;
        if (!is_anchored[i]) { is_held[i] = true; }
    }
    return part_count;
}

static void list_factors(const cairn_graph *graph, cairn_structure *s)
{
    memset(s->incidence.head, 0xff, graph->node_count * sizeof *s->incidence.head);
    for (uint32_t i = graph->factor_count; i-- > 0;) {
        const cairn_factor *factor = &graph->factors[i];
        const uint32_t ends[2] = {factor->from, factor->to};
        for (uint32_t side = 0; side < 2; side++) {
            const uint32_t node = ends[side], at = 2 * i + side;
            s->ends[at] = factor->is_gone || node == NONE || s->is_held[node] ? NONE : node;
            if (s->ends[at] == NONE) { continue; }
            s->incidence.next[at] = s->incidence.head[node];
            s->incidence.head[node] = at;
        }
    }
}

cairn_err cairn_structure_make(const cairn_graph *graph, cairn_arena *arena, cairn_structure *ret_structure)
{
    const size_t nodes = graph->node_count, factors = graph->factor_count;
    cairn_structure s = {.node_count = graph->node_count, .factor_count = graph->factor_count};
    s.is_held = CAIRN_TAKE(arena, bool, nodes);
    s.order = CAIRN_TAKE(arena, uint32_t, nodes);
    s.ends = CAIRN_TAKE(arena, uint32_t, 2 * factors);
    s.incidence.head = CAIRN_TAKE(arena, uint32_t, nodes);
    s.incidence.next = CAIRN_TAKE(arena, uint32_t, 2 * factors);
    if (!s.is_held || !s.order || !s.ends || !s.incidence.head || !s.incidence.next) { return CAIRN_ERR_FULL; }
    s.incidence.ends = s.ends;
    const size_t mark = cairn_arena_mark(arena);
    uint32_t *above = CAIRN_TAKE(arena, uint32_t, nodes);
    bool *is_anchored = CAIRN_TAKE(arena, bool, nodes);
    if (!above || !is_anchored) { return CAIRN_ERR_FULL; }
    s.part_count = hold_parts(graph, above, is_anchored, s.is_held);
    cairn_arena_reset(arena, mark);
    list_factors(graph, &s);
    for (uint32_t i = 0; i < graph->node_count; i++) { s.free_count += !s.is_held[i]; }
    *ret_structure = s;
    return CAIRN_OK;
}

// Parallel factors are one link.
static void link_all(const cairn_structure *s, const uint32_t *number, const uint32_t *nodes, uint32_t *stamp,
                     uint32_t *start, uint32_t *other)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < s->free_count; i++) {
        start[i] = used;
        for (uint32_t at = s->incidence.head[nodes[i]]; at != NONE; at = s->incidence.next[at]) {
            const uint32_t far = s->ends[at ^ 1u];
            if (far == NONE || stamp[number[far]] == i + 1) { continue; }
            stamp[number[far]] = i + 1;
            other[used++] = number[far];
        }
    }
    start[s->free_count] = used;
}

cairn_err cairn_structure_order(cairn_structure *s, cairn_ordering_kind kind, cairn_arena *arena)
{
    const size_t mark = cairn_arena_mark(arena), count = s->free_count;
    uint32_t *number = CAIRN_TAKE(arena, uint32_t, (size_t)s->node_count),
             *nodes = CAIRN_TAKE(arena, uint32_t, count + 1);
    uint32_t *stamp = CAIRN_TAKE(arena, uint32_t, count + 1), *start = CAIRN_TAKE(arena, uint32_t, count + 1);
    uint32_t *other = CAIRN_TAKE(arena, uint32_t, 2 * (size_t)s->factor_count + 1);
    cairn_err err = CAIRN_ERR_FULL;
    if (number && nodes && stamp && start && other) {
        uint32_t at = 0;
        for (uint32_t i = 0; i < s->node_count; i++) {
            if (s->is_held[i]) { continue; }
            number[i] = at;
            nodes[at++] = i;
        }
        link_all(s, number, nodes, stamp, start, other);
        const cairn_links links = {.count = s->free_count, .start = start, .other = other};
        err = cairn_order(kind, &links, arena, s->order);
        for (uint32_t i = 0; i < s->free_count && err == CAIRN_OK; i++) { s->order[i] = nodes[s->order[i]]; }
    }
    cairn_arena_reset(arena, mark);
    return err;
}
