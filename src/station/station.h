// station.h - the ground station: fleet, atlas, victims, tasking, events and the operator's wishes behind its radio.
//
// What comes and goes are sealed datagrams, one box from all robots and one to each, and the operators' actions. In
// this room nothing knows whether a socket or a simulated medium carries them.
//
// The station is a function of its inputs. Each step first gathers them into a record (replay/inputs.h), then does what
// follows from the record alone: so a step can be done again from it, here or elsewhere, with the same result. The
// whole state can be saved as bytes, loaded, and hashed.
//
// Threads  One: all steps and calls on the station's thread. Boxes may be filled and emptied by any, and
//          cairn_station_tell may be called by any.
#pragma once
#include "base/executor.h"
#include "base/inbox.h"
#include "base/log.h"
#include "body/description.h"
#include "station/areas/areas.h"
#include "station/atlas/atlas.h"
#include "station/atlas/victims.h"
#include "station/events.h"
#include "station/fleet.h"
#include "station/operator/operator.h"
#include "station/tasking/tasking.h"

typedef struct cairn_station_robot_def {
    uint8_t id;
    const char *name;                          // borrowed: "emu1"
    cairn_pose2 map_T_start;                   // known start
    const cairn_body_description *description; // borrowed
    uint8_t mode;                              // ordered when it is first heard
    uint8_t key[CAIRN_LINK_KEY_BYTES];         // shared with it alone
} cairn_station_robot_def;

// Every radio message that is heard or sent, for the journal; on the station's thread.
typedef void (*cairn_station_tap_fn)(void *context, uint32_t robot_at, const cairn_radio_message *message,
                                     cairn_mono now);

// What came in, as bytes; borrowed for the call.
typedef struct cairn_station_record {
    uint64_t step;  // number of the step
    bool ends_step; // false: more records of the same step follow
    bool urgent;    // holds what a robot waits to see acknowledged, or an operator's action other than a key held
    bool asked;     // the latter
    const uint8_t *bytes;
    size_t size_bytes; // <= CAIRN_INPUTS_BYTES_MAX
} cairn_station_record;

// Called in each step, when the state has taken the record in and before anything leaves for the air.
typedef void (*cairn_station_record_fn)(void *context, const cairn_station_record *record);

typedef struct cairn_station_def {
    uint32_t robot_count;
    cairn_station_robot_def robots[CAIRN_FLEET_MAX];
    cairn_link_def link; // of each robot; role, robot, key and random are filled in
    uint64_t seed;       // of the sessions' and challenges' chance; on a real station from the system
    cairn_raster_def raster;
    cairn_places_def places; // how sure the known starts are, among others
    cairn_tasking_def tasking;
    cairn_log log;
    cairn_station_tap_fn tap;       // NULL: nobody listens
    void *tap_context;              // borrowed
    cairn_station_record_fn record; // NULL: nobody keeps the inputs
    void *record_context;           // borrowed
    bool hold_acks; // what robots say is acknowledged only when cairn_station_confirm has named its step
    bool mute;      // only for replay: no links, no boxes, no keys needed; cannot be registered
} cairn_station_def;

typedef struct cairn_station cairn_station;

cairn_station_def cairn_station_def_default(void);
size_t cairn_station_memory_bytes(const cairn_station_def *def); // an arena that a station of this def fits into
CAIRN_CHECKED cairn_err cairn_station_create(const cairn_station_def *def, cairn_arena *arena,
                                             cairn_station **ret_station);
void cairn_station_finish(cairn_station *station); // accepts NULL

cairn_inbox *cairn_station_from_air(cairn_station *station);                  // datagrams of all robots
cairn_inbox *cairn_station_to_air(cairn_station *station, uint32_t robot_at); // datagrams to the robot with this index
cairn_inbox *cairn_station_operators(cairn_station *station);                 // cairn_operator_action, one a message
void cairn_station_register(cairn_station *station, cairn_executor *executor, uint32_t lane);

// The same two steps, for whoever must be able to take another station's place: not while it is registered.
#define CAIRN_STATION_POST_NS CAIRN_MS(20)
#define CAIRN_STATION_TASKING_NS CAIRN_MS(200)
#define CAIRN_STATION_TASKING_OFFSET_NS CAIRN_MS(100)
void cairn_station_step_post(cairn_station *station, cairn_mono now);
void cairn_station_step_tasking(cairn_station *station, cairn_mono now);

// An event in the words of the program around the station (a disk is full, say). An input like any other: it is taken
// in with the next step. Any thread. CAIRN_ERR_FULL when too many wait.
CAIRN_CHECKED cairn_err cairn_station_tell(cairn_station *station, cairn_log_level level, const char *text);
// Where the team may be from the next step on: an input like any other, in place of what there was. Any thread.
// CAIRN_ERR_FULL when too many wait.
CAIRN_CHECKED cairn_err cairn_station_set_areas(cairn_station *station, const cairn_team_areas *areas);
// All records up to that step are safe: what the robots said in them is acknowledged with the next flush.
void cairn_station_confirm(cairn_station *station, uint64_t step);

// Takes one record in as the step that it was made by did; nothing is sent, tapped or recorded. Records must come in
// their order, without a gap, from the mission's first or from the one after a snapshot. CAIRN_ERR_CORRUPT: no record;
// CAIRN_ERR_UNSUPPORTED: of a newer version; CAIRN_ERR_INVALID: not the next one, or its time is before the last. The
// station is then unchanged. After replaying, a station that is not mute may go on live, if time does not go back.
CAIRN_CHECKED cairn_err cairn_station_replay(cairn_station *station, const uint8_t *record, size_t size_bytes);
uint64_t cairn_station_step(const cairn_station *station);   // number of the last whole step; 0: none yet
cairn_mono cairn_station_time(const cairn_station *station); // of the last step

// The whole state as bytes: all that a later step depends on, and nothing else. Between two steps only. The layout is a
// number more whenever a walk changes: snapshots of another layout are not read.
#define CAIRN_STATION_LAYOUT 6u
size_t cairn_station_save_bytes(const cairn_station *station);
// CAIRN_ERR_FULL when max is less than cairn_station_save_bytes.
CAIRN_CHECKED cairn_err cairn_station_save(const cairn_station *station, uint8_t *ret_bytes, size_t max,
                                           size_t *ret_size);
// Into a station that has not made a step yet. Nothing in the bytes is trusted. CAIRN_ERR_UNSUPPORTED: another layout;
// CAIRN_ERR_INVALID: of another setup; in both cases the station is unchanged. CAIRN_ERR_CORRUPT: the station is of no
// use any more, finish it.
CAIRN_CHECKED cairn_err cairn_station_load(cairn_station *station, const uint8_t *bytes, size_t size);

typedef struct cairn_station_hash {
    uint64_t state; // of the bytes that save would write
    uint64_t map;   // of the raster in them
} cairn_station_hash;
cairn_station_hash cairn_station_hashes(const cairn_station *station); // some ms, by how much is known

// For pictures, scores and pages; borrowed until the station's next step.
typedef struct cairn_station_view {
    const cairn_raster *raster;
    const cairn_atlas *atlas;
    const cairn_fleet *fleet;
    const cairn_victims *victims;
    const cairn_events *events;
    const cairn_team_areas *areas;
    bool done;              // nothing is left to explore or to look at
    bool stop_all;          // a stop of all is latched: who joins now is stopped too
    uint32_t refused_count; // messages not understood or from nobody
    uint32_t action_count;  // of operators, taken; a drive without a pause of a second is one
} cairn_station_view;
void cairn_station_look(const cairn_station *station, cairn_station_view *ret_view);
