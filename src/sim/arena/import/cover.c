// A greedy cover by maximal rectangles.
//
// Wall cells are visited row by row. At the first that is still bare, all rectangles that contain it and cannot be
// wider for their height are looked at, and the one with most wall cells is taken, bare or not: so long walls win over
// the stubs of their crossings. It is then cut back to the bare cells that it covers. In the end each rectangle is cut
// back once more to the cells that no other covers, which removes those that later ones have made needless.
#include "sim/arena/import/cover.h"
#include <math.h>
#include <string.h>

// Widths looked at above and below a cell. Enough for all but the most ragged walls, which get a smaller rectangle.
#define STEPS_MAX 96
// Unknown ground may be covered up to so far behind a wall. More: fewer boxes, and walls as thick as houses.
#define BEHIND_M 0.2
// Free ground is not softened where it is narrower than this: ways stay as wide as they are.
#define WIDE_M 1.2

typedef struct finder {
    const cairn_cells *cells;
    uint32_t width, height;
    uint8_t *allowed;
    uint8_t *covers;      // by how many rectangles, at most 255
    uint32_t *reach_west; // allowed cells west of this one, itself too
    uint32_t *reach_east;
    uint32_t *sums; // of wall cells from (0, 0) to before each corner; width + 1 a row
    cairn_cover cover;
    uint32_t count_max;
} finder;

// The columns that stay allowed over `rows` rows, away from the cell where it starts.
typedef struct step {
    uint32_t rows, west, east; // west and east: columns beside the cell
} step;

static size_t at(const finder *find, uint32_t x, uint32_t y) { return (size_t)y * find->width + x; }

static bool is_wall(const finder *find, size_t cell) { return find->cells->kinds[cell] == CAIRN_CELL_WALL; }

// Marks the cells that are at most `near` cells from a wall cell, as a king moves: along rows, then along columns.
static void mark_near_walls(const finder *find, uint32_t near, uint8_t *along_rows, uint8_t *ret_near)
{
    for (uint32_t y = 0; y < find->height; y++) {
        uint32_t since = near + 1;
        for (uint32_t x = 0; x < find->width; x++) {
            since = is_wall(find, at(find, x, y)) ? 0 : since + (since <= near);
            along_rows[at(find, x, y)] = since <= near;
        }
        since = near + 1;
        for (uint32_t x = find->width; x-- > 0;) {
            since = is_wall(find, at(find, x, y)) ? 0 : since + (since <= near);
            along_rows[at(find, x, y)] |= since <= near;
        }
    }
    for (uint32_t x = 0; x < find->width; x++) {
        uint32_t since = near + 1;
        for (uint32_t y = 0; y < find->height; y++) {
            since = along_rows[at(find, x, y)] ? 0 : since + (since <= near);
            ret_near[at(find, x, y)] = since <= near;
        }
        since = near + 1;
        for (uint32_t y = find->height; y-- > 0;) {
            since = along_rows[at(find, x, y)] ? 0 : since + (since <= near);
            ret_near[at(find, x, y)] |= since <= near;
        }
    }
}

// Sums over the rectangle from (0, 0) to before each corner, of cells that are `kind` (or are not, if `other`).
static void sum_cells(const finder *find, uint8_t kind, bool other, uint32_t *ret_sums)
{
    const size_t row = find->width + 1;
    memset(ret_sums, 0, row * sizeof ret_sums[0]);
    for (uint32_t y = 0; y < find->height; y++) {
        uint32_t in_row = 0;
        ret_sums[(y + 1) * row] = 0;
        for (uint32_t x = 0; x < find->width; x++) {
            in_row += (find->cells->kinds[at(find, x, y)] == kind) != other;
            ret_sums[(y + 1) * row + x + 1] = ret_sums[y * row + x + 1] + in_row;
        }
    }
}

static uint32_t sum_in(const finder *find, const uint32_t *sums, const cairn_cover_rect *rect)
{
    const size_t row = find->width + 1;
    const size_t low = rect->y * row, high = (rect->y + rect->height) * row;
    return sums[high + rect->x + rect->width] - sums[high + rect->x] - sums[low + rect->x + rect->width] +
           sums[low + rect->x];
}

// Marks the free cells that lie in some square of `side` free cells: not those of doorways and narrow ways.
static void mark_wide(finder *find, uint32_t side, uint8_t *ret_wide)
{
    if (side > find->width || side > find->height) { return; }
    sum_cells(find, CAIRN_CELL_FREE, true, find->sums);
    // Rows are filled from each square's west end on; `left` counts how far the fill still goes, row by row of squares.
    for (uint32_t y = 0; y + side <= find->height; y++) {
        uint32_t left = 0;
        for (uint32_t x = 0; x < find->width; x++) {
            const cairn_cover_rect square = {x, y, side, side};
            if (x + side <= find->width && sum_in(find, find->sums, &square) == 0) { left = side; }
            if (left == 0) { continue; }
            left--;
            ret_wide[at(find, x, y)] = 1;
        }
    }
    // Then each column upwards, as far as the squares are tall.
    for (uint32_t x = 0; x < find->width; x++) {
        uint32_t left = 0;
        for (uint32_t y = 0; y < find->height; y++) {
            if (ret_wide[at(find, x, y)]) { left = side; }
            if (left == 0) { continue; }
            left--;
            ret_wide[at(find, x, y)] = 1;
        }
    }
}

// Wall cells, unknown cells behind them, and free cells within the slack that are in nobody's way.
static void allow(finder *find, uint32_t slack, uint8_t *marks)
{
    const size_t count = (size_t)find->width * find->height;
    const uint8_t *kinds = find->cells->kinds;
    const uint32_t behind = (uint32_t)ceil(BEHIND_M / find->cells->cell_m);
    mark_near_walls(find, behind, marks, find->covers);
    for (size_t i = 0; i < count; i++) {
        find->allowed[i] = kinds[i] == CAIRN_CELL_WALL || (kinds[i] == CAIRN_CELL_UNKNOWN && find->covers[i]);
    }
    if (slack > 0) {
        mark_near_walls(find, slack, marks, find->covers);
        memset(marks, 0, count);
        mark_wide(find, (uint32_t)ceil(WIDE_M / find->cells->cell_m), marks);
        for (size_t i = 0; i < count; i++) { find->allowed[i] |= find->covers[i] && marks[i]; }
    }
    memset(find->covers, 0, count);
}

static void measure_reach(finder *find)
{
    for (uint32_t y = 0; y < find->height; y++) {
        uint32_t run = 0;
        for (uint32_t x = 0; x < find->width; x++) {
            run = find->allowed[at(find, x, y)] ? run + 1 : 0;
            find->reach_west[at(find, x, y)] = run;
        }
        run = 0;
        for (uint32_t x = find->width; x-- > 0;) {
            run = find->allowed[at(find, x, y)] ? run + 1 : 0;
            find->reach_east[at(find, x, y)] = run;
        }
    }
}

// How wide it stays going up (towards = 1) or down (-1) from a cell; the first step is the cell's own row.
static uint32_t find_steps(const finder *find, uint32_t x, uint32_t y, int towards, step *ret_steps)
{
    uint32_t count = 0, west = UINT32_MAX, east = UINT32_MAX, rows = 0;
    for (int64_t row = y; row >= 0 && row < find->height; row += towards) {
        const size_t cell = at(find, x, (uint32_t)row);
        if (!find->allowed[cell]) { break; }
        const uint32_t row_west = find->reach_west[cell] - 1, row_east = find->reach_east[cell] - 1;
        const bool narrower = row_west < west || row_east < east;
        if (narrower && count == STEPS_MAX) { break; }
        west = row_west < west ? row_west : west;
        east = row_east < east ? row_east : east;
        count += narrower;
        ret_steps[count - 1] = (step){++rows, west, east};
    }
    return count;
}

static cairn_cover_rect best_around(const finder *find, uint32_t x, uint32_t y)
{
    step up[STEPS_MAX], down[STEPS_MAX];
    const uint32_t up_count = find_steps(find, x, y, 1, up), down_count = find_steps(find, x, y, -1, down);
    cairn_cover_rect best = {x, y, 1, 1};
    uint32_t best_walls = 0;
    for (uint32_t i = 0; i < up_count; i++) {
        for (uint32_t k = 0; k < down_count; k++) {
            const uint32_t west = up[i].west < down[k].west ? up[i].west : down[k].west;
            const uint32_t east = up[i].east < down[k].east ? up[i].east : down[k].east;
            const cairn_cover_rect rect = {x - west, y + 1 - down[k].rows, west + east + 1,
                                           up[i].rows + down[k].rows - 1};
            const uint32_t walls = sum_in(find, find->sums, &rect);
            if (walls > best_walls) {
                best_walls = walls;
                best = rect;
            }
        }
    }
    return best;
}

// Cuts a rectangle back to the wall cells in it that are covered exactly `times` times; false if there are none.
static bool cut_back(const finder *find, uint8_t times, cairn_cover_rect *rect)
{
    uint32_t x_min = UINT32_MAX, x_max = 0, y_min = UINT32_MAX, y_max = 0;
    for (uint32_t y = rect->y; y < rect->y + rect->height; y++) {
        for (uint32_t x = rect->x; x < rect->x + rect->width; x++) {
            if (!is_wall(find, at(find, x, y)) || find->covers[at(find, x, y)] != times) { continue; }
            x_min = x < x_min ? x : x_min;
            x_max = x > x_max ? x : x_max;
            y_min = y < y_min ? y : y_min;
            y_max = y;
        }
    }
    if (x_min == UINT32_MAX) { return false; }
    *rect = (cairn_cover_rect){x_min, y_min, x_max - x_min + 1, y_max - y_min + 1};
    return true;
}

static void count_in(finder *find, const cairn_cover_rect *rect, int by)
{
    for (uint32_t y = rect->y; y < rect->y + rect->height; y++) {
        for (uint32_t x = rect->x; x < rect->x + rect->width; x++) {
            uint8_t *covers = &find->covers[at(find, x, y)];
            if (*covers < 255) { *covers = (uint8_t)(*covers + by); } // 255 stays: many
        }
    }
}

static bool cover_all(finder *find)
{
    for (uint32_t y = 0; y < find->height; y++) {
        for (uint32_t x = 0; x < find->width; x++) {
            if (!is_wall(find, at(find, x, y)) || find->covers[at(find, x, y)] > 0) { continue; }
            if (find->cover.count == find->count_max) { return false; }
            cairn_cover_rect rect = best_around(find, x, y);
            const bool covers_something = cut_back(find, 0, &rect);
            CAIRN_ASSERT(covers_something);
            count_in(find, &rect, 1);
            find->cover.rects[find->cover.count++] = rect;
        }
    }
    return true;
}

// Cutting back one makes others the only ones that cover a cell, so they go one after the other, oldest last: the
// early ones are the long walls.
static void cut_back_all(finder *find)
{
    uint32_t kept = 0;
    for (uint32_t i = find->cover.count; i-- > 0;) {
        cairn_cover_rect *rect = &find->cover.rects[i], less = *rect;
        const bool needed = cut_back(find, 1, &less);
        count_in(find, rect, -1);
        if (needed) { count_in(find, &less, 1); }
        *rect = needed ? less : (cairn_cover_rect){0};
    }
    for (uint32_t i = 0; i < find->cover.count; i++) {
        if (find->cover.rects[i].width > 0) { find->cover.rects[kept++] = find->cover.rects[i]; }
    }
    find->cover.count = kept;
}

cairn_err cairn_cover_find(const cairn_cells *cells, uint32_t slack_cells, uint32_t count_max, cairn_arena *memory,
                           cairn_arena *scratch, cairn_cover *ret_cover)
{
    CAIRN_ASSERT(cells != NULL && memory != NULL && scratch != NULL && ret_cover != NULL);
    const size_t count = (size_t)cells->width * cells->height;
    const size_t kept_mark = cairn_arena_mark(memory);
    finder find = {.cells = cells, .width = cells->width, .height = cells->height, .count_max = count_max};
    find.cover.rects = CAIRN_TAKE(memory, cairn_cover_rect, (size_t)count_max + 1);
    const size_t mark = cairn_arena_mark(scratch); // after the above: both may be one arena
    find.allowed = CAIRN_TAKE(scratch, uint8_t, count);
    find.covers = CAIRN_TAKE(scratch, uint8_t, count);
    find.reach_west = CAIRN_TAKE(scratch, uint32_t, count);
    find.reach_east = CAIRN_TAKE(scratch, uint32_t, count);
    find.sums = CAIRN_TAKE(scratch, uint32_t, ((size_t)cells->width + 1) * (cells->height + 1));
    uint8_t *marks = CAIRN_TAKE(scratch, uint8_t, count);
    cairn_err err = CAIRN_ERR_FULL;
    if (find.cover.rects != NULL && find.sums != NULL && marks != NULL) {
        allow(&find, slack_cells, marks);
        measure_reach(&find);
        sum_cells(&find, CAIRN_CELL_WALL, false, find.sums);
        err = cover_all(&find) ? CAIRN_OK : CAIRN_ERR_TOO_LARGE;
    }
    if (err == CAIRN_OK) {
        cut_back_all(&find);
        *ret_cover = find.cover;
    }
    cairn_arena_reset(scratch, mark);
    if (err != CAIRN_OK) { cairn_arena_reset(memory, kept_mark); }
    return err;
}
