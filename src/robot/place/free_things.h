// free_things.h - what stands free in the scan and may move by itself: people, other robots.
//
// In the open, or beside one bare wall, somebody who goes along with the robot is all that a scan could tell its way
// by: he would hold it where it is, and its wheels would seem to spin. Whether he moves or the robot slips no scan can
// tell. So a small thing that stands free counts only once it has stood still for a while, by odometry, and no longer
// when it has moved. (Tried, and no better: to let things that have stood for long bear out that the wheels slip, or to
// ask walls alone for that.)
// Not seen  Who leans at a wall, or is half hidden. Who goes slower than a tenth as fast as the robot.
// Threads   The owner's.
#pragma once
#include "base/clock.h"
#include "geometry/pose2.h"
#include "maps/local/scan_points.h"

#define CAIRN_FREE_THINGS_MAX 48

typedef struct cairn_free_thing {
    cairn_vec2 at_m;              // odometry's frame: where it was seen last
    cairn_vec2 anchor_m, robot_m; // where it must have stayed since, and where the robot was then
    cairn_mono found_at, anchored_at, seen_at;
    cairn_mono moved_at; // 0: never seen to
} cairn_free_thing;

typedef struct cairn_free_things {
    uint32_t count;
    cairn_free_thing things[CAIRN_FREE_THINGS_MAX];
} cairn_free_things;

typedef struct cairn_free_view { // from where a scan was taken
    cairn_pose2 odom_T_base;
    cairn_mono at;
} cairn_free_view;

// Copies the points of a scan without those of things that move, or that nobody has watched for long enough. Points
// must be in the order of their bearing. O(points + things^2).
void cairn_free_things_leave_out(cairn_free_things *all, const cairn_scan_points *points, const cairn_free_view *view,
                                 cairn_scan_points *ret_still);
