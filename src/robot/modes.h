// modes.h - what a robot may do by itself, and who decides.
#pragma once
#include "base/clock.h"

// Numbers are on the air and in journals: never renumber.
typedef enum cairn_mode {
    CAIRN_MODE_STOPPED = 0,       // emergency stop latched
    CAIRN_MODE_PAUSED = 1,        // task kept, wheels still
    CAIRN_MODE_IDLE = 2,          // no task
    CAIRN_MODE_TELEOPERATED = 3,  // the operator's stick; obstacles slow it, guards stop it
    CAIRN_MODE_ASSISTED_LEFT = 4, // follows the left wall; the stick adds
    CAIRN_MODE_ASSISTED_RIGHT = 5,
    CAIRN_MODE_WAYPOINT = 6,   // goes where it is sent
    CAIRN_MODE_AUTONOMOUS = 7, // takes tasks from the team
    CAIRN_MODE_COUNT
} cairn_mode;

extern const char *const cairn_mode_names[CAIRN_MODE_COUNT + 1]; // "stopped", …, "assisted left"; NULL at the end
const char *cairn_mode_name(cairn_mode mode);                    // "unknown" for any other number

// Time and distance in each mode.
typedef struct cairn_mode_tally {
    cairn_mode mode;
    cairn_mono since;
    int64_t spent_ns[CAIRN_MODE_COUNT];
    double travelled_m[CAIRN_MODE_COUNT];
    uint32_t change_count;
    cairn_mono counted; // up to when
    double counted_m;   // and up to which total distance
} cairn_mode_tally;

void cairn_mode_tally_init(cairn_mode_tally *tally, cairn_mode mode, cairn_mono now, double distance_m);
// Counts the time and the way since the last call for the mode so far, then changes to `mode`. distance_m is
// the total that the robot has travelled (cairn_reflex_state).
void cairn_mode_tally_step(cairn_mode_tally *tally, cairn_mode mode, cairn_mono now, double distance_m);
