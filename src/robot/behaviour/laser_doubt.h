// laser_doubt.h - scans that must not be believed although they come in time: frozen ones, sudden emptiness, and leaps.
//
// A laser measures noise: as soon as anything is in its view, no scan is the one before it to the last bit. Where the
// robot's file says that it has no noise, only a robot that has moved doubts it.
//
// A laser that sees nothing at all may be in the open. But nobody gets there at once: walls leave the view one after
// another. So emptiness is doubted if a tenth of the beams met something a moment before, and until something is met
// again. A laser that begins in emptiness is believed: there is nothing to tell it by. But whoever begins to look while
// another program of the robot doubts it goes on doubting. One that nods looks over things and into the sky: for it a
// moment is a whole nod. A range imager that begins in emptiness is doubted: it is there to show the ground.
//
// No robot gets nearer to everything around it at once, nor farther from it. Ranges that leap all together by the same
// amount, from one scan to the next, are wrong by that amount from then on, until they leap back or are again what they
// were before. A laser that is wrong from the beginning is believed, and one that drifts: there is nothing here to tell
// it by.
#pragma once
#include "body/description.h"
#include "body/frames.h"
#include "geometry/pose2.h"

typedef struct cairn_laser_doubt {
    bool begun;
    cairn_mono taken;        // of the last scan
    uint64_t hash;           // of what it said
    uint32_t same_count;     // of scans in a row that said it
    cairn_pose2 odom_T_base; // when it was first said
    cairn_mono rich_at;      // last scan in which a tenth of the beams met something
    cairn_mono any_at;       // and in which a hundredth did
    // Leaps. Of lasers only.
    uint32_t range_count;                // of the scan before; 0: none
    float angle_rad_step;                // between its beams
    cairn_pose2 then, sound;             // where it was taken, and the last one before ranges leapt
    float then_m[CAIRN_SCAN_BEAMS_MAX];  // its ranges
    float sound_m[CAIRN_SCAN_BEAMS_MAX]; // of that one
    double off_m;                        // by what ranges have leapt since
    bool frozen, empty, leapt;           // the result
    bool differed;                       // two scans have: until then nobody knows whether it is frozen
} cairn_laser_doubt;

// Whether another program that has looked for longer finds the laser suddenly empty. Heard before the first scan only.
void cairn_laser_doubt_go_on(cairn_laser_doubt *doubt, bool empty);
// Takes in a scan; again and again the same one changes nothing. True if it is no look. O(beams).
bool cairn_laser_doubt_step(cairn_laser_doubt *doubt, const cairn_laser_description *laser,
                            const cairn_scan_frame *scan, cairn_pose2 odom_T_base);
// The same of a range imager's pictures. O(pixels).
bool cairn_image_doubt_step(cairn_laser_doubt *doubt, const cairn_range_imager_description *imager,
                            const cairn_range_image_frame *image, cairn_pose2 odom_T_base);
