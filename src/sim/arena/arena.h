// arena.h - a place to search: floor, walls, boxes, ramps, victims and starts, from a YAML file.
//
// Frame    map: x east, y north, z up, metres; the floor is the rectangle (0,0)-(size_m) at z = 0.
// Memory   Everything lies in the memory arena given to read.
//
// Whatever stands in a place is also listed as solids: oriented boxes with a temperature. Physics, sensors,
// truth and pictures are all made from the solids, so that they cannot disagree.
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
    cairn_material material;
} cairn_sim_wall;

typedef struct cairn_sim_box {
    cairn_pose2 map_T_box; // middle of the base
    cairn_vec3 size_m;
    cairn_material material;
} cairn_sim_box;

// A ridge: up, a flat top (may be 0 long), and down again at the same angle.
typedef struct cairn_sim_ramp {
    cairn_pose2 map_T_ramp; // middle of the base; x along the way over it
    double length_m;        // foot to foot
    double width_m;
    double top_m;
    double angle_rad;
} cairn_sim_ramp;

typedef struct cairn_sim_victim {
    char name[32];
    cairn_pose2 map_T_victim; // x: where a boxed victim's opening faces
    bool boxed;               // in a box that is open at the front, or in the open
    double temperature_c;
} cairn_sim_victim;

typedef enum cairn_solid_kind {
    CAIRN_SOLID_WALL,
    CAIRN_SOLID_BOX,
    CAIRN_SOLID_RAMP, // drivable; not an obstacle
    CAIRN_SOLID_VICTIM,
    CAIRN_SOLID_VICTIM_BOX
} cairn_solid_kind;

typedef struct cairn_solid {
    cairn_solid_kind kind;
    uint32_t owner;        // index of the wall, box, ramp or victim that it belongs to
    cairn_pose3 map_T_box; // middle of the box
    cairn_vec3 half_m;
    double temperature_c;
    cairn_material material; // of walls and boxes
} cairn_solid;

typedef struct cairn_sim_arena {
    char name[64];
    char about[256];
    cairn_vec2 size_m;
    double ambient_c;
    uint32_t wall_count, box_count, ramp_count, victim_count, start_count, solid_count;
    cairn_sim_wall *walls;
    cairn_sim_box *boxes;
    cairn_sim_ramp *ramps;
    cairn_sim_victim *victims;
    cairn_pose2 *starts; // map_T_base for the first robot, the second, …
    cairn_solid *solids;
} cairn_sim_arena;

// Reads and checks a file: sizes, ranges, victims and starts inside and not in walls, every victim reachable
// to within 1.5 m by a robot of 0.35 m radius from the first start. CAIRN_ERR_INVALID with all reasons.
CAIRN_CHECKED cairn_err cairn_sim_arena_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                                             cairn_sim_arena *ret_arena);
// The same from bytes in memory; `name_for_errors` stands in for the file's name.
CAIRN_CHECKED cairn_err cairn_sim_arena_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                              cairn_arena *memory, cairn_complaints *complaints,
                                              cairn_sim_arena *ret_arena);

// Height of the drivable surface (floor and ramps) at a point.
double cairn_sim_arena_ground_m(const cairn_sim_arena *arena, cairn_vec2 at_m);
