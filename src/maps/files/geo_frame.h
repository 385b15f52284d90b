// geo_frame.h - where a picture's pixels lie on the earth: a coordinate reference and six numbers.
//
// Frame    Columns go to the right, rows down, (0, 0) is the upper left corner of the upper left pixel.
// Threads  Pure.
#pragma once
#include "maps/files/map.h"

typedef struct cairn_geo_frame {
    uint32_t epsg;                      // of the coordinate reference: UTM on WGS 84; 0: a local frame in metres
    double easting_m[3], northing_m[3]; // by column, by row, and of (0, 0)
} cairn_geo_frame;

// Of pixels of px_m whose upper left corner is at map_T_picture, columns along its x axis.
cairn_geo_frame cairn_geo_frame_of(const cairn_map_survey *survey, cairn_pose2 map_T_picture, double px_m);
// The upper left corner of a map's grid, as a picture's.
cairn_pose2 cairn_geo_map_T_picture(const cairn_map *map);
// The other way: cell_m, map_T_corner and survey of a map of width x height cells that lies so. On the earth the map
// frame begins at the grid's lower left corner; in a local frame it is that frame. NULL, or why that cannot be done.
const char *cairn_geo_frame_apply(const cairn_geo_frame *frame, cairn_map *map);
// The greatest distance between where the corners of a picture lie in the two frames, in pixels of the first.
double cairn_geo_frame_apart_px(const cairn_geo_frame *a, const cairn_geo_frame *b, uint32_t width, uint32_t height);
// How the frame of the second survey lies in that of the first, on the ground; the same surveys give exactly nothing.
// False where the first one's zone does not reach the second; *ret_first_T_second is then untouched.
bool cairn_geo_survey_apart(const cairn_map_survey *first, const cairn_map_survey *second,
                            cairn_pose2 *ret_first_T_second);
