// trail.h - the robot's own way so far, so that it can come home without anybody's help.
//
// Fixed size: when full, every second point goes and the spacing doubles; the first and the last always stay.
// Frame    private.
#pragma once
#include "base/status.h"
#include "geometry/pose2.h"

#define CAIRN_TRAIL_POINTS_MAX 1024

typedef struct cairn_trail {
    uint32_t count;
    double spacing_m;
    cairn_vec2 points_m[CAIRN_TRAIL_POINTS_MAX];
} cairn_trail;

void cairn_trail_init(cairn_trail *trail, double spacing_m);
// Keeps the point if it is spacing_m away from the last one.
void cairn_trail_add(cairn_trail *trail, cairn_vec2 at_m);
// For a robot that goes back along it: points that it has come past are taken off its end, so that the rest leads on.
void cairn_trail_back(cairn_trail *trail, cairn_vec2 at_m);
// The way back from near at_m to the start: points at most spacing_m apart, loops cut where the trail comes back to
// within close_m of itself. Where that would be more than count_max points they are twice as far apart, or four times:
// the last is always the start. Returns the number of points.
uint32_t cairn_trail_home(const cairn_trail *trail, cairn_vec2 at_m, double close_m, double spacing_m,
                          cairn_vec2 *ret_points_m, uint32_t count_max);
