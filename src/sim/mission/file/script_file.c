#include "sim/mission/file/script_file.h"
#include "robot/guard_names.h"
#include <string.h>

#define NOWHERE_M (-1000) // no arena is so large: stands for "not given"

static const char *const verb_words[] = {
    [CAIRN_DO_MODE] = "mode",         [CAIRN_DO_GO] = "go",     [CAIRN_DO_HOME] = "home",
    [CAIRN_DO_DRIVE] = "drive",       [CAIRN_DO_STOP] = "stop", [CAIRN_DO_RELEASE] = "release",
    [CAIRN_DO_OVERRIDE] = "override", [CAIRN_DO_COUNT] = NULL};

static const cairn_config_field entry_fields[] = {
    CAIRN_CONFIG_LINE(cairn_script_entry, line),
    CAIRN_CONFIG_REAL(cairn_script_entry, at_s, "at_s", "s", 0, 86400, .help = "when, since the mission's start"),
    CAIRN_CONFIG_CHOICE(cairn_script_entry, verb, "do", verb_words, .help = "what the operator does"),
    CAIRN_CONFIG_TEXT(cairn_script_entry, robot, "robot", .fallback = ""),
    CAIRN_CONFIG_TEXT(cairn_script_entry, mode, "mode", .fallback = ""),
    CAIRN_CONFIG_TEXT(cairn_script_entry, guard, "guard", .fallback = ""),
    CAIRN_CONFIG_REAL(cairn_script_entry, x_m, "x_m", "m", NOWHERE_M, 1000, .fallback = "-1000"),
    CAIRN_CONFIG_REAL(cairn_script_entry, y_m, "y_m", "m", NOWHERE_M, 1000, .fallback = "-1000"),
    CAIRN_CONFIG_REAL(cairn_script_entry, forward, "forward", NULL, -1, 1, .fallback = "0"),
    CAIRN_CONFIG_REAL(cairn_script_entry, turn, "turn", NULL, -1, 1, .fallback = "0"),
    CAIRN_CONFIG_REAL(cairn_script_entry, for_s, "for_s", "s", 0, 3600, .fallback = "0"),
};
static const cairn_config_schema entry_schema = CAIRN_CONFIG_SCHEMA(cairn_script_entry, entry_fields);
const cairn_config_field cairn_script_item = CAIRN_CONFIG_ITEM_RECORD(cairn_script_entry, &entry_schema);

enum { ROBOT = 1, MODE = 2, X = 4, Y = 8, FORWARD = 16, TURN = 32, FOR = 64, GUARD = 128 };

static const struct key_rule {
    uint32_t bit;
    const char *key, *help;
} key_rules[] = {
    {ROBOT, "robot", "the name of a robot of this mission"},
    {MODE, "mode", "any mode but stopped"},
    {X, "x_m", "where to, on the map"},
    {Y, "y_m", "where to, on the map"},
    {FORWARD, "forward", "-1 to 1 of the robot's speed"},
    {TURN, "turn", "-1 to 1, left positive"},
    {FOR, "for_s", "how long it is held, more than 0 s"},
    {GUARD, "guard", "the name of a guard, such as tilt"},
};

static const struct verb_rule {
    uint32_t needed, allowed;
} verb_rules[CAIRN_DO_COUNT] = {
    [CAIRN_DO_MODE] = {ROBOT | MODE, ROBOT | MODE},
    [CAIRN_DO_GO] = {ROBOT | X | Y, ROBOT | X | Y},
    [CAIRN_DO_HOME] = {ROBOT, ROBOT},
    [CAIRN_DO_DRIVE] = {ROBOT | FOR, ROBOT | FOR | FORWARD | TURN},
    [CAIRN_DO_STOP] = {0, ROBOT},
    [CAIRN_DO_RELEASE] = {0, ROBOT},
    [CAIRN_DO_OVERRIDE] = {ROBOT | GUARD | FOR, ROBOT | GUARD | FOR},
};

typedef struct script_reader {
    const char *path;
    const cairn_mission_file *mission;
    cairn_complaints *complaints;
} script_reader;

static uint32_t given_keys(const cairn_script_entry *entry)
{
    return (entry->robot[0] != '\0' ? ROBOT : 0u) | (entry->mode[0] != '\0' ? MODE : 0u) |
           (entry->x_m > NOWHERE_M ? X : 0u) | (entry->y_m > NOWHERE_M ? Y : 0u) |
           (entry->forward != 0 ? FORWARD : 0u) | (entry->turn != 0 ? TURN : 0u) | (entry->for_s > 0 ? FOR : 0u) |
           (entry->guard[0] != '\0' ? GUARD : 0u);
}

static void check_keys(const script_reader *reader, const cairn_script_entry *entry, uint32_t at)
{
    const uint32_t given = given_keys(entry);
    for (size_t i = 0; i < sizeof key_rules / sizeof key_rules[0]; i++) {
        const struct key_rule *rule = &key_rules[i];
        if (verb_rules[entry->verb].needed & ~given & rule->bit) {
            cairn_complain(reader->complaints, reader->path, entry->line, "operator[%u].%s: missing; %s wants %s", at,
                           rule->key, verb_words[entry->verb], rule->help);
        }
        if (given & ~verb_rules[entry->verb].allowed & rule->bit) {
            cairn_complain(reader->complaints, reader->path, entry->line, "operator[%u].%s: %s takes none; remove it",
                           at, rule->key, verb_words[entry->verb]);
        }
    }
}

// Robots are numbered from 1 in the mission's order.
static uint8_t robot_id(const script_reader *reader, const cairn_script_entry *entry, uint32_t at)
{
    if (entry->robot[0] == '\0') { return CAIRN_ALL_ROBOTS; }
    for (uint32_t i = 0; i < reader->mission->robot_count; i++) {
        if (strcmp(reader->mission->robots[i].name, entry->robot) == 0) { return (uint8_t)(i + 1); }
    }
    cairn_complain(reader->complaints, reader->path, entry->line,
                   "operator[%u].robot: found %s; expected the name of a robot of this mission, such as %s", at,
                   entry->robot, reader->mission->robots[0].name);
    return CAIRN_ALL_ROBOTS;
}

static uint8_t mode_number(const script_reader *reader, const cairn_script_entry *entry, uint32_t at)
{
    if (entry->mode[0] == '\0') { return 0; }
    for (int mode = CAIRN_MODE_STOPPED + 1; mode < CAIRN_MODE_COUNT; mode++) {
        if (strcmp(cairn_mode_names[mode], entry->mode) == 0) { return (uint8_t)mode; }
    }
    const bool stopped = strcmp(cairn_mode_names[CAIRN_MODE_STOPPED], entry->mode) == 0;
    cairn_complain(reader->complaints, reader->path, entry->line,
                   stopped ? "operator[%u].mode: found %s; no mode stops a robot, write do: stop"
                           : "operator[%u].mode: found %s; expected a mode, such as autonomous",
                   at, entry->mode);
    return 0;
}

// Those that nobody may override are the station's to refuse: missions try that, too.
static uint32_t guard_bit(const script_reader *reader, const cairn_script_entry *entry, uint32_t at)
{
    if (entry->guard[0] == '\0') { return 0; }
    for (unsigned bit = 0; bit < CAIRN_GUARD_BITS; bit++) {
        if (cairn_guard_name(bit) != NULL && strcmp(cairn_guard_name(bit), entry->guard) == 0) { return 1u << bit; }
    }
    cairn_complain(reader->complaints, reader->path, entry->line,
                   "operator[%u].guard: found %s; expected the name of a guard, such as tilt", at, entry->guard);
    return 0;
}

static cairn_mission_action convert(const script_reader *reader, const cairn_script_entry *entry, uint32_t at)
{
    check_keys(reader, entry, at);
    if (entry->at_s >= reader->mission->duration_s) {
        cairn_complain(reader->complaints, reader->path, entry->line,
                       "operator[%u].at_s: found %g; the mission is over after %g s", at, entry->at_s,
                       reader->mission->duration_s);
    }
    const bool drives = entry->verb == CAIRN_DO_DRIVE, goes = entry->verb == CAIRN_DO_GO;
    return (cairn_mission_action){.at_s = entry->at_s,
                                  .for_s = entry->for_s,
                                  .action = {.verb = (cairn_operator_verb)entry->verb,
                                             .robot = robot_id(reader, entry, at),
                                             .mode = mode_number(reader, entry, at),
                                             .to_m = goes ? (cairn_vec2){entry->x_m, entry->y_m} : (cairn_vec2){0, 0},
                                             .forward = entry->forward,
                                             .turn = entry->turn,
                                             .dead_man = drives,
                                             .guards = guard_bit(reader, entry, at)},
                                  .line = entry->line};
}

// By insertion: files are nearly in order, and those of one moment must stay in theirs.
static void insert(cairn_mission_action *sorted, uint32_t count, cairn_mission_action added)
{
    for (; count > 0 && sorted[count - 1].at_s > added.at_s; count--) { sorted[count] = sorted[count - 1]; }
    sorted[count] = added;
}

cairn_err cairn_script_convert(const char *path, const cairn_script_entry *entries, uint32_t count,
                               cairn_mission_file *mission, cairn_arena *memory, cairn_complaints *complaints)
{
    CAIRN_ASSERT(count <= CAIRN_SCRIPT_ACTIONS_MAX && mission->robot_count > 0);
    const uint32_t complaint_count = complaints->count;
    const uint32_t home_count = mission->home_at_s > 0 ? mission->robot_count : 0;
    cairn_mission_action *actions = CAIRN_TAKE(memory, cairn_mission_action, count + home_count);
    if (count + home_count > 0 && actions == NULL) {
        cairn_complain(complaints, path, 0, "no memory left for %u actions", count);
        return CAIRN_ERR_FULL;
    }
    const script_reader reader = {path, mission, complaints};
    for (uint32_t i = 0; i < count; i++) { insert(actions, i, convert(&reader, &entries[i], i)); }
    for (uint32_t i = 0; i < home_count; i++) {
        const cairn_mission_action home = {.at_s = mission->home_at_s,
                                           .action = {.verb = CAIRN_DO_HOME, .robot = (uint8_t)(i + 1)}};
        insert(actions, count + i, home);
    }
    if (complaints->count > complaint_count) { return CAIRN_ERR_INVALID; }
    mission->actions = actions;
    mission->action_count = count + home_count;
    return CAIRN_OK;
}
