// Ours: nodes with one or two links first, in constant time each, since most of a trajectory is such; what is left, the
// core, by minimum degree on sets of bits.
#include "slam/solve/ordering.h"
#include "slam/solve/ordering_kernels.h"
#include <string.h>
#include <suitesparse/amd.h>
#include <suitesparse/colamd.h>

#define NONE UINT32_MAX
#define BIT_NODES_MAX 16384u // larger cores: rows of bits would be over 32 MiB

static const char *const names[CAIRN_ORDER_KIND_COUNT] = {"ours", "exact", "amd", "colamd"};

const char *cairn_ordering_name(cairn_ordering_kind kind)
{
    CAIRN_ASSERT((unsigned)kind < CAIRN_ORDER_KIND_COUNT);
    return names[kind];
}

cairn_err cairn_ordering_find(const char *name, cairn_ordering_kind *ret_kind)
{
    for (unsigned i = 0; i < CAIRN_ORDER_KIND_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *ret_kind = (cairn_ordering_kind)i;
            return CAIRN_OK;
        }
    }
    return CAIRN_ERR_NOT_FOUND;
}

// ---- SuiteSparse

static cairn_err order_amd(const cairn_links *links, cairn_arena *scratch, uint32_t *ret_order)
{
    (void)scratch;
    const int result = amd_order((int)links->count, (const int *)links->start, (const int *)links->other,
                                 (int *)ret_order, NULL, NULL);
    return result == AMD_OK || result == AMD_OK_BUT_JUMBLED ? CAIRN_OK : CAIRN_ERR_FULL;
}

// One row for each link: the derivatives of a factor.
static cairn_err order_colamd(const cairn_links *links, cairn_arena *scratch, uint32_t *ret_order)
{
    const int link_count = (int)(links->start[links->count] / 2), count = (int)links->count;
    const size_t length = colamd_recommended(2 * link_count, link_count, count);
    int *rows = CAIRN_TAKE(scratch, int, length);
    int *starts = CAIRN_TAKE(scratch, int, (size_t)count + 1);
    int *row_of = CAIRN_TAKE(scratch, int, 2 * (size_t)link_count + 1);
    if (length == 0 || !rows || !starts || !row_of) { return CAIRN_ERR_FULL; }
    int row = 0;
    for (uint32_t i = 0; i < links->count; i++) {
        starts[i] = (int)links->start[i];
        for (uint32_t k = links->start[i]; k < links->start[i + 1]; k++) {
            const uint32_t other = links->other[k];
            if (other > i) {
                row_of[k] = row++;
                continue;
            }
            uint32_t back = links->start[other];
            while (links->other[back] != i) { back++; }
            row_of[k] = row_of[back];
        }
    }
    starts[count] = 2 * link_count;
    memcpy(rows, row_of, 2 * (size_t)link_count * sizeof *rows);
    int stats[COLAMD_STATS];
    if (!colamd(link_count, count, (int)length, rows, starts, NULL, stats)) { return CAIRN_ERR_FULL; }
    for (int i = 0; i < count; i++) { ret_order[i] = (uint32_t)starts[i]; }
    return CAIRN_OK;
}

// ---- bits

typedef void (*bit_order_fn)(const cairn_bit_graph *, uint32_t *);

bool cairn_bit_graph_take(cairn_bit_graph *graph, uint32_t count, cairn_arena *arena)
{
    graph->count = graph->late_from = count;
    graph->words = (count + 63) / 64;
    graph->rows = CAIRN_TAKE(arena, uint64_t, (size_t)count * graph->words);
    graph->degree = CAIRN_TAKE(arena, uint32_t, count);
    graph->next = CAIRN_TAKE(arena, uint32_t, count);
    graph->previous = CAIRN_TAKE(arena, uint32_t, count);
    graph->bucket = CAIRN_TAKE(arena, uint32_t, (size_t)count + 1);
    graph->word_at = CAIRN_TAKE(arena, uint32_t, (size_t)graph->words + 1);
    return graph->rows && graph->degree && graph->next && graph->previous && graph->bucket && graph->word_at;
}

void cairn_bit_graph_order(const cairn_bit_graph *graph, uint32_t *ret_order)
{
    static const cairn_kernel kernel = {"bit_order", CAIRN_KERNEL_VARIANTS(cairn_bit_order)};
    ((bit_order_fn)cairn_dispatch(&kernel, cairn_isa_best()))(graph, ret_order);
}

void cairn_bit_graph_link(const cairn_bit_graph *graph, uint32_t from, uint32_t to)
{
    graph->rows[(size_t)from * graph->words + to / 64] |= UINT64_C(1) << (to % 64);
}

static cairn_err order_exact(const cairn_links *links, cairn_arena *scratch, uint32_t *ret_order)
{
    cairn_bit_graph g;
    if (!cairn_bit_graph_take(&g, links->count, scratch)) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < links->count; i++) {
        for (uint32_t k = links->start[i]; k < links->start[i + 1]; k++) {
            cairn_bit_graph_link(&g, i, links->other[k]);
        }
    }
    cairn_bit_graph_order(&g, ret_order);
    return CAIRN_OK;
}

// ---- ours

// Links that can be taken out and turned to another node; their number never grows.
typedef struct thinning {
    const uint32_t *start;
    uint32_t *other, *length;
    uint32_t *order; // those that went, which is also the queue
    uint32_t head, tail;
    bool *is_queued;
} thinning;

static void queue_if_thin(thinning *t, uint32_t node)
{
    if (t->length[node] <= 2 && !t->is_queued[node]) {
        t->is_queued[node] = true;
        t->order[t->tail++] = node;
    }
}

// In `node`'s list the one that goes is replaced by `instead` (NONE, or linked already: by nothing).
static void turn_link(thinning *t, uint32_t node, uint32_t gone, uint32_t instead)
{
    uint32_t *list = t->other + t->start[node], *length = &t->length[node], at = NONE;
    for (uint32_t k = 0; k < *length; k++) {
        if (list[k] == gone) { at = k; }
        if (list[k] == instead) { instead = NONE; }
    }
    if (instead != NONE) {
        list[at] = instead;
    } else {
        list[at] = list[--*length];
    }
}

// Takes out all nodes with at most two links, and those that thereby come to have so few.
static void thin_out(thinning *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) { queue_if_thin(t, i); }
    while (t->head < t->tail) {
        const uint32_t node = t->order[t->head++];
        const uint32_t *list = t->other + t->start[node];
        const uint32_t first = t->length[node] > 0 ? list[0] : NONE, second = t->length[node] > 1 ? list[1] : NONE;
        if (first != NONE) { turn_link(t, first, node, second); }
        if (second != NONE) { turn_link(t, second, node, first); }
        if (first != NONE) { queue_if_thin(t, first); }
        if (second != NONE) { queue_if_thin(t, second); }
    }
}

static cairn_err order_core_bits(const thinning *t, const uint32_t *core, uint32_t core_count, const uint32_t *core_of,
                                 cairn_arena *scratch, uint32_t *ret_order)
{
    cairn_bit_graph g;
    if (!cairn_bit_graph_take(&g, core_count, scratch)) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < core_count; i++) {
        const uint32_t *list = t->other + t->start[core[i]];
        for (uint32_t k = 0; k < t->length[core[i]]; k++) { cairn_bit_graph_link(&g, i, core_of[list[k]]); }
    }
    cairn_bit_graph_order(&g, ret_order);
    return CAIRN_OK;
}

static cairn_err order_core_amd(const thinning *t, const uint32_t *core, uint32_t core_count, const uint32_t *core_of,
                                cairn_arena *scratch, uint32_t *ret_order)
{
    size_t total = 0;
    for (uint32_t i = 0; i < core_count; i++) { total += t->length[core[i]]; }
    uint32_t *start = CAIRN_TAKE(scratch, uint32_t, (size_t)core_count + 1),
             *other = CAIRN_TAKE(scratch, uint32_t, total + 1);
    if (!start || !other) { return CAIRN_ERR_FULL; }
    for (uint32_t i = 0; i < core_count; i++) {
        const uint32_t *list = t->other + t->start[core[i]];
        start[i + 1] = start[i] + t->length[core[i]];
        for (uint32_t k = 0; k < t->length[core[i]]; k++) { other[start[i] + k] = core_of[list[k]]; }
    }
    return order_amd(&(cairn_links){.count = core_count, .start = start, .other = other}, scratch, ret_order);
}

static cairn_err order_ours(const cairn_links *links, cairn_arena *scratch, uint32_t *ret_order)
{
    const uint32_t count = links->count, total = links->start[count];
    thinning t = {.start = links->start, .order = ret_order};
    t.other = CAIRN_TAKE(scratch, uint32_t, (size_t)total + 1);
    t.length = CAIRN_TAKE(scratch, uint32_t, (size_t)count + 1);
    t.is_queued = CAIRN_TAKE(scratch, bool, (size_t)count + 1);
    uint32_t *core = CAIRN_TAKE(scratch, uint32_t, (size_t)count + 1),
             *core_of = CAIRN_TAKE(scratch, uint32_t, (size_t)count + 1);
    if (!t.other || !t.length || !t.is_queued || !core || !core_of) { return CAIRN_ERR_FULL; }
    memcpy(t.other, links->other, total * sizeof *t.other);
    for (uint32_t i = 0; i < count; i++) { t.length[i] = links->start[i + 1] - links->start[i]; }
    thin_out(&t, count);
    uint32_t core_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        core_of[i] = core_count;
        core[core_count] = i;
        core_count += !t.is_queued[i];
    }
    if (core_count == 0) { return CAIRN_OK; }
    uint32_t *rest = ret_order + t.tail;
    const cairn_err err = core_count <= BIT_NODES_MAX ? order_core_bits(&t, core, core_count, core_of, scratch, rest)
                                                      : order_core_amd(&t, core, core_count, core_of, scratch, rest);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t i = 0; i < core_count; i++) { rest[i] = core[rest[i]]; }
    return CAIRN_OK;
}

cairn_err cairn_order(cairn_ordering_kind kind, const cairn_links *links, cairn_arena *scratch, uint32_t *ret_order)
{
    static cairn_err (*const orders[CAIRN_ORDER_KIND_COUNT])(const cairn_links *, cairn_arena *, uint32_t *) = {
        order_ours, order_exact, order_amd, order_colamd};
    CAIRN_ASSERT((unsigned)kind < CAIRN_ORDER_KIND_COUNT);
    if (links->count == 0) { return CAIRN_OK; }
    const size_t mark = cairn_arena_mark(scratch);
    const cairn_err err = orders[kind](links, scratch, ret_order);
    cairn_arena_reset(scratch, mark);
    return err;
}
