// cdr_json.c - a walk over CDR bytes by a type's table.
//
// Every element takes at least one byte, so the walk is bounded by the bytes, whatever the counts in them say.
#include "messages/cdr_json.h"
#include "messages/cdr_walk.h"
#include "messages/json.h"

typedef struct walk {
    cairn_cdr_walk in;
    uint32_t elements_max;
    cairn_json *json;
} walk;

void cairn_cdr_say_value(const cairn_cdr_walk *in, cairn_kind kind, const uint8_t *from, cairn_json *json)
{
    const uint64_t bits = cairn_cdr_load(in, from, cairn_kind_bytes(kind));
    const uint32_t low = (uint32_t)bits;
    float single;
    double whole;
    switch (kind) {
    case CAIRN_KIND_BOOL: cairn_json_raw(json, bits != 0 ? "true" : "false"); break;
    case CAIRN_KIND_INT8: cairn_json_int(json, (int8_t)bits); break;
    case CAIRN_KIND_INT16: cairn_json_int(json, (int16_t)bits); break;
    case CAIRN_KIND_INT32: cairn_json_int(json, (int32_t)bits); break;
    case CAIRN_KIND_INT64: cairn_json_int(json, (int64_t)bits); break;
    case CAIRN_KIND_FLOAT32:
        memcpy(&single, &low, sizeof single);
        cairn_json_float(json, single);
        break;
    case CAIRN_KIND_FLOAT64:
        memcpy(&whole, &bits, sizeof whole);
        cairn_json_double(json, whole);
        break;
    default: cairn_json_uint(json, bits); break;
    }
}

static void say_string(walk *said, const cairn_field *field)
{
    size_t size = 0;
    const char *text = cairn_cdr_take_string(&said->in, field, &size);
    if (text != NULL) { cairn_json_string(said->json, text, size); }
}

static void say_message(walk *said, const cairn_ros_type *type, uint32_t depth);

static void say_element(walk *said, const cairn_field *field, uint32_t depth)
{
    if (field->kind == CAIRN_KIND_MESSAGE) {
        say_message(said, field->type, depth + 1);
    } else if (field->kind == CAIRN_KIND_STRING) {
        say_string(said, field);
    } else {
        const size_t each = cairn_kind_bytes(field->kind);
        const uint8_t *from = cairn_cdr_take(&said->in, each, each);
        if (from != NULL) { cairn_cdr_say_value(&said->in, field->kind, from, said->json); }
    }
}

// Plain values lie side by side: those that are not shown are stepped over.
static void say_values(walk *said, const cairn_field *field, uint32_t count, uint32_t shown)
{
    const size_t each = cairn_kind_bytes(field->kind);
    const uint8_t *from = count == 0 ? said->in.bytes : cairn_cdr_take(&said->in, (uint64_t)count * each, each);
    if (from == NULL) { return; }
    if (field->kind == CAIRN_KIND_UINT8 && field->shape == CAIRN_SHAPE_SEQUENCE && field->bound == 0) {
        cairn_json_base64(said->json, from, shown);
        return;
    }
    cairn_json_raw(said->json, "[");
    for (uint32_t i = 0; i < shown && !said->json->full; i++) {
        if (i > 0) { cairn_json_raw(said->json, ","); }
        cairn_cdr_say_value(&said->in, field->kind, from + i * each, said->json);
    }
    cairn_json_raw(said->json, "]");
}

static void say_elements(walk *said, const cairn_field *field, uint32_t count, uint32_t shown, uint32_t depth)
{
    if (cairn_kind_bytes(field->kind) > 0) {
        say_values(said, field, count, shown);
        return;
    }
    cairn_json_raw(said->json, "[");
    const uint32_t muted = said->json->muted;
    for (uint32_t i = 0; i < count && !said->in.bad && !said->json->full; i++) {
        if (i == shown) { said->json->muted++; }
        if (i > 0) { cairn_json_raw(said->json, ","); }
        say_element(said, field, depth);
    }
    said->json->muted = muted;
    cairn_json_raw(said->json, "]");
}

static void say_array(walk *said, const cairn_field *field, uint32_t depth)
{
    const uint32_t count = cairn_cdr_take_count(&said->in, field);
    if (said->in.bad) { return; }
    if (said->elements_max == 0 || count <= said->elements_max) {
        say_elements(said, field, count, count, depth);
        return;
    }
    cairn_json_raw(said->json, "{\"count\":");
    cairn_json_uint(said->json, count);
    cairn_json_raw(said->json, ",\"first\":");
    say_elements(said, field, count, said->elements_max, depth);
    cairn_json_raw(said->json, "}");
}

static void say_message(walk *said, const cairn_ros_type *type, uint32_t depth)
{
    CAIRN_ASSERT(depth < CAIRN_CDR_DEPTH_MAX);
    if (type->field_count == 0) { (void)cairn_cdr_take(&said->in, 1, 1); } // ROS 2 fills an empty message with one byte
    cairn_json_raw(said->json, "{");
    for (uint32_t i = 0; i < type->field_count && !said->in.bad && !said->json->full; i++) {
        const cairn_field *field = &type->fields[i];
        if (i > 0) { cairn_json_raw(said->json, ","); }
        cairn_json_string(said->json, field->name, strlen(field->name));
        cairn_json_raw(said->json, ":");
        if (field->shape == CAIRN_SHAPE_ONE) {
            say_element(said, field, depth);
        } else {
            say_array(said, field, depth);
        }
    }
    cairn_json_raw(said->json, "}");
}

cairn_err cairn_cdr_json(const cairn_ros_type *type, const uint8_t *bytes, size_t size, uint32_t elements_max,
                         char *ret_text, size_t max, size_t *ret_size)
{
    cairn_json json = {.text = ret_text, .max = max};
    walk said = {.elements_max = elements_max, .json = &json};
    const cairn_err err = cairn_cdr_walk_over(bytes, size, &said.in);
    if (err != CAIRN_OK) { return err; }
    say_message(&said, type, 0);
    if (said.in.bad) { return CAIRN_ERR_CORRUPT; }
    if (json.full) { return CAIRN_ERR_FULL; }
    *ret_size = json.used;
    return CAIRN_OK;
}
