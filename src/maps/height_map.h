// height_map.h - a grid that says up to which height each cell is occupied (Casualty 4.2).
//
// A place in three dimensions for the price of two: a cell has the probability that something stands in it, and how
// high that reaches. A ray that ends in a cell says "occupied up to here". A ray that passes below that height says
// "not so". One that passes above says nothing: a laser that looks over a table must not clear it. Where nothing is
// occupied, a ray clears if it passes lower than def.clear_below_m: what is seen far above the floor tells nothing
// about driving there.
// Frame    map: x east, y north, z up, metres; cell (0,0) has its lower left corner at the origin.
// Memory   Tiles of 32 x 32 cells from a fixed pool; the one touched longest ago is given up, and counted. All from the
//          arena at create.
// Threads  One owner.
#pragma once
#include "geometry/vec.h"
#include "maps/local/local_grid.h"

typedef struct cairn_height_map cairn_height_map;

typedef struct cairn_height_map_def {
    double cell_m;         // 0.1
    uint32_t tile_count;   // at least cairn_height_map_tiles_min
    double range_m_max;    // along the floor; longer rays only clear, up to here
    double clear_below_m;  // z, above all that a robot could meet. Greater: more is known, and less surely
    uint32_t memory_scans; // a cell of which no scan told anything for longer is unknown again; 0: never
    float logodds_hit, logodds_miss, logodds_limit; // [-] as in maps/local/local_grid.h
} cairn_height_map_def;

typedef struct cairn_height_ray {
    cairn_vec3 end_m;
    bool hit;      // false: only clears
    bool end_only; // tells of its end alone: of many rays beside each other a few will do to clear
} cairn_height_ray;

typedef struct cairn_height_cell {
    cairn_ground ground;
    float height_m;   // z up to which it is occupied; NAN unless ground is an obstacle
    float p_occupied; // [-] 0.5 where unknown
} cairn_height_cell;

cairn_height_map_def cairn_height_map_def_default(void);
uint32_t cairn_height_map_tiles_min(const cairn_height_map_def *def); // what one scan may touch
CAIRN_CHECKED cairn_err cairn_height_map_create(const cairn_height_map_def *def, cairn_arena *arena,
                                                cairn_height_map **ret_map);
// Folds in one scan. Each cell counts once: occupied up to the highest end in it, if there is one; else cleared if the
// lowest ray through it is below what is occupied there, for the whole of its way through the cell. Rays that are not
// finite are left out. O(cells crossed).
void cairn_height_map_add(cairn_height_map *map, cairn_vec3 from_m, const cairn_height_ray *rays, uint32_t count);
// Makes everything unknown, as if it had not been seen for long. With memory_scans only. O(1).
void cairn_height_map_forget(cairn_height_map *map);
cairn_height_cell cairn_height_map_at(const cairn_height_map *map, cairn_vec2 at_m); // O(1) expected
uint32_t cairn_height_map_tiles_used(const cairn_height_map *map);
uint32_t cairn_height_map_tiles_given_up(const cairn_height_map *map);
