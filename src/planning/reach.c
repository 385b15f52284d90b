// reach.c - Dijkstra with a ring of buckets.
//
// A step costs 10 or 14 times the price of the cell that it enters, so it is even and at most 14 * 254: a ring of
// 2048 buckets, one for each even price, holds all that can wait at a time. Prices and costs are copied into arrays
// with a rim of blocked cells, and which neighbours a cell may be left for is worked out beforehand, a bit each, so the
// inner loop knows neither bounds nor corners. Cells are settled in order of price, so a cell is improved at most
// twice, once by a diagonal and once by a straight step, and each of the two has its own link in the bucket lists.
// Within a bucket the last in is the first out; ways are made from prices alone, so nothing depends on that order.
// The time goes into mispredicted branches, about two a cell. Tried and no faster: one branch for each neighbour, SIMD
// compares of the neighbours, queueing improvements in batches, skipping the neighbours behind.
#include "planning/reach.h"
#include <string.h>

#define STRAIGHT 10u
#define DIAGONAL 14u
#define BUCKETS 2048u // > 14 * 254 / 2, a power of two
#define NOBODY UINT32_MAX

typedef struct reach_search {
    uint32_t stride;    // of the padded arrays
    uint32_t offset[8]; // to the neighbours, modulo 2^32: straight, then diagonal
    uint8_t *cost;      // padded
    uint8_t *moves;     // padded: a bit for each neighbour that can be entered, in the order of offset
    uint32_t *price;    // padded; 0 where blocked
    uint32_t *next;     // link of item 2 * cell + (0 straight, 1 diagonal)
    uint32_t *first;    // item of each bucket, or NOBODY
    uint64_t *waiting;  // a bit for each bucket that is not empty
} reach_search;

static bool take_search(const cairn_cost_grid *grid, cairn_arena *scratch, reach_search *ret_search)
{
    const uint32_t stride = grid->width + 2;
    const size_t cells = (size_t)stride * (grid->height + 2);
    *ret_search = (reach_search){
        .stride = stride,
        .offset = {1, stride, -1u, -stride, stride + 1, stride - 1, -stride - 1, 1 - stride},
        .cost = CAIRN_TAKE(scratch, uint8_t, cells),
        .moves = CAIRN_TAKE(scratch, uint8_t, cells),
        .price = CAIRN_TAKE(scratch, uint32_t, cells),
        .next = CAIRN_TAKE(scratch, uint32_t, 2 * cells),
        .first = CAIRN_TAKE(scratch, uint32_t, BUCKETS),
        .waiting = CAIRN_TAKE(scratch, uint64_t, BUCKETS / 64),
    };
    return ret_search->cost && ret_search->moves && ret_search->price && ret_search->next && ret_search->first &&
           ret_search->waiting;
}

static void fill_search(const cairn_cost_grid *grid, reach_search *search)
{
    const uint32_t stride = search->stride, width = grid->width;
    memset(search->first, 0xff, BUCKETS * sizeof *search->first);
    memset(search->cost, CAIRN_COST_BLOCKED, (size_t)stride * (grid->height + 2));
    for (uint32_t y = 0; y < grid->height; y++) {
        const uint8_t *from = grid->cost + (size_t)y * width;
        const size_t row = (size_t)(y + 1) * stride + 1;
        memcpy(search->cost + row, from, width);
        for (uint32_t x = 0; x < width; x++) {
            search->price[row + x] = from[x] == CAIRN_COST_BLOCKED ? 0 : CAIRN_REACH_NEVER;
        }
    }
}

static void fill_moves(reach_search *search, uint32_t width, uint32_t height)
{
    for (uint32_t y = 1; y <= height; y++) {
        const uint8_t *here = search->cost + (size_t)y * search->stride, *north = here + search->stride,
                      *south = here - search->stride;
        uint8_t *moves = search->moves + (size_t)y * search->stride;
        for (uint32_t x = 1; x <= width; x++) {
            const uint8_t e = here[x + 1] != CAIRN_COST_BLOCKED, n = north[x] != CAIRN_COST_BLOCKED;
            const uint8_t w = here[x - 1] != CAIRN_COST_BLOCKED, s = south[x] != CAIRN_COST_BLOCKED;
            const uint8_t ne = north[x + 1] != CAIRN_COST_BLOCKED, nw = north[x - 1] != CAIRN_COST_BLOCKED;
            const uint8_t sw = south[x - 1] != CAIRN_COST_BLOCKED, se = south[x + 1] != CAIRN_COST_BLOCKED;
            moves[x] = (uint8_t)(e | n << 1 | w << 2 | s << 3 | (ne & n & e) << 4 | (nw & n & w) << 5 |
                                 (sw & s & w) << 6 | (se & s & e) << 7);
        }
    }
}

static inline void push(reach_search *search, uint32_t price, uint32_t item)
{
    const uint32_t bucket = price / 2 % BUCKETS;
    search->next[item] = search->first[bucket];
    search->first[bucket] = item;
    search->waiting[bucket / 64] |= (uint64_t)1 << bucket % 64;
}

// The neighbours are weighed without a branch, since whether one of them is improved cannot be foretold.
static inline void settle(reach_search *search, uint32_t cell)
{
    const uint32_t price = search->price[cell];
    uint32_t better = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t to = cell + search->offset[i];
        const uint32_t sum = price + (i < 4 ? STRAIGHT : DIAGONAL) * search->cost[to];
        better |= (uint32_t)(sum < search->price[to]) << i;
    }
    for (better &= search->moves[cell]; better != 0; better &= better - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(better), to = cell + search->offset[i], diagonal = i >= 4;
        const uint32_t sum = price + (diagonal ? DIAGONAL : STRAIGHT) * search->cost[to];
        search->price[to] = sum;
        push(search, sum, 2 * to + diagonal);
    }
}

// The first bucket with someone in it, from `bucket` on around the ring; BUCKETS if there is none.
static uint32_t next_bucket(const reach_search *search, uint32_t bucket)
{
    uint64_t word = search->waiting[bucket / 64] & ~(uint64_t)0 << bucket % 64;
    for (uint32_t i = 0; i <= BUCKETS / 64; i++) {
        const uint32_t at = (bucket / 64 + i) % (BUCKETS / 64);
        if (i > 0) { word = search->waiting[at]; }
        if (word != 0) { return at * 64 + (uint32_t)__builtin_ctzll(word); }
    }
    return BUCKETS;
}

// Settles cells in order of price until `goal` is, at most expansions_max, and returns how many.
static uint32_t run(reach_search *search, uint32_t goal, uint32_t expansions_max)
{
    uint32_t settled_count = 0, bucket = 0;
    while ((bucket = next_bucket(search, bucket)) < BUCKETS) {
        while (search->first[bucket] != NOBODY) {
            if (settled_count == expansions_max) { return settled_count; }
            const uint32_t item = search->first[bucket], cell = item / 2;
            search->first[bucket] = search->next[item];
            if (search->price[cell] / 2 % BUCKETS != bucket) { continue; } // it was reached cheaper meanwhile
            settle(search, cell);
            settled_count++;
            if (cell == goal) { return settled_count; }
        }
        search->waiting[bucket / 64] &= ~((uint64_t)1 << bucket % 64);
    }
    return settled_count;
}

// Cells that still wait have no final price: they do not count as reached.
static void forget_waiting(reach_search *search)
{
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        for (uint32_t item = search->first[bucket]; item != NOBODY; item = search->next[item]) {
            uint32_t *price = &search->price[item / 2];
            if (*price / 2 % BUCKETS == bucket) { *price = CAIRN_REACH_NEVER; }
        }
    }
}

static void copy_prices(const cairn_cost_grid *grid, const reach_search *search, uint32_t *ret_price)
{
    for (uint32_t y = 0; y < grid->height; y++) {
        const uint32_t *from = search->price + (size_t)(y + 1) * search->stride + 1;
        uint32_t *to = ret_price + (size_t)y * grid->width;
        for (uint32_t x = 0; x < grid->width; x++) { to[x] = from[x] == 0 ? CAIRN_REACH_NEVER : from[x]; }
    }
}

static uint32_t padded(const cairn_cost_grid *grid, uint32_t cell)
{
    return (cell / grid->width + 1) * (grid->width + 2) + cell % grid->width + 1;
}

static cairn_err compute(const cairn_cost_grid *grid, cairn_vec2 source_m, uint32_t goal_cell, uint32_t expansions_max,
                         cairn_arena *arena, cairn_arena *scratch, cairn_reach *ret_reach)
{
    CAIRN_ASSERT((uint64_t)grid->width * grid->height <= CAIRN_COST_CELLS_MAX);
    CAIRN_ASSERT(expansions_max > 0);
    cairn_reach reach = {.grid = grid};
    if (!cairn_cost_grid_cell_of(grid, source_m, &reach.source_cell)) { return CAIRN_ERR_OUTSIDE; }
    const size_t before = cairn_arena_mark(arena);
    reach.price = CAIRN_TAKE(arena, uint32_t, (size_t)grid->width * grid->height);
    const size_t mark = cairn_arena_mark(scratch);
    reach_search search;
    if (!reach.price || !take_search(grid, scratch, &search)) {
        cairn_arena_reset(scratch, mark);
        cairn_arena_reset(arena, before);
        return CAIRN_ERR_FULL;
    }

    fill_search(grid, &search);
    fill_moves(&search, grid->width, grid->height);
    search.price[padded(grid, reach.source_cell)] = 0;
    push(&search, 0, 2 * padded(grid, reach.source_cell));
    reach.reached_count = run(&search, goal_cell == NOBODY ? NOBODY : padded(grid, goal_cell), expansions_max);
    forget_waiting(&search);
    copy_prices(grid, &search, reach.price);
    reach.price[reach.source_cell] = 0;
    cairn_arena_reset(scratch, mark);
    *ret_reach = reach;
    return CAIRN_OK;
}

cairn_err cairn_reach_compute(const cairn_cost_grid *grid, cairn_vec2 source_m, uint32_t expansions_max,
                              cairn_arena *arena, cairn_arena *scratch, cairn_reach *ret_reach)
{
    return compute(grid, source_m, NOBODY, expansions_max, arena, scratch, ret_reach);
}

cairn_err cairn_reach_compute_to(const cairn_cost_grid *grid, cairn_vec2 source_m, uint32_t goal_cell,
                                 uint32_t expansions_max, cairn_arena *arena, cairn_arena *scratch,
                                 cairn_reach *ret_reach)
{
    CAIRN_ASSERT(goal_cell < grid->width * grid->height);
    return compute(grid, source_m, goal_cell, expansions_max, arena, scratch, ret_reach);
}
