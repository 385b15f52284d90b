// stick.h - the operator's stick as a behaviour.
#pragma once
#include "robot/behaviour/situation.h"
#include "robot/behaviour/vote.h"

#define CAIRN_STICK_AGE_NS_MAX CAIRN_MS(300)

// Teleoperated: the whole wish; zero when the stick is older than 300 ms, not finite, or its dead-man is let go.
// Assisted: adds to the wall's wish with the stick's deflection as weight; no motion at all when it is old or let go.
cairn_vote cairn_stick_step(const cairn_situation *situation);
