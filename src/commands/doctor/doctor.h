// doctor.h - what `cairn doctor` looks at: a list of findings, filled by one file for each kind of thing.
//
// Threads  One.
#pragma once
#include "base/status.h"

#define CAIRN_FINDINGS_MAX 32

typedef enum cairn_verdict {
    CAIRN_FINE,
    CAIRN_NOTE,   // works, and would work better
    CAIRN_PROBLEM // must be mended before this machine is fit
} cairn_verdict;

// Who is to run here. What one of them cannot do without is a problem for it and a note for the others.
typedef enum cairn_role { CAIRN_FOR_ROBOT = 1, CAIRN_FOR_STATION = 2, CAIRN_FOR_SIM = 4 } cairn_role;

typedef struct cairn_finding {
    const char *what; // "disk"
    cairn_verdict verdict;
    char found[256];
    char to_do[320]; // empty where nothing is
} cairn_finding;

typedef struct cairn_examination {
    uint32_t roles;     // cairn_role, or'd; 0: in general
    const char *folder; // where store and journals are to lie
    const char *robot;  // a robot file; NULL: none
    uint16_t station_port, sim_port, page_port;
    uint32_t count;
    cairn_finding findings[CAIRN_FINDINGS_MAX];
} cairn_examination;

// Adds what is fine so far.
cairn_finding *cairn_find(cairn_examination *examination, const char *what, const char *format, ...) CAIRN_PRINTF(3, 4);
// Makes it a note, or a problem, and says what to do.
void cairn_advise(cairn_finding *finding, cairn_verdict verdict, const char *format, ...) CAIRN_PRINTF(3, 4);
// A problem if this machine is to be one of `roles`, else a note.
cairn_verdict cairn_needed_by(const cairn_examination *examination, uint32_t roles);

// The first line of a small file without its end; false if it cannot be read.
bool cairn_first_line(const char *path, char *ret_line, size_t size_bytes);

void cairn_examine_versions(cairn_examination *examination); // versions.c
void cairn_examine_machine(cairn_examination *examination);  // machine.c: processors, memory, kernel
void cairn_examine_clocks(cairn_examination *examination);   // clocks.c
void cairn_examine_realtime(cairn_examination *examination); // realtime.c; takes a second
void cairn_examine_places(cairn_examination *examination);   // places.c: disk, folders
void cairn_examine_robot(cairn_examination *examination);    // robot.c: a robot file, if one is given
void cairn_examine_ports(cairn_examination *examination);    // ports.c
