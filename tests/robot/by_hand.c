#include "by_hand.h"
#include "base/executor_parts.h"

uint32_t by_hand_count(const cairn_executor *executor) { return executor->task_count; }

void by_hand_run(const cairn_executor *executor, uint32_t task, cairn_mono now)
{
    const cairn_task_def *def = &executor->tasks[task].def;
    if (now.ns < def->offset_ns || (now.ns - def->offset_ns) % def->period_ns != 0) { return; }
    def->step(def->state, now);
    if (def->publish) { def->publish(def->state, now); }
}
