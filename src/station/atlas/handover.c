#include "station/atlas/handover.h"
#include "maps/raster_maker.h"
#include <math.h>

#define NODE_BYTES 64 // of the maker and the cover, besides the node's own
#define CELL_BYTES 12 // of the maker's raster, and of the two planes
#define ROOM_BYTES ((size_t)1 << 20)

typedef struct known_box {
    uint32_t x_min, y_min, width, height; // cells of the live raster; one where it knows nothing
} known_box;

static known_box known_of(const cairn_raster *raster)
{
    if (raster->x_max < raster->x_min) { return (known_box){0, 0, 1, 1}; }
    return (known_box){raster->x_min, raster->y_min, raster->x_max - raster->x_min + 1,
                       raster->y_max - raster->y_min + 1};
}

size_t cairn_handover_bytes(const cairn_atlas *atlas)
{
    const known_box box = known_of(atlas->raster);
    const size_t node_bytes = sizeof(cairn_raster_node) + sizeof(cairn_terrain_planes) + NODE_BYTES;
    return ROOM_BYTES + cairn_node_store_count(&atlas->nodes) * node_bytes +
           (size_t)box.width * box.height * CELL_BYTES;
}

// When a node was seen, in the mission's time: by its robot's clock, as the era of its votes was found.
static double seen_s(const cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_node_entry *node)
{
    const double era_s = node->era * CAIRN_RASTER_HALF_LIFE_S;
    double at_s = era_s;
    for (uint32_t i = 0; i < fleet->count; i++) {
        const cairn_fleet_robot *robot = &fleet->robots[i];
        if (robot->id != node->robot || !robot->heard) { continue; }
        at_s = cairn_seconds(cairn_mono_since(robot->heard_at, atlas->began)) +
               cairn_seconds(node->said.mono_ns - robot->telemetry.mono_ns);
    }
    // A robot whose clock began anew since then: at least the era holds.
    const double era_end_s = node->era < CAIRN_RASTER_ERA_MAX ? era_s + CAIRN_RASTER_HALF_LIFE_S - 1e-3 : INFINITY;
    return fmin(fmax(at_s, era_s), era_end_s);
}

static cairn_err gather(const cairn_atlas *atlas, const cairn_fleet *fleet, cairn_arena *memory,
                        cairn_raster_node *ret_nodes, cairn_handover *handover, uint32_t *ret_count)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < cairn_node_store_count(&atlas->nodes); at++) {
        const cairn_node_entry *node = cairn_node_store_get(&atlas->nodes, at);
        if (!node->voted) { continue; }
        if (node->kept_bytes == 0) {
            handover->unkept_count++;
            continue;
        }
        cairn_terrain_planes *planes = CAIRN_TAKE(memory, cairn_terrain_planes, 1);
        if (planes == NULL) { return CAIRN_ERR_FULL; }
        if (cairn_atlas_votes(atlas, node, planes) != CAIRN_OK) { continue; }
        ret_nodes[count++] = (cairn_raster_node){.map_T_node = cairn_atlas_map_pose(node),
                                                 .planes = planes,
                                                 .seen_s = seen_s(atlas, fleet, node),
                                                 .field_rad = 2 * CAIRN_PI};
    }
    *ret_count = count;
    return CAIRN_OK;
}

// The raster of the nodes, as large as what the live one knows.
static cairn_err draw(const cairn_raster *live, const cairn_raster_node *nodes, uint32_t count, cairn_arena *memory,
                      const cairn_raster **ret_raster, cairn_handover *handover)
{
    const known_box box = known_of(live);
    cairn_raster_maker_def def = cairn_raster_maker_def_default();
    def.raster = live->def;
    def.raster.origin_m = (cairn_vec2){live->def.origin_m.x + box.x_min * live->def.cell_m,
                                       live->def.origin_m.y + box.y_min * live->def.cell_m};
    def.raster.width = box.width;
    def.raster.height = box.height;
    def.nodes_max = count > 0 ? count : 1;
    def.use_cover = true;
    cairn_raster_maker *maker = NULL;
    cairn_raster_maker_info info;
    cairn_err err = cairn_raster_maker_create(&def, memory, &maker);
    if (err == CAIRN_OK) { err = cairn_raster_maker_update(maker, nodes, count, memory, &info); }
    if (err != CAIRN_OK) { return err; }
    handover->drawn_count = info.drawn;
    handover->left_out_count = info.left_out;
    *ret_raster = cairn_raster_maker_raster(maker);
    return CAIRN_OK;
}

cairn_err cairn_handover_make(const cairn_atlas *atlas, const cairn_fleet *fleet, cairn_arena *memory,
                              cairn_handover *ret_handover)
{
    cairn_handover handover = {0};
    cairn_err err = cairn_map_of_raster(atlas->raster, memory, &handover.map);
    if (err != CAIRN_OK) { return err; }
    const size_t cell_count = (size_t)handover.map.width * handover.map.height;
    uint8_t *ground = CAIRN_TAKE(memory, uint8_t, cell_count);
    cairn_raster_node *nodes = CAIRN_TAKE(memory, cairn_raster_node, cairn_node_store_count(&atlas->nodes) + 1);
    if (ground == NULL || nodes == NULL) { return CAIRN_ERR_FULL; }
    uint32_t count = 0;
    const cairn_raster *drawn = NULL;
    err = gather(atlas, fleet, memory, nodes, &handover, &count);
    if (err == CAIRN_OK) { err = draw(atlas->raster, nodes, count, memory, &drawn, &handover); }
    if (err != CAIRN_OK) { return err; }
    for (size_t cell = 0; cell < cell_count; cell++) {
        const uint8_t live = handover.map.ground[cell], afresh = drawn->ground[cell];
        ground[cell] = afresh != CAIRN_GROUND_UNKNOWN ? afresh : live;
        handover.live_cell_count += afresh == CAIRN_GROUND_UNKNOWN && live != CAIRN_GROUND_UNKNOWN;
    }
    handover.map.ground = ground;
    *ret_handover = handover;
    return CAIRN_OK;
}
