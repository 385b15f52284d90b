// hot_spots.h - warm patches in a thermal picture that may be people.
//
// Frame    camera: looks along x, y left, z up. Pictures are row by row from the top left, square pixels, a pinhole.
// Pure     No state, no allocation; about 100 kB of stack.
// Source   Hector's blob detection with thresholds on temperature.
#pragma once
#include "base/status.h"
#include "geometry/vec.h"

#define CAIRN_HOT_PIXELS_MAX (160 * 120)
#define CAIRN_HOT_SPOTS_MAX 16

typedef struct cairn_hot_spots_def {
    double field_rad;       // horizontal field of the camera
    double above_ambient_k; // a warm pixel is this much warmer than the surroundings; lower finds more, and more wrong
    double ambient_part;    // [-] the surroundings are the coldest part of the picture: this quantile of it
    double celsius_min;     // a warm pixel is at least this warm
    double celsius_max;     // a spot with a warmer pixel is a machine or a fire
    uint32_t pixel_count_min; // smaller spots are noise or too far away
} cairn_hot_spots_def;

typedef struct cairn_hot_spot {
    uint32_t pixel_count;
    uint32_t left, right, top, bottom; // [px] inclusive
    double column, row;                // [px] mean of its pixels; whole numbers are middles of pixels
    double celsius_max, celsius_mean;
    cairn_vec3 towards;                            // unit, to its mean
    cairn_vec3 towards_left, towards_right;        // unit, to its outermost edges in the row of its mean
    cairn_vec3 towards_top, towards_bottom;        // unit, likewise in the column of its mean
    bool cut_left, cut_right, cut_top, cut_bottom; // it goes on beyond the picture
} cairn_hot_spot;

cairn_hot_spots_def cairn_hot_spots_def_default(void);

// Finds the spots of one picture, largest first; of more than CAIRN_HOT_SPOTS_MAX the smallest are dropped. A value of
// 0 is not known and belongs to no spot. Returns the number found. O(pixels).
uint32_t cairn_hot_spots_find(const cairn_hot_spots_def *def, const uint16_t *centikelvin, uint32_t width_px,
                              uint32_t height_px, cairn_hot_spot ret_spots[CAIRN_HOT_SPOTS_MAX]);
