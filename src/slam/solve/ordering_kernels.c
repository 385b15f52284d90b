// Rows are mostly zero: only the words of the eliminated node's row that are not are ever merged into its neighbours'.
// Ties go to the node that was touched last. Breaking them by fill was tried: 5 % fewer operations in the factorisation
// of M3500, for more than that in finding them.
#include "slam/solve/ordering_kernels.h"

#define NONE UINT32_MAX

static inline uint64_t *row_of(const cairn_bit_graph *g, uint32_t node) { return g->rows + (size_t)node * g->words; }
static inline uint32_t bits_in(uint64_t word) { return (uint32_t)__builtin_popcountll(word); }

// Late nodes are in no bucket until all others are gone.
static void unlink_node(const cairn_bit_graph *g, uint32_t late_from, uint32_t node)
{
    if (node >= late_from) { return; }
    if (g->previous[node] != NONE) {
        g->next[g->previous[node]] = g->next[node];
    } else {
        g->bucket[g->degree[node]] = g->next[node];
    }
    if (g->next[node] != NONE) { g->previous[g->next[node]] = g->previous[node]; }
}

static void link_node(const cairn_bit_graph *g, uint32_t late_from, uint32_t node)
{
    if (node >= late_from) { return; }
    uint32_t *head = &g->bucket[g->degree[node]];
    g->next[node] = *head;
    g->previous[node] = NONE;
    if (*head != NONE) { g->previous[*head] = node; }
    *head = node;
}

static uint32_t list_words(const cairn_bit_graph *g, const uint64_t *row)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < g->words; w++) {
        g->word_at[count] = w;
        count += row[w] != 0;
    }
    return count;
}

// All neighbours of the node are linked to each other, and their degrees follow.
static void merge_row(const cairn_bit_graph *g, uint32_t late_from, uint32_t node, const uint64_t *row,
                      uint32_t word_count)
{
    for (uint32_t i = 0; i < word_count; i++) {
        for (uint64_t left = row[g->word_at[i]]; left != 0; left &= left - 1) {
            const uint32_t other = 64 * g->word_at[i] + (uint32_t)__builtin_ctzll(left);
            uint64_t *others = row_of(g, other);
            unlink_node(g, late_from, other);
            uint32_t added = 0;
            for (uint32_t k = 0; k < word_count; k++) {
                const uint64_t word = row[g->word_at[k]];
                added += bits_in(word & ~others[g->word_at[k]]);
                others[g->word_at[k]] |= word;
            }
            others[other / 64] &= ~(UINT64_C(1) << (other % 64));
            others[node / 64] &= ~(UINT64_C(1) << (node % 64));
            g->degree[other] += added - 2; // not the node itself, nor the one that goes
        }
    }
}

// Takes a node out, and with it its neighbours that are now linked to its other neighbours only: they fill nothing in.
// Says how many went, and the least degree of those that stay.
static uint32_t eliminate(const cairn_bit_graph *g, uint32_t late_from, uint32_t node, uint32_t *ret_order,
                          uint32_t *ret_least)
{
    uint64_t *row = row_of(g, node);
    const uint32_t word_count = list_words(g, row), degree = g->degree[node];
    uint32_t done = 0;
    unlink_node(g, late_from, node);
    ret_order[done++] = node;
    merge_row(g, late_from, node, row, word_count);
    for (uint32_t i = 0; i < word_count; i++) {
        for (uint64_t left = row[g->word_at[i]]; left != 0; left &= left - 1) {
            const uint32_t other = 64 * g->word_at[i] + (uint32_t)__builtin_ctzll(left);
            if (g->degree[other] == degree - 1 && other < late_from) { ret_order[done++] = other; }
        }
    }
    for (uint32_t m = 1; m < done; m++) { row[ret_order[m] / 64] &= ~(UINT64_C(1) << (ret_order[m] % 64)); }
    *ret_least = NONE;
    for (uint32_t i = 0; i < word_count; i++) {
        for (uint64_t left = row[g->word_at[i]]; left != 0; left &= left - 1) {
            const uint32_t other = 64 * g->word_at[i] + (uint32_t)__builtin_ctzll(left);
            uint64_t *others = row_of(g, other);
            for (uint32_t m = 1; m < done; m++) { others[ret_order[m] / 64] &= ~(UINT64_C(1) << (ret_order[m] % 64)); }
            g->degree[other] -= done - 1;
            if (g->degree[other] < *ret_least && other < late_from) { *ret_least = g->degree[other]; }
            link_node(g, late_from, other);
        }
    }
    return done;
}

void CAIRN_KERNEL(cairn_bit_order)(const cairn_bit_graph *g, uint32_t *ret_order)
{
    for (uint32_t i = 0; i <= g->count; i++) { g->bucket[i] = NONE; }
    for (uint32_t i = 0; i < g->count; i++) {
        const uint64_t *row = row_of(g, i);
        uint32_t degree = 0;
        for (uint32_t w = 0; w < g->words; w++) { degree += bits_in(row[w]); }
        g->degree[i] = degree;
        link_node(g, g->late_from, i);
    }
    uint32_t least = 0, late_from = g->late_from;
    for (uint32_t done = 0; done < g->count;) {
        if (done == late_from) { // the others are gone: now they take part
            late_from = g->count;
            for (uint32_t i = g->late_from; i < g->count; i++) { link_node(g, late_from, i); }
            least = 0;
        }
        while (g->bucket[least] == NONE) { least++; }
        uint32_t least_left;
        done += eliminate(g, late_from, g->bucket[least], ret_order + done, &least_left);
        if (least_left < least) { least = least_left; }
    }
}
