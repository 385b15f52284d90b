// gyro.h - what the gyro's bias has become since the robot last stood still, by what matching has to put right.
//
// Reflex learns the bias at rest only, and a robot may drive for minutes. Where scans show the heading, matching turns
// it back by the same little each time: that is the bias, and where scans show nothing it is taken off all the same.
// Threads  The owner's.
#pragma once
#include "matching/match.h"

typedef struct cairn_gyro {
    double drift_radps;        // by which odometry turns too little
    double bias_radps_at_rest; // reflex's, to which the drift is added
} cairn_gyro;

typedef struct cairn_gyro_evidence {
    const cairn_match *match; // believed
    double turned_back_rad;   // by it, from the guess, which has the drift taken off
    double turn_radps;        // of the robot
} cairn_gyro_evidence;

// Reflex's estimate: what it learns at rest is surer than what was learnt before.
void cairn_gyro_rest(cairn_gyro *gyro, double bias_radps_at_rest);
void cairn_gyro_learn(cairn_gyro *gyro, const cairn_gyro_evidence *evidence);
