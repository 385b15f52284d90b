// elements.h - the ground of an arena as its file names it, before it becomes solids and height fields.
//
// Frame    map, as arena.h. Lines are those of the file, for complaints. Only arena files are made of elements: whoever
//          wants to know what stands where looks at the arena's solids.
#pragma once
#include "sim/arena/arena.h"

typedef struct cairn_platform {
    uint32_t line;
    cairn_vec2 at_m; // middle
    double heading_rad;
    cairn_vec2 size_m; // along its heading, across
    double top_m;      // above the floor
    double slab_m;     // thickness; 0: solid down to the floor
    double friction;
} cairn_platform;

typedef struct cairn_stairs {
    uint32_t line;
    cairn_vec2 at_m;    // middle of the lowest edge
    double heading_rad; // up
    uint32_t steps;
    double rise_m, run_m, width_m, foot_m;
} cairn_stairs;

typedef enum cairn_ramp_field_kind { CAIRN_RAMPS_CONTINUOUS, CAIRN_RAMPS_CROSSING } cairn_ramp_field_kind;

typedef struct cairn_ramp_field {
    uint32_t line;
    uint32_t kind;
    cairn_vec2 corner_m; // lower left
    cairn_vec2 tiles;    // whole numbers
    double tile_m, angle_rad;
} cairn_ramp_field;

typedef enum cairn_step_field_kind { CAIRN_STEPS_HILL, CAIRN_STEPS_DIAGONAL, CAIRN_STEPS_RANDOM } cairn_step_field_kind;

#define CAIRN_PALLET_M 1.2 // a tile of a step field

typedef struct cairn_step_field {
    uint32_t line;
    uint32_t kind;
    cairn_vec2 corner_m, tiles; // as above
    double post_m, step_m;
    uint32_t levels, seed;
    bool turned; // diagonal: the ridge of the first pallet goes from the upper left corner to the lower right
} cairn_step_field;

typedef enum cairn_rough_kind { CAIRN_ROUGH_GRAVEL, CAIRN_ROUGH_RUBBLE } cairn_rough_kind;

typedef struct cairn_rough {
    uint32_t line;
    uint32_t kind;
    cairn_vec2 at_m; // middle
    double heading_rad;
    cairn_vec2 size_m;
    double height_m, cell_m, foot_m, friction;
    uint32_t seed;
} cairn_rough;

typedef struct cairn_hole {
    uint32_t line;
    cairn_vec2 at_m, size_m; // middle; along the axes
    double depth_m;
} cairn_hole;

typedef struct cairn_ditch {
    uint32_t line;
    cairn_vec2 at_m; // middle
    double length_m, width_m, depth_m, friction;
    uint32_t along; // 0: its length is along x; 1: along y
} cairn_ditch;

// Ground elements are numbered, as owners of their solids, in this order, after the ramps; the floor itself comes last.
// Rough ground has no solids.
typedef struct cairn_sim_elements {
    cairn_platform *platforms;
    cairn_stairs *stairs;
    cairn_ramp_field *ramp_fields;
    cairn_step_field *step_fields;
    cairn_hole *holes;
    cairn_ditch *ditches;
    cairn_rough *rough;
    uint32_t platform_count, stairs_count, ramp_field_count, step_field_count, hole_count, ditch_count, rough_count;
} cairn_sim_elements;

// A rectangle of the floor, along the axes.
typedef struct cairn_floor_rect {
    double x0_m, y0_m, x1_m, y1_m;
} cairn_floor_rect;

// What is cut out of the floor, to the millimetre.
cairn_floor_rect cairn_hole_rect(const cairn_hole *hole);
cairn_floor_rect cairn_ditch_rect(const cairn_ditch *ditch);
