// command.h - the modes and stops that the station wants of its robots: state, said again until telemetry agrees.
//
// A stop is latched here as it is on the robot. While it is wanted, or its release is not yet acknowledged, no mode is
// ordered. A released robot is wanted idle, whatever it did before. After a stop of all, who is heard for the first
// time is stopped too, until all are released. A robot that was started again is wanted idle too.
#pragma once
#include "station/events.h"
#include "station/fleet.h"
#include "station/voice.h"

typedef struct cairn_command {
    cairn_fleet *fleet; // borrowed, as the others
    const cairn_voice *voice;
    cairn_events *events; // what happens, in words
    bool stop_all;        // latched
} cairn_command;

// After a robot's telemetry was taken in. On the first time its start mode is wanted, unless it says that it is
// stopped, or all are: then it stays so until released.
void cairn_command_hear(cairn_command *command, cairn_fleet_robot *robot, bool first, uint8_t start_mode,
                        cairn_mono now);

void cairn_command_order(cairn_command *command, cairn_fleet_robot *robot, uint8_t mode, cairn_mono now);
void cairn_command_stop(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now);
void cairn_command_release(cairn_command *command, cairn_fleet_robot *robot, cairn_mono now);

bool cairn_command_is_stopped(const cairn_fleet_robot *robot); // wanted, or not known to be released
bool cairn_command_order_taken(const cairn_fleet_robot *robot);

// Says again what was not taken. Cheap when there is nothing to say.
void cairn_command_step(cairn_command *command, cairn_mono now);
