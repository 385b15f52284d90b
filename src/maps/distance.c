// distance.c - two passes of one dimension each (Meijster, Roerdink & Hesselink 2000; Felzenszwalb & Huttenlocher).
//
// First the rows between each cell and the nearest mark of its column, by one sweep up and one down. Then for each
// row the lower envelope of the parabolas (x - column)^2 + rows^2. Everything is integer until the last root, so the
// result is exact. Columns whose mark is farther than the limit cannot win and never enter an envelope: in a map with
// few marks and a small limit most rows cost nothing.
#include "maps/distance.h"
#include <math.h>
#include <string.h>

#define EDGE_CELLS_MAX 16384u // squares of two edges fit into 31 bits

typedef struct parabola {
    int32_t column;
    int32_t from;  // first x at which it is the lowest
    int64_t rows2; // height at its own column
} parabola;

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

static int64_t height_at(const parabola *p, int64_t x) { return (x - p->column) * (x - p->column) + p->rows2; }

// The first x at which the later parabola is lower than the earlier one (floor division made right for negatives).
static int64_t crossing(const parabola *early, int32_t column, int64_t rows2)
{
    int64_t above = (int64_t)column * column - (int64_t)early->column * early->column + rows2 - early->rows2;
    int64_t below = 2 * ((int64_t)column - early->column);
    int64_t quotient = above / below;
    if (above % below != 0 && above < 0) { quotient--; }
    return quotient + 1;
}

static uint32_t envelope(const uint16_t *rows, uint32_t width, uint16_t far, parabola *stack)
{
    uint32_t count = 0;
    for (uint32_t x = 0; x < width; x++) {
        if (rows[x] >= far) { continue; }
        int64_t rows2 = (int64_t)rows[x] * rows[x];
        while (count > 0 && height_at(&stack[count - 1], stack[count - 1].from) >
                                height_at(&(parabola){(int32_t)x, 0, rows2}, stack[count - 1].from)) {
            count--;
        }
        int64_t from = count == 0 ? 0 : crossing(&stack[count - 1], (int32_t)x, rows2);
        if (from < (int64_t)width) { stack[count++] = (parabola){(int32_t)x, (int32_t)from, rows2}; }
    }
    return count;
}

static void row_fill(const parabola *stack, uint32_t count, uint32_t width, float limit_cells, float *ret_row)
{
    const int64_t limit2 = (int64_t)ceil((double)limit_cells * limit_cells);
    for (uint32_t i = 0; i < count; i++) {
        const parabola *p = &stack[i];
        int32_t end = i + 1 < count ? stack[i + 1].from : (int32_t)width;
        for (int32_t x = p->from; x < end; x++) {
            int64_t squared = height_at(p, x);
            float cells = squared < limit2 ? sqrtf((float)squared) : limit_cells;
            ret_row[x] = cells < limit_cells ? cells : limit_cells;
        }
    }
}

cairn_err cairn_distance_transform(const uint8_t *marked, uint32_t width, uint32_t height, float limit_cells,
                                   cairn_arena *scratch, float *ret_distance_cells)
{
    CAIRN_ASSERT(width > 0 && width <= EDGE_CELLS_MAX && height > 0 && height <= EDGE_CELLS_MAX);
    CAIRN_ASSERT(limit_cells >= 0);
    const size_t mark = cairn_arena_mark(scratch);
    uint16_t *rows = CAIRN_TAKE(scratch, uint16_t, (size_t)width * height);
    parabola *stack = CAIRN_TAKE(scratch, parabola, width);
    if (!rows || !stack) {
        cairn_arena_reset(scratch, mark);
        return CAIRN_ERR_FULL;
    }

    const float farthest = (float)(EDGE_CELLS_MAX + 1);
    const uint16_t far = (uint16_t)(ceilf(limit_cells < farthest ? limit_cells : farthest) + 1);
    columns_sweep(marked, width, height, far, rows);
    for (uint32_t y = 0; y < height; y++) {
        float *ret_row = ret_distance_cells + (size_t)y * width;
        uint32_t count = envelope(rows + (size_t)y * width, width, far, stack);
        if (count == 0) {
            for (uint32_t x = 0; x < width; x++) { ret_row[x] = limit_cells; }
        } else {
            row_fill(stack, count, width, limit_cells, ret_row);
        }
    }
    cairn_arena_reset(scratch, mark);
    return CAIRN_OK;
}
