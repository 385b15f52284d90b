// executor_parts.h - what the two executors share; private to the executor's sources.
#pragma once
#include "base/executor.h"
#include <pthread.h>
#include <stdatomic.h>

#define CAIRN_TASK_NONE UINT32_MAX
#define CAIRN_NEVER_NS INT64_MAX

// Aligned because tasks of different lanes run on different threads. The figures have one writer and many readers.
typedef struct cairn_task {
    _Alignas(64) cairn_task_def def;
    bool held;      // lockstep: it falls due and does not step
    int64_t due_ns; // beginning of the oldest period that was not served
    _Atomic uint64_t step_count;
    _Atomic uint64_t skipped_count;
    _Atomic int64_t late_ns_max;
    _Atomic int64_t step_ns_max;
} cairn_task;

// Lockstep only.
typedef struct cairn_processor {
    uint32_t task;   // whose outputs are to come, or CAIRN_TASK_NONE: free
    int64_t free_ns; // when they come
} cairn_processor;

typedef struct cairn_lane {
    _Alignas(64) const char *name; // borrowed
    uint32_t phase;
    uint32_t task_count;
    uint32_t tasks[CAIRN_TASKS_MAX]; // in order of registration
    // Lockstep only.
    cairn_processor processors[CAIRN_PROCESSORS_MAX];
    int64_t next_ns; // nothing happens in this lane before
} cairn_lane;

// A thread of the realtime executor: one processor of one lane.
typedef struct cairn_executor_thread {
    cairn_executor *executor;
    const cairn_lane *lane;
    uint32_t processor;
    int priority;
    pthread_t thread;
    int fifo_error; // errno of asking for SCHED_FIFO, 0 if granted or not wanted
} cairn_executor_thread;

// In the order in which it is read about; there is one.
struct cairn_executor { // NOLINT(clang-analyzer-optin.performance.Padding)
    cairn_lane lanes[CAIRN_LANES_MAX];
    cairn_task tasks[CAIRN_TASKS_MAX];
    uint32_t lane_count, task_count;
    _Atomic int64_t now_ns; // realtime: only between runs
    atomic_bool stop;       // asked for and not yet obeyed
    atomic_bool running;
    bool started; // no more lanes or tasks
    bool is_lockstep;

    // Realtime only.
    bool memory_locked;
    int lock_error;          // errno of locking memory, 0 if locked or not wanted
    cairn_time time;         // this machine's, or somebody's
    bool ruled;              // somebody's: its 0 is ours
    _Atomic int64_t zero_ns; // that time at the executor's time 0
    int64_t until_ns;
    cairn_executor_thread threads[CAIRN_LANES_MAX * CAIRN_PROCESSORS_MAX];
    uint32_t thread_count;

    // Lockstep only.
    uint32_t order[CAIRN_LANES_MAX]; // lanes by phase, then registration
    int64_t tick_ns;
    cairn_workers *workers; // borrowed
};

void cairn_executor_run_lockstep(cairn_executor *executor, cairn_mono until);
void cairn_executor_run_realtime(cairn_executor *executor, cairn_mono until);
void cairn_executor_unlock_memory(cairn_executor *executor);

// Books a start of the task at `now`: lateness, periods skipped, and when it is due next.
void cairn_task_begin(cairn_task *task, int64_t now_ns);
