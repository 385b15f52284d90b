// spin.h - wheels that turn while the robot does not go along: it digs in, climbs up on something, or grinds what it
// stands on.
//
// Counted is what the wheels do; against it stand mind's sight (cairn_seen_motion), reflex's own (outlook.h), the gyro
// and the accelerometer.
// Only when all that can tell say that it stands, for CAIRN_SPIN_S, the direction in which it pushes is forbidden, for
// CAIRN_SPIN_PAUSE_S, or until nobody asks for it any more: the other way is free all the time. So it pushes for a part
// of the time at most, and mind, which sees the guard, backs out (escape/escape.h).
// Forward   needs one of the two sights: nothing else tells a robot that goes steadily from one that stands.
// Turning   needs the gyro.
// Not seen  Wheels that slip in part; wheels that nobody counts; where scans say nothing of the way, as along bare
//           walls.
#pragma once
#include "robot/reflex/attitude.h"
#include "robot/reflex/motion.h"
#include "robot/reflex/reflex_cells.h"

#define CAIRN_SPIN_S 1.3 // larger: fewer false alarms; digs in deeper
#define CAIRN_SPIN_PAUSE_S 2.0

// One direction: forward, or turning.
typedef struct cairn_spin_way {
    double wheels, truth; // m/s or rad/s, smoothed: what is counted, and what is seen or felt
    double odd_s;         // for how long the two have contradicted each other
    double held;          // -1, 1: it may not push this way; 0: it may
    double held_s;        // for how long
} cairn_spin_way;

typedef struct cairn_spin {
    double radius_m, track_m; // from the description; track over the turn's efficiency
    cairn_spin_way forward, turn;
    double felt_mps; // the accelerometer's integral, forgotten within half a second
} cairn_spin;

// What a step looks at; borrowed for the call.
typedef struct cairn_spin_input {
    const cairn_sensed *sensed;
    const cairn_attitude *attitude;
    double turn_radps;  // of the gyro, without its bias; NaN not known
    cairn_motion asked; // what mind asks for
    cairn_cell *seen;   // cairn_seen_motion
    bool stands;        // by reflex's own sight (outlook.h)
    double period_s;
    cairn_mono now;
} cairn_spin_input;

void cairn_spin_init(cairn_spin *spin, const cairn_body_description *description);
void cairn_spin_step(cairn_spin *spin, const cairn_spin_input *input);
