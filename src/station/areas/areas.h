// areas.h - where the team may be: areas to keep in and out of, and telling them to each robot in its own frame.
//
// They are state: a robot's telemetry names the revision that it keeps to, and it is told again until that is the one
// it was told. It is told anew, as another revision, when the areas change, or when its frame has moved in the map so
// far that a corner lies elsewhere.
// Frame    map.
#pragma once
#include "planning/fences.h"
#include "station/events.h"
#include "station/fleet.h"
#include "station/voice.h"

#define CAIRN_AREA_NAME_BYTES 32

typedef struct cairn_team_areas {
    cairn_fences fences;
    char names[CAIRN_FENCES_MAX][CAIRN_AREA_NAME_BYTES]; // for people; readable
    uint32_t change_count;                               // how often they were changed
} cairn_team_areas;

// Takes these instead, and tells of it; nothing happens when they are the same. Their change_count is not looked at.
void cairn_areas_set(cairn_team_areas *areas, const cairn_team_areas *wanted, cairn_events *events, cairn_mono now);
// Tells whoever must be told. Cheap when nobody must.
void cairn_areas_step(const cairn_team_areas *areas, const cairn_voice *voice, cairn_events *events, cairn_mono now);
// Whether the robot keeps to what it was told last.
bool cairn_areas_agree(const cairn_fleet_robot *robot);
