// robot_pages.h - the files that the processes of one robot share, and who may write which.
//
//   file                     written by   read by
//   SIM/NAME.sensors         the body     reflex, mind
//   SIM/NAME.motors          reflex       the body
//   SIM/clock                the body     reflex, mind, supervisor
//   STATE/to_reflex          mind         reflex, supervisor
//   STATE/from_reflex        reflex       mind, supervisor
//   STATE/checkpoint         mind         mind after a restart, supervisor
//
// Only who writes has a file mapped writable. Those in STATE outlive the robot's processes; they are made anew when the
// body is another one, or was switched off: nothing that they tell of where the robot stands would be true. One that is
// damaged is made anew alone.
#pragma once
#include "body/body_page.h"
#include "ports/shared_memory.h"
#include "programs/robot/reflex_setup.h"
#include "programs/robot/robot_file_io.h"

#define CAIRN_ROBOT_PAGES_VERSION 1u // of the files in STATE

typedef enum cairn_robot_page {
    CAIRN_PAGE_SENSORS,
    CAIRN_PAGE_MOTORS,
    CAIRN_PAGE_CLOCK,
    CAIRN_PAGE_TO_REFLEX,
    CAIRN_PAGE_FROM_REFLEX,
    CAIRN_PAGE_CHECKPOINT,
    CAIRN_PAGE_COUNT
} cairn_robot_page;

typedef enum cairn_robot_process {
    CAIRN_PROCESS_SUPERVISOR, // makes them
    CAIRN_PROCESS_MIND,
    CAIRN_PROCESS_WATCHER // only looks
} cairn_robot_process;

typedef struct cairn_robot_pages {
    cairn_mapped_cells where[CAIRN_PAGE_COUNT];
    cairn_shared_memory memory[CAIRN_PAGE_COUNT];
    void *cells[CAIRN_PAGE_COUNT];
    uint64_t body_id; // of the body that they are about
    bool outdated;    // those in STATE were of another version: they were made anew for that
} cairn_robot_pages;

// Maps the body's files. CAIRN_ERR_EMPTY without a complaint while there is no body: try again later.
CAIRN_CHECKED cairn_err cairn_robot_pages_open_body(cairn_robot_pages *pages, const cairn_robot_file *file,
                                                    cairn_complaints *complaints);
// Maps the robot's own, after the body's. The supervisor makes what is missing, and all of them when the body is
// another one than theirs: *ret_fresh.
CAIRN_CHECKED cairn_err cairn_robot_pages_open_own(cairn_robot_pages *pages, const cairn_robot_file *file,
                                                   cairn_robot_process process, cairn_complaints *complaints,
                                                   bool *ret_fresh);
// Whether the robot's own are still where a process that is started now would look for them.
bool cairn_robot_pages_are_there(const cairn_robot_pages *pages);
// The body has made other files: let go of these.
bool cairn_robot_pages_are_retired(const cairn_robot_pages *pages);
void cairn_robot_pages_close(cairn_robot_pages *pages);
