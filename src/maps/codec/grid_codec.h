// grid_codec.h - a grid of one or two planes as few bytes: lossless, integers only, the same bits on every machine.
//
// For grids of any size up to 4096 x 4096: those in files, and what robots send (planes_codec.h). Each cell is
// predicted from those before it by a trained network, and from an earlier grid too if the reader has one; what this
// grid turned out to be corrects the prediction, by contexts whose say is learned as well. docs/maps.md tells the
// model.
//
// Memory   cairn_grid_scratch_bytes() of the scratch arena, given back at return.
// Threads  No state.
// Format   The model is the format: CAIRN_GRID_CODE_VERSION counts its changes.
#pragma once
#include "base/memory.h"
#include "maps/codec/grid_move.h"

#define CAIRN_GRID_CODE_VERSION 3
#define CAIRN_GRID_KNOWN 1 // bits of a cell
#define CAIRN_GRID_OBSTACLE 2

// Row by row from the lowest y. With one plane only the obstacle bit counts.
typedef struct cairn_grid_cells {
    uint32_t width, height; // 1 to CAIRN_GRID_SIDE_MAX
    bool has_known;         // two planes
    uint8_t *cells;
} cairn_grid_cells;

// A grid that the reader has already, with as many planes, and where it lies.
typedef struct cairn_grid_earlier {
    const cairn_grid_cells *grid;
    cairn_grid_moved moved;
} cairn_grid_earlier;

// No code of such a grid is longer, whatever is in it.
size_t cairn_grid_code_bytes_max(const cairn_grid_cells *grid);
// That encode and decode need.
size_t cairn_grid_scratch_bytes(uint32_t width, uint32_t height);

// Writes the code of the cells, not their number or planes. `earlier` may be NULL. CAIRN_ERR_FULL if it does not fit,
// or scratch is too small; ret_code is then undefined. O(cells), about 0.6 ms for 22,500 of a plane, 0.9 ms of two.
CAIRN_CHECKED cairn_err cairn_grid_encode(const cairn_grid_cells *grid, const cairn_grid_earlier *earlier,
                                          cairn_arena *scratch, uint8_t *ret_code, size_t code_bytes_max,
                                          size_t *ret_code_bytes);

// Fills ret_grid's cells for the size and planes that it has; `earlier` as for the encoder. The code may hold anything:
// CAIRN_ERR_CORRUPT for what no encoder makes, and the cells are then undefined. Damage is found with high probability,
// not always: grid_file.h has a checksum.
CAIRN_CHECKED cairn_err cairn_grid_decode(const uint8_t *code, size_t code_bytes, const cairn_grid_earlier *earlier,
                                          cairn_arena *scratch, cairn_grid_cells *ret_grid);
