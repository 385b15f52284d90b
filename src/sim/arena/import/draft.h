// draft.h - an arena while it is being made: what stands in it, and what is to be said about it.
#pragma once
#include "sim/arena/arena.h"
#include "sim/arena/import/cells.h"

enum { CAIRN_DRAFT_NOTES = 32, CAIRN_DRAFT_NOTE_BYTES = 160 };

typedef struct cairn_draft {
    char name[64], about[256];
    cairn_vec2 size_m;
    uint32_t wall_count, box_count, ramp_count, victim_count, start_count;
    cairn_sim_wall *walls;     // CAIRN_DRAFT_WALLS_MAX
    cairn_sim_box *boxes;      // CAIRN_DRAFT_BOXES_MAX
    cairn_sim_ramp *ramps;     // CAIRN_DRAFT_RAMPS_MAX
    cairn_sim_victim *victims; // CAIRN_IMPORT_VICTIMS_MAX
    cairn_pose2 *starts;       // CAIRN_IMPORT_STARTS_MAX
    // Lines of the comment at the top.
    uint32_t note_count;
    char notes[CAIRN_DRAFT_NOTES][CAIRN_DRAFT_NOTE_BYTES];
    const char *victims_note; // one line above the victims
} cairn_draft;

// What arena files may hold (arena.c), less some room.
enum { CAIRN_DRAFT_WALLS_MAX = 4096, CAIRN_DRAFT_BOXES_MAX = 2048, CAIRN_DRAFT_RAMPS_MAX = 256 };
#define CAIRN_DRAFT_SIDE_M_MAX 200.0

CAIRN_CHECKED cairn_err cairn_draft_create(cairn_arena *memory, cairn_draft *ret_draft);
// Adds a line to the comment at the top; more than there is room for are dropped.
void cairn_draft_note(cairn_draft *draft, const char *format, ...) CAIRN_PRINTF(2, 3);

// The text of the arena file; CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_draft_write(const cairn_draft *draft, cairn_arena *memory, const char **ret_text,
                                          size_t *ret_size_bytes);

// draft_cells.c: walls and boxes for the cells, with as little slack as fits into boxes_max; *report is told.
// CAIRN_ERR_OUTSIDE, with the reason, if the place is larger than an arena may be; CAIRN_ERR_TOO_LARGE if more than
// boxes_max are needed.
CAIRN_CHECKED cairn_err cairn_draft_add_cells(cairn_draft *draft, const cairn_cells *cells, double height_m,
                                              uint32_t boxes_max, const char *name_for_errors, cairn_arena *scratch,
                                              cairn_complaints *complaints, cairn_import_report *report);
// Compares what stands in an arena with the cells that it was made of: missed, covered and softened cells. O(cells +
// area of solids).
CAIRN_CHECKED cairn_err cairn_draft_compare(const cairn_sim_arena *arena, const cairn_cells *cells,
                                            cairn_arena *scratch, cairn_import_report *report);
