// mcap.h - what the writer and the reader of MCAP files share: opcodes, and bytes put one after another.
//
// A file is magic, records, magic; a record is opcode (u8), length (u64) and content; all little endian.
// Source   The MCAP format specification, version 0.
#pragma once
#include "base/status.h"

#define CAIRN_MCAP_MAGIC "\x89MCAP0\r\n"
#define CAIRN_MCAP_MAGIC_BYTES 8
#define CAIRN_MCAP_RECORD_HEADER_BYTES 9
#define CAIRN_MCAP_FOOTER_BYTES 20

typedef enum cairn_mcap_opcode {
    CAIRN_MCAP_HEADER = 0x01,
    CAIRN_MCAP_FOOTER = 0x02,
    CAIRN_MCAP_SCHEMA = 0x03,
    CAIRN_MCAP_CHANNEL = 0x04,
    CAIRN_MCAP_MESSAGE = 0x05,
    CAIRN_MCAP_CHUNK = 0x06,
    CAIRN_MCAP_MESSAGE_INDEX = 0x07,
    CAIRN_MCAP_CHUNK_INDEX = 0x08,
    CAIRN_MCAP_ATTACHMENT = 0x09,
    CAIRN_MCAP_ATTACHMENT_INDEX = 0x0a,
    CAIRN_MCAP_STATISTICS = 0x0b,
    CAIRN_MCAP_METADATA = 0x0c,
    CAIRN_MCAP_METADATA_INDEX = 0x0d,
    CAIRN_MCAP_SUMMARY_OFFSET = 0x0e,
    CAIRN_MCAP_DATA_END = 0x0f
} cairn_mcap_opcode;

// Bytes on the heap that grow as needed. All-zero is empty. When there is no memory, failed is set and stays
// set, and nothing more is put: look at it once, at the end.
typedef struct cairn_mcap_bytes {
    uint8_t *data;
    size_t used, max;
    bool failed;
} cairn_mcap_bytes;

void cairn_mcap_bytes_finish(cairn_mcap_bytes *bytes);
bool cairn_mcap_reserve(cairn_mcap_bytes *bytes, size_t more); // false: no memory
void cairn_mcap_put(cairn_mcap_bytes *bytes, const void *from, size_t size);
void cairn_mcap_put_u8(cairn_mcap_bytes *bytes, uint8_t value);
void cairn_mcap_put_u16(cairn_mcap_bytes *bytes, uint16_t value);
void cairn_mcap_put_u32(cairn_mcap_bytes *bytes, uint32_t value);
void cairn_mcap_put_u64(cairn_mcap_bytes *bytes, uint64_t value);
void cairn_mcap_put_text(cairn_mcap_bytes *bytes, const char *text); // u32 length, no NUL

// Starts a record and returns where its content begins; end writes the length in front of it.
size_t cairn_mcap_record_begin(cairn_mcap_bytes *bytes, cairn_mcap_opcode opcode);
void cairn_mcap_record_end(cairn_mcap_bytes *bytes, size_t content_at);
