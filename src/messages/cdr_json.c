// cdr_json.c - a walk over CDR bytes by a type's table.
//
// Every element takes at least one byte, so the walk is bounded by the bytes, whatever the counts in them say.
#include "messages/cdr_json.h"
#include "messages/json.h"
#include <string.h>

#define HEADER_BYTES 4
#define DEPTH_MAX 32

typedef struct walk {
    const uint8_t *bytes; // after the header
    size_t at, size;
    uint32_t elements_max;
    bool swap; // big endian
    bool bad;
    cairn_json *json;
} walk;

// Advances over aligned bytes; NULL, and bad, when they are not there.
static const uint8_t *take(walk *in, uint64_t bytes, size_t align)
{
    const size_t at = (in->at + align - 1) & ~(align - 1);
    if (in->bad || at > in->size || bytes > in->size - at) {
        in->bad = true;
        return NULL;
    }
    in->at = at + (size_t)bytes;
    return in->bytes + at;
}

static uint64_t load(const walk *in, const uint8_t *from, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return in->swap ? __builtin_bswap64(value) >> (64 - 8 * bytes) : value;
}

static uint32_t take_u32(walk *in)
{
    const uint8_t *from = take(in, 4, 4);
    return from == NULL ? 0 : (uint32_t)load(in, from, 4);
}

static void say_value(const walk *in, cairn_kind kind, const uint8_t *from)
{
    const uint64_t bits = load(in, from, cairn_kind_bytes(kind));
    const uint32_t low = (uint32_t)bits;
    float single;
    double whole;
    switch (kind) {
    case CAIRN_KIND_BOOL: cairn_json_raw(in->json, bits != 0 ? "true" : "false"); break;
    case CAIRN_KIND_INT8: cairn_json_int(in->json, (int8_t)bits); break;
    case CAIRN_KIND_INT16: cairn_json_int(in->json, (int16_t)bits); break;
    case CAIRN_KIND_INT32: cairn_json_int(in->json, (int32_t)bits); break;
    case CAIRN_KIND_INT64: cairn_json_int(in->json, (int64_t)bits); break;
    case CAIRN_KIND_FLOAT32:
        memcpy(&single, &low, sizeof single);
        cairn_json_float(in->json, single);
        break;
    case CAIRN_KIND_FLOAT64:
        memcpy(&whole, &bits, sizeof whole);
        cairn_json_double(in->json, whole);
        break;
    default: cairn_json_uint(in->json, bits); break;
    }
}

static void say_string(walk *in, const cairn_field *field)
{
    const uint32_t length = take_u32(in);
    const uint8_t *text = take(in, length, 1);
    if (text == NULL) { return; }
    const size_t size = length > 0 && text[length - 1] == 0 ? length - 1 : length;
    if (field->string_bound > 0 && size > field->string_bound) {
        in->bad = true;
        return;
    }
    cairn_json_string(in->json, (const char *)text, size);
}

static void say_message(walk *in, const cairn_ros_type *type, uint32_t depth);

static void say_element(walk *in, const cairn_field *field, uint32_t depth)
{
    if (field->kind == CAIRN_KIND_MESSAGE) {
        say_message(in, field->type, depth + 1);
    } else if (field->kind == CAIRN_KIND_STRING) {
        say_string(in, field);
    } else {
        const size_t each = cairn_kind_bytes(field->kind);
        const uint8_t *from = take(in, each, each);
        if (from != NULL) { say_value(in, field->kind, from); }
    }
}

// Plain values lie side by side: those that are not shown are stepped over.
static void say_values(walk *in, const cairn_field *field, uint32_t count, uint32_t shown)
{
    const size_t each = cairn_kind_bytes(field->kind);
    const uint8_t *from = count == 0 ? in->bytes : take(in, (uint64_t)count * each, each);
    if (from == NULL) { return; }
    if (field->kind == CAIRN_KIND_UINT8 && field->shape == CAIRN_SHAPE_SEQUENCE && field->bound == 0) {
        cairn_json_base64(in->json, from, shown);
        return;
    }
    cairn_json_raw(in->json, "[");
    for (uint32_t i = 0; i < shown && !in->json->full; i++) {
        if (i > 0) { cairn_json_raw(in->json, ","); }
        say_value(in, field->kind, from + i * each);
    }
    cairn_json_raw(in->json, "]");
}

static void say_elements(walk *in, const cairn_field *field, uint32_t count, uint32_t shown, uint32_t depth)
{
    if (cairn_kind_bytes(field->kind) > 0) {
        say_values(in, field, count, shown);
        return;
    }
    cairn_json_raw(in->json, "[");
    const uint32_t muted = in->json->muted;
    for (uint32_t i = 0; i < count && !in->bad && !in->json->full; i++) {
        if (i == shown) { in->json->muted++; }
        if (i > 0) { cairn_json_raw(in->json, ","); }
        say_element(in, field, depth);
    }
    in->json->muted = muted;
    cairn_json_raw(in->json, "]");
}

static void say_array(walk *in, const cairn_field *field, uint32_t depth)
{
    const bool fixed = field->shape == CAIRN_SHAPE_FIXED;
    const uint32_t count = fixed ? field->bound : take_u32(in);
    if (!fixed && field->bound > 0 && count > field->bound) { in->bad = true; }
    if (in->bad) { return; }
    if (in->elements_max == 0 || count <= in->elements_max) {
        say_elements(in, field, count, count, depth);
        return;
    }
    cairn_json_raw(in->json, "{\"count\":");
    cairn_json_uint(in->json, count);
    cairn_json_raw(in->json, ",\"first\":");
    say_elements(in, field, count, in->elements_max, depth);
    cairn_json_raw(in->json, "}");
}

static void say_message(walk *in, const cairn_ros_type *type, uint32_t depth)
{
    CAIRN_ASSERT(depth < DEPTH_MAX);
    if (type->field_count == 0) { (void)take(in, 1, 1); } // ROS 2 fills an empty message with one byte
    cairn_json_raw(in->json, "{");
    for (uint32_t i = 0; i < type->field_count && !in->bad && !in->json->full; i++) {
        const cairn_field *field = &type->fields[i];
        if (i > 0) { cairn_json_raw(in->json, ","); }
        cairn_json_string(in->json, field->name, strlen(field->name));
        cairn_json_raw(in->json, ":");
        if (field->shape == CAIRN_SHAPE_ONE) {
            say_element(in, field, depth);
        } else {
            say_array(in, field, depth);
        }
    }
    cairn_json_raw(in->json, "}");
}

cairn_err cairn_cdr_json(const cairn_ros_type *type, const uint8_t *bytes, size_t size, uint32_t elements_max,
                         char *ret_text, size_t max, size_t *ret_size)
{
    if (size < HEADER_BYTES) { return CAIRN_ERR_CORRUPT; }
    if (bytes[0] != 0 || bytes[1] > 1) { return CAIRN_ERR_UNSUPPORTED; }
    cairn_json json = {.text = ret_text, .max = max};
    walk in = {.bytes = bytes + HEADER_BYTES,
               .size = size - HEADER_BYTES,
               .elements_max = elements_max,
               .swap = bytes[1] == 0,
               .json = &json};
    say_message(&in, type, 0);
    if (in.bad) { return CAIRN_ERR_CORRUPT; }
    if (json.full) { return CAIRN_ERR_FULL; }
    *ret_size = json.used;
    return CAIRN_OK;
}
