// occupancy_grid.h - log-odds of a whole place: tiles from a fixed pool, growing in any direction.
//
// The robot's own short map is maps/local/local_grid.h; this one has no window and no age. It grows by tiles of 64 x 64
// cells wherever a scan looks, and copies nothing. When the pool is empty the tile that was touched longest ago is
// given up, and counted: what it knew is unknown again.
//
// Frame    map: x east, y north, metres; cell (0,0) has its lower left corner at the origin, cells may be negative.
// Memory   4 kB a tile and two bits a cell of the square around the sensor, from the arena at create; nothing later.
// Threads  One owner.
#pragma once
#include "maps/local/local_grid.h"

typedef struct cairn_occupancy_grid cairn_occupancy_grid;

typedef struct cairn_occupancy_grid_def {
    double cell_m;       // 0.05
    uint32_t tile_count; // in the pool; at least all that one scan may touch: see cairn_occupancy_grid_tiles_min
    double range_m_max;  // beams are used up to here; longer ones only clear, up to here
    float logodds_hit;   // [-] > 0
    float logodds_miss;  // [-] < 0
    float logodds_limit; // [-] bound, so that moved rubble is unlearned: 100 steps of the int8 in each cell
} cairn_occupancy_grid_def;

cairn_occupancy_grid_def cairn_occupancy_grid_def_default(void); // 4096 tiles: 41,900 m2 at 5 cm, 16.8 MB
// Tiles in the square around a sensor: the least that a pool must have, so that a scan never gives up its own tiles.
uint32_t cairn_occupancy_grid_tiles_min(const cairn_occupancy_grid_def *def);
// CAIRN_ERR_FULL if the arena is too small; *ret_grid is then untouched.
CAIRN_CHECKED cairn_err cairn_occupancy_grid_create(const cairn_occupancy_grid_def *def, cairn_arena *arena,
                                                    cairn_occupancy_grid **ret_grid);
// Folds in one scan. Points must be in the order of their bearing. Each cell counts once a scan: occupied if a beam
// ended in it, else free if the beams looked through its middle (maps/local/scan_fill.h). O(points + cells looked
// through). A sensor farther than 1e6 cells from the origin, or nowhere, is left out, and counted.
void cairn_occupancy_grid_add(cairn_occupancy_grid *grid, cairn_pose2 map_T_base, const cairn_scan_points *points);
void cairn_occupancy_grid_forget(cairn_occupancy_grid *grid); // all of it. O(tiles)
// What is at this point; unknown where nothing was seen or what was seen cancels out. O(1).
cairn_ground cairn_occupancy_grid_at(const cairn_occupancy_grid *grid, cairn_vec2 at_m);
// Probability in (0,1) that the cell at this point is occupied; exactly 0.5 where it is unknown. O(1).
float cairn_occupancy_grid_p_occupied(const cairn_occupancy_grid *grid, cairn_vec2 at_m);
// cairn_ground of a rectangle of cells, row by row from the lowest y; cell_x, cell_y: its lower left cell. O(cells).
void cairn_occupancy_grid_read(const cairn_occupancy_grid *grid, int32_t cell_x, int32_t cell_y, uint32_t width,
                               uint32_t height, uint8_t *ret_ground);

typedef struct cairn_occupancy_grid_info {
    uint32_t tiles_used, tiles_given_up;
    uint32_t scans_left_out;            // their sensor was nowhere
    int32_t x_min, y_min, x_end, y_end; // cells of the tiles in the pool, [min, end); all 0 if there are none
} cairn_occupancy_grid_info;
cairn_occupancy_grid_info cairn_occupancy_grid_get_info(const cairn_occupancy_grid *grid); // O(tiles)
const cairn_occupancy_grid_def *cairn_occupancy_grid_get_def(const cairn_occupancy_grid *grid);
