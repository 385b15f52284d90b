// pyramid.h - what correlative matching keeps of one node: its surfaces at several resolutions, and points on them.
//
// A node is a place with a grid (terrain planes around a robot) or a laser scan. It can be the reference, then its
// planes are used, or what is laid on another reference, then its points are. Both are made once and kept.
//
// Planes   on: cells with a surface. near: those and their eight neighbours. known: near, and cells seen to be free of
//          anything. on_blocks, near_blocks: a bit is set if any of the 4 x 4 cells from it on is: what the best of 16
//          translations could hit at most. Layout: overlay_kernels.h.
// Frame    the node's, metres. Cell (0,0) has its lower left corner at origin_m.
// Memory   From the arena at create, by the size of the largest grid; about 62 kB for 150 x 150 cells. Setting
//          allocates nothing.
// Cost     About 10 us for a grid of 150 x 150.
#pragma once
#include "base/memory.h"
#include "maps/local/scan_points.h"
#include "maps/terrain_planes.h"
#include "matching/overlay_kernels.h"

#define CAIRN_PYRAMID_SIDE_MAX 1024 // cells

typedef struct cairn_pyramid_def {
    uint32_t width_max, height_max; // cells, of the largest grid
    uint32_t point_count_max;       // points taken from a grid, evenly; more is surer and slower; <= 496
} cairn_pyramid_def;

typedef struct cairn_pyramid {
    cairn_pyramid_def def;
    uint32_t width, height; // cells
    double cell_m;
    cairn_vec2 origin_m;
    uint32_t rows, columns; // of the planes, with their margins: words are [columns][rows]
    uint32_t surface_count; // cells of `on`
    uint64_t *on, *near, *known;
    uint32_t block_rows; // words of blocks are [columns][phases][block_rows]
    uint16_t *on_blocks, *near_blocks;
    uint32_t point_count; // without those that fill up to a multiple of 16: they lie far outside
    float *x_m, *y_m;     // points on surfaces
    double radius_m;      // of the farthest point, from the node's origin
} cairn_pyramid;

cairn_pyramid_def cairn_pyramid_def_default(void); // for terrain maps
CAIRN_CHECKED cairn_err cairn_pyramid_create(const cairn_pyramid_def *def, cairn_arena *arena,
                                             cairn_pyramid **ret_pyramid);
// From the terrain around a node: its obstacles, and as free floor what is known and none. Must fit into the def.
void cairn_pyramid_set_grid(cairn_pyramid *pyramid, const cairn_terrain_planes *planes);
// From a rectangle of a larger map: cairn_ground of each cell, row by row from the lowest y, `pitch` cells from one row
// to the next. The frame is the map's.
typedef struct cairn_pyramid_ground {
    const uint8_t *ground; // of the lower left cell; borrowed for the call
    uint32_t pitch, width, height;
    double cell_m;
    cairn_vec2 origin_m; // its lower left corner
} cairn_pyramid_ground;
void cairn_pyramid_set_ground(cairn_pyramid *pyramid, const cairn_pyramid_ground *map);
// From one scan: its hits within the largest grid of these cells around the sensor, and what its beams cleared.
void cairn_pyramid_set_scan(cairn_pyramid *pyramid, const cairn_scan_points *points, double cell_m);
// The bit of a cell in on, near or known; false outside.
bool cairn_pyramid_bit(const cairn_pyramid *pyramid, const uint64_t *plane, int32_t x, int32_t y);
