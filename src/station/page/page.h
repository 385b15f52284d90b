// page.h - what the operator's pages are told: a copy of the station's state with versions, and the next change for
// each.
//
// The station's thread brings the copy up to date; the web server's thread asks, for each client, for the next message
// that this client has not had. A slow client asks less often and gets newer, larger steps; the station never waits for
// more than the copying of one message. docs/page.md has the messages.
// Memory   All from the arena, by create: about 2.7 MB, and 0.26 bytes for each cell of the raster.
// Threads  update on one thread, next and now on any; a lock guards what they share.
#pragma once
#include "station/station.h"

#define CAIRN_PAGE_VERSION 1             // of the messages to and from the browser
#define CAIRN_PAGE_TILE 32               // cells along the edge of a tile of the map
#define CAIRN_PAGE_BYTES_MAX (32u << 10) // of one message; most are far shorter, none but hello is much over 16 kB

typedef struct cairn_page cairn_page;

typedef struct cairn_page_def {
    const char *mission; // name, shown; borrowed
    cairn_raster_def raster;
    uint32_t robot_count;
    const cairn_body_description *descriptions[CAIRN_FLEET_MAX]; // borrowed; for shapes
} cairn_page_def;

// How much of a robot's trail a client has.
typedef struct cairn_page_trail_cursor {
    uint32_t change_count; // how often the trail had changed by then, by thinning or because the map moved
    uint32_t point_count;
} cairn_page_trail_cursor;

// What one client has been told. All-zero: nothing.
typedef struct cairn_page_cursor {
    bool greeted;
    cairn_mono told; // t of the last state
    uint32_t at;     // where the next state begins: a state that grew too long goes on in the next message
    uint32_t areas, team, robots[CAIRN_FLEET_MAX], victims[CAIRN_VICTIMS_MAX]; // versions
    uint64_t event;                                                            // number of the last
    cairn_page_trail_cursor trails[CAIRN_FLEET_MAX];
    bool tiles_next;       // the last message was a state: now the map has its turn
    uint64_t tile_version; // of the map
    uint32_t tile_at;      // where sending the tiles of this round goes on
    uint64_t tile_round;   // what tile_version becomes when the round is complete
} cairn_page_cursor;

CAIRN_CHECKED cairn_err cairn_page_create(const cairn_page_def *def, cairn_arena *arena, cairn_page **ret_page);
void cairn_page_finish(cairn_page *page); // gives the lock back; accepts NULL

// Ten times a second. O(cells within the bounds of what is known), about 1 ns each, and some microseconds for each
// robot.
void cairn_page_update(cairn_page *page, const cairn_station_view *view, cairn_mono now);

// When the last update was; 0 before the first.
cairn_mono cairn_page_now(cairn_page *page);

// Writes the next message for this client and moves its cursor on. CAIRN_ERR_EMPTY when it has had everything, and
// before the first update. size_bytes_max is at least CAIRN_PAGE_BYTES_MAX. O(bytes).
CAIRN_CHECKED cairn_err cairn_page_next(cairn_page *page, cairn_page_cursor *cursor, uint8_t *ret_bytes,
                                        size_t size_bytes_max, size_t *ret_size_bytes, bool *ret_is_binary);
