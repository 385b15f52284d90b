#include "robot/post/sent_maps.h"

cairn_err cairn_sent_maps_init(cairn_sent_maps *sent, cairn_arena *arena)
{
    *sent = (cairn_sent_maps){.maps = CAIRN_TAKE(arena, cairn_sent_map, CAIRN_SENT_MAPS)};
    uint8_t *block = CAIRN_TAKE(arena, uint8_t, CAIRN_PLANES_SCRATCH_BYTES);
    if (sent->maps == NULL || block == NULL) { return CAIRN_ERR_FULL; }
    cairn_arena_init(&sent->scratch, block, CAIRN_PLANES_SCRATCH_BYTES);
    return CAIRN_OK;
}

// False: there is none to refer to.
static bool find_earlier(const cairn_sent_maps *sent, uint32_t node, const cairn_msg_terrain_grid *message,
                         cairn_planes_earlier *ret_earlier)
{
    const cairn_sent_map *map = &sent->maps[node % CAIRN_SENT_MAPS];
    if (node == 0 || map->node != node || map->cell_mm != message->cell_mm) { return false; }
    *ret_earlier = (cairn_planes_earlier){&map->planes, (message->x_mm - map->x_mm) / message->cell_mm,
                                          (message->y_mm - map->y_mm) / message->cell_mm};
    return cairn_planes_overlap(ret_earlier, message->width, message->height);
}

cairn_err cairn_sent_maps_code(cairn_sent_maps *sent, const cairn_terrain_planes *planes, uint32_t acknowledged_node,
                               cairn_msg_terrain_grid *message)
{
    CAIRN_ASSERT(message->node > 0 && message->cell_mm > 0 && message->node != acknowledged_node);
    CAIRN_ASSERT(message->x_mm % message->cell_mm == 0 && message->y_mm % message->cell_mm == 0);
    cairn_planes_earlier earlier;
    const bool refers =
        sent->referring_count + 1 < CAIRN_SENT_MAPS_ALONE && find_earlier(sent, acknowledged_node, message, &earlier);
    size_t code_bytes = 0;
    const cairn_err err = cairn_planes_encode(planes, refers ? &earlier : NULL, &sent->scratch, message->code,
                                              sizeof message->code, &code_bytes);
    if (err != CAIRN_OK) { return err; }
    message->code_count = (uint16_t)code_bytes;
    message->after_node = refers ? acknowledged_node : 0;
    message->after_hash = refers ? cairn_planes_hash(earlier.planes) : 0;
    sent->referring_count = refers ? sent->referring_count + 1 : 0;
    sent->maps[message->node % CAIRN_SENT_MAPS] = (cairn_sent_map){.node = message->node,
                                                                   .cell_mm = message->cell_mm,
                                                                   .x_mm = message->x_mm,
                                                                   .y_mm = message->y_mm,
                                                                   .planes = *planes};
    return CAIRN_OK;
}
