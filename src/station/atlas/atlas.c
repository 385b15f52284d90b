#include "station/atlas/atlas.h"
#include "maps/codec/terrain_codec.h"

cairn_err cairn_atlas_init(cairn_atlas *atlas, const cairn_raster_def *def, cairn_arena *arena)
{
    *atlas = (cairn_atlas){0};
    const cairn_err err = cairn_raster_create(def, arena, &atlas->raster);
    if (err != CAIRN_OK) { return err; }
    atlas->searched = CAIRN_TAKE(arena, uint8_t, (size_t)def->width * def->height);
    return atlas->searched == NULL ? CAIRN_ERR_FULL : cairn_node_store_init(&atlas->nodes, arena);
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

cairn_err cairn_atlas_planes(const cairn_atlas *atlas, const cairn_node_entry *node, cairn_terrain_planes *ret_planes)
{
    const uint8_t *code = cairn_node_store_code(&atlas->nodes, node);
    if (code == NULL) { return CAIRN_ERR_EMPTY; }
    ret_planes->cell_m = node->terrain.cell_mm * 1e-3;
    ret_planes->width = node->terrain.width;
    ret_planes->height = node->terrain.height;
    ret_planes->origin_m = (cairn_vec2){node->terrain.x_mm * 1e-3, node->terrain.y_mm * 1e-3};
    return cairn_terrain_decode(code, node->code_bytes, ret_planes);
}

// Once a node and its map are both there.
static void vote(cairn_atlas *atlas, const cairn_fleet *fleet, cairn_node_entry *node)
{
    if (!node->has_pose || !node->has_map) { return; }
    node->voted = true;
    if (cairn_atlas_planes(atlas, node, &atlas->planes) != CAIRN_OK) {
        atlas->refused_count++;
        return;
    }
    for (uint32_t i = 0; i < fleet->count; i++) {
        const cairn_fleet_robot *other = &fleet->robots[i];
        if (other->id == node->robot || !other->heard) { continue; }
        forget_around(&atlas->planes, cairn_pose2_at(cairn_pose2_between(node->map_T_node, other->map_T_base)));
    }
    cairn_raster_add(atlas->raster, node->map_T_node, &atlas->planes);
    atlas->terrain_count++;
}

void cairn_atlas_add_node(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                          const cairn_msg_node *node)
{
    cairn_node_entry *entry = cairn_node_store_add(&atlas->nodes, robot->id, node->node);
    if (entry->has_pose) {
        atlas->repeated_count++;
        return;
    }
    entry->has_pose = true;
    entry->said = *node;
    const cairn_pose2 private_T_node = {node->x_mm * 1e-3, node->y_mm * 1e-3, node->yaw_urad * 1e-6};
    entry->map_T_node = cairn_pose2_compose(robot->map_T_private, private_T_node);
    atlas->node_count++;
    vote(atlas, fleet, entry);
}

void cairn_atlas_add_terrain(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                             const cairn_msg_terrain_code *terrain)
{
    if ((uint32_t)terrain->width * terrain->height > CAIRN_TERRAIN_CELLS_MAX) {
        atlas->refused_count++;
        return;
    }
    cairn_node_entry *entry = cairn_node_store_add(&atlas->nodes, robot->id, terrain->node);
    if (entry->has_map) {
        atlas->repeated_count++;
        return;
    }
    entry->has_map = true;
    entry->terrain =
        (cairn_terrain_head){terrain->cell_mm, terrain->width, terrain->height, terrain->x_mm, terrain->y_mm};
    cairn_node_store_keep(&atlas->nodes, entry, terrain->code, terrain->code_count);
    vote(atlas, fleet, entry);
}

const cairn_node_entry *cairn_atlas_node(const cairn_atlas *atlas, uint8_t robot, uint32_t node)
{
    return cairn_node_store_find(&atlas->nodes, robot, node);
}

#define GLIMPSED_BEFORE 2 // bits in searched, only while it is worked out
#define GLIMPSED_NOW 4

// Keeps what was glimpsed twice, in the square around the camera.
static void keep_seen_twice(cairn_atlas *atlas, cairn_vec2 around_m, double reach_m)
{
    const cairn_raster_def *def = &atlas->raster->def;
    const double reach = reach_m / def->cell_m + 2.0;
    const double x = (around_m.x - def->origin_m.x) / def->cell_m, y = (around_m.y - def->origin_m.y) / def->cell_m;
    const uint32_t x0 = (uint32_t)fmax(0.0, x - reach), x1 = (uint32_t)fmin(def->width, fmax(0.0, x + reach));
    const uint32_t y0 = (uint32_t)fmax(0.0, y - reach), y1 = (uint32_t)fmin(def->height, fmax(0.0, y + reach));
    for (uint32_t row = y0; row < y1; row++) {
        for (uint8_t *at = atlas->searched + (size_t)row * def->width + x0, *end = at + (x1 - x0); at < end; at++) {
            if ((*at & GLIMPSED_BEFORE) && (*at & GLIMPSED_NOW)) { *at |= CAIRN_SEARCHED_THERMAL; }
            *at &= (uint8_t) ~(GLIMPSED_BEFORE | GLIMPSED_NOW);
        }
    }
}

void cairn_atlas_mark_searched(cairn_atlas *atlas, cairn_pose2 map_T_before, cairn_pose2 map_T_camera,
                               const cairn_sight *sight)
{
    const cairn_raster *raster = atlas->raster;
    const cairn_cost_grid layout = {.origin_m = raster->def.origin_m,
                                    .cell_m = raster->def.cell_m,
                                    .width = raster->def.width,
                                    .height = raster->def.height};
    cairn_sight_mark(raster->ground, &layout, map_T_before, sight, GLIMPSED_BEFORE, atlas->searched);
    cairn_sight_mark(raster->ground, &layout, map_T_camera, sight, GLIMPSED_NOW, atlas->searched);
    const cairn_vec2 from = cairn_pose2_at(map_T_before), to = cairn_pose2_at(map_T_camera);
    keep_seen_twice(atlas, to, sight->range_m_max + cairn_vec2_distance(from, to));
}
