// surfaces.h - what lasers and robots meet in an arena, seen from above: for the truth that maps are judged by.
//
// Surfaces are the sides of whatever stands between 5 and 45 cm above its own storey's ground, victims included, and of
// ground that rises by more than a step at once. Doors and figures are as they are at the start.
//
// Frame    map.
// Memory   All in the arena given to create.
// Threads  Constant once made.
#pragma once
#include "sim/arena/arena.h"
#include "sim/arena/squares.h"

#define CAIRN_SURFACE_FROM_M 0.05 // what stands between these heights above its ground stops a robot
#define CAIRN_SURFACE_TO_M 0.45
#define CAIRN_SURFACE_STEP_M 0.12 // ground that rises more stops every robot

typedef struct cairn_surfaces {
    const cairn_sim_arena *arena; // borrowed
    cairn_squares squares;
    cairn_outline *outlines; // of each solid; nowhere: not a surface
} cairn_surfaces;

size_t cairn_surfaces_bytes(const cairn_sim_arena *arena); // that create takes at most
// Ground that rises by more than step_m is a surface. CAIRN_ERR_FULL if memory is too small.
CAIRN_CHECKED cairn_err cairn_surfaces_create(const cairn_sim_arena *arena, double step_m, cairn_arena *memory,
                                              cairn_surfaces *ret_surfaces);
// From a place, on the floor or not, to the nearest surface; 0 within it (raised ground: on its sides, for one may
// stand on top of it), INFINITY without any. Rubble and holes count, too, up to 1 m away: who cannot get over them
// draws them, and is right. O(solids near by).
double cairn_surfaces_nearest_m(const cairn_surfaces *surfaces, cairn_vec2 at_m);

// What is nearer than this to a place.
typedef struct cairn_surfaces_touched {
    bool lasting; // something that stays where it is, unless it is pushed
    bool moving;  // a door or a figure
} cairn_surfaces_touched;
cairn_surfaces_touched cairn_surfaces_touch(const cairn_surfaces *surfaces, cairn_vec2 at_m, double within_m);
