// mbicp.h - metric-based scan matching: one scan laid on others, by what it costs to move there and to turn there.
//
// After Minguez, Montesano and Lamiraux 2006, as Casualty used it. The distance of two points is the least motion
// sqrt(x2 + y2 + L2 yaw2) of the scan that takes one to the other: dx2 + dy2 - (dx py - dy px)2 / (p2 + L2), where p is
// the point's arm. A point far out may thus be far off in metres and near in this measure, because a small turn brings
// it there: partners are found rightly when the guess of the heading is poor. Here a point's partner is the nearest
// stretch of surface, not the nearest point: the distance to it under the same measure is e2 / (1 + (n x p)2 / L2) with
// e the distance from its line.
//
// A reference may be several scans at once, each in its place: they are matched to as one, as a small map would be.
//
// Frame    scans: base, levelled, metres, as maps/local/scan_points.h has them. The pose is reference_T_scan.
// Memory   A prepared scan lies in the arena that it is made in. Matching takes no memory.
// Threads  Prepared scans are only read.
#pragma once
#include "base/memory.h"
#include "maps/local/scan_points.h"
#include "matching/match.h"

#define CAIRN_MBICP_REFERENCES_MAX 32

// A scan prepared for matching: in the order of bearing, with the line of the surface at each point.
typedef struct cairn_mbicp_scan {
    uint32_t count;               // beams; those without a return are far away
    uint32_t surface_count;       // of them, those that lie on a surface
    float sensor_x_m, sensor_y_m; // where the beams start
    float bearing_first_rad, bearing_span_rad;
    float step_rad;             // between neighbouring beams, in the mean
    float *x_m, *y_m;           // points, drawn onto their surface where they have one
    float *normal_x, *normal_y; // unit, towards the sensor; 0, 0: no surface there
    float *half_m;              // how far the surface goes on from the point, each way
    uint16_t *of_bearing;       // first point at or after each of count + 1 even steps of bearing
} cairn_mbicp_scan;

// Makes a scan ready; points beyond range_m_max and those that hit nothing are left out. Points must be in the order of
// their bearing, counter-clockwise, at most one turn. CAIRN_ERR_FULL without memory: cairn_mbicp_scan_bytes is enough.
CAIRN_CHECKED cairn_err cairn_mbicp_scan_make(const cairn_scan_points *points, double range_m_max, cairn_arena *memory,
                                              cairn_mbicp_scan *ret_scan);
size_t cairn_mbicp_scan_bytes(uint32_t count);

typedef struct cairn_mbicp_reference {
    const cairn_mbicp_scan *scan; // borrowed during the call
    cairn_pose2 reference_T_scan;
} cairn_mbicp_reference;

// Several scans as one to be laid on others, which it cannot be a reference for: their surface points in the frame that
// the parts are placed in, thinned evenly to at most points_max. CAIRN_ERR_FULL without memory: cairn_mbicp_scan_bytes
// of points_max is enough.
CAIRN_CHECKED cairn_err cairn_mbicp_merge(const cairn_mbicp_reference *parts, uint32_t part_count, uint32_t points_max,
                                          cairn_arena *memory, cairn_mbicp_scan *ret_scan);

typedef struct cairn_mbicp_def {
    uint32_t iteration_count_max;
    double turn_m;        // L: what a turn of one radian costs in metres. Smaller lets far points be farther off
    double reach_m;       // under the measure, at the start: farther partners are none
    double width_m_first; // Cauchy width of the weights at the start: larger forgives more
    double width_m_last;  // and at the end
    double point_m;       // deviation of one point across its surface
} cairn_mbicp_def;

cairn_mbicp_def cairn_mbicp_def_default(void);

// Lays the scan on the references; the prior counts as one more measurement. Score: part of the scan's surface points
// that end within 5 cm of a surface. Trusted if that is at least a quarter, and eight. O(points * references *
// iterations): about 40 us for 180 points on one scan.
void cairn_mbicp_match(const cairn_mbicp_def *def, const cairn_mbicp_reference *references, uint32_t reference_count,
                       const cairn_mbicp_scan *scan, const cairn_match_prior *prior, cairn_match *ret_match);
