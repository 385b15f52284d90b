// map_picture.h - the map that the team made, in the colours of RoboCup Rescue maps, for people to look at.
#pragma once
#include "maps/files/map.h"
#include "sim/mission/team.h"

// Draws the station's map, cut to its raster's known cells, with fog over the unknown, each robot's way and start, the
// victims reported, axes in metres and a legend. Of the truth only the score's figures are in it, as words above the
// map. CAIRN_ERR_IO with the reason.
CAIRN_CHECKED cairn_err cairn_map_picture_write(const cairn_team *team, const cairn_score *score, const cairn_map *map,
                                                const char *path, cairn_complaints *complaints);
