// raster_kernels.h - one row of a raster under a terrain map, as fast as the instruction set allows.
#pragma once
#include "base/dispatch.h"
#include <stdint.h>

#define CAIRN_RASTER_FRACTION_BITS 24 // of u and v: 8 bits are left for the cell
#define CAIRN_RASTER_CODE_PADDING 4   // bytes behind the last code that may be read

// A stretch of a row: where its first cell lies in the terrain map, and how far apart its cells are. All of them lie
// within the map.
typedef struct cairn_raster_stretch {
    const uint8_t *codes; // of the terrain map, a byte a cell, 0..3, row by row
    uint32_t width;       // of a row of it
    uint32_t u, v;        // fixed point, in its cells; so are the steps, which wrap
    uint32_t u_by, v_by;
    uint32_t count;
} cairn_raster_stretch;

// Adds the vote of each cell's code to its sum.
typedef void (*cairn_raster_row_fn)(const cairn_raster_stretch *stretch, const uint64_t votes[4], uint64_t *sums);
CAIRN_KERNEL_DECLARE(void, cairn_raster_row,
                     (const cairn_raster_stretch *stretch, const uint64_t votes[4], uint64_t *sums));
