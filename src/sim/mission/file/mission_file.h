// mission_file.h - what to do: an arena, robots, a physics, a time, a radio, a scripted operator and what befalls them,
// from a YAML file (missions/*.yaml).
//
// Paths in the file are relative to it; here they are ready to open. Robot i begins at start i of the arena.
// Memory   Lists lie in the memory arena given to read.
#pragma once
#include "base/memory.h"
#include "robot/modes.h"
#include "sim/medium/medium.h"
#include "sim/mission/mission_event.h"
#include "sim/mission/script.h"
#include "station/areas/areas.h"

#define CAIRN_MISSION_PATH_BYTES 512

typedef struct cairn_mission_robot {
    char name[32]; // "emu1"; unique in the mission
    char file[CAIRN_MISSION_PATH_BYTES];
    cairn_mode mode; // at the start
    uint32_t line;   // of the mission file, for complaints
} cairn_mission_robot;

// How much of the fast sensors is written down; everything else is written whole.
typedef struct cairn_mission_journal {
    double scan_hz;    // at most so many laser scans a second of each robot; 0 none
    double thermal_hz; // the same of thermal pictures
    double range_image_hz;
    double ranges_hz, gps_hz; // of sensors that no robot reads: computed for this only
} cairn_mission_journal;

typedef struct cairn_mission_file {
    char name[64];
    char arena_file[CAIRN_MISSION_PATH_BYTES];
    char physics[16];     // "planar" or "mujoco"
    double duration_s;    // of all phases
    uint32_t phase_count; // 0: one without a name
    cairn_mission_phase *phases;
    double home_at_s;   // then the operator sends every robot home; 0: never
    bool end_when_done; // end before duration_s when all is explored and every victim found
    uint32_t robot_count;
    cairn_mission_robot *robots;
    cairn_mission_journal journal;
    cairn_medium_radio radio;
    cairn_team_areas areas; // where the robots may be
    uint32_t action_count;
    cairn_mission_action *actions; // of the operator, sorted by time; robot i has the id i + 1
    uint32_t event_count;
    cairn_mission_event *events; // sorted by time; doors are found later, by cairn_events_tie
} cairn_mission_file;

// CAIRN_ERR_INVALID, IO, TOO_LARGE or FULL with all reasons in *complaints; *ret_mission is then untouched.
CAIRN_CHECKED cairn_err cairn_mission_file_read(const char *path, cairn_arena *memory, cairn_complaints *complaints,
                                                cairn_mission_file *ret_mission);
// The same from bytes in memory; paths in them are relative to that of `name_for_errors`.
CAIRN_CHECKED cairn_err cairn_mission_file_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                                 cairn_arena *memory, cairn_complaints *complaints,
                                                 cairn_mission_file *ret_mission);
