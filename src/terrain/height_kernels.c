// height_kernels.c - heights handed from cell to cell. Integers only: all copies give the same bits.
//
// Spreading takes two passes over the cells, as a chamfer distance does (Borgefors 1986): up with what comes from the
// left and from the row below, down with the rest. A cheapest way uses at most two neighbouring directions, in any
// order; taken with those of the first pass first, it stays between its ends and so within the rectangle. Two passes
// are therefore exact. Within a row, what comes from the other row is eight cells at a time; only the run along the row
// goes cell by cell.
#include "terrain/height_kernels.h"

static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

// Not inlined, and the rows apart: then compilers take many cells at a time.
__attribute__((noinline)) static void row_from_row(const int32_t *restrict from, int32_t *restrict row, uint32_t width,
                                                   int32_t straight_um, int32_t diagonal_um)
{
    row[0] = least(row[0], from[0] + straight_um);
    if (width == 1) { return; }
    row[0] = least(row[0], from[1] + diagonal_um);
    for (uint32_t x = 1; x < width - 1; x++) {
        const int32_t aside = least(from[x - 1], from[x + 1]) + diagonal_um;
        row[x] = least(row[x], least(aside, from[x] + straight_um));
    }
    const uint32_t last = width - 1;
    row[last] = least(row[last], least(from[last] + straight_um, from[last - 1] + diagonal_um));
}

void CAIRN_KERNEL(cairn_heights_spread)(int32_t *heights_um, uint32_t width, uint32_t height, int32_t straight_um,
                                        int32_t diagonal_um)
{
    for (uint32_t y = 0; y < height; y++) {
        int32_t *row = heights_um + (size_t)y * width;
        if (y > 0) { row_from_row(row - width, row, width, straight_um, diagonal_um); }
        int32_t run = row[0];
        for (uint32_t x = 1; x < width; x++) { row[x] = run = least(row[x], run + straight_um); }
    }
    for (uint32_t y = height; y-- > 0;) {
        int32_t *row = heights_um + (size_t)y * width;
        if (y + 1 < height) { row_from_row(row + width, row, width, straight_um, diagonal_um); }
        int32_t run = row[width - 1];
        for (uint32_t x = width - 1; x-- > 0;) { row[x] = run = least(row[x], run + straight_um); }
    }
}

// below and above may be the row itself, at the borders of the map: a cell's own height + step never wins.
__attribute__((noinline)) static void row_round(const int32_t *row, const int32_t *below, const int32_t *above,
                                                uint32_t width, int32_t step_um, int32_t *restrict ret_row)
{
    for (uint32_t x = 0; x < width; x++) { ret_row[x] = least(row[x], least(below[x], above[x]) + step_um); }
    for (uint32_t x = 1; x < width; x++) { ret_row[x] = least(ret_row[x], row[x - 1] + step_um); }
    for (uint32_t x = 0; x + 1 < width; x++) { ret_row[x] = least(ret_row[x], row[x + 1] + step_um); }
}

void CAIRN_KERNEL(cairn_heights_round)(const int32_t *heights_um, uint32_t width, uint32_t height, int32_t step_um,
                                       int32_t *ret_heights_um)
{
    for (uint32_t y = 0; y < height; y++) {
        const int32_t *row = heights_um + (size_t)y * width;
        row_round(row, y > 0 ? row - width : row, y + 1 < height ? row + width : row, width, step_um,
                  ret_heights_um + (size_t)y * width);
    }
}
