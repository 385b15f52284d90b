// vote.h - what one behaviour says about the motion: a wish with a weight, an offset, and limits.
#pragma once
#include "robot/reflex/motion.h"

// Limits always allow standing still: forward_mps_min <= 0 <= forward_mps_max, 0 <= turn_radps_max. A
// behaviour that forbids something says so by a limit; one that wants something says so by weight.
typedef struct cairn_vote {
    cairn_motion wish;
    double weight;            // [-] >= 0; 0: no wish
    double turn_radps_offset; // added to the fused wish before the limits
    double forward_mps_min;   // fastest backward
    double forward_mps_max;   // fastest forward
    double turn_radps_max;    // fastest turn, either way
} cairn_vote;

cairn_vote cairn_vote_none(void); // no wish, no limits
cairn_vote cairn_vote_for(cairn_motion wish, double weight);
cairn_vote cairn_vote_limit(double forward_mps_min, double forward_mps_max, double turn_radps_max); // no wish
