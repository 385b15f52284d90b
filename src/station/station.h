// station.h - the ground station: fleet, atlas, victims and tasking behind one inbox.
//
// Everything that enters or leaves is a radio message. In this room nothing knows whether a radio or a simulation
// carries it.
// Threads  One: all steps on the station's thread.
#pragma once
#include "base/executor.h"
#include "base/inbox.h"
#include "base/log.h"
#include "body/description.h"
#include "station/atlas.h"
#include "station/fleet.h"
#include "station/tasking.h"
#include "station/victims.h"

typedef struct cairn_station_robot_def {
    uint8_t id;
    cairn_pose2 map_T_start;                   // known start
    const cairn_body_description *description; // borrowed
    uint8_t mode;                              // ordered when it is first heard
} cairn_station_robot_def;

typedef struct cairn_station_def {
    uint32_t robot_count;
    cairn_station_robot_def robots[CAIRN_FLEET_MAX];
    cairn_raster_def raster;
    cairn_tasking_def tasking;
    cairn_log log;
} cairn_station_def;

typedef struct cairn_station cairn_station;

cairn_station_def cairn_station_def_default(void);
CAIRN_CHECKED cairn_err cairn_station_create(const cairn_station_def *def, cairn_arena *arena,
                                             cairn_station **ret_station);
void cairn_station_finish(cairn_station *station); // accepts NULL

cairn_inbox *cairn_station_inbox(cairn_station *station);                     // from all robots
cairn_inbox *cairn_station_outbox(cairn_station *station, uint32_t robot_at); // to the robot with this index in the def
void cairn_station_register(cairn_station *station, cairn_executor *executor, uint32_t lane);

// For pictures, scores and pages; borrowed until the station's next step.
typedef struct cairn_station_view {
    const cairn_raster *raster;
    const cairn_atlas *atlas;
    const cairn_fleet *fleet;
    const cairn_victims *victims;
    bool done;              // nothing is left to explore or to look at
    uint32_t refused_count; // messages not understood or from nobody
} cairn_station_view;
void cairn_station_look(const cairn_station *station, cairn_station_view *ret_view);
