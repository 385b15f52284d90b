// restore.h - a station from its store: the newest state that can be read, and every record after it.
#pragma once
#include "station/station.h"
#include "station/store/store_io.h"

typedef struct cairn_restored {
    bool anything;           // the store had something to tell
    uint64_t snapshot_step;  // the state that was begun from; 0: from nothing
    uint64_t replayed_count; // records after it
    bool cut;                // the store ends in a gap: a snapshot must be kept before anything else
    bool newer;              // it is cut because a newer cairn wrote what follows: nothing may be kept after it
} cairn_restored;

// Makes the station in the arena, which it may reset, and brings it to where the store ends. *complaints says what was
// lost, if anything was, also when this succeeds. CAIRN_ERR_INVALID: the store was made with another setup.
CAIRN_CHECKED cairn_err cairn_station_restore(const cairn_station_def *def, cairn_store *store, cairn_arena *arena,
                                              cairn_complaints *complaints, cairn_station **ret_station,
                                              cairn_restored *ret_restored);
