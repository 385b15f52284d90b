// survey.h - the known map as one robot can use it: a window of the raster, priced from where the robot stands.
//
// Frame    map. One search over the window prices everything at once.
// Size     Up to CAIRN_SURVEY_CELLS_MAX cells. Where more is known, a survey has either the ground around the robot as
//          it is, or the whole of it in coarser cells: an obstacle in any part of one closes it.
// Memory   All from the scratch arena that make is given, about 45 bytes a cell; valid until that is reset.
#pragma once
#include "planning/fences.h"
#include "planning/kept_costs.h"
#include "planning/reach.h"
#include "station/atlas/atlas.h"
#include "station/atlas/victims.h"
#include "station/fleet.h"

#define CAIRN_SURVEY_CELLS_MAX 1000000u

typedef struct cairn_survey_def {
    double robot_radius_m;      // for ways
    double turn_radius_m;       // for places to stand: room to turn on the spot
    bool teammates_block;       // ways through other robots are closed
    const cairn_fences *fences; // where robots may be; borrowed, NULL: everywhere
    bool whole;                 // all that is known, however coarse; else what lies around the robot
    cairn_kept_costs *costs;    // prices of the whole raster for this radius, brought up to date; NULL: made anew
} cairn_survey_def;

typedef struct cairn_survey {
    uint32_t x0, y0, width, height; // x0, y0 in cells of the raster, width and height in cells of the survey
    uint32_t factor;                // so many of the raster's cells along x and y are one of the survey's
    bool clipped;                   // more is known than is in it
    // Copies. Ground around a victim that was found counts as searched; where no robot may be it counts as an obstacle
    // that was looked at.
    uint8_t *ground, *searched;
    cairn_cost_grid grid;
    cairn_reach reach;  // everywhere that the robot can go
    cairn_reach stands; // the same, less the places too tight to turn round in
} cairn_survey;

// How ground is priced; unknown ground is closed.
cairn_cost_rules cairn_survey_rules(double robot_radius_m);

// Whether a victim has been found so near to a place that it need not be looked at for one.
bool cairn_survey_is_found(const cairn_victims *victims, cairn_vec2 at_m);

// CAIRN_ERR_EMPTY: nothing is known yet; CAIRN_ERR_OUTSIDE: the robot is outside what is known; CAIRN_ERR_FULL:
// scratch is too small. *ret_survey must not move afterwards. O(cells).
CAIRN_CHECKED cairn_err cairn_survey_make(const cairn_survey_def *def, const cairn_fleet *fleet,
                                          const cairn_fleet_robot *robot, const cairn_atlas *atlas,
                                          const cairn_victims *victims, cairn_arena *scratch, cairn_survey *ret_survey);

// The way to a cell: via-points at most 5 m apart, the last one in the cell.
typedef struct cairn_survey_way {
    uint32_t via_count; // >= 1
    cairn_vec2 via_m[CAIRN_VIAS_MAX];
    double length_m;
} cairn_survey_way;
CAIRN_CHECKED cairn_err cairn_survey_find_way(const cairn_survey *survey, uint32_t cell, cairn_arena *scratch,
                                              cairn_survey_way *ret_way);

// The cell that the robot can reach nearest to a place; of equally near ones the cheapest. CAIRN_ERR_NOT_FOUND: none.
CAIRN_CHECKED cairn_err cairn_survey_nearest(const cairn_survey *survey, cairn_vec2 to_m, uint32_t *ret_cell);
