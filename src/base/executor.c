// executor.c - registration of lanes and tasks, and what both executors tell about themselves.
#include "base/executor_parts.h"
#include <stdlib.h>
#include <string.h>

static cairn_err create(bool is_lockstep, int64_t tick_ns, cairn_workers *workers, cairn_executor **ret_executor)
{
    cairn_executor *const executor = aligned_alloc(_Alignof(cairn_executor), sizeof *executor);
    if (!executor) { return CAIRN_ERR_FULL; }
    memset(executor, 0, sizeof *executor);
    executor->is_lockstep = is_lockstep;
    executor->tick_ns = tick_ns;
    executor->workers = workers;
    *ret_executor = executor;
    return CAIRN_OK;
}

cairn_err cairn_executor_create_lockstep(int64_t tick_ns, cairn_workers *workers, cairn_executor **ret_executor)
{
    CAIRN_ASSERT(ret_executor && tick_ns > 0);
    return create(true, tick_ns, workers, ret_executor);
}

cairn_err cairn_executor_create_realtime(cairn_executor **ret_executor)
{
    CAIRN_ASSERT(ret_executor);
    const cairn_err err = create(false, 1, NULL, ret_executor);
    if (err == CAIRN_OK) { (*ret_executor)->time = cairn_time_of_machine(); }
    return err;
}

cairn_err cairn_executor_create_by_time(cairn_time time, cairn_executor **ret_executor)
{
    CAIRN_ASSERT(ret_executor && time.now && time.sleep_until);
    const cairn_err err = create(false, 1, NULL, ret_executor);
    if (err == CAIRN_OK) {
        (*ret_executor)->time = time;
        (*ret_executor)->ruled = true;
    }
    return err;
}

void cairn_executor_destroy(cairn_executor *executor)
{
    if (!executor) { return; }
    CAIRN_ASSERT(!atomic_load(&executor->running));
    cairn_executor_unlock_memory(executor);
    free(executor);
}

uint32_t cairn_executor_add_lane(cairn_executor *executor, const char *name, uint32_t phase)
{
    CAIRN_ASSERT(executor && name);
    CAIRN_ASSERT(!executor->started && executor->lane_count < CAIRN_LANES_MAX);
    cairn_lane *const lane = &executor->lanes[executor->lane_count];
    lane->name = name;
    lane->phase = phase;
    lane->next_ns = CAIRN_NEVER_NS;
    for (int i = 0; i < CAIRN_PROCESSORS_MAX; i++) { lane->processors[i].task = CAIRN_TASK_NONE; }
    return executor->lane_count++;
}

uint32_t cairn_executor_add_task(cairn_executor *executor, const cairn_task_def *def)
{
    CAIRN_ASSERT(executor && def && def->step && def->name);
    CAIRN_ASSERT(!executor->started && executor->task_count < CAIRN_TASKS_MAX);
    CAIRN_ASSERT(def->lane < executor->lane_count && def->processor < CAIRN_PROCESSORS_MAX);
    CAIRN_ASSERT(def->period_ns > 0 && def->period_ns % executor->tick_ns == 0);
    CAIRN_ASSERT(def->offset_ns >= 0 && def->offset_ns % executor->tick_ns == 0);
    CAIRN_ASSERT(def->cost_ns >= 0 && def->priority >= 0);
    cairn_task *const task = &executor->tasks[executor->task_count];
    task->def = *def;
    task->due_ns = def->offset_ns;
    cairn_lane *const lane = &executor->lanes[def->lane];
    lane->tasks[lane->task_count++] = executor->task_count;
    if (task->due_ns < lane->next_ns) { lane->next_ns = task->due_ns; }
    return executor->task_count++;
}

void cairn_executor_run(cairn_executor *executor, cairn_mono until)
{
    CAIRN_ASSERT(executor);
    const bool was_running = atomic_exchange(&executor->running, true);
    CAIRN_ASSERT(!was_running);
    executor->started = true;
    if (executor->is_lockstep) {
        cairn_executor_run_lockstep(executor, until);
    } else {
        cairn_executor_run_realtime(executor, until);
    }
    atomic_store(&executor->running, false);
}

// Lock-free atomics only: it may be called from a signal handler.
void cairn_executor_ask_stop(cairn_executor *executor) { atomic_store(&executor->stop, true); }

cairn_mono cairn_executor_now(const cairn_executor *executor)
{
    CAIRN_ASSERT(executor);
    if (executor->is_lockstep || (!executor->ruled && !atomic_load(&executor->running))) {
        return (cairn_mono){atomic_load_explicit(&executor->now_ns, memory_order_relaxed)};
    }
    return (cairn_mono){executor->time.now(executor->time.context).ns - atomic_load(&executor->zero_ns)};
}

void cairn_executor_hold(cairn_executor *executor, const char *lane, uint32_t processor, bool held)
{
    CAIRN_ASSERT(executor && executor->is_lockstep && !atomic_load(&executor->running));
    CAIRN_ASSERT(lane && processor < CAIRN_PROCESSORS_MAX);
    for (uint32_t i = 0; i < executor->task_count; i++) {
        cairn_task *const task = &executor->tasks[i];
        const bool meant = task->def.processor == processor && strcmp(executor->lanes[task->def.lane].name, lane) == 0;
        if (meant) { task->held = held; }
    }
}

void cairn_executor_forget(cairn_executor *executor, const char *lane, uint32_t processor)
{
    CAIRN_ASSERT(executor && executor->is_lockstep && !atomic_load(&executor->running));
    CAIRN_ASSERT(lane && processor < CAIRN_PROCESSORS_MAX);
    for (uint32_t i = 0; i < executor->lane_count; i++) {
        if (strcmp(executor->lanes[i].name, lane) == 0) {
            executor->lanes[i].processors[processor].task = CAIRN_TASK_NONE;
        }
    }
}

cairn_task_info cairn_executor_task_info(const cairn_executor *executor, uint32_t task)
{
    CAIRN_ASSERT(executor && task < executor->task_count);
    const cairn_task *const of = &executor->tasks[task];
    return (cairn_task_info){
        .step_count = atomic_load_explicit(&of->step_count, memory_order_relaxed),
        .skipped_count = atomic_load_explicit(&of->skipped_count, memory_order_relaxed),
        .late_ns_max = atomic_load_explicit(&of->late_ns_max, memory_order_relaxed),
        .step_ns_max = atomic_load_explicit(&of->step_ns_max, memory_order_relaxed),
    };
}

static void add_count(_Atomic uint64_t *count, uint64_t by)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + by, memory_order_relaxed);
}

void cairn_task_begin(cairn_task *task, int64_t now_ns)
{
    CAIRN_ASSERT(task->due_ns <= now_ns);
    const int64_t skipped = (now_ns - task->due_ns) / task->def.period_ns;
    const int64_t served_ns = task->due_ns + skipped * task->def.period_ns;
    const int64_t late_ns = now_ns - served_ns;
    if (late_ns > atomic_load_explicit(&task->late_ns_max, memory_order_relaxed)) {
        atomic_store_explicit(&task->late_ns_max, late_ns, memory_order_relaxed);
    }
    add_count(&task->step_count, 1);
    if (skipped > 0) { add_count(&task->skipped_count, (uint64_t)skipped); }
    task->due_ns = served_ns + task->def.period_ns;
}
