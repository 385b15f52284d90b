// verifier.c - a mute station behind the four topics of a station in a journal.
#include "record/verifier.h"
#include "base/hash.h"
#include "messages/cdr_walk.h"
#include "record/levels.h"
#include "station/replay/inputs.h"
#include "station/replay/setup.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEF_MEMORY_BYTES CAIRN_SETUP_MEMORY_BYTES
#define SNAPSHOT_BYTES_MAX ((uint64_t)1 << 28)

typedef struct snapshot {
    uint64_t step, size, used;
    uint8_t *bytes;
} snapshot;

struct cairn_verifier {
    cairn_complaints *complaints; // during a call
    cairn_arena def_memory, station_memory;
    cairn_station_def def;
    uint64_t setup_hash;
    cairn_station *station; // NULL: waits for a setup
    bool behind;            // steps are missing: only a snapshot helps
    snapshot snapshot;      // being put together
    cairn_verifier_info info;
};

static uint64_t take_u64(cairn_cdr_walk *in)
{
    const uint8_t *from = cairn_cdr_take(in, 8, 8);
    return from == NULL ? 0 : cairn_cdr_load(in, from, 8);
}

static const uint8_t *take_bytes(cairn_cdr_walk *in, size_t *ret_size)
{
    const uint32_t size = cairn_cdr_take_u32(in);
    *ret_size = size;
    return cairn_cdr_take(in, size, 1);
}

static cairn_err complain(cairn_verifier *check, const cairn_verifier_message *message, cairn_err err, const char *what)
{
    // Snapshots are of no use to any other version, older ones included; of the rest every older one is read.
    const char *why = err == CAIRN_ERR_UNSUPPORTED
                          ? "another version of cairn wrote it; that one can verify this journal"
                          : cairn_err_name(err);
    cairn_complain(check->complaints, NULL, 0, "at %.3f s: %s: %s", message->time_s, what, why);
    return err;
}

static void end_station(cairn_verifier *check)
{
    cairn_station_finish(check->station);
    check->station = NULL;
    cairn_arena_destroy(&check->station_memory);
}

static cairn_err begin_station(cairn_verifier *check)
{
    end_station(check);
    cairn_err err = cairn_arena_create(&check->station_memory, cairn_station_memory_bytes(&check->def));
    if (err == CAIRN_OK) { err = cairn_station_create(&check->def, &check->station_memory, &check->station); }
    check->behind = false;
    return err;
}

// A setup stands at the head of every file; the first one makes the station, and another one a new station.
static cairn_err take_setup(cairn_verifier *check, const cairn_verifier_message *message, cairn_cdr_walk *in)
{
    size_t size = 0;
    const uint8_t *bytes = take_bytes(in, &size);
    if (in->bad) { return complain(check, message, CAIRN_ERR_CORRUPT, "the station's setup"); }
    const uint64_t hash = cairn_hash_bytes(0, bytes, size);
    if (check->info.has_station && hash == check->setup_hash) { return CAIRN_OK; }
    end_station(check);
    cairn_arena_destroy(&check->def_memory);
    cairn_err err = cairn_arena_create(&check->def_memory, DEF_MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_station_setup_decode(bytes, size, &check->def_memory, &check->def); }
    if (err != CAIRN_OK) { return complain(check, message, err, "the station's setup cannot be used"); }
    check->def.mute = true;
    check->info.has_station = true;
    check->setup_hash = hash;
    err = begin_station(check);
    return err == CAIRN_OK ? err : complain(check, message, err, "cannot make the station");
}

static void note_gap(cairn_verifier *check, const cairn_verifier_message *message, uint64_t expected, uint64_t found)
{
    if (check->behind) { return; }
    check->behind = true;
    check->info.gap_count++;
    cairn_complain(check->complaints, NULL, 0,
                   "at %.3f s: steps %" PRIu64 " to %" PRIu64 " are not in the journal; going on at the next snapshot",
                   message->time_s, expected, found - 1);
}

static cairn_err take_record(cairn_verifier *check, const cairn_verifier_message *message, const uint8_t *record,
                             size_t size)
{
    cairn_inputs_reader reader;
    cairn_inputs_head head;
    cairn_err err = cairn_inputs_open(&reader, record, size, &head);
    if (err != CAIRN_OK) { return complain(check, message, err, "a record of the station's inputs"); }
    const uint64_t before = cairn_station_step(check->station);
    if (head.step <= before) { return CAIRN_OK; } // in the snapshot already
    if (head.step > before + 1) { note_gap(check, message, before + 1, head.step); }
    if (check->behind) { return CAIRN_OK; }
    err = cairn_station_replay(check->station, record, size);
    if (err != CAIRN_OK) { return complain(check, message, err, "a record of the station's inputs"); }
    check->info.step_count += cairn_station_step(check->station) - before;
    return CAIRN_OK;
}

static cairn_err take_inputs(cairn_verifier *check, const cairn_verifier_message *message, cairn_cdr_walk *in)
{
    (void)take_u64(in); // first step
    (void)take_u64(in); // last step
    uint32_t count = cairn_cdr_take_u32(in);
    size_t size = 0, at = 0;
    const uint8_t *bytes = take_bytes(in, &size);
    cairn_err err = in->bad ? CAIRN_ERR_CORRUPT : CAIRN_OK;
    for (; count > 0 && err == CAIRN_OK; count--) {
        uint32_t record = 0;
        if (size - at < sizeof record) { break; }
        memcpy(&record, bytes + at, sizeof record);
        at += sizeof record;
        if (record > size - at) { break; }
        err = take_record(check, message, bytes + at, record);
        at += record;
    }
    if (count > 0 && err == CAIRN_OK) { err = CAIRN_ERR_CORRUPT; }
    return err != CAIRN_ERR_CORRUPT ? err : complain(check, message, err, "the station's inputs");
}

// A station that was killed goes on from its store, which may have less than the journal of the one before.
static void note_return(cairn_verifier *check, const cairn_verifier_message *message, uint64_t before, uint64_t step)
{
    cairn_complain(check->complaints, NULL, 0,
                   "at %.3f s: the station was started again and went back to step %" PRIu64 "; steps %" PRIu64
                   " to %" PRIu64 " had not been kept in its store",
                   message->time_s, step, step + 1, before);
}

static cairn_err load_snapshot(cairn_verifier *check, const cairn_verifier_message *message)
{
    const snapshot *whole = &check->snapshot;
    // One that is where we are already has nothing to tell.
    const uint64_t before = cairn_station_step(check->station);
    if (!check->behind && before == whole->step) { return CAIRN_OK; }
    if (before > whole->step) {
        note_return(check, message, before, whole->step);
    } else if (before > 0) {
        note_gap(check, message, before + 1, whole->step + 1);
    }
    cairn_err err = begin_station(check);
    if (err == CAIRN_OK) { err = cairn_station_load(check->station, whole->bytes, (size_t)whole->size); }
    if (err != CAIRN_OK) { end_station(check); } // half loaded, it is of no use
    return err == CAIRN_OK ? err : complain(check, message, err, "a snapshot of the station cannot be used");
}

static cairn_err take_snapshot(cairn_verifier *check, const cairn_verifier_message *message, cairn_cdr_walk *in)
{
    snapshot *whole = &check->snapshot;
    const uint64_t step = take_u64(in);
    (void)cairn_cdr_take_u32(in); // layout: loading sees it
    const uint64_t all = take_u64(in), offset = take_u64(in);
    size_t size = 0;
    const uint8_t *bytes = take_bytes(in, &size);
    if (in->bad || all > SNAPSHOT_BYTES_MAX || offset > all || size > all - offset) {
        return complain(check, message, CAIRN_ERR_CORRUPT, "a snapshot of the station");
    }
    if (offset == 0) {
        free(whole->bytes);
        *whole = (snapshot){.step = step, .size = all, .bytes = malloc((size_t)all + 1)};
        if (whole->bytes == NULL) { return CAIRN_ERR_FULL; }
    }
    // A part that does not follow the last one: some were dropped, and this snapshot is of no use.
    if (whole->bytes == NULL || whole->step != step || whole->size != all || whole->used != offset) { return CAIRN_OK; }
    memcpy(whole->bytes + offset, bytes, size);
    whole->used += size;
    return whole->used == all && size > 0 ? load_snapshot(check, message) : CAIRN_OK;
}

static cairn_err take_state(cairn_verifier *check, const cairn_verifier_message *message, cairn_cdr_walk *in)
{
    const uint64_t step = take_u64(in);
    const cairn_station_hash wanted = {.state = take_u64(in), .map = take_u64(in)};
    if (in->bad) { return complain(check, message, CAIRN_ERR_CORRUPT, "a state of the station"); }
    if (step > cairn_station_step(check->station)) {
        note_gap(check, message, cairn_station_step(check->station) + 1, step + 1);
    }
    if (check->behind || step != cairn_station_step(check->station)) { return CAIRN_OK; }
    check->info.hash = cairn_station_hashes(check->station);
    check->info.check_count++;
    if (check->info.hash.state == wanted.state && check->info.hash.map == wanted.map) {
        check->info.checked_s = message->time_s;
        return CAIRN_OK;
    }
    check->info.differs = true;
    (void)snprintf(check->info.difference, sizeof check->info.difference,
                   "at %.3f s, after step %" PRIu64 ": %s %016" PRIx64 ", recorded was %016" PRIx64
                   "; the last agreement was at %.3f s",
                   message->time_s, step, check->info.hash.map != wanted.map ? "map" : "state",
                   check->info.hash.map != wanted.map ? check->info.hash.map : check->info.hash.state,
                   check->info.hash.map != wanted.map ? wanted.map : wanted.state, check->info.checked_s);
    return CAIRN_ERR_EMPTY; // everything after it would differ, too
}

static cairn_err take(cairn_verifier *check, const cairn_verifier_message *message)
{
    static const struct {
        cairn_record_topic topic;
        cairn_err (*take)(cairn_verifier *check, const cairn_verifier_message *message, cairn_cdr_walk *in);
    } takers[] = {{CAIRN_TOPIC_SETUP, take_setup},
                  {CAIRN_TOPIC_INPUTS, take_inputs},
                  {CAIRN_TOPIC_SNAPSHOT, take_snapshot},
                  {CAIRN_TOPIC_STATE, take_state}};
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++) {
        const cairn_topic_rule *rule = cairn_topic_rule_of(takers[i].topic);
        if (strcmp(message->topic, rule->name) != 0) { continue; }
        cairn_cdr_walk in;
        if (strcmp(message->type, rule->type->name) != 0 ||
            cairn_cdr_walk_over(message->bytes, message->size, &in) != CAIRN_OK) {
            return complain(check, message, CAIRN_ERR_CORRUPT, rule->name);
        }
        if (check->station == NULL && takers[i].topic != CAIRN_TOPIC_SETUP) { return CAIRN_OK; }
        return takers[i].take(check, message, &in);
    }
    return CAIRN_OK;
}

cairn_err cairn_verifier_create(cairn_verifier **ret_verifier)
{
    *ret_verifier = calloc(1, sizeof **ret_verifier);
    return *ret_verifier != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
}

void cairn_verifier_destroy(cairn_verifier *verifier)
{
    if (verifier == NULL) { return; }
    end_station(verifier);
    cairn_arena_destroy(&verifier->def_memory);
    free(verifier->snapshot.bytes);
    free(verifier);
}

cairn_err cairn_verifier_take(cairn_verifier *verifier, const cairn_verifier_message *message,
                              cairn_complaints *complaints)
{
    verifier->complaints = complaints;
    return take(verifier, message);
}

const cairn_verifier_info *cairn_verifier_look(const cairn_verifier *verifier) { return &verifier->info; }
