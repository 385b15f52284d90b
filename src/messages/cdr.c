// cdr.c - structs to CDR, driven by the field tables.
//
// One walk serves both counting and writing: with no bytes it only counts. Alignment counts from after the
// 4-byte header; an empty sequence aligns nothing after its count. Arrays of plain values are one memcpy.
#include "messages/codec.h"
#include <string.h>

#define HEADER_BYTES 4
#define DEPTH_MAX 32

typedef struct writer {
    uint8_t *bytes; // after the header; NULL: only count
    size_t used, max;
    cairn_err err; // the first trouble; nothing is written after it
} writer;

typedef struct sequence {
    const void *data;
    uint32_t count;
} sequence;

static void put(writer *out, const void *from, size_t bytes, size_t align)
{
    const size_t at = (out->used + align - 1) & ~(align - 1);
    if (out->bytes != NULL && out->err == CAIRN_OK) {
        if (at + bytes > out->max) {
            out->err = CAIRN_ERR_FULL;
        } else {
            memset(out->bytes + out->used, 0, at - out->used);
            if (bytes > 0) { memcpy(out->bytes + at, from, bytes); }
        }
    }
    out->used = at + bytes;
}

static void put_u32(writer *out, uint32_t value) { put(out, &value, sizeof value, sizeof value); }

static void refuse_above(writer *out, size_t count, uint32_t bound)
{
    if ((count > UINT32_MAX - 1 || (bound > 0 && count > bound)) && out->err == CAIRN_OK) {
        out->err = CAIRN_ERR_TOO_LARGE;
    }
}

static void put_string(writer *out, const cairn_field *field, const char *text)
{
    const size_t length = text == NULL ? 0 : strlen(text);
    refuse_above(out, length, field->string_bound);
    put_u32(out, (uint32_t)(length + 1));
    put(out, text == NULL ? "" : text, length + 1, 1);
}

static void put_message(writer *out, const cairn_ros_type *type, const uint8_t *body, uint32_t depth);

static void put_values(writer *out, const cairn_field *field, const uint8_t *from, size_t count, uint32_t depth)
{
    if (field->kind == CAIRN_KIND_STRING) {
        for (size_t i = 0; i < count; i++) {
            const char *text;
            memcpy(&text, from + i * sizeof text, sizeof text);
            put_string(out, field, text);
        }
    } else if (field->kind == CAIRN_KIND_MESSAGE) {
        for (size_t i = 0; i < count; i++) {
            put_message(out, field->type, from + i * field->type->size_bytes, depth + 1);
        }
    } else if (count > 0) {
        const size_t each = cairn_kind_bytes(field->kind);
        put(out, from, count * each, each);
    }
}

static void put_field(writer *out, const cairn_field *field, const uint8_t *body, uint32_t depth)
{
    const uint8_t *from = body + field->offset_bytes;
    size_t count = 1;
    if (field->shape == CAIRN_SHAPE_FIXED) {
        count = field->bound;
    } else if (field->shape == CAIRN_SHAPE_INLINE) {
        uint16_t stored;
        memcpy(&stored, body + field->count_offset_bytes, sizeof stored);
        count = stored;
    } else if (field->shape == CAIRN_SHAPE_SEQUENCE) {
        sequence values;
        memcpy(&values.data, from, sizeof values.data);
        memcpy(&values.count, from + offsetof(sequence, count), sizeof values.count);
        from = values.data;
        count = values.count;
    }
    if (field->shape == CAIRN_SHAPE_INLINE || field->shape == CAIRN_SHAPE_SEQUENCE) {
        refuse_above(out, count, field->bound);
        if (out->err == CAIRN_ERR_TOO_LARGE) { return; } // an inline array has no more than its bound to read
        put_u32(out, (uint32_t)count);
    }
    put_values(out, field, from, count, depth);
}

static void put_message(writer *out, const cairn_ros_type *type, const uint8_t *body, uint32_t depth)
{
    CAIRN_ASSERT(depth < DEPTH_MAX && type->size_bytes > 0);
    for (uint32_t i = 0; i < type->field_count; i++) { put_field(out, &type->fields[i], body, depth); }
}

size_t cairn_cdr_size(const cairn_ros_type *type, const void *message)
{
    writer out = {0};
    put_message(&out, type, message, 0);
    return HEADER_BYTES + out.used;
}

cairn_err cairn_cdr_encode(const cairn_ros_type *type, const void *message, uint8_t *ret_bytes, size_t max,
                           size_t *ret_size)
{
    static const uint8_t header[HEADER_BYTES] = {0, 1, 0, 0}; // XCDR1, little endian, no options
    if (max < HEADER_BYTES) { return CAIRN_ERR_FULL; }
    writer out = {.bytes = ret_bytes + HEADER_BYTES, .max = max - HEADER_BYTES};
    put_message(&out, type, message, 0);
    if (out.err != CAIRN_OK) { return out.err; }
    memcpy(ret_bytes, header, HEADER_BYTES);
    *ret_size = HEADER_BYTES + out.used;
    return CAIRN_OK;
}

cairn_err cairn_cdr_encode_radio(const cairn_radio_message *message, uint8_t *ret_bytes, size_t max, size_t *ret_size)
{
    const cairn_radio_type *type = cairn_radio_type_of(message->id);
    if (type == NULL) { return CAIRN_ERR_UNSUPPORTED; }
    return cairn_cdr_encode(type->ros, (const uint8_t *)message + CAIRN_RADIO_BODY_OFFSET, ret_bytes, max, ret_size);
}
