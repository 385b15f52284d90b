// executor.h - what drives every part that runs: in virtual time (lockstep) or on threads (realtime).
//
// A part is a step function (state, now). It is registered as a task with a period and a declared cost.
// The same registration serves both executors.
//
//   lockstep  virtual time advances tick by tick. Within a tick phases run in order; lanes of one phase
//             run in parallel on the workers and must share nothing but cells written in other phases;
//             tasks of one lane run in the order of registration. A task with a cost occupies its
//             processor of the lane: `step` runs at `now`, its outputs appear when `publish` runs, at
//             now + cost (rounded up to a tick); until then no other task of that processor starts, and a
//             task that falls due meanwhile starts when the processor is free, the longest waiting first
//             and before those just due, so that none starves. Missed periods are counted and skipped,
//             never queued up: a late start serves the newest period.
//   realtime  each processor of a lane is a thread that sleeps until its next task is due; publish follows
//             step at once. SCHED_FIFO and locked memory where allowed, otherwise counted and said.
//
// So a result never depends on how fast the machine is, only on the declared costs.
#pragma once
#include "base/clock.h"
#include "base/workers.h"

#define CAIRN_LANES_MAX 64
#define CAIRN_TASKS_MAX 512
#define CAIRN_PROCESSORS_MAX 4 // of one lane

typedef void (*cairn_step_fn)(void *state, cairn_mono now);

typedef struct cairn_task_def {
    const char *name;   // borrowed for the executor's life: "emu1/odometry"
    uint32_t lane;      // from cairn_executor_add_lane
    uint32_t processor; // [0, CAIRN_PROCESSORS_MAX): tasks that share one wait for each other
    int64_t period_ns;  // > 0, a multiple of the tick
    int64_t offset_ns;  // >= 0, a multiple of the tick
    int64_t cost_ns;    // declared virtual cost of a step; 0: done within its tick, occupies nothing
    int priority;       // realtime only: SCHED_FIFO priority of its thread (largest of its tasks), 0 none
    cairn_step_fn step;
    cairn_step_fn publish; // may be NULL
    void *state;
} cairn_task_def;

typedef struct cairn_task_info {
    uint64_t step_count;
    uint64_t skipped_count; // periods that passed while it or its processor was busy
    int64_t late_ns_max;    // start after the beginning of the period that it served
    int64_t step_ns_max;    // realtime: longest step by this thread's processor time
} cairn_task_info;

typedef struct cairn_executor cairn_executor;

CAIRN_CHECKED cairn_err cairn_executor_create_lockstep(int64_t tick_ns, cairn_workers *workers,
                                                       cairn_executor **ret_executor); // borrows workers
CAIRN_CHECKED cairn_err cairn_executor_create_realtime(cairn_executor **ret_executor);
// By somebody's time instead of this machine's since the first run: now is what it says, between runs too.
CAIRN_CHECKED cairn_err cairn_executor_create_by_time(cairn_time time, cairn_executor **ret_executor); // borrows
void cairn_executor_destroy(cairn_executor *executor);                                                 // accepts NULL

// A lane runs in one phase (0, 1, 2, …). Before the first run only; too many lanes is a breach.
uint32_t cairn_executor_add_lane(cairn_executor *executor, const char *name, uint32_t phase);
uint32_t cairn_executor_add_task(cairn_executor *executor, const cairn_task_def *def); // copies the def

// Runs until virtual (or real) time `until`, or until asked to stop. The first tick is at time 0; ticks at
// `until` are not run, so runs can follow each other: time stands still between them. A stop asked for takes
// effect after the tick (lockstep) or the step (realtime, within 20 ms) under way; asked for between runs, it ends
// the next one before it begins. It counts once.
void cairn_executor_run(cairn_executor *executor, cairn_mono until);
void cairn_executor_ask_stop(cairn_executor *executor);        // from any thread, a step, or a signal handler
cairn_mono cairn_executor_now(const cairn_executor *executor); // from any thread
// Lockstep, between runs: tasks of a processor of a lane fall due and do not step, as those of a process that hangs;
// outputs of a step under way still appear. A lane that nobody has: nothing happens.
void cairn_executor_hold(cairn_executor *executor, const char *lane, uint32_t processor, bool held);
// Lockstep, between runs: whatever step of that processor is under way was never made: its outputs do not appear.
void cairn_executor_forget(cairn_executor *executor, const char *lane, uint32_t processor);
cairn_task_info cairn_executor_task_info(const cairn_executor *executor, uint32_t task);
// Whether every thread of the last run that has a priority got SCHED_FIFO and locked memory; why (may be NULL) gets
// the words if not. Always false in lockstep.
bool cairn_executor_is_realtime(const cairn_executor *executor, cairn_complaints *why);
