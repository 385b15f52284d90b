// neighbour_codec.h - the published way to code a plane of bits: each by a table, from 4, 6, 9 or 10 that came before
// it.
//
// It is the reference that the grid codec is measured against. The paper's figure shows the sets of neighbours, its
// text does not name them; these are the nearest ones, the ten being JBIG's. The tables are trained on maps of
// generated arenas (tools/grid_tables.py) and do not change while a plane is coded.
//
// Source   Olson et al., Progress toward multi-robot reconnaissance and the MAGIC 2010 competition, 4.3.4.
// Threads  No state.
#pragma once
#include "base/status.h"
#include "maps/codec/range_coder.h"

typedef enum cairn_neighbours {
    CAIRN_NEIGHBOURS_4,  // before, and three of the row below
    CAIRN_NEIGHBOURS_6,  // and two before, two below
    CAIRN_NEIGHBOURS_9,  // and the farther ones of the row below and the one before that
    CAIRN_NEIGHBOURS_10, // and the last one of the row two below
    CAIRN_NEIGHBOURS_COUNT
} cairn_neighbours;

typedef struct cairn_neighbour {
    int8_t dx, dy;
} cairn_neighbour;
#define CAIRN_NEIGHBOUR_BITS_MAX 10
static const cairn_neighbour cairn_neighbour_places[CAIRN_NEIGHBOUR_BITS_MAX] = {
    {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {-2, 0}, {0, -2}, {-2, -1}, {2, -1}, {-1, -2}, {1, -2}};
static const uint8_t cairn_neighbour_bits[CAIRN_NEIGHBOURS_COUNT] = {4, 6, 9, 10};

// The neighbours of a cell as a number; cells are bytes, `mask` says which bit of them, and outside all are 0.
static inline uint32_t cairn_neighbours_of(const uint8_t *cells, uint32_t width, uint8_t mask, uint32_t bits,
                                           uint32_t x, uint32_t y)
{
    uint32_t context = 0;
    for (uint32_t i = 0; i < bits; i++) {
        const int64_t at_x = (int64_t)x + cairn_neighbour_places[i].dx,
                      at_y = (int64_t)y + cairn_neighbour_places[i].dy;
        const bool is_inside = at_x >= 0 && at_x < width && at_y >= 0;
        context |= (uint32_t)(is_inside && (cells[(size_t)at_y * width + (size_t)at_x] & mask) != 0) << i;
    }
    return context;
}

// Codes the plane of `mask` (1 known, 2 obstacle; each has tables of its own) of width x height cells, row by row. The
// size is not in the code. CAIRN_ERR_FULL if it does not fit; ret_code is then undefined.
CAIRN_CHECKED cairn_err cairn_neighbour_encode(const uint8_t *cells, uint32_t width, uint32_t height, uint8_t mask,
                                               cairn_neighbours model, uint8_t *ret_code, size_t code_bytes_max,
                                               size_t *ret_code_bytes);
// Sets or clears the bit of `mask` of each cell. CAIRN_ERR_CORRUPT for what no encoder makes; the bits are then
// undefined.
CAIRN_CHECKED cairn_err cairn_neighbour_decode(const uint8_t *code, size_t code_bytes, uint32_t width, uint32_t height,
                                               uint8_t mask, cairn_neighbours model, uint8_t *cells);
