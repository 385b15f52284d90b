// Journals from anyone: read to the end, every message told by its own schema, in both ways of `cairn replay`.
#include "journal/mcap_read.h"
#include "messages/cdr_csv.h"
#include "messages/cdr_json.h"
#include "messages/schema.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tell(const cairn_mcap_message *message)
{
    static cairn_complaints complaints;
    static char text[1 << 14];
    const cairn_mcap_channel *channel = message->channel;
    const cairn_ros_type *type = NULL;
    cairn_arena arena;
    size_t length = 0;
    memset(&complaints, 0, sizeof complaints);
    if (cairn_arena_create(&arena, cairn_schema_arena_bytes(channel->schema_bytes)) != CAIRN_OK) { return; }
    if (cairn_schema_parse(channel->schema_name, channel->schema, channel->schema_bytes, &arena, &complaints, &type) ==
        CAIRN_OK) {
        (void)!cairn_cdr_json(type, message->bytes, message->size, 0, text, sizeof text, &length);
        (void)!cairn_cdr_csv_head(type, 3, text, sizeof text, &length);
        (void)!cairn_cdr_csv_row(type, message->bytes, message->size, 3, text, sizeof text, &length);
    }
    cairn_arena_destroy(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const cairn_mcap_limits limits = {.record_bytes_max = 1 << 16,
                                      .chunk_bytes_max = 1 << 16,
                                      .definition_bytes_max = 1 << 16,
                                      .channel_count_max = 16};
    cairn_mcap_memory memory = {data, size};
    const cairn_mcap_source source = cairn_mcap_source_memory(&memory);
    cairn_mcap_reader *reader = NULL;
    if (cairn_mcap_reader_create(&source, &limits, &reader) != CAIRN_OK) { return 0; }
    cairn_mcap_message message;
    uint64_t count = 0;
    while (cairn_mcap_next(reader, &message) == CAIRN_OK) {
        if (count++ < 50) { tell(&message); }
    }
    const cairn_mcap_info *info = cairn_mcap_reader_info(reader);
    CAIRN_ASSERT(info->message_count == count && info->end != CAIRN_MCAP_READING);
    CAIRN_ASSERT(cairn_mcap_sound(info) == (info->trouble[0] == '\0'));
    cairn_mcap_reader_destroy(reader);
    return 0;
}
