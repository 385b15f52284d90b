// truth_map.h - an arena as the map that a team should make of it, for judging those that it made.
//
// Free      Ground that can be reached from a start: over steps of up to 12 cm and slopes of up to 25 degrees, by a
//           robot as thin as a cell; and clear cells beside it. Seen from above: a cell counts once, however many
//           storeys it has.
// Obstacle  Cells that a surface reaches into (surfaces.h), beside free ones: what is inside a wall, or behind it,
//           nobody can know.
// Unknown   The rest, and wherever a door or a figure is at the start: maps are not judged by what moves.
// Frame     map; cells from (0, 0), with a cell of margin on every side.
// Threads   No state.
#pragma once
#include "maps/files/map.h"
#include "sim/arena/check/reach.h"

// A robot that is a point: whatever ground is not below an obstacle counts, as it can be seen if not driven on.
cairn_reach_def cairn_truth_reach_def(const cairn_sim_arena *arena, double cell_m);

// cell_m: 0 for that of cairn_reach_cell_m. The map's plane lies in memory, a byte a cell; works on the heap.
// CAIRN_ERR_FULL without memory; CAIRN_ERR_TOO_LARGE for more cells than a map may have. O(cells), and as reach.h says.
CAIRN_CHECKED cairn_err cairn_truth_map(const cairn_sim_arena *arena, double cell_m, cairn_arena *memory,
                                        cairn_map *ret_map);
