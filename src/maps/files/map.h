// map.h - a finished map as files hold it: a grid of unknown, free and obstacle, where it lies, and where on the earth.
//
// Frame    map: x east, y north where nothing else is known. The grid's lower left corner is at map_T_corner; rows go
//          along its x axis, the lowest first. A survey ties the map frame to the earth.
// Memory   The planes are borrowed; who made the map says for how long.
// Threads  A map is only read.
#pragma once
#include "maps/occupancy_grid.h"
#include "maps/raster.h"

#define CAIRN_MAP_CELLS_MAX ((size_t)64 << 20)
#define CAIRN_MAP_SIDE_MAX 32768u
#define CAIRN_MAP_CELL_M_MIN 0.001
#define CAIRN_MAP_CELL_M_MAX 100.0
#define CAIRN_MAP_REACH_M_MAX 1e6 // of the corner from the map frame's origin
#define CAIRN_MAP_PCT_UNKNOWN 255

// Where the map frame's origin is, as surveyed on WGS 84.
typedef struct cairn_map_survey {
    bool known;           // false: the map has a frame of its own, and the rest is 0
    double latitude_deg;  // -80..84, where UTM reaches
    double longitude_deg; // -180..180
    double heading_deg;   // which way the map's y axis points, clockwise from true north: 0..360
} cairn_map_survey;

typedef struct cairn_map {
    uint32_t width, height; // cells, >= 1
    double cell_m;
    cairn_pose2 map_T_corner;
    const uint8_t *ground;       // cairn_ground, width * height
    const uint8_t *occupied_pct; // 0..100, or CAIRN_MAP_PCT_UNKNOWN; NULL: the map has no probabilities
    cairn_map_survey survey;
} cairn_map;

// NULL if all is within its bounds, or what is not, for people. Looks at every cell. O(cells).
const char *cairn_map_mistake(const cairn_map *map);
// The same without looking at cells. O(1).
const char *cairn_map_frame_mistake(const cairn_map *map);

// What a raster knows, cut to the known cells (one unknown cell if there is none). The plane lies in memory.
// CAIRN_ERR_FULL without memory, CAIRN_ERR_TOO_LARGE. O(cells).
CAIRN_CHECKED cairn_err cairn_map_of_raster(const cairn_raster *raster, cairn_arena *memory, cairn_map *ret_map);

// The same of a grid that grows. Takes memory for every cell between its outermost tiles: so many bytes.
size_t cairn_map_of_occupancy_bytes(const cairn_occupancy_grid *grid);
CAIRN_CHECKED cairn_err cairn_map_of_occupancy(const cairn_occupancy_grid *grid, cairn_arena *memory,
                                               cairn_map *ret_map);

// The middle of a cell, in the map frame.
cairn_vec2 cairn_map_centre_of(const cairn_map *map, uint32_t x, uint32_t y);
// Unknown outside. O(1).
cairn_ground cairn_map_at(const cairn_map *map, cairn_vec2 at_m);
// The same of a point in the frame of the map's corner, for loops that turn many points into it.
cairn_ground cairn_map_from_corner(const cairn_map *map, cairn_vec2 in_m);

typedef struct cairn_map_counts {
    size_t unknown, free, obstacle;
} cairn_map_counts;
cairn_map_counts cairn_map_count(const cairn_map *map);
