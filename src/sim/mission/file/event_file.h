// event_file.h - the `phases` and `events` sections of a mission file: read by the file's schema, then checked against
// the mission, and against the arena and the robots once those are read.
#pragma once
#include "base/config/config.h"
#include "body/description.h"
#include "sim/arena/arena.h"
#include "sim/mission/file/mission_file.h"

// One event as it is written. What is not given: empty text, otherwise 0.
typedef struct cairn_event_entry {
    uint32_t line;
    double at_s, for_s, strength_mps, height_m, move_x_m, move_y_m;
    uint32_t kind;
    char robot[32], door[32], sensor[32], how[32], part[32];
    double figures[CAIRN_FAILURE_FIGURE_COUNT]; // by cairn_failure_figure
} cairn_event_entry;

typedef struct cairn_phase_entry {
    uint32_t line;
    char name[32];
    double for_s;
} cairn_phase_entry;

extern const cairn_config_field cairn_event_item, cairn_phase_item; // of the lists of entries

// The phases follow each other from the start. Complains of names given twice and of more than a day in all.
// CAIRN_ERR_INVALID, or FULL if the arena is too small; *ret_phases is then untouched.
CAIRN_CHECKED cairn_err cairn_phases_convert(const char *path, const cairn_phase_entry *entries, uint32_t count,
                                             cairn_arena *memory, cairn_complaints *complaints,
                                             cairn_mission_phase **ret_phases);
// Names of robots and sensors become numbers; the events are sorted by time, those of one moment stay in the file's
// order. Each kind takes exactly its own keys. Complains of all that is wrong, with lines. The mission has its robots
// and its duration. CAIRN_ERR_INVALID, or FULL if the arena is too small; *ret_events is then untouched.
CAIRN_CHECKED cairn_err cairn_events_convert(const char *path, const cairn_event_entry *entries, uint32_t count,
                                             const cairn_mission_file *mission, cairn_arena *memory,
                                             cairn_complaints *complaints, cairn_mission_event **ret_events);
// Finds the doors in the arena, and complains of those it does not have, of aftershocks where nothing is loose, and of
// sensors that a robot does not have. robots: one description for each of the mission's. CAIRN_ERR_INVALID.
CAIRN_CHECKED cairn_err cairn_events_tie(const char *path, const cairn_sim_arena *arena,
                                         const cairn_body_description *robots, cairn_complaints *complaints,
                                         cairn_mission_file *mission);
