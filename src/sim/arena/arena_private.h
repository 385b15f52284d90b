// arena_private.h - what the files of arena.c share: the lines of things in the file, conversion, solids, checks.
#pragma once
#include "sim/arena/file/arena_file.h"

#define CAIRN_ARENA_SOLIDS_MAX 16384u
#define CAIRN_ARENA_CORNERS_MAX (1u << 20) // of all height fields together

// Where in the file each thing stands, for complaints; as many as there are things. Ground has its lines in elements.h.
typedef struct cairn_sim_arena_lines {
    const char *file;
    const uint32_t *walls, *boxes, *ramps, *doors, *blocks, *figures, *victims, *starts;
} cairn_sim_arena_lines;

// arena_convert.c: the file's entries as the arena's things, in `memory`, and their lines, in `work`. CAIRN_ERR_FULL if
// either is too small, CAIRN_ERR_TOO_LARGE for more than CAIRN_ARENA_WALLS_MAX segments of walls.
CAIRN_CHECKED cairn_err cairn_sim_arena_convert(const cairn_arena_file *file, cairn_arena *work, cairn_arena *memory,
                                                cairn_sim_arena *ret_arena, cairn_sim_arena_lines *ret_lines);

// arena_solids.c: makes the solids, movers and height fields of an arena in `memory`, of its things and of the elements
// (NULL: none). CAIRN_ERR_FULL if memory is too small, CAIRN_ERR_TOO_LARGE beyond the limits above.
CAIRN_CHECKED cairn_err cairn_sim_arena_make_all(cairn_sim_arena *arena, const cairn_sim_elements *elements,
                                                 cairn_arena *memory);
// The same without elements: for arenas made by hand.
CAIRN_CHECKED cairn_err cairn_sim_arena_make_solids(cairn_sim_arena *arena, cairn_arena *memory);

// A list of solids that is counted first (max 0) and filled then, by the same code.
typedef struct cairn_solid_list {
    cairn_solid *solids;
    uint32_t count, max;
    double ambient_c;
    cairn_solid spill; // where solids go that are only counted
} cairn_solid_list;

// A solid at the list's ambient temperature; the caller fills in the rest.
cairn_solid *cairn_solid_list_add(cairn_solid_list *list, cairn_solid_kind kind, uint32_t owner);
// An upright box: its middle in the frame of map_T_owner, height counted from the floor.
void cairn_solid_place(cairn_solid *solid, cairn_pose2 map_T_owner, cairn_vec3 middle_m, cairn_vec3 size_m);

// element_solids.c: solids of a ridge or slope, and of all elements; the first of these has the number `owner`.
// CAIRN_ERR_FULL if `memory`, used for the while, is too small.
void cairn_ramp_add_solids(cairn_solid_list *list, const cairn_sim_ramp *ramp, uint32_t owner);
CAIRN_CHECKED cairn_err cairn_elements_add_solids(cairn_solid_list *list, const cairn_sim_elements *elements,
                                                  cairn_vec2 floor_m, uint32_t owner, cairn_arena *memory);

// floor_solids.c: the floor around what is cut out of it, reaching far beyond its edges. As above.
CAIRN_CHECKED cairn_err cairn_floor_add_solids(cairn_solid_list *list, const cairn_floor_rect *cut, uint32_t cut_count,
                                               cairn_vec2 floor_m, double thick_m, uint32_t owner, cairn_arena *memory);

// height_field.c: rough ground as a height field, in `memory`. CAIRN_ERR_FULL if it is too small.
uint32_t cairn_rough_corner_count(const cairn_rough *rough);
CAIRN_CHECKED cairn_err cairn_rough_make_field(const cairn_rough *rough, cairn_arena *memory,
                                               cairn_height_field *ret_field);

// arena_check.c: complains about everything that stands wrongly. `arena` has its solids.
void cairn_sim_arena_check(const cairn_sim_arena *arena, const cairn_sim_elements *elements,
                           const cairn_sim_arena_lines *lines, cairn_complaints *complaints);
