// terrain_window.h - what the terrain codec sees when it predicts a cell: the cells around it that come earlier.
//
// Five rows below the cell, five cells to both sides, and five cells before it in its own row; all are coded before it.
// A cell is unknown, free or an obstacle. Beyond the sides of the map its outermost cells go on (before a row's first
// cell, that of the row below); below the map nothing is known.
#pragma once
#include "maps/terrain_planes.h"

#define CAIRN_TERRAIN_REACH 5
#define CAIRN_TERRAIN_SPAN (2 * CAIRN_TERRAIN_REACH + 1)
#define CAIRN_TERRAIN_ROWS (CAIRN_TERRAIN_REACH + 1)
#define CAIRN_TERRAIN_WINDOW_CELLS (CAIRN_TERRAIN_REACH + CAIRN_TERRAIN_REACH * CAIRN_TERRAIN_SPAN) // 60
#define CAIRN_TERRAIN_WINDOW_ALL ((UINT64_C(1) << CAIRN_TERRAIN_WINDOW_CELLS) - 1)

// The first bits of the rows, where the cell that comes into sight is put.
#define CAIRN_TERRAIN_WINDOW_FIRSTS                                                                                    \
    (UINT64_C(1) | UINT64_C(1) << 5 | UINT64_C(1) << 16 | UINT64_C(1) << 27 | UINT64_C(1) << 38 | UINT64_C(1) << 49)

// A bit a cell. Row 0 is the cell's own: bit j is the cell at x - 1 - j. Row i lies i below it: its bit j, which is bit
// REACH + (i - 1) * SPAN + j of the word, is the cell at x + REACH - j.
typedef struct cairn_terrain_window {
    uint64_t unknown, obstacle;
} cairn_terrain_window;

typedef struct cairn_terrain_cell {
    bool known, obstacle; // obstacle only if known
} cairn_terrain_cell;

static inline cairn_terrain_cell cairn_terrain_cell_at(const cairn_terrain_planes *planes, uint32_t cell)
{
    const bool known = cairn_plane_bit(planes->known, cell);
    return (cairn_terrain_cell){known, known && cairn_plane_bit(planes->obstacle, cell)};
}

static inline void cairn_terrain_window_set(cairn_terrain_window *window, uint32_t bit, cairn_terrain_cell cell)
{
    window->unknown |= (uint64_t)!cell.known << bit;
    window->obstacle |= (uint64_t)cell.obstacle << bit;
}

// The cell at (x, y - row), or what stands for it outside.
static inline cairn_terrain_cell cairn_terrain_cell_below(const cairn_terrain_planes *planes, int64_t x, uint32_t y,
                                                          uint32_t row)
{
    if (row > y) { return (cairn_terrain_cell){false, false}; }
    const int64_t last = (int64_t)planes->width - 1;
    const uint32_t inside_x = (uint32_t)(x < 0 ? 0 : x > last ? last : x);
    return cairn_terrain_cell_at(planes, (y - row) * planes->width + inside_x);
}

// The window of the first cell of row y, from the rows below it.
static inline void cairn_terrain_window_start(cairn_terrain_window *window, const cairn_terrain_planes *planes,
                                              uint32_t y)
{
    uint32_t bit = 0;
    *window = (cairn_terrain_window){0, 0};
    for (; bit < CAIRN_TERRAIN_REACH; bit++) {
        cairn_terrain_window_set(window, bit, cairn_terrain_cell_below(planes, 0, y, 1));
    }
    for (uint32_t row = 1; row < CAIRN_TERRAIN_ROWS; row++) {
        for (int64_t x = CAIRN_TERRAIN_REACH; x >= -CAIRN_TERRAIN_REACH; x--, bit++) {
            cairn_terrain_window_set(window, bit, cairn_terrain_cell_below(planes, x, y, row));
        }
    }
}

// Moves the window on from cell (x - 1, y), which is `cell`, to (x, y).
static inline void cairn_terrain_window_advance(cairn_terrain_window *window, const cairn_terrain_planes *planes,
                                                cairn_terrain_cell cell, uint32_t x, uint32_t y)
{
    const uint64_t kept = CAIRN_TERRAIN_WINDOW_ALL & ~CAIRN_TERRAIN_WINDOW_FIRSTS;
    window->unknown = window->unknown << 1 & kept;
    window->obstacle = window->obstacle << 1 & kept;
    cairn_terrain_window_set(window, 0, cell);
    for (uint32_t row = 1, bit = CAIRN_TERRAIN_REACH; row < CAIRN_TERRAIN_ROWS; row++, bit += CAIRN_TERRAIN_SPAN) {
        const int64_t seen_x = (int64_t)x + CAIRN_TERRAIN_REACH;
        cairn_terrain_window_set(window, bit, cairn_terrain_cell_below(planes, seen_x, y, row));
    }
}

typedef enum cairn_terrain_scene {
    CAIRN_TERRAIN_ALL_UNKNOWN,
    CAIRN_TERRAIN_ALL_FREE,
    CAIRN_TERRAIN_MIXED
} cairn_terrain_scene;

// Most windows hold nothing but unknown or nothing but free cells.
static inline cairn_terrain_scene cairn_terrain_window_scene(const cairn_terrain_window *window)
{
    if (window->unknown == CAIRN_TERRAIN_WINDOW_ALL) { return CAIRN_TERRAIN_ALL_UNKNOWN; }
    return (window->unknown | window->obstacle) == 0 ? CAIRN_TERRAIN_ALL_FREE : CAIRN_TERRAIN_MIXED;
}
