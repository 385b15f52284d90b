// scan_patches.h - a scan as short straight stretches of surface, a few points each.
//
// A patch's middle is many times surer than a single point, and there are far fewer of them: matching and the sums of
// the local grid work on patches. Corners, edges and loose points give none.
// Frame    as the scan points': base, levelled, metres.
#pragma once
#include "maps/local/scan_points.h"

#define CAIRN_PATCH_POINTS_MIN 5
#define CAIRN_SCAN_PATCHES_MAX (CAIRN_SCAN_POINTS_MAX / CAIRN_PATCH_POINTS_MIN)

typedef struct cairn_scan_patch {
    float x_m, y_m;           // mean of its points
    float normal_x, normal_y; // unit, towards the sensor
    float xx, xy, yy;         // [m2] mean products of its points about their mean
    float count;              // points
} cairn_scan_patch;

typedef struct cairn_scan_patches {
    uint32_t count;
    cairn_scan_patch patches[CAIRN_SCAN_PATCHES_MAX];
} cairn_scan_patches;

// Points beyond range_m_max, and those that hit nothing, are left out. Points must be in the order of their bearing.
// O(points).
void cairn_scan_patches_find(const cairn_scan_points *points, float range_m_max, cairn_scan_patches *ret_patches);
