// command.h - the motion that mind asks for, after the rules of plausibility.
//
// A command that is from the future (by more than CAIRN_CLOCK_SLACK_NS), not finite, older than the one before or
// beyond the body's limits is refused and counted; the last good one stays in force until it is too old.
#pragma once
#include "robot/reflex/motion.h"
#include "robot/reflex/reflex_cells.h"

typedef struct cairn_reflex_command {
    cairn_motion wanted; // zero until the first good command, and once the last is too old
    bool in_force;       // a good command that is not too old
    bool heard;
    cairn_mono issued; // of the last good command
    uint64_t version;
    uint32_t refused_count;
} cairn_reflex_command;

// What lies in the cell by now is not listened to: its writer may have died long ago, by another run of the clock.
void cairn_reflex_command_init(cairn_reflex_command *command, cairn_cell *cell);
void cairn_reflex_command_step(cairn_reflex_command *command, cairn_cell *cell, const cairn_body_limits *limits,
                               cairn_mono now);
