// run_folder.h - the folder of one `cairn sim`: the files that it shares with its robots, and who may use it.
//
//   lock           held by the simulator that runs here: no two share a folder
//   clock          simulated time, which rules all (base/ruled_clock.h)
//   NAME.sensors   written here, read by the robot (body/body_page.h)
//   NAME.motors    written by the robot's reflex, read here
//   world          the truth (world_page.h)
//   snapshot       the whole running world, to go on from (world_page.h)
//
// A simulator that is started again in its folder finds its files and goes on in them: robots that run notice nothing
// but that time stood still. A world that begins anew makes new files, and marks the old ones as retired, so that
// robots that have them mapped let go.
// Threads  One owner.
#pragma once
#include "base/ruled_clock.h"
#include "body/body_page.h"
#include "ports/shared_memory.h"
#include "programs/sim/world_page.h"

#define CAIRN_RUN_FOLDER_BYTES 512

typedef struct cairn_run_folder_def {
    const char *path;                                           // made when it is not there
    bool fresh;                                                 // begin anew even if there is a world
    cairn_world_page_def world;                                 // whose world
    const cairn_body_description *bodies[CAIRN_SIM_ROBOTS_MAX]; // of its robots, borrowed during the call
} cairn_run_folder_def;

typedef struct cairn_run_folder {
    char path[CAIRN_RUN_FOLDER_BYTES];
    int lock_file; // -1: none
    bool goes_on;  // there was a world, and it is in `world`
    uint32_t robot_count;
    cairn_shared_memory clock, world, snapshot;
    cairn_shared_memory sensors[CAIRN_SIM_ROBOTS_MAX], motors[CAIRN_SIM_ROBOTS_MAX];
} cairn_run_folder;

// CAIRN_ERR_INVALID with words when another simulator runs there or the world there is another one's; CAIRN_ERR_IO or
// FULL when the system says no. Nothing is held then.
CAIRN_CHECKED cairn_err cairn_run_folder_open(const cairn_run_folder_def *def, cairn_complaints *complaints,
                                              cairn_run_folder *ret_folder);
// Opens or makes the file of snapshots, once the world is there whose size it has. CAIRN_ERR_CORRUPT with words when
// there was a world, but its snapshots are another one's.
CAIRN_CHECKED cairn_err cairn_run_folder_open_snapshot(cairn_run_folder *folder, size_t snapshot_bytes,
                                                       cairn_complaints *complaints);
// Gives everything back; the files stay.
void cairn_run_folder_close(cairn_run_folder *folder); // accepts all-zero

// The process that holds the folder's lock; 0: none.
int cairn_run_folder_pid(const char *path);
// The world of a folder, for looking only. CAIRN_ERR_NOT_FOUND with words when there is none.
CAIRN_CHECKED cairn_err cairn_run_folder_open_world(const char *path, cairn_complaints *complaints,
                                                    cairn_shared_memory *ret_world);
