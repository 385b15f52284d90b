// grid_coder.h - the walk of the grid codec over all cells, built once for each instruction set.
//
// Encoder and decoder are this one walk, so they cannot drift apart.
#pragma once
#include "base/dispatch.h"
#include "maps/codec/grid_codec.h"
#include "maps/codec/grid_model.h"
#include "maps/codec/range_coder.h"

typedef struct cairn_grid_coder {
    bool is_reading, is_plain, is_odd; // odd: obstacles in unknown cells
    cairn_range_writer writer;
    cairn_range_reader reader;
    cairn_grid_rows rows, earlier;
    bool is_cell_on_cell;             // the earlier grid lies so
    uint8_t *all_unknown, *some_busy; // columns of the rows below, and of the earlier grid, that are unknown; not free
    int32_t x_known, x_busy;          // of the last cell of this row that is known; that is not free
    cairn_grid_model *model;
    cairn_grid_far far;
} cairn_grid_coder;

// Codes all cells, as model, writer or reader and the earlier grid's rows are set up; when reading, sets ret_cells,
// which is NULL when writing. Integers only: all copies give the same.
typedef void (*cairn_grid_code_fn)(cairn_grid_coder *coder, const cairn_grid_cells *grid, uint8_t *ret_cells);
CAIRN_KERNEL_DECLARE(void, cairn_grid_code,
                     (cairn_grid_coder * coder, const cairn_grid_cells *grid, uint8_t *ret_cells));
