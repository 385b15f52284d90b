// scan_edges.h - where surfaces end in a scan: corners of openings, ends of panels.
//
// Along a bare corridor the walls say nothing about how far the robot has come, but the openings in them do.
// Frame    as the scan points': base, levelled, metres.
#pragma once
#include "maps/local/scan_points.h"

#define CAIRN_SCAN_EDGES_MAX 32

typedef struct cairn_scan_edge {
    float x_m, y_m;         // the last of the surface
    float along_x, along_y; // unit, along the surface towards the edge
    uint8_t turn;           // 0: the view opens to the left of the surface, 1: to the right
} cairn_scan_edge;

typedef struct cairn_scan_edges {
    uint32_t count;
    cairn_scan_edge edges[CAIRN_SCAN_EDGES_MAX];
} cairn_scan_edges;

// Finds the edges at which the view goes on behind a surface that is straight for a hand's breadth. Of more than
// CAIRN_SCAN_EDGES_MAX the later ones are left out. Points must be in the order of their bearing. O(points).
void cairn_scan_edges_find(const cairn_scan_points *points, float range_m_max, cairn_scan_edges *ret_edges);
