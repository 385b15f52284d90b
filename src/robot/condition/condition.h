// condition.h - what has become of the robot, from what it feels: one cairn_condition, with hysteresis.
//
// A pure step function: time and all that it knows are parameters. Motion is judged over the last second, as the
// predicates of condition_names.h do: what it was told, what its wheels did, and what scans and gyro say of it. What is
// said ends when it has not been so for CAIRN_CONDITION_END_NS.
//   high-centred  as spinning, and it leans otherwise than while it last moved. On a slope: spinning.
//   lifted        its wheels stand or turn freely, and it sways: its lean goes to and fro as no ground's does, or
//                 changes while it turns or moves; or it rises. It lasts until it no longer sways.
//   blocked       also one whose wheels nobody counts, if it does not go or turn as far as it is told: they may spin.
// Not seen  Lifted: who was taken up gently and is held quite still, or carried level without turning. Spinning: where
//           scans tell nothing of the way, along a bare corridor. Wheels that spin in a turn are said as blocked.
// Threads   The owner's.
#pragma once
#include "robot/condition_names.h"
#include <stdbool.h>

#define CAIRN_CONDITION_END_NS CAIRN_S(1)
#define CAIRN_CONDITION_SAMPLES 72 // of one second, 16 ms apart, and some more

// What one step looks at. NaN: not known.
typedef struct cairn_condition_input {
    double tilt_rad;             // from upright, 0..pi
    double tilt_rad_max;         // of the description
    double roll_rad, pitch_rad;  // of the same
    double half_track_m;         // of the description
    double told_mps, told_radps; // what the wheels are told, after the guards
    double wheels_mps;           // mean of the rims, as counted
    double turn_radps;           // of the gyro
    double rises_mps;            // felt (cairn_reflex_state)
    double seen_mps;             // along the robot, by matching scans
    double seen_side_mps;        // to its left
    bool uncounted;              // nobody counts its wheels: wheels_mps is what the accelerometer makes of seen_mps
    bool spin_stopped;           // reflex lets its wheels turn no longer that way, for they spun
    double spin_s;               // for how long scans have shown that wheels turn and it does not go along
    bool bump_front, bump_rear, bump_left, bump_right;
    bool blind; // what it must see by is silent, frozen or sees nothing
} cairn_condition_input;

// What is summed up until one moment.
typedef struct cairn_condition_sample {
    cairn_mono at;
    double told_m, told_rad, wheels_m, turned_rad;
    double seen_m, seen_side_m;        // of the time in which scans told
    double wheels_unknown_s, unseen_s; // in which nothing told
    double roll_rad, pitch_rad;
} cairn_condition_sample;

typedef struct cairn_condition_state {
    cairn_condition said;
    bool begun;
    cairn_mono at;       // of the last step
    cairn_mono so_at;    // when what is said was last so
    int64_t tilted_ns;   // for how long it has leant too far
    int64_t sways_ns;    // for how long it has seemed to be in somebody's hands
    int64_t rises_ns;    // for how long it has felt that it rises
    int64_t risen_ns;    // for how long it is lifted yet because it rose
    int64_t set_down_ns; // for how long what is felt may still be of its being set down
    int64_t stuck_ns;    // for how long the last second has told that it does not go as it is told
    cairn_condition_sample sum;
    uint32_t count, next;
    cairn_condition_sample samples[CAIRN_CONDITION_SAMPLES]; // a ring
    bool leant_known;
    double roll_then_rad, pitch_then_rad; // how it leant while it last moved
} cairn_condition_state;

void cairn_condition_init(cairn_condition_state *state);
// O(samples). Returns what it says from now on.
cairn_condition cairn_condition_step(cairn_condition_state *state, const cairn_condition_input *input, cairn_mono now);
