// report.h - a mission on one page: what it was, how it went over time, what it is worth, and how to run it again.
//
// One HTML file that needs no network: the map is in it, plots are SVG. It reads on a telephone and on paper. All that
// people named (missions, robots, victims) is escaped. Same inputs, same bytes.
#pragma once
#include "sim/mission/report/collision_list.h"
#include "sim/mission/report/series.h"
#include "sim/mission/score/score.h"
#include <stdio.h>

typedef struct cairn_report_def {
    const cairn_score *score; // all borrowed for the call
    const cairn_series *series;
    const cairn_collision_list *collisions; // NULL: not listed
    const char *arena, *about;              // about may be empty
    const char *physics;
    const char *command;    // that runs it again
    const uint8_t *map_png; // NULL: without a map
    size_t map_bytes;
} cairn_report_def;

// False when the file does not take it.
bool cairn_report_write(const cairn_report_def *def, FILE *to);

// The plots alone; each an svg element.
void cairn_report_plots(const cairn_report_def *def, FILE *to);
// Of robot i, as on the map: three numbers of 0..255.
extern const uint8_t cairn_way_colours[8][3];
