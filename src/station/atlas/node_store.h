// node_store.h - every node of every robot with its terrain map as bytes (kept_map.h), found by robot and number.
//
// Memory   Two rings from the arena: CAIRN_NODES_MAX nodes, and CAIRN_NODE_MAP_BYTES of maps. When either is full the
//          oldest to have come makes room: a node whose map is gone stays until its own turn comes. Both are counted.
// Threads  One owner.
#pragma once
#include "base/memory.h"
#include "geometry/pose2.h"
#include "messages/codec.h"
#include "station/replay/archive.h"

#define CAIRN_NODES_MAX 24576
#define CAIRN_NODE_MAP_BYTES (32u << 20) // about 1360 a node

typedef struct cairn_terrain_head {
    uint16_t cell_mm, width, height;
    bool is_upright;    // its rows run along its robot's private frame; otherwise along the node's, as of older robots
    int32_t x_mm, y_mm; // corner of cell (0,0), in that frame
} cairn_terrain_head;

typedef struct cairn_node_entry {
    uint8_t robot; // id
    uint32_t node; // its number on that robot
    bool has_pose; // the node itself has come; until then said and map_T_node are empty
    bool has_map;  // its terrain map has come
    bool voted;    // both have, and the raster knows
    uint8_t era;   // of its votes (maps/raster.h)
    cairn_msg_node said;
    cairn_pose2 map_T_node;
    uint32_t place; // that it hangs on (places.h)
    cairn_terrain_head terrain;
    uint32_t kept_bytes; // of its map; 0: none, or no longer
    uint32_t kept_at;    // in the ring
    uint32_t next_plus_1;
} cairn_node_entry;

typedef struct cairn_node_store {
    cairn_node_entry *entries; // a ring by arrival
    uint32_t *buckets;         // first entry of each, plus 1
    uint64_t added_count;      // entries ever
    uint8_t *maps;
    uint32_t maps_first, maps_end, maps_used; // bytes; records lie from first to end, around the edge
    uint32_t node_lost_count, map_lost_count; // made room
} cairn_node_store;

CAIRN_CHECKED cairn_err cairn_node_store_init(cairn_node_store *store, cairn_arena *arena);
// NULL: never came, or made room. O(1).
cairn_node_entry *cairn_node_store_find(const cairn_node_store *store, uint8_t robot, uint32_t node);
// The entry, made if it is not there yet. Valid until the next one is made.
cairn_node_entry *cairn_node_store_add(cairn_node_store *store, uint8_t robot, uint32_t node);
// Keeps a copy of the map, at most CAIRN_NODE_MAP_BYTES / 2; the entry must have none. O(bytes).
void cairn_node_store_keep(cairn_node_store *store, cairn_node_entry *entry, const uint8_t *map, uint32_t size_bytes);
void cairn_node_store_drop(cairn_node_store *store, cairn_node_entry *entry); // the map, so that another may be kept
// Borrowed until the next keep. NULL when entry->kept_bytes is 0.
const uint8_t *cairn_node_store_kept(const cairn_node_store *store, const cairn_node_entry *entry);
// How many there are, and each of them, the oldest first: at < count.
uint32_t cairn_node_store_count(const cairn_node_store *store);
const cairn_node_entry *cairn_node_store_get(const cairn_node_store *store, uint32_t at);
// Loads into a store that is empty.
void cairn_node_store_walk(cairn_archive *archive, cairn_node_store *store);
