// station_parts.h - the inside of a station, for the files that make it up: station.c gathers what comes in, steps.c
// does what follows from it, align.c keeps the map true, replay/save.c keeps all of it.
#pragma once
#include "station/areas/areas.h"
#include "station/atlas/finder.h"
#include "station/atlas/revisits.h"
#include "station/command.h"
#include "station/operator/asked.h"
#include "station/post.h"
#include "station/replay/inputs.h"
#include "station/station.h"
#include "station/teammates.h"
#include "station/voice.h"

// Where a robot's camera was when it was last heard.
typedef struct cairn_station_look_at {
    bool known;
    cairn_mono at;
    cairn_pose2 map_T_camera;
} cairn_station_look_at;

#define CAIRN_WAITING_SIGHTINGS_MAX 32u // then the oldest goes

// Somebody was seen by a robot of which nobody knows where it is.
typedef struct cairn_waiting_sighting {
    cairn_msg_victim_seen seen;
    uint32_t place; // that it hangs on, apart
} cairn_waiting_sighting;

typedef struct cairn_station_waiting {
    uint32_t count;
    cairn_waiting_sighting sightings[CAIRN_WAITING_SIGHTINGS_MAX];
} cairn_station_waiting;

// All that a later step depends on; replay/save.c names every field of it.
typedef struct cairn_station_state {
    uint64_t step; // number of the last whole one
    cairn_mono at; // its time, or that of the part of the next one that was taken in
    cairn_fleet fleet;
    cairn_atlas atlas;
    cairn_station_look_at looks[CAIRN_FLEET_MAX];
    cairn_victims victims;
    cairn_station_waiting waiting;
    cairn_search search;
    cairn_tasking tasking;
    cairn_events events;
    cairn_command command;
    cairn_team_areas areas;
    cairn_actions actions;
    cairn_asked asked;
    cairn_teammates teammates;
    uint32_t refused_count; // messages of a kind that no robot says
} cairn_station_state;

struct cairn_station {
    cairn_station_def def;
    uint64_t setup_hash;
    cairn_station_state state;
    cairn_tasking_team team;  // what tasking and actions work with
    cairn_revisits *revisits; // has no state
    cairn_finder *finder;     // nor this: state.search
    cairn_voice voice;
    cairn_post *post; // NULL: mute
    cairn_inbox *operators, *told, *areas_given;
    cairn_inputs_writer inputs; // of the step that is being made
    bool urgent, asked;         // so are they
    uint64_t confirmed_step;
    uint32_t looked_count;       // steps of the post since the start, for looks at the links
    uint32_t misread_count;      // actions that were none
    cairn_radio_message message; // room for one
};

// Takes in a record that has been checked, and does what follows.
void cairn_station_take(cairn_station *station, const uint8_t *record, size_t size_bytes);

// Looks for closures, solves if there are new ones, and lets some of what hangs on places follow. Once a tasking step.
void cairn_station_align(cairn_station *station, cairn_mono now);
// Places a robot as its last place says, after that may have changed; its task is told again if need be.
void cairn_station_follow_frame(cairn_station *station, uint32_t robot_at, cairn_mono now);
// apart.c: a robot of which nobody knows where it is any more; its sightings until then; the search for it, once a
// tasking step.
void cairn_station_begin_apart(cairn_station *station, uint32_t robot_at, cairn_mono now);
void cairn_station_keep_sighting(cairn_station_state *state, const cairn_fleet_robot *robot,
                                 const cairn_msg_victim_seen *seen, cairn_mono now);
void cairn_station_seek(cairn_station *station, cairn_mono now);
void cairn_station_walk_waiting(cairn_archive *archive, cairn_station_state *state);
// A sighting by a robot, seen from there.
void cairn_station_take_sighting(cairn_station_state *state, const cairn_fleet_robot *robot,
                                 const cairn_msg_victim_seen *seen, cairn_seen_from from, cairn_mono now);
// Joins victims that have come to lie on each other, and tells of it.
void cairn_station_join_victims(cairn_station_state *state, cairn_mono now);
