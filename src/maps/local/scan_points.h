// scan_points.h - one laser scan as points: straightened for motion, levelled, ready to match and to map.
//
// Frame    base at the time of the scan's last beam, levelled: x forward, y left, metres.
#pragma once
#include <stdint.h>

#define CAIRN_SCAN_POINTS_MAX 1440

typedef struct cairn_scan_points {
    float sensor_x_m, sensor_y_m; // where the beams start
    uint32_t count;
    float x_m[CAIRN_SCAN_POINTS_MAX], y_m[CAIRN_SCAN_POINTS_MAX];
    uint8_t hit[CAIRN_SCAN_POINTS_MAX]; // 1: ends on vertical structure; 0: only clears up to here
} cairn_scan_points;
