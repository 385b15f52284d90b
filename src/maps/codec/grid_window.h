// grid_window.h - a grid as rows of bits, and what the grid codec sees of them when it predicts a cell.
//
// Two kinds of window, both of at most 60 cells, so that one kind of network looks through either:
//   alone  the cells before this one: five of its row, and eleven in each of the five rows below (terrain_window.h)
//   after  three of its row and seven in each of the three rows below; and of an earlier grid, moved to where it would
//          lie here, the seven cells around this place in five rows; and whether cell came to lie on cell
// Rows lie backwards, so that bits of a field run from the right to the left, as the network's inputs do. Beyond the
// sides the outermost cells go on (before a row's first cell, that of the row below while it is being coded); below the
// grid nothing is known.
#pragma once
#include "maps/codec/terrain_window.h"
#include <string.h>

#define CAIRN_GRID_SIDE_MAX 4096
#define CAIRN_GRID_PAD 8 // columns beyond each side
#define CAIRN_GRID_ROWS_BELOW 5
#define CAIRN_GRID_ROWS_ABOVE 2
#define CAIRN_GRID_AFTER_CELLS 59
#define CAIRN_GRID_CELL_ON_CELL (UINT64_C(1) << CAIRN_GRID_AFTER_CELLS) // among the obstacles

typedef struct cairn_grid_rows {
    uint32_t width, height;
    size_t stride_bytes;         // of a row
    uint8_t *unknown, *obstacle; // (ROWS_BELOW + height + ROWS_ABOVE) rows; the caller's
} cairn_grid_rows;

// Of a row, in whole words of eight bytes, with room behind it to be read in such from any byte.
static inline size_t cairn_grid_stride_bytes(uint32_t width)
{
    return ((width + 2 * CAIRN_GRID_PAD) / 8 + 16) & ~(size_t)7;
}
// Of each of the two blocks of rows.
static inline size_t cairn_grid_rows_bytes(uint32_t width, uint32_t height)
{
    return cairn_grid_stride_bytes(width) * (height + CAIRN_GRID_ROWS_BELOW + CAIRN_GRID_ROWS_ABOVE);
}

static inline uint8_t *cairn_grid_row(const cairn_grid_rows *rows, uint8_t *block, int64_t y)
{
    return block + (size_t)(y + CAIRN_GRID_ROWS_BELOW) * rows->stride_bytes;
}

// Where the bit of column x lies in a row; x from -PAD to width + PAD - 1.
static inline uint32_t cairn_grid_bit(const cairn_grid_rows *rows, int64_t x)
{
    return (uint32_t)(CAIRN_GRID_PAD + (int64_t)rows->width - 1 - x);
}

static inline uint64_t cairn_grid_field(const uint8_t *row, uint32_t bit)
{
    uint64_t word;
    memcpy(&word, row + (bit >> 3), sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word >> (bit & 7);
}

static inline void cairn_grid_set(uint8_t *row, uint32_t bit, bool is)
{
    const uint8_t mask = (uint8_t)(1u << (bit & 7));
    row[bit >> 3] = (uint8_t)(is ? row[bit >> 3] | mask : row[bit >> 3] & ~mask);
}

// The cells of row y beyond its left side become what these say.
static inline void cairn_grid_pad_left(const cairn_grid_rows *rows, int64_t y, bool unknown, bool obstacle)
{
    for (int64_t x = -CAIRN_GRID_PAD; x < 0; x++) {
        cairn_grid_set(cairn_grid_row(rows, rows->unknown, y), cairn_grid_bit(rows, x), unknown);
        cairn_grid_set(cairn_grid_row(rows, rows->obstacle, y), cairn_grid_bit(rows, x), obstacle);
    }
}

// All cells unknown, or all free, those beyond the sides and below too.
static inline void cairn_grid_rows_clear(const cairn_grid_rows *rows, bool is_unknown)
{
    memset(rows->unknown, is_unknown ? 255 : 0, cairn_grid_rows_bytes(rows->width, rows->height));
    memset(rows->obstacle, 0, cairn_grid_rows_bytes(rows->width, rows->height));
}

// Before the first cell of row y is coded.
static inline void cairn_grid_row_begin(const cairn_grid_rows *rows, uint32_t y)
{
    const uint32_t first = cairn_grid_bit(rows, 0);
    const bool unknown = cairn_grid_field(cairn_grid_row(rows, rows->unknown, (int64_t)y - 1), first) & 1;
    const bool obstacle = cairn_grid_field(cairn_grid_row(rows, rows->obstacle, (int64_t)y - 1), first) & 1;
    cairn_grid_pad_left(rows, y, unknown, obstacle);
}

// After its last.
static inline void cairn_grid_row_end(const cairn_grid_rows *rows, uint32_t y)
{
    uint8_t *unknown = cairn_grid_row(rows, rows->unknown, y), *obstacle = cairn_grid_row(rows, rows->obstacle, y);
    const uint32_t first = cairn_grid_bit(rows, 0), last = cairn_grid_bit(rows, (int64_t)rows->width - 1);
    cairn_grid_pad_left(rows, y, cairn_grid_field(unknown, first) & 1, cairn_grid_field(obstacle, first) & 1);
    const bool last_unknown = cairn_grid_field(unknown, last) & 1, last_obstacle = cairn_grid_field(obstacle, last) & 1;
    for (uint32_t bit = 0; bit < CAIRN_GRID_PAD; bit++) {
        cairn_grid_set(unknown, bit, last_unknown);
        cairn_grid_set(obstacle, bit, last_obstacle);
    }
}

static inline uint64_t cairn_grid_before(const cairn_grid_rows *rows, uint8_t *block, uint32_t x, uint32_t y,
                                         uint32_t reach)
{
    const uint32_t span = 2 * reach + 1, bit = cairn_grid_bit(rows, (int64_t)x + reach);
    const uint8_t *row = cairn_grid_row(rows, block, y);
    uint64_t window = cairn_grid_field(row, cairn_grid_bit(rows, x) + 1) & ((UINT64_C(1) << reach) - 1);
    for (uint32_t i = 0; i < reach; i++) {
        row -= rows->stride_bytes;
        window |= (cairn_grid_field(row, bit) & ((UINT64_C(1) << span) - 1)) << (reach + i * span);
    }
    return window;
}

static inline uint64_t cairn_grid_around(const cairn_grid_rows *rows, uint8_t *block, uint32_t x, uint32_t y)
{
    const uint32_t bit = cairn_grid_bit(rows, (int64_t)x + 3);
    const uint8_t *row = cairn_grid_row(rows, block, (int64_t)y - 2);
    uint64_t window = 0;
    for (uint32_t i = 0; i < 5; i++) {
        window |= (cairn_grid_field(row, bit) & 127) << (7 * i);
        row += rows->stride_bytes;
    }
    return window;
}

static inline cairn_terrain_window cairn_grid_window_alone(const cairn_grid_rows *rows, uint32_t x, uint32_t y)
{
    return (cairn_terrain_window){.unknown = cairn_grid_before(rows, rows->unknown, x, y, 5),
                                  .obstacle = cairn_grid_before(rows, rows->obstacle, x, y, 5)};
}

static inline cairn_terrain_window cairn_grid_window_after(const cairn_grid_rows *rows, const cairn_grid_rows *earlier,
                                                           bool is_cell_on_cell, uint32_t x, uint32_t y)
{
    return (cairn_terrain_window){.unknown = cairn_grid_before(rows, rows->unknown, x, y, 3) |
                                             cairn_grid_around(earlier, earlier->unknown, x, y) << 24,
                                  .obstacle = cairn_grid_before(rows, rows->obstacle, x, y, 3) |
                                              cairn_grid_around(earlier, earlier->obstacle, x, y) << 24 |
                                              (is_cell_on_cell ? CAIRN_GRID_CELL_ON_CELL : 0)};
}

// From cell to cell a window slides by a bit: a column comes into its rows, which are all of one length, and the cell
// just coded into its own row. The columns to come are those of a window further on, whose rows begin where these end.
#define CAIRN_GRID_AFTER_REACH 3
#define CAIRN_GRID_AFTER_SPAN 7
#define CAIRN_GRID_AFTER_COLUMN UINT64_C(0x10204081020408) // bits 0 of its eight rows
#define CAIRN_GRID_AFTER_ALL ((UINT64_C(1) << CAIRN_GRID_AFTER_CELLS) - 1)

// How far on from cell x - 1 that other window is: by all columns, or as many as there are before the rows end.
static inline uint32_t cairn_grid_ahead_count(const cairn_grid_rows *rows, uint32_t x, uint32_t reach, uint32_t span)
{
    const uint32_t left = rows->width + CAIRN_GRID_PAD - reach - x;
    return left < span ? left : span;
}

static inline void cairn_grid_window_put_ahead(cairn_terrain_window *window, const cairn_terrain_window *ahead,
                                               uint32_t count, uint32_t span)
{
    window->unknown_ahead = ahead->unknown << (span - count);
    window->obstacle_ahead = ahead->obstacle << (span - count);
    window->ahead_count = count;
}

static inline void cairn_grid_window_slide(cairn_terrain_window *window, uint32_t span, uint64_t column, uint64_t kept)
{
    window->unknown = (window->unknown << 1 & kept) | (window->unknown_ahead >> (span - 1) & column);
    window->obstacle = (window->obstacle << 1 & kept) | (window->obstacle_ahead >> (span - 1) & column);
    window->unknown_ahead <<= 1;
    window->obstacle_ahead <<= 1;
    window->ahead_count--;
}

// Moves the window of cell x - 1, which turned out so, to x. The same as making it anew, but with fewer loads, and
// without a wait until that cell is in memory.
static inline void cairn_grid_window_advance_alone(cairn_terrain_window *window, const cairn_grid_rows *rows,
                                                   bool is_unknown, bool is_obstacle, uint32_t x, uint32_t y)
{
    if (window->ahead_count == 0) {
        const uint32_t count = cairn_grid_ahead_count(rows, x, CAIRN_TERRAIN_REACH, CAIRN_TERRAIN_SPAN);
        const cairn_terrain_window ahead = cairn_grid_window_alone(rows, x - 1 + count, y);
        cairn_grid_window_put_ahead(window, &ahead, count, CAIRN_TERRAIN_SPAN);
    }
    cairn_grid_window_slide(window, CAIRN_TERRAIN_SPAN, CAIRN_TERRAIN_WINDOW_COLUMN, CAIRN_TERRAIN_WINDOW_KEPT);
    window->unknown |= is_unknown;
    window->obstacle |= is_obstacle;
}

static inline void cairn_grid_window_advance_after(cairn_terrain_window *window, const cairn_grid_rows *rows,
                                                   const cairn_grid_rows *earlier, bool is_cell_on_cell,
                                                   bool is_unknown, bool is_obstacle, uint32_t x, uint32_t y)
{
    if (window->ahead_count == 0) {
        const uint32_t count = cairn_grid_ahead_count(rows, x, CAIRN_GRID_AFTER_REACH, CAIRN_GRID_AFTER_SPAN);
        const cairn_terrain_window ahead = cairn_grid_window_after(rows, earlier, false, x - 1 + count, y);
        cairn_grid_window_put_ahead(window, &ahead, count, CAIRN_GRID_AFTER_SPAN);
    }
    cairn_grid_window_slide(window, CAIRN_GRID_AFTER_SPAN, CAIRN_GRID_AFTER_COLUMN,
                            CAIRN_GRID_AFTER_ALL & ~(CAIRN_GRID_AFTER_COLUMN | 1));
    window->unknown |= is_unknown;
    window->obstacle |= is_obstacle | (is_cell_on_cell ? CAIRN_GRID_CELL_ON_CELL : 0);
}

// Where the last obstacles were that a window does not reach: for cells with nothing to see around them.
typedef struct cairn_grid_far {
    uint32_t
        row_plus_1[CAIRN_GRID_SIDE_MAX / 8 + 2]; // of the last obstacle in eight columns, the first at [1]; 0: none
    uint32_t x_plus_1;                           // of the last obstacle in this row; 0: none
} cairn_grid_far;
#define CAIRN_GRID_FARS 12

static inline void cairn_grid_far_add(cairn_grid_far *far, uint32_t x, uint32_t y)
{
    far->row_plus_1[x / 8 + 1] = y + 1;
    far->x_plus_1 = x + 1;
}

// How long ago there was an obstacle, in rows below and in cells before: below CAIRN_GRID_FARS.
static inline uint32_t cairn_grid_far_of(const cairn_grid_far *far, uint32_t x, uint32_t y)
{
    const uint32_t *rows = &far->row_plus_1[x / 8];
    const uint32_t sides = rows[0] > rows[2] ? rows[0] : rows[2], row = rows[1] > sides ? rows[1] : sides;
    const uint32_t down = row == 0 ? UINT32_MAX : y + 1 - row,
                   back = far->x_plus_1 == 0 ? UINT32_MAX : x + 1 - far->x_plus_1;
    return (uint32_t)((down > 8) + (down > 16) + (down > 32)) * 3 + (back > 16) + (back > 48);
}

// The first cell from x on, x excluded, up to which that is the same as long as there are no more obstacles; at most
// width.
static inline uint32_t cairn_grid_far_end(const cairn_grid_far *far, uint32_t x, uint32_t width)
{
    uint32_t end = x / 8 * 8 + 8;
    const uint32_t last = far->x_plus_1;
    if (last != 0 && last + 16 > x && last + 16 < end) { end = last + 16; }
    if (last != 0 && last + 48 > x && last + 48 < end) { end = last + 48; }
    return end < width ? end : width;
}
