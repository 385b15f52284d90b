// scan_fill.h - which cells a scan looked through and in which it ended, each once however many beams crossed it.
//
// What the laser looked through is a polygon: the sensor and the ends of the beams. Its cells are found by scan
// conversion, not by walking every beam: each edge toggles one bit in each row that it crosses, at the first cell whose
// middle is right of the crossing, and a running exclusive-or along the row turns the toggles into the inside. So each
// cell is counted once a scan, near the sensor as well as far from it, and the cost does not grow with the number of
// beams. (Walking 1081 beams through a maze visits ten times as many cells.)
//
// A cell in which a beam ended is occupied in this scan, whatever passed through it. Where neighbouring beams end on
// one surface farther apart than a cell, the cells between are kept from being cleared, so that a wall seen at a flat
// angle does not fray. Beams more than 3.4 degrees apart have nothing between them that was seen.
//
// Frame    cells of a square window; (0,0) is its lower left corner. What lies outside is left out.
// Memory   The two planes of bits are the owner's, all zero before and after.
#pragma once
#include "geometry/pose2.h"
#include "maps/local/scan_points.h"
#include <stdbool.h>
#include <stddef.h>

// The ends of the beams, in cells of the window, cut at the range.
typedef struct cairn_beam_ends {
    uint32_t count;
    double x[CAIRN_SCAN_POINTS_MAX], y[CAIRN_SCAN_POINTS_MAX];
    bool hit[CAIRN_SCAN_POINTS_MAX];
} cairn_beam_ends;

typedef struct cairn_scan_fill {
    uint32_t size_cells; // edge of the window, a multiple of 64
    double cells_per_m;
    int32_t min_x, min_y;      // the window's lower left cell, counted from the frame's origin
    uint64_t *inside, *kept;   // size_cells * size_cells bits each
    int32_t row_low, row_high; // rows touched so far, of the window
    double sensor_x, sensor_y; // in cells of the window
} cairn_scan_fill;

// What is told of a scan. Rows and columns are of the window. All hits come before all runs; no cell comes twice.
typedef struct cairn_scan_fill_calls {
    void (*hit)(void *owner, int32_t x, int32_t y);
    void (*run)(void *owner, int32_t row, int32_t from, int32_t end); // looked through: from <= x < end
    void *owner;
} cairn_scan_fill_calls;

// fill: the first five fields set. Points must be in the order of their bearing.
void cairn_scan_fill_scan(cairn_scan_fill *fill, cairn_pose2 map_T_base, const cairn_scan_points *points,
                          double range_m_max, const cairn_scan_fill_calls *calls);
