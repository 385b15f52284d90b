// heights.h - points, cells and heights, as the parts of this room hand them to each other.
//
// Frame    Level (gravity along -z), metres; x and y as the caller likes, as long as points and area agree.
// Heights  of cells are whole micrometres in an int32: sums and minima are then exact, the same on every machine and
//          in every order, and eight of them fit into a register.
#pragma once
#include "base/memory.h"
#include "geometry/vec.h"

#define CAIRN_HEIGHT_UM_MAX 1000000000 // 1 km: heights beyond are no heights of this place, and are left out
#define CAIRN_HEIGHT_NONE 2000000000   // nothing known; above every height that can come about
#define CAIRN_TERRAIN_EDGE_CELLS_MAX 4096

// The rectangle that is looked at: width x height cells along x and y, row by row from the lowest y.
typedef struct cairn_terrain_area {
    cairn_vec2 origin_m; // corner of cell (0,0)
    double cell_m;       // > 0
    uint32_t width, height;
} cairn_terrain_area;

static inline size_t cairn_terrain_cell_count(const cairn_terrain_area *area)
{
    return (size_t)area->width * area->height;
}

// Points, borrowed. NaN and infinite ones are allowed and ignored.
typedef struct cairn_cloud {
    const float *x_m, *y_m, *z_m;
    uint32_t count;
} cairn_cloud;

static inline int32_t cairn_um(double m) { return (int32_t)lrint(m * 1e6); }
static inline int32_t cairn_um_min(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t cairn_um_max(int32_t a, int32_t b) { return a > b ? a : b; }
