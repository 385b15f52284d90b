// atlas.h - one map from all robots: their nodes and terrain maps, and the global raster made from them.
//
// Starts are known, so a node's place in the map is its robot's start times its pose in the private frame. Beside the
// raster the atlas keeps which ground a thermal camera has looked at.
#pragma once
#include "maps/raster.h"
#include "planning/observe.h"
#include "station/fleet.h"

#define CAIRN_SEARCHED_THERMAL 1 // bit in searched

typedef struct cairn_atlas {
    cairn_raster *raster;
    uint8_t *searched; // bits of each raster cell, as the raster's cells lie
    uint32_t node_count, terrain_count, refused_count;
    cairn_terrain_planes planes; // room for one
} cairn_atlas;

CAIRN_CHECKED cairn_err cairn_atlas_init(cairn_atlas *atlas, const cairn_raster_def *def, cairn_arena *arena);
// A terrain map whose node is the last one heard from that robot; others are refused and counted. Where another robot
// of the fleet stands, the map is not believed: what was seen there is the robot.
void cairn_atlas_add_terrain(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                             const cairn_msg_terrain_map *map);
// The ground that this robot's camera sees from where it is.
void cairn_atlas_mark_searched(cairn_atlas *atlas, cairn_pose2 map_T_camera, const cairn_sight *sight);
