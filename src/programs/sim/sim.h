// sim.h - `cairn sim`: the world and the radio of robots and a station that are programs of their own.
//
// It shares a folder of mapped files with its robots (run_folder.h), carries their datagrams (sim_radio.h), and rules
// their time: a tick is 4 ms, taken when it is due by the machine's clock. Robots' clocks run ahead of it by at most
// CAIRN_RULED_NS_AHEAD; what the simulator is later than that is lost time that stands still for all, never a jump.
// Threads  One owner steps it. Its moments can be read from any process (world_page.h).
#pragma once
#include "programs/sim/run_folder.h"
#include "programs/sim/sim_radio.h"
#include "sim/mission/deeds.h"

typedef struct cairn_sim_robot_def {
    const char *name; // borrowed, as all pointers here, during create; descriptions and arena for the sim's life
    uint8_t number;   // 1: begins at the arena's first start
    uint64_t body_hash;
    const cairn_body_description *description;
} cairn_sim_robot_def;

typedef struct cairn_sim_def {
    const cairn_sim_arena *arena;
    uint64_t arena_hash; // of its file's bytes
    const char *physics; // "planar" or "mujoco"
    uint64_t seed;
    cairn_medium_radio radio;
    const char *folder;
    bool fresh;                // begin anew even if the folder has a world to go on with
    const char *air, *station; // HOST:PORT, where robots send to and where the station is
    uint32_t robot_count;
    cairn_sim_robot_def robots[CAIRN_SIM_ROBOTS_MAX]; // in any order
    // What befalls the world, tied to the arena: doors, aftershocks, failures; each with the number of its robot in the
    // array above. Times are the world's. Who goes on in a world that it found has what happened before in it. Copied.
    const cairn_mission_event *events;
    uint32_t event_count;
} cairn_sim_def;

typedef struct cairn_sim cairn_sim;

// CAIRN_ERR_INVALID and others with all reasons.
CAIRN_CHECKED cairn_err cairn_sim_create(const cairn_sim_def *def, cairn_complaints *complaints, cairn_sim **ret_sim);
void cairn_sim_destroy(cairn_sim *sim); // accepts NULL

// The ticks that are due by now. At least every 4 ms.
void cairn_sim_step(cairn_sim *sim, cairn_mono machine_now);
cairn_mono cairn_sim_time(const cairn_sim *sim); // simulated, of the last tick

typedef struct cairn_sim_info {
    bool goes_on;     // in the world that it found
    cairn_mono began; // simulated time at which this process began
    cairn_sim_radio_info radio;
} cairn_sim_info;
cairn_sim_info cairn_sim_look(const cairn_sim *sim);
const cairn_run_folder *cairn_sim_folder(const cairn_sim *sim); // borrowed
