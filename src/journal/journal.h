// journal.h - writes a flight recorder file: MCAP, profile "ros2", chunked, zstd, indexed, CRCs everywhere.
//
// Messages are collected into chunks of about chunk_bytes; a chunk is compressed, written and handed to the
// operating system at once, so after a crash the file is readable up to its last complete chunk. finish adds
// the summary by which viewers jump. The same calls give the same bytes (one version of zstd) and, whatever
// the compression, the same hash.
// Memory   Taken from the heap by create and, for the index, about once for every 100 chunks; write takes none.
// Threads  One owner.
// Source   The MCAP format specification, version 0; docs/journal.md has what we put into it.
#pragma once
#include "messages/layout.h"

// Of what we put into a journal; a reader of a smaller one says so. Goes up when a known channel changes its meaning,
// not with new channels or fields at a type's end.
#define CAIRN_JOURNAL_FORMAT 1

typedef struct cairn_journal cairn_journal;

typedef struct cairn_journal_def {
    size_t chunk_bytes;       // uncompressed; larger compresses better, and a crash loses more
    size_t message_bytes_max; // a larger message is refused
    int zstd_level;           // -7..19; higher is slower and smaller, negative ones hardly compress noisy floats
} cairn_journal_def;

cairn_journal_def cairn_journal_def_default(void);

// Makes or empties the file. The def is copied. CAIRN_ERR_IO (the complaint says why), CAIRN_ERR_FULL without
// memory.
CAIRN_CHECKED cairn_err cairn_journal_create(const cairn_journal_def *def, const char *path,
                                             cairn_complaints *complaints, cairn_journal **ret_journal);

// Makes a channel; copies everything. Encoding is that of the messages, "cdr"; the schema is ros2msg text.
// A topic that is already there with the same schema gives the same channel; with another one
// CAIRN_ERR_INVALID. CAIRN_ERR_FULL beyond CAIRN_JOURNAL_CHANNELS_MAX channels.
#define CAIRN_JOURNAL_CHANNELS_MAX 4096
CAIRN_CHECKED cairn_err cairn_journal_add_channel(cairn_journal *journal, const char *topic, const char *schema_name,
                                                  const char *schema_text, const char *encoding, uint16_t *ret_channel);

// The same for a generated type, ROS 2 or radio, whose structs can then be written by
// cairn_journal_write_message.
CAIRN_CHECKED cairn_err cairn_journal_add_type(cairn_journal *journal, const char *topic, const cairn_ros_type *type,
                                               uint16_t *ret_channel);

// Appends one message; copies the bytes. Times in ns, >= 0, of any one clock; they need not be in order.
// CAIRN_ERR_TOO_LARGE above message_bytes_max. CAIRN_ERR_FULL (disk) and CAIRN_ERR_IO stay: every later call
// returns them too, and cairn_journal_trouble says what happened. O(bytes); a chunk is compressed now and then.
CAIRN_CHECKED cairn_err cairn_journal_write(cairn_journal *journal, uint16_t channel, int64_t log_time_ns,
                                            int64_t publish_time_ns, const void *bytes, size_t size);

// Encodes a struct of the channel's type straight into the journal. Further errors as cairn_cdr_encode.
// A radio message is given by its own struct: &message.telemetry.
CAIRN_CHECKED cairn_err cairn_journal_write_message(cairn_journal *journal, uint16_t channel, int64_t log_time_ns,
                                                    int64_t publish_time_ns, const void *message);

// Ends the chunk and hands it to the operating system: call it every second or so where little is written.
CAIRN_CHECKED cairn_err cairn_journal_flush(cairn_journal *journal);

// Hash of all messages written so far: topics, log times and bytes, in order (base/hash.h).
uint64_t cairn_journal_hash(const cairn_journal *journal);
uint64_t cairn_journal_message_count(const cairn_journal *journal);
uint64_t cairn_journal_file_bytes(const cairn_journal *journal); // written to the file so far

// Writes the summary and closes the file. Only hash, counts, trouble and destroy may follow.
CAIRN_CHECKED cairn_err cairn_journal_finish(cairn_journal *journal);

// Gives everything back. Without finish the file stays as after a crash. Accepts NULL.
void cairn_journal_destroy(cairn_journal *journal);

// What went wrong with the file, for people; "" when all is well.
const char *cairn_journal_trouble(const cairn_journal *journal);
