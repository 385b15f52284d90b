// journal_summary.c - the end of a journal: what viewers read first, so that they can jump.
//
// After the data come groups of records, one group for each kind, then an index of the groups, then the
// footer. The summary's CRC covers all of that and the start of the footer itself.
#include "journal/journal_state.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define FOOTER_RECORD_CRC_BYTES (CAIRN_MCAP_RECORD_HEADER_BYTES + CAIRN_MCAP_FOOTER_BYTES - 4)

cairn_err cairn_journal_write_metadata(cairn_journal *journal, const char *key, const char *value)
{
    const uint64_t at = cairn_journal_file_offset(journal->file);
    cairn_mcap_bytes *out = &journal->scratch, *index = &journal->metadata_index_records;
    const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_METADATA);
    cairn_mcap_put_text(out, "cairn");
    cairn_mcap_put_u32(out, (uint32_t)(4 + strlen(key) + 4 + strlen(value))); // of the map that follows
    cairn_mcap_put_text(out, key);
    cairn_mcap_put_text(out, value);
    cairn_mcap_record_end(out, record);
    const uint64_t length = out->used;

    const size_t line = cairn_mcap_record_begin(index, CAIRN_MCAP_METADATA_INDEX);
    cairn_mcap_put_u64(index, at);
    cairn_mcap_put_u64(index, length);
    cairn_mcap_put_text(index, "cairn");
    cairn_mcap_record_end(index, line);
    journal->metadata_count++;
    return index->failed ? CAIRN_ERR_FULL : cairn_journal_write_scratch(journal);
}

static void put_statistics(cairn_journal *journal)
{
    cairn_mcap_bytes *out = &journal->scratch;
    const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_STATISTICS);
    cairn_mcap_put_u64(out, journal->message_count);
    cairn_mcap_put_u16(out, journal->schema_count);
    cairn_mcap_put_u32(out, journal->channel_count);
    cairn_mcap_put_u32(out, 0); // attachments
    cairn_mcap_put_u32(out, journal->metadata_count);
    cairn_mcap_put_u32(out, journal->chunk_count);
    cairn_mcap_put_u64(out, journal->start_ns);
    cairn_mcap_put_u64(out, journal->end_ns);
    cairn_mcap_put_u32(out, (uint32_t)(journal->channel_count * (sizeof(uint16_t) + sizeof(uint64_t))));
    for (uint16_t i = 0; i < journal->channel_count; i++) {
        cairn_mcap_put_u16(out, (uint16_t)(i + 1));
        cairn_mcap_put_u64(out, journal->channels[i].message_count);
    }
    cairn_mcap_record_end(out, record);
}

static void put_data_end(cairn_journal *journal)
{
    const uint32_t crc = cairn_journal_file_crc(journal->file); // of everything before this record
    cairn_mcap_bytes *out = &journal->scratch;
    const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_DATA_END);
    cairn_mcap_put_u32(out, crc);
    cairn_mcap_record_end(out, record);
}

typedef struct group {
    cairn_mcap_opcode opcode;
    size_t from, to; // in scratch
} group;

static void put_offsets(cairn_mcap_bytes *out, const group *groups, size_t count, uint64_t summary_at)
{
    for (size_t i = 0; i < count; i++) {
        if (groups[i].from == groups[i].to) { continue; }
        const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_SUMMARY_OFFSET);
        cairn_mcap_put_u8(out, (uint8_t)groups[i].opcode);
        cairn_mcap_put_u64(out, summary_at + groups[i].from);
        cairn_mcap_put_u64(out, groups[i].to - groups[i].from);
        cairn_mcap_record_end(out, record);
    }
}

static void put_footer(cairn_mcap_bytes *out, uint64_t summary_at, uint64_t offsets_at)
{
    const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_FOOTER);
    cairn_mcap_put_u64(out, summary_at);
    cairn_mcap_put_u64(out, offsets_at);
    cairn_mcap_put_u32(out, 0);
    cairn_mcap_record_end(out, record);
    if (out->failed) { return; }
    const size_t covered = record - CAIRN_MCAP_RECORD_HEADER_BYTES + FOOTER_RECORD_CRC_BYTES;
    const uint32_t crc = (uint32_t)crc32_z(0, out->data, covered);
    out->used = covered;
    cairn_mcap_put_u32(out, crc);
    cairn_mcap_put(out, CAIRN_MCAP_MAGIC, CAIRN_MCAP_MAGIC_BYTES);
}

static cairn_err write_summary(cairn_journal *journal)
{
    cairn_mcap_bytes *out = &journal->scratch;
    const uint64_t summary_at = cairn_journal_file_offset(journal->file);
    const struct {
        cairn_mcap_opcode opcode;
        const cairn_mcap_bytes *records;
    } kept[] = {{CAIRN_MCAP_SCHEMA, &journal->schema_records},
                {CAIRN_MCAP_CHANNEL, &journal->channel_records},
                {CAIRN_MCAP_CHUNK_INDEX, &journal->chunk_index_records},
                {CAIRN_MCAP_METADATA_INDEX, &journal->metadata_index_records}};
    group groups[5];
    size_t count = 0;
    for (; count < sizeof kept / sizeof kept[0]; count++) {
        groups[count] = (group){kept[count].opcode, out->used, out->used + kept[count].records->used};
        cairn_mcap_put(out, kept[count].records->data, kept[count].records->used);
    }
    groups[count] = (group){CAIRN_MCAP_STATISTICS, out->used, 0};
    put_statistics(journal);
    groups[count++].to = out->used;
    const uint64_t offsets_at = summary_at + out->used;
    put_offsets(out, groups, count, summary_at);
    put_footer(out, summary_at, offsets_at);
    return cairn_journal_write_scratch(journal);
}

cairn_err cairn_journal_finish(cairn_journal *journal)
{
    CAIRN_ASSERT(!journal->finished);
    cairn_err err = cairn_journal_flush(journal);
    journal->finished = true;
    if (err == CAIRN_OK) {
        // So that a reader can check that it saw all.
        char hash[17];
        (void)snprintf(hash, sizeof hash, "%016" PRIx64, journal->hash.value);
        err = cairn_journal_write_metadata(journal, "hash", hash);
    }
    if (err == CAIRN_OK) {
        put_data_end(journal);
        err = cairn_journal_write_scratch(journal);
    }
    if (err == CAIRN_OK) { err = write_summary(journal); }
    const cairn_err closed = cairn_journal_file_close(journal->file);
    return err == CAIRN_OK ? closed : err;
}
