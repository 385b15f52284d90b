// local_grid.h - the robot's fine local map: log-odds, rolling with the robot, forgetting after about 15 s.
//
// Frame    the robot's private frame. The grid is a square window on it that follows the robot; what it leaves
//          is forgotten. Cells are addressed modulo the window, so that rolling costs only the new strips.
//          It moves in steps of 16 cells, and the robot is never more than 16 cells from its middle.
// Memory   34 bytes a cell from the arena at create (9 MB for 512 by 512), of which only what was seen is touched;
//          nothing later.
// Threads  One owner.
#pragma once
#include "base/clock.h"
#include "base/memory.h"
#include "geometry/pose2.h"
#include "maps/local/scan_points.h"

typedef enum cairn_ground { CAIRN_GROUND_UNKNOWN = 0, CAIRN_GROUND_FREE = 1, CAIRN_GROUND_OBSTACLE = 2 } cairn_ground;

typedef struct cairn_local_grid cairn_local_grid;

typedef struct cairn_local_grid_def {
    double cell_m;       // 0.05: finer matches better and costs more
    uint32_t size_cells; // edge of the window, a power of two
    double memory_s;     // cells not seen for longer are unknown again, to within a sixtieth of this
    double range_m_max;  // beams are used up to here; longer ones only clear, up to here
    float logodds_hit;   // [-] > 0
    float logodds_miss;  // [-] < 0
    float logodds_limit; // [-] bound, so that what moved is unlearned
} cairn_local_grid_def;

cairn_local_grid_def cairn_local_grid_def_default(void);
CAIRN_CHECKED cairn_err cairn_local_grid_create(const cairn_local_grid_def *def, cairn_arena *arena,
                                                cairn_local_grid **ret_grid);
// Rolls the window so that this point is near its middle. O(new cells).
void cairn_local_grid_centre(cairn_local_grid *grid, cairn_vec2 at_m);
// Folds in one scan taken from map_T_base (private_T_base). Points must be in the order of their bearing. Each cell
// counts once a scan: free if the beams looked through it, occupied if one ended in it. O(points + cells looked
// through): about 50 us for 1081 beams in a maze.
void cairn_local_grid_add(cairn_local_grid *grid, cairn_pose2 map_T_base, const cairn_scan_points *points,
                          cairn_mono now);
// Makes the disc free and forgets obstacles in it (a team-mate was there, not a wall).
void cairn_local_grid_forget_disc(cairn_local_grid *grid, cairn_vec2 centre_m, double radius_m);
// Forgets all: the robot is not where it drew it. O(cells).
void cairn_local_grid_forget(cairn_local_grid *grid);
// What is at this point; unknown outside the window and where it was not seen within memory_s. O(1).
cairn_ground cairn_local_grid_at(const cairn_local_grid *grid, cairn_vec2 at_m, cairn_mono now);
// The same for a rectangle of cells, row by row from the lowest y: cell (0,0) is the one that holds corner_m.
// ret_ground: cairn_ground of width * height cells. O(cells).
void cairn_local_grid_read(const cairn_local_grid *grid, cairn_vec2 corner_m, uint32_t width, uint32_t height,
                           cairn_mono now, uint8_t *ret_ground);
const cairn_local_grid_def *cairn_local_grid_get_def(const cairn_local_grid *grid);
