// scheduler.h - balanced scheduling: which behaviours run in which cycle.
//
// A behaviour of priority p runs every 2^p cycles. Offsets are chosen once so that the dearest cycle is as cheap as can
// be: shortest periods first, among equals the dearest first, each where the load of its cycles is least. Nothing is
// ever skipped, so no behaviour starves; where behaviours of one cost fill the cycles, no cycle is idle.
//
// Source   The balanced scheduler of the IUB rescue robots.
#pragma once
#include "base/status.h"

#define CAIRN_SCHEDULE_MAX 32
#define CAIRN_SCHEDULE_PRIORITY_MAX 7
#define CAIRN_SCHEDULE_CYCLES (1u << CAIRN_SCHEDULE_PRIORITY_MAX)

typedef struct cairn_schedule_entry {
    uint32_t priority; // 0..CAIRN_SCHEDULE_PRIORITY_MAX: runs every 2^priority cycles
    uint32_t cost_us;  // declared
} cairn_schedule_entry;

typedef struct cairn_schedule {
    uint32_t count;
    uint32_t offset[CAIRN_SCHEDULE_MAX];     // < 2^priority of each
    uint32_t due[CAIRN_SCHEDULE_CYCLES];     // bit i: entry i runs in this cycle
    uint32_t load_us[CAIRN_SCHEDULE_CYCLES]; // declared cost of each cycle; repeats for ever
    uint32_t load_us_max;
} cairn_schedule;

// O(count * 2^priority); more than CAIRN_SCHEDULE_MAX entries is a breach.
void cairn_schedule_init(cairn_schedule *schedule, const cairn_schedule_entry *entries, uint32_t count);

// Bit i of the result: entry i runs in this cycle. O(1).
uint32_t cairn_schedule_due(const cairn_schedule *schedule, uint64_t cycle);
