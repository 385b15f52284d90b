// script_file.h - the `operator` section of a mission file: read by the file's schema, then checked against the
// mission.
#pragma once
#include "base/config/config.h"
#include "sim/mission/file/mission_file.h"

// One action as it is written. What is not given: empty text, x_m and y_m at the lower end of their range, otherwise 0.
typedef struct cairn_script_entry {
    uint32_t line;
    double at_s, for_s;
    uint32_t verb;
    char robot[32], mode[32], guard[32];
    double x_m, y_m, forward, turn;
} cairn_script_entry;

extern const cairn_config_field cairn_script_item; // of the list of entries

// Names become numbers; the actions are sorted by time, those of one moment stay in the file's order. Each verb takes
// exactly its own keys. The mission's home_at_s adds one action for each robot. Complains of all that is wrong, with
// lines. The mission has its robots, its duration and home_at_s, and gets its actions. CAIRN_ERR_INVALID, or FULL if
// the arena is too small; the mission is then unchanged.
CAIRN_CHECKED cairn_err cairn_script_convert(const char *path, const cairn_script_entry *entries, uint32_t count,
                                             cairn_mission_file *mission, cairn_arena *memory,
                                             cairn_complaints *complaints);
