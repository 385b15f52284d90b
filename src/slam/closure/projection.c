// Factors hang on their nodes in lists that only grow: link 2 f is factor f at its `from`, link 2 f + 1 at its `to`.
// Runs are told apart by a count, so that a short search costs what it visits and not what the graph holds.
#include "slam/closure/projection.h"
#include <math.h>
#include <string.h>

#define NO_LINK UINT32_MAX
#define ARENA_ALIGN_BYTES 64u // of base/memory.h

typedef struct visit {
    cairn_uncertain known;
    double trace;
    uint32_t run;     // the last run that reached it
    uint32_t heap_at; // place in the heap, while it is there
    uint32_t factor;  // by which it was reached
    bool is_settled;
} visit;

struct cairn_projection {
    cairn_projection_def def;
    uint32_t factor_count; // noticed
    uint32_t run;
    uint32_t *first, *next; // links
    visit *visits;
    uint32_t *heap, heap_count;
    uint32_t *order, order_count;
};

size_t cairn_projection_bytes(const cairn_projection_def *def)
{
    return sizeof(cairn_projection) + def->nodes_max * (sizeof(visit) + 3 * sizeof(uint32_t)) +
           2 * (size_t)def->factors_max * sizeof(uint32_t) + 6 * ARENA_ALIGN_BYTES;
}

cairn_err cairn_projection_create(const cairn_projection_def *def, cairn_arena *arena,
                                  cairn_projection **ret_projection)
{
    CAIRN_ASSERT(def->nodes_max <= CAIRN_GRAPH_NODES_MAX && def->factors_max <= CAIRN_GRAPH_FACTORS_MAX);
    cairn_projection *projection = CAIRN_TAKE(arena, cairn_projection, 1);
    if (!projection) { return CAIRN_ERR_FULL; }
    projection->def = *def;
    projection->first = CAIRN_TAKE(arena, uint32_t, def->nodes_max);
    projection->next = CAIRN_TAKE(arena, uint32_t, 2 * (size_t)def->factors_max);
    projection->visits = CAIRN_TAKE(arena, visit, def->nodes_max);
    projection->heap = CAIRN_TAKE(arena, uint32_t, def->nodes_max);
    projection->order = CAIRN_TAKE(arena, uint32_t, def->nodes_max);
    if (!projection->first || !projection->next || !projection->visits || !projection->heap || !projection->order) {
        return CAIRN_ERR_FULL;
    }
    cairn_projection_reset(projection);
    *ret_projection = projection;
    return CAIRN_OK;
}

void cairn_projection_reset(cairn_projection *projection)
{
    memset(projection->first, 0xff, projection->def.nodes_max * sizeof *projection->first);
    projection->factor_count = 0;
}

cairn_projection_reach cairn_projection_reach_all(void)
{
    return (cairn_projection_reach){
        .trace_max = INFINITY, .target = CAIRN_GRAPH_NONE, .factor_to_skip = CAIRN_GRAPH_NONE};
}

static void notice(cairn_projection *projection, const cairn_graph *graph)
{
    CAIRN_ASSERT(graph->node_count <= projection->def.nodes_max && graph->factor_count <= projection->def.factors_max);
    CAIRN_ASSERT(graph->factor_count >= projection->factor_count);
    for (uint32_t i = projection->factor_count; i < graph->factor_count; i++) {
        const uint32_t ends[2] = {graph->factors[i].from, graph->factors[i].to};
        for (uint32_t side = 0; side < 2; side++) {
            if (ends[side] == CAIRN_GRAPH_NONE) { continue; }
            projection->next[2 * i + side] = projection->first[ends[side]];
            projection->first[ends[side]] = 2 * i + side;
        }
    }
    projection->factor_count = graph->factor_count;
}

static void heap_put(cairn_projection *projection, uint32_t at, uint32_t node)
{
    projection->heap[at] = node;
    projection->visits[node].heap_at = at;
}

static void heap_rise(cairn_projection *projection, uint32_t at)
{
    const uint32_t node = projection->heap[at];
    const double trace = projection->visits[node].trace;
    while (at > 0 && projection->visits[projection->heap[(at - 1) / 2]].trace > trace) {
        heap_put(projection, at, projection->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(projection, at, node);
}

static uint32_t heap_pop(cairn_projection *projection)
{
    const uint32_t top = projection->heap[0];
    const uint32_t node = projection->heap[--projection->heap_count];
    if (projection->heap_count == 0) { return top; }
    const double trace = projection->visits[node].trace;
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= projection->heap_count) { break; }
        if (child + 1 < projection->heap_count &&
            projection->visits[projection->heap[child + 1]].trace < projection->visits[projection->heap[child]].trace) {
            child++;
        }
        if (projection->visits[projection->heap[child]].trace >= trace) { break; }
        heap_put(projection, at, projection->heap[child]);
        at = child;
    }
    heap_put(projection, at, node);
    return top;
}

// Offers a way to a node; the better one stays.
static void offer(cairn_projection *projection, uint32_t degrees, uint32_t node, uint32_t factor,
                  const cairn_uncertain *known, double trace_max)
{
    visit *at = &projection->visits[node];
    const bool is_new = at->run != projection->run;
    const double trace = cairn_uncertain_trace(degrees, known);
    if (trace > trace_max || (!is_new && (at->is_settled || at->trace <= trace))) { return; }
    at->known = *known;
    at->trace = trace;
    at->factor = factor;
    if (is_new) {
        at->run = projection->run;
        at->is_settled = false;
        heap_put(projection, projection->heap_count++, node);
    }
    heap_rise(projection, at->heap_at);
}

static void expand(cairn_projection *projection, const cairn_graph *graph, uint32_t node,
                   const cairn_projection_reach *reach)
{
    const uint32_t degrees = graph->def.degrees;
    for (uint32_t link = projection->first[node]; link != NO_LINK; link = projection->next[link]) {
        const cairn_factor *factor = &graph->factors[link / 2];
        if (factor->is_gone || !(factor->weight > 0) || factor->from == CAIRN_GRAPH_NONE) { continue; }
        if (link / 2 == reach->factor_to_skip) { continue; }
        if (reach->odometry_only && factor->kind != CAIRN_FACTOR_ODOMETRY) { continue; }
        const bool is_from = link % 2 == 0;
        const uint32_t other = is_from ? factor->to : factor->from;
        const visit *there = &projection->visits[other];
        if (there->run == projection->run && there->is_settled) { continue; }
        cairn_uncertain step;
        if (cairn_uncertain_from_factor(degrees, factor, &step) != CAIRN_OK) { continue; }
        if (!is_from) { step = cairn_uncertain_inverse(degrees, &step); }
        const cairn_uncertain known = cairn_uncertain_compose(degrees, &projection->visits[node].known, &step);
        offer(projection, degrees, other, link / 2, &known, reach->trace_max);
    }
}

void cairn_projection_run(cairn_projection *projection, const cairn_graph *graph, uint32_t root,
                          const cairn_uncertain *start_T, const cairn_projection_reach *reach)
{
    CAIRN_ASSERT(root < graph->node_count);
    notice(projection, graph);
    projection->run++;
    projection->heap_count = projection->order_count = 0;
    offer(projection, graph->def.degrees, root, CAIRN_GRAPH_NONE, start_T, INFINITY);
    while (projection->heap_count > 0) {
        const uint32_t node = heap_pop(projection);
        projection->visits[node].is_settled = true;
        projection->order[projection->order_count++] = node;
        if (node == reach->target) { return; }
        expand(projection, graph, node, reach);
    }
}

const cairn_uncertain *cairn_projection_of(const cairn_projection *projection, uint32_t node)
{
    const visit *at = &projection->visits[node];
    return at->run == projection->run && at->is_settled ? &at->known : NULL;
}

uint32_t cairn_projection_factor(const cairn_projection *projection, uint32_t node)
{
    return cairn_projection_of(projection, node) ? projection->visits[node].factor : CAIRN_GRAPH_NONE;
}

const uint32_t *cairn_projection_order(const cairn_projection *projection, uint32_t *ret_count)
{
    *ret_count = projection->order_count;
    return projection->order;
}

uint32_t cairn_projection_next(const cairn_projection *projection, const cairn_graph *graph, uint32_t node,
                               uint32_t factor)
{
    uint32_t link = projection->first[node];
    if (factor != CAIRN_GRAPH_NONE) { link = projection->next[2 * factor + (graph->factors[factor].from != node)]; }
    return link == NO_LINK ? CAIRN_GRAPH_NONE : link / 2;
}
