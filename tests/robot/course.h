// course.h - a course of walls on a plane, a unicycle that drives in it, and its planar laser.
//
// Plain and slow to the point of being obvious: segments, ray casts, a hull as a rectangle.
#pragma once
#include "base/random.h"
#include "body/body.h"
#include "robot/behaviour/behaviour.h"

#define COURSE_WALLS_MAX 64
#define COURSE_BEAMS 241

typedef struct course {
    // the world
    uint32_t wall_count;
    struct {
        cairn_vec2 from, to;
    } walls[COURSE_WALLS_MAX];
    cairn_vec2 beams[COURSE_BEAMS]; // directions in the laser's frame
    // the robot
    cairn_body_description description;
    cairn_body body;
    cairn_arena arena;
    cairn_reflex_cells reflex;
    cairn_behaviour_cells cells;
    cairn_behaviours *behaviours;
    cairn_mono now;
    uint64_t period_count;
    cairn_pose2 map_T_base;
    double forward_mps, turn_radps; // true
    cairn_reflex_state state;
    cairn_motion_command command; // the last
    cairn_random random;
    double range_noise_m;
    cairn_mode mode;       // ordered in every period
    bool deliberate_hangs; // nothing is ordered any more
    bool stick_held;       // at rest, dead-man pressed, in every period
    bool scans_off;
    bool laser_covered;         // every beam is a drop-out
    bool laser_frozen;          // it says again what it said last, each time as if it were new
    bool laser_empty;           // it meets nothing, anywhere
    float said_m[COURSE_BEAMS]; // by the laser, last
    // what happened
    double gap_m_min;        // nearest that the hull came to any wall
    double touch_mps_max;    // fastest corner while touching
    uint32_t touching_count; // periods in which the hull touched
} course;

void course_init(course *track, uint64_t seed);
void course_finish(course *track);
void course_place(course *track, cairn_pose2 map_T_base); // at rest, memory cleared: a new robot
void course_clear(course *track);                         // no walls
void course_wall(course *track, cairn_vec2 from, cairn_vec2 to);
void course_box(course *track, cairn_vec2 low, cairn_vec2 high); // four walls
void course_step(course *track);                                 // 8 ms: behaviours, then the robot moves
void course_run(course *track, double seconds);
void course_mode(course *track, cairn_mode mode); // from now on
void course_stick(course *track, double forward, double turn);
double course_gap_m(const course *track); // from the hull to the nearest wall; 0 touching
cairn_behaviour_state course_state(course *track);
