// tip.h - how near the robot is to tipping over, now and in the time that a fall takes to begin.
//
// The force-angle measure: for each line between two neighbouring wheels, the angle between the force that presses the
// robot down, gravity and its own acceleration together, and the line's direction from the centre of mass. It is 0 when
// the robot is about to turn over that line, and is told as a part of what it is at rest on level ground; the least of
// the four counts. It is taken twice: as the robot leans now, and as it will lean if it turns on as now for as long as
// a body of its size takes to gather way over an edge; the worse counts. The size of the force, which the source
// multiplies with, is left out: a hop makes it small, and nobody tips by that.
// Slow      Below CAIRN_TIP_SLOW it gains no speed, and loses what it has, within its own acceleration.
// Over      Below CAIRN_TIP_OVER the wheels stop (guards.c).
// Not seen  What it carries or pulls; ground that gives way. Without an IMU nothing.
// Source    Papadopoulos and Rey 1996, A new measure of tipover stability margin for mobile manipulators.
#pragma once
#include "robot/reflex/attitude.h"
#include "robot/reflex/motion.h"

#define CAIRN_TIP_SLOW 0.35 // [-] larger: slower on slopes that it can take
#define CAIRN_TIP_OVER 0.10 // [-] larger: stops before more falls, and on more jolts
#define CAIRN_TIP_BACK 0.20 // [-] above this it may go on

typedef struct cairn_tip {
    const cairn_body_description *body; // borrowed
    struct {
        cairn_vec3 along; // unit, counterclockwise seen from above
        cairn_vec3 to_m;  // from the centre of mass straight to it
        double level_rad; // the angle at rest on level ground, > 0
    } edges[4];
    double horizon_s;
    cairn_vec3 felt_mps2;                   // what the accelerometer says beyond gravity, smoothed
    cairn_vec3 turn_radps;                  // smoothed
    double measure;                         // [-] 1 level and at rest, 0 about to turn over; NaN not known
    double forward_mps_max, turn_radps_max; // while it is slow
} cairn_tip;

void cairn_tip_init(cairn_tip *tip, const cairn_body_description *body);
// One period. `written` is what the wheels were last told.
void cairn_tip_step(cairn_tip *tip, const cairn_sensed *sensed, const cairn_attitude *attitude,
                    cairn_vec3 turn_bias_radps, cairn_motion written, double period_s);
// The measure for a force on each unit of mass; for tests.
double cairn_tip_measure(const cairn_tip *tip, cairn_vec3 force_mps2);
