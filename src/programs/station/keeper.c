#include "programs/station/keeper.h"
#include <stdlib.h>

// Longer: fewer bytes written; shorter: a restart has less to replay.
#define SNAPSHOT_NS CAIRN_S(60)
#define SHOW_NS CAIRN_S(1)           // longer than any disk takes that is well
#define STUCK_NS CAIRN_S(5)          // without a commit: no disk is so slow
#define SNAPSHOT_AGAIN_NS CAIRN_S(1) // when one was refused, or a gap is to be closed

void cairn_keeper_init(cairn_keeper *keeper, cairn_store *store) { *keeper = (cairn_keeper){.store = store}; }

void cairn_keeper_finish(cairn_keeper *keeper)
{
    free(keeper->bytes);
    keeper->bytes = NULL;
}

// When there are too many, the newest takes the place of the one before: that one is then safe a little later.
static void remember(cairn_keeper *keeper, uint64_t ticket, uint64_t step)
{
    if (keeper->pair_count == CAIRN_KEEPER_STEPS_MAX) { keeper->pair_count--; }
    keeper->pairs[keeper->pair_count++] = (cairn_keeper_pair){.ticket = ticket, .step = step};
}

void cairn_keeper_record(void *context, const cairn_station_record *record)
{
    cairn_keeper *keeper = context;
    const uint64_t ticket = cairn_store_append(keeper->store, record->bytes, record->size_bytes, record->urgent);
    if (record->asked && ticket != 0) { keeper->asked_ticket = ticket; }
    if (ticket == 0) {
        keeper->gap = true;
    } else if (record->ends_step && !keeper->gap) {
        remember(keeper, ticket, record->step);
    }
}

bool cairn_keeper_may_show(cairn_keeper *keeper, cairn_mono now)
{
    const bool safe = keeper->asked_ticket <= cairn_store_committed(keeper->store);
    if (safe || keeper->told != CAIRN_KEEPER_WELL || keeper->gap) {
        keeper->waits = false;
        return true;
    }
    if (!keeper->waits) {
        keeper->waits = true;
        keeper->waits_since = now;
        keeper->slow = false;
    }
    if (cairn_mono_since(now, keeper->waits_since) < SHOW_NS) { return false; }
    if (!keeper->slow) { // told first, and shown with the next look
        keeper->slow = cairn_station_tell(keeper->station, CAIRN_LOG_WARN,
                                          "the disk is slow: what was asked for just now is not kept yet") == CAIRN_OK;
        return !keeper->slow;
    }
    return true;
}

void cairn_keeper_start(cairn_keeper *keeper, cairn_station *station, cairn_mono now)
{
    keeper->station = station;
    keeper->snapshot_at = keeper->moved_at = now;
}

bool cairn_keeper_keep_state(cairn_keeper *keeper, cairn_mono now)
{
    keeper->snapshot_at = now;
    const size_t needed = cairn_station_save_bytes(keeper->station);
    if (needed > keeper->bytes_max) {
        uint8_t *larger = realloc(keeper->bytes, needed);
        if (larger == NULL) { return false; }
        keeper->bytes = larger;
        keeper->bytes_max = needed;
    }
    size_t size = 0;
    if (cairn_station_save(keeper->station, keeper->bytes, keeper->bytes_max, &size) != CAIRN_OK) { return false; }
    const uint64_t ticket = cairn_store_append_snapshot(keeper->store, CAIRN_STATION_LAYOUT, keeper->bytes, size);
    if (ticket == 0) { return false; }
    keeper->gap = false;
    remember(keeper, ticket, cairn_station_step(keeper->station));
    return true;
}

static void confirm(cairn_keeper *keeper, cairn_mono now)
{
    const uint64_t committed = cairn_store_committed(keeper->store);
    uint32_t safe_count = 0;
    while (safe_count < keeper->pair_count && keeper->pairs[safe_count].ticket <= committed) { safe_count++; }
    if (safe_count > 0 || (keeper->pair_count == 0 && !keeper->gap)) { keeper->moved_at = now; }
    if (safe_count == 0) { return; }
    cairn_station_confirm(keeper->station, keeper->pairs[safe_count - 1].step);
    keeper->pair_count -= safe_count;
    for (uint32_t i = 0; i < keeper->pair_count; i++) { keeper->pairs[i] = keeper->pairs[i + safe_count]; }
}

// A disk that hangs fails nothing: that nothing comes back from it is all that shows.
static void tell_of_trouble(cairn_keeper *keeper, const cairn_store_info *info, cairn_mono now)
{
    const bool stuck = cairn_mono_since(now, keeper->moved_at) >= STUCK_NS;
    const cairn_keeper_health health = info->failing ? CAIRN_KEEPER_FAILS
                                       : stuck       ? CAIRN_KEEPER_STUCK
                                                     : CAIRN_KEEPER_WELL;
    if (health == keeper->told) { return; }
    const char *words = health == CAIRN_KEEPER_FAILS   ? info->trouble
                        : health == CAIRN_KEEPER_STUCK ? "the disk takes nothing; until it does nothing is acknowledged"
                                                       : "the disk takes everything again";
    const cairn_log_level level = health == CAIRN_KEEPER_WELL ? CAIRN_LOG_INFO : CAIRN_LOG_ERROR;
    if (cairn_station_tell(keeper->station, level, words) == CAIRN_OK) { keeper->told = health; }
}

void cairn_keeper_step(cairn_keeper *keeper, cairn_mono now)
{
    const cairn_store_info info = cairn_store_look(keeper->store);
    confirm(keeper, now);
    tell_of_trouble(keeper, &info, now);
    const int64_t since_ns = cairn_mono_since(now, keeper->snapshot_at);
    const bool wanted = keeper->gap || info.wants_snapshot;
    if (info.failing) { return; }                                                  // what waits is more than enough
    const bool due = since_ns >= SNAPSHOT_NS && keeper->told == CAIRN_KEEPER_WELL; // one behind the other helps nobody
    if (due || (wanted && since_ns >= SNAPSHOT_AGAIN_NS)) {
        (void)cairn_keeper_keep_state(keeper, now); // refused: tried again
    }
}
