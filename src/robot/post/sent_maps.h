// sent_maps.h - the terrain maps that a robot sent last, so that the next can be told by what changed.
//
// A map may refer to an earlier one only if the station has acknowledged that one: then the station has it, in what
// order and how often the others may arrive. The post knows which it has (cairn_robot_contact). Now and then a map
// refers to none, so that whatever goes wrong there ends.
//
// Memory   About 370 kB, by init, from the arena.
// Threads  One owner.
#pragma once
#include "maps/codec/planes_codec.h"
#include "messages/codec.h"

#define CAIRN_SENT_MAPS 16 // remembered: 20 s. More helps where acknowledgements take longer than that
#define CAIRN_SENT_MAPS_ALONE                                                                                          \
    16 // every so manieth refers to none. More saves bytes, and loses more maps in a row to a
       // station that has lost one

typedef struct cairn_sent_map {
    uint32_t node; // 0: none
    uint16_t cell_mm;
    int32_t x_mm, y_mm; // as in the message
    cairn_terrain_planes planes;
} cairn_sent_map;

typedef struct cairn_sent_maps {
    cairn_sent_map *maps; // by node modulo CAIRN_SENT_MAPS
    uint32_t referring_count;
    cairn_arena scratch;
} cairn_sent_maps;

CAIRN_CHECKED cairn_err cairn_sent_maps_init(cairn_sent_maps *sent, cairn_arena *arena);

// Codes the planes into the message, whose node, cell, size and corner are set, after the map of the acknowledged node
// if it is still remembered and of use (0: none is acknowledged), and remembers them. CAIRN_ERR_FULL: cannot be coded.
CAIRN_CHECKED cairn_err cairn_sent_maps_code(cairn_sent_maps *sent, const cairn_terrain_planes *planes,
                                             uint32_t acknowledged_node, cairn_msg_terrain_grid *message);
