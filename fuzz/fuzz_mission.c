// Any bytes as a mission file: refused with a reason and nothing taken, or a mission whose times, robots and events
// make sense, tied to an arena and its robots or refused by them.
#include "sim/mission/file/event_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

static void check_events(const cairn_mission_file *mission)
{
    for (uint32_t i = 0; i < mission->event_count; i++) {
        const cairn_mission_event *event = &mission->events[i];
        CAIRN_ASSERT((unsigned)event->kind < CAIRN_EVENT_COUNT && event->robot < mission->robot_count);
        CAIRN_ASSERT(event->at_s >= 0 && event->at_s < mission->duration_s && event->for_s >= 0);
        CAIRN_ASSERT(event->kind != CAIRN_EVENT_FAIL || cairn_failure_is_sound(event->sensor, &event->failure));
        CAIRN_ASSERT(i == 0 || mission->events[i - 1].at_s <= event->at_s);
    }
}

static void check(cairn_mission_file *mission, cairn_complaints *told)
{
    CAIRN_ASSERT(mission->duration_s >= 1 && mission->duration_s <= 86400 && mission->robot_count > 0);
    for (uint32_t i = 0; i < mission->phase_count; i++) {
        CAIRN_ASSERT(mission->phases[i].from_s == (i > 0 ? mission->phases[i - 1].to_s : 0));
    }
    check_events(mission);
    cairn_script script;
    cairn_script_init(&script, mission->actions, mission->action_count); // asserts that they are in order

    static cairn_sim_door doors[] = {{.name = "d1"}};
    static const cairn_body_description robots[CAIRN_SIM_ROBOTS_MAX];
    const cairn_sim_arena arena = {.name = "hall", .doors = doors, .door_count = 1};
    const cairn_err err = cairn_events_tie("fuzz", &arena, robots, told, mission);
    CAIRN_ASSERT((err == CAIRN_OK) == (told->count == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    cairn_arena memory;
    if (cairn_arena_create(&memory, (size_t)1 << 20) != CAIRN_OK) { return 0; }
    static cairn_complaints told;
    told = (cairn_complaints){0};
    cairn_mission_file mission;
    const cairn_err err = cairn_mission_file_parse((const char *)bytes, size_bytes, "fuzz", &memory, &told, &mission);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    if (err == CAIRN_OK) {
        check(&mission, &told);
    } else {
        CAIRN_ASSERT(memory.used_bytes == 0);
    }
    cairn_arena_destroy(&memory);
    return 0;
}
