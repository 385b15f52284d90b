// watch.h - looks for warm people: hot spots in thermal pictures, placed by the laser, tracked, and reported.
//
// Frame    private.
// Threads  Deliberate only.
#pragma once
#include "messages/codec.h"
#include "perception/victim_tracks.h"
#include "robot/deliberate/tracker.h"

typedef struct cairn_watch {
    cairn_hot_spots_def spots_def;
    cairn_spot_place_def place_def;
    double laser_m; // height of the laser's plane; NAN: it has none
    cairn_victim_tracks *tracks;
    int32_t floor; // that the robot is on, as in telemetry
    uint32_t picture_count, spot_count;
} cairn_watch;

CAIRN_CHECKED cairn_err cairn_watch_init(cairn_watch *watch, const cairn_laser_description *laser, cairn_arena *arena);
// On which floor the robot is now. Tracks have no height: who was seen on another floor is nobody here, and is left to
// whoever was told of him.
void cairn_watch_be_on_floor(cairn_watch *watch, int32_t floor);
// Takes in one picture. Without scan points from about its time nothing can be placed.
void cairn_watch_step(cairn_watch *watch, const cairn_thermal_frame *frame, const cairn_thermal_description *camera,
                      const cairn_tracker *tracker, const cairn_reflex_state *state);
// The next sighting to be told, if there is one.
bool cairn_watch_take_report(cairn_watch *watch, uint8_t robot, cairn_msg_victim_seen *ret_seen);
