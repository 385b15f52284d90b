// shortfall.h - wheels that count less than the way that is gone: counters of which a part of the ticks is lost make
// every loop drive too fast, by as much.
//
// Against the counters stand  mind's sight (cairn_seen_motion), for 0.5 s; the gyro, against what wheels without any
// slip
//           would turn, for 0.25 s; and the accelerometer, for 0.04 s, whatever speeds up more than is counted.
// Judged    only while it is driven, and where the counters tell of the same way: who is pushed, slides or has a gyro
//           that lies alone is no such case. Wheels that count more than the way spin (spin.h).
// Not seen  Less than 1.4 times too fast; by turns alone less than 1.2 over the turn's efficiency.
#pragma once
#include "robot/reflex/attitude.h"
#include "robot/reflex/reflex_cells.h"

typedef struct cairn_shortfall {
    double radius_m, track_m;           // from the description; between the middles of the wheels
    double counted_mps;                 // of the step before
    double most_mps;                    // counted of late: what is seen is older than what is counted
    double before_mps;                  // counted, smoothed
    double seen_mps;                    // smoothed
    double counted_radps, felt_radps;   // smoothed: of wheels that do not slip, and of the gyro
    double more_mps;                    // felt by the accelerometer beyond what is counted, forgotten within 0.2 s
    double seen_s, turned_s, speeded_s; // for how long each has contradicted
} cairn_shortfall;

// What a step looks at; borrowed for the call.
typedef struct cairn_shortfall_input {
    const cairn_sensed *sensed; // its encoders are fresh
    const cairn_attitude *attitude;
    double turn_radps; // of the gyro, without its bias; NaN not known
    bool driven;
    const cairn_seen_motion *saw; // NULL: nothing of now
    double period_s;
} cairn_shortfall_input;

void cairn_shortfall_init(cairn_shortfall *shortfall, const cairn_body_description *description);
void cairn_shortfall_forget(cairn_shortfall *shortfall);
// True once it cannot be true what is counted.
bool cairn_shortfall_step(cairn_shortfall *shortfall, const cairn_shortfall_input *input);
