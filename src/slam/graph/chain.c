#include "slam/graph/chain.h"
#include "slam/graph/adjacency.h"

typedef struct chaining {
    cairn_graph *graph;
    cairn_factor_lists lists;
    bool *is_done;
    uint32_t *queue;
    uint32_t head, tail;
} chaining;

static cairn_graph_pose beyond(const cairn_graph *graph, const cairn_factor *factor, uint32_t from)
{
    const bool is_forward = factor->from == from;
    const cairn_graph_pose *at = &graph->nodes[from].pose, *by = &factor->measured;
    if (graph->def.degrees == 3) {
        const cairn_pose2 step = cairn_graph_pose_to2(by);
        return cairn_graph_pose_from2(
            cairn_pose2_compose(cairn_graph_pose_to2(at), is_forward ? step : cairn_pose2_inverse(step)));
    }
    const cairn_pose3 step = cairn_graph_pose_to3(by);
    return cairn_graph_pose_from3(
        cairn_pose3_compose(cairn_graph_pose_to3(at), is_forward ? step : cairn_pose3_inverse(step)));
}

// Spreads along odometry from all in the queue.
static void spread_odometry(chaining *c)
{
    while (c->head < c->tail) {
        const uint32_t at = c->queue[c->head++];
        for (uint32_t k = c->lists.start[at]; k < c->lists.start[at + 1]; k++) {
            const cairn_factor *factor = &c->graph->factors[c->lists.factor[k]];
            if (factor->kind != CAIRN_FACTOR_ODOMETRY) { continue; }
            const uint32_t other = factor->from == at ? factor->to : factor->from;
            if (c->is_done[other]) { continue; }
            c->graph->nodes[other].pose = beyond(c->graph, factor, at);
            c->is_done[other] = true;
            c->queue[c->tail++] = other;
        }
    }
}

// The first node, by index, that any factor links to a placed one; false if there is none.
static bool cross_factor(chaining *c, uint32_t *from_here)
{
    for (; *from_here < c->tail; ++*from_here) {
        const uint32_t at = c->queue[*from_here];
        for (uint32_t k = c->lists.start[at]; k < c->lists.start[at + 1]; k++) {
            const cairn_factor *factor = &c->graph->factors[c->lists.factor[k]];
            if (factor->from == CAIRN_GRAPH_NONE) { continue; }
            const uint32_t other = factor->from == at ? factor->to : factor->from;
            if (c->is_done[other]) { continue; }
            c->graph->nodes[other].pose = beyond(c->graph, factor, at);
            c->is_done[other] = true;
            c->queue[c->tail++] = other;
            return true;
        }
    }
    return false;
}

static void chain_all(chaining *c)
{
    const uint32_t count = c->graph->node_count;
    uint32_t crossed = 0, next_island = 0;
    for (;;) {
        spread_odometry(c);
        if (cross_factor(c, &crossed)) { continue; }
        while (next_island < count && c->is_done[next_island]) { next_island++; }
        if (next_island == count) { return; }
        c->graph->nodes[next_island].pose =
            c->graph->def.degrees == 3 ? (cairn_graph_pose){{0}} : cairn_graph_pose_from3(cairn_pose3_identity());
        c->is_done[next_island] = true;
        c->queue[c->tail++] = next_island;
    }
}

cairn_err cairn_graph_chain(cairn_graph *graph, const bool *is_placed, cairn_arena *scratch)
{
    const size_t mark = cairn_arena_mark(scratch);
    chaining c = {.graph = graph};
    cairn_err err = cairn_factor_lists_make(graph, scratch, &c.lists);
    c.is_done = err == CAIRN_OK ? CAIRN_TAKE(scratch, bool, graph->node_count) : NULL;
    c.queue = c.is_done ? CAIRN_TAKE(scratch, uint32_t, graph->node_count) : NULL;
    if (c.queue) {
        for (uint32_t i = 0; i < graph->node_count; i++) {
            c.is_done[i] = is_placed ? is_placed[i] : graph->nodes[i].is_fixed;
            if (c.is_done[i]) { c.queue[c.tail++] = i; }
        }
        chain_all(&c);
    } else {
        err = CAIRN_ERR_FULL;
    }
    cairn_arena_reset(scratch, mark);
    return err;
}
