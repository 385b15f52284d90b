// page_parts.h - what page.c (the copy) and page_next.c (the messages) share: private to them.
#pragma once
#include "base/lock.h"
#include "station/page/page_text.h"

#define CAIRN_PAGE_TILE_BYTES (CAIRN_PAGE_TILE * CAIRN_PAGE_TILE / 4)
#define CAIRN_PAGE_TEAM_BYTES 128
#define CAIRN_PAGE_ROBOT_BYTES 4096 // 64 via-points of 26 bytes each, and the rest
#define CAIRN_PAGE_VICTIM_BYTES 320
#define CAIRN_PAGE_AREAS_BYTES 8192 // 16 corners of 26 bytes and a name, eight times
#define CAIRN_PAGE_TRAIL_POINTS_MAX 2048

// The words about one thing, told whole whenever they change.
typedef struct cairn_page_item {
    uint32_t version; // counts the changes; 0: there is nothing to tell
    uint32_t size_bytes, size_bytes_max;
    char *text; // a block of the arena, size_bytes_max long
} cairn_page_item;

// Of a trail. It moves with the place that its robot had last passed, as the robot itself does.
typedef struct cairn_page_trail_point {
    cairn_vec2 at_m;      // map frame, as told
    cairn_vec2 private_m; // the robot's private frame
    uint32_t place;       // CAIRN_PLACE_NONE: none, it stays where it is
} cairn_page_trail_point;

// Where a robot has been. When full, every second point goes and the spacing doubles: it is then told from the start.
// When the map has moved under it, it is told again from the first point that did.
typedef struct cairn_page_trail {
    uint8_t robot; // id
    uint32_t count;
    uint32_t change_count; // how often points have changed that may have been told
    uint32_t changed_from; // the last time: the first of them
    double spacing_m;
    cairn_page_trail_point points[CAIRN_PAGE_TRAIL_POINTS_MAX];
} cairn_page_trail;

typedef struct cairn_page_tile {
    uint64_t version; // of the map when it last changed; 0: all unknown since ever
    uint8_t cells[CAIRN_PAGE_TILE_BYTES];
} cairn_page_tile;

struct cairn_page {
    cairn_page_def def;
    uint32_t tile_columns, tile_rows;
    uint32_t x_min, y_min, x_max, y_max; // all that was ever known, cells, inclusive; of the updating thread alone
    uint32_t solve_count;                // of the places, when trails last followed them; of the same thread

    // The rest is written by the updating thread alone, under the lock; others read under the lock.
    cairn_lock lock;
    bool updated; // at least once
    cairn_mono now;
    cairn_page_item hello; // the robots in it
    cairn_page_item areas; // all of them
    cairn_page_item team, robots[CAIRN_FLEET_MAX], victims[CAIRN_VICTIMS_MAX];
    cairn_page_trail *trails; // one a robot
    cairn_events events;      // the newest
    cairn_page_tile *tiles;   // row by row
    uint64_t tile_version;
};
