// outlook.h - whether what the laser sees comes nearer as the wheels say: reflex's own sight of the way.
//
// Mind's sight is only as good as its map: a robot whose wheels spin for long loses its place, and then nothing of mind
// tells any longer that it stands. So a scan is laid over one of a moment before, in two ways: as if the robot had gone
// where its wheels went, and as if it had only turned. Where the two foretell the same, as along bare walls, or where
// neither is right, nothing is told.
// Frame    base; the laser's own plane, shortened by its nod.
// Not seen  Less than 0.3 m of counted way in 1.5 s; with a laser that leans on its mount; while the robot turns fast.
// Cost      O(CAIRN_OUTLOOK_BEAMS) a scan.
#pragma once
#include "body/description.h"
#include "body/frames.h"
#include "geometry/pose2.h"

#define CAIRN_OUTLOOK_BEAMS 90
#define CAIRN_OUTLOOK_SCANS 64

typedef enum cairn_outlook_verdict {
    CAIRN_OUTLOOK_SILENT, // nothing tells
    CAIRN_OUTLOOK_STANDS, // it does not go, though its wheels do
    CAIRN_OUTLOOK_GOES,   // as they say
} cairn_outlook_verdict;

// How the robot was at a scan.
typedef struct cairn_outlook_lie {
    cairn_pose2 odom_T_base;
    double roll_rad, pitch_rad; // NaN not known: as if level
} cairn_outlook_lie;

// Of one scan, what is kept: so many beams, shortened to the level.
typedef struct cairn_outlook_scan {
    cairn_mono taken;
    cairn_outlook_lie lie;
    double nod_rad;
    float range_m[CAIRN_OUTLOOK_BEAMS]; // NaN: nothing
} cairn_outlook_scan;

typedef struct cairn_outlook {
    bool usable; // a laser that stands upright
    cairn_pose2 base_T_laser;
    uint64_t version; // of the last scan
    uint32_t count, next;
    cairn_outlook_scan scans[CAIRN_OUTLOOK_SCANS]; // a ring
    float angle_rad_first, angle_rad_step;         // between the beams that are kept
    cairn_outlook_verdict verdict;                 // the last that was no silence
    cairn_mono told_at;                            // and when
} cairn_outlook;

void cairn_outlook_init(cairn_outlook *outlook, const cairn_body_description *body);
void cairn_outlook_forget(cairn_outlook *outlook); // by another time, or another odometry
void cairn_outlook_look(cairn_outlook *outlook, const cairn_scan_frame *scan, const cairn_outlook_lie *lie,
                        cairn_mono now);
// What has been told lately.
cairn_outlook_verdict cairn_outlook_says(const cairn_outlook *outlook, cairn_mono now);
