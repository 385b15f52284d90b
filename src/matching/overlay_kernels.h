// overlay_kernels.h - many translations of one turned scan at once: a bit for each, counted by whole registers.
//
// A plane is a picture of bits with a margin on all sides, in columns of words. Word j of a row
// holds the bits 63 j .. 63 j + 63: neighbours share one bit, so that the 64 bits from any place on are two shifts that
// are never as long as a word. The words of a column lie one after the other in memory; rows in order for planes that
// are looked at row by row, or in the order of cairn_overlay_eighth for planes that are looked at every eighth row.
//
// The 64 bits that begin where a point lies say for which of 64 translations along x the point hits; eight rows of them
// are 512 translations. They are counted over all points by carry-save adders: integers, so all copies agree.
#pragma once
#include "base/dispatch.h"
#include <stdalign.h>

#define CAIRN_OVERLAY_LANES 64       // translations along x of one word; rows of a tile
#define CAIRN_OVERLAY_MARGIN 72      // a tile that lies in it hits nothing, not even the neighbours of the first cells
#define CAIRN_OVERLAY_ROWS 8         // rows that are counted at once
#define CAIRN_OVERLAY_POINTS_MAX 496 // what the adders can count, less than 512 and a multiple of 16
#define CAIRN_OVERLAY_BITS 10        // of a count over two planes

// The planes of one reference, see pyramid.h: columns * rows words each.
#define CAIRN_OVERLAY_ROWS_MAX 1168 // 1024 and margins
typedef struct cairn_overlay_plane_set {
    uint32_t columns, rows; // rows: a multiple of 8
    const uint64_t *on;
    uint64_t *near, *on8, *near8, *free; // free: in, what is known; out, what of it is not near a surface
} cairn_overlay_plane_set;

// How a scan lies on a plane, in cells of the plane with its margin. The cell of a point is worked out in float as
// floor(cosine * x - sine * y + this.x) - CAIRN_OVERLAY_OFFSET, likewise y, and then moved by whole cells: so the same
// point falls into the same cell, whichever tile it is looked at from.
#define CAIRN_OVERLAY_OFFSET 4096 // keeps what is rounded above zero, at 1/2000 of a cell
typedef struct cairn_overlay_pose {
    float cosine, sine;     // of the turn, divided by the plane's cell
    float x, y;             // where the scan's origin comes to lie, plus the offset
    int32_t move_x, move_y; // the tile's first translation, less the offset
    int32_t x_max, y_max;   // from here on all is margin
    uint32_t rows;          // of a column, a multiple of 8
} cairn_overlay_pose;

// Where the points fall, for planes in order and for planes by eighths: index of the word, times 64, plus the bit.
// Points beyond the plane fall into its margin. count is a multiple of 16.
typedef struct cairn_overlay_places {
    uint32_t count;
    alignas(64) uint32_t in_order[CAIRN_OVERLAY_POINTS_MAX];
    alignas(64) uint32_t by_eighths[CAIRN_OVERLAY_POINTS_MAX];
} cairn_overlay_places;

// Counts for 8 rows of 64 translations, as bit planes: bit k of the count of translation x in row y is bit x of
// bits[k][y]. most[y]: the largest in the row among the translations of the mask.
typedef struct cairn_overlay_counts {
    alignas(64) uint64_t bits[CAIRN_OVERLAY_BITS][CAIRN_OVERLAY_ROWS];
    alignas(64) uint64_t most[CAIRN_OVERLAY_ROWS];
} cairn_overlay_counts;

static inline uint32_t cairn_overlay_eighth(uint32_t row, uint32_t rows)
{
    return (row & 7) * (rows >> 3) + (row >> 3);
}

typedef void (*cairn_overlay_planes_fn)(const cairn_overlay_plane_set *set);
typedef void (*cairn_overlay_place_fn)(const float *x_m, const float *y_m, uint32_t count,
                                       const cairn_overlay_pose *pose, cairn_overlay_places *ret_places);
typedef void (*cairn_overlay_count_fn)(const uint64_t *first, const uint64_t *second, uint32_t rows,
                                       const uint32_t *places, uint32_t count, uint64_t mask,
                                       cairn_overlay_counts *ret_counts);

CAIRN_KERNEL_DECLARE(void, cairn_overlay_planes, (const cairn_overlay_plane_set *set));
CAIRN_KERNEL_DECLARE(void, cairn_overlay_place,
                     (const float *x_m, const float *y_m, uint32_t count, const cairn_overlay_pose *pose,
                      cairn_overlay_places *ret_places));
// Hits of all points on the first plane plus those on the second, which may be NULL.
CAIRN_KERNEL_DECLARE(void, cairn_overlay_count,
                     (const uint64_t *first, const uint64_t *second, uint32_t rows, const uint32_t *places,
                      uint32_t count, uint64_t mask, cairn_overlay_counts *ret_counts));
