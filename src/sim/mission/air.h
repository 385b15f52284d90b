// air.h - carries datagrams between the robots' and the station's radios through the simulated medium.
//
// Antennas are where the robots truly are.
//
// Threads  One owner; the boxes at both ends may belong to others.
#pragma once
#include "base/inbox.h"
#include "sim/medium/medium.h"
#include "sim/physics/physics.h"

typedef struct cairn_air_end {
    cairn_inbox *from_air, *to_air; // borrowed
} cairn_air_end;

typedef struct cairn_air {
    cairn_medium *medium;
    uint32_t robot_count;
    cairn_air_end robots[CAIRN_SIM_ROBOTS_MAX]; // the robots' boxes
    cairn_inbox *station_from;                  // the station's, for all; with addresses, like the next
    cairn_inbox *station_to[CAIRN_SIM_ROBOTS_MAX];
    bool silent[CAIRN_SIM_ROBOTS_MAX]; // without power: what it says does not leave, what comes is lost
    bool station_silent;               // likewise
} cairn_air;

// Takes what was sent, and brings what has arrived by now. Placing antennas is the caller's (cairn_medium_place).
void cairn_air_step(cairn_air *air, cairn_mono now);
