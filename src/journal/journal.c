// journal.c - messages into chunks, chunks into the file.
#include "journal/journal_state.h"
#include "messages/codec.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MESSAGE_FIELDS_BYTES 22 // channel, sequence, two times
#define CAIRN_TEXT_OF(number) CAIRN_TEXT(number)
#define CAIRN_TEXT(number) #number

cairn_journal_def cairn_journal_def_default(void)
{
    return (cairn_journal_def){.chunk_bytes = 1 << 20, .message_bytes_max = 16 << 20, .zstd_level = 1};
}

static bool take_memory(cairn_journal *journal)
{
    const cairn_journal_def *def = &journal->def;
    const size_t chunk_max = def->chunk_bytes + def->message_bytes_max + 4096;
    journal->zstd = ZSTD_createCCtx();
    journal->entries = calloc(CAIRN_JOURNAL_ENTRIES_MAX, sizeof *journal->entries);
    journal->order = calloc(CAIRN_JOURNAL_ENTRIES_MAX, sizeof *journal->order);
    journal->channels = calloc(CAIRN_JOURNAL_CHANNELS_MAX, sizeof *journal->channels);
    journal->schemas = calloc(CAIRN_JOURNAL_CHANNELS_MAX, sizeof *journal->schemas);
    if (journal->zstd == NULL || journal->entries == NULL || journal->order == NULL || journal->channels == NULL ||
        journal->schemas == NULL) {
        return false;
    }
    return cairn_mcap_reserve(&journal->chunk, chunk_max) &&
           cairn_mcap_reserve(&journal->packed, ZSTD_compressBound(chunk_max)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(journal->zstd, ZSTD_c_compressionLevel, def->zstd_level));
}

static cairn_err write_head(cairn_journal *journal)
{
    cairn_mcap_bytes *out = &journal->scratch;
    cairn_mcap_put(out, CAIRN_MCAP_MAGIC, CAIRN_MCAP_MAGIC_BYTES);
    const size_t header = cairn_mcap_record_begin(out, CAIRN_MCAP_HEADER);
    cairn_mcap_put_text(out, "ros2");
    cairn_mcap_put_text(out, "cairn " CAIRN_VERSION);
    cairn_mcap_record_end(out, header);
    const cairn_err err = cairn_journal_write_scratch(journal);
    // At the head: of a journal that is cut, too, one should know how to read it.
    return err == CAIRN_OK ? cairn_journal_write_metadata(journal, "format", CAIRN_TEXT_OF(CAIRN_JOURNAL_FORMAT)) : err;
}

cairn_err cairn_journal_create(const cairn_journal_def *def, const char *path, cairn_complaints *complaints,
                               cairn_journal **ret_journal)
{
    CAIRN_ASSERT(def->chunk_bytes > 0 && def->message_bytes_max > 0);
    CAIRN_ASSERT(def->zstd_level >= -7 && def->zstd_level <= 19);
    cairn_journal *journal = calloc(1, sizeof *journal);
    if (journal == NULL) { return CAIRN_ERR_FULL; }
    journal->def = *def;
    cairn_err err = take_memory(journal) ? CAIRN_OK : CAIRN_ERR_FULL;
    if (err == CAIRN_OK) { err = cairn_journal_file_create(path, complaints, &journal->file); }
    if (err == CAIRN_OK) { err = write_head(journal); }
    if (err != CAIRN_OK) {
        cairn_journal_destroy(journal);
        return err;
    }
    *ret_journal = journal;
    return CAIRN_OK;
}

void cairn_journal_destroy(cairn_journal *journal)
{
    if (journal == NULL) { return; }
    cairn_journal_file_destroy(journal->file);
    ZSTD_freeCCtx(journal->zstd);
    for (uint16_t i = 0; i < journal->channel_count; i++) { free(journal->channels[i].topic); }
    for (uint16_t i = 0; i < journal->schema_count; i++) {
        free(journal->schemas[i].name);
        free(journal->schemas[i].text);
    }
    cairn_mcap_bytes *bytes[] = {&journal->chunk,
                                 &journal->packed,
                                 &journal->scratch,
                                 &journal->schema_records,
                                 &journal->channel_records,
                                 &journal->chunk_index_records,
                                 &journal->metadata_index_records};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) { cairn_mcap_bytes_finish(bytes[i]); }
    free(journal->entries);
    free(journal->order);
    free(journal->channels);
    free(journal->schemas);
    free(journal);
}

cairn_err cairn_journal_write_scratch(cairn_journal *journal)
{
    cairn_mcap_bytes *scratch = &journal->scratch;
    if (scratch->failed) { return CAIRN_ERR_FULL; }
    const cairn_err err = cairn_journal_file_write(journal->file, scratch->data, scratch->used);
    scratch->used = 0;
    return err;
}

// Appends a copy of the record that starts at a place of the summary's bytes to the chunk.
static cairn_err copy_to_chunk(cairn_journal *journal, const cairn_mcap_bytes *records, size_t from)
{
    cairn_mcap_put(&journal->chunk, records->data + from, records->used - from);
    return journal->chunk.failed || records->failed ? CAIRN_ERR_FULL : CAIRN_OK;
}

static cairn_err add_schema(cairn_journal *journal, const char *name, const char *text, uint16_t *ret_schema)
{
    for (uint16_t i = 0; i < journal->schema_count; i++) {
        if (strcmp(journal->schemas[i].name, name) == 0) {
            *ret_schema = (uint16_t)(i + 1);
            return strcmp(journal->schemas[i].text, text) == 0 ? CAIRN_OK : CAIRN_ERR_INVALID;
        }
    }
    CAIRN_ASSERT(journal->schema_count < CAIRN_JOURNAL_CHANNELS_MAX); // no more schemas than channels
    cairn_journal_schema *schema = &journal->schemas[journal->schema_count++];
    *schema = (cairn_journal_schema){strdup(name), strdup(text)};
    if (schema->name == NULL || schema->text == NULL) { return CAIRN_ERR_FULL; }

    cairn_mcap_bytes *out = &journal->schema_records;
    const size_t from = out->used, record = cairn_mcap_record_begin(out, CAIRN_MCAP_SCHEMA);
    cairn_mcap_put_u16(out, journal->schema_count); // ids start at 1
    cairn_mcap_put_text(out, name);
    cairn_mcap_put_text(out, "ros2msg");
    cairn_mcap_put_text(out, text);
    cairn_mcap_record_end(out, record);
    *ret_schema = journal->schema_count;
    return copy_to_chunk(journal, out, from);
}

static cairn_err put_channel(cairn_journal *journal, const char *topic, uint16_t schema, const char *encoding)
{
    cairn_mcap_bytes *out = &journal->channel_records;
    const size_t from = out->used, record = cairn_mcap_record_begin(out, CAIRN_MCAP_CHANNEL);
    cairn_mcap_put_u16(out, journal->channel_count);
    cairn_mcap_put_u16(out, schema);
    cairn_mcap_put_text(out, topic);
    cairn_mcap_put_text(out, encoding);
    cairn_mcap_put_u32(out, 0); // no metadata
    cairn_mcap_record_end(out, record);
    return copy_to_chunk(journal, out, from);
}

cairn_err cairn_journal_add_channel(cairn_journal *journal, const char *topic, const char *schema_name,
                                    const char *schema_text, const char *encoding, uint16_t *ret_channel)
{
    CAIRN_ASSERT(!journal->finished && topic[0] != '\0' && schema_name[0] != '\0');
    for (uint16_t i = 0; i < journal->channel_count; i++) {
        const cairn_journal_channel *channel = &journal->channels[i];
        if (strcmp(channel->topic, topic) != 0) { continue; }
        const cairn_journal_schema *schema = &journal->schemas[channel->schema - 1];
        if (strcmp(schema->name, schema_name) != 0 || strcmp(schema->text, schema_text) != 0) {
            return CAIRN_ERR_INVALID;
        }
        *ret_channel = (uint16_t)(i + 1);
        return CAIRN_OK;
    }
    if (journal->channel_count == CAIRN_JOURNAL_CHANNELS_MAX) { return CAIRN_ERR_FULL; }
    uint16_t schema = 0;
    cairn_err err = add_schema(journal, schema_name, schema_text, &schema);
    if (err != CAIRN_OK) { return err; }
    char *copy = strdup(topic);
    if (copy == NULL) { return CAIRN_ERR_FULL; }
    journal->channels[journal->channel_count++] =
        (cairn_journal_channel){.topic = copy, .topic_hash = cairn_hash_topic(topic), .schema = schema};
    err = put_channel(journal, topic, schema, encoding);
    if (err == CAIRN_OK) { *ret_channel = journal->channel_count; }
    return err;
}

cairn_err cairn_journal_add_type(cairn_journal *journal, const char *topic, const cairn_ros_type *type,
                                 uint16_t *ret_channel)
{
    CAIRN_ASSERT(type->schema != NULL && type->size_bytes > 0);
    const cairn_err err = cairn_journal_add_channel(journal, topic, type->name, type->schema, "cdr", ret_channel);
    if (err == CAIRN_OK) { journal->channels[*ret_channel - 1].type = type; }
    return err;
}

static void put_chunk_head(cairn_journal *journal, size_t packed_size)
{
    cairn_mcap_bytes *out = &journal->scratch;
    const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_CHUNK);
    cairn_mcap_put_u64(out, journal->chunk_start_ns);
    cairn_mcap_put_u64(out, journal->chunk_end_ns);
    cairn_mcap_put_u64(out, journal->chunk.used);
    cairn_mcap_put_u32(out, (uint32_t)crc32_z(0, journal->chunk.data, journal->chunk.used));
    cairn_mcap_put_text(out, "zstd");
    cairn_mcap_put_u64(out, packed_size);
    if (out->failed) { return; }
    const uint64_t length = out->used - record + packed_size; // the packed bytes follow from their own block
    memcpy(out->data + record - sizeof length, &length, sizeof length);
}

// Fills order with the entries sorted by channel, each channel's in the order of writing.
static void sort_entries(cairn_journal *journal)
{
    uint32_t next = 0;
    uint32_t starts[CAIRN_JOURNAL_CHANNELS_MAX];
    for (uint16_t i = 0; i < journal->channel_count; i++) {
        starts[i] = next;
        next += journal->channels[i].entry_count;
    }
    CAIRN_ASSERT(next == journal->entry_count);
    for (uint32_t i = 0; i < journal->entry_count; i++) {
        journal->order[starts[journal->entries[i].channel - 1]++] = i;
    }
}

// The chunk's message indexes into scratch, and the chunk's own line into the summary.
static void put_indexes(cairn_journal *journal, uint64_t chunk_at, uint64_t chunk_length, size_t packed_size)
{
    cairn_mcap_bytes *out = &journal->scratch, *index = &journal->chunk_index_records;
    const size_t record = cairn_mcap_record_begin(index, CAIRN_MCAP_CHUNK_INDEX);
    cairn_mcap_put_u64(index, journal->chunk_start_ns);
    cairn_mcap_put_u64(index, journal->chunk_end_ns);
    cairn_mcap_put_u64(index, chunk_at);
    cairn_mcap_put_u64(index, chunk_length);
    const size_t map_at = index->used;
    cairn_mcap_put_u32(index, 0);
    uint32_t next = 0, map_bytes = 0;
    sort_entries(journal);
    for (uint16_t i = 0; i < journal->channel_count; i++) {
        const uint32_t count = journal->channels[i].entry_count;
        if (count == 0) { continue; }
        cairn_mcap_put_u16(index, (uint16_t)(i + 1));
        cairn_mcap_put_u64(index, chunk_at + chunk_length + out->used);
        map_bytes += sizeof(uint16_t) + sizeof(uint64_t);
        const size_t message_index = cairn_mcap_record_begin(out, CAIRN_MCAP_MESSAGE_INDEX);
        cairn_mcap_put_u16(out, (uint16_t)(i + 1));
        cairn_mcap_put_u32(out, count * 2 * sizeof(uint64_t));
        for (const uint32_t end = next + count; next < end; next++) {
            const cairn_journal_entry *entry = &journal->entries[journal->order[next]];
            cairn_mcap_put_u64(out, entry->log_time_ns);
            cairn_mcap_put_u64(out, entry->offset);
        }
        cairn_mcap_record_end(out, message_index);
    }
    if (!index->failed) { memcpy(index->data + map_at, &map_bytes, sizeof map_bytes); }
    cairn_mcap_put_u64(index, out->used); // of all message indexes
    cairn_mcap_put_text(index, "zstd");
    cairn_mcap_put_u64(index, packed_size);
    cairn_mcap_put_u64(index, journal->chunk.used);
    cairn_mcap_record_end(index, record);
}

static void forget_chunk(cairn_journal *journal)
{
    journal->chunk.used = 0;
    journal->entry_count = 0;
    journal->chunk_start_ns = journal->chunk_end_ns = 0;
    for (uint16_t i = 0; i < journal->channel_count; i++) { journal->channels[i].entry_count = 0; }
}

static cairn_err write_chunk(cairn_journal *journal)
{
    if (!cairn_mcap_reserve(&journal->packed, ZSTD_compressBound(journal->chunk.used))) { return CAIRN_ERR_FULL; }
    const size_t packed = ZSTD_compress2(journal->zstd, journal->packed.data, journal->packed.max, journal->chunk.data,
                                         journal->chunk.used);
    CAIRN_ASSERT(!ZSTD_isError(packed)); // the block is as large as zstd asked for
    const uint64_t chunk_at = cairn_journal_file_offset(journal->file);
    put_chunk_head(journal, packed);
    cairn_err err = cairn_journal_write_scratch(journal);
    if (err == CAIRN_OK) { err = cairn_journal_file_write(journal->file, journal->packed.data, packed); }
    if (err != CAIRN_OK) { return err; }
    put_indexes(journal, chunk_at, cairn_journal_file_offset(journal->file) - chunk_at, packed);
    err = cairn_journal_write_scratch(journal);
    if (err == CAIRN_OK && journal->chunk_index_records.failed) { err = CAIRN_ERR_FULL; }
    journal->chunk_count++;
    return err == CAIRN_OK ? cairn_journal_file_flush(journal->file) : err;
}

cairn_err cairn_journal_flush(cairn_journal *journal)
{
    CAIRN_ASSERT(!journal->finished);
    if (journal->chunk.used == 0) { return cairn_journal_file_flush(journal->file); }
    const cairn_err err = write_chunk(journal);
    forget_chunk(journal); // after a failure too: what a full disk did not take is lost
    return err;
}

// Everything of a message record but its data and its length.
static size_t begin_message(cairn_journal *journal, uint16_t channel, int64_t log_time_ns, int64_t publish_time_ns)
{
    CAIRN_ASSERT(!journal->finished && channel >= 1 && channel <= journal->channel_count);
    CAIRN_ASSERT(log_time_ns >= 0 && publish_time_ns >= 0);
    cairn_mcap_bytes *out = &journal->chunk;
    const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_MESSAGE);
    cairn_mcap_put_u16(out, channel);
    cairn_mcap_put_u32(out, journal->channels[channel - 1].sequence);
    cairn_mcap_put_u64(out, (uint64_t)log_time_ns);
    cairn_mcap_put_u64(out, (uint64_t)publish_time_ns);
    return record;
}

// Counts, hashes and indexes the message that ends the chunk now, and ends the chunk when it is large enough.
static cairn_err end_message(cairn_journal *journal, uint16_t channel_id, uint64_t log_time_ns, size_t record)
{
    cairn_journal_channel *channel = &journal->channels[channel_id - 1];
    cairn_mcap_record_end(&journal->chunk, record);
    const uint8_t *data = journal->chunk.data + record + MESSAGE_FIELDS_BYTES;
    const size_t size = journal->chunk.used - record - MESSAGE_FIELDS_BYTES;
    cairn_message_hash_add(&journal->hash, channel->topic_hash, log_time_ns, data, size);

    const bool first = journal->message_count == 0, first_here = journal->entry_count == 0;
    if (first || log_time_ns < journal->start_ns) { journal->start_ns = log_time_ns; }
    if (first || log_time_ns > journal->end_ns) { journal->end_ns = log_time_ns; }
    if (first_here || log_time_ns < journal->chunk_start_ns) { journal->chunk_start_ns = log_time_ns; }
    if (first_here || log_time_ns > journal->chunk_end_ns) { journal->chunk_end_ns = log_time_ns; }
    journal->entries[journal->entry_count++] =
        (cairn_journal_entry){log_time_ns, record - CAIRN_MCAP_RECORD_HEADER_BYTES, channel_id};
    journal->message_count++;
    channel->message_count++;
    channel->entry_count++;
    channel->sequence++;
    const bool full =
        journal->chunk.used >= journal->def.chunk_bytes || journal->entry_count == CAIRN_JOURNAL_ENTRIES_MAX;
    return full ? cairn_journal_flush(journal) : CAIRN_OK;
}

cairn_err cairn_journal_write(cairn_journal *journal, uint16_t channel, int64_t log_time_ns, int64_t publish_time_ns,
                              const void *bytes, size_t size)
{
    if (size > journal->def.message_bytes_max) { return CAIRN_ERR_TOO_LARGE; }
    const cairn_err err = cairn_journal_file_write(journal->file, NULL, 0); // an earlier failure stays
    if (err != CAIRN_OK) { return err; }
    const size_t record = begin_message(journal, channel, log_time_ns, publish_time_ns);
    cairn_mcap_put(&journal->chunk, bytes, size);
    if (journal->chunk.failed) { return CAIRN_ERR_FULL; }
    return end_message(journal, channel, (uint64_t)log_time_ns, record);
}

cairn_err cairn_journal_write_message(cairn_journal *journal, uint16_t channel, int64_t log_time_ns,
                                      int64_t publish_time_ns, const void *message)
{
    cairn_err err = cairn_journal_file_write(journal->file, NULL, 0);
    if (err != CAIRN_OK) { return err; }
    cairn_mcap_bytes *chunk = &journal->chunk;
    const size_t before = chunk->used, record = begin_message(journal, channel, log_time_ns, publish_time_ns);
    const cairn_ros_type *type = journal->channels[channel - 1].type;
    CAIRN_ASSERT(type != NULL);
    if (chunk->failed || !cairn_mcap_reserve(chunk, journal->def.message_bytes_max)) { return CAIRN_ERR_FULL; }
    size_t size = 0;
    err = cairn_cdr_encode(type, message, chunk->data + chunk->used, journal->def.message_bytes_max, &size);
    if (err != CAIRN_OK) {
        chunk->used = before;
        return err == CAIRN_ERR_FULL ? CAIRN_ERR_TOO_LARGE : err;
    }
    chunk->used += size;
    return end_message(journal, channel, (uint64_t)log_time_ns, record);
}

uint64_t cairn_journal_hash(const cairn_journal *journal) { return journal->hash.value; }
uint64_t cairn_journal_message_count(const cairn_journal *journal) { return journal->message_count; }
uint64_t cairn_journal_file_bytes(const cairn_journal *journal) { return cairn_journal_file_offset(journal->file); }
const char *cairn_journal_trouble(const cairn_journal *journal) { return cairn_journal_file_trouble(journal->file); }
