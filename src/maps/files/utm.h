// utm.h - places on the WGS 84 ellipsoid in Universal Transverse Mercator coordinates, and back.
//
// Source   Karney 2011, "Transverse Mercator with an accuracy of a few nanometers", the series to the sixth order.
//          The special zones of Norway and Svalbard are left out: a plain zone is as good there, and a map lies in one.
// Threads  Pure.
#pragma once
#include "geometry/vec.h"
#include <stdbool.h>
#include <stdint.h>

#define CAIRN_UTM_LATITUDE_DEG_MIN (-80.0)
#define CAIRN_UTM_LATITUDE_DEG_MAX 84.0

typedef struct cairn_utm {
    uint32_t zone; // 1..60
    bool south;    // of the equator: northings begin at 10,000 km
    double easting_m, northing_m;
    double convergence_rad; // from true north to grid north, clockwise
    double scale;           // [-] grid metres a metre on the ground
} cairn_utm;

// Latitude within the bounds above, longitude in [-180, 180].
cairn_utm cairn_utm_of(double latitude_deg, double longitude_deg);
// The same place in zone and hemisphere of another, as its neighbours have it. False where that zone does not reach:
// more than 10 degrees of longitude from its middle; *ret_utm is then untouched.
bool cairn_utm_beside(const cairn_utm *other, double latitude_deg, double longitude_deg, cairn_utm *ret_utm);
// The place of zone, south, easting_m and northing_m; fills in convergence and scale too. False where no zone reaches:
// more than 10 degrees of longitude from its middle, or beyond the bounds above.
bool cairn_utm_place(cairn_utm *utm, double *ret_latitude_deg, double *ret_longitude_deg);
