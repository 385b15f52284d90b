// station_program.h - `cairn station`: links over UDP, the store, the page and the journal around one station.
//
// Threads: the station's own (post, tasking, store's tickets, page's copy), the radio's (socket), the store's, the
// journal's, the web server's, and the caller's, which waits and looks at the clock.
#pragma once
#include "base/log.h"
#include "programs/station/station_file_io.h"
#include "station/station.h"

typedef struct cairn_station_program cairn_station_program;

typedef struct cairn_station_program_def {
    const cairn_station_file *file; // borrowed for the program's life
    bool fresh;                     // begin a new mission: a store that is there is moved aside
    cairn_log log;
    // Told once a second how it goes, on the station's thread; NULL: nobody.
    void (*watch)(void *context, const cairn_station_view *view, cairn_mono now);
    void *watch_context; // borrowed
} cairn_station_program_def;

// Opens everything, and goes on where the store ends. CAIRN_ERR_EMPTY: stop was asked while waiting for the simulator.
CAIRN_CHECKED cairn_err cairn_station_program_create(const cairn_station_program_def *def, cairn_complaints *complaints,
                                                     cairn_station_program **ret_program);
void cairn_station_program_run(cairn_station_program *program);                  // until asked to stop
void cairn_station_program_ask_stop(void);                                       // from a signal handler
const char *cairn_station_program_address(const cairn_station_program *program); // of the page
// For other machines, with the token in it; "" where they cannot reach the page.
const char *cairn_station_program_far_address(const cairn_station_program *program);
// Keeps the last state, ends the journal, and gives everything back; accepts NULL.
void cairn_station_program_destroy(cairn_station_program *program);
