// station.h - the ground station: fleet, atlas, victims, tasking, events and the operator's wishes behind its radio.
//
// What comes and goes are sealed datagrams, one box from all robots and one to each, and the operators' actions. In
// this room nothing knows whether a socket or a simulated medium carries them.
//
// Threads  One: all steps on the station's thread. Boxes may be filled and emptied by any.
#pragma once
#include "base/executor.h"
#include "base/inbox.h"
#include "base/log.h"
#include "body/description.h"
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

typedef struct cairn_station_def {
    uint32_t robot_count;
    cairn_station_robot_def robots[CAIRN_FLEET_MAX];
    cairn_link_def link; // of each robot; role, robot, key and random are filled in
    uint64_t seed;       // of the sessions' and challenges' chance; on a real station from the system
    cairn_raster_def raster;
    cairn_tasking_def tasking;
    cairn_log log;
    cairn_station_tap_fn tap; // NULL: nobody listens
    void *tap_context;        // borrowed
} cairn_station_def;

typedef struct cairn_station cairn_station;

cairn_station_def cairn_station_def_default(void);
CAIRN_CHECKED cairn_err cairn_station_create(const cairn_station_def *def, cairn_arena *arena,
                                             cairn_station **ret_station);
void cairn_station_finish(cairn_station *station); // accepts NULL

cairn_inbox *cairn_station_from_air(cairn_station *station);                  // datagrams of all robots
cairn_inbox *cairn_station_to_air(cairn_station *station, uint32_t robot_at); // datagrams to the robot with this index
cairn_inbox *cairn_station_operators(cairn_station *station);                 // cairn_operator_action, one a message
void cairn_station_register(cairn_station *station, cairn_executor *executor, uint32_t lane);

// For pictures, scores and pages; borrowed until the station's next step.
typedef struct cairn_station_view {
    const cairn_raster *raster;
    const cairn_atlas *atlas;
    const cairn_fleet *fleet;
    const cairn_victims *victims;
    const cairn_events *events;
    bool done;              // nothing is left to explore or to look at
    bool stop_all;          // a stop of all is latched: who joins now is stopped too
    uint32_t refused_count; // messages not understood or from nobody
    uint32_t action_count;  // of operators, taken; a drive without a pause of a second is one
} cairn_station_view;
void cairn_station_look(const cairn_station *station, cairn_station_view *ret_view);
