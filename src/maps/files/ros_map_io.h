// ros_map_io.h - the header of a ROS map_server map: https://wiki.ros.org/map_server has the meaning of the keys.
//
// The bytes may hold anything. Errors are complaints under the file's name and line.
// Threads  No state of its own.
#pragma once
#include "base/memory.h"
#include "maps/local/local_grid.h"

typedef struct cairn_ros_map {
    char image[512]; // relative to the header
    double resolution_m;
    double origin[3]; // x, y [m] and yaw [rad] of the lower left corner
    uint32_t negate;  // 1: bright is wall
    double occupied_thresh, free_thresh;
    uint32_t mode; // cairn_ros_mode
} cairn_ros_map;
typedef enum cairn_ros_mode { CAIRN_ROS_TRINARY, CAIRN_ROS_SCALE, CAIRN_ROS_RAW } cairn_ros_mode;

#define CAIRN_ROS_OCCUPIED_THRESH 0.65 // map_server's own defaults
#define CAIRN_ROS_FREE_THRESH 0.196

CAIRN_CHECKED cairn_err cairn_ros_map_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                            cairn_complaints *complaints, cairn_ros_map *ret_map);
// How likely a pixel of this value says that its cell is occupied, in [0, 1]; negative: it says nothing.
double cairn_ros_map_p_occupied(const cairn_ros_map *map, uint8_t value);
// Wall, free or unknown by the map's thresholds.
cairn_ground cairn_ros_map_ground(const cairn_ros_map *map, uint8_t value);
