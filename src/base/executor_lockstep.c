// executor_lockstep.c - virtual time, tick by tick.
//
// Each lane knows the next tick at which anything can happen in it: an output that appears, or a task that falls due
// on a free processor (one on a busy processor waits for the output). Ticks at which no lane has anything are
// passed over.
#include "base/executor_parts.h"

#define TIME_NS_MAX (INT64_MAX / 2) // a hundred years: room for sums with periods and costs

static int64_t round_up_to_tick(const cairn_executor *executor, int64_t ns)
{
    return (ns + executor->tick_ns - 1) / executor->tick_ns * executor->tick_ns;
}

static cairn_processor *processor_of(cairn_lane *lane, const cairn_task *task)
{
    return &lane->processors[task->def.processor];
}

static void publish(const cairn_task *task, int64_t now_ns)
{
    if (task->def.publish) { task->def.publish(task->def.state, (cairn_mono){now_ns}); }
}

// Outputs whose time has come appear before anything else of the tick.
static void publish_due(cairn_executor *executor, cairn_lane *lane, int64_t now_ns)
{
    for (uint32_t i = 0; i < lane->task_count; i++) {
        cairn_task *const task = &executor->tasks[lane->tasks[i]];
        cairn_processor *const processor = processor_of(lane, task);
        if (processor->task != lane->tasks[i] || processor->free_ns > now_ns) { continue; }
        CAIRN_ASSERT(processor->free_ns == now_ns);
        processor->task = CAIRN_TASK_NONE;
        publish(task, now_ns);
    }
}

static void start_task(cairn_executor *executor, cairn_lane *lane, uint32_t index, int64_t now_ns)
{
    cairn_task *const task = &executor->tasks[index];
    cairn_processor *const processor = processor_of(lane, task);
    CAIRN_ASSERT(processor->task == CAIRN_TASK_NONE);
    cairn_task_begin(task, now_ns);
    if (task->held) { return; }
    task->def.step(task->def.state, (cairn_mono){now_ns});
    if (task->def.cost_ns > 0) {
        processor->task = index;
        processor->free_ns = now_ns + round_up_to_tick(executor, task->def.cost_ns);
    } else {
        publish(task, now_ns);
    }
}

static bool can_start(cairn_lane *lane, const cairn_task *task)
{
    return processor_of(lane, task)->task == CAIRN_TASK_NONE;
}

// Of the tasks that fell due before this tick and whose processor is free, the longest waiting; the first
// registered of equals; CAIRN_TASK_NONE if nobody waits.
static uint32_t longest_waiting(const cairn_executor *executor, cairn_lane *lane, int64_t now_ns)
{
    uint32_t found = CAIRN_TASK_NONE;
    int64_t found_due_ns = now_ns;
    for (uint32_t i = 0; i < lane->task_count; i++) {
        const cairn_task *const task = &executor->tasks[lane->tasks[i]];
        if (task->due_ns < found_due_ns && can_start(lane, task)) {
            found = lane->tasks[i];
            found_due_ns = task->due_ns;
        }
    }
    return found;
}

static int64_t next_event_ns(const cairn_executor *executor, cairn_lane *lane)
{
    int64_t next_ns = CAIRN_NEVER_NS;
    for (int i = 0; i < CAIRN_PROCESSORS_MAX; i++) {
        const cairn_processor *const processor = &lane->processors[i];
        if (processor->task != CAIRN_TASK_NONE && processor->free_ns < next_ns) { next_ns = processor->free_ns; }
    }
    for (uint32_t i = 0; i < lane->task_count; i++) {
        const cairn_task *const task = &executor->tasks[lane->tasks[i]];
        if (task->due_ns < next_ns && can_start(lane, task)) { next_ns = task->due_ns; }
    }
    return next_ns;
}

static void run_lane(cairn_executor *executor, cairn_lane *lane, int64_t now_ns)
{
    publish_due(executor, lane, now_ns);

    uint32_t waiting;
    while ((waiting = longest_waiting(executor, lane, now_ns)) != CAIRN_TASK_NONE) {
        start_task(executor, lane, waiting, now_ns);
    }
    for (uint32_t i = 0; i < lane->task_count; i++) {
        const cairn_task *const task = &executor->tasks[lane->tasks[i]];
        if (task->due_ns == now_ns && can_start(lane, task)) { start_task(executor, lane, lane->tasks[i], now_ns); }
    }

    lane->next_ns = next_event_ns(executor, lane);
    CAIRN_ASSERT(lane->next_ns > now_ns);
}

// The lanes of one phase that have something to do in this tick.
typedef struct due_lanes {
    cairn_executor *executor;
    int64_t now_ns;
    uint32_t count;
    uint32_t lanes[CAIRN_LANES_MAX];
} due_lanes;

static void run_due_lane(void *context, uint32_t job)
{
    const due_lanes *const due = context;
    run_lane(due->executor, &due->executor->lanes[due->lanes[job]], due->now_ns);
}

static void run_tick(cairn_executor *executor, int64_t now_ns)
{
    due_lanes due = {.executor = executor, .now_ns = now_ns};
    for (uint32_t i = 0; i < executor->lane_count;) {
        const uint32_t phase = executor->lanes[executor->order[i]].phase;
        due.count = 0;
        for (; i < executor->lane_count && executor->lanes[executor->order[i]].phase == phase; i++) {
            if (executor->lanes[executor->order[i]].next_ns <= now_ns) { due.lanes[due.count++] = executor->order[i]; }
        }
        cairn_workers_run(executor->workers, run_due_lane, &due, due.count);
    }
}

static int64_t earliest_event_ns(const cairn_executor *executor)
{
    int64_t earliest_ns = CAIRN_NEVER_NS;
    for (uint32_t i = 0; i < executor->lane_count; i++) {
        if (executor->lanes[i].next_ns < earliest_ns) { earliest_ns = executor->lanes[i].next_ns; }
    }
    return earliest_ns;
}

// Insertion keeps lanes of one phase in the order of their registration.
static void sort_lanes(cairn_executor *executor)
{
    for (uint32_t i = 0; i < executor->lane_count; i++) {
        uint32_t at = i;
        for (; at > 0 && executor->lanes[executor->order[at - 1]].phase > executor->lanes[i].phase; at--) {
            executor->order[at] = executor->order[at - 1];
        }
        executor->order[at] = i;
    }
}

static void set_now(cairn_executor *executor, int64_t now_ns)
{
    atomic_store_explicit(&executor->now_ns, now_ns, memory_order_relaxed);
}

static bool obey_stop(cairn_executor *executor)
{
    return atomic_load_explicit(&executor->stop, memory_order_relaxed) && atomic_exchange(&executor->stop, false);
}

void cairn_executor_run_lockstep(cairn_executor *executor, cairn_mono until)
{
    sort_lanes(executor);
    const int64_t until_ns = until.ns < TIME_NS_MAX ? round_up_to_tick(executor, until.ns) : TIME_NS_MAX;
    while (!obey_stop(executor)) {
        const int64_t next_ns = earliest_event_ns(executor);
        if (next_ns >= until_ns) {
            if (until_ns > atomic_load(&executor->now_ns)) { set_now(executor, until_ns); }
            return;
        }
        set_now(executor, next_ns);
        run_tick(executor, next_ns);
        set_now(executor, next_ns + executor->tick_ns);
    }
}
