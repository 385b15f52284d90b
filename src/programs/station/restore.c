#include "programs/station/restore.h"

typedef struct replaying {
    cairn_station *station;
    uint64_t count;
    cairn_err err;
} replaying;

static cairn_err replay_record(void *context, uint64_t ticket, const uint8_t *record, size_t size)
{
    replaying *replay = context;
    (void)ticket;
    replay->err = cairn_station_replay(replay->station, record, size);
    replay->count += replay->err == CAIRN_OK;
    return replay->err;
}

static cairn_err make_station(const cairn_station_def *def, cairn_arena *arena, cairn_station **ret_station)
{
    cairn_arena_reset(arena, 0);
    return cairn_station_create(def, arena, ret_station);
}

// Anew from nothing when the bytes are not to be believed.
static cairn_err load(const cairn_station_def *def, const cairn_store_snapshot *snapshot, cairn_arena *arena,
                      cairn_station **station, bool *ret_loaded)
{
    *ret_loaded = false;
    if (snapshot->layout != CAIRN_STATION_LAYOUT) { return CAIRN_OK; }
    const cairn_err err = cairn_station_load(*station, snapshot->bytes, snapshot->size);
    *ret_loaded = err == CAIRN_OK;
    if (err != CAIRN_ERR_CORRUPT) { return CAIRN_OK; }
    cairn_station_finish(*station);
    *station = NULL;
    return make_station(def, arena, station);
}

cairn_err cairn_station_restore(const cairn_station_def *def, cairn_store *store, cairn_arena *arena,
                                cairn_complaints *complaints, cairn_station **ret_station, cairn_restored *ret_restored)
{
    cairn_station *station = NULL;
    cairn_restored restored = {0};
    cairn_err err = make_station(def, arena, &station);
    uint64_t after_ticket = 0;
    bool loaded = false;
    cairn_store_snapshot snapshot;
    for (uint32_t skip = 0; err == CAIRN_OK && !loaded; skip++) {
        if (cairn_store_read_snapshot(store, skip, &snapshot) != CAIRN_OK) { break; }
        err = load(def, &snapshot, arena, &station, &loaded);
        if (err == CAIRN_OK && loaded) {
            after_ticket = snapshot.ticket;
            restored.snapshot_step = cairn_station_step(station);
        }
    }
    if (err != CAIRN_OK) {
        cairn_station_finish(station);
        return err;
    }
    replaying replay = {.station = station};
    const cairn_err read_err = cairn_store_read_inputs(store, after_ticket, replay_record, &replay, complaints);
    restored.cut = read_err != CAIRN_OK;
    restored.newer = replay.err == CAIRN_ERR_UNSUPPORTED;
    if (restored.newer) {
        cairn_complain(
            complaints, NULL, 0,
            "the store could be read up to %.1f s of the mission; what follows was written by a newer cairn, "
            "which can read all of it",
            cairn_seconds(cairn_station_time(station).ns));
    } else if (restored.cut) {
        cairn_complain(complaints, NULL, 0,
                       "the store could be read up to %.1f s of the mission (%s); what came later is lost here, and "
                       "robots that still have it send it again",
                       cairn_seconds(cairn_station_time(station).ns),
                       cairn_err_name(replay.err != CAIRN_OK ? replay.err : read_err));
    }
    restored.replayed_count = replay.count;
    restored.anything = cairn_station_step(station) > 0 || replay.count > 0;
    *ret_station = station;
    *ret_restored = restored;
    return CAIRN_OK;
}
