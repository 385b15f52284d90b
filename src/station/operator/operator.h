// operator.h - what a person may ask of the team: one list of actions, from the page, from a script, for the score.
#pragma once
#include "base/clock.h"
#include "geometry/vec.h"
#include "robot/modes.h"

// Numbers are used inside one process only; on the page and in files the names are.
typedef enum cairn_operator_verb {
    CAIRN_DO_MODE,     // order a mode, any but stopped
    CAIRN_DO_GO,       // send a robot to a place on the map
    CAIRN_DO_HOME,     // back along its own trail
    CAIRN_DO_DRIVE,    // the whole stick state, at 20 Hz while somebody drives
    CAIRN_DO_STOP,     // latches
    CAIRN_DO_RELEASE,  // of a stop; a separate, deliberate act
    CAIRN_DO_OVERRIDE, // guards switched off while a key is held, at 20 Hz
    CAIRN_DO_COUNT
} cairn_operator_verb;

const char *cairn_operator_verb_name(cairn_operator_verb verb); // "mode", "go", ...

#define CAIRN_ALL_ROBOTS 0

typedef struct cairn_operator_action {
    cairn_operator_verb verb;
    uint8_t robot;        // id; CAIRN_ALL_ROBOTS only for stop and release
    uint8_t mode;         // mode: robot/modes.h
    cairn_vec2 to_m;      // go: map frame
    double forward, turn; // drive: [-] -1..1 of the body's limits, left positive
    bool dead_man;        // drive: held down
    uint32_t guards;      // override: bit 1 << cairn_guard for each; 0: let go
    // drive, override: station time of the newest picture that the person had when the stick was moved. Whoever acts by
    // an old picture, or whose words were held up on the way, is not obeyed.
    cairn_mono shown;
} cairn_operator_action;

#define CAIRN_OPERATOR_TEXT_BYTES_MAX 512

// Reads one action from the page's JSON (docs/page.md). CAIRN_ERR_INVALID with the reason in *complaints; TOO_LARGE
// over CAIRN_OPERATOR_TEXT_BYTES_MAX. *ret_action is then untouched.
CAIRN_CHECKED cairn_err cairn_operator_parse(const char *text, size_t size_bytes, cairn_complaints *complaints,
                                             cairn_operator_action *ret_action);
