// low.h - what stands before the robot as its range imager has it: what the laser looks over, other robots' hulls above
// all, and what a laser that is wrong puts elsewhere. Reflex's own look, for the obstacle guard (near.h).
//
// A thing     is higher than CAIRN_LOW_M above the ground that the robot is on, as gravity has it and as its wheels
//             stand, and rises steeply; or is higher there than any slope that the robot is meant for. It drives under
//             what is much higher than itself.
// High, low   What the robot may climb (step_m_max) may be a step or a robot: it is low. All else is high.
// Remembered  what the imager does not see now, for CAIRN_LOW_KEPT_NS while it is near; in its view until it is seen
//             through. Pictures that are old, frozen or suddenly empty (laser_doubt.h) are no look.
// Frame       odom of reflex.
// Cost        Once a picture O(pixels / stride^2 + points).
#pragma once
#include "robot/behaviour/laser_doubt.h"
#include "robot/reflex/reflex_cells.h"

#define CAIRN_LOW_POINTS_MAX 256
#define CAIRN_LOW_M 0.10      // floor, kerbs and rubble: the drop guard's matter
#define CAIRN_LOW_RANGE_M 1.5 // further away nothing can be touched before the next picture
#define CAIRN_LOW_SPANS 32    // squares across the field before the robot
#define CAIRN_LOW_SPAN_M 0.06 // edge of one
#define CAIRN_LOW_CELL_M 0.03 // points are thinned to one in a square of this
#define CAIRN_LOW_COLUMNS 48  // no more pixels of a row are looked at
#define CAIRN_LOW_ROWS 48     // nor of a column
#define CAIRN_LOW_KEPT_NS CAIRN_S(20)

typedef struct cairn_low_point {
    float x_m, y_m; // odom
    float z_m;      // in base
    bool high;
    int64_t seen_ns; // lately
} cairn_low_point;

// Heights in a square of the field before the robot, in one picture.
typedef struct cairn_low_span {
    bool met;
    float low_m, high_m;
} cairn_low_span;

typedef struct cairn_low {
    const cairn_body_description *body; // borrowed
    bool offered;                       // it has an imager, and an IMU to level its pictures by
    uint64_t version;                   // of the last picture
    cairn_laser_doubt doubt;
    uint32_t point_count;
    cairn_low_point points[CAIRN_LOW_POINTS_MAX];
    cairn_low_span spans[CAIRN_LOW_SPANS * CAIRN_LOW_SPANS]; // scratch
} cairn_low;

void cairn_low_init(cairn_low *low, const cairn_body_description *body);
// Looks at a picture that is new. Pictures may be NULL.
void cairn_low_look(cairn_low *low, cairn_cell *pictures, const cairn_reflex_state *state, cairn_mono now);
