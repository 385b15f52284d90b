// The balanced scheduler against brute force, and what it promises.
#include "base/random.h"
#include "robot/behaviour/scheduler.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SEED 8u
#define CYCLES 8u // brute force goes up to priority 3

static uint32_t dearest_cycle(const cairn_schedule_entry *entries, const uint32_t *offsets, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        uint32_t load = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (cycle % (1u << entries[i].priority) == offsets[i]) { load += entries[i].cost_us; }
        }
        if (load > most) { most = load; }
    }
    return most;
}

// All offsets of all entries, tried one by one like the wheels of a counter.
static uint32_t brute_force(const cairn_schedule_entry *entries, uint32_t count)
{
    uint32_t offsets[8] = {0};
    uint32_t best = UINT32_MAX;
    for (;;) {
        const uint32_t most = dearest_cycle(entries, offsets, count);
        if (most < best) { best = most; }
        uint32_t i = 0;
        while (i < count && ++offsets[i] == 1u << entries[i].priority) { offsets[i++] = 0; }
        if (i == count) { return best; }
    }
}

static uint32_t random_entries(cairn_random *random, bool same_cost, cairn_schedule_entry *ret_entries)
{
    const uint32_t count = 1 + cairn_random_below(random, 6);
    for (uint32_t i = 0; i < count; i++) {
        ret_entries[i].priority = cairn_random_below(random, 4);
        ret_entries[i].cost_us = same_cost ? 5 : 1 + cairn_random_below(random, 20);
    }
    return count;
}

static void with_equal_costs_no_other_offsets_are_better(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "scheduler/equal");
    print_message("seed %u\n", SEED);
    for (int i = 0; i < 300; i++) {
        cairn_schedule_entry entries[8];
        const uint32_t count = random_entries(&random, true, entries);
        cairn_schedule schedule;
        cairn_schedule_init(&schedule, entries, count);
        assert_int_equal(schedule.load_us_max, brute_force(entries, count));
    }
}

// Choosing one after the other cannot always be best, but it is never far: below 4/3 of the best, as for
// longest-first packing, and nearly always the best.
static void with_any_costs_the_dearest_cycle_is_within_a_third_of_the_best(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "scheduler/any");
    int best_count = 0;
    for (int i = 0; i < 300; i++) {
        cairn_schedule_entry entries[8];
        const uint32_t count = random_entries(&random, false, entries);
        cairn_schedule schedule;
        cairn_schedule_init(&schedule, entries, count);
        const uint32_t best = brute_force(entries, count);
        assert_true(schedule.load_us_max >= best);
        assert_true(3 * schedule.load_us_max <= 4 * best);
        best_count += schedule.load_us_max == best;
    }
    print_message("best in %d of 300\n", best_count);
    assert_true(best_count >= 240);
}

static void a_behaviour_of_priority_p_runs_every_2_to_the_p_cycles(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "scheduler/periods");
    cairn_schedule_entry entries[CAIRN_SCHEDULE_MAX];
    for (uint32_t i = 0; i < CAIRN_SCHEDULE_MAX; i++) {
        entries[i].priority = cairn_random_below(&random, CAIRN_SCHEDULE_PRIORITY_MAX + 1);
        entries[i].cost_us = cairn_random_below(&random, 50);
    }
    cairn_schedule schedule;
    cairn_schedule_init(&schedule, entries, CAIRN_SCHEDULE_MAX);
    for (uint32_t i = 0; i < CAIRN_SCHEDULE_MAX; i++) {
        const uint64_t period = 1u << entries[i].priority;
        for (uint64_t cycle = 0; cycle < 1000; cycle++) {
            const bool due = (cairn_schedule_due(&schedule, cycle) >> i & 1u) != 0;
            assert_int_equal(due, cycle % period == schedule.offset[i]);
        }
    }
}

// Behaviours of one cost that together fill the cycles leave none idle, and no two cycles differ by more than one.
static void equal_behaviours_fill_all_cycles_evenly(void **state)
{
    (void)state;
    cairn_random random;
    cairn_random_init(&random, SEED, "scheduler/even");
    for (int round = 0; round < 200; round++) {
        cairn_schedule_entry entries[CAIRN_SCHEDULE_MAX];
        uint32_t count = 0, filled = 0; // in parts of the longest period
        while (filled < CAIRN_SCHEDULE_CYCLES && count < CAIRN_SCHEDULE_MAX) {
            entries[count] = (cairn_schedule_entry){cairn_random_below(&random, 5), 1};
            filled += CAIRN_SCHEDULE_CYCLES >> entries[count++].priority;
        }
        cairn_schedule schedule;
        cairn_schedule_init(&schedule, entries, count);
        uint32_t least = UINT32_MAX;
        for (uint32_t cycle = 0; cycle < CAIRN_SCHEDULE_CYCLES; cycle++) {
            if (schedule.load_us[cycle] < least) { least = schedule.load_us[cycle]; }
        }
        assert_true(least >= 1);
        assert_true(schedule.load_us_max - least <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_equal_costs_no_other_offsets_are_better),
        cmocka_unit_test(with_any_costs_the_dearest_cycle_is_within_a_third_of_the_best),
        cmocka_unit_test(a_behaviour_of_priority_p_runs_every_2_to_the_p_cycles),
        cmocka_unit_test(equal_behaviours_fill_all_cycles_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
