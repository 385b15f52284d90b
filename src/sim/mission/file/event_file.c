#include "sim/mission/file/event_file.h"
#include "sim/world.h"
#include <stdio.h>
#include <string.h>

#define DAY_S 86400
#define LIFT_S_MIN 1.0

const char *const cairn_event_words[CAIRN_EVENT_COUNT + 1] = {
    [CAIRN_EVENT_OPEN] = "open",   [CAIRN_EVENT_CLOSE] = "close",   [CAIRN_EVENT_AFTERSHOCK] = "aftershock",
    [CAIRN_EVENT_KILL] = "kill",   [CAIRN_EVENT_REBOOT] = "reboot", [CAIRN_EVENT_FAIL] = "fail",
    [CAIRN_EVENT_PRESS] = "press", [CAIRN_EVENT_LIFT] = "lift"};

static const cairn_config_field phase_fields[] = {
    CAIRN_CONFIG_LINE(cairn_phase_entry, line),
    CAIRN_CONFIG_TEXT(cairn_phase_entry, name, "name", .help = "shown in scores"),
    CAIRN_CONFIG_REAL(cairn_phase_entry, for_s, "for_s", "s", 1, DAY_S, .help = "how long it lasts"),
};
static const cairn_config_schema phase_schema = CAIRN_CONFIG_SCHEMA(cairn_phase_entry, phase_fields);
const cairn_config_field cairn_phase_item = CAIRN_CONFIG_ITEM_RECORD(cairn_phase_entry, &phase_schema);

// Their ranges are checked with the failure that they belong to, in the same words for all.
#define FIGURE(figure, key, unit)                                                                                      \
    CAIRN_CONFIG_REAL(cairn_event_entry, figures[figure], key, unit, -1e6, 1e6, .fallback = "0")
static const cairn_config_field event_fields[] = {
    CAIRN_CONFIG_LINE(cairn_event_entry, line),
    CAIRN_CONFIG_REAL(cairn_event_entry, at_s, "at_s", "s", 0, DAY_S, .help = "when, since the mission's start"),
    CAIRN_CONFIG_CHOICE(cairn_event_entry, kind, "do", cairn_event_words, .help = "what happens"),
    CAIRN_CONFIG_TEXT(cairn_event_entry, robot, "robot", .fallback = ""),
    CAIRN_CONFIG_TEXT(cairn_event_entry, door, "door", .fallback = ""),
    CAIRN_CONFIG_TEXT(cairn_event_entry, sensor, "sensor", .fallback = ""),
    CAIRN_CONFIG_REAL(cairn_event_entry, strength_mps, "strength_mps", "m/s", 0, 5, .fallback = "0"),
    CAIRN_CONFIG_REAL(cairn_event_entry, for_s, "for_s", "s", 0, DAY_S, .fallback = "0"),
    CAIRN_CONFIG_REAL(cairn_event_entry, height_m, "height_m", "m", 0, CAIRN_LIFT_M_MAX, .fallback = "0"),
    CAIRN_CONFIG_REAL(cairn_event_entry, move_x_m, "move_x_m", "m", -1000, 1000, .fallback = "0"),
    CAIRN_CONFIG_REAL(cairn_event_entry, move_y_m, "move_y_m", "m", -1000, 1000, .fallback = "0"),
    CAIRN_CONFIG_TEXT(cairn_event_entry, how, "how", .fallback = ""),
    CAIRN_CONFIG_TEXT(cairn_event_entry, part, "part", .fallback = ""),
    FIGURE(CAIRN_FAILURE_BY_M, "by_m", "m"),
    FIGURE(CAIRN_FAILURE_BY_K, "by_k", "K"),
    FIGURE(CAIRN_FAILURE_BY_DEGPS, "by_degps", "degrees/s"),
    FIGURE(CAIRN_FAILURE_BY_MPS2, "by_mps2", "m/s2"),
    FIGURE(CAIRN_FAILURE_BY_PCT, "by_pct", "%"),
    FIGURE(CAIRN_FAILURE_BY_TICKS, "by_ticks", "ticks"),
    FIGURE(CAIRN_FAILURE_BY_V, "by_v", "V"),
    FIGURE(CAIRN_FAILURE_BY_UT, "by_ut", "uT"),
    FIGURE(CAIRN_FAILURE_BY_PA, "by_pa", "Pa"),
    FIGURE(CAIRN_FAILURE_AT_M, "at_m", "m"),
    FIGURE(CAIRN_FAILURE_AT_C, "at_c", "C"),
    FIGURE(CAIRN_FAILURE_LATE_S, "late_s", "s"),
};
#undef FIGURE
static const cairn_config_schema event_schema = CAIRN_CONFIG_SCHEMA(cairn_event_entry, event_fields);
const cairn_config_field cairn_event_item = CAIRN_CONFIG_ITEM_RECORD(cairn_event_entry, &event_schema);

// ---- phases

static void check_phase(const char *path, const cairn_phase_entry *entries, uint32_t at, cairn_complaints *complaints)
{
    for (uint32_t i = 0; i < at; i++) {
        if (strcmp(entries[i].name, entries[at].name) == 0) {
            cairn_complain(complaints, path, entries[at].line, "phases[%u].name: another phase is named %s too", at,
                           entries[at].name);
            return;
        }
    }
}

cairn_err cairn_phases_convert(const char *path, const cairn_phase_entry *entries, uint32_t count, cairn_arena *memory,
                               cairn_complaints *complaints, cairn_mission_phase **ret_phases)
{
    CAIRN_ASSERT(count <= CAIRN_MISSION_PHASES_MAX);
    const uint32_t complaint_count = complaints->count;
    cairn_mission_phase *phases = CAIRN_TAKE(memory, cairn_mission_phase, count);
    if (count > 0 && phases == NULL) {
        cairn_complain(complaints, path, 0, "no memory left for %u phases", count);
        return CAIRN_ERR_FULL;
    }
    double from_s = 0;
    for (uint32_t i = 0; i < count; i++) {
        check_phase(path, entries, i, complaints);
        phases[i] = (cairn_mission_phase){.from_s = from_s, .to_s = from_s + entries[i].for_s};
        memcpy(phases[i].name, entries[i].name, sizeof phases[i].name);
        from_s = phases[i].to_s;
    }
    if (from_s > DAY_S) {
        cairn_complain(complaints, path, entries[count - 1].line, "phases: %g s in all; expected at most %d s", from_s,
                       DAY_S);
    }
    if (complaints->count > complaint_count) { return CAIRN_ERR_INVALID; }
    *ret_phases = phases;
    return CAIRN_OK;
}

// ---- events

enum {
    ROBOT = 1,
    DOOR = 2,
    SENSOR = 4,
    STRENGTH = 8,
    FOR = 16,
    HOW = 32,
    PART = 64,
    FIGURE = 128,
    HEIGHT = 256,
    MOVE = 512
};

static const struct key_rule {
    uint32_t bit;
    const char *key, *help;
} key_rules[] = {
    {ROBOT, "robot", "the name of a robot of this mission"},
    {DOOR, "door", "the name of a door of the arena"},
    {SENSOR, "sensor", "a sensor, such as laser"},
    {STRENGTH, "strength_mps", "how hard loose blocks are pushed, more than 0 m/s"},
    {FOR, "for_s", "how long it lasts, more than 0 s"},
    {HOW, "how", "a way to fail, such as frozen"},
    {PART, "part", "a part of a sensor"},
    {FIGURE, "by_ and the like", "how much"},
    {HEIGHT, "height_m", "how high, more than 0 m"},
    {MOVE, "move_x_m and move_y_m", "how far"},
};

static const struct kind_rule {
    uint32_t needed, allowed;
} kind_rules[CAIRN_EVENT_COUNT] = {
    [CAIRN_EVENT_OPEN] = {DOOR, DOOR},
    [CAIRN_EVENT_CLOSE] = {DOOR, DOOR},
    [CAIRN_EVENT_AFTERSHOCK] = {STRENGTH, STRENGTH},
    [CAIRN_EVENT_KILL] = {ROBOT, ROBOT},
    [CAIRN_EVENT_REBOOT] = {FOR, FOR},
    [CAIRN_EVENT_PRESS] = {ROBOT, ROBOT | FOR},
    [CAIRN_EVENT_LIFT] = {ROBOT | FOR | HEIGHT, ROBOT | FOR | HEIGHT | MOVE},
    [CAIRN_EVENT_FAIL] = {ROBOT | SENSOR, ROBOT | SENSOR | FOR | HOW | PART | FIGURE},
};

typedef struct event_reader {
    const char *path;
    const cairn_mission_file *mission;
    cairn_complaints *complaints;
} event_reader;

static uint32_t given_figures(const cairn_event_entry *entry)
{
    uint32_t given = 0;
    for (uint32_t i = 1; i < CAIRN_FAILURE_FIGURE_COUNT; i++) { given |= entry->figures[i] != 0 ? 1u << i : 0; }
    return given;
}

static uint32_t given_keys(const cairn_event_entry *entry)
{
    return (entry->robot[0] != '\0' ? ROBOT : 0u) | (entry->door[0] != '\0' ? DOOR : 0u) |
           (entry->sensor[0] != '\0' ? SENSOR : 0u) | (entry->strength_mps > 0 ? STRENGTH : 0u) |
           (entry->for_s > 0 ? FOR : 0u) | (entry->how[0] != '\0' ? HOW : 0u) | (entry->part[0] != '\0' ? PART : 0u) |
           (given_figures(entry) != 0 ? FIGURE : 0u) | (entry->height_m > 0 ? HEIGHT : 0u) |
           (entry->move_x_m != 0 || entry->move_y_m != 0 ? MOVE : 0u);
}

static void check_keys(const event_reader *reader, const cairn_event_entry *entry, uint32_t at)
{
    const uint32_t given = given_keys(entry);
    for (size_t i = 0; i < sizeof key_rules / sizeof key_rules[0]; i++) {
        const struct key_rule *rule = &key_rules[i];
        if (kind_rules[entry->kind].needed & ~given & rule->bit) {
            cairn_complain(reader->complaints, reader->path, entry->line, "events[%u].%s: missing; %s wants %s", at,
                           rule->key, cairn_event_words[entry->kind], rule->help);
        }
        if (given & ~kind_rules[entry->kind].allowed & rule->bit) {
            cairn_complain(reader->complaints, reader->path, entry->line, "events[%u].%s: %s takes none; remove it", at,
                           rule->key, cairn_event_words[entry->kind]);
        }
    }
    if (entry->kind == CAIRN_EVENT_LIFT && entry->for_s > 0 && entry->for_s < LIFT_S_MIN) {
        cairn_complain(reader->complaints, reader->path, entry->line,
                       "events[%u].for_s: found %g; lift takes at least %g s", at, entry->for_s, LIFT_S_MIN);
    }
    if (entry->at_s >= reader->mission->duration_s) {
        cairn_complain(reader->complaints, reader->path, entry->line,
                       "events[%u].at_s: found %g; the mission is over after %g s", at, entry->at_s,
                       reader->mission->duration_s);
    }
}

static uint32_t robot_index(const event_reader *reader, const cairn_event_entry *entry, uint32_t at)
{
    if (entry->robot[0] == '\0') { return 0; }
    for (uint32_t i = 0; i < reader->mission->robot_count; i++) {
        if (strcmp(reader->mission->robots[i].name, entry->robot) == 0) { return i; }
    }
    cairn_complain(reader->complaints, reader->path, entry->line,
                   "events[%u].robot: found %s; expected the name of a robot of this mission, such as %s", at,
                   entry->robot, reader->mission->robots[0].name);
    return 0;
}

static cairn_sensor sensor_number(const event_reader *reader, const cairn_event_entry *entry, uint32_t at)
{
    if (entry->sensor[0] == '\0') { return (cairn_sensor)0; }
    for (int i = 0; i < CAIRN_SENSOR_COUNT; i++) {
        if (strcmp(cairn_sensor_names[i], entry->sensor) == 0) { return (cairn_sensor)i; }
    }
    cairn_complain(reader->complaints, reader->path, entry->line,
                   "events[%u].sensor: found %s; expected a sensor, such as %s", at, entry->sensor,
                   cairn_sensor_names[CAIRN_SENSOR_LASER]);
    return (cairn_sensor)0;
}

static uint32_t word_index(const char *const *words, const char *word)
{
    uint32_t at = 0;
    while (words[at] != NULL && strcmp(words[at], word) != 0) { at++; }
    return at;
}

// "by_m or by_k": which of the figures a failure takes.
static void list_words(const char *const *words, char *ret_text, size_t text_bytes)
{
    CAIRN_ASSERT(words != NULL && text_bytes > 0);
    size_t used = 0;
    ret_text[0] = '\0';
    for (uint32_t i = 0; words[i] != NULL && used < text_bytes; i++) {
        const char *between = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        const int length = snprintf(ret_text + used, text_bytes - used, "%s%s", between, words[i]);
        used += (size_t)length;
    }
}

static void list_figures(uint32_t figures, char *ret_text, size_t text_bytes)
{
    CAIRN_ASSERT(ret_text != NULL && text_bytes > 0);
    const char *words[CAIRN_FAILURE_FIGURE_COUNT + 1] = {NULL};
    uint32_t count = 0;
    for (uint32_t i = 1; i < CAIRN_FAILURE_FIGURE_COUNT; i++) {
        if (figures >> i & 1) { words[count++] = cairn_failure_keys[i].key; }
    }
    list_words(words, ret_text, text_bytes);
}

// What is being read: an event that makes a sensor fail in some way.
typedef struct failure_reader {
    const event_reader *reader;
    const cairn_event_entry *entry;
    uint32_t at;
    const cairn_failure_rule *rule;
    const char *what; // "a frozen laser"
} failure_reader;

static void refuse(const failure_reader *read, const char *key, const char *words, const char *expected)
{
    cairn_complain(read->reader->complaints, read->reader->path, read->entry->line, "events[%u].%s: %s %s%s", read->at,
                   key, read->what, words, expected);
}

static void read_figure(const failure_reader *read, cairn_failure *ret_failure)
{
    char expected[128];
    const uint32_t given = given_figures(read->entry);
    list_figures(read->rule->figures, expected, sizeof expected);
    for (uint32_t i = 1; i < CAIRN_FAILURE_FIGURE_COUNT; i++) {
        const cairn_failure_key *key = &cairn_failure_keys[i];
        if (!(given >> i & 1)) { continue; }
        if (!(read->rule->figures >> i & 1) || ret_failure->figure != CAIRN_FAILURE_NO_FIGURE) {
            refuse(read, key->key,
                   read->rule->figures == 0 ? "takes no figure; remove it" : "takes one of: ", expected);
            continue;
        }
        ret_failure->figure = i;
        ret_failure->amount = read->entry->figures[i];
        if (ret_failure->amount >= key->min && ret_failure->amount <= key->max) { continue; }
        char range[96];
        (void)snprintf(range, sizeof range, "%g to %g %s; found %g", key->min, key->max, key->unit,
                       ret_failure->amount);
        refuse(read, key->key, "takes ", range);
    }
    if (read->rule->figures != 0 && ret_failure->figure == CAIRN_FAILURE_NO_FIGURE) {
        refuse(read, "how", "needs ", expected);
    }
}

static void read_part(const failure_reader *read, cairn_failure *ret_failure)
{
    const char *part = read->entry->part;
    char expected[128] = "";
    if (read->rule->parts == NULL) {
        if (part[0] != '\0') { refuse(read, "part", "takes no part; remove ", part); }
        return;
    }
    list_words(read->rule->parts, expected, sizeof expected);
    ret_failure->part = word_index(read->rule->parts, part);
    if (read->rule->parts[ret_failure->part] == NULL) { refuse(read, "part", "needs a part: ", expected); }
}

static cairn_failure read_failure(const event_reader *reader, const cairn_event_entry *entry, uint32_t at,
                                  cairn_sensor sensor)
{
    cairn_failure failure = {.way = CAIRN_FAILURE_SILENT};
    if (entry->how[0] != '\0') { failure.way = word_index(cairn_failure_words, entry->how); }
    if (failure.way == CAIRN_FAILURE_WAY_COUNT) {
        char expected[128];
        list_words(cairn_failure_words, expected, sizeof expected);
        cairn_complain(reader->complaints, reader->path, entry->line, "events[%u].how: found %s; expected %s", at,
                       entry->how, expected);
        return (cairn_failure){0};
    }
    char what[64];
    (void)snprintf(what, sizeof what, "%s %s", cairn_failure_words[failure.way], cairn_sensor_names[sensor]);
    const failure_reader read = {.reader = reader,
                                 .entry = entry,
                                 .at = at,
                                 .rule = cairn_failure_rule_of(sensor, (cairn_failure_way)failure.way),
                                 .what = what};
    if (!read.rule->possible) {
        refuse(&read, "how", "means nothing; ", "see docs/missions.md for what can fail how");
        return (cairn_failure){0};
    }
    read_figure(&read, &failure);
    read_part(&read, &failure);
    return failure;
}

static cairn_mission_event convert(const event_reader *reader, const cairn_event_entry *entry, uint32_t at)
{
    check_keys(reader, entry, at);
    cairn_mission_event event = {.kind = (cairn_event_kind)entry->kind,
                                 .at_s = entry->at_s,
                                 .for_s = entry->for_s,
                                 .line = entry->line,
                                 .robot = robot_index(reader, entry, at),
                                 .sensor = sensor_number(reader, entry, at),
                                 .strength_mps = entry->strength_mps,
                                 .height_m = entry->height_m,
                                 .move_m = {entry->move_x_m, entry->move_y_m}};
    memcpy(event.door_name, entry->door, sizeof event.door_name);
    if (event.kind == CAIRN_EVENT_FAIL) { event.failure = read_failure(reader, entry, at, event.sensor); }
    return event;
}

// By insertion: files are nearly in order, and those of one moment must stay in theirs.
static void insert(cairn_mission_event *sorted, uint32_t count, const cairn_mission_event *added)
{
    CAIRN_ASSERT(count < CAIRN_MISSION_EVENTS_MAX);
    for (; count > 0 && sorted[count - 1].at_s > added->at_s; count--) { sorted[count] = sorted[count - 1]; }
    sorted[count] = *added;
}

// A station that is down cannot go down.
static void check_reboots(const event_reader *reader, const cairn_mission_event *events, uint32_t count)
{
    double up_s = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (events[i].kind != CAIRN_EVENT_REBOOT) { continue; }
        if (events[i].at_s < up_s) {
            cairn_complain(reader->complaints, reader->path, events[i].line,
                           "events: the station reboots at %g s, but is still down until %g s", events[i].at_s, up_s);
        }
        up_s = events[i].at_s + events[i].for_s;
    }
}

static bool fails_until(const cairn_mission_event *event, const cairn_mission_event *later)
{
    return event->kind == CAIRN_EVENT_FAIL && event->robot == later->robot && event->sensor == later->sensor &&
           (event->for_s == 0 || later->at_s < event->at_s + event->for_s);
}

// Nor can a sensor fail that has failed: the end of the first failure would repair it.
static void check_failures(const event_reader *reader, const cairn_mission_event *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i && events[i].kind == CAIRN_EVENT_FAIL; k++) {
            if (!fails_until(&events[k], &events[i])) { continue; }
            cairn_complain(reader->complaints, reader->path, events[i].line,
                           "events: %s of %s fails at %g s, but does not work at that time",
                           cairn_sensor_names[events[i].sensor], reader->mission->robots[events[i].robot].name,
                           events[i].at_s);
            break;
        }
    }
}

cairn_err cairn_events_convert(const char *path, const cairn_event_entry *entries, uint32_t count,
                               const cairn_mission_file *mission, cairn_arena *memory, cairn_complaints *complaints,
                               cairn_mission_event **ret_events)
{
    CAIRN_ASSERT(count <= CAIRN_MISSION_EVENTS_MAX && mission->robot_count > 0);
    const uint32_t complaint_count = complaints->count;
    cairn_mission_event *events = CAIRN_TAKE(memory, cairn_mission_event, count);
    if (count > 0 && events == NULL) {
        cairn_complain(complaints, path, 0, "no memory left for %u events", count);
        return CAIRN_ERR_FULL;
    }
    const event_reader reader = {path, mission, complaints};
    for (uint32_t i = 0; i < count; i++) {
        const cairn_mission_event event = convert(&reader, &entries[i], i);
        insert(events, i, &event);
    }
    if (complaints->count == complaint_count) { // or they would be about robots that are not meant
        check_reboots(&reader, events, count);
        check_failures(&reader, events, count);
    }
    if (complaints->count > complaint_count) { return CAIRN_ERR_INVALID; }
    *ret_events = events;
    return CAIRN_OK;
}

// ---- against arena and robots

static void tie_door(const char *path, const cairn_sim_arena *arena, cairn_complaints *complaints,
                     cairn_mission_event *event)
{
    for (uint32_t i = 0; i < arena->door_count; i++) {
        if (strcmp(arena->doors[i].name, event->door_name) != 0) { continue; }
        event->door = i;
        return;
    }
    if (arena->door_count == 0) {
        cairn_complain(complaints, path, event->line, "events: door %s: arena %s has no doors", event->door_name,
                       arena->name);
    } else {
        cairn_complain(complaints, path, event->line, "events: found door %s; expected a door of arena %s, such as %s",
                       event->door_name, arena->name, arena->doors[0].name);
    }
}

static bool has_sensor(const cairn_body_description *robot, cairn_sensor sensor)
{
    switch (sensor) {
    case CAIRN_SENSOR_ENCODERS: return robot->encoders.offered;
    case CAIRN_SENSOR_IMU: return robot->imu.offered;
    case CAIRN_SENSOR_BUMPER: return robot->bumper_offered;
    case CAIRN_SENSOR_BATTERY: return robot->battery.offered;
    case CAIRN_SENSOR_LASER: return robot->laser.offered;
    case CAIRN_SENSOR_THERMAL: return robot->thermal.offered;
    case CAIRN_SENSOR_RANGE_IMAGE: return robot->range_imager.offered;
    case CAIRN_SENSOR_RANGES: return robot->range_sensor_count > 0;
    case CAIRN_SENSOR_GPS: return robot->gps.offered;
    case CAIRN_SENSOR_MAGNETOMETER: return robot->magnetometer.offered;
    case CAIRN_SENSOR_BAROMETER: return robot->barometer.offered;
    case CAIRN_SENSOR_COUNT: break;
    }
    return false;
}

cairn_err cairn_events_tie(const char *path, const cairn_sim_arena *arena, const cairn_body_description *robots,
                           cairn_complaints *complaints, cairn_mission_file *mission)
{
    const uint32_t complaint_count = complaints->count;
    for (uint32_t i = 0; i < mission->event_count; i++) {
        cairn_mission_event *event = &mission->events[i];
        if (event->kind == CAIRN_EVENT_OPEN || event->kind == CAIRN_EVENT_CLOSE) {
            tie_door(path, arena, complaints, event);
        } else if (event->kind == CAIRN_EVENT_AFTERSHOCK && arena->block_count == 0) {
            cairn_complain(complaints, path, event->line,
                           "events: aftershock: nothing is loose in arena %s; add blocks", arena->name);
        } else if (event->kind == CAIRN_EVENT_PRESS && !robots[event->robot].stop_button_offered) {
            cairn_complain(complaints, path, event->line,
                           "events: press: %s has no stop button: stop_button in its file",
                           mission->robots[event->robot].name);
        } else if (event->kind == CAIRN_EVENT_FAIL && !has_sensor(&robots[event->robot], event->sensor)) {
            cairn_complain(complaints, path, event->line, "events: fail: %s has no %s",
                           mission->robots[event->robot].name, cairn_sensor_names[event->sensor]);
        }
    }
    return complaints->count > complaint_count ? CAIRN_ERR_INVALID : CAIRN_OK;
}
