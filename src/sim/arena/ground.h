// ground.h - what can be driven on at a place: the floor, ground solids and height fields, storey by storey.
//
// Frame    map.
// Threads  Constant once made.
// Cost     O(ground solids and fields near the place).
#pragma once
#include "sim/arena/arena.h"
#include "sim/arena/squares.h"

typedef struct cairn_footing {
    double height_m;
    cairn_vec3 normal; // unit, upward
    double friction;   // [-] of tyres
    bool rough;        // of a height field: the normal is that of one small triangle
} cairn_footing;

// The highest ground at a place that is not above from_m. Where nothing else is it is the floor, or the plane far below
// an arena with holes. from_m of INFINITY: the highest of all.
cairn_footing cairn_sim_ground(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m);
double cairn_sim_ground_m(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m); // its height only

// The lowest underside of ground solids at a place whose tops are above from_m: what a robot that stands on ground at
// or below from_m may hit its head on, or its side. INFINITY if there is none.
double cairn_sim_ceiling_m(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m);

// Both at once, for the price of one.
typedef struct cairn_gap {
    cairn_footing ground;
    double ceiling_m;
    uint32_t thing_count; // solids and fields that had to be looked at
} cairn_gap;
cairn_gap cairn_sim_gap(const cairn_sim_arena *arena, cairn_vec2 at_m, double from_m);

// Where a line straight down through a place enters a solid, of any kind, and where it leaves it; false if it misses
// it.
typedef struct cairn_pierced {
    double top_m, bottom_m;
    cairn_vec3 normal; // of the face at the top
} cairn_pierced;
CAIRN_CHECKED bool cairn_solid_pierce(const cairn_solid *solid, cairn_vec2 at_m, cairn_pierced *ret_pierced);

// Makes arena->ground in `memory`, from the solids and fields. CAIRN_ERR_FULL if it is too small.
CAIRN_CHECKED cairn_err cairn_ground_index_create(cairn_sim_arena *arena, cairn_arena *memory);

// Height of a field above its foot at a point of its own frame; 0 beside it.
double cairn_height_field_m(const cairn_height_field *field, cairn_vec2 at_m);
// The same with its slope, rise by run along x and y of its own frame; false beside it.
bool cairn_height_field_at(const cairn_height_field *field, cairn_vec2 at_m, double *ret_height_m,
                           cairn_vec2 *ret_slope);

// Outlines from above.
cairn_outline cairn_solid_outline(const cairn_solid *solid);
cairn_outline cairn_height_field_outline(const cairn_height_field *field);
