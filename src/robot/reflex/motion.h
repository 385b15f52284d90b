// motion.h - a speed of the base, and how fast it may change.
#pragma once
#include "body/description.h"

// What the base is to do: speed along its x axis and turn about its z axis, left positive.
typedef struct cairn_motion {
    double forward_mps;
    double turn_radps;
} cairn_motion;

// One period of the way from one motion to another, within the accelerations of the limits. Both speeds
// change by the same fraction of their difference, so that a robot that brakes stays on its arc.
cairn_motion cairn_motion_ramp(cairn_motion from, cairn_motion to, const cairn_body_limits *limits, double period_s);
