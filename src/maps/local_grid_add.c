// local_grid_add.c - folding one scan into the fine cells.
//
// What the laser looked through is a polygon: the sensor and the ends of the beams. Its cells are found by scan
// conversion, not by walking every beam: each edge toggles one bit in each row that it crosses, at the first cell whose
// middle is right of the crossing, and a running exclusive-or along the row turns the toggles into the inside. So each
// cell is counted once a scan, near the sensor as well as far from it, and the cost does not grow with the number of
// beams. (Walking 1081 beams through a maze visits ten times as many cells.)
//
// A cell in which a beam ended is occupied in this scan, whatever passed through it. Where neighbouring beams end on
// one surface farther apart than a cell, the cells between are kept from being cleared, so that a wall seen at a flat
// angle does not fray.
#include "maps/local_grid_cells.h"
#include <math.h>

#define GAP_TAN 0.06        // [-] tangent of the angle: beams farther apart have nothing between them that was seen
#define SAME_SURFACE_M 0.35 // hits nearer to each other than this are taken to be one surface

// The ends of the beams, in cells of the window, cut at the grid's range.
typedef struct beam_ends {
    uint32_t count;
    double x[CAIRN_SCAN_POINTS_MAX], y[CAIRN_SCAN_POINTS_MAX];
    bool hit[CAIRN_SCAN_POINTS_MAX];
} beam_ends;

typedef struct scan_fill {
    cairn_local_grid *grid;
    uint32_t words;            // 64-bit words of a row
    int32_t row_low, row_high; // rows touched so far, of the window
    double sensor_x, sensor_y; // in cells of the window
} scan_fill;

static void toggle(scan_fill *fill, int32_t row, double x)
{
    const int32_t size = (int32_t)fill->grid->def.size_cells;
    int32_t column = x <= 0.5 ? 0 : x >= size ? size : (int32_t)(x + 0.5); // first cell with its middle right of x
    if (column < size) {
        fill->grid->inside[(uint32_t)row * fill->words + (uint32_t)column / 64] ^= 1ull << column % 64;
    }
}

static void edge_add(scan_fill *fill, double from_x, double from_y, double to_x, double to_y)
{
    const int32_t size = (int32_t)fill->grid->def.size_cells;
    const double low = from_y < to_y ? from_y : to_y, high = from_y < to_y ? to_y : from_y;
    int32_t row = cairn_cell_floor(low + 0.5), end = cairn_cell_floor(high + 0.5);
    if (row >= end) { return; } // crosses the middle of no row
    if (row < 0) { row = 0; }
    if (end > size) { end = size; }
    if (row < fill->row_low) { fill->row_low = row; }
    if (end > fill->row_high) { fill->row_high = end; }
    const double slope = (to_x - from_x) / (to_y - from_y);
    for (; row < end; row++) { toggle(fill, row, from_x + (row + 0.5 - from_y) * slope); }
}

// Keeps a cell from being cleared by this scan; true if it was not yet.
static bool keep(scan_fill *fill, int32_t x, int32_t y)
{
    const uint32_t size = fill->grid->def.size_cells;
    if ((uint32_t)x >= size || (uint32_t)y >= size) { return false; }
    if (y < fill->row_low) { fill->row_low = y; }
    if (y >= fill->row_high) { fill->row_high = y + 1; }
    uint64_t *word = &fill->grid->kept[(uint32_t)y * fill->words + (uint32_t)x / 64];
    const uint64_t bit = 1ull << (uint32_t)x % 64;
    const bool fresh = !(*word & bit);
    *word |= bit;
    return fresh;
}

static int8_t current(const cairn_local_grid *grid, size_t index)
{
    const bool old = (uint8_t)((uint8_t)grid->now_tick - grid->stamp[index]) > CAIRN_MEMORY_TICKS;
    return old ? 0 : grid->logodds[index];
}

static void hit_add(scan_fill *fill, int32_t cell_x, int32_t cell_y)
{
    cairn_local_grid *grid = fill->grid;
    if (!keep(fill, cell_x, cell_y)) { return; }
    const size_t index = cairn_local_grid_index(grid, cell_x + grid->min_x, cell_y + grid->min_y);
    const int value = current(grid, index) + grid->hit;
    grid->logodds[index] = (int8_t)(value < CAIRN_LOGODDS_LIMIT ? value : CAIRN_LOGODDS_LIMIT);
    grid->stamp[index] = (uint8_t)grid->now_tick;
}

// The cells between hits on one surface that lie more than a cell apart. After all hits, which must come first.
static void between_keep(scan_fill *fill, const beam_ends *ends, uint32_t i)
{
    const double dx = ends->x[i] - ends->x[i - 1], dy = ends->y[i] - ends->y[i - 1];
    const double length2 = dx * dx + dy * dy, limit = SAME_SURFACE_M * fill->grid->cells_per_m;
    if (length2 < 1.0 || length2 > limit * limit) { return; }
    const int32_t count = (int32_t)(2 * sqrt(length2));
    for (int32_t k = 1; k < count; k++) {
        const double part = (double)k / count;
        keep(fill, cairn_cell_floor(ends->x[i - 1] + part * dx), cairn_cell_floor(ends->y[i - 1] + part * dy));
    }
}

// The polygon of what was looked through. Where nothing is known between two beams it goes through the sensor.
static void polygon_add(scan_fill *fill, const beam_ends *ends)
{
    const double x0 = fill->sensor_x, y0 = fill->sensor_y;
    double before_x = x0, before_y = y0;
    for (uint32_t i = 0; i < ends->count; i++) {
        const double ax = before_x - x0, ay = before_y - y0, bx = ends->x[i] - x0, by = ends->y[i] - y0;
        const double dot = ax * bx + ay * by, cross = ax * by - ay * bx;
        if (dot > 0 && cross * cross < GAP_TAN * GAP_TAN * dot * dot) {
            edge_add(fill, before_x, before_y, ends->x[i], ends->y[i]);
        } else {
            edge_add(fill, before_x, before_y, x0, y0);
            edge_add(fill, x0, y0, ends->x[i], ends->y[i]);
        }
        before_x = ends->x[i], before_y = ends->y[i];
    }
    edge_add(fill, before_x, before_y, x0, y0);
}

// Counts a run of cells, contiguous in memory, as looked through. Written for the vectoriser: bytes only.
static void run_miss(cairn_local_grid *grid, size_t index, size_t count)
{
    int8_t *restrict logodds = grid->logodds + index;
    uint8_t *restrict stamp = grid->stamp + index;
    const uint8_t tick = (uint8_t)grid->now_tick;
    const int8_t miss = grid->miss, limit = -CAIRN_LOGODDS_LIMIT, lowest = (int8_t)(limit - miss);
    for (size_t i = 0; i < count; i++) {
        const int8_t value = (uint8_t)(tick - stamp[i]) > CAIRN_MEMORY_TICKS ? 0 : logodds[i];
        logodds[i] = value > lowest ? (int8_t)(value + miss) : limit;
        stamp[i] = tick;
    }
}

static void run_add(cairn_local_grid *grid, int32_t row, int32_t from, int32_t end)
{
    const size_t start = cairn_local_grid_index(grid, grid->min_x + from, grid->min_y + row);
    const size_t till_wrap = grid->def.size_cells - (start & (size_t)grid->mask), count = (size_t)(end - from);
    const size_t first = count < till_wrap ? count : till_wrap;
    run_miss(grid, start, first);
    if (count > first) { run_miss(grid, start & ~(size_t)grid->mask, count - first); }
}

static uint64_t running_xor(uint64_t bits)
{
    for (int shift = 1; shift < 64; shift *= 2) { bits ^= bits << shift; }
    return bits;
}

// Turns the toggles of a row into runs of cells, counts them as looked through, and leaves the row's scratch clean.
static void row_finish(scan_fill *fill, int32_t row)
{
    uint64_t *inside = fill->grid->inside + (uint32_t)row * fill->words;
    uint64_t *kept = fill->grid->kept + (uint32_t)row * fill->words;
    uint64_t carry = 0;
    int32_t run_start = -1;
    for (uint32_t w = 0; w < fill->words; w++) {
        if ((inside[w] | carry) == 0 && run_start < 0) { // nothing begins, nothing goes on
            kept[w] = 0;
            continue;
        }
        const uint64_t filled = running_xor(inside[w]) ^ carry;
        carry = filled >> 63 ? ~0ull : 0;
        const uint64_t bits = filled & ~kept[w];
        inside[w] = kept[w] = 0;
        const int32_t base = (int32_t)w * 64;
        for (int32_t at = 0; at < 64;) {
            const uint64_t rest = (run_start >= 0 ? ~bits : bits) >> at;
            if (rest == 0) { break; }
            at += __builtin_ctzll(rest);
            if (run_start >= 0) {
                run_add(fill->grid, row, run_start, base + at);
                run_start = -1;
            } else {
                run_start = base + at;
            }
        }
    }
    if (run_start >= 0) { run_add(fill->grid, row, run_start, (int32_t)fill->words * 64); }
}

static void ends_find(const cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_points *points,
                      scan_fill *fill, beam_ends *ret_ends)
{
    const double cosine = cos(map_T_base.yaw_rad) * grid->cells_per_m;
    const double sine = sin(map_T_base.yaw_rad) * grid->cells_per_m;
    const double base_x = map_T_base.x_m * grid->cells_per_m - grid->min_x;
    const double base_y = map_T_base.y_m * grid->cells_per_m - grid->min_y;
    fill->sensor_x = base_x + cosine * points->sensor_x_m - sine * points->sensor_y_m;
    fill->sensor_y = base_y + sine * points->sensor_x_m + cosine * points->sensor_y_m;
    const double range2_max = grid->def.range_m_max * grid->def.range_m_max * grid->cells_per_m * grid->cells_per_m;
    ret_ends->count = points->count;
    for (uint32_t i = 0; i < points->count; i++) {
        double x = base_x + cosine * points->x_m[i] - sine * points->y_m[i];
        double y = base_y + sine * points->x_m[i] + cosine * points->y_m[i];
        const double dx = x - fill->sensor_x, dy = y - fill->sensor_y, range2 = dx * dx + dy * dy;
        const bool within = range2 <= range2_max;
        if (!within) {
            const double part = sqrt(range2_max / range2);
            x = fill->sensor_x + dx * part, y = fill->sensor_y + dy * part;
        }
        ret_ends->x[i] = x, ret_ends->y[i] = y;
        ret_ends->hit[i] = within && points->hit[i];
    }
}

static void cells_add(cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_points *points)
{
    scan_fill fill = {
        .grid = grid, .words = grid->def.size_cells / 64, .row_low = (int32_t)grid->def.size_cells, .row_high = 0};
    beam_ends ends;
    ends_find(grid, map_T_base, points, &fill, &ends);
    for (uint32_t i = 0; i < ends.count; i++) {
        if (ends.hit[i]) { hit_add(&fill, cairn_cell_floor(ends.x[i]), cairn_cell_floor(ends.y[i])); }
    }
    for (uint32_t i = 1; i < ends.count; i++) {
        if (ends.hit[i] && ends.hit[i - 1]) { between_keep(&fill, &ends, i); }
    }
    polygon_add(&fill, &ends);
    for (int32_t row = fill.row_low; row < fill.row_high; row++) { row_finish(&fill, row); }
}

void cairn_local_grid_add(cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_points *points,
                          cairn_mono now)
{
    CAIRN_ASSERT(points->count <= CAIRN_SCAN_POINTS_MAX);
    if (!grid->placed) { cairn_local_grid_centre(grid, cairn_pose2_at(map_T_base)); }
    grid->now_tick = cairn_local_grid_tick(grid, now);
    cairn_local_grid_sweep(grid, grid->now_tick);
    cells_add(grid, map_T_base, points);
    cairn_scan_patches patches;
    cairn_scan_patches_find(points, (float)grid->def.range_m_max, &patches);
    cairn_surfaces_add(grid, map_T_base, &patches);
    cairn_scan_edges edges;
    cairn_scan_edges_find(points, (float)grid->def.range_m_max, &edges);
    cairn_edge_marks_add(grid, map_T_base, &edges);
}
