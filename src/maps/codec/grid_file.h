// grid_file.h - a coded grid as a file: what the code does not tell, and checksums, before the code.
//
//   0   "CGRD"
//   4   version (CAIRN_GRID_CODE_VERSION)
//   5   bit 0: two planes; bit 1: needs an earlier grid
//   6   width - 1, height - 1, uint16 each; all numbers little endian
//   10  checksum of the cells, uint32
//   14  only if an earlier grid is needed: x [um], y [um], yaw [urad], cell [um], int32 each, checksum of its cells
//   34  (or 14) the code
//
// Threads  No state.
#pragma once
#include "maps/codec/grid_codec.h"

#define CAIRN_GRID_FILE_HEAD_BYTES_MAX 34

typedef struct cairn_grid_file {
    uint32_t width, height;
    bool has_known, needs_earlier;
    uint32_t checksum, earlier_checksum;
    cairn_grid_moved moved; // if it needs an earlier grid
    size_t head_bytes;      // where the code begins
} cairn_grid_file;

// Of what counts of the cells.
uint32_t cairn_grid_checksum(const cairn_grid_cells *grid);

// Writes the head and the code; CAIRN_ERR_FULL as cairn_grid_encode. Room for head and cairn_grid_code_bytes_max is
// enough.
CAIRN_CHECKED cairn_err cairn_grid_file_encode(const cairn_grid_cells *grid, const cairn_grid_earlier *earlier,
                                               cairn_arena *scratch, uint8_t *ret_bytes, size_t bytes_max,
                                               size_t *ret_file_bytes, size_t *ret_code_bytes);

// Reads the head of bytes that may hold anything: CAIRN_ERR_CORRUPT, CAIRN_ERR_UNSUPPORTED for another version.
CAIRN_CHECKED cairn_err cairn_grid_file_parse(const uint8_t *bytes, size_t size_bytes, cairn_grid_file *ret_file);

// Decodes into ret_grid's cells, width * height bytes; `earlier` is the grid that it needs, or NULL.
// CAIRN_ERR_NOT_FOUND if it needs one and there is none or another one; CAIRN_ERR_CORRUPT; CAIRN_ERR_FULL if scratch is
// too small.
CAIRN_CHECKED cairn_err cairn_grid_file_decode(const uint8_t *bytes, size_t size_bytes, const cairn_grid_cells *earlier,
                                               cairn_arena *scratch, cairn_grid_cells *ret_grid);
