// mcap.c - bytes put one after another.
#include "journal/mcap.h"
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 4096

void cairn_mcap_bytes_finish(cairn_mcap_bytes *bytes)
{
    free(bytes->data);
    *bytes = (cairn_mcap_bytes){0};
}

bool cairn_mcap_reserve(cairn_mcap_bytes *bytes, size_t more)
{
    if (bytes->failed || more > SIZE_MAX / 4 - bytes->used) { return false; }
    if (bytes->used + more <= bytes->max) { return true; }
    size_t max = bytes->max == 0 ? FIRST_BYTES : bytes->max;
    while (max < bytes->used + more) { max *= 2; }
    uint8_t *data = realloc(bytes->data, max);
    if (data == NULL) { return false; }
    bytes->data = data;
    bytes->max = max;
    return true;
}

void cairn_mcap_put(cairn_mcap_bytes *bytes, const void *from, size_t size)
{
    if (!cairn_mcap_reserve(bytes, size)) {
        bytes->failed = true;
    } else if (size > 0) {
        memcpy(bytes->data + bytes->used, from, size);
        bytes->used += size;
    }
}

void cairn_mcap_put_u8(cairn_mcap_bytes *bytes, uint8_t value) { cairn_mcap_put(bytes, &value, sizeof value); }
void cairn_mcap_put_u16(cairn_mcap_bytes *bytes, uint16_t value) { cairn_mcap_put(bytes, &value, sizeof value); }
void cairn_mcap_put_u32(cairn_mcap_bytes *bytes, uint32_t value) { cairn_mcap_put(bytes, &value, sizeof value); }
void cairn_mcap_put_u64(cairn_mcap_bytes *bytes, uint64_t value) { cairn_mcap_put(bytes, &value, sizeof value); }

void cairn_mcap_put_text(cairn_mcap_bytes *bytes, const char *text)
{
    const size_t length = strlen(text);
    CAIRN_ASSERT(length <= UINT32_MAX);
    cairn_mcap_put_u32(bytes, (uint32_t)length);
    cairn_mcap_put(bytes, text, length);
}

size_t cairn_mcap_record_begin(cairn_mcap_bytes *bytes, cairn_mcap_opcode opcode)
{
    cairn_mcap_put_u8(bytes, (uint8_t)opcode);
    cairn_mcap_put_u64(bytes, 0);
    return bytes->used;
}

void cairn_mcap_record_end(cairn_mcap_bytes *bytes, size_t content_at)
{
    if (bytes->failed) { return; }
    CAIRN_ASSERT(content_at >= CAIRN_MCAP_RECORD_HEADER_BYTES && content_at <= bytes->used);
    const uint64_t length = bytes->used - content_at;
    memcpy(bytes->data + content_at - sizeof length, &length, sizeof length);
}
