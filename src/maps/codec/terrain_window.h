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

// The bits of a column in the rows below: bits 0 of the rows. And those that a shift by one cell leaves in their row.
#define CAIRN_TERRAIN_WINDOW_COLUMN                                                                                    \
    (UINT64_C(1) << 5 | UINT64_C(1) << 16 | UINT64_C(1) << 27 | UINT64_C(1) << 38 | UINT64_C(1) << 49)
#define CAIRN_TERRAIN_WINDOW_KEPT (CAIRN_TERRAIN_WINDOW_ALL & ~(CAIRN_TERRAIN_WINDOW_COLUMN | 1))

// A bit a cell. Row 0 is the cell's own: bit j is the cell at x - 1 - j. Row i lies i below it: its bit j, which is bit
// REACH + (i - 1) * SPAN + j of the word, is the cell at x + REACH - j.
typedef struct cairn_terrain_window {
    uint64_t unknown, obstacle;
    uint64_t unknown_ahead, obstacle_ahead; // the rows below further on: their bits 0 are the column that comes next
    uint32_t ahead_count;                   // columns
} cairn_terrain_window;

typedef struct cairn_terrain_cell {
    bool known, obstacle; // obstacle only if known
} cairn_terrain_cell;

static inline cairn_terrain_cell cairn_terrain_cell_at(const cairn_terrain_planes *planes, uint32_t cell)
{
    const bool known = cairn_plane_bit(planes->known, cell);
    return (cairn_terrain_cell){known, known && cairn_plane_bit(planes->obstacle, cell)};
}

// Cells of a plane from this one on, bit 0 first: at least 25, or all that are left.
static inline uint32_t cairn_plane_bits(const uint8_t *plane, uint32_t cell)
{
    const uint32_t last = CAIRN_TERRAIN_CELLS_MAX / 8 - 4, byte = cell >> 3, first = byte < last ? byte : last;
    const uint8_t *at = plane + first;
    const uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return bits >> (cell - 8 * first);
}

// Looks ahead at the columns of the rows below y, from x on: as many as a row of the word has bits. Beyond the side of
// the map only one at a time.
static inline void cairn_terrain_window_look_ahead(cairn_terrain_window *window, const cairn_terrain_planes *planes,
                                                   uint32_t x, uint32_t y)
{
    const uint64_t row_bits = (UINT64_C(1) << CAIRN_TERRAIN_SPAN) - 1;
    const uint32_t inside_x = x < planes->width ? x : planes->width - 1, left = planes->width - inside_x;
    uint64_t known = 0, obstacle = 0;
    for (uint32_t row = 1; row < CAIRN_TERRAIN_ROWS && row <= y; row++) {
        const uint32_t cell = (y - row) * planes->width + inside_x;
        const uint32_t bit = CAIRN_TERRAIN_REACH + (row - 1) * CAIRN_TERRAIN_SPAN;
        known |= (cairn_plane_bits(planes->known, cell) & row_bits) << bit;
        obstacle |= (cairn_plane_bits(planes->obstacle, cell) & row_bits) << bit;
    }
    window->unknown_ahead = ~known;
    window->obstacle_ahead = obstacle & known;
    window->ahead_count = left < CAIRN_TERRAIN_SPAN ? left : CAIRN_TERRAIN_SPAN;
}

static inline void cairn_terrain_window_drop_ahead(cairn_terrain_window *window)
{
    window->unknown_ahead >>= 1;
    window->obstacle_ahead >>= 1;
    window->ahead_count--;
}

// Moves the window on by a cell: past `cell`, until the column at seen_x is its first.
static inline void cairn_terrain_window_slide(cairn_terrain_window *window, const cairn_terrain_planes *planes,
                                              cairn_terrain_cell cell, uint32_t seen_x, uint32_t y)
{
    if (window->ahead_count == 0) { cairn_terrain_window_look_ahead(window, planes, seen_x, y); }
    window->unknown = (window->unknown << 1 & CAIRN_TERRAIN_WINDOW_KEPT) |
                      (window->unknown_ahead & CAIRN_TERRAIN_WINDOW_COLUMN) | !cell.known;
    window->obstacle = (window->obstacle << 1 & CAIRN_TERRAIN_WINDOW_KEPT) |
                       (window->obstacle_ahead & CAIRN_TERRAIN_WINDOW_COLUMN) | cell.obstacle;
    cairn_terrain_window_drop_ahead(window);
}

// Moves the window on from cell (x - 1, y), which is `cell`, to (x, y).
static inline void cairn_terrain_window_advance(cairn_terrain_window *window, const cairn_terrain_planes *planes,
                                                cairn_terrain_cell cell, uint32_t x, uint32_t y)
{
    cairn_terrain_window_slide(window, planes, cell, x + CAIRN_TERRAIN_REACH, y);
}

// The window of the first cell of row y, from the rows below it: full of their first column, then slid to its place.
static inline void cairn_terrain_window_start(cairn_terrain_window *window, const cairn_terrain_planes *planes,
                                              uint32_t y)
{
    const uint64_t row_bits = (UINT64_C(1) << CAIRN_TERRAIN_SPAN) - 1;
    const cairn_terrain_cell none = {false, false};
    const cairn_terrain_cell before = y > 0 ? cairn_terrain_cell_at(planes, (y - 1) * planes->width) : none;
    cairn_terrain_window_look_ahead(window, planes, 0, y);
    window->unknown = (window->unknown_ahead & CAIRN_TERRAIN_WINDOW_COLUMN) * row_bits;
    window->obstacle = (window->obstacle_ahead & CAIRN_TERRAIN_WINDOW_COLUMN) * row_bits;
    for (uint32_t x = 0; x <= CAIRN_TERRAIN_REACH; x++) { cairn_terrain_window_slide(window, planes, before, x, y); }
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

// As cairn_terrain_window_advance, but only if the window, which has this scene, is then the same as before; false if
// it would not be, or if that cannot be seen yet. Most steps are such.
static inline bool cairn_terrain_window_stays(cairn_terrain_window *window, cairn_terrain_scene scene,
                                              cairn_terrain_cell cell)
{
    if (scene == CAIRN_TERRAIN_MIXED || window->ahead_count == 0) { return false; }
    const bool is_unknown = scene == CAIRN_TERRAIN_ALL_UNKNOWN;
    const uint64_t other = is_unknown ? ~window->unknown_ahead : window->unknown_ahead | window->obstacle_ahead;
    if (cell.known == is_unknown || cell.obstacle || (other & CAIRN_TERRAIN_WINDOW_COLUMN) != 0) { return false; }
    cairn_terrain_window_drop_ahead(window);
    return true;
}
