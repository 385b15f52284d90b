// surroundings.h - the points around the hull that could be touched soon: seen now, remembered, and from the map.
//
// What the laser sees now replaces what was remembered in its view; what has left the view (beside and behind)
// is kept while it is near. Points are thinned to one in a square of 3 cm.
//
// Room     CAIRN_AROUND_POINTS_MAX points. While there is something near that the laser looks over, the laser's points
//          leave 128 of these places to what is told: that first, then the map's. What finds no room is dropped and
//          counted, so of more than 128 points that the laser looks over some may be missing.
// Frame    odom, so that the points stay right while the robot moves between two looks.
// Laser    A scan that is old, that is doubted (laser_doubt.h), or in which most beams tell nothing (a covered window,
//          a fault), is no look: what was seen before is kept, and `scanned` stays, so that avoidance knows that the
//          robot is blind.
// Tilt     When the robot is tilted, beams may end on the floor: points less than 10 cm above its ground contact,
//          measured along gravity, are floor and are dropped.
// Nod      A laser that nods sees any one place only now and then, and low things before the hull not at all: what was
//          in its view is kept for a little more than a period, and near by for 10 s, unless it is seen through. Points
//          are levelled by the nod. Floor, what is higher than the robot, and what may be a slope that it can climb are
//          no obstacles; what rises by more than 7 cm within a square of 6 cm is. A scan whose nod is not a number is
//          no look.
#pragma once
#include "robot/behaviour/behaviour.h"
#include "robot/behaviour/laser_doubt.h"

#define CAIRN_AROUND_POINTS_MAX 512
#define CAIRN_AROUND_RANGE_M 1.5  // further away nothing can be touched before the next looks
#define CAIRN_AROUND_MEMORY_M 1.0 // what has left the view is remembered up to here
#define CAIRN_AROUND_CELL_M 0.03
#define CAIRN_SCAN_AGE_NS_MAX CAIRN_MS(300)
#define CAIRN_AROUND_CELLS 128 // squares on a torus: a power of 2, its edge longer than twice the range
#define CAIRN_AROUND_SPANS 64  // the same of squares twice as long

// Heights that a nodding laser met in a square.
typedef struct cairn_around_span {
    int64_t since_ns; // seen no earlier than this
    float low_m, high_m;
} cairn_around_span;

typedef struct cairn_surroundings {
    // Set once.
    bool laser_offered;
    bool sees_ground;                   // something on it shows the ground ahead
    cairn_vec3 laser_at_m;              // in base
    double half_field_cos;              // [-] cosine of half the laser's field
    cairn_vec2 laser_ahead;             // [-] unit, in base: the middle of its field
    double half_length_m, half_width_m; // hull
    cairn_quat base_turn_laser;
    int64_t nod_ns;  // how long what a nodding laser saw is kept; 0: it does not nod
    double height_m; // of the robot
    double climb;    // [-] steepest slope that it is meant for

    // Beam directions in base for the scans that this laser sends; made again if their shape changes.
    uint32_t beam_count, beam_stride;
    float angle_rad_first, angle_rad_step;
    float beam_x[CAIRN_SCAN_BEAMS_MAX], beam_y[CAIRN_SCAN_BEAMS_MAX], beam_z[CAIRN_SCAN_BEAMS_MAX];

    const cairn_laser_description *laser; // borrowed
    cairn_laser_doubt doubt;

    // The result.
    cairn_mono scanned; // when the scan in use was taken
    bool seen;          // there has been a scan
    uint32_t own_count; // the first so many were seen by the laser; only these are remembered
    uint32_t point_count;
    uint32_t dropped_count;                                           // points for which there was no room, ever
    float x_m[CAIRN_AROUND_POINTS_MAX], y_m[CAIRN_AROUND_POINTS_MAX]; // odom
    int64_t seen_ns[CAIRN_AROUND_POINTS_MAX];                         // when each was
    float z_m[CAIRN_AROUND_POINTS_MAX];                               // above the ground that the robot is on
    uint8_t cells[CAIRN_AROUND_CELLS * CAIRN_AROUND_CELLS / 8];       // squares taken in this look
    cairn_around_span spans[CAIRN_AROUND_SPANS * CAIRN_AROUND_SPANS]; // of nodding lasers only
} cairn_surroundings;

void cairn_surroundings_init(cairn_surroundings *around, const cairn_body_description *body);

// Looks again. scan and near may be NULL. O(beams / 4 + points).
void cairn_surroundings_look(cairn_surroundings *around, const cairn_reflex_state *reflex, const cairn_scan_frame *scan,
                             const cairn_near_obstacles *near, cairn_mono now);
