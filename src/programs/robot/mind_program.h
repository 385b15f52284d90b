// mind_program.h - mind as a process: behaviours, post and deliberate over mapped cells, its radio over UDP, its
// journal.
//
// The supervisor starts it, and starts it again: what it knew is in the checkpoint.
//
// Threads  Behaviour and post with the socket; deliberate; the journal's look and the journal's own.
#pragma once
#include "base/log.h"
#include "programs/robot/robot_file_io.h"

typedef struct cairn_mind_program_def {
    const cairn_robot_file *file; // borrowed
    cairn_log log;
} cairn_mind_program_def;

CAIRN_CHECKED cairn_err cairn_mind_program_run(const cairn_mind_program_def *def, cairn_complaints *complaints);
void cairn_mind_program_ask_stop(void); // from a signal handler
