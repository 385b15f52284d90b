// The top of the tree is taken off, ordered and put back: all fronts of touched nodes and those above them. What hung
// below them, the orphans, is hung in again where its rows are.
#include "slam/solve/incremental_parts.h"
#include "slam/solve/ordering_kernels.h"
#include <string.h>

#define REBUILD_PART 0.7 // of all nodes: with so many above the touched ones, ordering all is no dearer
#define HOLES_PART 3u    // fronts that are kept for each living one before all are built again
#define HOLES_MIN 512u

void cairn_incremental_mark_dirty(cairn_incremental *incremental, uint32_t node)
{
    const cairn_fronts *fronts = incremental->fronts;
    for (uint32_t f = fronts->front_of[node]; f != NONE && !incremental->is_dirty[f]; f = fronts->fronts[f].parent) {
        incremental->is_dirty[f] = true;
    }
    incremental->any_dirty = true;
}

static void mark_built(cairn_incremental *n, uint32_t first)
{
    for (uint32_t f = first; f < n->fronts->front_count; f++) { n->is_dirty[f] = true; }
    n->any_dirty = true;
}

static cairn_err rebuild(cairn_incremental *n, cairn_incremental_info *info)
{
    cairn_fronts_clear(n->fronts);
    memset(n->is_dirty, 0, n->fronts->def.fronts_max * sizeof *n->is_dirty);
    cairn_arena_reset(&n->scratch, 0);
    cairn_err err = cairn_structure_order(&n->structure, CAIRN_ORDER_OURS, &n->scratch);
    uint32_t first;
    if (err == CAIRN_OK) {
        err = cairn_fronts_build(n->fronts, &n->structure.incidence, n->structure.order, n->structure.free_count, NULL,
                                 0, &n->scratch, &first);
    }
    if (err != CAIRN_OK) { return err; }
    mark_built(n, first);
    info->is_rebuilt = true;
    info->nodes_renewed += n->structure.free_count;
    return CAIRN_OK;
}

// Takes off the fronts above touched nodes. Lists their pivots, and nodes that have no front yet, these last.
static uint32_t take_off(cairn_incremental *n, uint32_t *ret_orphans, uint32_t *ret_late_from)
{
    cairn_fronts *f = n->fronts;
    uint32_t count = 0, top_count = 0;
    uint32_t *tops = n->orphans; // fronts that die, first; orphans after
    for (uint32_t i = 0; i < n->touched_count; i++) {
        for (uint32_t at = f->front_of[n->touched[i]]; at != NONE && f->fronts[at].is_alive;
             at = f->fronts[at].parent) {
            f->fronts[at].is_alive = false;
            tops[top_count++] = at;
        }
    }
    for (uint32_t i = 0; i < top_count; i++) {
        const cairn_front *front = &f->fronts[tops[i]];
        for (uint32_t p = 0; p < front->pivot_count; p++) { n->list[count++] = f->vars[front->vars_at + p]; }
    }
    *ret_late_from = count;
    for (uint32_t i = 0; i < n->touched_count; i++) {
        if (f->front_of[n->touched[i]] == NONE) { n->list[count++] = n->touched[i]; }
    }
    uint32_t orphan_count = 0;
    uint32_t *orphans = n->orphans + top_count;
    for (uint32_t i = 0; i < top_count; i++) {
        for (uint32_t c = f->fronts[tops[i]].child; c != NONE; c = f->fronts[c].sibling) {
            if (f->fronts[c].is_alive) { orphans[orphan_count++] = c; }
        }
    }
    for (uint32_t i = 0; i < *ret_late_from; i++) { f->front_of[n->list[i]] = NONE; }
    memmove(n->orphans, orphans, orphan_count * sizeof *orphans);
    *ret_orphans = orphan_count;
    return count;
}

static void link_orphan(const cairn_bit_graph *g, const cairn_fronts *f, uint32_t orphan, uint64_t *mask)
{
    const cairn_front *front = &f->fronts[orphan];
    const uint32_t *rows = f->vars + front->vars_at + front->pivot_count;
    for (uint32_t i = 0; i < front->row_count; i++) {
        const uint32_t local = f->local_of[rows[i]];
        mask[local / 64] |= UINT64_C(1) << (local % 64);
    }
    for (uint32_t i = 0; i < front->row_count; i++) {
        uint64_t *row = g->rows + (size_t)f->local_of[rows[i]] * g->words;
        for (uint32_t w = 0; w < g->words; w++) { row[w] |= mask[w]; }
    }
    for (uint32_t i = 0; i < front->row_count; i++) { mask[f->local_of[rows[i]] / 64] = 0; }
}

// Nodes of the top by least degree; the newest last, since the next step begins there.
static bool order_top(cairn_incremental *n, uint32_t count, uint32_t late_from, uint32_t orphan_count, uint32_t *order)
{
    cairn_fronts *f = n->fronts;
    cairn_bit_graph g;
    if (!cairn_bit_graph_take(&g, count, &n->scratch)) { return false; }
    uint64_t *mask = CAIRN_TAKE(&n->scratch, uint64_t, g.words);
    if (!mask) { return false; }
    g.late_from = late_from;
    for (uint32_t i = 0; i < count; i++) { f->local_of[n->list[i]] = i; }
    for (uint32_t i = 0; i < orphan_count; i++) { link_orphan(&g, f, n->orphans[i], mask); }
    const cairn_incidence *incidence = &n->structure.incidence;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t s = incidence->head[n->list[i]]; s != NONE; s = incidence->next[s]) {
            const uint32_t other = incidence->ends[s ^ 1u];
            if (other != NONE && f->local_of[other] != NONE) { cairn_bit_graph_link(&g, i, f->local_of[other]); }
        }
        g.rows[(size_t)i * g.words + i / 64] &= ~(UINT64_C(1) << (i % 64));
    }
    cairn_bit_graph_order(&g, order);
    for (uint32_t i = 0; i < count; i++) { order[i] = n->list[order[i]]; }
    for (uint32_t i = 0; i < count; i++) { f->local_of[n->list[i]] = NONE; }
    return true;
}

static uint32_t count_above(const cairn_incremental *n)
{
    const cairn_fronts *f = n->fronts;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->touched_count; i++) {
        count += f->front_of[n->touched[i]] == NONE;
        for (uint32_t at = f->front_of[n->touched[i]]; at != NONE && !n->is_active[at]; at = f->fronts[at].parent) {
            n->is_active[at] = true;
            count += f->fronts[at].pivot_count;
        }
    }
    memset(n->is_active, 0, f->front_count * sizeof *n->is_active);
    return count;
}

static cairn_err renew_top(cairn_incremental *n, cairn_incremental_info *info)
{
    const uint32_t above = count_above(n);
    if (above > REBUILD_PART * n->structure.free_count ||
        n->fronts->front_count > HOLES_MIN + HOLES_PART * n->structure.free_count / 2) {
        return rebuild(n, info);
    }
    cairn_arena_reset(&n->scratch, 0);
    uint32_t orphan_count, late_from, first;
    const uint32_t count = take_off(n, &orphan_count, &late_from);
    uint32_t *order = CAIRN_TAKE(&n->scratch, uint32_t, count);
    if (!order || !order_top(n, count, late_from, orphan_count, order)) { return rebuild(n, info); }
    if (cairn_fronts_build(n->fronts, &n->structure.incidence, order, count, n->orphans, orphan_count, &n->scratch,
                           &first) != CAIRN_OK) {
        return rebuild(n, info);
    }
    mark_built(n, first);
    info->nodes_renewed += count;
    return CAIRN_OK;
}

cairn_err cairn_incremental_renew(cairn_incremental *n, cairn_incremental_info *info)
{
    if (n->touched_count == 0) { return CAIRN_OK; }
    const cairn_err err = renew_top(n, info);
    for (uint32_t i = 0; i < n->touched_count; i++) { n->is_touched[n->touched[i]] = false; }
    n->touched_count = 0;
    return err;
}
