// distance_field.c - the two passes of maps/distance.c, kept and repaired.
//
// near_row says for each cell which marked row of its own column is nearest: the first pass. near_column says in which
// column of its own row the nearest mark's parabola is lowest: the second. An edit changes near_row of its column for
// some rows, at most limit_cells to each side. In each of those rows a cell can only change within the reach of the
// changed parabola, which is the limit less the parabola's height, so that stretch is computed again from the columns
// that can win in it. Both passes break ties by the cells alone, never by the order of work; therefore edited and fresh
// fields are equal. (Brushfire methods touch still fewer cells, but are not exact.)
#include "maps/distance_field.h"
#include "maps/parabolas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT16_MAX // no row or column: edges are at most 16384

// Part of a row that must be computed again, [from, end); empty if from >= end.
typedef struct stretch {
    int32_t from, end;
} stretch;

struct cairn_distance_field {
    uint32_t width, height;
    int32_t limit; // cells
    uint8_t *marked;
    uint16_t *near_row, *near_column; // NONE: none within the limit
    cairn_parabola *stack;            // width, scratch like the next two
    double *inverse;
    uint16_t *rows;
    stretch *dirty; // height
};

cairn_err cairn_distance_field_create(const cairn_distance_field_def *def, cairn_arena *arena,
                                      cairn_distance_field **ret_field)
{
    CAIRN_ASSERT(def->width > 0 && def->width <= CAIRN_DISTANCE_EDGE_MAX);
    CAIRN_ASSERT(def->height > 0 && def->height <= CAIRN_DISTANCE_EDGE_MAX);
    const size_t mark = cairn_arena_mark(arena), cells = (size_t)def->width * def->height;
    cairn_distance_field *field = CAIRN_TAKE(arena, cairn_distance_field, 1);
    uint8_t *marked = CAIRN_TAKE(arena, uint8_t, cells);
    uint16_t *near_row = CAIRN_TAKE(arena, uint16_t, cells), *near_column = CAIRN_TAKE(arena, uint16_t, cells);
    cairn_parabola *stack = CAIRN_TAKE(arena, cairn_parabola, def->width);
    double *inverse = CAIRN_TAKE(arena, double, def->width);
    uint16_t *rows = CAIRN_TAKE(arena, uint16_t, def->width);
    stretch *dirty = CAIRN_TAKE(arena, stretch, def->height);
    if (!field || !marked || !near_row || !near_column || !stack || !inverse || !rows || !dirty) {
        cairn_arena_reset(arena, mark);
        return CAIRN_ERR_FULL;
    }
    // The diagonal of the largest field is 23,170 cells; its square fits into 31 bits.
    const uint32_t limit = def->limit_cells < CAIRN_DISTANCE_EDGE_MAX ? def->limit_cells : 23171;
    *field = (cairn_distance_field){.width = def->width,
                                    .height = def->height,
                                    .limit = (int32_t)limit,
                                    .marked = marked,
                                    .near_row = near_row,
                                    .near_column = near_column,
                                    .stack = stack,
                                    .inverse = inverse,
                                    .rows = rows,
                                    .dirty = dirty};
    cairn_parabolas_inverse(inverse, def->width);
    memset(marked, 0, cells);
    memset(near_row, 0xff, cells * sizeof *near_row);
    memset(near_column, 0xff, cells * sizeof *near_column);
    for (uint32_t y = 0; y < def->height; y++) { dirty[y] = (stretch){INT32_MAX, 0}; }
    *ret_field = field;
    return CAIRN_OK;
}

static size_t cell_of(const cairn_distance_field *field, uint32_t x, uint32_t y)
{
    return (size_t)y * field->width + x;
}

// The nearer of two rows, the lower one of two as near, NONE if neither is within the limit. 16 bits throughout, so
// that the compiler takes eight cells at a time.
static uint16_t nearer_row(uint16_t y, uint16_t below, uint16_t above, uint16_t limit)
{
    const uint16_t down = below == NONE ? NONE : (uint16_t)(y - below),
                   up = above == NONE ? NONE : (uint16_t)(above - y);
    const uint16_t row = down <= up ? below : above, apart = down <= up ? down : up;
    return apart <= limit ? row : NONE;
}

static void rows_sweep(cairn_distance_field *field)
{
    const uint32_t width = field->width;
    const uint8_t *marked = field->marked;
    uint16_t *near_row = field->near_row;
    for (uint32_t x = 0; x < width; x++) { near_row[x] = marked[x] ? 0 : NONE; }
    for (uint32_t y = 1; y < field->height; y++) { // nearest mark at or below
        const uint16_t *restrict before = near_row + (size_t)(y - 1) * width;
        uint16_t *restrict here = near_row + (size_t)y * width;
        const uint8_t *marks = marked + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) { here[x] = marks[x] ? (uint16_t)y : before[x]; }
    }
    // Downwards, with the nearest mark at or above, for which the scratch row is used.
    uint16_t *restrict above = field->rows;
    const uint16_t limit = (uint16_t)field->limit;
    memset(above, 0xff, width * sizeof *above);
    for (uint32_t y = field->height; y-- > 0;) {
        uint16_t *restrict here = near_row + (size_t)y * width;
        const uint8_t *marks = marked + (size_t)y * width;
        for (uint32_t x = 0; x < width; x++) {
            above[x] = marks[x] ? (uint16_t)y : above[x];
            here[x] = nearer_row((uint16_t)y, here[x], above[x], limit);
        }
    }
}

// Computes a stretch of one row from near_row.
static void row_compute(cairn_distance_field *field, uint32_t y, stretch part)
{
    const int32_t last_column = (int32_t)field->width - 1, limit2 = field->limit * field->limit;
    const int32_t first = part.from - field->limit > 0 ? part.from - field->limit : 0;
    const int32_t last = part.end - 1 + field->limit < last_column ? part.end - 1 + field->limit : last_column;
    const uint16_t *restrict near_row = field->near_row + (size_t)y * field->width;
    uint16_t *restrict rows = field->rows;
    const uint16_t middle = (uint16_t)y;
    for (int32_t x = first; x <= last; x++) {
        const uint16_t apart =
            near_row[x] > middle ? (uint16_t)(near_row[x] - middle) : (uint16_t)(middle - near_row[x]);
        rows[x] = near_row[x] == NONE ? NONE : apart;
    }
    const uint32_t count =
        cairn_parabolas_envelope(rows, NONE, first, last, part.from, part.end, field->inverse, field->stack);
    uint16_t *restrict ret_row = field->near_column + (size_t)y * field->width;
    if (count == 0) {
        for (int32_t x = part.from; x < part.end; x++) { ret_row[x] = NONE; }
    }
    for (uint32_t i = 0; i < count; i++) {
        const cairn_parabola p = field->stack[i];
        const int32_t end = i + 1 < count ? field->stack[i + 1].from : part.end;
        for (int32_t x = p.from; x < end; x++) {
            ret_row[x] = cairn_parabola_at(&p, x) <= limit2 ? (uint16_t)p.column : NONE;
        }
    }
}

void cairn_distance_field_set(cairn_distance_field *field, const uint8_t *marked)
{
    const size_t cells = (size_t)field->width * field->height;
    for (size_t i = 0; i < cells; i++) { field->marked[i] = marked[i] != 0; }
    rows_sweep(field);
    for (uint32_t y = 0; y < field->height; y++) { row_compute(field, y, (stretch){0, (int32_t)field->width}); }
}

// Around a changed column a row's cells may change as far as the lower of the old and the new parabola reaches.
static void row_soil(cairn_distance_field *field, uint32_t x, uint32_t y, uint16_t row_before, uint16_t row_after)
{
    const int32_t before = row_before == NONE ? INT32_MAX : abs((int32_t)row_before - (int32_t)y);
    const int32_t after = row_after == NONE ? INT32_MAX : abs((int32_t)row_after - (int32_t)y);
    const int32_t rows = before < after ? before : after;
    const int32_t reach = (int32_t)sqrt((double)field->limit * field->limit - (double)rows * rows);
    const int32_t from = (int32_t)x - reach > 0 ? (int32_t)x - reach : 0;
    const int32_t end = (int32_t)x + reach + 1 < (int32_t)field->width ? (int32_t)x + reach + 1 : (int32_t)field->width;
    stretch *part = &field->dirty[y];
    part->from = from < part->from ? from : part->from;
    part->end = end > part->end ? end : part->end;
}

static uint16_t mark_from(const cairn_distance_field *field, uint32_t x, int32_t y, int32_t step)
{
    for (int32_t left = field->limit + 1; left > 0 && y >= 0 && y < (int32_t)field->height; left--, y += step) {
        if (field->marked[cell_of(field, x, (uint32_t)y)]) { return (uint16_t)y; }
    }
    return NONE;
}

// Repairs near_row of a column after the mark at y came or went: rows up to the next marks to both sides, which have
// the rows beyond them. Returns the number of rows.
static uint64_t column_repair(cairn_distance_field *field, uint32_t x, uint32_t y)
{
    const int32_t limit = field->limit, height = (int32_t)field->height, middle = (int32_t)y;
    const bool came = field->marked[cell_of(field, x, y)];
    int32_t from = middle, to = middle;
    const int32_t first = middle - limit > 0 ? middle - limit : 0;
    const int32_t last = middle + limit < height - 1 ? middle + limit : height - 1;
    while (from > first && !field->marked[cell_of(field, x, (uint32_t)from - 1)]) { from--; }
    while (to < last && !field->marked[cell_of(field, x, (uint32_t)to + 1)]) { to++; }
    const uint16_t lower = mark_from(field, x, from - 1, -1), upper = mark_from(field, x, to + 1, 1);
    for (int32_t row = from; row <= to; row++) {
        const uint16_t below = came && row >= middle ? (uint16_t)y : lower;
        const uint16_t above = came && row <= middle ? (uint16_t)y : upper;
        uint16_t *near_row = &field->near_row[cell_of(field, x, (uint32_t)row)];
        const uint16_t before = *near_row, after = nearer_row((uint16_t)row, below, above, (uint16_t)limit);
        if (before == after) { continue; }
        *near_row = after;
        row_soil(field, x, (uint32_t)row, before, after);
    }
    return (uint64_t)to - (uint64_t)from + 1;
}

uint64_t cairn_distance_field_edit(cairn_distance_field *field, const cairn_cell_edit *edits, size_t count)
{
    uint64_t looked = 0;
    uint32_t row_first = field->height, row_last = 0;
    for (size_t i = 0; i < count; i++) {
        CAIRN_ASSERT(edits[i].x < field->width && edits[i].y < field->height);
        const uint32_t x = edits[i].x, y = edits[i].y, limit = (uint32_t)field->limit;
        uint8_t *marked = &field->marked[cell_of(field, x, y)];
        if (*marked == edits[i].marked) { continue; }
        *marked = edits[i].marked;
        looked += column_repair(field, x, y);
        const uint32_t first = y > limit ? y - limit : 0,
                       last = y + limit < field->height ? y + limit : field->height - 1;
        row_first = first < row_first ? first : row_first;
        row_last = last > row_last ? last : row_last;
    }
    for (uint32_t y = row_first; y <= row_last && y < field->height; y++) {
        const stretch part = field->dirty[y];
        if (part.from >= part.end) { continue; }
        row_compute(field, y, part);
        looked += (uint64_t)part.end - (uint64_t)part.from;
        field->dirty[y] = (stretch){INT32_MAX, 0};
    }
    return looked;
}

bool cairn_distance_field_is_marked(const cairn_distance_field *field, uint32_t x, uint32_t y)
{
    CAIRN_ASSERT(x < field->width && y < field->height);
    return field->marked[cell_of(field, x, y)];
}

cairn_nearest cairn_distance_field_nearest(const cairn_distance_field *field, uint32_t x, uint32_t y)
{
    CAIRN_ASSERT(x < field->width && y < field->height);
    const uint16_t column = field->near_column[cell_of(field, x, y)];
    if (column == NONE) { return (cairn_nearest){0}; }
    const uint16_t row = field->near_row[cell_of(field, column, y)];
    const int32_t dx = (int32_t)x - column, dy = (int32_t)y - row;
    return (cairn_nearest){.found = true, .x = column, .y = row, .squared_cells = (uint32_t)(dx * dx + dy * dy)};
}

float cairn_distance_field_clearance(const cairn_distance_field *field, uint32_t x, uint32_t y)
{
    const cairn_nearest nearest = cairn_distance_field_nearest(field, x, y);
    return nearest.found ? sqrtf((float)nearest.squared_cells) : (float)field->limit;
}

void cairn_distance_field_disc(const cairn_distance_field *field, float radius_cells, uint8_t *ret_blocked)
{
    CAIRN_ASSERT(radius_cells >= 0 && radius_cells <= (float)field->limit);
    const uint32_t radius2 = (uint32_t)floor((double)radius_cells * radius_cells);
    for (uint32_t y = 0; y < field->height; y++) {
        for (uint32_t x = 0; x < field->width; x++) {
            const cairn_nearest nearest = cairn_distance_field_nearest(field, x, y);
            ret_blocked[cell_of(field, x, y)] = nearest.found && nearest.squared_cells <= radius2;
        }
    }
}
