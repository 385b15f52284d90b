// supervisor.h - `cairn robot`: starts reflex and mind, watches them, and starts them again.
//
// Both are processes of their own that die with it (the base's watchdog then stops the wheels). One that ends, or that
// has not got on for a while though time has, is ended and started again, at once the first time, later and later when
// it keeps dying. While there is no body (the simulator is not there, or has a new world) it waits, and says so.
#pragma once
#include "base/log.h"
#include "programs/robot/robot_file_io.h"

typedef struct cairn_supervisor_def {
    const cairn_robot_file *file; // borrowed
    const char *config;           // its path, which mind is started with
    cairn_log log;
} cairn_supervisor_def;

// Runs until cairn_supervisor_ask_stop; then mind ends first, and reflex when the robot stands.
CAIRN_CHECKED cairn_err cairn_supervisor_run(const cairn_supervisor_def *def, cairn_complaints *complaints);
void cairn_supervisor_ask_stop(void); // from a signal handler
