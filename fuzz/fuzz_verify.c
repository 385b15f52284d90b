// A station's part of a journal from anyone: setup, inputs, snapshots and states, in any order.
//
// The input is a list of messages: which of the topics (u8), size (u16, little endian), then that many bytes after the
// CDR header. A raster larger than a few MB is not what this looks for: setups with one are left out.
#include "record/levels.h"
#include "record/verifier.h"
#include "station/replay/setup.h"
#include <stdlib.h>
#include <string.h>

#define MESSAGE_BYTES_MAX 65535
#define CELLS_MAX (256 * 256)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_small(const uint8_t *setup, size_t size)
{
    cairn_arena arena;
    cairn_station_def def;
    if (cairn_arena_create(&arena, CAIRN_SETUP_MEMORY_BYTES) != CAIRN_OK) { return false; }
    const bool small = cairn_station_setup_decode(setup, size, &arena, &def) == CAIRN_OK &&
                       (uint64_t)def.raster.width * def.raster.height <= CELLS_MAX;
    cairn_arena_destroy(&arena);
    return small;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const cairn_record_topic topics[] = {CAIRN_TOPIC_SETUP, CAIRN_TOPIC_INPUTS, CAIRN_TOPIC_STATE,
                                                CAIRN_TOPIC_SNAPSHOT, CAIRN_TOPIC_MAP};
    static cairn_complaints complaints;
    static uint8_t bytes[MESSAGE_BYTES_MAX + 4] = {0, 1, 0, 0};
    cairn_verifier *verifier = NULL;
    memset(&complaints, 0, sizeof complaints);
    if (cairn_verifier_create(&verifier) != CAIRN_OK) { return 0; }
    cairn_err err = CAIRN_OK;
    for (size_t at = 0; at + 3 <= size && err == CAIRN_OK;) {
        const cairn_record_topic topic = topics[data[at] % (sizeof topics / sizeof topics[0])];
        size_t length = (size_t)data[at + 1] | (size_t)data[at + 2] << 8;
        at += 3;
        if (length > size - at) { length = size - at; }
        memcpy(bytes + 4, data + at, length);
        at += length;
        const cairn_topic_rule *rule = cairn_topic_rule_of(topic);
        const cairn_verifier_message message = {
            .topic = rule->name, .type = rule->type->name, .time_s = (double)at, .bytes = bytes, .size = length + 4};
        if (topic == CAIRN_TOPIC_SETUP && (length < 4 || !is_small(bytes + 8, length - 4))) { continue; }
        err = cairn_verifier_take(verifier, &message, &complaints);
    }
    const cairn_verifier_info *info = cairn_verifier_look(verifier);
    CAIRN_ASSERT(info->check_count == 0 || info->has_station);
    cairn_verifier_destroy(verifier);
    return 0;
}
