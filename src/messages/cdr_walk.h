// cdr_walk.h - takes values from CDR bytes of either byte order that may end too early. For what tells them as text.
//
// After the first value that is not there, bad is set and stays set: look once, at the end.
#pragma once
#include "messages/json.h"
#include "messages/layout.h"
#include <string.h>

#define CAIRN_CDR_HEADER_BYTES 4
#define CAIRN_CDR_DEPTH_MAX 32 // of types within types; a schema allows less

typedef struct cairn_cdr_walk {
    const uint8_t *bytes; // after the header
    size_t at, size;
    bool swap; // big endian
    bool bad;
} cairn_cdr_walk;

// CAIRN_ERR_CORRUPT when it is too short, CAIRN_ERR_UNSUPPORTED for another encoding than plain CDR.
static inline cairn_err cairn_cdr_walk_over(const uint8_t *bytes, size_t size, cairn_cdr_walk *ret_walk)
{
    if (size < CAIRN_CDR_HEADER_BYTES) { return CAIRN_ERR_CORRUPT; }
    if (bytes[0] != 0 || bytes[1] > 1) { return CAIRN_ERR_UNSUPPORTED; }
    *ret_walk = (cairn_cdr_walk){
        .bytes = bytes + CAIRN_CDR_HEADER_BYTES, .size = size - CAIRN_CDR_HEADER_BYTES, .swap = bytes[1] == 0};
    return CAIRN_OK;
}

// Advances over aligned bytes; NULL, and bad, when they are not there.
static inline const uint8_t *cairn_cdr_take(cairn_cdr_walk *in, uint64_t bytes, size_t align)
{
    const size_t at = (in->at + align - 1) & ~(align - 1);
    if (in->bad || at > in->size || bytes > in->size - at) {
        in->bad = true;
        return NULL;
    }
    in->at = at + (size_t)bytes;
    return in->bytes + at;
}

static inline uint64_t cairn_cdr_load(const cairn_cdr_walk *in, const uint8_t *from, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return in->swap ? __builtin_bswap64(value) >> (64 - 8 * bytes) : value;
}

static inline uint32_t cairn_cdr_take_u32(cairn_cdr_walk *in)
{
    const uint8_t *from = cairn_cdr_take(in, 4, 4);
    return from == NULL ? 0 : (uint32_t)cairn_cdr_load(in, from, 4);
}

// A string without its NUL; NULL, and bad, when it is not there or too long for the field.
static inline const char *cairn_cdr_take_string(cairn_cdr_walk *in, const cairn_field *field, size_t *ret_size)
{
    const uint32_t length = cairn_cdr_take_u32(in);
    const uint8_t *text = cairn_cdr_take(in, length, 1);
    if (text == NULL) { return NULL; }
    const size_t size = length > 0 && text[length - 1] == 0 ? length - 1 : length;
    if (field->string_bound > 0 && size > field->string_bound) {
        in->bad = true;
        return NULL;
    }
    *ret_size = size;
    return (const char *)text;
}

// How many elements an array has; 0, and bad, when it says more than it may.
static inline uint32_t cairn_cdr_take_count(cairn_cdr_walk *in, const cairn_field *field)
{
    if (field->shape == CAIRN_SHAPE_FIXED) { return field->bound; }
    const uint32_t count = cairn_cdr_take_u32(in);
    if (field->bound > 0 && count > field->bound) { in->bad = true; }
    return in->bad ? 0 : count;
}

// A plain value as JSON says it (cdr_json.c).
void cairn_cdr_say_value(const cairn_cdr_walk *in, cairn_kind kind, const uint8_t *from, cairn_json *json);
