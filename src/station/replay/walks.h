// walks.h - over the fields of all that the station's later steps depend on (archive.h), one function for each struct.
//
// Loading is into structs as they are when a station has just been made. What the setup tells (names, ids, figures) and
// what is for people only (cairn_fleet_robot.link) is left out.
#pragma once
#include "station/areas/areas.h"
#include "station/operator/asked.h"
#include "station/replay/archive.h"
#include "station/teammates.h"

void cairn_walk_facts(cairn_archive *archive, cairn_link_facts *facts);
void cairn_walk_action(cairn_archive *archive, cairn_operator_action *action);
void cairn_walk_areas(cairn_archive *archive, cairn_team_areas *areas); // their change_count is left out
void cairn_walk_fleet(cairn_archive *archive, cairn_fleet *fleet);
void cairn_walk_raster(cairn_archive *archive, cairn_raster *raster);
void cairn_walk_atlas(cairn_archive *archive, cairn_atlas *atlas); // with its raster
void cairn_walk_victims(cairn_archive *archive, cairn_victims *victims);
void cairn_walk_tasking(cairn_archive *archive, cairn_tasking *tasking);
void cairn_walk_events(cairn_archive *archive, cairn_events *events);
void cairn_walk_command(cairn_archive *archive, cairn_command *command);
void cairn_walk_actions(cairn_archive *archive, cairn_actions *actions, uint32_t robot_count);
void cairn_walk_asked(cairn_archive *archive, cairn_asked *asked);
void cairn_walk_teammates(cairn_archive *archive, cairn_teammates *teammates, uint32_t robot_count);
