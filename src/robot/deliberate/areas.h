// areas.h - where this robot may be, as the station told it, and as reflex hears of it.
//
// The station tells a set of areas one by one. Only a whole set counts, and only one with a greater revision than the
// last: until then the robot keeps to what it has. Plans go round what is closed (planning/fences.h); reflex, which is
// told of them in the odometry's frame, keeps the hull within, whoever drives.
// Frame    private; told in odom.
#pragma once
#include "messages/codec.h"
#include "planning/fences.h"
#include "robot/reflex/reflex_cells.h"

typedef struct cairn_kept_areas {
    uint32_t revision; // 0: none was ever told
    cairn_fences fences;
} cairn_kept_areas;

typedef struct cairn_robot_areas {
    cairn_kept_areas kept;
    cairn_kept_areas coming; // a greater revision, as far as it is here
    uint32_t coming_bits;    // 1 << index for each that is
    cairn_areas told;        // as last expressed
    uint32_t told_revision;
} cairn_robot_areas;

typedef enum cairn_area_taken {
    CAIRN_AREA_TAKEN,   // or of no use: it is known already
    CAIRN_AREA_WHOLE,   // with it a new set is whole, and is kept to from now on
    CAIRN_AREA_NONSENSE // it is no area, or does not fit the others
} cairn_area_taken;

cairn_area_taken cairn_robot_areas_take(cairn_robot_areas *areas, const cairn_msg_area *message);
// Expresses them in the odometry's frame; of a robot that does not know its place they stay where they were expressed
// last. False: nothing was ever told, and reflex keeps to what it may have heard from a mind before.
bool cairn_robot_areas_express(cairn_robot_areas *areas, cairn_pose2 odom_T_private, bool knows_place, cairn_mono now);
bool cairn_kept_areas_are_sound(const cairn_kept_areas *kept); // of a checkpoint
