// child.h - a process that is started, watched and started again.
#pragma once
#include "base/clock.h"
#include "base/log.h"
#include <sys/types.h>

#define CAIRN_CHILD_LIVES 2 // signs of life that are watched, at most

// Something that grows while the process is well.
typedef struct cairn_child_life {
    uint64_t version; // seen last
    cairn_mono grew;  // when, by the robot's time
    int64_t hung_ns;  // without growing for so long it hangs; longer forgives a slow machine, shorter mends sooner
} cairn_child_life;

typedef struct cairn_child {
    const char *name; // for people: "mind"
    pid_t pid;        // 0: does not run
    int held_file;    // stays open in it: what is locked by that is so until it is gone; 0: none
    uint32_t start_count;
    uint32_t early_count;   // deaths in a row that came soon after the start
    cairn_mono started;     // by the machine's time, as is the next
    cairn_mono start_after; // not before
    cairn_child_life lives[CAIRN_CHILD_LIVES];
    uint32_t life_count;
} cairn_child;

// Starts the program, which dies with this process. argv as for execv, argv[0] is its path. False with a line in the
// log when the system has no process left.
bool cairn_child_start(cairn_child *child, char *const argv[], const cairn_log *log, cairn_mono now,
                       cairn_mono machine_now);
// True when it has ended since the last look; it is then due again after a while.
bool cairn_child_has_ended(cairn_child *child, const cairn_log *log, cairn_mono now, cairn_mono machine_now);
// Takes note of its signs of life; ends it when it hangs.
void cairn_child_watch(cairn_child *child, const uint64_t *versions, const cairn_log *log, cairn_mono now);
// Nobody could look for a while: what it showed before counts from now.
void cairn_child_forgive(cairn_child *child, cairn_mono now);
void cairn_child_end(cairn_child *child, int signal_number); // asks it to end; accepts one that does not run
