#include "slam/closure/history.h"

typedef struct decision {
    uint32_t factor;
    bool is_gone;
    cairn_mission at;
} decision;

struct cairn_history {
    uint32_t max, count;
    decision *decisions;
};

cairn_err cairn_history_create(uint32_t decisions_max, cairn_arena *arena, cairn_history **ret_history)
{
    cairn_history *history = CAIRN_TAKE(arena, cairn_history, 1);
    if (!history) { return CAIRN_ERR_FULL; }
    history->max = decisions_max;
    history->decisions = CAIRN_TAKE(arena, decision, decisions_max);
    if (!history->decisions) { return CAIRN_ERR_FULL; }
    *ret_history = history;
    return CAIRN_OK;
}

cairn_err cairn_history_note(cairn_history *history, uint32_t factor, bool is_gone, cairn_mission at)
{
    CAIRN_ASSERT(history->count == 0 || history->decisions[history->count - 1].at.ns <= at.ns);
    if (history->count == history->max) { return CAIRN_ERR_FULL; }
    history->decisions[history->count++] = (decision){factor, is_gone, at};
    return CAIRN_OK;
}

cairn_err cairn_history_rewind(cairn_history *history, cairn_graph *graph, cairn_mission moment, cairn_mission now,
                               uint32_t *ret_count)
{
    const uint32_t end = history->count;
    uint32_t first = end;
    while (first > 0 && history->decisions[first - 1].at.ns > moment.ns) { first--; }
    if (end + (end - first) > history->max) { return CAIRN_ERR_FULL; }
    for (uint32_t i = end; i-- > first;) {
        const decision undone = history->decisions[i];
        CAIRN_ASSERT(undone.factor < graph->factor_count);
        graph->factors[undone.factor].is_gone = !undone.is_gone;
        history->decisions[history->count++] = (decision){undone.factor, !undone.is_gone, now};
    }
    *ret_count = end - first;
    return CAIRN_OK;
}
