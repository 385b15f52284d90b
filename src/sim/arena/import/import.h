// import.h - makes an arena file out of other people's maps.
//
// Takes    ROS map_server maps (YAML and PGM or PNG, either gzipped), bare PGM and PNG floor plans, HouseExpo JSON, and
//          the NIST arena descriptions of the RoboCup Rescue designer (.raf).
// Gives    The text of an arena file with comments that tell where everything came from. It has been read back and
//          checked as `cairn arena check` does, and what its walls cover was compared with the map cell by cell.
// Limits   CAIRN_IMPORT_PIXELS_MAX, CAIRN_IMPORT_BYTES_MAX, and those of arena files (200 m, 4,096 walls, 2,048 boxes).
// Memory   The text lies in the caller's arena; working memory is taken from the heap and given back.
// Threads  No state of its own. The same file, settings and seed give the same text.
#pragma once
#include "base/memory.h"
#include "maps/files/grey_io.h"

#define CAIRN_IMPORT_PIXELS_MAX ((size_t)8 << 20)
#define CAIRN_IMPORT_BYTES_MAX ((size_t)32 << 20) // of a file, and of what a gzipped one becomes
static const cairn_grey_limits cairn_import_limits = {.bytes_max = CAIRN_IMPORT_BYTES_MAX,
                                                      .pixels_max = CAIRN_IMPORT_PIXELS_MAX};
#define CAIRN_IMPORT_TEXT_BYTES_MAX ((size_t)1 << 20)
#define CAIRN_IMPORT_CELL_M_MIN 0.02
#define CAIRN_IMPORT_CELL_M_MAX 1.0
#define CAIRN_IMPORT_BOXES_MAX 6000u
#define CAIRN_IMPORT_VICTIMS_MAX 64u
#define CAIRN_IMPORT_STARTS_MAX 64u

typedef struct cairn_import_def {
    const char *file;
    const char *name;   // of the arena; NULL: the file's
    double cell_m;      // metres a pixel where the file does not say; of a HouseExpo plan the grid; 0: not given
    double width_m;     // instead of cell_m: the whole picture's width; 0: not given
    double height_m;    // of walls; 0: 1.2 m
    double speck_m;     // what is smaller than this both ways is dirt, and removed. More: fewer boxes, thin posts go
    uint32_t boxes_max; // walls are made coarser, cell by cell, until no more than this are needed
    uint32_t start_count;
    uint32_t victim_count; // placed by chance where the file has none
    uint64_t seed;         // of the victims' places
} cairn_import_def;

cairn_import_def cairn_import_def_default(void);

// What became of the map.
typedef struct cairn_import_report {
    const char *format;      // "ROS map", "PGM picture", "PNG picture", "HouseExpo plan", "NIST arena"
    double cell_m;           // 0: the source has no cells
    uint32_t coarser;        // 1: cells as in the source; else so many of them make a cell's side
    uint32_t columns, rows;  // of cells, after cropping
    uint32_t wall_cells;     // to be covered
    uint32_t speck_count;    // groups of cells that were removed as dirt
    uint32_t fringe_cells;   // narrow free ground beside unknown ground that became unknown
    uint32_t closed_cells;   // unknown ground beside free ground that became wall
    uint32_t slack_cells;    // 0: walls are exact; else free ground up to so many cells from a wall may be covered
    uint32_t missed_cells;   // wall cells that no wall or box covers, as read back: 0
    uint32_t covered_cells;  // free cells beyond the slack that are covered, as read back: 0
    uint32_t softened_cells; // free cells within the slack that are covered
    uint32_t wall_count, box_count, ramp_count, victim_count, start_count;
    uint32_t victims_left_out;  // of the file, or asked for: no place was found
    uint32_t elements_left_out; // of a NIST arena: what arena files have no word for
    uint32_t relief_count;      // of a NIST arena: ramps, stairs, step fields and raised floors, of those that ...
    uint32_t relief_left_out;   // ... are flat floor instead: they would cut something off, or are in the way
    double size_m[2];
    double reach_m2; // ground that a robot's middle can get to from the first start
} cairn_import_report;

// The text is NUL-terminated; size without the NUL. On failure *complaints has the reasons:
//   CAIRN_ERR_IO, CAIRN_ERR_TOO_LARGE, CAIRN_ERR_CORRUPT, CAIRN_ERR_INVALID, CAIRN_ERR_FULL (no memory)
CAIRN_CHECKED cairn_err cairn_import_run(const cairn_import_def *def, cairn_arena *memory, cairn_complaints *complaints,
                                         const char **ret_text, size_t *ret_size_bytes,
                                         cairn_import_report *ret_report);
