// mcap_channels.c - schemas and channels by id.
#include "journal/mcap_channels.h"
#include "base/hash.h"
#include <stdlib.h>

static uint16_t place_of(const cairn_mcap_places *places, uint16_t id)
{
    const uint16_t *page = places->pages[id >> 8];
    return page == NULL ? 0 : page[id & 255];
}

static bool set_place(cairn_mcap_places *places, uint16_t id, uint16_t place)
{
    uint16_t **page = &places->pages[id >> 8];
    if (*page == NULL) { *page = calloc(256, sizeof **page); }
    if (*page == NULL) { return false; }
    (*page)[id & 255] = place;
    return true;
}

cairn_err cairn_mcap_channels_init(cairn_mcap_channels *channels, const cairn_mcap_limits *limits)
{
    *channels =
        (cairn_mcap_channels){.count_max = limits->channel_count_max, .bytes_left = limits->definition_bytes_max};
    channels->schemas = calloc(limits->channel_count_max, sizeof(cairn_mcap_schema *));
    channels->channels = calloc(limits->channel_count_max, sizeof(cairn_mcap_known_channel *));
    return channels->schemas != NULL && channels->channels != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
}

void cairn_mcap_channels_finish(cairn_mcap_channels *channels)
{
    for (size_t i = 0; i < channels->schema_count; i++) { free(channels->schemas[i]); }
    for (size_t i = 0; i < channels->channel_count; i++) { free(channels->channels[i]); }
    free(channels->schemas);
    free(channels->channels);
    for (size_t i = 0; i < 256; i++) {
        free(channels->schema_of.pages[i]);
        free(channels->channel_of.pages[i]);
    }
    *channels = (cairn_mcap_channels){0};
}

// A struct with its texts behind it, in one block that counts against the limit.
static void *take_block(cairn_mcap_channels *channels, size_t struct_bytes, size_t text_bytes, cairn_err *ret_err)
{
    const size_t size = struct_bytes + text_bytes;
    *ret_err = CAIRN_ERR_TOO_LARGE;
    if (size > channels->bytes_left) { return NULL; }
    channels->bytes_left -= size;
    *ret_err = CAIRN_ERR_FULL;
    return calloc(1, size);
}

static char *place_text(char **at, cairn_mcap_slice text)
{
    char *start = *at;
    if (text.size > 0) { memcpy(start, text.bytes, text.size); }
    start[text.size] = '\0';
    *at += text.size + 1;
    return start;
}

static bool same_text(const char *text, cairn_mcap_slice slice)
{
    return memcmp(text, slice.bytes, slice.size) == 0 && text[slice.size] == '\0';
}

cairn_err cairn_mcap_channels_add_schema(cairn_mcap_channels *channels, cairn_mcap_cursor record)
{
    const uint16_t id = cairn_mcap_take_u16(&record);
    const cairn_mcap_slice name = cairn_mcap_take_text(&record), encoding = cairn_mcap_take_text(&record);
    const cairn_mcap_slice text = cairn_mcap_take_text(&record);
    if (record.bad || id == 0) { return CAIRN_ERR_CORRUPT; }
    if (place_of(&channels->schema_of, id) != 0) {
        const cairn_mcap_schema *known = channels->schemas[place_of(&channels->schema_of, id) - 1];
        const bool same = strlen(known->name) == name.size && same_text(known->name, name) &&
                          known->text_bytes == text.size && memcmp(known->text, text.bytes, text.size) == 0;
        return same ? CAIRN_OK : CAIRN_ERR_CORRUPT;
    }
    if (channels->schema_count == channels->count_max) { return CAIRN_ERR_TOO_LARGE; }
    cairn_err err;
    cairn_mcap_schema *schema = take_block(channels, sizeof *schema, name.size + encoding.size + text.size + 3, &err);
    if (schema == NULL) { return err; }
    char *at = (char *)(schema + 1);
    schema->id = id;
    schema->name = place_text(&at, name);
    schema->encoding = place_text(&at, encoding);
    schema->text = place_text(&at, text);
    schema->text_bytes = text.size;
    channels->schemas[channels->schema_count++] = schema;
    return set_place(&channels->schema_of, id, channels->schema_count) ? CAIRN_OK : CAIRN_ERR_FULL;
}

static void join_schema(const cairn_mcap_channels *channels, cairn_mcap_known_channel *channel)
{
    channel->public.schema_name = channel->public.schema_encoding = channel->public.schema = "";
    if (channel->schema == 0) { return; }
    const cairn_mcap_schema *schema = channels->schemas[place_of(&channels->schema_of, channel->schema) - 1];
    channel->public.schema_name = schema->name;
    channel->public.schema_encoding = schema->encoding;
    channel->public.schema = schema->text;
    channel->public.schema_bytes = schema->text_bytes;
}

cairn_err cairn_mcap_channels_add_channel(cairn_mcap_channels *channels, cairn_mcap_cursor record)
{
    const uint16_t id = cairn_mcap_take_u16(&record), schema = cairn_mcap_take_u16(&record);
    const cairn_mcap_slice topic = cairn_mcap_take_text(&record), encoding = cairn_mcap_take_text(&record);
    (void)cairn_mcap_take_text(&record); // metadata: nothing in it is ours
    if (record.bad || (schema != 0 && place_of(&channels->schema_of, schema) == 0)) { return CAIRN_ERR_CORRUPT; }
    if (place_of(&channels->channel_of, id) != 0) {
        const cairn_mcap_known_channel *known = channels->channels[place_of(&channels->channel_of, id) - 1];
        const bool same = known->schema == schema && strlen(known->public.topic) == topic.size &&
                          same_text(known->public.topic, topic);
        return same ? CAIRN_OK : CAIRN_ERR_CORRUPT;
    }
    if (channels->channel_count == channels->count_max) { return CAIRN_ERR_TOO_LARGE; }
    cairn_err err;
    cairn_mcap_known_channel *channel = take_block(channels, sizeof *channel, topic.size + encoding.size + 2, &err);
    if (channel == NULL) { return err; }
    char *at = (char *)(channel + 1);
    channel->schema = schema;
    channel->public.id = id;
    channel->public.topic = place_text(&at, topic);
    channel->public.encoding = place_text(&at, encoding);
    channel->topic_hash = cairn_hash_topic(channel->public.topic);
    join_schema(channels, channel);
    channels->channels[channels->channel_count++] = channel;
    return set_place(&channels->channel_of, id, channels->channel_count) ? CAIRN_OK : CAIRN_ERR_FULL;
}

const cairn_mcap_known_channel *cairn_mcap_channels_find(const cairn_mcap_channels *channels, uint16_t id)
{
    const uint16_t place = place_of(&channels->channel_of, id);
    return place == 0 ? NULL : channels->channels[place - 1];
}
