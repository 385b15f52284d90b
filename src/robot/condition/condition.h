// condition.h - what has become of the robot, from what it feels: one cairn_condition, with hysteresis.
//
// A pure step function: time and all that it knows are parameters. It begins to say a thing when that has been so for
// as long as the predicate of condition_names.h asks, and ends when it has not been so for CAIRN_CONDITION_END_NS.
// Not said  Lifted: nothing here tells a robot that is held still from one that stands. High-centred is said as
//           spinning: no sensor feels the belly.
// Threads   The owner's.
#pragma once
#include "robot/condition_names.h"
#include <stdbool.h>

#define CAIRN_CONDITION_END_NS CAIRN_S(1)

// What one step looks at. NaN: not known.
typedef struct cairn_condition_input {
    double tilt_rad;             // from upright, 0..pi
    double tilt_rad_max;         // of the description
    double told_mps, told_radps; // what the wheels are told, after the guards
    double wheels_mps;           // mean of the rims, as counted
    double turn_radps;           // of the gyro
    double seen_mps;             // along the robot, by matching scans
    double spin_s;               // for how long scans have shown that wheels turn and it does not go along
    bool bump_front, bump_rear, bump_left, bump_right;
    bool blind; // what it must see by is silent, frozen or sees nothing
} cairn_condition_input;

typedef struct cairn_condition_state {
    cairn_condition said;
    bool begun;
    cairn_mono at;     // of the last step
    cairn_mono so_at;  // when what is said was last so
    int64_t held_ns;   // for how long it has been told to move and has not
    int64_t slides_ns; // for how long it has moved with its wheels at rest
    int64_t tilted_ns; // for how long it has leant too far
} cairn_condition_state;

void cairn_condition_init(cairn_condition_state *state);
// O(1). Returns what it says from now on.
cairn_condition cairn_condition_step(cairn_condition_state *state, const cairn_condition_input *input, cairn_mono now);
