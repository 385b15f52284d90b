// keeper.h - ties a station to its store: what came in is on disk before it is acknowledged, and a restart goes on.
//
// Every record of the station is appended to the store; when it is committed, its step is confirmed to the station,
// whose links then acknowledge. About once a minute, and whenever the store has a gap, the whole state is kept too. The
// disk's troubles are told to the operator as events.
// Threads  All on the station's.
#pragma once
#include "station/station.h"
#include "station/store/store_io.h"

#define CAIRN_KEEPER_STEPS_MAX 1024

typedef struct cairn_keeper_pair {
    uint64_t ticket, step; // when this ticket is committed, all up to this step is safe
} cairn_keeper_pair;

typedef enum cairn_keeper_health { CAIRN_KEEPER_WELL, CAIRN_KEEPER_STUCK, CAIRN_KEEPER_FAILS } cairn_keeper_health;

typedef struct cairn_keeper {
    cairn_store *store;     // borrowed, as is the next
    cairn_station *station; // NULL until cairn_keeper_start
    uint32_t pair_count;
    cairn_keeper_pair pairs[CAIRN_KEEPER_STEPS_MAX]; // the oldest first
    bool gap;                                        // a record was not kept: nothing is safe before a snapshot is
    cairn_keeper_health told;                        // to the operator, the last
    cairn_mono moved_at;                             // when something was committed, or nothing waited
    uint64_t asked_ticket;                           // of the last record with an operator's action
    bool waits, slow;                                // for it, before anything is shown; and that was told
    cairn_mono waits_since;
    cairn_mono snapshot_at;
    uint8_t *bytes; // of a snapshot; on the heap
    size_t bytes_max;
} cairn_keeper;

void cairn_keeper_init(cairn_keeper *keeper, cairn_store *store);
void cairn_keeper_finish(cairn_keeper *keeper);
// For cairn_station_def.record, with the keeper as context.
void cairn_keeper_record(void *context, const cairn_station_record *record);
void cairn_keeper_start(cairn_keeper *keeper, cairn_station *station, cairn_mono now);
// After each step of the station's post.
void cairn_keeper_step(cairn_keeper *keeper, cairn_mono now);
// Whether operators may be shown how things are: what they asked for is shown as done only when it is on disk. A disk
// that fails or does not keep up is told, and then all is shown as it is: people must see.
bool cairn_keeper_may_show(cairn_keeper *keeper, cairn_mono now);
// The whole state, now. False: it could not be kept.
bool cairn_keeper_keep_state(cairn_keeper *keeper, cairn_mono now);
