// finds_io.h - what was found, and the ways that robots went, as the CSV files that lie beside a map.
//
// Finds    As RoboCup Rescue asks for them beside a map: seven lines of heading ("victims" or "qr codes", "1.0", team,
//          country, date, time, mission), an empty line, the line of column names, and a line for each find:
//          id,time,name,x,y,z in the map frame, metres.
// Ways     robot,x_m,y_m: a line for each point, each robot's in its order.
// Threads  No state of its own.
#pragma once
#include "base/memory.h"
#include "geometry/vec.h"

#define CAIRN_FINDS_MAX 1024u
#define CAIRN_WAYS_MAX 64u
#define CAIRN_WAY_POINTS_MAX 1000000u

typedef struct cairn_find {
    uint32_t id;
    char time[24], name[64];
    double x_m, y_m, z_m;
} cairn_find;

typedef struct cairn_finds {
    cairn_find *items;
    uint32_t count;
} cairn_finds;

typedef struct cairn_finds_heading {
    const char *kind;                                   // "victims", "qr codes"
    const char *team, *country, *date, *time, *mission; // may be empty
} cairn_finds_heading;

typedef struct cairn_way_points {
    char name[32];
    const cairn_vec2 *points_m;
    uint32_t count;
} cairn_way_points;

typedef struct cairn_way_list {
    cairn_way_points *items;
    uint32_t count;
} cairn_way_list;

// From bytes that may hold anything; the items lie in memory. CAIRN_ERR_INVALID with file, line and what is wrong,
// CAIRN_ERR_TOO_LARGE, CAIRN_ERR_FULL.
CAIRN_CHECKED cairn_err cairn_finds_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                          cairn_arena *memory, cairn_complaints *complaints, cairn_finds *ret_finds);
CAIRN_CHECKED cairn_err cairn_ways_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                         cairn_arena *memory, cairn_complaints *complaints, cairn_way_list *ret_ways);

// CAIRN_ERR_IO. Quotation marks, commas and line ends in names become spaces.
CAIRN_CHECKED cairn_err cairn_finds_write(const cairn_finds *finds, const cairn_finds_heading *heading,
                                          const char *path, cairn_complaints *complaints);
CAIRN_CHECKED cairn_err cairn_ways_write(const cairn_way_list *ways, const char *path, cairn_complaints *complaints);
