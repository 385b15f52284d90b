// journal_summary.c - the end of a journal: what viewers read first, so that they can jump.
//
// After the data come groups of records, one group for each kind, then an index of the groups, then the
// footer. The summary's CRC covers all of that and the start of the footer itself.
#include "journal/journal_state.h"
#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

#define FOOTER_RECORD_CRC_BYTES (CAIRN_MCAP_RECORD_HEADER_BYTES + CAIRN_MCAP_FOOTER_BYTES - 4)

// Our own figures, so that a reader can check that it saw all: name "cairn", hash of the messages in hex.
static void put_metadata(cairn_journal *journal)
{
    cairn_mcap_bytes *out = &journal->scratch;
    char hash[17];
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, journal->hash.value);
    const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_METADATA);
    cairn_mcap_put_text(out, "cairn");
    const size_t map_at = out->used;
    cairn_mcap_put_u32(out, (uint32_t)(4 + sizeof "hash" - 1 + 4 + sizeof hash - 1));
    cairn_mcap_put_text(out, "hash");
    cairn_mcap_put_text(out, hash);
    CAIRN_ASSERT(out->failed || out->used - map_at - 4 == 28);
    cairn_mcap_record_end(out, record);
}

static void put_statistics(cairn_journal *journal)
{
    cairn_mcap_bytes *out = &journal->scratch;
    const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_STATISTICS);
    cairn_mcap_put_u64(out, journal->message_count);
    cairn_mcap_put_u16(out, journal->schema_count);
    cairn_mcap_put_u32(out, journal->channel_count);
    cairn_mcap_put_u32(out, 0); // attachments
    cairn_mcap_put_u32(out, 1); // metadata records
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

static void put_metadata_index(cairn_journal *journal, uint64_t at, uint64_t length)
{
    cairn_mcap_bytes *out = &journal->scratch;
    const size_t record = cairn_mcap_record_begin(out, CAIRN_MCAP_METADATA_INDEX);
    cairn_mcap_put_u64(out, at);
    cairn_mcap_put_u64(out, length);
    cairn_mcap_put_text(out, "cairn");
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

static cairn_err write_summary(cairn_journal *journal, uint64_t metadata_at, uint64_t metadata_length)
{
    cairn_mcap_bytes *out = &journal->scratch;
    const uint64_t summary_at = cairn_journal_file_offset(journal->file);
    const struct {
        cairn_mcap_opcode opcode;
        const cairn_mcap_bytes *records;
    } kept[] = {{CAIRN_MCAP_SCHEMA, &journal->schema_records},
                {CAIRN_MCAP_CHANNEL, &journal->channel_records},
                {CAIRN_MCAP_CHUNK_INDEX, &journal->chunk_index_records}};
    group groups[5];
    size_t count = 0;
    for (; count < 3; count++) {
        groups[count] = (group){kept[count].opcode, out->used, out->used + kept[count].records->used};
        cairn_mcap_put(out, kept[count].records->data, kept[count].records->used);
    }
    groups[count] = (group){CAIRN_MCAP_METADATA_INDEX, out->used, 0};
    put_metadata_index(journal, metadata_at, metadata_length);
    groups[count++].to = out->used;
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
    const uint64_t metadata_at = cairn_journal_file_offset(journal->file);
    if (err == CAIRN_OK) {
        put_metadata(journal);
        err = cairn_journal_write_scratch(journal);
    }
    const uint64_t metadata_length = cairn_journal_file_offset(journal->file) - metadata_at;
    if (err == CAIRN_OK) {
        put_data_end(journal);
        err = cairn_journal_write_scratch(journal);
    }
    if (err == CAIRN_OK) { err = write_summary(journal, metadata_at, metadata_length); }
    const cairn_err closed = cairn_journal_file_close(journal->file);
    return err == CAIRN_OK ? closed : err;
}
