// tracker.h - where the robot is in its private frame: wheel and gyro odometry, aided by scan matching.
//
// The private frame starts where the robot was switched on, x forward, and never jumps: matching moves the estimate by
// at most what odometry may be wrong by since the scan before. The local map lives here too, since matching and mapping
// feed each other.
// Threads  Deliberate only.
#pragma once
#include "maps/local_grid.h"
#include "matching/gradient.h"
#include "robot/deliberate/straighten.h"

typedef struct cairn_tracker {
    cairn_match_def match_def;
    cairn_local_grid *grid;
    cairn_beam_table beams;
    cairn_scan_points points; // of the last scan, base frame at points_at
    cairn_mono points_at;
    cairn_pose2 private_T_odom; // what matching has corrected so far
    cairn_pose2 private_T_base; // at points_at
    cairn_match match;          // the last one
    cairn_pose2 mapped_at;      // where the map was last added to
    cairn_mono mapped_when;
    uint32_t matched_count, refused_count;
    bool started;
} cairn_tracker;

CAIRN_CHECKED cairn_err cairn_tracker_init(cairn_tracker *tracker, cairn_arena *arena);
// Takes in one scan.
void cairn_tracker_step(cairn_tracker *tracker, const cairn_scan_frame *scan, const cairn_laser_description *laser,
                        const cairn_reflex_state *state, cairn_mono now);
// Odometry carried on from the last match.
cairn_pose2 cairn_tracker_pose(const cairn_tracker *tracker, const cairn_reflex_state *state);
