// laser_log.h - a recorded drive: laser scans with the odometry between them.
//
// Frames   base: x forward, y left, between the wheels. odom: where the wheels say that base is; drifts, never jumps.
//          log: the frame of the pose that the log itself gives each scan; in a corrected log that is somebody's map.
// Ranges   As REP-103 and REP-117 have it: metres; +infinity where nothing came back, NaN where the reading is
//          worthless.
// Memory   The log holds all of it until close.
// Threads  A log is only read.
#pragma once
#include "base/memory.h"
#include "geometry/pose2.h"
#include "maps/local/scan_points.h"

#define CAIRN_LOG_BEAMS_MAX 4096u
#define CAIRN_LOG_SCANS_MAX 4000000u
#define CAIRN_LOG_RANGES_MAX ((size_t)1 << 28)
#define CAIRN_LOG_REACH_M_MAX 1e6 // of a pose from its frame's origin

typedef struct cairn_log_scan {
    int64_t stamp_ns;        // on the log's own clock, which need not be sound: corrected logs often have zeros
    cairn_pose2 odom_T_base; // starts where the log starts it
    cairn_pose2 log_T_base;
    size_t range_first; // its beams are log.ranges_m[range_first .. range_first + beam_count)
    uint32_t beam_count;
    double angle_first_rad, angle_step_rad; // of the beams, in the laser's frame, counter-clockwise
    double range_m_max; // from here on nothing came back, as far as one can tell; such readings are +infinity already
} cairn_log_scan;

typedef struct cairn_laser_log {
    uint32_t scan_count;
    cairn_log_scan *scans; // in the order of the log
    float *ranges_m;
    size_t range_count;
    cairn_pose2 base_T_laser;
    bool is_corrected;    // log_T_base is not odometry: somebody has mapped it
    uint32_t lines_other; // lines of kinds that are not read
    cairn_arena memory;
} cairn_laser_log;

void cairn_laser_log_close(cairn_laser_log *log); // accepts NULL and all-zero

// One scan as points in the frame of its base, counter-clockwise. Beams without a return end at clear_m and only clear;
// worthless ones are left out. Scans of more than CAIRN_SCAN_POINTS_MAX beams are thinned evenly.
void cairn_laser_log_points(const cairn_laser_log *log, uint32_t scan, double clear_m, cairn_scan_points *ret_points);
