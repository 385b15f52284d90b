#include "sim/arena/squares.h"

#define SQUARE_M_MIN 1.0       // smaller: fewer things in each, more squares
#define SQUARES_MAX 512        // along each side
#define ENTRIES_MAX (1u << 21) // squares grow until so many do
// Rounding must not put a point at a square's border into a square that does not list its thing.
#define MORE_M 1e-6

typedef struct range {
    uint32_t from, to; // the last one included
} range;

static uint32_t square_of(double at_m, double square_m, uint32_t count)
{
    const double square = floor(at_m / square_m);
    return square <= 0 ? 0 : square >= count - 1 ? count - 1 : (uint32_t)square;
}

static range rows_of(const cairn_squares *squares, const cairn_outline *of)
{
    return (range){square_of(of->y0_m - MORE_M, squares->square_m, squares->height),
                   square_of(of->y1_m + MORE_M, squares->square_m, squares->height)};
}

static void include(double x_m, double *low_m, double *high_m)
{
    *low_m = fmin(*low_m, x_m);
    *high_m = fmax(*high_m, x_m);
}

// How far an edge of the turned rectangle reaches along x between two heights.
static void include_edge(cairn_vec2 a, cairn_vec2 b, double from_m, double to_m, double *low_m, double *high_m)
{
    if (a.y >= from_m && a.y <= to_m) { include(a.x, low_m, high_m); }
    if ((a.y < from_m) != (b.y < from_m)) { include(a.x + (b.x - a.x) * (from_m - a.y) / (b.y - a.y), low_m, high_m); }
    if ((a.y > to_m) != (b.y > to_m)) { include(a.x + (b.x - a.x) * (to_m - a.y) / (b.y - a.y), low_m, high_m); }
}

// The squares of a row that an outline lies over; from > to: none. What lies beside the floor counts at its edge.
static range columns_of(const cairn_squares *squares, const cairn_outline *of, uint32_t row)
{
    double low_m = of->x0_m, high_m = of->x1_m;
    if (of->half_x_m > 0) {
        const double from_m = row == 0 ? -INFINITY : row * squares->square_m - MORE_M;
        const double to_m = row + 1 == squares->height ? INFINITY : (row + 1) * squares->square_m + MORE_M;
        const cairn_vec2 middle_m = {0.5 * (of->x0_m + of->x1_m), 0.5 * (of->y0_m + of->y1_m)};
        cairn_vec2 corners[5];
        for (int i = 0; i < 5; i++) {
            const double x_m = (i + 1) % 4 < 2 ? -of->half_x_m : of->half_x_m,
                         y_m = i % 4 < 2 ? -of->half_y_m : of->half_y_m;
            corners[i] = (cairn_vec2){middle_m.x + of->c * x_m - of->s * y_m, middle_m.y + of->s * x_m + of->c * y_m};
        }
        low_m = INFINITY;
        high_m = -INFINITY;
        for (int i = 0; i < 4; i++) { include_edge(corners[i], corners[i + 1], from_m, to_m, &low_m, &high_m); }
        if (low_m > high_m) { return (range){1, 0}; }
    }
    return (range){square_of(low_m - MORE_M, squares->square_m, squares->width),
                   square_of(high_m + MORE_M, squares->square_m, squares->width)};
}

static uint64_t entries_of(const cairn_squares *squares, const cairn_outline *outlines, uint32_t count)
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (outlines[i].x0_m > outlines[i].x1_m) { continue; }
        const range rows = rows_of(squares, &outlines[i]);
        for (uint32_t y = rows.from; y <= rows.to; y++) {
            const range columns = columns_of(squares, &outlines[i], y);
            entries += columns.to + 1 - columns.from;
        }
    }
    return entries;
}

static uint64_t choose_size(cairn_squares *squares, const cairn_outline *outlines, uint32_t count)
{
    const cairn_vec2 size_m = squares->size_m;
    squares->square_m = fmax(SQUARE_M_MIN, fmax(size_m.x, size_m.y) / SQUARES_MAX);
    for (;; squares->square_m *= 2) {
        squares->width = (uint32_t)fmax(ceil(size_m.x / squares->square_m), 1);
        squares->height = (uint32_t)fmax(ceil(size_m.y / squares->square_m), 1);
        const uint64_t entries = entries_of(squares, outlines, count);
        if (entries <= ENTRIES_MAX || (squares->width == 1 && squares->height == 1)) { return entries; }
    }
}

static void for_each(const cairn_squares *squares, const cairn_outline *outlines, uint32_t count, uint32_t *first,
                     uint32_t *things)
{
    for (uint32_t i = 0; i < count; i++) {
        if (outlines[i].x0_m > outlines[i].x1_m) { continue; }
        const range rows = rows_of(squares, &outlines[i]);
        for (uint32_t y = rows.from; y <= rows.to; y++) {
            const range columns = columns_of(squares, &outlines[i], y);
            for (uint32_t x = columns.from; x <= columns.to; x++) {
                uint32_t *const slot = &first[(size_t)y * squares->width + x];
                if (things != NULL) { things[*slot] = i; }
                (*slot)++;
            }
        }
    }
}

// Counts, then fills from each square's beginning, which moves every beginning to its end, then moves them back.
static void fill(const cairn_squares *squares, const cairn_outline *outlines, uint32_t count, uint32_t *first,
                 uint32_t *things)
{
    const size_t square_count = (size_t)squares->width * squares->height;
    for_each(squares, outlines, count, first, NULL);
    uint32_t sum = 0;
    for (size_t k = 0; k <= square_count; k++) {
        const uint32_t own = first[k];
        first[k] = sum;
        sum += own;
    }
    for_each(squares, outlines, count, first, things);
    for (size_t k = square_count; k > 0; k--) { first[k] = first[k - 1]; }
    first[0] = 0;
}

cairn_err cairn_squares_create(cairn_vec2 size_m, const cairn_outline *outlines, uint32_t count, cairn_arena *memory,
                               cairn_squares *ret_squares)
{
    cairn_squares squares = {.size_m = size_m};
    const uint64_t entry_count = choose_size(&squares, outlines, count);
    uint32_t *first = CAIRN_TAKE(memory, uint32_t, (size_t)squares.width * squares.height + 1);
    uint32_t *things = CAIRN_TAKE(memory, uint32_t, entry_count + 1);
    if (first == NULL || things == NULL) { return CAIRN_ERR_FULL; }
    fill(&squares, outlines, count, first, things);
    squares.first = first;
    squares.things = things;
    *ret_squares = squares;
    return CAIRN_OK;
}

size_t cairn_squares_bytes_max(cairn_vec2 size_m, uint32_t count)
{
    const double square_m = fmax(SQUARE_M_MIN, fmax(size_m.x, size_m.y) / SQUARES_MAX);
    const size_t squares = (size_t)(ceil(size_m.x / square_m) + 1) * (size_t)(ceil(size_m.y / square_m) + 1);
    const size_t entries = squares * count < ENTRIES_MAX ? squares * count : ENTRIES_MAX;
    // At its coarsest every thing is listed once.
    return (squares + (entries > count ? entries : count) + 64) * sizeof(uint32_t) + 256;
}
