// cover.h - few rectangles that cover the walls of a grid of cells.
#pragma once
#include "sim/arena/import/cells.h"

typedef struct cairn_cover_rect {
    uint32_t x, y, width, height; // cells
} cairn_cover_rect;

typedef struct cairn_cover {
    uint32_t count;
    cairn_cover_rect *rects;
} cairn_cover;

// Every wall cell is in a rectangle. Unknown cells may be, up to 0.2 m from a wall cell, where that saves one. Free
// cells are only where they are at most slack_cells from a wall cell, counted as a king moves, and not in a way that is
// narrower than 1.2 m. Greedy: not the fewest there are, but near it.
// O(cells + rectangles x their height^2). CAIRN_ERR_TOO_LARGE when more than count_max are needed, CAIRN_ERR_FULL
// without memory. Scratch is reset on return, and may be
// the same arena as memory.
CAIRN_CHECKED cairn_err cairn_cover_find(const cairn_cells *cells, uint32_t slack_cells, uint32_t count_max,
                                         cairn_arena *memory, cairn_arena *scratch, cairn_cover *ret_cover);
