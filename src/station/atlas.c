#include "station/atlas.h"
#include <string.h>

cairn_err cairn_atlas_init(cairn_atlas *atlas, const cairn_raster_def *def, cairn_arena *arena)
{
    *atlas = (cairn_atlas){0};
    const cairn_err err = cairn_raster_create(def, arena, &atlas->raster);
    if (err != CAIRN_OK) { return err; }
    atlas->searched = CAIRN_TAKE(arena, uint8_t, (size_t)def->width * def->height);
    return atlas->searched == NULL ? CAIRN_ERR_FULL : CAIRN_OK;
}

static bool fits(const cairn_msg_terrain_map *map)
{
    const size_t cells = (size_t)map->width * map->height;
    return cells <= CAIRN_TERRAIN_CELLS_MAX && map->known_count == (cells + 7) / 8 &&
           map->obstacle_count == map->known_count;
}

#define ROBOT_M 0.45 // what is seen this near to a robot is the robot

// Makes a square of cells around a place unknown.
static void forget_around(cairn_terrain_planes *planes, cairn_vec2 at_m)
{
    const int32_t reach = (int32_t)(ROBOT_M / planes->cell_m);
    const int32_t x = (int32_t)floor((at_m.x - planes->origin_m.x) / planes->cell_m);
    const int32_t y = (int32_t)floor((at_m.y - planes->origin_m.y) / planes->cell_m);
    for (int32_t row = y - reach; row <= y + reach; row++) {
        for (int32_t column = x - reach; column <= x + reach; column++) {
            if (row < 0 || column < 0 || row >= (int32_t)planes->height || column >= (int32_t)planes->width) {
                continue;
            }
            const uint32_t cell = (uint32_t)row * planes->width + (uint32_t)column;
            planes->known[cell >> 3] &= (uint8_t) ~(1u << (cell & 7));
            planes->obstacle[cell >> 3] &= (uint8_t) ~(1u << (cell & 7));
        }
    }
}

void cairn_atlas_add_terrain(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                             const cairn_msg_terrain_map *map)
{
    if (map->node != robot->node.node || !fits(map)) {
        atlas->refused_count++;
        return;
    }
    cairn_terrain_planes *planes = &atlas->planes;
    planes->cell_m = map->cell_mm * 1e-3;
    planes->width = map->width;
    planes->height = map->height;
    planes->origin_m = (cairn_vec2){map->x_mm * 1e-3, map->y_mm * 1e-3};
    memcpy(planes->known, map->known, map->known_count);
    memcpy(planes->obstacle, map->obstacle, map->obstacle_count);
    const cairn_msg_node *node = &robot->node;
    const cairn_pose2 private_T_node = {node->x_mm * 1e-3, node->y_mm * 1e-3, node->yaw_urad * 1e-6};
    const cairn_pose2 map_T_node = cairn_pose2_compose(robot->map_T_private, private_T_node);
    for (uint32_t i = 0; i < fleet->count; i++) {
        const cairn_fleet_robot *other = &fleet->robots[i];
        if (other == robot || !other->heard) { continue; }
        forget_around(planes, cairn_pose2_at(cairn_pose2_between(map_T_node, other->map_T_base)));
    }
    cairn_raster_add(atlas->raster, map_T_node, planes);
    atlas->terrain_count++;
}

void cairn_atlas_mark_searched(cairn_atlas *atlas, cairn_pose2 map_T_camera, const cairn_sight *sight)
{
    const cairn_raster *raster = atlas->raster;
    const cairn_cost_grid layout = {.origin_m = raster->def.origin_m,
                                    .cell_m = raster->def.cell_m,
                                    .width = raster->def.width,
                                    .height = raster->def.height};
    cairn_sight_mark(raster->ground, &layout, map_T_camera, sight, CAIRN_SEARCHED_THERMAL, atlas->searched);
}
