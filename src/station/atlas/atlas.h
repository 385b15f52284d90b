// atlas.h - one map from all robots: their nodes and terrain maps, and the global raster made from them.
//
// Each node hangs on a place (places.h), which tells where its robot's private frame lies in the map: at first by the
// robot's known start, later by all that robots have seen of each other's ground. When places move, what hangs on them
// follows, some of it in each step. Nodes and terrain maps come in any order, and a second time after a restart: each
// waits for the other, each counts once. Beside the raster the atlas keeps which ground a thermal camera has looked at.
//
// Rounded  A map is drawn at its node's pose rounded to a tenth of a raster cell and 1 mrad. So the raster follows from
//          the poses alone, whatever they were before, and a node that hardly moved costs nothing.
// Memory   About 60 MB and 12 bytes for each cell of the raster, from the arena, by init. node_store.h tells what goes
//          when it is full: a node that goes, or whose map does, leaves its votes where they are. They weigh less with
//          time, as all votes do (maps/raster.h), and are no longer moved.
#pragma once
#include "maps/raster.h"
#include "planning/observe.h"
#include "station/atlas/node_store.h"
#include "station/atlas/places.h"
#include "station/fleet.h"

#define CAIRN_SEARCHED_THERMAL 1 // bit in searched

typedef struct cairn_atlas {
    cairn_raster *raster;
    uint8_t *searched;       // bits of each raster cell, as the raster's cells lie
    uint16_t *searched_from; // place that each was looked at from; CAIRN_PLACE_NONE: it stays where it is
    cairn_pose2 *searched_T; // of each place: map_T_private when what was searched from there was last moved
    uint32_t x_min, y_min, x_max,
        y_max; // bounds of all that was ever known, as the raster's: where searched may be set
    cairn_node_store nodes;
    cairn_places *places;
    uint32_t unfollowed_count; // nodes that must be looked at: their place may have moved
    uint64_t follow_at;        // the next of them, counted as they came
    bool has_begun;
    cairn_mono began;                   // when its first node came: eras count from here, whatever the clock shows
    uint32_t node_count, terrain_count; // nodes heard; maps in the raster
    uint32_t repeated_count;            // came before
    uint32_t refused_count;             // maps that cannot be read
    cairn_terrain_planes planes;        // room for one
    cairn_terrain_planes earlier;       // and for one that it refers to
    cairn_arena scratch;                // of its code
} cairn_atlas;

typedef struct cairn_atlas_move {
    uint8_t robot; // id
    uint32_t node;
    cairn_pose2 map_T_node; // finite: where it is now
} cairn_atlas_move;

typedef struct cairn_atlas_moved {
    uint32_t redrawn_count; // maps that had to be
    uint32_t stood_count;   // nodes that moved by less than the rounding, or have no map in the raster
    uint32_t fixed_count;   // maps in the raster that are no longer kept: only the pose was moved
    uint32_t strange_count; // nodes that are not kept, or of which only the map has come
} cairn_atlas_moved;

CAIRN_CHECKED cairn_err cairn_atlas_init(cairn_atlas *atlas, const cairn_raster_def *def,
                                         const cairn_places_def *places, cairn_arena *arena);
// One word of a robot of the fleet. When a node and its map are both there, the map is voted into the raster, with the
// weight of the time at which it was seen. Where another robot stands at that moment it is not believed: what was seen
// there is the robot. A map that refers to one that is not kept, or to another than is kept, is refused: robots refer
// only to what was acknowledged, and not always.
void cairn_atlas_add_node(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                          const cairn_msg_node *node);
void cairn_atlas_add_terrain(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                             const cairn_msg_terrain_grid *terrain);
// The same from an older robot.
void cairn_atlas_add_terrain_code(cairn_atlas *atlas, const cairn_fleet *fleet, const cairn_fleet_robot *robot,
                                  const cairn_msg_terrain_code *terrain);
// NULL: not heard of, or no longer kept. Borrowed until the next word comes.
const cairn_node_entry *cairn_atlas_node(const cairn_atlas *atlas, uint8_t robot, uint32_t node);
// The terrain map of a node as its robot said it; cairn_atlas_map_pose tells where it lies, once the node has come.
// CAIRN_ERR_EMPTY when there is none, or no
// longer. Some microseconds.
CAIRN_CHECKED cairn_err cairn_atlas_planes(const cairn_atlas *atlas, const cairn_node_entry *node,
                                           cairn_terrain_planes *ret_planes);
// The same as the raster has it: where other robots stood nothing is known.
CAIRN_CHECKED cairn_err cairn_atlas_votes(const cairn_atlas *atlas, const cairn_node_entry *node,
                                          cairn_terrain_planes *ret_planes);
// Pose of the planes' frame: the node's place, and which way the rows run.
cairn_pose2 cairn_atlas_map_pose(const cairn_node_entry *node);
// Moves nodes: the raster is then as if they had come with these poses, but for what is no longer kept. What was
// searched stays where it was. O(cells of the maps that moved).
cairn_atlas_moved cairn_atlas_move_nodes(cairn_atlas *atlas, const cairn_atlas_move *moves, size_t count);
// Places have moved: all nodes must be looked at, by the next steps.
void cairn_atlas_places_moved(cairn_atlas *atlas);
// A stretch of a trail that was kept apart has been found (finder.h): its places lie there at once, and its maps are
// drawn as cairn_atlas_follow comes to them. head: the first place of it.
typedef struct cairn_atlas_found {
    cairn_pose2 map_T_private;
    double m_dev, rad_dev; // of the first place
} cairn_atlas_found;
void cairn_atlas_settle(cairn_atlas *atlas, uint32_t head, const cairn_atlas_found *found);
// Looks at some of the nodes whose places may have moved, and draws those again that moved by more than a fifth of a
// cell; at most so many.
cairn_atlas_moved cairn_atlas_follow(cairn_atlas *atlas, uint32_t redrawn_max);
// What was searched from places that have moved by a cell or more moves with them, to the nearest cell; a turn may
// leave single cells out. O(cells). CAIRN_ERR_FULL: scratch is too small, nothing was moved.
CAIRN_CHECKED cairn_err cairn_atlas_follow_searched(cairn_atlas *atlas, cairn_arena *scratch);
// The ground that a camera saw both from where it was and from where it is: what it only swept over in a turn was in
// too few of its pictures for a person to be noticed. It hangs on this place.
void cairn_atlas_mark_searched(cairn_atlas *atlas, uint32_t place, cairn_pose2 map_T_before, cairn_pose2 map_T_camera,
                               const cairn_sight *sight);
