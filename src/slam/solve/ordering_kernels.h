// ordering_kernels.h - minimum degree on sets of bits: a row of bits for each node says whom it is linked to.
//
// Counting bits is an instruction that not every machine has, so this is built for each instruction set.
#pragma once
#include "base/dispatch.h"
#include "base/memory.h"

typedef struct cairn_bit_graph {
    uint32_t count, words;                       // nodes; 64-bit words of a row
    uint64_t *rows;                              // count x words; used up
    uint32_t *degree, *next, *previous, *bucket; // scratch, count each (bucket: count + 1)
    uint32_t *word_at;                           // scratch: words of them
    uint32_t late_from;                          // nodes from here on are eliminated after all others; count: none
} cairn_bit_graph;

// Rows without links, from the arena; false: it is too small. Nobody is late.
CAIRN_CHECKED bool cairn_bit_graph_take(cairn_bit_graph *graph, uint32_t count, cairn_arena *arena);
void cairn_bit_graph_link(const cairn_bit_graph *graph, uint32_t from, uint32_t to); // one way
void cairn_bit_graph_order(const cairn_bit_graph *graph, uint32_t *ret_order);       // by the best kernel there is

// ret_order: the nodes as they are eliminated. All instruction sets give the same.
CAIRN_KERNEL_DECLARE(void, cairn_bit_order, (const cairn_bit_graph *graph, uint32_t *ret_order));
