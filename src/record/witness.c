#include "record/witness.h"
#include "station/replay/setup.h"
#include <stdlib.h>

// What the head of a file takes in the queue beside its bytes: names, numbers, padding.
#define HEAD_EXTRA_BYTES (64u << 10)

struct cairn_witness {
    cairn_station *station;
    cairn_recorder *recorder;
    cairn_mono hashed;
    uint8_t *snapshot; // on the heap; grows
    size_t snapshot_max;
    size_t setup_bytes;
    uint8_t setup[CAIRN_SETUP_BYTES_MAX];
};

// The state as bytes into witness->snapshot; false without memory.
static bool take_snapshot(cairn_witness *witness, size_t *ret_size)
{
    const size_t size = cairn_station_save_bytes(witness->station);
    if (size > witness->snapshot_max) {
        uint8_t *grown = realloc(witness->snapshot, size);
        if (grown == NULL) { return false; }
        witness->snapshot = grown;
        witness->snapshot_max = size;
    }
    return cairn_station_save(witness->station, witness->snapshot, witness->snapshot_max, ret_size) == CAIRN_OK;
}

static void say_first_words(cairn_witness *witness, size_t snapshot_bytes, cairn_mono now)
{
    cairn_recorder_add_setup(witness->recorder, witness->setup, witness->setup_bytes, now);
    const uint64_t step = cairn_station_step(witness->station);
    if (step > 0 && snapshot_bytes > 0) {
        const cairn_recorder_snapshot snapshot = {
            .step = step, .layout = CAIRN_STATION_LAYOUT, .bytes = witness->snapshot, .size = snapshot_bytes};
        cairn_recorder_add_snapshot(witness->recorder, &snapshot, now);
    }
}

cairn_err cairn_witness_create(const cairn_station_def *def, cairn_station *station, cairn_recorder *recorder,
                               cairn_mono now, cairn_witness **ret_witness)
{
    cairn_witness *witness = calloc(1, sizeof *witness);
    if (witness == NULL) { return CAIRN_ERR_FULL; }
    *witness = (cairn_witness){.station = station, .recorder = recorder, .hashed = now};
    cairn_err err = cairn_station_setup_encode(def, witness->setup, sizeof witness->setup, &witness->setup_bytes);
    size_t size = 0;
    if (err == CAIRN_OK && cairn_station_step(station) > 0 && !take_snapshot(witness, &size)) { err = CAIRN_ERR_FULL; }
    if (err != CAIRN_OK) {
        cairn_witness_destroy(witness);
        return err;
    }
    say_first_words(witness, size, now);
    *ret_witness = witness;
    return CAIRN_OK;
}

void cairn_witness_destroy(cairn_witness *witness)
{
    if (witness == NULL) { return; }
    free(witness->snapshot);
    free(witness);
}

void cairn_witness_record(void *context, const cairn_station_record *record)
{
    cairn_witness *witness = context;
    cairn_recorder_add_inputs(witness->recorder, record, cairn_station_time(witness->station));
}

static void write_state(cairn_witness *witness, cairn_mono now)
{
    cairn_recorder_add_state(witness->recorder, cairn_station_step(witness->station),
                             cairn_station_hashes(witness->station), now);
    witness->hashed = now;
}

static void turn(cairn_witness *witness, cairn_mono now)
{
    size_t size = 0;
    if (!take_snapshot(witness, &size)) { return; }
    if (cairn_recorder_turn(witness->recorder, now, witness->setup_bytes + size + size / 256 + HEAD_EXTRA_BYTES)) {
        say_first_words(witness, size, now);
    }
}

void cairn_witness_step(cairn_witness *witness, cairn_mono now)
{
    const bool turns = cairn_recorder_turn_is_due(witness->recorder);
    if (turns || cairn_mono_since(now, witness->hashed) >= CAIRN_WITNESS_PERIOD_NS) { write_state(witness, now); }
    if (turns) { turn(witness, now); }
}

void cairn_witness_follow(cairn_witness *witness, cairn_station *station)
{
    CAIRN_ASSERT(cairn_station_step(station) == cairn_station_step(witness->station));
    witness->station = station;
}

void cairn_witness_conclude(cairn_witness *witness, cairn_mono now) { write_state(witness, now); }
