// map_sheet.h - a map drawn for people: ground, ways, starts, victims and things found, axes, scale, north and a
// legend.
//
// Frame    The map's x axis goes to the right. Places are in the map frame.
// Memory   The picture lies in the caller's arena; everything else is borrowed for the call.
// Threads  No state of its own. The same sheet gives the same picture.
#pragma once
#include "maps/files/map.h"
#include "sim/picture/picture.h"

typedef enum cairn_sheet_style {
    CAIRN_SHEET_TEAM,  // of missions: RoboCup Rescue's colours, each robot's way in its own, what was searched
    CAIRN_SHEET_RRL,   // of RoboCup Rescue: also the colours of ways and grid are prescribed
    CAIRN_SHEET_CLEAN, // on paper: plain unknown ground, dark walls
} cairn_sheet_style;

// Layers; all are drawn that are not left out.
enum {
    CAIRN_SHEET_GRID = 1,
    CAIRN_SHEET_AXES = 2,
    CAIRN_SHEET_WAYS = 4,
    CAIRN_SHEET_STARTS = 8,
    CAIRN_SHEET_VICTIMS = 16,
    CAIRN_SHEET_THINGS = 32,
    CAIRN_SHEET_LEGEND = 64, // with the scale bar
    CAIRN_SHEET_TITLE = 128,
    CAIRN_SHEET_NORTH = 256,
};

typedef struct cairn_sheet_way {
    const char *name;
    const cairn_vec2 *points_m; // may be NULL if there are none
    uint32_t point_count;
    bool has_start;
    cairn_pose2 start;
} cairn_sheet_way;

typedef struct cairn_sheet_mark {
    uint32_t number;
    cairn_vec2 at_m;
} cairn_sheet_mark;

typedef struct cairn_map_sheet {
    const cairn_map *map;
    const uint8_t *searched; // as the map's cells, nonzero: looked at; NULL: not told
    cairn_sheet_style style;
    uint32_t left_out;                 // layers
    const char *title, *aside, *words; // large, small beside it, and below
    const cairn_sheet_way *ways;
    const cairn_sheet_mark *victims, *things;
    uint32_t way_count, victim_count, thing_count;
} cairn_map_sheet;

// Where the whole picture lies: its upper left corner in the map frame.
typedef struct cairn_sheet_place {
    cairn_vec2 corner_m;
    double px_per_m;
    uint32_t beyond_count; // victims and things that lie too far from the known ground to be drawn
} cairn_sheet_place;

// At most 1700 x 3000 pixels and some more for long legends: 24 MB of memory do. CAIRN_ERR_FULL, CAIRN_ERR_TOO_LARGE.
CAIRN_CHECKED cairn_err cairn_map_sheet_draw(const cairn_map_sheet *sheet, cairn_arena *memory,
                                             cairn_picture *ret_picture, cairn_sheet_place *ret_place);
