// trajectory_eval.h - how well a trajectory keeps to what is known: relations between poses, or a whole reference.
//
// Relations  Kuemmerle et al. 2009: the error of a relation is between what the trajectory says of the second pose seen
//            from the first, and what is known; distances and angles apart.
// Reference  ATE: distances and angles to the reference after it is laid on the trajectory as a whole (least squares of
//            the positions, no scale). RPE: errors of the motion from each pose to the first one at least step_m on.
#pragma once
#include "slam/trajectory/trajectory.h"

typedef struct cairn_error_sums {
    uint32_t count;
    double mean, std, squared_mean; // of the absolute errors; squared_mean is the mean of their squares
    double largest;
} cairn_error_sums;

typedef struct cairn_trajectory_errors {
    cairn_error_sums translation_m, rotation_rad;
    uint32_t missing_count; // relations or poses that have no counterpart
} cairn_trajectory_errors;

// Relations with a stamp at which the trajectory has no pose, nor neighbours at most gap_ns apart, are missing.
// O((relations + poses) log poses).
void cairn_eval_relations(const cairn_trajectory *trajectory, const cairn_relation *relations, uint32_t count,
                          int64_t gap_ns, cairn_trajectory_errors *ret_errors);

typedef struct cairn_reference_errors {
    cairn_trajectory_errors absolute, relative;
    cairn_pose2 reference_T_map; // how the trajectory was laid on the reference
} cairn_reference_errors;

// For each pose of the trajectory the reference at its stamp. CAIRN_ERR_FULL: scratch has less room than
// cairn_eval_reference_bytes. O(n log n).
CAIRN_CHECKED cairn_err cairn_eval_reference(const cairn_trajectory *trajectory, const cairn_trajectory *reference,
                                             double step_m, int64_t gap_ns, cairn_arena *scratch,
                                             cairn_reference_errors *ret_errors);
size_t cairn_eval_reference_bytes(uint32_t pose_count); // of the trajectory
