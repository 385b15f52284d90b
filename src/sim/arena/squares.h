// squares.h - what may lie over a place of the floor: lists by squares.
//
// Frame    map.
// Memory   All in the arena given to create.
// Threads  Constant once made.
#pragma once
#include "base/memory.h"
#include "geometry/vec.h"

// Around a thing, along the axes; x0_m > x1_m: it is nowhere. Within that, it may be known to lie in a rectangle about
// the same middle that is turned by an angle of which c and s are cosine and sine: a long wall across a place is near
// few squares of it.
typedef struct cairn_outline {
    double x0_m, y0_m, x1_m, y1_m;
    double c, s, half_x_m, half_y_m; // half_x_m 0: not known
} cairn_outline;

typedef struct cairn_squares {
    cairn_vec2 size_m; // from (0, 0)
    double square_m;   // 1 or more: so that the lists stay short enough for `memory` even if large things overlap
    uint32_t width, height;
    const uint32_t *first;  // width * height + 1: where a square's things begin
    const uint32_t *things; // numbers of outlines, upward within a square
} cairn_squares;

// CAIRN_ERR_FULL if memory is too small. O(squares + sum of squares under each outline).
CAIRN_CHECKED cairn_err cairn_squares_create(cairn_vec2 size_m, const cairn_outline *outlines, uint32_t count,
                                             cairn_arena *memory, cairn_squares *ret_squares);
size_t cairn_squares_bytes_max(cairn_vec2 size_m, uint32_t count); // more is never needed

// The things of the square of a place; the place must be on the floor, its edges included. O(1).
static inline uint32_t cairn_squares_at(const cairn_squares *squares, cairn_vec2 at_m, const uint32_t **ret_things)
{
    const uint32_t x = (uint32_t)(at_m.x / squares->square_m), y = (uint32_t)(at_m.y / squares->square_m);
    const size_t square = (size_t)(y < squares->height ? y : squares->height - 1) * squares->width +
                          (x < squares->width ? x : squares->width - 1);
    *ret_things = squares->things + squares->first[square];
    return squares->first[square + 1] - squares->first[square];
}
