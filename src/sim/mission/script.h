// script.h - the scripted operator: at time t do x, through the same inbox as a person at the page.
//
// Actions begin in the order of their times, at the first step at or after each. A robot has one stick: a drive holds
// it for for_s, says so every 50 ms and then lets go once; a later drive of the same robot takes it over without
// letting go. Guards are held switched off in the same way, beside the stick.
//
// Memory   The caller's; borrows the actions.
// Threads  One owner.
#pragma once
#include "base/inbox.h"
#include "sim/physics/physics.h"
#include "station/operator/operator.h"

#define CAIRN_SCRIPT_ACTIONS_MAX 256       // that are written; the mission may add one for each robot
#define CAIRN_SCRIPT_STICK_NS CAIRN_MS(50) // as often as the page says it

typedef struct cairn_mission_action {
    double at_s;  // since the mission's start, >= 0
    double for_s; // drive, override: how long the key is held, > 0
    cairn_operator_action action;
    uint32_t line; // of the mission file, for complaints
} cairn_mission_action;

typedef struct cairn_script_key {
    const cairn_mission_action *held; // NULL: by nobody
    cairn_mono due;                   // next word
    cairn_mono until;                 // let go then
} cairn_script_key;

typedef struct cairn_script {
    const cairn_mission_action *actions;
    uint32_t action_count;
    uint32_t next;                                 // the first that has not begun
    cairn_script_key sticks[CAIRN_SIM_ROBOTS_MAX]; // of robot id 1, 2, ...
    cairn_script_key overrides[CAIRN_SIM_ROBOTS_MAX];
} cairn_script;

// The actions are sorted by at_s, and borrowed for the script's life.
void cairn_script_init(cairn_script *script, const cairn_mission_action *actions, uint32_t action_count);

// Puts what is due into the inbox, one cairn_operator_action a message; `now` never goes back. What a full inbox
// refuses is tried again at the next step, and later actions wait for it; only of the stick's words the latest counts,
// so that slow steps make gaps and never bursts. O(actions begun + robots).
void cairn_script_step(cairn_script *script, cairn_mono now, cairn_inbox *operators);
