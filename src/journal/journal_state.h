// journal_state.h - what journal.c and journal_summary.c know of a journal. For them only.
#pragma once
#include "base/hash.h"
#include "journal/file_io.h"
#include "journal/journal.h"
#include "journal/mcap.h"
#include <zstd.h>

// Messages in one chunk; a chunk with more is ended early.
#define CAIRN_JOURNAL_ENTRIES_MAX 65536

typedef struct cairn_journal_entry {
    uint64_t log_time_ns;
    uint64_t offset; // of the record in the uncompressed chunk
    uint16_t channel;
} cairn_journal_entry;

typedef struct cairn_journal_channel {
    char *topic;
    const cairn_ros_type *type; // NULL: written as bytes only
    uint64_t topic_hash;
    uint64_t message_count;
    uint32_t sequence;
    uint32_t entry_count; // in the chunk being filled
    uint16_t schema;      // id, from 1
} cairn_journal_channel;

typedef struct cairn_journal_schema {
    char *name, *text;
} cairn_journal_schema;

struct cairn_journal {
    cairn_journal_def def;
    cairn_journal_file *file;
    ZSTD_CCtx *zstd;
    cairn_mcap_bytes chunk;  // records, not yet compressed
    cairn_mcap_bytes packed; // the chunk, compressed
    cairn_mcap_bytes scratch;
    cairn_journal_entry *entries; // CAIRN_JOURNAL_ENTRIES_MAX of them
    uint32_t *order;              // likewise: entries by channel
    uint32_t entry_count;
    uint64_t chunk_start_ns, chunk_end_ns; // times of its messages

    cairn_journal_channel *channels; // CAIRN_JOURNAL_CHANNELS_MAX of them; id = place + 1
    cairn_journal_schema *schemas;   // likewise
    uint16_t channel_count, schema_count;

    // Records of the summary, kept as they will be written.
    cairn_mcap_bytes schema_records, channel_records, chunk_index_records;
    cairn_mcap_bytes metadata_index_records;
    uint64_t message_count, start_ns, end_ns;
    uint32_t chunk_count, metadata_count;
    cairn_message_hash hash;
    bool finished;
};

// Writes scratch to the file and empties it.
CAIRN_CHECKED cairn_err cairn_journal_write_scratch(cairn_journal *journal);

// Writes one line of our own about this journal, as a metadata record "cairn" with one key.
CAIRN_CHECKED cairn_err cairn_journal_write_metadata(cairn_journal *journal, const char *key, const char *value);
