// codec.c - the radio codec: one walk over the field table for each direction.
//
// Values are little endian and packed, so on our machines an array is copied as it stands; what costs is the
// range check. Decoding checks the whole payload before it writes anything, so that a message is never half
// taken over.
#include "messages/codec.h"
#include <string.h>

#define FIELDS_MAX 64 // of one message; the generator refuses more

const cairn_radio_type *cairn_radio_type_of(uint8_t id)
{
    for (size_t i = 0; i < CAIRN_RADIO_TYPE_COUNT; i++) {
        if (cairn_radio_types[i].id == id) { return &cairn_radio_types[i]; }
    }
    return NULL;
}

static const uint8_t *body_of(const cairn_radio_message *message)
{
    return (const uint8_t *)message + CAIRN_RADIO_BODY_OFFSET;
}
static uint8_t *mutable_body_of(cairn_radio_message *message) { return (uint8_t *)message + CAIRN_RADIO_BODY_OFFSET; }

static uint16_t load_count(const uint8_t *at)
{
    uint16_t count;
    memcpy(&count, at, sizeof count);
    return count;
}

// The value at any address, extended to 64 bits; a uint64 as its bits.
static int64_t load_integer(cairn_kind kind, const uint8_t *at)
{
    int64_t bits = 0;
    memcpy(&bits, at, cairn_kind_bytes(kind));
    switch (kind) {
    case CAIRN_KIND_INT8: return (int8_t)bits;
    case CAIRN_KIND_INT16: return (int16_t)bits;
    case CAIRN_KIND_INT32: return (int32_t)bits;
    default: return bits;
    }
}

static bool value_allowed(cairn_kind kind, const cairn_radio_rule *rule, int64_t value)
{
    if (rule->has_unknown && value == rule->unknown) { return true; }
    if (kind == CAIRN_KIND_UINT64) {
        return (uint64_t)value >= (uint64_t)rule->min && (uint64_t)value <= (uint64_t)rule->max;
    }
    return value >= rule->min && value <= rule->max;
}

// Bytes with the full range (pictures, bit planes) need no look.
static bool values_allowed(cairn_kind kind, const cairn_radio_rule *rule, const uint8_t *at, size_t count)
{
    if (kind == CAIRN_KIND_UINT8 && rule->min == 0 && rule->max == UINT8_MAX) { return true; }
    const size_t each = cairn_kind_bytes(kind);
    for (size_t i = 0; i < count; i++) {
        if (!value_allowed(kind, rule, load_integer(kind, at + i * each))) { return false; }
    }
    return true;
}

static size_t element_count(const cairn_field *field, const uint8_t *body)
{
    switch (field->shape) {
    case CAIRN_SHAPE_FIXED: return field->bound;
    case CAIRN_SHAPE_INLINE: return load_count(body + field->count_offset_bytes);
    default: return 1;
    }
}

// Everything that can be wrong with a message in memory, before a byte is written.
static cairn_err check_message(const cairn_radio_type *type, const uint8_t *body, size_t *ret_payload_size)
{
    size_t size = 0;
    for (uint32_t i = 0; i < type->ros->field_count; i++) {
        const cairn_field *field = &type->ros->fields[i];
        const cairn_radio_rule *rule = &type->rules[i];
        const size_t count = element_count(field, body);
        if (field->shape == CAIRN_SHAPE_INLINE) {
            if (count > field->bound) { return CAIRN_ERR_TOO_LARGE; }
            size += sizeof(uint16_t);
        }
        if (rule->same_count_as >= 0 && count != element_count(&type->ros->fields[rule->same_count_as], body)) {
            return CAIRN_ERR_INVALID;
        }
        if (!values_allowed(field->kind, rule, body + field->offset_bytes, count)) { return CAIRN_ERR_OUTSIDE; }
        size += count * cairn_kind_bytes(field->kind);
    }
    *ret_payload_size = size;
    return CAIRN_OK;
}

static void write_payload(const cairn_radio_type *type, const uint8_t *body, uint8_t *at)
{
    for (uint32_t i = 0; i < type->ros->field_count; i++) {
        const cairn_field *field = &type->ros->fields[i];
        const size_t count = element_count(field, body);
        if (field->shape == CAIRN_SHAPE_INLINE) {
            memcpy(at, body + field->count_offset_bytes, sizeof(uint16_t));
            at += sizeof(uint16_t);
        }
        const size_t bytes = count * cairn_kind_bytes(field->kind);
        memcpy(at, body + field->offset_bytes, bytes);
        at += bytes;
    }
}

cairn_err cairn_radio_encode(const cairn_radio_message *message, uint8_t *ret_bytes, size_t max, size_t *ret_size)
{
    const cairn_radio_type *type = cairn_radio_type_of(message->id);
    if (type == NULL) { return CAIRN_ERR_UNSUPPORTED; }
    size_t payload = 0;
    const cairn_err err = check_message(type, body_of(message), &payload);
    if (err != CAIRN_OK) { return err; }
    if (max < CAIRN_RADIO_HEADER_BYTES + payload) { return CAIRN_ERR_FULL; }
    CAIRN_ASSERT(payload <= type->payload_bytes_max);
    ret_bytes[0] = type->id;
    ret_bytes[1] = type->version;
    ret_bytes[2] = (uint8_t)payload;
    ret_bytes[3] = (uint8_t)(payload >> 8);
    write_payload(type, body_of(message), ret_bytes + CAIRN_RADIO_HEADER_BYTES);
    *ret_size = CAIRN_RADIO_HEADER_BYTES + payload;
    return CAIRN_OK;
}

cairn_err cairn_radio_size(const uint8_t *bytes, size_t size, size_t *ret_size)
{
    if (size == 0) { return CAIRN_ERR_EMPTY; }
    if (size < CAIRN_RADIO_HEADER_BYTES) { return CAIRN_ERR_CORRUPT; }
    const size_t whole = CAIRN_RADIO_HEADER_BYTES + load_count(bytes + 2);
    if (whole > size) { return CAIRN_ERR_CORRUPT; }
    *ret_size = whole;
    return CAIRN_OK;
}

// One field of a payload: how many elements, and where they start. Advances *at.
static bool take_field(const cairn_field *field, const uint8_t **at, const uint8_t *end, size_t *ret_count,
                       const uint8_t **ret_values)
{
    size_t count = field->shape == CAIRN_SHAPE_FIXED ? field->bound : 1;
    if (field->shape == CAIRN_SHAPE_INLINE) {
        if (end - *at < (ptrdiff_t)sizeof(uint16_t)) { return false; }
        count = load_count(*at);
        *at += sizeof(uint16_t);
        if (count > field->bound) { return false; }
    }
    const size_t bytes = count * cairn_kind_bytes(field->kind);
    if ((size_t)(end - *at) < bytes) { return false; }
    *ret_count = count;
    *ret_values = *at;
    *at += bytes;
    return true;
}

static bool payload_allowed(const cairn_radio_type *type, uint8_t version, const uint8_t *at, const uint8_t *end)
{
    size_t counts[FIELDS_MAX];
    CAIRN_ASSERT(type->ros->field_count <= FIELDS_MAX);
    for (uint32_t i = 0; i < type->ros->field_count; i++) {
        const cairn_field *field = &type->ros->fields[i];
        const cairn_radio_rule *rule = &type->rules[i];
        const uint8_t *values = NULL;
        if (rule->since > version) { break; } // nothing was appended yet: the fields are in the order of versions
        if (!take_field(field, &at, end, &counts[i], &values)) { return false; }
        if (rule->same_count_as >= 0 && counts[i] != counts[rule->same_count_as]) { return false; }
        if (!values_allowed(field->kind, rule, values, counts[i])) { return false; }
    }
    return at == end || version > type->version;
}

static void store_unknown(const cairn_field *field, const cairn_radio_rule *rule, uint8_t *body)
{
    if (field->shape == CAIRN_SHAPE_INLINE || !rule->has_unknown) { return; }
    const size_t each = cairn_kind_bytes(field->kind), count = element_count(field, body);
    for (size_t i = 0; i < count; i++) { memcpy(body + field->offset_bytes + i * each, &rule->unknown, each); }
}

void cairn_radio_clear(uint8_t id, cairn_radio_message *ret_message)
{
    const cairn_radio_type *type = cairn_radio_type_of(id);
    CAIRN_ASSERT(type != NULL);
    ret_message->id = id;
    uint8_t *body = mutable_body_of(ret_message);
    memset(body, 0, type->ros->size_bytes);
    for (uint32_t i = 0; i < type->ros->field_count; i++) {
        store_unknown(&type->ros->fields[i], &type->rules[i], body);
    }
}

cairn_err cairn_radio_decode(const uint8_t *bytes, size_t size, cairn_radio_message *ret_message)
{
    size_t whole = 0;
    const cairn_err err = cairn_radio_size(bytes, size, &whole);
    if (err != CAIRN_OK) { return err; }
    const cairn_radio_type *type = cairn_radio_type_of(bytes[0]);
    if (type == NULL) { return CAIRN_ERR_UNSUPPORTED; }
    const uint8_t version = bytes[1], *at = bytes + CAIRN_RADIO_HEADER_BYTES, *end = bytes + whole;
    if (version == 0 || !payload_allowed(type, version, at, end)) { return CAIRN_ERR_CORRUPT; }

    cairn_radio_clear(type->id, ret_message);
    uint8_t *body = mutable_body_of(ret_message);
    for (uint32_t i = 0; i < type->ros->field_count && type->rules[i].since <= version; i++) {
        const cairn_field *field = &type->ros->fields[i];
        size_t count = 0;
        const uint8_t *values = NULL;
        const bool taken = take_field(field, &at, end, &count, &values);
        CAIRN_ASSERT(taken); // payload_allowed has walked here before
        if (field->shape == CAIRN_SHAPE_INLINE) {
            const uint16_t stored = (uint16_t)count;
            memcpy(body + field->count_offset_bytes, &stored, sizeof stored);
        }
        memcpy(body + field->offset_bytes, values, count * cairn_kind_bytes(field->kind));
    }
    return CAIRN_OK;
}
