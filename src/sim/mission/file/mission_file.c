#include "sim/mission/file/mission_file.h"
#include "base/config/config.h"
#include "sim/mission/file/event_file.h"
#include "sim/mission/file/radio_file.h"
#include "sim/mission/file/script_file.h"
#include "sim/physics/physics.h"
#include "station/areas/areas_file.h"
#include "station/post.h"
#include <stdio.h>
#include <string.h>

#define NOT_GIVEN_S (-1)

typedef struct robot_entry {
    uint32_t line;
    char name[32]; // empty: to be made from the robot file's name
    char file[256];
    uint32_t mode;
} robot_entry;

typedef struct file_entry {
    char name[64], arena[256];
    uint32_t physics;
    double duration_s; // NOT_GIVEN_S
    double home_at_s;  // 0: not given
    cairn_phase_entry *phases;
    uint32_t phase_count;
    bool end_when_done;
    robot_entry *robots;
    uint32_t robot_count;
    cairn_mission_journal journal;
    cairn_radio_entry radio;
    cairn_area_entry *areas;
    uint32_t area_count;
    cairn_script_entry *actions;
    uint32_t action_count;
    cairn_event_entry *events;
    uint32_t event_count;
} file_entry;

static const char *const physics_words[] = {"planar", "mujoco", NULL};

static const cairn_config_field robot_fields[] = {
    CAIRN_CONFIG_LINE(robot_entry, line),
    CAIRN_CONFIG_TEXT(robot_entry, file, "file", .help = "robot file, relative to this one"),
    CAIRN_CONFIG_TEXT(robot_entry, name, "name", .fallback = ""),
    CAIRN_CONFIG_CHOICE(robot_entry, mode, "mode", cairn_mode_names, .fallback = "autonomous"),
};
static const cairn_config_schema robot_schema = CAIRN_CONFIG_SCHEMA(robot_entry, robot_fields);
static const cairn_config_field robot_item = CAIRN_CONFIG_ITEM_RECORD(robot_entry, &robot_schema);

static const cairn_config_field journal_fields[] = {
    CAIRN_CONFIG_REAL(cairn_mission_journal, scan_hz, "scan_hz", "Hz", 0, 200, .fallback = "10"),
    CAIRN_CONFIG_REAL(cairn_mission_journal, thermal_hz, "thermal_hz", "Hz", 0, 100, .fallback = "1"),
    CAIRN_CONFIG_REAL(cairn_mission_journal, range_image_hz, "range_image_hz", "Hz", 0, 60, .fallback = "0"),
    CAIRN_CONFIG_REAL(cairn_mission_journal, ranges_hz, "ranges_hz", "Hz", 0, 250, .fallback = "0"),
    CAIRN_CONFIG_REAL(cairn_mission_journal, gps_hz, "gps_hz", "Hz", 0, 50, .fallback = "0"),
};
static const cairn_config_schema journal_schema = CAIRN_CONFIG_SCHEMA(cairn_mission_journal, journal_fields);

static const cairn_config_field mission_fields[] = {
    CAIRN_CONFIG_TEXT(file_entry, name, "name", .help = "shown in scores and pictures"),
    CAIRN_CONFIG_TEXT(file_entry, arena, "arena", .help = "arena file, relative to this one"),
    CAIRN_CONFIG_CHOICE(file_entry, physics, "physics", physics_words, .help = "what moves the robots"),
    CAIRN_CONFIG_REAL(file_entry, duration_s, "duration_s", "s", NOT_GIVEN_S, 86400, .fallback = "-1"),
    CAIRN_CONFIG_LIST(file_entry, phases, phase_count, "phases", &cairn_phase_item, CAIRN_MISSION_PHASES_MAX,
                      .fallback = "[]"),
    CAIRN_CONFIG_REAL(file_entry, home_at_s, "home_at_s", "s", 0, 86400, .fallback = "0"),
    CAIRN_CONFIG_BOOL(file_entry, end_when_done, "end_when_done", .fallback = "true"),
    CAIRN_CONFIG_LIST(file_entry, robots, robot_count, "robots", &robot_item, CAIRN_POST_ROBOTS_MAX, .item_min = 1,
                      .help = "robot i begins at start i of the arena"),
    CAIRN_CONFIG_RECORD(file_entry, journal, "journal", &journal_schema, .fallback = "{}"),
    CAIRN_CONFIG_RECORD(file_entry, radio, "radio", &cairn_radio_schema, .fallback = "{}"),
    CAIRN_CONFIG_LIST(file_entry, areas, area_count, "areas", &cairn_area_item, CAIRN_FENCES_MAX, .fallback = "[]"),
    CAIRN_CONFIG_LIST(file_entry, actions, action_count, "operator", &cairn_script_item, CAIRN_SCRIPT_ACTIONS_MAX,
                      .fallback = "[]"),
    CAIRN_CONFIG_LIST(file_entry, events, event_count, "events", &cairn_event_item, CAIRN_MISSION_EVENTS_MAX,
                      .fallback = "[]"),
};
static const cairn_config_schema mission_schema = CAIRN_CONFIG_SCHEMA(file_entry, mission_fields);

// "../robots/emu.yaml" and number 2 make "emu2".
static void name_after_file(const char *file, uint32_t number, char *ret_name, size_t name_bytes_max)
{
    const char *slash = strrchr(file, '/');
    const char *stem = slash != NULL ? slash + 1 : file;
    const size_t length = strcspn(stem, ".");
    (void)snprintf(ret_name, name_bytes_max, "%.*s%u", (int)(length < 24 ? length : 24), stem, number);
}

static bool used_before(const cairn_mission_robot *robots, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(robots[i].name, name) == 0) { return true; }
    }
    return false;
}

static cairn_err convert_robot(const char *path, const file_entry *entry, uint32_t index, cairn_complaints *complaints,
                               cairn_mission_robot *robots)
{
    const robot_entry *from = &entry->robots[index];
    cairn_mission_robot *to = &robots[index];
    to->mode = (cairn_mode)from->mode;
    to->line = from->line;
    if (from->name[0] == '\0') {
        name_after_file(from->file, index + 1, to->name, sizeof to->name);
    } else {
        memcpy(to->name, from->name, sizeof to->name);
    }
    if (to->mode == CAIRN_MODE_STOPPED) {
        cairn_complain(complaints, path, from->line,
                       "robots[%u].mode: a robot cannot begin stopped; write idle, and stop it by a stop", index);
    }
    if (used_before(robots, index, to->name)) {
        cairn_complain(complaints, path, from->line, "robots[%u].name: another robot is named %s too", index, to->name);
    }
    return cairn_config_resolve(path, from->file, to->file, sizeof to->file);
}

// How long it lasts is said in one of two ways.
static cairn_err convert_time(const char *path, const file_entry *entry, cairn_arena *memory,
                              cairn_complaints *complaints, cairn_mission_file *mission)
{
    mission->duration_s = entry->duration_s;
    mission->home_at_s = entry->home_at_s;
    mission->phase_count = entry->phase_count;
    if (entry->phase_count > 0) {
        const cairn_err err =
            cairn_phases_convert(path, entry->phases, entry->phase_count, memory, complaints, &mission->phases);
        if (err != CAIRN_OK) { return err; }
        mission->duration_s = mission->phases[entry->phase_count - 1].to_s;
    }
    if (entry->phase_count > 0 && entry->duration_s != NOT_GIVEN_S) {
        cairn_complain(complaints, path, 0, "duration_s: the phases say how long it lasts (%g s); remove it",
                       mission->duration_s);
    }
    if (mission->duration_s == NOT_GIVEN_S) {
        cairn_complain(complaints, path, 0, "duration_s: missing; it is the simulated time at most; or write phases");
    } else if (mission->duration_s < 1) {
        cairn_complain(complaints, path, 0, "duration_s: found %g; expected 1 to 86400 s", mission->duration_s);
    }
    if (mission->home_at_s > 0 && mission->home_at_s >= mission->duration_s) {
        cairn_complain(complaints, path, 0, "home_at_s: found %g; the mission is over after %g s", mission->home_at_s,
                       mission->duration_s);
    }
    return CAIRN_OK;
}

static cairn_err convert(const char *path, const file_entry *entry, cairn_arena *memory, cairn_complaints *complaints,
                         cairn_mission_file *ret_mission)
{
    const uint32_t complaint_count = complaints->count;
    cairn_mission_file mission = {.end_when_done = entry->end_when_done,
                                  .robot_count = entry->robot_count,
                                  .robots = CAIRN_TAKE(memory, cairn_mission_robot, entry->robot_count),
                                  .journal = entry->journal,
                                  .event_count = entry->event_count};
    if (mission.robots == NULL) {
        cairn_complain(complaints, path, 0, "no memory left for %u robots", entry->robot_count);
        return CAIRN_ERR_FULL;
    }
    memcpy(mission.name, entry->name, sizeof mission.name);
    (void)snprintf(mission.physics, sizeof mission.physics, "%s", physics_words[entry->physics]);
    cairn_err err = cairn_config_resolve(path, entry->arena, mission.arena_file, sizeof mission.arena_file);
    for (uint32_t i = 0; i < entry->robot_count && err == CAIRN_OK; i++) {
        err = convert_robot(path, entry, i, complaints, mission.robots);
    }
    if (err != CAIRN_OK) {
        cairn_complain(complaints, path, 0, "paths are too long: at most %d bytes", CAIRN_MISSION_PATH_BYTES - 1);
        return err;
    }
    mission.radio = cairn_radio_convert(path, &entry->radio, complaints);
    err = convert_time(path, entry, memory, complaints, &mission);
    if (err == CAIRN_OK) {
        err = cairn_areas_convert(path, entry->areas, entry->area_count, complaints, &mission.areas);
    }
    if (err == CAIRN_OK) {
        err = cairn_script_convert(path, entry->actions, entry->action_count, &mission, memory, complaints);
    }
    if (err == CAIRN_OK) {
        err = cairn_events_convert(path, entry->events, entry->event_count, &mission, memory, complaints,
                                   &mission.events);
    }
    if (err == CAIRN_OK && complaints->count > complaint_count) { err = CAIRN_ERR_INVALID; }
    if (err == CAIRN_OK) { *ret_mission = mission; }
    return err;
}

// What was taken is given back when it was for nothing.
static cairn_err end_reading(const char *path, cairn_err err, const file_entry *entry, size_t mark, cairn_arena *memory,
                             cairn_complaints *complaints, cairn_mission_file *ret_mission)
{
    if (err == CAIRN_OK) { err = convert(path, entry, memory, complaints, ret_mission); }
    if (err != CAIRN_OK) { cairn_arena_reset(memory, mark); }
    return err;
}

cairn_err cairn_mission_file_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                                  cairn_mission_file *ret_mission)
{
    CAIRN_ASSERT(path != NULL && memory != NULL && complaints != NULL && ret_mission != NULL);
    const size_t mark = cairn_arena_mark(memory);
    file_entry entry;
    const cairn_err err = cairn_config_read(path, &mission_schema, memory, complaints, &entry);
    return end_reading(path, err, &entry, mark, memory, complaints, ret_mission);
}

cairn_err cairn_mission_file_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                   cairn_arena *memory, cairn_complaints *complaints, cairn_mission_file *ret_mission)
{
    CAIRN_ASSERT(bytes != NULL && memory != NULL && complaints != NULL && ret_mission != NULL);
    const size_t mark = cairn_arena_mark(memory);
    file_entry entry;
    const cairn_err err =
        cairn_config_parse(bytes, size_bytes, name_for_errors, &mission_schema, memory, complaints, &entry);
    return end_reading(name_for_errors, err, &entry, mark, memory, complaints, ret_mission);
}
