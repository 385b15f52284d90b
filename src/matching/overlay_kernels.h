// overlay_kernels.h - many translations of one turned scan at once: a bit for each, counted by whole registers.
//
// A plane is a picture of bits with a margin on all sides, in columns of words. Word j of a row holds the bits
// 63 j .. 63 j + 63: neighbours share one bit, so that the 64 bits from any place on are two shifts that are never as
// long as a word. The words of a column lie one after the other in memory.
//
// The 64 bits that begin where a point lies say for which of 64 translations along x the point hits; four rows of them
// are 256 translations. They are counted over all points by carry-save adders: integers, so all copies agree.
//
// A plane of blocks says the same of 4 x 4 translations in one bit: set if any cell of the 4 x 4 from there on is. It
// is kept apart by phase (y mod 4, x mod 4), each a small plane of every fourth bit of every fourth row, in words of 16
// bits that share one, too. The 16 x 16 bits from a place on are a tile of 64 x 64 translations, again 256 bits.
#pragma once
#include "base/dispatch.h"
#include <stdalign.h>

#define CAIRN_OVERLAY_LANES 64       // translations along x of one word; rows of a tile
#define CAIRN_OVERLAY_MARGIN 72      // a tile that lies in it hits nothing, not even the neighbours of the first cells
#define CAIRN_OVERLAY_ROWS 4         // rows that are counted at once
#define CAIRN_OVERLAY_BLOCKS 16      // blocks along a side of a tile
#define CAIRN_OVERLAY_POINTS_MAX 496 // what the adders can count, less than 512 and a multiple of 16
#define CAIRN_OVERLAY_BITS 10        // of a count over two planes

// The planes of one reference, see pyramid.h: columns * rows words each.
#define CAIRN_OVERLAY_ROWS_MAX 1168 // 1024 and margins
typedef struct cairn_overlay_plane_set {
    uint32_t columns, rows, block_rows;
    uint32_t width, height; // cells without the margins
    const uint64_t *on;
    uint64_t *near, *known;            // known: in, what was seen; out, with what is near a surface
    uint16_t *on_blocks, *near_blocks; // in: zero
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
    uint32_t rows;          // of a column
    uint32_t block_rows;
} cairn_overlay_pose;

// Where the points fall in a plane: index of the word, the bit in it, and what that leaves of the bits from one word to
// the next. Points beyond the plane fall into its margin.
typedef struct cairn_overlay_spots {
    alignas(64) uint32_t word[CAIRN_OVERLAY_POINTS_MAX];
    alignas(64) uint32_t bit[CAIRN_OVERLAY_POINTS_MAX];
    alignas(64) uint32_t rest[CAIRN_OVERLAY_POINTS_MAX];
} cairn_overlay_spots;

// Counts for 4 rows of 64 translations, as bit planes: bit k of the count of translation x in row y is bit x of
// bits[k][y]. most[y]: the largest in the row among the translations of the mask.
typedef struct cairn_overlay_counts {
    alignas(32) uint64_t bits[CAIRN_OVERLAY_BITS][CAIRN_OVERLAY_ROWS];
    alignas(32) uint64_t most[CAIRN_OVERLAY_ROWS];
} cairn_overlay_counts;

// The largest count in each row of blocks.
typedef struct cairn_overlay_bounds {
    alignas(32) uint16_t most[CAIRN_OVERLAY_BLOCKS];
} cairn_overlay_bounds;

typedef void (*cairn_overlay_planes_fn)(const cairn_overlay_plane_set *set);
typedef void (*cairn_overlay_place_fn)(const float *x_m, const float *y_m, uint32_t count,
                                       const cairn_overlay_pose *pose, cairn_overlay_spots *ret_cells,
                                       cairn_overlay_spots *ret_blocks);
typedef void (*cairn_overlay_count_fn)(const uint64_t *plane, uint32_t rows, const cairn_overlay_spots *spots,
                                       uint32_t count, uint64_t mask, const cairn_overlay_counts *before,
                                       cairn_overlay_counts *ret_counts);
typedef void (*cairn_overlay_bound_fn)(const uint16_t *plane, uint32_t rows, const cairn_overlay_spots *spots,
                                       uint32_t count, uint16_t mask, cairn_overlay_bounds *ret_bounds);

CAIRN_KERNEL_DECLARE(void, cairn_overlay_planes, (const cairn_overlay_plane_set *set));
// Either of the two may be NULL. count is a multiple of 16.
CAIRN_KERNEL_DECLARE(void, cairn_overlay_place,
                     (const float *x_m, const float *y_m, uint32_t count, const cairn_overlay_pose *pose,
                      cairn_overlay_spots *ret_cells, cairn_overlay_spots *ret_blocks));
// Hits of all points on a plane, added to those before: of one other plane, or NULL.
CAIRN_KERNEL_DECLARE(void, cairn_overlay_count,
                     (const uint64_t *plane, uint32_t rows, const cairn_overlay_spots *spots, uint32_t count,
                      uint64_t mask, const cairn_overlay_counts *before, cairn_overlay_counts *ret_counts));
// Hits of all points on a plane of blocks: no translation of a block has more.
CAIRN_KERNEL_DECLARE(void, cairn_overlay_bound,
                     (const uint16_t *plane, uint32_t rows, const cairn_overlay_spots *spots, uint32_t count,
                      uint16_t mask, cairn_overlay_bounds *ret_bounds));
