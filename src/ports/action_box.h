// action_box.h - the station's inbox for what people ask, filled so that no stop is lost.
//
// A stop that finds the inbox full waits here, and nothing of the same sender gets past it.
// Threads  One owner; the inbox behind it may have many senders.
#pragma once
#include "base/inbox.h"
#include "station/operator/operator.h"

typedef struct cairn_action_box {
    cairn_inbox *operators; // borrowed
    bool stop_waits[256];   // by robot, 0 all: for room
} cairn_action_box;

// CAIRN_ERR_FULL: refused, ask again later; never a stop.
CAIRN_CHECKED cairn_err cairn_action_box_put(cairn_action_box *box, const cairn_operator_action *action);
// Stops that found no room; false while one still waits. Every few hundredths of a second.
bool cairn_action_box_put_waiting(cairn_action_box *box);
