// page.h - what the operator's pages are told: a copy of the station's state with versions, and the next change for each.
//
// The station's thread brings the copy up to date; the web server's thread asks, for each client, for the next message
// that this client has not had. A slow client asks less often and gets newer, larger steps; the station never waits for
// more than a copy. docs/page.md has the messages.
// Memory   All from the arena, by create.
// Threads  update on one thread, next on another; a lock guards what they share.
#pragma once
#include "station/station.h"

#define CAIRN_PAGE_TILE 32               // cells along the edge of a tile of the map
#define CAIRN_PAGE_BYTES_MAX (64u << 10) // of one message

typedef struct cairn_page cairn_page;

typedef struct cairn_page_def {
    const char *mission; // name, shown; borrowed
    cairn_raster_def raster;
    uint32_t robot_count;
    const cairn_body_description *descriptions[CAIRN_FLEET_MAX]; // borrowed; for shapes
} cairn_page_def;

// What one client has been told. All-zero: nothing.
typedef struct cairn_page_cursor {
    bool greeted;
    uint64_t version;      // of the robots, victims and trails that were told
    uint64_t tile_version; // of the map
    uint32_t tile_at;      // where sending the tiles of this round goes on
    uint64_t tile_round;   // what tile_version becomes when the round is complete
    uint64_t event;        // number of the last event told
    uint32_t trail_count[CAIRN_FLEET_MAX];
} cairn_page_cursor;

CAIRN_CHECKED cairn_err cairn_page_create(const cairn_page_def *def, cairn_arena *arena, cairn_page **ret_page);
void cairn_page_finish(cairn_page *page); // gives the lock back; accepts NULL

void cairn_page_update(cairn_page *page, const cairn_station_view *view, cairn_mono now); // ten times a second

// Writes the next message for this client and moves its cursor on. CAIRN_ERR_EMPTY when it has had everything.
CAIRN_CHECKED cairn_err cairn_page_next(cairn_page *page, cairn_page_cursor *cursor, uint8_t *ret_bytes,
                                        size_t size_bytes_max, size_t *ret_size_bytes, bool *ret_is_binary);
