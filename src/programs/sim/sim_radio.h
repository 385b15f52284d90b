// sim_radio.h - the simulated air between UDP sockets: robots on one side, the station on the other.
//
// Robots send their datagrams to one socket, the air's, and hear from it. Towards the station each robot has a socket
// of its own, so that to the station it is as with real radios: each robot has an address, and is answered there. In
// between every datagram goes through the medium (sim/medium), with what distance, walls and chance do to it.
// A robot is known by the number in a datagram's header, which nothing proves: as on a real channel, anybody can send.
// Threads  One owner. Nothing here waits.
#pragma once
#include "sim/medium/medium.h"
#include "sim/physics/physics.h"

typedef struct cairn_sim_radio_def {
    const cairn_sim_arena *arena; // borrowed during create; start i is robot i's
    uint32_t robot_count;
    uint8_t numbers[CAIRN_SIM_ROBOTS_MAX]; // on the air
    uint64_t seed;
    cairn_medium_radio radio;
    const char *air;     // HOST:PORT that robots send to
    const char *station; // HOST:PORT that the station listens at
} cairn_sim_radio_def;

typedef struct cairn_sim_radio cairn_sim_radio;

typedef struct cairn_sim_radio_info {
    cairn_medium_info air;  // all senders
    uint64_t unknown_count; // datagrams at the air's socket that name none of the robots
    uint16_t air_port;
} cairn_sim_radio_info;

CAIRN_CHECKED cairn_err cairn_sim_radio_create(const cairn_sim_radio_def *def, cairn_complaints *complaints,
                                               cairn_sim_radio **ret_radio);
void cairn_sim_radio_destroy(cairn_sim_radio *radio); // accepts NULL

void cairn_sim_radio_place(cairn_sim_radio *radio, uint32_t robot, cairn_vec2 at_m, cairn_mono now);
// Takes what has come to the sockets, and sends on what has arrived through the air by now.
void cairn_sim_radio_step(cairn_sim_radio *radio, cairn_mono now);
cairn_sim_radio_info cairn_sim_radio_look(const cairn_sim_radio *radio);
