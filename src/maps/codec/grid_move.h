// grid_move.h - an earlier grid as it would lie in the frame of a later one, by whole numbers only.
//
// Frame    A grid's node lies in the middle of its cells; x along the columns, y up the rows.
// Threads  No state.
#pragma once
#include "base/status.h"
#include "maps/codec/grid_window.h"

// Pose of the later grid's node in the frame of the earlier one's: what a radio message "node" says as its edge.
typedef struct cairn_grid_moved {
    int32_t x_um, y_um; // within 100 m
    int32_t yaw_urad;   // within a turn
    uint32_t cell_um;   // edge of a cell, 1000 to 10,000,000
} cairn_grid_moved;

// Whether all are within their bounds.
bool cairn_grid_moved_is_possible(const cairn_grid_moved *moved);
// Whether grids of these sizes then lie cell on cell: moved by whole cells, and not turned.
bool cairn_grid_moved_is_cell_on_cell(const cairn_grid_moved *moved, uint32_t width_earlier, uint32_t height_earlier,
                                      uint32_t width, uint32_t height);

// Cosine and sine in 1/2^30 of an angle within a turn; wrong by less than 4 / 2^30.
typedef struct cairn_turn {
    int64_t cosine, sine;
} cairn_turn;
cairn_turn cairn_turn_of(int32_t angle_urad);

// Fills ret_rows (its size is the later grid's) with the cells of `earlier` (width x height bytes, bit 0 known, bit 1
// obstacle) that lie nearest; what lies outside is unknown, or free if has_known is false. O(cells of ret_rows).
void cairn_grid_move(const uint8_t *earlier, uint32_t width, uint32_t height, bool has_known,
                     const cairn_grid_moved *moved, const cairn_grid_rows *ret_rows);
