// cells.h - a map as a grid of cells: wall, free or unknown; dirt removed, the outside closed, cropped.
//
// Frame    Cell (0, 0) is the south-west corner; x east, y north; cells row by row.
#pragma once
#include "base/memory.h"
#include "geometry/vec.h"
#include "sim/arena/import/import.h"

typedef enum cairn_cell { CAIRN_CELL_UNKNOWN, CAIRN_CELL_FREE, CAIRN_CELL_WALL } cairn_cell;

typedef struct cairn_cells {
    uint32_t width, height;
    double cell_m;
    cairn_vec2 origin_m; // the source's coordinates of the south-west corner
    uint8_t *kinds;      // cairn_cell
} cairn_cells;

// All unknown. CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_cells_create(uint32_t width, uint32_t height, double cell_m, cairn_arena *memory,
                                           cairn_cells *ret_cells);

// Squares of factor x factor cells become one: wall if any of them is, else free if any is. CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_cells_coarsen(const cairn_cells *cells, uint32_t factor, cairn_arena *memory,
                                            cairn_cells *ret_cells);

// Makes a place of it, by these rules, in this order:
//   1. Dirt: a group of wall cells (joined at sides or corners) that is smaller than speck_m both ways becomes what is
//      around it; unknown ground that touches free ground only, smaller than 0.3 m both ways, becomes free. Free ground
//      narrower than 0.2 m that borders on unknown ground becomes unknown: the fans of single beams.
//   2. The place is the largest free area that does not touch the picture's edge, if it has a tenth of all free cells;
//      else the largest of all. Free areas below 1 m2, and in the first case those that touch the edge, are unknown.
//   3. Groups of walls that touch no free ground are unknown.
//   4. Unknown cells beside free ground, and what lies beyond the picture's edge, become wall: the outside is closed.
//   5. What lies around is cut off.
// Adds to *report. CAIRN_ERR_INVALID when nothing free is left, with the reason.
CAIRN_CHECKED cairn_err cairn_cells_tidy(const cairn_cells *cells, double speck_m, const char *name_for_errors,
                                         cairn_arena *memory, cairn_complaints *complaints, cairn_cells *ret_cells,
                                         cairn_import_report *report);
