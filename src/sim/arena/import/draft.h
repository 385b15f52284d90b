// draft.h - an arena while it is being made: what stands in it, and what is to be said about it.
#pragma once
#include "sim/arena/arena.h"
#include "sim/arena/import/cells.h"

enum { CAIRN_DRAFT_NOTES = 32, CAIRN_DRAFT_NOTE_BYTES = 160 };

// Elements that an arena keeps as solids and height fields only; as docs/arenas.md has them.
typedef struct cairn_draft_platform {
    cairn_pose2 map_T_platform; // middle
    cairn_vec2 size_m;
    double top_m, slab_m; // slab_m 0: solid down to the floor
} cairn_draft_platform;

typedef struct cairn_draft_stairs {
    cairn_pose2 map_T_stairs; // middle of the lowest edge; x up
    uint32_t steps;
    double rise_m, run_m, width_m, foot_m;
} cairn_draft_stairs;

typedef struct cairn_draft_ramp_field {
    bool crossing;
    cairn_vec2 corner_m;
    uint32_t columns, rows;
    double tile_m, angle_rad;
} cairn_draft_ramp_field;

typedef struct cairn_draft_step_field {
    const char *kind; // "hill", "diagonal", "random"
    cairn_vec2 corner_m;
    uint32_t columns, rows; // of pallets
    double post_m, step_m;
    uint32_t levels, seed;
    bool turned;
} cairn_draft_step_field;

typedef struct cairn_draft_rough {
    bool rubble; // else gravel
    cairn_pose2 map_T_rough;
    cairn_vec2 size_m;
    double height_m, cell_m;
    uint32_t seed;
} cairn_draft_rough;

typedef struct cairn_draft_hole {
    cairn_vec2 at_m, size_m;
    double depth_m;
} cairn_draft_hole;

typedef struct cairn_draft_ditch {
    cairn_vec2 at_m;
    double length_m, width_m, depth_m;
    bool along_y;
} cairn_draft_ditch;

typedef struct cairn_draft {
    char name[64], about[256];
    cairn_vec2 size_m;
    double ambient_c; // 0: the reader's default
    bool outdoors;
    bool tells_materials; // else walls and boxes are of what the reader takes them for
    uint32_t wall_count, box_count, ramp_count, victim_count, start_count;
    uint32_t platform_count, stairs_count, ramp_field_count, step_field_count, rough_count, hole_count, ditch_count;
    uint32_t door_count, block_count, figure_count;
    cairn_sim_wall *walls;     // CAIRN_DRAFT_WALLS_MAX
    cairn_sim_box *boxes;      // CAIRN_DRAFT_BOXES_MAX
    cairn_sim_ramp *ramps;     // CAIRN_DRAFT_RAMPS_MAX
    cairn_sim_victim *victims; // CAIRN_IMPORT_VICTIMS_MAX
    cairn_pose2 *starts;       // CAIRN_IMPORT_STARTS_MAX
    // CAIRN_DRAFT_ELEMENTS_MAX of each; blocks and figures CAIRN_DRAFT_MOVERS_MAX
    cairn_draft_platform *platforms;
    cairn_draft_stairs *stairs;
    cairn_draft_ramp_field *ramp_fields;
    cairn_draft_step_field *step_fields;
    cairn_draft_rough *roughs;
    cairn_draft_hole *holes;
    cairn_draft_ditch *ditches;
    cairn_sim_door *doors;
    cairn_sim_block *blocks;
    cairn_sim_figure *figures; // their points borrow from whoever made them
    // Lines of the comment at the top.
    uint32_t note_count;
    char notes[CAIRN_DRAFT_NOTES][CAIRN_DRAFT_NOTE_BYTES];
    const char *victims_note; // one line above the victims
} cairn_draft;

// What arena files may hold (arena.c), less some room.
enum {
    CAIRN_DRAFT_WALLS_MAX = 4096,
    CAIRN_DRAFT_BOXES_MAX = 4096,
    CAIRN_DRAFT_RAMPS_MAX = 256,
    CAIRN_DRAFT_ELEMENTS_MAX = 1024,
    CAIRN_DRAFT_MOVERS_MAX = 256
};
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
