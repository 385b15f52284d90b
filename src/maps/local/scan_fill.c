// scan_fill.c - scan conversion of the polygon that a scan looked through.
#include "maps/local/scan_fill.h"
#include <math.h>

#define GAP_TAN 0.06        // [-] tangent of the angle: beams farther apart have nothing between them that was seen
#define SAME_SURFACE_M 0.35 // hits nearer to each other than this are taken to be one surface

static int32_t floor_of(double value)
{
    const int32_t cell = (int32_t)value;
    return cell - (value < cell);
}

static void toggle(cairn_scan_fill *fill, int32_t row, double x)
{
    const int32_t size = (int32_t)fill->size_cells;
    int32_t column = x <= 0.5 ? 0 : x >= size ? size : (int32_t)(x + 0.5); // first cell with its middle right of x
    if (column < size) {
        fill->inside[(uint32_t)row * ((uint32_t)size / 64) + (uint32_t)column / 64] ^= 1ull << column % 64;
    }
}

static void edge_add(cairn_scan_fill *fill, double from_x, double from_y, double to_x, double to_y)
{
    const int32_t size = (int32_t)fill->size_cells;
    const double low = from_y < to_y ? from_y : to_y, high = from_y < to_y ? to_y : from_y;
    int32_t row = floor_of(low + 0.5), end = floor_of(high + 0.5);
    if (row >= end) { return; } // crosses the middle of no row
    if (row < 0) { row = 0; }
    if (end > size) { end = size; }
    if (row < fill->row_low) { fill->row_low = row; }
    if (end > fill->row_high) { fill->row_high = end; }
    const double slope = (to_x - from_x) / (to_y - from_y);
    for (; row < end; row++) { toggle(fill, row, from_x + (row + 0.5 - from_y) * slope); }
}

// Keeps a cell from being cleared by this scan; true if it was not yet.
static bool keep(cairn_scan_fill *fill, int32_t x, int32_t y)
{
    const uint32_t size = fill->size_cells;
    if ((uint32_t)x >= size || (uint32_t)y >= size) { return false; }
    if (y < fill->row_low) { fill->row_low = y; }
    if (y >= fill->row_high) { fill->row_high = y + 1; }
    uint64_t *word = &fill->kept[(uint32_t)y * (size / 64) + (uint32_t)x / 64];
    const uint64_t bit = 1ull << (uint32_t)x % 64;
    const bool fresh = !(*word & bit);
    *word |= bit;
    return fresh;
}

// The cells between hits on one surface that lie more than a cell apart. After all hits, which must come first.
static void between_keep(cairn_scan_fill *fill, const cairn_beam_ends *ends, uint32_t i)
{
    const double dx = ends->x[i] - ends->x[i - 1], dy = ends->y[i] - ends->y[i - 1];
    const double length2 = dx * dx + dy * dy, limit = SAME_SURFACE_M * fill->cells_per_m;
    if (length2 < 1.0 || length2 > limit * limit) { return; }
    const int32_t count = (int32_t)(2 * sqrt(length2));
    for (int32_t k = 1; k < count; k++) {
        const double part = (double)k / count;
        keep(fill, floor_of(ends->x[i - 1] + part * dx), floor_of(ends->y[i - 1] + part * dy));
    }
}

// The polygon of what was looked through. Where nothing is known between two beams it goes through the sensor.
static void polygon_add(cairn_scan_fill *fill, const cairn_beam_ends *ends)
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

static uint64_t running_xor(uint64_t bits)
{
    for (int shift = 1; shift < 64; shift *= 2) { bits ^= bits << shift; }
    return bits;
}

// Turns the toggles of a row into runs of cells, counts them as looked through, and leaves the row's scratch clean.
static void row_finish(cairn_scan_fill *fill, int32_t row, const cairn_scan_fill_calls *calls)
{
    const uint32_t words = fill->size_cells / 64;
    uint64_t *inside = fill->inside + (uint32_t)row * words;
    uint64_t *kept = fill->kept + (uint32_t)row * words;
    uint64_t carry = 0;
    int32_t run_start = -1;
    for (uint32_t w = 0; w < words; w++) {
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
                calls->run(calls->owner, row, run_start, base + at);
                run_start = -1;
            } else {
                run_start = base + at;
            }
        }
    }
    if (run_start >= 0) { calls->run(calls->owner, row, run_start, (int32_t)fill->size_cells); }
}

static void ends_find(cairn_scan_fill *fill, cairn_pose2 map_T_base, const cairn_scan_points *points,
                      double range_m_max, cairn_beam_ends *ret_ends)
{
    const double cosine = cos(map_T_base.yaw_rad) * fill->cells_per_m;
    const double sine = sin(map_T_base.yaw_rad) * fill->cells_per_m;
    const double base_x = map_T_base.x_m * fill->cells_per_m - fill->min_x;
    const double base_y = map_T_base.y_m * fill->cells_per_m - fill->min_y;
    fill->sensor_x = base_x + cosine * points->sensor_x_m - sine * points->sensor_y_m;
    fill->sensor_y = base_y + sine * points->sensor_x_m + cosine * points->sensor_y_m;
    const double range2_max = range_m_max * range_m_max * fill->cells_per_m * fill->cells_per_m;
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

void cairn_scan_fill_scan(cairn_scan_fill *fill, cairn_pose2 map_T_base, const cairn_scan_points *points,
                          double range_m_max, const cairn_scan_fill_calls *calls)
{
    cairn_beam_ends ends;
    fill->row_low = (int32_t)fill->size_cells, fill->row_high = 0;
    ends_find(fill, map_T_base, points, range_m_max, &ends);
    for (uint32_t i = 0; i < ends.count; i++) {
        const int32_t x = floor_of(ends.x[i]), y = floor_of(ends.y[i]);
        if (ends.hit[i] && keep(fill, x, y)) { calls->hit(calls->owner, x, y); }
    }
    for (uint32_t i = 1; i < ends.count; i++) {
        if (ends.hit[i] && ends.hit[i - 1]) { between_keep(fill, &ends, i); }
    }
    polygon_add(fill, &ends);
    for (int32_t row = fill->row_low; row < fill->row_high; row++) { row_finish(fill, row, calls); }
}
