// straighten.h - a raw scan to points: corrected for motion during the sweep, and levelled.
//
// Levelling is matching/level.h's: of a robot that is tilted, or whose laser nods, floor and what is behind walls are
// left out.
#pragma once
#include "body/description.h"
#include "maps/local/scan_points.h"
#include "robot/reflex/reflex_cells.h"

// Where the robot was at a time, from the recent odometry (linear in between, the nearest end outside).
cairn_pose2 cairn_odom_at(const cairn_reflex_state *state, cairn_mono at);

// Directions of a laser's beams, worked out once for a laser.
typedef struct cairn_beam_table {
    uint32_t beam_count;
    float angle_rad_first, angle_rad_step;
    double cosine[CAIRN_SCAN_BEAMS_MAX], sine[CAIRN_SCAN_BEAMS_MAX];
} cairn_beam_table;
void cairn_beam_table_update(cairn_beam_table *table, const cairn_scan_frame *scan); // if the beams have changed

// How the ground lies about the robot.
typedef enum cairn_lie {
    CAIRN_LIE_EVEN,
    CAIRN_LIE_UNEVEN // it leant a moment ago: it may stand in a hollow, and look at the ground about it
} cairn_lie;

// The points in the base frame at the time of the last beam. Drop-outs and own-body echoes are left out.
void cairn_scan_straighten(cairn_beam_table *table, const cairn_scan_frame *scan, const cairn_laser_description *laser,
                           const cairn_reflex_state *state, cairn_lie lie, cairn_scan_points *ret_points);
// The same with what a tilted laser sees above ordinary walls. Not to be drawn, for it may be behind one; but it stands
// where it is seen, and a match may hold on to it.
void cairn_scan_straighten_high(cairn_beam_table *table, const cairn_scan_frame *scan,
                                const cairn_laser_description *laser, const cairn_reflex_state *state, cairn_lie lie,
                                cairn_scan_points *ret_points);

// Whether the robot stands on a slope, however gentle: its laser then sees much less of what stands upright, and wheels
// may slide. False where nobody knows how it leans.
bool cairn_scan_leans(const cairn_reflex_state *state);

cairn_mono cairn_scan_ended(const cairn_scan_frame *scan);
