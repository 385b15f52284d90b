// mcap_read.c - a walk over the records of a file, from the front.
//
// The CRC of the data section and that of the summary are kept running over every byte, skipped records
// included, so that a flipped bit anywhere is seen at the latest at the end.
#include "journal/mcap_read.h"
#include "base/hash.h"
#include "journal/mcap.h"
#include "journal/mcap_channels.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define SKIP_BYTES 65536
#define MESSAGE_FIELDS_BYTES 22 // channel, sequence, two times

struct cairn_mcap_reader {
    cairn_mcap_source source;
    cairn_mcap_limits limits;
    cairn_mcap_info info;
    cairn_mcap_channels channels;
    cairn_message_hash hash;
    ZSTD_DCtx *zstd;          // taken with the first compressed chunk
    uint64_t offset;          // of what is read next
    uint32_t crc;             // of the bytes before offset, from the start of the section
    uint64_t summary_at;      // 0: still in the data section
    cairn_mcap_bytes record;  // content of the current record
    cairn_mcap_bytes chunk;   // content of the current chunk
    cairn_mcap_cursor inside; // what is left of the current chunk
};

cairn_mcap_limits cairn_mcap_limits_default(void)
{
    return (cairn_mcap_limits){.record_bytes_max = 256 << 20,
                               .chunk_bytes_max = 256 << 20,
                               .definition_bytes_max = 64 << 20,
                               .channel_count_max = 4096};
}

static CAIRN_PRINTF(2, 3) void note_trouble(cairn_mcap_reader *reader, const char *format, ...)
{
    if (reader->info.trouble[0] != '\0') { return; }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reader->info.trouble, sizeof reader->info.trouble, format, args);
    va_end(args);
}

#define DAMAGE(reader, ...) ((reader)->info.damage_count++, note_trouble((reader), __VA_ARGS__))

static void end_with(cairn_mcap_reader *reader, cairn_mcap_end end, const char *why)
{
    reader->info.end = end;
    if (end != CAIRN_MCAP_COMPLETE) { note_trouble(reader, "byte %" PRIu64 ": %s", reader->offset, why); }
}

// Reads on: advances the offset and the CRC.
static bool read_on(cairn_mcap_reader *reader, uint8_t *ret_bytes, size_t size)
{
    if (reader->source.read(reader->source.context, reader->offset, ret_bytes, size) != CAIRN_OK) {
        end_with(reader, CAIRN_MCAP_BROKEN, "cannot be read");
        return false;
    }
    reader->crc = (uint32_t)crc32_z(reader->crc, ret_bytes, size);
    reader->offset += size;
    reader->info.read_bytes = reader->offset;
    return true;
}

static bool read_magic(cairn_mcap_reader *reader)
{
    uint8_t magic[CAIRN_MCAP_MAGIC_BYTES];
    return reader->source.size_bytes - reader->offset >= sizeof magic && read_on(reader, magic, sizeof magic) &&
           memcmp(magic, CAIRN_MCAP_MAGIC, sizeof magic) == 0;
}

cairn_err cairn_mcap_reader_create(const cairn_mcap_source *source, const cairn_mcap_limits *limits,
                                   cairn_mcap_reader **ret_reader)
{
    CAIRN_ASSERT(limits->channel_count_max > 0 && limits->record_bytes_max > 0);
    cairn_mcap_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) { return CAIRN_ERR_FULL; }
    reader->source = *source;
    reader->limits = *limits;
    reader->info.file_bytes = source->size_bytes;
    cairn_err err = cairn_mcap_channels_init(&reader->channels, limits);
    if (err == CAIRN_OK && !read_magic(reader)) { err = CAIRN_ERR_CORRUPT; }
    if (err != CAIRN_OK) {
        cairn_mcap_reader_destroy(reader);
        return err;
    }
    *ret_reader = reader;
    return CAIRN_OK;
}

void cairn_mcap_reader_destroy(cairn_mcap_reader *reader)
{
    if (reader == NULL) { return; }
    cairn_mcap_channels_finish(&reader->channels);
    cairn_mcap_bytes_finish(&reader->record);
    cairn_mcap_bytes_finish(&reader->chunk);
    ZSTD_freeDCtx(reader->zstd);
    free(reader);
}

static void skip(cairn_mcap_reader *reader, uint64_t size)
{
    uint8_t block[SKIP_BYTES];
    while (size > 0) {
        const size_t step = size < sizeof block ? (size_t)size : sizeof block;
        if (!read_on(reader, block, step)) { return; }
        size -= step;
    }
}

static bool load_record(cairn_mcap_reader *reader, uint64_t size)
{
    reader->record.used = 0;
    if (!cairn_mcap_reserve(&reader->record, (size_t)size)) {
        end_with(reader, CAIRN_MCAP_BROKEN, "there is no memory for this record");
        return false;
    }
    if (!read_on(reader, reader->record.data, (size_t)size)) { return false; }
    reader->record.used = (size_t)size;
    return true;
}

static void copy_shortened(char *to, size_t max, cairn_mcap_slice text)
{
    const size_t size = text.size < max ? text.size : max - 1;
    memcpy(to, text.bytes, size);
    to[size] = '\0';
}

static void take_header(cairn_mcap_reader *reader, cairn_mcap_cursor record)
{
    const cairn_mcap_slice profile = cairn_mcap_take_text(&record), library = cairn_mcap_take_text(&record);
    if (record.bad) {
        DAMAGE(reader, "the header is broken");
        return;
    }
    copy_shortened(reader->info.profile, sizeof reader->info.profile, profile);
    copy_shortened(reader->info.library, sizeof reader->info.library, library);
}

static void take_definition(cairn_mcap_reader *reader, uint8_t opcode, cairn_mcap_cursor record)
{
    const cairn_err err = opcode == CAIRN_MCAP_SCHEMA ? cairn_mcap_channels_add_schema(&reader->channels, record)
                                                      : cairn_mcap_channels_add_channel(&reader->channels, record);
    if (err != CAIRN_OK) {
        DAMAGE(reader, "before byte %" PRIu64 ": a %s is %s", reader->offset,
               opcode == CAIRN_MCAP_SCHEMA ? "schema" : "channel", cairn_err_name(err));
    }
}

// Fills in the message; false when there is none to give out.
static bool take_message(cairn_mcap_reader *reader, cairn_mcap_cursor record, cairn_mcap_message *ret_message)
{
    const uint16_t id = cairn_mcap_take_u16(&record);
    const uint32_t sequence = cairn_mcap_take_u32(&record);
    const uint64_t log_time_ns = cairn_mcap_take_u64(&record), publish_time_ns = cairn_mcap_take_u64(&record);
    const cairn_mcap_known_channel *channel = cairn_mcap_channels_find(&reader->channels, id);
    if (record.bad || channel == NULL) {
        DAMAGE(reader, "before byte %" PRIu64 ": a message of channel %u, which is not defined", reader->offset, id);
        return false;
    }
    const size_t size = (size_t)(record.end - record.at);
    *ret_message = (cairn_mcap_message){&channel->public, record.at, size, log_time_ns, publish_time_ns, sequence};
    cairn_message_hash_add(&reader->hash, channel->topic_hash, log_time_ns, record.at, size);
    reader->info.hash = reader->hash.value;
    reader->info.message_count++;
    return true;
}

// Whether the records inside a chunk fill it exactly.
static bool well_framed(cairn_mcap_slice content)
{
    cairn_mcap_cursor cursor = cairn_mcap_cursor_over(content.bytes, content.size);
    while (!cursor.bad && cursor.at < cursor.end) {
        const uint8_t opcode = cairn_mcap_take_u8(&cursor);
        const uint64_t length = cairn_mcap_take_u64(&cursor);
        if (opcode == 0 || (opcode == CAIRN_MCAP_MESSAGE && length < MESSAGE_FIELDS_BYTES)) { return false; }
        (void)cairn_mcap_take(&cursor, length);
    }
    return !cursor.bad;
}

// The content of a chunk, uncompressed; NULL for what is wrong with it otherwise.
static const char *unpack(cairn_mcap_reader *reader, cairn_mcap_slice compression, cairn_mcap_slice packed,
                          uint64_t size, cairn_mcap_slice *ret_content)
{
    if (compression.size == 0) {
        *ret_content = packed;
        return packed.size == size ? NULL : "its size is not what it says";
    }
    if (!cairn_mcap_slice_is(compression, "zstd")) { return "its compression is not supported; convert it to zstd"; }
    if (size > reader->limits.chunk_bytes_max) { return "it is larger than the limit"; }
    reader->chunk.used = 0;
    if (reader->zstd == NULL) { reader->zstd = ZSTD_createDCtx(); }
    if (reader->zstd == NULL || !cairn_mcap_reserve(&reader->chunk, (size_t)size + 1)) {
        return "there is no memory for it";
    }
    const size_t got = ZSTD_decompressDCtx(reader->zstd, reader->chunk.data, (size_t)size, packed.bytes, packed.size);
    if (ZSTD_isError(got)) { return ZSTD_getErrorName(got); }
    *ret_content = (cairn_mcap_slice){reader->chunk.data, got};
    return got == size ? NULL : "its size is not what it says";
}

static void take_chunk(cairn_mcap_reader *reader, cairn_mcap_cursor record, uint64_t at)
{
    (void)cairn_mcap_take_u64(&record); // times of the first and last message: for those who jump
    (void)cairn_mcap_take_u64(&record);
    const uint64_t size = cairn_mcap_take_u64(&record);
    const uint32_t crc = cairn_mcap_take_u32(&record);
    const cairn_mcap_slice compression = cairn_mcap_take_text(&record);
    const cairn_mcap_slice packed = cairn_mcap_take(&record, cairn_mcap_take_u64(&record));
    cairn_mcap_slice content = {NULL, 0};
    const char *trouble = record.bad ? "it is broken" : unpack(reader, compression, packed, size, &content);
    if (trouble == NULL && crc != 0 && crc != (uint32_t)crc32_z(0, content.bytes, content.size)) {
        trouble = "its CRC is wrong";
    }
    if (trouble == NULL && !well_framed(content)) { trouble = "its records are broken"; }
    if (trouble != NULL) {
        DAMAGE(reader, "byte %" PRIu64 ": a chunk is left out: %s", at, trouble);
        return;
    }
    reader->inside = cairn_mcap_cursor_over(content.bytes, content.size);
    reader->info.chunk_count++;
    reader->info.chunk_bytes += content.size;
    reader->info.packed_bytes += packed.size;
}

static void take_metadata(cairn_mcap_reader *reader, cairn_mcap_cursor record)
{
    const cairn_mcap_slice name = cairn_mcap_take_text(&record);
    const cairn_mcap_slice map = cairn_mcap_take_text(&record);
    if (record.bad || !cairn_mcap_slice_is(name, "cairn")) { return; }
    cairn_mcap_cursor pairs = cairn_mcap_cursor_over(map.bytes, map.size);
    while (!pairs.bad && pairs.at < pairs.end) {
        const cairn_mcap_slice key = cairn_mcap_take_text(&pairs), value = cairn_mcap_take_text(&pairs);
        if (pairs.bad) { break; }
        char text[17];
        copy_shortened(text, sizeof text, value);
        if (cairn_mcap_slice_is(key, "format")) {
            reader->info.format = (uint32_t)strtoul(text, NULL, 10);
        } else if (cairn_mcap_slice_is(key, "hash") && value.size == 16) {
            reader->info.hash_recorded = strtoull(text, NULL, 16);
            reader->info.has_hash_recorded = true;
        }
    }
}

static void take_data_end(cairn_mcap_reader *reader, cairn_mcap_cursor record, uint32_t crc_before)
{
    const uint32_t crc = cairn_mcap_take_u32(&record);
    if (record.bad) { DAMAGE(reader, "the end of the data is broken"); }
    if (crc != 0 && crc != crc_before) { DAMAGE(reader, "the CRC of the data section is wrong"); }
    if (reader->info.has_hash_recorded && reader->info.hash_recorded != reader->info.hash) {
        DAMAGE(reader, "the hash of the messages is not the recorded one");
    }
    reader->summary_at = reader->offset;
    reader->crc = 0;
}

static void take_statistics(cairn_mcap_reader *reader, cairn_mcap_cursor record)
{
    const uint64_t count = cairn_mcap_take_u64(&record);
    if (record.bad || count != reader->info.message_count) {
        DAMAGE(reader, "the summary counts %" PRIu64 " messages, found were %" PRIu64, count,
               reader->info.message_count);
    }
}

// The CRC covers the footer up to the CRC itself.
static void take_footer(cairn_mcap_reader *reader, uint64_t size)
{
    uint8_t fields[CAIRN_MCAP_FOOTER_BYTES];
    if (size != sizeof fields || !read_on(reader, fields, sizeof fields - 4)) {
        end_with(reader, CAIRN_MCAP_BROKEN, "the footer is broken");
        return;
    }
    const uint32_t crc_found = reader->crc;
    if (!read_on(reader, fields + sizeof fields - 4, 4)) { return; }
    cairn_mcap_cursor record = cairn_mcap_cursor_over(fields, sizeof fields);
    const uint64_t summary_at = cairn_mcap_take_u64(&record);
    (void)cairn_mcap_take_u64(&record); // summary offsets: for those who jump
    const uint32_t crc = cairn_mcap_take_u32(&record);
    if (reader->summary_at == 0) {
        DAMAGE(reader, "the data have no end record");
    } else if (summary_at != 0 && summary_at != reader->summary_at) {
        DAMAGE(reader, "the footer points to a summary that is not there");
    } else if (crc != 0 && crc != crc_found) {
        DAMAGE(reader, "the CRC of the summary is wrong");
    }
    if (reader->source.size_bytes - reader->offset < CAIRN_MCAP_MAGIC_BYTES) {
        end_with(reader, CAIRN_MCAP_CUT, "the file ends inside its closing magic");
    } else if (!read_magic(reader)) {
        end_with(reader, CAIRN_MCAP_BROKEN, "the closing magic is wrong");
    } else if (reader->offset != reader->source.size_bytes) {
        end_with(reader, CAIRN_MCAP_BROKEN, "something follows the end");
    } else {
        end_with(reader, CAIRN_MCAP_COMPLETE, "");
    }
}

// What to do with a loaded record; true when it is a message to give out.
static bool take_record(cairn_mcap_reader *reader, uint8_t opcode, uint64_t at, uint32_t crc_before,
                        cairn_mcap_message *ret_message)
{
    const cairn_mcap_cursor content = cairn_mcap_cursor_over(reader->record.data, reader->record.used);
    const bool summary = reader->summary_at != 0;
    switch (opcode) {
    case CAIRN_MCAP_HEADER: take_header(reader, content); break;
    case CAIRN_MCAP_SCHEMA:
    case CAIRN_MCAP_CHANNEL: take_definition(reader, opcode, content); break;
    case CAIRN_MCAP_METADATA: take_metadata(reader, content); break;
    case CAIRN_MCAP_STATISTICS: take_statistics(reader, content); break;
    case CAIRN_MCAP_DATA_END:
    case CAIRN_MCAP_CHUNK:
    case CAIRN_MCAP_MESSAGE:
        if (summary) {
            DAMAGE(reader, "byte %" PRIu64 ": data after the end of the data", at);
        } else if (opcode == CAIRN_MCAP_MESSAGE) {
            return take_message(reader, content, ret_message);
        } else if (opcode == CAIRN_MCAP_CHUNK) {
            take_chunk(reader, content, at);
        } else {
            take_data_end(reader, content, crc_before);
        }
        break;
    default: break;
    }
    return false;
}

static bool wanted(uint8_t opcode)
{
    return (opcode >= CAIRN_MCAP_HEADER && opcode <= CAIRN_MCAP_CHUNK) || opcode == CAIRN_MCAP_STATISTICS ||
           opcode == CAIRN_MCAP_METADATA || opcode == CAIRN_MCAP_DATA_END;
}

// One record of the file; true when it is a message to give out.
static bool step(cairn_mcap_reader *reader, cairn_mcap_message *ret_message)
{
    uint8_t head[CAIRN_MCAP_RECORD_HEADER_BYTES];
    const uint64_t at = reader->offset;
    const uint32_t crc_before = reader->crc;
    if (reader->source.size_bytes - at < sizeof head) {
        end_with(reader, CAIRN_MCAP_CUT, "the file ends here, before its summary");
        return false;
    }
    if (!read_on(reader, head, sizeof head)) { return false; }
    cairn_mcap_cursor cursor = cairn_mcap_cursor_over(head, sizeof head);
    const uint8_t opcode = cairn_mcap_take_u8(&cursor);
    const uint64_t size = cairn_mcap_take_u64(&cursor);
    if (size > reader->source.size_bytes - reader->offset) {
        end_with(reader, CAIRN_MCAP_CUT, "the file ends inside this record");
    } else if (opcode == 0) {
        end_with(reader, CAIRN_MCAP_BROKEN, "this is not a record");
    } else if (opcode == CAIRN_MCAP_FOOTER) {
        take_footer(reader, size);
    } else if (!wanted(opcode)) {
        skip(reader, size);
    } else if (size > reader->limits.record_bytes_max) {
        DAMAGE(reader, "byte %" PRIu64 ": a record of %" PRIu64 " bytes is larger than the limit", at, size);
        skip(reader, size);
    } else if (load_record(reader, size)) {
        return take_record(reader, opcode, at, crc_before, ret_message);
    }
    return false;
}

// One record of the current chunk, whose framing is known to be right.
static bool step_inside(cairn_mcap_reader *reader, cairn_mcap_message *ret_message)
{
    const uint8_t opcode = cairn_mcap_take_u8(&reader->inside);
    const cairn_mcap_slice content = cairn_mcap_take(&reader->inside, cairn_mcap_take_u64(&reader->inside));
    CAIRN_ASSERT(!reader->inside.bad);
    const cairn_mcap_cursor record = cairn_mcap_cursor_over(content.bytes, content.size);
    if (opcode == CAIRN_MCAP_SCHEMA || opcode == CAIRN_MCAP_CHANNEL) { take_definition(reader, opcode, record); }
    return opcode == CAIRN_MCAP_MESSAGE && take_message(reader, record, ret_message);
}

cairn_err cairn_mcap_next(cairn_mcap_reader *reader, cairn_mcap_message *ret_message)
{
    for (;;) {
        if (reader->inside.at < reader->inside.end) {
            if (step_inside(reader, ret_message)) { return CAIRN_OK; }
        } else if (reader->info.end != CAIRN_MCAP_READING) {
            return CAIRN_ERR_EMPTY;
        } else if (step(reader, ret_message)) {
            return CAIRN_OK;
        }
    }
}

const cairn_mcap_info *cairn_mcap_reader_info(const cairn_mcap_reader *reader) { return &reader->info; }

bool cairn_mcap_sound(const cairn_mcap_info *info)
{
    return info->end == CAIRN_MCAP_COMPLETE && info->damage_count == 0;
}

size_t cairn_mcap_channel_count(const cairn_mcap_reader *reader) { return reader->channels.channel_count; }

const cairn_mcap_channel *cairn_mcap_channel_at(const cairn_mcap_reader *reader, size_t place)
{
    CAIRN_ASSERT(place < reader->channels.channel_count);
    return &reader->channels.channels[place]->public;
}
