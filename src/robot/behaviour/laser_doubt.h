// laser_doubt.h - scans that must not be believed although they come in time: frozen ones, and sudden emptiness.
//
// A laser measures noise: as soon as anything is in its view, no scan is the one before it to the last bit. Where the
// robot's file says that it has no noise, only a robot that has moved doubts it.
//
// A laser that sees nothing at all may be in the open. But nobody gets there at once: walls leave the view one after
// another. So emptiness is doubted if a tenth of the beams met something a moment before, and until something is met
// again. What begins in emptiness is believed: there is nothing to tell it by. One that nods looks over things and into
// the sky: for it a moment is a whole nod.
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
    bool frozen, empty;      // the result
    bool differed;           // two scans have: until then nobody knows whether it is frozen
} cairn_laser_doubt;

// Takes in a scan; again and again the same one changes nothing. True if it is no look: frozen or empty. O(beams).
bool cairn_laser_doubt_step(cairn_laser_doubt *doubt, const cairn_laser_description *laser,
                            const cairn_scan_frame *scan, cairn_pose2 odom_T_base);
// The same of a range imager's pictures. O(pixels).
bool cairn_image_doubt_step(cairn_laser_doubt *doubt, const cairn_range_imager_description *imager,
                            const cairn_range_image_frame *image, cairn_pose2 odom_T_base);
