// Groups of like cells are found by flood fill, each cell visited once; the rules stand in cells.h.
#include "sim/arena/import/cells.h"
#include <math.h>
#include <string.h>

#define FREE_AREA_M2_MIN 1.0
#define UNSEEN_M 0.3         // unknown ground inside free ground that is smaller than this both ways is free
#define FRINGE_M 0.2         // free ground that is narrower than this and borders on unknown ground is unknown
#define ENCLOSED_PART_MIN 10 // a tenth

cairn_err cairn_cells_create(uint32_t width, uint32_t height, double cell_m, cairn_arena *memory,
                             cairn_cells *ret_cells)
{
    uint8_t *kinds = CAIRN_TAKE(memory, uint8_t, (size_t)width * height);
    if (kinds == NULL) { return CAIRN_ERR_FULL; }
    *ret_cells = (cairn_cells){.width = width, .height = height, .cell_m = cell_m, .kinds = kinds};
    return CAIRN_OK;
}

cairn_err cairn_cells_coarsen(const cairn_cells *cells, uint32_t factor, cairn_arena *memory, cairn_cells *ret_cells)
{
    CAIRN_ASSERT(cells != NULL && factor > 0 && memory != NULL && ret_cells != NULL);
    cairn_cells coarse;
    const cairn_err err =
        cairn_cells_create((cells->width + factor - 1) / factor, (cells->height + factor - 1) / factor,
                           cells->cell_m * factor, memory, &coarse);
    if (err != CAIRN_OK) { return err; }
    coarse.origin_m = cells->origin_m;
    // The kinds are numbered so that the greatest wins.
    for (uint32_t y = 0; y < cells->height; y++) {
        for (uint32_t x = 0; x < cells->width; x++) {
            uint8_t *to = &coarse.kinds[(size_t)(y / factor) * coarse.width + x / factor];
            const uint8_t kind = cells->kinds[(size_t)y * cells->width + x];
            *to = kind > *to ? kind : *to;
        }
    }
    *ret_cells = coarse;
    return CAIRN_OK;
}

// Kinds that cells have for a while.
enum { SLIVER = CAIRN_CELL_WALL + 1, SLIVER_GONE, SLIVER_KEPT };

// Cells of one kind that hang together.
typedef struct group {
    uint32_t first, count; // in the work's queue
    uint32_t x_min, x_max, y_min, y_max;
    bool at_edge;      // of the picture
    bool touches_free; // at sides or corners
    bool touches_unknown, touches_wall;
} group;

typedef struct work {
    cairn_cells cells;
    uint8_t *seen;
    uint32_t *queue;
} work;

static void visit(work *on, group *of, uint8_t kind, uint32_t x, uint32_t y)
{
    const size_t cell = (size_t)y * on->cells.width + x;
    of->touches_free |= on->cells.kinds[cell] == CAIRN_CELL_FREE;
    of->touches_unknown |= on->cells.kinds[cell] == CAIRN_CELL_UNKNOWN;
    of->touches_wall |= on->cells.kinds[cell] == CAIRN_CELL_WALL;
    if (on->seen[cell] || on->cells.kinds[cell] != kind) { return; }
    on->seen[cell] = 1;
    on->queue[of->first + of->count++] = (uint32_t)cell;
}

// The group of the cell `from`; its cells lie in the queue from `first` on. Walls are joined at corners too, for
// nothing gets through there; ground only at sides.
static group gather(work *on, uint32_t from, uint32_t first)
{
    const uint32_t width = on->cells.width, height = on->cells.height;
    const uint8_t kind = on->cells.kinds[from];
    group found = {.first = first, .x_min = UINT32_MAX, .y_min = UINT32_MAX};
    visit(on, &found, kind, from % width, from / width);
    for (uint32_t next = 0; next < found.count; next++) {
        const uint32_t cell = on->queue[first + next], x = cell % width, y = cell / width;
        found.x_min = x < found.x_min ? x : found.x_min;
        found.x_max = x > found.x_max ? x : found.x_max;
        found.y_min = y < found.y_min ? y : found.y_min;
        found.y_max = y > found.y_max ? y : found.y_max;
        found.at_edge |= x == 0 || y == 0 || x + 1 == width || y + 1 == height;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                if (kind != CAIRN_CELL_WALL && dx != 0 && dy != 0) { continue; }
                const int64_t to_x = (int64_t)x + dx, to_y = (int64_t)y + dy;
                if (to_x < 0 || to_y < 0 || to_x >= width || to_y >= height) { continue; }
                visit(on, &found, kind, (uint32_t)to_x, (uint32_t)to_y);
            }
        }
    }
    found.touches_free &= kind != CAIRN_CELL_FREE;
    found.touches_unknown &= kind != CAIRN_CELL_UNKNOWN;
    return found;
}

static void repaint(work *on, const group *which, uint8_t kind)
{
    for (uint32_t i = 0; i < which->count; i++) { on->cells.kinds[on->queue[which->first + i]] = kind; }
}

static size_t cell_count(const work *on) { return (size_t)on->cells.width * on->cells.height; }

// Calls `decide` for each group of a kind, which may repaint it.
static void each_group(work *on, cairn_cell kind, void (*decide)(work *, const group *, void *), void *context)
{
    memset(on->seen, 0, cell_count(on));
    for (size_t i = 0; i < cell_count(on); i++) {
        if (on->seen[i] || on->cells.kinds[i] != kind) { continue; }
        const group found = gather(on, (uint32_t)i, 0);
        decide(on, &found, context);
    }
}

typedef struct sweep {
    double speck_m;
    cairn_import_report *report;
} sweep;

static void remove_speck(work *on, const group *which, void *context)
{
    const sweep *by = context;
    const double wide_m = (which->x_max - which->x_min + 1) * on->cells.cell_m;
    const double tall_m = (which->y_max - which->y_min + 1) * on->cells.cell_m;
    const bool wall = on->cells.kinds[on->queue[which->first]] == CAIRN_CELL_WALL;
    const double speck_m = wall ? by->speck_m : fmax(by->speck_m, UNSEEN_M);
    if (wide_m >= speck_m - 1e-9 || tall_m >= speck_m - 1e-9 || which->at_edge) { return; }
    if (wall) {
        repaint(on, which, which->touches_free ? CAIRN_CELL_FREE : CAIRN_CELL_UNKNOWN);
    } else if (which->touches_free && !which->touches_wall) {
        repaint(on, which, CAIRN_CELL_FREE);
    } else {
        return;
    }
    by->report->speck_count++;
}

// Marks the free cells that lie in a square of `side` free cells. `sums` has a place for each cell.
static void mark_broad(const work *on, uint32_t side, uint32_t *sums)
{
    const uint32_t width = on->cells.width, height = on->cells.height;
    memset(on->seen, 0, cell_count(on));
    // The side of the largest free square whose north-east corner each cell is.
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const size_t cell = (size_t)y * width + x;
            uint32_t least = 0;
            if (x > 0 && y > 0) {
                least = sums[cell - 1] < sums[cell - width] ? sums[cell - 1] : sums[cell - width];
                least = sums[cell - width - 1] < least ? sums[cell - width - 1] : least;
            }
            sums[cell] = on->cells.kinds[cell] == CAIRN_CELL_FREE ? least + 1 : 0;
            if (sums[cell] < side) { continue; }
            for (uint32_t dy = 0; dy < side; dy++) {
                memset(on->seen + cell - (size_t)dy * width - (side - 1), 1, side);
            }
        }
    }
}

// What beams have touched between unknown ground: slivers that nobody could drive on, and that would need many boxes.
static void remove_fringe(work *on, cairn_import_report *report)
{
    const uint32_t side = (uint32_t)ceil(FRINGE_M / on->cells.cell_m - 1e-9);
    if (side < 2) { return; }
    mark_broad(on, side, on->queue);
    // Slivers are gathered as a kind of their own, which takes part in nothing else.
    for (size_t i = 0; i < cell_count(on); i++) {
        if (on->cells.kinds[i] == CAIRN_CELL_FREE && !on->seen[i]) { on->cells.kinds[i] = SLIVER; }
    }
    memset(on->seen, 0, cell_count(on));
    for (size_t i = 0; i < cell_count(on); i++) {
        if (on->seen[i] || on->cells.kinds[i] != SLIVER) { continue; }
        const group found = gather(on, (uint32_t)i, 0);
        if (found.touches_unknown) { report->fringe_cells += found.count; }
        repaint(on, &found, found.touches_unknown ? SLIVER_GONE : SLIVER_KEPT);
    }
    for (size_t i = 0; i < cell_count(on); i++) {
        if (on->cells.kinds[i] == SLIVER_GONE) { on->cells.kinds[i] = CAIRN_CELL_UNKNOWN; }
        if (on->cells.kinds[i] == SLIVER_KEPT) { on->cells.kinds[i] = CAIRN_CELL_FREE; }
    }
}

typedef struct choice {
    uint32_t largest, largest_enclosed;
    uint64_t all;
    bool enclosed; // the place is an area that does not touch the picture's edge
} choice;

static void weigh_area(work *on, const group *which, void *context)
{
    (void)on;
    choice *among = context;
    among->all += which->count;
    if (which->count > among->largest) { among->largest = which->count; }
    if (!which->at_edge && which->count > among->largest_enclosed) { among->largest_enclosed = which->count; }
}

static void forget_area(work *on, const group *which, void *context)
{
    const choice *made = context;
    const double area_m2 = which->count * on->cells.cell_m * on->cells.cell_m;
    if (area_m2 < FREE_AREA_M2_MIN || (made->enclosed && which->at_edge)) { repaint(on, which, CAIRN_CELL_UNKNOWN); }
}

static void forget_walls(work *on, const group *which, void *context)
{
    (void)context;
    if (!which->touches_free) { repaint(on, which, CAIRN_CELL_UNKNOWN); }
}

static bool beside_free(const cairn_cells *cells, int64_t x, int64_t y)
{
    for (int64_t to_y = y - 1; to_y <= y + 1; to_y++) {
        for (int64_t to_x = x - 1; to_x <= x + 1; to_x++) {
            if (to_x < 0 || to_y < 0 || to_x >= cells->width || to_y >= cells->height) { continue; }
            if (cells->kinds[(size_t)to_y * cells->width + (size_t)to_x] == CAIRN_CELL_FREE) { return true; }
        }
    }
    return false;
}

static uint8_t kind_at(const cairn_cells *cells, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= cells->width || y >= cells->height) { return CAIRN_CELL_UNKNOWN; }
    return cells->kinds[(size_t)y * cells->width + (size_t)x];
}

// The same cells with a rim of one, in which unknown cells beside free ones are walls.
static cairn_err close_outside(const cairn_cells *cells, cairn_arena *memory, cairn_cells *ret_cells,
                               cairn_import_report *report)
{
    cairn_cells wider;
    const cairn_err err = cairn_cells_create(cells->width + 2, cells->height + 2, cells->cell_m, memory, &wider);
    if (err != CAIRN_OK) { return err; }
    for (uint32_t y = 0; y < wider.height; y++) {
        for (uint32_t x = 0; x < wider.width; x++) {
            const int64_t from_x = (int64_t)x - 1, from_y = (int64_t)y - 1;
            uint8_t kind = kind_at(cells, from_x, from_y);
            if (kind == CAIRN_CELL_UNKNOWN && beside_free(cells, from_x, from_y)) {
                kind = CAIRN_CELL_WALL;
                report->closed_cells++;
            }
            wider.kinds[(size_t)y * wider.width + x] = kind;
        }
    }
    wider.origin_m = cairn_vec2_sub(cells->origin_m, (cairn_vec2){cells->cell_m, cells->cell_m});
    *ret_cells = wider;
    return CAIRN_OK;
}

// Only what is known, in place: rows move to the front of the same memory.
static void crop(cairn_cells *cells)
{
    uint32_t x_min = UINT32_MAX, x_max = 0, y_min = UINT32_MAX, y_max = 0;
    for (uint32_t y = 0; y < cells->height; y++) {
        for (uint32_t x = 0; x < cells->width; x++) {
            if (cells->kinds[(size_t)y * cells->width + x] == CAIRN_CELL_UNKNOWN) { continue; }
            x_min = x < x_min ? x : x_min;
            x_max = x > x_max ? x : x_max;
            y_min = y < y_min ? y : y_min;
            y_max = y;
        }
    }
    const uint32_t width = x_max - x_min + 1, height = y_max - y_min + 1;
    for (uint32_t y = 0; y < height; y++) {
        memmove(cells->kinds + (size_t)y * width, cells->kinds + (size_t)(y + y_min) * cells->width + x_min, width);
    }
    cells->origin_m = cairn_vec2_add(cells->origin_m, (cairn_vec2){x_min * cells->cell_m, y_min * cells->cell_m});
    cells->width = width;
    cells->height = height;
}

cairn_err cairn_cells_tidy(const cairn_cells *cells, double speck_m, const char *name_for_errors, cairn_arena *memory,
                           cairn_complaints *complaints, cairn_cells *ret_cells, cairn_import_report *report)
{
    CAIRN_ASSERT(cells != NULL && memory != NULL && complaints != NULL && ret_cells != NULL && report != NULL);
    work on = {.cells = *cells,
               .seen = CAIRN_TAKE(memory, uint8_t, (size_t)cells->width * cells->height),
               .queue = CAIRN_TAKE(memory, uint32_t, (size_t)cells->width * cells->height)};
    if (on.seen == NULL || on.queue == NULL) { return CAIRN_ERR_FULL; }
    sweep by = {speck_m, report};
    each_group(&on, CAIRN_CELL_WALL, remove_speck, &by);
    each_group(&on, CAIRN_CELL_UNKNOWN, remove_speck, &by);
    remove_fringe(&on, report);
    choice among = {0};
    each_group(&on, CAIRN_CELL_FREE, weigh_area, &among);
    among.enclosed = (uint64_t)among.largest_enclosed * ENCLOSED_PART_MIN >= among.all;
    const uint32_t place = among.enclosed ? among.largest_enclosed : among.largest;
    if (place * cells->cell_m * cells->cell_m < FREE_AREA_M2_MIN) {
        cairn_complain(
            complaints, name_for_errors, 0,
            "has no free ground of %.0f m2 that hangs together; look at the thresholds and at metres a pixel",
            FREE_AREA_M2_MIN);
        return CAIRN_ERR_INVALID;
    }
    each_group(&on, CAIRN_CELL_FREE, forget_area, &among);
    each_group(&on, CAIRN_CELL_WALL, forget_walls, NULL);
    const cairn_err err = close_outside(&on.cells, memory, ret_cells, report);
    if (err == CAIRN_OK) { crop(ret_cells); }
    return err;
}
