// mcap_cursor.h - takes little-endian values from bytes that may end too early.
//
// After the first value that does not fit, bad is set and everything taken is zero or empty: look once, at the
// end. Bytes taken are borrowed from the block.
#pragma once
#include "base/status.h"
#include <string.h>

typedef struct cairn_mcap_cursor {
    const uint8_t *at, *end;
    bool bad;
} cairn_mcap_cursor;

typedef struct cairn_mcap_slice {
    const uint8_t *bytes;
    size_t size;
} cairn_mcap_slice;

static inline cairn_mcap_cursor cairn_mcap_cursor_over(const uint8_t *bytes, size_t size)
{
    return (cairn_mcap_cursor){bytes, bytes + size, false};
}

static inline cairn_mcap_slice cairn_mcap_take(cairn_mcap_cursor *cursor, uint64_t size)
{
    if (cursor->bad || size > (uint64_t)(cursor->end - cursor->at)) {
        cursor->bad = true;
        return (cairn_mcap_slice){cursor->end, 0};
    }
    const cairn_mcap_slice taken = {cursor->at, (size_t)size};
    cursor->at += size;
    return taken;
}

static inline uint64_t cairn_mcap_take_uint(cairn_mcap_cursor *cursor, size_t size)
{
    uint64_t value = 0;
    const cairn_mcap_slice taken = cairn_mcap_take(cursor, size);
    if (!cursor->bad) { memcpy(&value, taken.bytes, size); }
    return value;
}

static inline uint8_t cairn_mcap_take_u8(cairn_mcap_cursor *cursor) { return (uint8_t)cairn_mcap_take_uint(cursor, 1); }
static inline uint16_t cairn_mcap_take_u16(cairn_mcap_cursor *cursor)
{
    return (uint16_t)cairn_mcap_take_uint(cursor, 2);
}
static inline uint32_t cairn_mcap_take_u32(cairn_mcap_cursor *cursor)
{
    return (uint32_t)cairn_mcap_take_uint(cursor, 4);
}
static inline uint64_t cairn_mcap_take_u64(cairn_mcap_cursor *cursor) { return cairn_mcap_take_uint(cursor, 8); }

// A length (u32) and that many bytes.
static inline cairn_mcap_slice cairn_mcap_take_text(cairn_mcap_cursor *cursor)
{
    return cairn_mcap_take(cursor, cairn_mcap_take_u32(cursor));
}

static inline bool cairn_mcap_slice_is(cairn_mcap_slice slice, const char *text)
{
    return slice.size == strlen(text) && memcmp(slice.bytes, text, slice.size) == 0;
}
