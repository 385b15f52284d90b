// area.h - where the robot may be: its hull stays within one keep-in polygon, if there are any, and outside all others.
//
// The motion that is wanted is followed along its arc and slowed so that it can be stopped before a border, braking
// with all that the robot's file says it has. One that is already where it must not be may creep along its own axis
// where that leads back, turn slowly, and stand.
// Told      by mind in a cell (cairn_areas). A telling with any area that cannot be is refused as a whole and counted;
//           the last good one stays in force, however old it is. Only a new odometry ends it: its places are of the
//           old.
// Inside    by even and odd crossings, so that no order of corners is wrong.
// Frame     odom of reflex.
// Cost      Each step O(corners) times CAIRN_BRAKING_POSES; where it must not be, O(corners squared) of the areas that
//           it breaks.
#pragma once
#include "body/description.h"
#include "robot/reflex/braking.h"
#include "robot/reflex/reflex_cells.h"

typedef struct cairn_area_watch {
    const cairn_body_description *body; // borrowed
    bool told;
    uint64_t version;
    uint32_t refused_count;
    cairn_areas areas;
} cairn_area_watch;

void cairn_area_init(cairn_area_watch *watch, const cairn_body_description *body);
// Another odometry began: nothing that was told before is true of it, nor what lies in the cell by now.
void cairn_area_forget(cairn_area_watch *watch, cairn_cell *cell);
// Hears what is new. The cell may be NULL.
void cairn_area_hear(cairn_area_watch *watch, cairn_cell *cell, cairn_mono now);
// What is left of a motion wanted at this place; `moves` is the motion measured, NaN where it is not known.
cairn_motion_limit cairn_area_judge(const cairn_area_watch *watch, cairn_pose2 odom_T_base, cairn_motion wanted,
                                    cairn_motion moves);

// Whether a rectangle of these half edges may be at this place.
bool cairn_area_allows(const cairn_areas *areas, cairn_pose2 odom_T_box, cairn_vec2 half_m);
// [m] By how far it is where it must not be: 0 where it may be, and less the nearer it is to there. An area that it
// must keep out of counts as if it had no dents.
double cairn_area_violation_m(const cairn_areas *areas, cairn_pose2 odom_T_box, cairn_vec2 half_m);
