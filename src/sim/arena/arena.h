// arena.h - a place to search: floor, walls, ground to climb, things that move, victims and starts, from a YAML file.
//
// Frame    map: x east, y north, z up, metres; the floor is the rectangle (0,0)-(size_m) at z = 0.
// Memory   Everything lies in the memory arena given to read.
//
// Whatever stands in a place is also listed as solids: oriented boxes with a temperature; what is too rough for boxes
// is a height field. Physics, sensors, truth and pictures are all made from these two, so that they cannot disagree.
// A solid that moves is also listed as a mover; `map_T_box` is where it is at the start.
#pragma once
#include "base/memory.h"
#include "geometry/pose3.h"

// What a wall or box is made of. Only the radio asks. A solid that is made without one is of the first.
typedef enum cairn_material {
    CAIRN_MATERIAL_CONCRETE,
    CAIRN_MATERIAL_BRICK,
    CAIRN_MATERIAL_DRYWALL,
    CAIRN_MATERIAL_WOOD,
    CAIRN_MATERIAL_METAL,
    CAIRN_MATERIAL_GLASS,
    CAIRN_MATERIAL_COUNT
} cairn_material;

extern const char *const cairn_material_names[CAIRN_MATERIAL_COUNT + 1]; // "concrete", ...; ended by NULL

typedef struct cairn_sim_wall {
    cairn_vec2 from_m, to_m; // middle line
    double thickness_m, height_m;
    double foot_m; // above the floor: walls of an upper storey
    cairn_material material;
} cairn_sim_wall;

typedef struct cairn_sim_box {
    cairn_pose2 map_T_box; // middle of the base
    cairn_vec3 size_m;
    double foot_m; // above the floor
    cairn_material material;
} cairn_sim_box;

// A ridge: up, a flat top (may be 0 long), and down again at the same angle. A slope: up only, then the flat top.
typedef struct cairn_sim_ramp {
    cairn_pose2 map_T_ramp; // middle of the base; x along the way over it, up a slope
    double length_m;        // foot to foot; of a slope from its foot to the end of its top
    double width_m;
    double top_m;
    double angle_rad;
    double foot_m; // above the floor
    bool slope;
    bool hard; // the robot that arenas are checked for need not get over it
} cairn_sim_ramp;

// A leaf that turns about its hinge.
typedef struct cairn_sim_door {
    char name[32];
    cairn_vec2 hinge_m, latch_m; // when closed
    double thickness_m, height_m, foot_m;
    double open_rad; // how far it opens, counter-clockwise positive
    double swing_s;  // that it takes
    bool open;       // at the start
    cairn_material material;
} cairn_sim_door;

// A loose box that moves when it is pushed.
typedef struct cairn_sim_block {
    cairn_pose2 map_T_block; // middle of the base
    cairn_vec3 size_m;
    double foot_m;
    double mass_kg;
    cairn_material material;
} cairn_sim_block;

// What robots must keep away from, and people who walk about.
typedef enum cairn_figure_kind {
    CAIRN_FIGURE_BYSTANDER, // a person who walks; never to be touched
    CAIRN_FIGURE_HAZARD     // goes off when a robot comes within trigger_m of it and sees it
} cairn_figure_kind;

typedef struct cairn_sim_figure {
    char name[32];
    cairn_figure_kind kind;
    uint32_t point_count; // of its way, walked to and fro; 1: it stands
    cairn_vec2 *points_m;
    double speed_mps;
    double trigger_m, lethal_m; // of hazards: robots within lethal_m of one that goes off are destroyed
    double temperature_c;
} cairn_sim_figure;

// A box that hangs on a wall, as in NIST's arenas.
#define CAIRN_HUNG_BOX_DEEP_M 0.24
#define CAIRN_HUNG_BOX_WIDE_M 0.50
#define CAIRN_HUNG_BOX_HIGH_M 0.40

typedef struct cairn_sim_victim {
    char name[32];
    cairn_pose2 map_T_victim; // x: where a boxed victim's opening faces
    bool boxed;               // in a box that is open at the front, or in the open
    bool hangs;               // boxed too: the box is a small one on a wall, and foot_m is its bottom
    bool hard;                // the robot that arenas are checked for need not get to it
    double foot_m;            // above the floor
    double temperature_c;
} cairn_sim_victim;

typedef enum cairn_solid_kind {
    CAIRN_SOLID_WALL,
    CAIRN_SOLID_BOX,
    CAIRN_SOLID_GROUND, // to drive on: ramps, steps, platforms, the floor around holes; not an obstacle in itself
    CAIRN_SOLID_VICTIM,
    CAIRN_SOLID_VICTIM_BOX,
    CAIRN_SOLID_DOOR,
    CAIRN_SOLID_BLOCK,
    CAIRN_SOLID_FIGURE
} cairn_solid_kind;

#define CAIRN_GROUND_FRICTION 0.8 // of tyres on the floor, and on whatever does not say otherwise

typedef struct cairn_solid {
    cairn_solid_kind kind;
    uint32_t owner;        // number among the things of its kind in the file; ground: of all ground elements
    cairn_pose3 map_T_box; // middle of the box
    cairn_vec3 half_m;
    double temperature_c;
    double friction;         // [-] of tyres on it; 0 stands for CAIRN_GROUND_FRICTION
    cairn_material material; // of walls, boxes, doors and blocks
} cairn_solid;

// Whether it is listed as a mover, too.
static inline bool cairn_solid_moves(const cairn_solid *solid)
{
    return solid->kind == CAIRN_SOLID_DOOR || solid->kind == CAIRN_SOLID_BLOCK || solid->kind == CAIRN_SOLID_FIGURE;
}

// A door, a block or a figure: one solid each. Doors come first, then blocks, then figures, in the file's order.
typedef struct cairn_mover {
    cairn_solid_kind kind; // DOOR, BLOCK or FIGURE
    uint32_t owner;        // index in doors, blocks or figures
    uint32_t solid;
} cairn_mover;

// Rough ground: heights at the corners of square cells, plane triangles between them. A cell is split from its corner
// (column, row) to its corner (column + 1, row + 1), as MuJoCo's are. All corners on its rim are 0: it joins the ground
// around it.
typedef struct cairn_height_field {
    cairn_pose2 map_T_field; // of corner (0, 0); x along rows
    double foot_m;           // above the floor; heights count from here
    double cell_m;
    uint32_t columns, rows; // of corners, at least 2 each
    const float *height_m;  // rows * columns, row by row; 0 at least
    float height_m_max;
    double friction; // [-] as of solids
} cairn_height_field;

typedef struct cairn_ground_index cairn_ground_index; // finds ground by place; ground.h

typedef struct cairn_sim_arena {
    char name[64];
    char about[256];
    cairn_vec2 size_m;
    double ambient_c;
    bool outdoors;  // open to the sky: satellites can be received where no roof is
    bool has_holes; // then the floor is made of solids, and below it there is nothing down to CAIRN_ABYSS_M
    uint32_t wall_count, box_count, ramp_count, victim_count, start_count, solid_count;
    uint32_t door_count, block_count, figure_count, mover_count, field_count;
    cairn_sim_wall *walls;
    cairn_sim_box *boxes;
    cairn_sim_ramp *ramps;
    cairn_sim_door *doors;
    cairn_sim_block *blocks;
    cairn_sim_figure *figures;
    cairn_sim_victim *victims;
    cairn_pose2 *starts;  // map_T_base for the first robot, the second, …
    double *start_feet_m; // ground at each start lies at or just below this; NULL: all 0
    cairn_solid *solids;
    cairn_mover *movers;
    cairn_height_field *fields;
    const cairn_ground_index *ground; // NULL: ground is looked for one solid after another
} cairn_sim_arena;

#define CAIRN_ABYSS_M (-10.0) // the plane below an arena with holes

// Reads and checks a file: sizes, ranges, everything on the floor and nothing in anything else, every victim reachable
// to within 1.5 m by a robot of 0.35 m radius from the first start (docs/arenas.md has the rules). Makes solids,
// movers, height fields and the index of the ground. With all reasons told: CAIRN_ERR_INVALID; CAIRN_ERR_TOO_LARGE
// beyond what an arena may have; CAIRN_ERR_FULL if memory is too small.
CAIRN_CHECKED cairn_err cairn_sim_arena_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                                             cairn_sim_arena *ret_arena);
// The same from bytes in memory; `name_for_errors` stands in for the file's name.
CAIRN_CHECKED cairn_err cairn_sim_arena_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                              cairn_arena *memory, cairn_complaints *complaints,
                                              cairn_sim_arena *ret_arena);
