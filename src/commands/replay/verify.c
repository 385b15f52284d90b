// verify.c - runs the station of a journal again, on all that came into it, and compares what it made of that.
//
// The station is a function of its inputs: the setup, the records of each step (station/replay/). A mute station takes
// them in; wherever the journal has the hashes of the state and the map, its own must be the same. A journal that
// begins in the middle, or that has a gap, is taken up again at its next snapshot; the gap is told.
#include "base/hash.h"
#include "commands/replay/replay.h"
#include "messages/cdr_walk.h"
#include "record/levels.h"
#include "station/replay/inputs.h"
#include "station/replay/setup.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEF_MEMORY_BYTES (128u << 10)
#define SNAPSHOT_BYTES_MAX ((uint64_t)1 << 30)

typedef struct snapshot {
    uint64_t step, size, used;
    uint8_t *bytes;
} snapshot;

typedef struct verify {
    cairn_replay *run;
    cairn_arena def_memory, station_memory;
    cairn_station_def def;
    bool has_def;
    uint64_t setup_hash;
    cairn_station *station; // NULL: waits for a setup
    bool behind;            // steps are missing: only a snapshot helps
    snapshot snapshot;      // being put together

    uint64_t step_count, check_count, gap_count;
    cairn_station_hash hash; // of the last check
    double checked_s;        // when the last check agreed
    bool differs;
    char difference[256];
} verify;

static double time_s(const verify *check, const cairn_mcap_message *message)
{
    return cairn_replay_seconds(check->run->start_ns, message->log_time_ns);
}

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

static cairn_err complain(verify *check, const cairn_mcap_message *message, cairn_err err, const char *what)
{
    cairn_complain(&check->run->complaints, NULL, 0, "at %.3f s: %s: %s", time_s(check, message), what,
                   cairn_err_name(err));
    return err;
}

static void end_station(verify *check)
{
    cairn_station_finish(check->station);
    check->station = NULL;
    cairn_arena_destroy(&check->station_memory);
}

static cairn_err begin_station(verify *check)
{
    end_station(check);
    cairn_err err = cairn_arena_create(&check->station_memory, cairn_station_memory_bytes(&check->def));
    if (err == CAIRN_OK) { err = cairn_station_create(&check->def, &check->station_memory, &check->station); }
    check->behind = false;
    return err;
}

// A setup stands at the head of every file; the first one makes the station, and another one a new station.
static cairn_err take_setup(verify *check, const cairn_mcap_message *message, cairn_cdr_walk *in)
{
    size_t size = 0;
    const uint8_t *bytes = take_bytes(in, &size);
    if (in->bad) { return complain(check, message, CAIRN_ERR_CORRUPT, "the station's setup"); }
    const uint64_t hash = cairn_hash_bytes(0, bytes, size);
    if (check->has_def && hash == check->setup_hash) { return CAIRN_OK; }
    end_station(check);
    cairn_arena_destroy(&check->def_memory);
    cairn_err err = cairn_arena_create(&check->def_memory, DEF_MEMORY_BYTES);
    if (err == CAIRN_OK) { err = cairn_station_setup_decode(bytes, size, &check->def_memory, &check->def); }
    if (err != CAIRN_OK) { return complain(check, message, err, "the station's setup cannot be used"); }
    check->def.mute = true;
    check->has_def = true;
    check->setup_hash = hash;
    err = begin_station(check);
    return err == CAIRN_OK ? err : complain(check, message, err, "cannot make the station");
}

static void note_gap(verify *check, const cairn_mcap_message *message, uint64_t expected, uint64_t found)
{
    if (check->behind) { return; }
    check->behind = true;
    check->gap_count++;
    cairn_complain(&check->run->complaints, NULL, 0,
                   "at %.3f s: steps %" PRIu64 " to %" PRIu64 " are not in the journal; going on at the next snapshot",
                   time_s(check, message), expected, found - 1);
}

static cairn_err take_record(verify *check, const cairn_mcap_message *message, const uint8_t *record, size_t size)
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
    check->step_count += cairn_station_step(check->station) - before;
    return CAIRN_OK;
}

static cairn_err take_inputs(verify *check, const cairn_mcap_message *message, cairn_cdr_walk *in)
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

static cairn_err load_snapshot(verify *check, const cairn_mcap_message *message)
{
    const snapshot *whole = &check->snapshot;
    // One that is where we are already has nothing to tell.
    if (!check->behind && cairn_station_step(check->station) >= whole->step) { return CAIRN_OK; }
    const uint64_t before = cairn_station_step(check->station);
    if (before > 0) { note_gap(check, message, before + 1, whole->step + 1); }
    cairn_err err = begin_station(check);
    if (err == CAIRN_OK) { err = cairn_station_load(check->station, whole->bytes, (size_t)whole->size); }
    return err == CAIRN_OK ? err : complain(check, message, err, "a snapshot of the station cannot be used");
}

static cairn_err take_snapshot(verify *check, const cairn_mcap_message *message, cairn_cdr_walk *in)
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

static cairn_err take_state(verify *check, const cairn_mcap_message *message, cairn_cdr_walk *in)
{
    const uint64_t step = take_u64(in);
    const cairn_station_hash wanted = {.state = take_u64(in), .map = take_u64(in)};
    if (in->bad) { return complain(check, message, CAIRN_ERR_CORRUPT, "a state of the station"); }
    if (step > cairn_station_step(check->station)) {
        note_gap(check, message, cairn_station_step(check->station) + 1, step + 1);
    }
    if (check->behind || step != cairn_station_step(check->station)) { return CAIRN_OK; }
    check->hash = cairn_station_hashes(check->station);
    check->check_count++;
    if (check->hash.state == wanted.state && check->hash.map == wanted.map) {
        check->checked_s = time_s(check, message);
        return CAIRN_OK;
    }
    check->differs = true;
    (void)snprintf(check->difference, sizeof check->difference,
                   "at %.3f s, after step %" PRIu64 ": %s %016" PRIx64 ", recorded was %016" PRIx64
                   "; the last agreement was at %.3f s",
                   time_s(check, message), step, check->hash.map != wanted.map ? "map" : "state",
                   check->hash.map != wanted.map ? check->hash.map : check->hash.state,
                   check->hash.map != wanted.map ? wanted.map : wanted.state, check->checked_s);
    return CAIRN_ERR_EMPTY; // everything after it would differ, too
}

static cairn_err take(void *context, const cairn_mcap_message *message)
{
    static const struct {
        cairn_record_topic topic;
        cairn_err (*take)(verify *check, const cairn_mcap_message *message, cairn_cdr_walk *in);
    } takers[] = {{CAIRN_TOPIC_SETUP, take_setup},
                  {CAIRN_TOPIC_INPUTS, take_inputs},
                  {CAIRN_TOPIC_SNAPSHOT, take_snapshot},
                  {CAIRN_TOPIC_STATE, take_state}};
    verify *check = context;
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++) {
        const cairn_topic_rule *rule = cairn_topic_rule_of(takers[i].topic);
        if (strcmp(message->channel->topic, rule->name) != 0) { continue; }
        cairn_cdr_walk in;
        if (strcmp(message->channel->schema_name, rule->type->name) != 0 ||
            cairn_cdr_walk_over(message->bytes, message->size, &in) != CAIRN_OK) {
            return complain(check, message, CAIRN_ERR_CORRUPT, rule->name);
        }
        if (check->station == NULL && takers[i].topic != CAIRN_TOPIC_SETUP) { return CAIRN_OK; }
        return takers[i].take(check, message, &in);
    }
    return CAIRN_OK;
}

static void print_outcome(const verify *check)
{
    const char *outcome = check->differs ? "differs" : check->check_count > 0 ? "agrees" : "nothing to compare";
    if (check->run->asked.json) {
        printf("{\"outcome\":");
        cairn_replay_print_string(outcome);
        printf(",\"difference\":");
        cairn_replay_print_string(check->difference);
        printf(",\"steps\":%" PRIu64 ",\"checks\":%" PRIu64 ",\"gaps\":%" PRIu64 ",\"checked_s\":%.9g",
               check->step_count, check->check_count, check->gap_count, check->checked_s);
        printf(",\"state_hash\":\"%016" PRIx64 "\",\"map_hash\":\"%016" PRIx64 "\"}\n", check->hash.state,
               check->hash.map);
    } else if (check->differs) {
        printf("differs: %s\n", check->difference);
    } else if (check->check_count > 0) {
        printf("agrees: %" PRIu64 " steps, %" PRIu64 " checks, state %016" PRIx64 ", map %016" PRIx64 "\n",
               check->step_count, check->check_count, check->hash.state, check->hash.map);
    }
}

static void conclude(verify *check)
{
    cairn_complaints *complaints = &check->run->complaints;
    const char *path = check->run->paths[0];
    print_outcome(check);
    if (!check->has_def) {
        cairn_complain(complaints, path, 0,
                       "there is no station in this journal; --verify needs that of a mission or of `cairn station`");
    } else if (check->check_count == 0) {
        cairn_complain(complaints, path, 0,
                       "no state of the station could be compared; the journal is too short or begins in the middle");
    } else if (check->differs) {
        cairn_complain(complaints, path, 0, "the station does not come out the same: %s", check->difference);
    }
}

cairn_err cairn_replay_verify(cairn_replay *run)
{
    verify *check = calloc(1, sizeof *check);
    if (check == NULL) { return CAIRN_ERR_FULL; }
    check->run = run;
    const cairn_replay_visitor visitor = {.take = take, .context = check};
    const cairn_err err = cairn_replay_walk(run, &visitor);
    conclude(check);
    end_station(check);
    cairn_arena_destroy(&check->def_memory);
    free(check->snapshot.bytes);
    free(check);
    return err;
}
