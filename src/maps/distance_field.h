// distance_field.h - clearance and nearest obstacle of every cell, kept exact while obstacles come and go.
//
// The same as maps/distance.h, and which obstacle it is, and changes cost what they change: an edit touches the
// rows of its own column for which it is the nearest mark there, and in them only cells within the limit. The field is
// a function of the marks alone, so an edited field equals a fresh one bit by bit.
// Frame    cells; distances from middle to middle. Among equally near obstacles the one of the least x, then y, counts.
// Memory   5 bytes a cell from the arena at create; nothing later.
// Threads  One owner.
#pragma once
#include "base/memory.h"

#define CAIRN_DISTANCE_EDGE_MAX 16384

typedef struct cairn_distance_field cairn_distance_field;

typedef struct cairn_distance_field_def {
    uint32_t width, height; // cells, 1 .. CAIRN_DISTANCE_EDGE_MAX
    uint32_t limit_cells;   // distances beyond are "far". What a change costs grows with its square: take the reach of
                            // what asks, not more. CAIRN_DISTANCE_EDGE_MAX or more: no limit
} cairn_distance_field_def;

typedef struct cairn_cell_edit {
    uint32_t x, y;
    bool marked;
} cairn_cell_edit;

typedef struct cairn_nearest {
    bool found; // false: no mark within the limit
    uint32_t x, y;
    uint32_t squared_cells; // distance
} cairn_nearest;

// A field without marks. CAIRN_ERR_FULL if the arena is too small; *ret_field is then untouched.
CAIRN_CHECKED cairn_err cairn_distance_field_create(const cairn_distance_field_def *def, cairn_arena *arena,
                                                    cairn_distance_field **ret_field);
// Starts afresh from width * height bytes, nonzero is marked. O(cells).
void cairn_distance_field_set(cairn_distance_field *field, const uint8_t *marked);
// Marks and unmarks cells; of several words on one cell the last counts. Many edits at once share work. Returns how
// many cells were looked at again.
uint64_t cairn_distance_field_edit(cairn_distance_field *field, const cairn_cell_edit *edits, size_t count);
bool cairn_distance_field_is_marked(const cairn_distance_field *field, uint32_t x, uint32_t y);
cairn_nearest cairn_distance_field_nearest(const cairn_distance_field *field, uint32_t x, uint32_t y); // O(1)
// Distance in cells, limit_cells where no mark is within the limit. O(1).
float cairn_distance_field_clearance(const cairn_distance_field *field, uint32_t x, uint32_t y);
// Configuration space of a disc: 1 for each cell at whose middle a disc of this radius has the middle of a marked cell
// within it (distance <= radius), else 0. radius_cells <= limit_cells. Add 0.71 to the radius to keep the disc off the
// marked cells' corners, too. O(cells).
void cairn_distance_field_disc(const cairn_distance_field *field, float radius_cells, uint8_t *ret_blocked);
