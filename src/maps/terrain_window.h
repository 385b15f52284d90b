// terrain_window.h - what the terrain codec sees when it predicts a cell: the cells around it that come earlier.
//
// Six rows below the cell, six cells to both sides, and six cells before it in its own row; all are coded before it. A
// cell is unknown, free or an obstacle. Beyond the sides of the map its outermost cells go on; below it nothing is
// known.
#pragma once
#include "maps/terrain_planes.h"

#define CAIRN_TERRAIN_REACH 6
#define CAIRN_TERRAIN_SPAN (2 * CAIRN_TERRAIN_REACH + 1)
#define CAIRN_TERRAIN_ROWS (CAIRN_TERRAIN_REACH + 1)
#define CAIRN_TERRAIN_SPAN_MASK ((1u << CAIRN_TERRAIN_SPAN) - 1)
#define CAIRN_TERRAIN_OWN_MASK ((1u << CAIRN_TERRAIN_REACH) - 1)

// Row i lies i below the cell. Bit j of rows 1.. is the cell at x + REACH - j; bit j of row 0 the cell at x - 1 - j.
typedef struct cairn_terrain_window {
    uint16_t unknown[CAIRN_TERRAIN_ROWS], obstacle[CAIRN_TERRAIN_ROWS];
} cairn_terrain_window;

typedef struct cairn_terrain_cell {
    bool known, obstacle; // obstacle only if known
} cairn_terrain_cell;

static inline cairn_terrain_cell cairn_terrain_cell_at(const cairn_terrain_planes *planes, uint32_t cell)
{
    const bool known = cairn_plane_bit(planes->known, cell);
    return (cairn_terrain_cell){known, known && cairn_plane_bit(planes->obstacle, cell)};
}

static inline void cairn_terrain_window_push(cairn_terrain_window *window, uint32_t row, cairn_terrain_cell cell)
{
    const uint32_t mask = row == 0 ? CAIRN_TERRAIN_OWN_MASK : CAIRN_TERRAIN_SPAN_MASK;
    window->unknown[row] = (uint16_t)((window->unknown[row] << 1 | !cell.known) & mask);
    window->obstacle[row] = (uint16_t)((window->obstacle[row] << 1 | cell.obstacle) & mask);
}

// Takes in the cell of a row below that comes into sight when the window's middle is at x.
static inline void cairn_terrain_window_see(cairn_terrain_window *window, const cairn_terrain_planes *planes,
                                            uint32_t row, uint32_t x, uint32_t y)
{
    const uint32_t last = planes->width - 1;
    const uint32_t seen_x = x + CAIRN_TERRAIN_REACH < last ? x + CAIRN_TERRAIN_REACH : last;
    const cairn_terrain_cell cell = row <= y ? cairn_terrain_cell_at(planes, (y - row) * planes->width + seen_x)
                                             : (cairn_terrain_cell){false, false};
    cairn_terrain_window_push(window, row, cell);
}

// The window of the first cell of row y, from the rows below it.
static inline void cairn_terrain_window_start(cairn_terrain_window *window, const cairn_terrain_planes *planes,
                                              uint32_t y)
{
    for (uint32_t row = 0; row < CAIRN_TERRAIN_ROWS; row++) {
        const uint32_t from = row == 0 ? 1 : row; // before the row's first cell: as below it
        const cairn_terrain_cell first =
            from <= y ? cairn_terrain_cell_at(planes, (y - from) * planes->width) : (cairn_terrain_cell){false, false};
        for (uint32_t i = 0; i < CAIRN_TERRAIN_REACH; i++) { cairn_terrain_window_push(window, row, first); }
        for (uint32_t i = 0; row > 0 && i <= CAIRN_TERRAIN_REACH; i++) {
            const uint32_t x = i < planes->width ? i : planes->width - 1;
            const cairn_terrain_cell cell = from <= y ? cairn_terrain_cell_at(planes, (y - from) * planes->width + x)
                                                      : (cairn_terrain_cell){false, false};
            cairn_terrain_window_push(window, row, cell);
        }
    }
}

// Moves the window on from cell (x - 1, y), which is `cell`, to (x, y).
static inline void cairn_terrain_window_advance(cairn_terrain_window *window, const cairn_terrain_planes *planes,
                                                cairn_terrain_cell cell, uint32_t x, uint32_t y)
{
    cairn_terrain_window_push(window, 0, cell);
    for (uint32_t row = 1; row < CAIRN_TERRAIN_ROWS; row++) { cairn_terrain_window_see(window, planes, row, x, y); }
}

typedef enum cairn_terrain_scene {
    CAIRN_TERRAIN_ALL_UNKNOWN,
    CAIRN_TERRAIN_ALL_FREE,
    CAIRN_TERRAIN_MIXED
} cairn_terrain_scene;

// Most windows hold nothing but unknown or nothing but free cells.
static inline cairn_terrain_scene cairn_terrain_window_scene(const cairn_terrain_window *window)
{
    uint32_t unknown_any = window->unknown[0], unknown_all = CAIRN_TERRAIN_SPAN_MASK, obstacle = window->obstacle[0];
    for (uint32_t row = 1; row < CAIRN_TERRAIN_ROWS; row++) {
        unknown_any |= window->unknown[row];
        unknown_all &= window->unknown[row];
        obstacle |= window->obstacle[row];
    }
    if (window->unknown[0] == CAIRN_TERRAIN_OWN_MASK && unknown_all == CAIRN_TERRAIN_SPAN_MASK) {
        return CAIRN_TERRAIN_ALL_UNKNOWN;
    }
    return (unknown_any | obstacle) == 0 ? CAIRN_TERRAIN_ALL_FREE : CAIRN_TERRAIN_MIXED;
}
