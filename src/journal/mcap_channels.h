// mcap_channels.h - the schemas and channels that a reader has met, by id. For mcap_read.c only.
//
// Memory   From the heap, within the limits; addresses are stable until finish.
#pragma once
#include "journal/mcap_cursor.h"
#include "journal/mcap_read.h"

typedef struct cairn_mcap_schema {
    uint16_t id;
    char *name, *encoding, *text;
    size_t text_bytes;
} cairn_mcap_schema;

typedef struct cairn_mcap_known_channel {
    cairn_mcap_channel public;
    uint16_t schema;
    uint64_t topic_hash;
} cairn_mcap_known_channel;

// Place + 1 for each id, 0 where there is none, in pages that are taken when first needed.
typedef struct cairn_mcap_places {
    uint16_t *pages[256]; // by the upper byte of the id
} cairn_mcap_places;

typedef struct cairn_mcap_channels {
    cairn_mcap_schema **schemas;         // in the order of the file
    cairn_mcap_known_channel **channels; // likewise
    cairn_mcap_places schema_of, channel_of;
    uint16_t schema_count, channel_count, count_max;
    size_t bytes_left;
} cairn_mcap_channels;

CAIRN_CHECKED cairn_err cairn_mcap_channels_init(cairn_mcap_channels *channels, const cairn_mcap_limits *limits);
void cairn_mcap_channels_finish(cairn_mcap_channels *channels);

// Take the content of a record. CAIRN_ERR_CORRUPT when it breaks the format or contradicts an earlier one of
// the same id, CAIRN_ERR_TOO_LARGE beyond the limits, CAIRN_ERR_FULL without memory.
CAIRN_CHECKED cairn_err cairn_mcap_channels_add_schema(cairn_mcap_channels *channels, cairn_mcap_cursor record);
CAIRN_CHECKED cairn_err cairn_mcap_channels_add_channel(cairn_mcap_channels *channels, cairn_mcap_cursor record);

const cairn_mcap_known_channel *cairn_mcap_channels_find(const cairn_mcap_channels *channels, uint16_t id); // or NULL
