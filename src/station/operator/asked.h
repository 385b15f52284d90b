// asked.h - what operators have asked for and is not done yet.
//
// It is done in the order in which it came, and one way is searched for in a step: that takes longer than all the rest.
// Only what makes a robot stand still does not wait. A stop, or a stick or an override let go, is done when it comes,
// and what was asked before it of the same robot is withdrawn: so nothing older comes after it, and no release that it
// has overtaken.
//
// Threads  One owner.
#pragma once
#include "station/operator/actions.h"

#define CAIRN_ASKED_MAX 1024 // what comes when so many wait is refused and counted; never a stop

typedef struct cairn_asked {
    uint32_t count;
    cairn_operator_action waiting[CAIRN_ASKED_MAX]; // the oldest first
} cairn_asked;

void cairn_asked_take(cairn_asked *asked, const cairn_operator_action *action, cairn_actions *actions, cairn_mono now);
void cairn_asked_step(cairn_asked *asked, cairn_actions *actions, cairn_mono now);
