// memory_grid.h - the robot's coarse long memory: 20 cm cells in tiles from a fixed pool.
//
// So that a robot can come home and go on searching without the station. When the pool is empty the tile that
// was touched longest ago is given up (counted).
// Frame    the robot's private frame.
#pragma once
#include "maps/drivability.h"
#include "maps/local/local_grid.h"

typedef struct cairn_memory_grid cairn_memory_grid;

typedef struct cairn_memory_grid_def {
    double cell_m;       // 0.2
    uint32_t tile_count; // tiles of 16 x 16 cells in the pool
} cairn_memory_grid_def;

cairn_memory_grid_def cairn_memory_grid_def_default(void); // 2048 tiles: 512 x 1024 cells, about 20,000 m2
CAIRN_CHECKED cairn_err cairn_memory_grid_create(const cairn_memory_grid_def *def, cairn_arena *arena,
                                                 cairn_memory_grid **ret_grid);
// Takes over what the local map knows within radius_m of a point: the newest word counts. O(cells).
void cairn_memory_grid_add(cairn_memory_grid *memory, const cairn_local_grid *local, cairn_vec2 centre_m,
                           double radius_m, cairn_mono now);
// Takes over what a drivability map says, likewise. Its cells must divide ours, and its corner be one of ours.
// O(cells).
void cairn_memory_grid_put(cairn_memory_grid *memory, const cairn_drivability_area *area, const uint8_t *ground);
// Makes all cells whose middles lie within radius_m of a point unknown. O(cells).
void cairn_memory_grid_forget(cairn_memory_grid *memory, cairn_vec2 centre_m, double radius_m);
void cairn_memory_grid_forget_all(cairn_memory_grid *memory);                        // O(tiles)
cairn_ground cairn_memory_grid_at(const cairn_memory_grid *memory, cairn_vec2 at_m); // O(1) expected
// The same at the middle of each cell of an area, where it says more than *ground does: unknown < free < obstacle.
void cairn_memory_grid_merge(const cairn_memory_grid *memory, const cairn_drivability_area *area, uint8_t *ground);
uint32_t cairn_memory_grid_tiles_used(const cairn_memory_grid *memory);
uint32_t cairn_memory_grid_tiles_given_up(const cairn_memory_grid *memory);
