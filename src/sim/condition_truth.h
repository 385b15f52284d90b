// condition_truth.h - what has become of a robot in truth: each predicate of robot/condition_names.h, judged by the
// simulator on the true state. Whoever watches robots compares it with what they say.
//
// Blind is judged of a world only, which knows what its sensors fail by: silent, frozen or empty. Blocked and wedged
// need to know what the wheels are told (cairn_condition_truth_tell); without it they are never true. The planar
// physics has no belly and nobody lifts: high-centred and lifted are never true in it.
// Memory   The caller's. No function allocates.
// Threads  Between the world's steps, any one thread for each struct.
#pragma once
#include "robot/condition_names.h"
#include "sim/world.h"

#define CAIRN_CONDITION_TRUTH_SAMPLES 64 // of 16 ms: the second over which motion is judged

// What is kept of one moment.
typedef struct cairn_condition_truth_sample {
    cairn_pose3 map_T_base;
    double side_m[2]; // rim way of the left and the right wheels
    double told_m;    // way that the wheels were told to go until then, to and fro, and the turn
    double told_rad;
    bool slides; // over the ground, while its wheels stand or turn the other way
} cairn_condition_truth_sample;

typedef struct cairn_condition_truth {
    bool begun;
    cairn_mono sampled_at; // last
    double told_mps, told_radps;
    double told_m, told_rad; // summed up
    bool blind;              // its world says so
    uint32_t sample_count, next;
    cairn_condition_truth_sample samples[CAIRN_CONDITION_TRUTH_SAMPLES]; // a ring
    cairn_condition condition;
    cairn_mono since; // it has been so
} cairn_condition_truth;

void cairn_condition_truth_init(cairn_condition_truth *truth);
// What the wheels are told from now on, after the guards (cairn_robot_view.told_mps, told_radps).
void cairn_condition_truth_tell(cairn_condition_truth *truth, double told_mps, double told_radps);
// After each step of the world, or less often. Returns the first that is true, in the order of condition_names.h;
// truth->since is when that became so. O(contacts).
cairn_condition cairn_condition_truth_step(cairn_condition_truth *truth, const cairn_world *world, uint32_t robot,
                                           cairn_mono now);

// The same on a physics alone, for tests of physics.
cairn_condition cairn_condition_truth_judge(cairn_condition_truth *truth, const cairn_robot_truth *robot,
                                            const cairn_robot_stance *stance, const cairn_body_description *body,
                                            cairn_mono now);
