// level.h - planar scans made level: what a laser saw whose plane its robot, or the platform under it, had tilted.
//
// A tilted plane meets the floor on one side and rises above the walls on the other. A beam is believed while it is
// between knee height and the top of ordinary walls: what it meets there stands, and goes to the map where it stands.
// What it meets farther on may be floor, or something behind a wall: the beam then only clears, up to a little before
// it left that band.
//
// Frames   base: x forward, y left, z up, as it leans; its origin is on the floor. level: the base turned back upright,
//          heading untouched. The laser's x is forward, its y left; beam angles are from x to y.
// Memory   The caller's.
// Threads  Any.
// Source   Kohlbrecher et al. 2011 (Hector): scans are brought upright by the attitude, and those ends that are not at
//          the height of the plane are left out.
#pragma once
#include "geometry/pose3.h"
#include "maps/local/scan_points.h"

typedef struct cairn_level_def {
    double knee_m; // above the floor: lower is floor. Larger: no floor is taken for a wall; low walls are missed
    double near_m, near_knee_m; // nearer than this, so low is believed as well: what is met there stands in the way
    double wall_top_m;          // above the floor: higher may be above a wall
    double margin_m;            // kept back from where a beam leaves the band
    // |roll| + |pitch| from which on beams are doubted: the attitude's own error. A platform that is not at rest makes
    // them doubted always.
    double tilt_rad_min;
} cairn_level_def;

// A laser's plane in the level frame.
typedef struct cairn_level {
    cairn_level_def def;
    cairn_quat level_T_base;
    cairn_vec3 along, across; // the laser's x and y
    cairn_vec3 sensor_m;
    bool is_tilted; // beams are doubted
} cairn_level;

// Some of a scan's beams. Ranges: NaN says nothing, infinite met nothing (REP-117).
typedef struct cairn_level_beams {
    const double *cosine, *sine; // of their angles
    const float *range_m;
    uint32_t count;
    double range_m_min, range_m_max; // of the laser; nearer ones are its own robot
} cairn_level_beams;

cairn_level_def cairn_level_def_default(void);
// How the robot leans, and where its laser sits. NaN: not known, taken as upright.
cairn_level cairn_level_make(const cairn_level_def *def, double roll_rad, double pitch_rad, cairn_pose3 base_T_laser);
// Where the platform holds the laser now: nodding, or levelled against the robot's lean.
void cairn_level_hold(cairn_level *level, cairn_pose3 base_T_laser);
// Adds the beams to *points, which has room for them, seen from another place of the level base: where it was at the
// end of the sweep. What the beam tells nothing about is left out. The points' sensor is not touched.
void cairn_level_add(const cairn_level *level, const cairn_level_beams *beams, cairn_pose2 end_T_level,
                     cairn_scan_points *points);
