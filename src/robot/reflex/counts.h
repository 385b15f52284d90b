// counts.h - can it be true what the encoders count? A counter that stands still while its frames come is a wheel that
// does not turn, or a counter that has died: a loop that believes it pushes ever harder, and runs away.
//
// Known by  the wheel beside it, which turns; the other side and the gyro, which tell how fast this side must go; where
//           all stand, the accelerometer from the speed that they had, and what mind saw, if that is more; and a motor
//           that gives all it has for 200 ms.
//           Told to stand, by mind and the gyro as well: who is seen to go for 0.3 s while nothing is counted has dead
//           counters, or is carried or slides, and the base's brake is right for all of them.
// Doubted   at once: the loop of such a wheel does not push harder. After 0.1 s it is taken for lost (guard "wheels"),
//           and the base brakes, because no torque of ours could.
// Let go    after a second it may be tried again, three times; then only when nobody has asked for motion for a second.
//           Tried is only by motion that somebody asks for; and to stand, no wheel is held by a counter that was lost
//           and has not moved since.
// A part    of the ticks, lost by all: shortfall.h. A counter that is off by less looks like slip, which mind notices
//           by its laser (place/slip.h).
#pragma once
#include "robot/reflex/attitude.h"
#include "robot/reflex/motion.h"
#include "robot/reflex/reflex_cells.h"
#include "robot/reflex/shortfall.h"

// What is kept of one wheel since its counter last moved by more than a tremble.
typedef struct cairn_count {
    double at_rad;     // where it stands
    double beside_rad; // where the other wheel of its side stood then
    double still_s;    // for how long
    double began_mps;  // how fast its side went until then
    double bound_s;    // for how long its motor has given all it has meanwhile
    double doubted_s;  // for how long this cannot be true
    bool doubted;
} cairn_count;

typedef struct cairn_counts {
    // from the description
    double radius_m, track_m; // track over the turn's efficiency
    double torque_nm_max, tremble_rad, speed_mps_max;
    // the estimate
    double side_mps[2]; // left, right: counted while a wheel of the side turns
    double forward_mps; // of the robot, by what it feels where all counters stand
    double ground_mps;  // the same since it was told to stand, whatever is counted: wheels in the air count, too
    uint64_t seen_version;
    double going_s; // for how long it has been told to stand, nothing is counted, and it is seen to go
    cairn_count wheels[CAIRN_WHEELS_MAX];
    cairn_shortfall shortfall;
    // the verdict
    bool lost;
    uint32_t unproven;   // bit 1 << wheel: its counter was lost and has not moved since
    bool brakes;         // and yet they tell which way wheels turn: for half a second their loops brake by them
    bool lost_at_rest;   // while it was told to stand: it may have been lifted
    double lost_s;       // for how long
    double resting_s;    // for how long nobody has asked for motion
    double moving_s;     // for how long all counters have moved since
    uint32_t lost_count; // in a row
} cairn_counts;

// What a step looks at; borrowed for the call.
typedef struct cairn_counts_input {
    const cairn_sensed *sensed;
    const cairn_attitude *attitude;
    double turn_radps;       // of the gyro, without its bias; NaN not known
    cairn_motion wanted;     // what was asked of the wheels
    cairn_motion asked;      // what mind asks for; nothing under a latched stop
    const double *torque_nm; // of each wheel, as last written
    cairn_cell *seen;        // cairn_seen_motion
    double period_s;
    cairn_mono now;
} cairn_counts_input;

void cairn_counts_init(cairn_counts *counts, const cairn_body_description *description);
void cairn_counts_step(cairn_counts *counts, const cairn_counts_input *input);
