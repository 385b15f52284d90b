// by_hand.h - runs the tasks that were registered with an executor one by one, from any time on, and not at all.
#pragma once
#include "base/executor.h"

uint32_t by_hand_count(const cairn_executor *executor);
// If the task is due at this tick of 4 ms: its step, and its publish at once.
void by_hand_run(const cairn_executor *executor, uint32_t task, cairn_mono now);
