// Quaternions count half turns: q and -q are the same turn, but a path from one to the other is a whole turn. Along the
// tree, two of them are carried to each node: what was measured, and the same with each factor's error, which brings
// it to where the node is now, or to its negative. At the closing factor both come round; if their signs differ, the
// errors of this loop sum to more than half a turn the other way round.
#include "slam/start/wound.h"
#include "slam/graph/adjacency.h"
#include <math.h>

typedef struct carried {
    cairn_quat turn; // of the node
    cairn_quat measured, now;
    bool is_reached;
} carried;

static cairn_quat turn_of(uint32_t degrees, const cairn_graph_pose *pose)
{
    if (degrees == 6) { return cairn_graph_pose_to3(pose).turn; }
    return (cairn_quat){.w = cos(pose->v[2] / 2), .z = sin(pose->v[2] / 2)};
}

// What a factor measured, and how its nodes are turned now, from `at` to its other node: the same half of the sphere.
static void cross(const cairn_graph *graph, const carried *nodes, const cairn_factor *factor, uint32_t at,
                  cairn_quat *ret_measured, cairn_quat *ret_now)
{
    const cairn_quat measured = turn_of(graph->def.degrees, &factor->measured);
    cairn_quat now = cairn_quat_multiply(cairn_quat_conjugate(nodes[factor->from].turn), nodes[factor->to].turn);
    if (measured.w * now.w + measured.x * now.x + measured.y * now.y + measured.z * now.z < 0) {
        now = (cairn_quat){-now.w, -now.x, -now.y, -now.z};
    }
    *ret_measured = factor->from == at ? measured : cairn_quat_conjugate(measured);
    *ret_now = factor->from == at ? now : cairn_quat_conjugate(now);
}

static bool tells_turn(const cairn_graph *graph, const cairn_factor *factor)
{
    return factor->from != CAIRN_GRAPH_NONE && factor->information[graph->def.degrees == 3 ? 5 : 20] > 0;
}

static void carry_from(const cairn_graph *graph, const cairn_factor_lists *lists, uint32_t root, carried *nodes,
                       uint32_t *queue)
{
    CAIRN_ASSERT(root < graph->node_count && !nodes[root].is_reached);
    uint32_t tail = 0;
    nodes[root] = (carried){nodes[root].turn, cairn_quat_identity(), cairn_quat_identity(), true};
    queue[tail++] = root;
    for (uint32_t head = 0; head < tail; head++) {
        const uint32_t at = queue[head];
        for (uint32_t k = lists->start[at]; k < lists->start[at + 1]; k++) {
            const cairn_factor *factor = &graph->factors[lists->factor[k]];
            if (!tells_turn(graph, factor)) { continue; }
            const uint32_t other = factor->from == at ? factor->to : factor->from;
            if (nodes[other].is_reached) { continue; }
            cairn_quat measured, now;
            cross(graph, nodes, factor, at, &measured, &now);
            nodes[other] = (carried){nodes[other].turn, cairn_quat_multiply(nodes[at].measured, measured),
                                     cairn_quat_multiply(nodes[at].now, now), true};
            queue[tail++] = other;
        }
    }
}

static bool is_wound(const cairn_graph *graph, const carried *nodes, const cairn_factor *factor)
{
    const carried *from = &nodes[factor->from], *to = &nodes[factor->to];
    cairn_quat measured, now;
    cross(graph, nodes, factor, factor->from, &measured, &now);
    measured = cairn_quat_multiply(cairn_quat_multiply(from->measured, measured), cairn_quat_conjugate(to->measured));
    now = cairn_quat_multiply(cairn_quat_multiply(from->now, now), cairn_quat_conjugate(to->now));
    return measured.w * now.w < 0;
}

cairn_err cairn_wound_count(const cairn_graph *graph, cairn_arena *scratch, uint32_t *ret_count)
{
    CAIRN_ASSERT(graph != NULL && scratch != NULL && ret_count != NULL);
    CAIRN_ASSERT(graph->def.degrees == 3 || graph->def.degrees == 6);
    const size_t mark = cairn_arena_mark(scratch);
    cairn_factor_lists lists;
    carried *nodes = CAIRN_TAKE(scratch, carried, graph->node_count + 1);
    uint32_t *queue = CAIRN_TAKE(scratch, uint32_t, graph->node_count + 1);
    const cairn_err err = nodes && queue ? cairn_factor_lists_make(graph, scratch, &lists) : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < graph->node_count; i++) {
            nodes[i].turn = turn_of(graph->def.degrees, &graph->nodes[i].pose);
        }
        for (uint32_t i = 0; i < graph->node_count; i++) {
            if (!nodes[i].is_reached) { carry_from(graph, &lists, i, nodes, queue); }
        }
        for (uint32_t i = 0; i < graph->factor_count; i++) {
            const cairn_factor *factor = &graph->factors[i];
            count += !factor->is_gone && tells_turn(graph, factor) && is_wound(graph, nodes, factor);
        }
        *ret_count = count;
    }
    cairn_arena_reset(scratch, mark);
    return err;
}
