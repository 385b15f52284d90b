// parabolas.h - the second pass of an exact distance transform: the lower envelope of parabolas along one row.
//
// A column whose nearest mark is some rows away tells each cell x of the row that a mark is (x - column)^2 + rows^2
// away. The lowest parabola at each x is found in one sweep (Felzenszwalb & Huttenlocher 2012). All numbers are whole:
// edges are at most 16384 cells, so squares fit into 31 bits.
#pragma once
#include <stdint.h>

#define CAIRN_PARABOLA_EDGE_MAX 16384

typedef struct cairn_parabola {
    int32_t column;
    int32_t from;  // first x at which it is the lowest
    int32_t rows2; // height at its own column
} cairn_parabola;

// ret_inverse[d] = 1 / (2 d), for crossings of parabolas that are d = 1 .. width - 1 columns apart.
static inline void cairn_parabolas_inverse(double *ret_inverse, uint32_t width)
{
    ret_inverse[0] = 0;
    for (uint32_t d = 1; d < width; d++) { ret_inverse[d] = 0.5 / d; }
}

static inline int32_t cairn_parabola_at(const cairn_parabola *p, int32_t x)
{
    return (x - p->column) * (x - p->column) + p->rows2;
}

// The envelope of the columns first .. last for x in [from, end). rows[column] >= far: the column has no parabola. Of
// equally low ones the one of the lesser column counts. Returns how many are on the stack, from left to right.
static inline uint32_t cairn_parabolas_envelope(const uint16_t *rows, uint16_t far, int32_t first, int32_t last,
                                                int32_t from, int32_t end, const double *inverse, cairn_parabola *stack)
{
    uint32_t count = 0;
    for (int32_t x = first; x <= last; x++) {
        if (rows[x] >= far) { continue; }
        const int32_t rows2 = (int32_t)rows[x] * rows[x];
        cairn_parabola late = {.column = x, .from = from, .rows2 = rows2};
        while (count > 0 && cairn_parabola_at(&stack[count - 1], stack[count - 1].from) >
                                cairn_parabola_at(&late, stack[count - 1].from)) {
            count--;
        }
        if (count > 0) {
            // The first x at which the later one is lower is floor(above / (2 apart)) + 1, and is right of the earlier
            // one's first. Half a unit added to `above` keeps the quotient away from whole numbers, so that rounding
            // cannot change its floor.
            const cairn_parabola *early = &stack[count - 1];
            const int32_t apart = x - early->column;
            const int32_t above = apart * (x + early->column) + rows2 - early->rows2;
            late.from = (int32_t)((above + 0.5) * inverse[apart]) + 1;
            if (late.from >= end) { continue; }
        }
        stack[count++] = late;
    }
    return count;
}
