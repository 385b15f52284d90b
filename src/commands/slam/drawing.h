// drawing.h - a mapped drive as files: the map for machines and for people, and where the robot was.
#pragma once
#include "maps/files/map.h"
#include "slam/log/laser_log.h"

typedef struct cairn_slam_drawing {
    const cairn_laser_log *log;
    const cairn_pose2 *poses; // map_T_base, one for each scan
    const char *folder;       // that is there
    const char *title, *words;
    double cell_m;
} cairn_slam_drawing;

typedef struct cairn_slam_drawn {
    uint32_t width, height; // cells
    double free_m2;
} cairn_slam_drawn;

// Writes map.png, map.pgm with map.yaml, and trajectory.tum into the folder. CAIRN_ERR_IO, CAIRN_ERR_FULL,
// CAIRN_ERR_TOO_LARGE.
CAIRN_CHECKED cairn_err cairn_slam_draw(const cairn_slam_drawing *drawing, cairn_complaints *complaints,
                                        cairn_slam_drawn *ret_drawn);
