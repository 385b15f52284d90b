// mcap_read.h - reads MCAP files, ours and other people's, whole or cut, and trusts nothing in them.
//
// The reader walks the records from the front, so a file that a crash has cut is read up to its last complete
// chunk. A chunk is given out whole or not at all: its CRC and its framing are checked first. What is wrong is
// told at the end by cairn_mcap_info, with the first cause for people.
// Memory   From the heap, within the limits; buffers are kept from chunk to chunk.
// Threads  One owner.
// Source   The MCAP format specification, version 0. Compression: none and zstd; lz4 is counted and skipped.
#pragma once
#include "base/status.h"

// Where the bytes come from: read must deliver exactly size bytes at offset, or fail.
typedef struct cairn_mcap_source {
    cairn_err (*read)(void *context, uint64_t offset, uint8_t *ret_bytes, size_t size);
    void *context;
    uint64_t size_bytes;
} cairn_mcap_source;

// Bytes in memory: borrowed for as long as the source is used.
typedef struct cairn_mcap_memory {
    const uint8_t *bytes;
    size_t size;
} cairn_mcap_memory;
cairn_mcap_source cairn_mcap_source_memory(cairn_mcap_memory *memory);

// A file. CAIRN_ERR_NOT_FOUND or CAIRN_ERR_IO; the complaint says why. Growth after opening is not seen.
CAIRN_CHECKED cairn_err cairn_mcap_source_open(const char *path, cairn_complaints *complaints,
                                               cairn_mcap_source *ret_source);
void cairn_mcap_source_close(cairn_mcap_source *source); // of an opened file only

typedef struct cairn_mcap_limits {
    size_t record_bytes_max;     // in the file; a larger record is skipped and counted as damage
    size_t chunk_bytes_max;      // uncompressed; likewise
    size_t definition_bytes_max; // names and texts of all channels and schemas together
    uint16_t channel_count_max;  // channels, and schemas
} cairn_mcap_limits;
cairn_mcap_limits cairn_mcap_limits_default(void);

typedef struct cairn_mcap_channel {
    const char *topic;
    const char *encoding;        // of the messages: "cdr", "json", ...
    const char *schema_name;     // "" without a schema
    const char *schema_encoding; // "ros2msg", ...; "" without a schema
    const char *schema;          // NUL-terminated, may hold other NULs
    size_t schema_bytes;
    uint16_t id;
} cairn_mcap_channel;

typedef struct cairn_mcap_message {
    const cairn_mcap_channel *channel; // lives as long as the reader
    const uint8_t *bytes;              // borrowed until the next call
    size_t size;
    uint64_t log_time_ns, publish_time_ns;
    uint32_t sequence;
} cairn_mcap_message;

typedef enum cairn_mcap_end {
    CAIRN_MCAP_READING,  // not at the end yet
    CAIRN_MCAP_COMPLETE, // footer and closing magic are there
    CAIRN_MCAP_CUT,      // the file ends before its footer, as after a crash
    CAIRN_MCAP_BROKEN    // it cannot be read on
} cairn_mcap_end;

typedef struct cairn_mcap_info {
    cairn_mcap_end end;
    char profile[32], library[64]; // shortened if need be
    uint64_t file_bytes;
    uint64_t read_bytes;    // so far
    uint64_t message_count; // given out
    uint32_t chunk_count;   // given out
    uint32_t damage_count;  // chunks left out, CRCs and indexes that do not fit, messages without a channel
    uint64_t chunk_bytes;   // of the chunks given out, uncompressed
    uint64_t packed_bytes;  // the same, compressed
    uint64_t hash;          // of the messages given out, as base/hash.h
    uint64_t hash_recorded; // what a journal of ours says itself
    bool has_hash_recorded;
    uint32_t format;   // of a journal of ours (CAIRN_JOURNAL_FORMAT); 0: not said
    char trouble[200]; // the first thing that was wrong; "" when all is well
} cairn_mcap_info;

typedef struct cairn_mcap_reader cairn_mcap_reader;

// CAIRN_ERR_CORRUPT when the file does not begin as MCAP, CAIRN_ERR_FULL without memory. The source is copied;
// its context is borrowed.
CAIRN_CHECKED cairn_err cairn_mcap_reader_create(const cairn_mcap_source *source, const cairn_mcap_limits *limits,
                                                 cairn_mcap_reader **ret_reader);
void cairn_mcap_reader_destroy(cairn_mcap_reader *reader); // accepts NULL

// The next message in the order of the file. CAIRN_ERR_EMPTY at the end, however it came: look at the info.
CAIRN_CHECKED cairn_err cairn_mcap_next(cairn_mcap_reader *reader, cairn_mcap_message *ret_message);

// Valid at any time; complete after CAIRN_ERR_EMPTY.
const cairn_mcap_info *cairn_mcap_reader_info(const cairn_mcap_reader *reader);

// True when everything was there and every check passed.
bool cairn_mcap_sound(const cairn_mcap_info *info);

// The channels seen so far, in the order of the file; the addresses are stable.
size_t cairn_mcap_channel_count(const cairn_mcap_reader *reader);
const cairn_mcap_channel *cairn_mcap_channel_at(const cairn_mcap_reader *reader, size_t place);
