// distance.c - two passes of one dimension each (Meijster, Roerdink & Hesselink 2000; Felzenszwalb & Huttenlocher).
//
// First the rows between each cell and the nearest mark of its column, by one sweep up and one down. Then for each
// row the lower envelope of the parabolas (x - column)^2 + rows^2. Everything is integer until the last root, so the
// result is exact. Columns whose mark is farther than the limit cannot win and never enter an envelope: in a map with
// few marks and a small limit most rows cost nothing.
#include "maps/distance.h"
#include "maps/parabolas.h"
#include <math.h>
#include <string.h>

// rows[cell]: rows to the nearest mark in the same column, or `far` if that is more than far - 1.
static void columns_sweep(const uint8_t *marked, uint32_t width, uint32_t height, uint16_t far, uint16_t *rows)
{
    for (uint32_t x = 0; x < width; x++) { rows[x] = marked[x] ? 0 : far; }
    for (uint32_t y = 1; y < height; y++) {
        const uint8_t *marks = marked + (size_t)y * width;
        const uint16_t *below = rows + (size_t)(y - 1) * width;
        uint16_t *here = rows + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) {
            uint16_t next = (uint16_t)(below[x] + (below[x] < far));
            here[x] = marks[x] ? 0 : next;
        }
    }
    for (uint32_t y = height - 1; y-- > 0;) {
        const uint16_t *above = rows + (size_t)(y + 1) * width;
        uint16_t *here = rows + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) {
            uint16_t next = (uint16_t)(above[x] + (above[x] < far));
            here[x] = here[x] < next ? here[x] : next;
        }
    }
}

// The squares first, run by run, and then their roots, which the compiler takes several at a time.
static void row_fill(const cairn_parabola *stack, uint32_t count, uint32_t width, float limit_cells,
                     int32_t *restrict squares, float *restrict ret_row)
{
    for (uint32_t i = 0; i < count; i++) {
        const cairn_parabola p = stack[i];
        const int32_t end = i + 1 < count ? stack[i + 1].from : (int32_t)width;
        for (int32_t x = p.from; x < end; x++) { squares[x] = cairn_parabola_at(&p, x); }
    }
    for (uint32_t x = 0; x < width; x++) {
        const float cells = sqrtf((float)squares[x]);
        ret_row[x] = cells < limit_cells ? cells : limit_cells;
    }
}

cairn_err cairn_distance_transform(const uint8_t *marked, uint32_t width, uint32_t height, float limit_cells,
                                   cairn_arena *scratch, float *ret_distance_cells)
{
    CAIRN_ASSERT(width > 0 && width <= CAIRN_PARABOLA_EDGE_MAX && height > 0 && height <= CAIRN_PARABOLA_EDGE_MAX);
    CAIRN_ASSERT(limit_cells >= 0);
    const size_t mark = cairn_arena_mark(scratch);
    uint16_t *rows = CAIRN_TAKE(scratch, uint16_t, (size_t)width * height);
    cairn_parabola *stack = CAIRN_TAKE(scratch, cairn_parabola, width);
    double *inverse = CAIRN_TAKE(scratch, double, width);
    int32_t *squares = CAIRN_TAKE(scratch, int32_t, width);
    if (!rows || !stack || !inverse || !squares) {
        cairn_arena_reset(scratch, mark);
        return CAIRN_ERR_FULL;
    }

    const float farthest = (float)(CAIRN_PARABOLA_EDGE_MAX + 1);
    const uint16_t far = (uint16_t)(ceilf(limit_cells < farthest ? limit_cells : farthest) + 1);
    cairn_parabolas_inverse(inverse, width);
    columns_sweep(marked, width, height, far, rows);
    for (uint32_t y = 0; y < height; y++) {
        float *ret_row = ret_distance_cells + (size_t)y * width;
        const uint32_t count = cairn_parabolas_envelope(rows + (size_t)y * width, far, 0, (int32_t)width - 1, 0,
                                                        (int32_t)width, inverse, stack);
        if (count == 0) {
            for (uint32_t x = 0; x < width; x++) { ret_row[x] = limit_cells; }
        } else {
            row_fill(stack, count, width, limit_cells, squares, ret_row);
        }
    }
    cairn_arena_reset(scratch, mark);
    return CAIRN_OK;
}
