#include "robot/behaviour/scheduler.h"

// The dearest of the cycles in which an entry with this period and offset would run.
static uint32_t dearest(const cairn_schedule *schedule, uint32_t offset, uint32_t period)
{
    uint32_t most = 0;
    for (uint32_t cycle = offset; cycle < CAIRN_SCHEDULE_CYCLES; cycle += period) {
        if (schedule->load_us[cycle] > most) { most = schedule->load_us[cycle]; }
    }
    return most;
}

static void place(cairn_schedule *schedule, const cairn_schedule_entry *entries, uint32_t i)
{
    const uint32_t period = 1u << entries[i].priority;
    uint32_t best = 0;
    for (uint32_t offset = 1; offset < period; offset++) {
        if (dearest(schedule, offset, period) < dearest(schedule, best, period)) { best = offset; }
    }
    schedule->offset[i] = best;
    for (uint32_t cycle = best; cycle < CAIRN_SCHEDULE_CYCLES; cycle += period) {
        schedule->due[cycle] |= 1u << i;
        schedule->load_us[cycle] += entries[i].cost_us;
        if (schedule->load_us[cycle] > schedule->load_us_max) { schedule->load_us_max = schedule->load_us[cycle]; }
    }
}

// Shortest period first; among those the dearest first; then the order of the list.
static bool goes_before(const cairn_schedule_entry *a, const cairn_schedule_entry *b)
{
    return a->priority != b->priority ? a->priority < b->priority : a->cost_us > b->cost_us;
}

void cairn_schedule_init(cairn_schedule *schedule, const cairn_schedule_entry *entries, uint32_t count)
{
    CAIRN_ASSERT(count <= CAIRN_SCHEDULE_MAX);
    *schedule = (cairn_schedule){.count = count};
    uint32_t order[CAIRN_SCHEDULE_MAX];
    for (uint32_t i = 0; i < count; i++) {
        CAIRN_ASSERT(entries[i].priority <= CAIRN_SCHEDULE_PRIORITY_MAX);
        uint32_t at = i;
        for (; at > 0 && goes_before(&entries[i], &entries[order[at - 1]]); at--) { order[at] = order[at - 1]; }
        order[at] = i;
    }
    for (uint32_t i = 0; i < count; i++) { place(schedule, entries, order[i]); }
}

uint32_t cairn_schedule_due(const cairn_schedule *schedule, uint64_t cycle)
{
    return schedule->due[cycle % CAIRN_SCHEDULE_CYCLES];
}
