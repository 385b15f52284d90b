#include "robot/place/own_map.h"

#define TILE_COUNT 2048
#define RANGE_M_MAX 24.0 // farther, a degree of the robot's heading is more than a door's width
#define DRAW_M 0.3       // scans are drawn after so much motion: more would only repeat
#define DRAW_RAD 0.3

cairn_err cairn_own_map_init(cairn_own_map *map, cairn_arena *arena)
{
    *map = (cairn_own_map){0};
    cairn_occupancy_grid_def def = cairn_occupancy_grid_def_default();
    def.tile_count = TILE_COUNT;
    def.range_m_max = RANGE_M_MAX;
    return cairn_occupancy_grid_create(&def, arena, &map->grid);
}

void cairn_own_map_add(cairn_own_map *map, cairn_pose2 private_T_base, const cairn_scan_points *points)
{
    const cairn_pose2 moved = cairn_pose2_between(map->drawn_at, private_T_base);
    const bool stands = cairn_vec2_length(cairn_pose2_at(moved)) < DRAW_M && fabs(moved.yaw_rad) < DRAW_RAD;
    if (map->begun && stands) { return; }
    cairn_occupancy_grid_add(map->grid, private_T_base, points);
    map->begun = true;
    map->drawn_at = private_T_base;
}

void cairn_own_map_forget(cairn_own_map *map)
{
    cairn_occupancy_grid_forget(map->grid);
    map->begun = false;
}
