// mission_event.h - what befalls a mission while it runs, and the phases that it is scored by.
//
// Plain data: event_file.h reads them, team.h carries them out, the score tells of them.
#pragma once
#include "base/status.h"
#include "body/frames.h"
#include "geometry/pose2.h"
#include "sim/senses/failure.h"

#define CAIRN_MISSION_EVENTS_MAX 256
#define CAIRN_MISSION_PHASES_MAX 16

typedef enum cairn_event_kind {
    CAIRN_EVENT_OPEN,       // a door
    CAIRN_EVENT_CLOSE,      // likewise
    CAIRN_EVENT_AFTERSHOCK, // every loose block is pushed
    CAIRN_EVENT_KILL,       // a robot's power is gone for ever
    CAIRN_EVENT_REBOOT,     // of the station: down for a while, then it goes on from what it had kept
    CAIRN_EVENT_FAIL,       // a sensor, in one of many ways
    CAIRN_EVENT_PRESS,      // the stop button of a robot
    CAIRN_EVENT_LIFT,       // somebody carries a robot
    CAIRN_EVENT_COUNT
} cairn_event_kind;

extern const char *const cairn_event_words[CAIRN_EVENT_COUNT + 1]; // "open", ...; ended by NULL

typedef struct cairn_mission_event {
    cairn_event_kind kind;
    double at_s;           // since the mission's start, >= 0
    double for_s;          // reboot, lift: > 0; fail, press: 0 means for ever
    uint32_t line;         // of the mission file, for complaints
    uint32_t robot;        // kill, fail, press, lift: index
    cairn_sensor sensor;   // fail
    cairn_failure failure; // likewise: how
    double strength_mps;   // aftershock
    double height_m;       // lift: > 0
    cairn_vec2 move_m;     // likewise: where to, from where it is, map axes
    uint32_t door;         // index in the arena's doors, once cairn_events_tie has found it
    char door_name[32];
} cairn_mission_event;

typedef struct cairn_mission_phase {
    char name[32];
    double from_s, to_s;
} cairn_mission_phase;
