// atlas.h - one map from all robots: their nodes and terrain maps, and the global raster made from them.
//
// Starts are known, so a node's place in the map is its robot's start times its pose in the private frame. Nodes and
// terrain maps come in any order, and a second time after a restart: each waits for the other, each counts once. Beside
// the raster the atlas keeps which ground a thermal camera has looked at.
//
// Memory   About 12 MB and 3 bytes for each cell of the raster, from the arena, by init; node_store.h tells what goes
//          when it is full. What the raster has learned stays.
#pragma once
#include "maps/raster.h"
#include "planning/observe.h"
#include "station/atlas/node_store.h"
#include "station/fleet.h"

#define CAIRN_SEARCHED_THERMAL 1 // bit in searched

typedef struct cairn_atlas {
    cairn_raster *raster;
    uint8_t *searched; // bits of each raster cell, as the raster's cells lie
    cairn_node_store nodes;
    uint32_t node_count, terrain_count; // nodes heard; maps in the raster
    uint32_t repeated_count;            // came before
    uint32_t refused_count;             // maps that cannot be read
    cairn_terrain_planes planes;        // room for one
} cairn_atlas;

CAIRN_CHECKED cairn_err cairn_atlas_init(cairn_atlas *atlas, const cairn_raster_def *def, cairn_arena *arena);
// One word of a robot of the fleet. When a node and its map are both there, the map is voted into the raster. Where
// another robot stands at that moment it is not believed: what was seen there is the robot.
void cairn_atlas_add_node(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                          const cairn_msg_node *node);
void cairn_atlas_add_terrain(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                             const cairn_msg_terrain_code *terrain);
// NULL: not heard of, or no longer kept. Borrowed until the next word comes.
const cairn_node_entry *cairn_atlas_node(const cairn_atlas *atlas, uint8_t robot, uint32_t node);
// The terrain map of a node, in the node's frame. CAIRN_ERR_EMPTY when there is none, or no longer.
CAIRN_CHECKED cairn_err cairn_atlas_planes(const cairn_atlas *atlas, const cairn_node_entry *node,
                                           cairn_terrain_planes *ret_planes);
// The ground that a camera saw both from where it was and from where it is: what it only swept over in a turn was in
// too few of its pictures for a person to be noticed.
void cairn_atlas_mark_searched(cairn_atlas *atlas, cairn_pose2 map_T_before, cairn_pose2 map_T_camera,
                               const cairn_sight *sight);
