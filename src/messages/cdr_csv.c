// cdr_csv.c - one walk over a type gives names, values or empty cells: so they cannot disagree about columns.
#include "messages/cdr_csv.h"
#include "messages/cdr_walk.h"
#include <math.h>
#include <stdio.h>

#define PATH_BYTES 1024

typedef struct walk {
    cairn_cdr_walk in;
    cairn_json out;
    uint32_t elements_max;
    bool names;      // the head: there are no bytes
    uint32_t absent; // > 0: columns of elements that the message does not have
    uint32_t columns;
    bool wide; // too many columns
    char path[PATH_BYTES];
    size_t path_used;
} walk;

static bool goes_on(const walk *w) { return !w->in.bad && !w->out.full && !w->wide; }
static bool has_bytes(const walk *w) { return !w->names && w->absent == 0; }

// Adds to the path in a head; returns what to set path_used back to.
static CAIRN_PRINTF(2, 3) size_t enter(walk *w, const char *format, ...)
{
    const size_t before = w->path_used;
    if (!w->names) { return before; }
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(w->path + before, PATH_BYTES - before, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= PATH_BYTES - before) {
        w->wide = true;
    } else {
        w->path_used += (size_t)length;
    }
    return before;
}

static void put_text(walk *w, const char *text, size_t size)
{
    cairn_json *out = &w->out;
    if (out->muted > 0) { return; }
    bool quoted = false;
    size_t bytes = size;
    for (size_t i = 0; i < size; i++) {
        quoted = quoted || text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r';
        bytes += text[i] == '"';
    }
    if (bytes + 2 > out->max - out->used) {
        out->full = true;
        return;
    }
    if (quoted) { out->text[out->used++] = '"'; }
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"') { out->text[out->used++] = '"'; }
        out->text[out->used++] = text[i];
    }
    if (quoted) { out->text[out->used++] = '"'; }
}

// Begins a column. Its name is put here; true when a value is to follow.
static bool begin_cell(walk *w)
{
    if (w->out.muted == 0) {
        if (w->columns > 0) { cairn_json_raw(&w->out, ","); }
        w->columns++;
        w->wide = w->wide || w->columns > CAIRN_CSV_COLUMNS_MAX;
    }
    if (w->names) { put_text(w, w->path, w->path_used); }
    return has_bytes(w);
}

static void put_value(walk *w, cairn_kind kind, const uint8_t *from)
{
    const uint64_t bits = cairn_cdr_load(&w->in, from, cairn_kind_bytes(kind));
    const uint32_t low = (uint32_t)bits;
    double value = 0;
    float single = 0;
    memcpy(&value, &bits, sizeof value);
    memcpy(&single, &low, sizeof single);
    if (kind == CAIRN_KIND_FLOAT32) { value = (double)single; }
    if ((kind != CAIRN_KIND_FLOAT32 && kind != CAIRN_KIND_FLOAT64) || isfinite(value)) {
        cairn_cdr_say_value(&w->in, kind, from, &w->out);
    } else {
        cairn_json_raw(&w->out, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
    }
}

static void say_message(walk *w, const cairn_ros_type *type, uint32_t depth);

static void say_element(walk *w, const cairn_field *field, uint32_t depth)
{
    if (field->kind == CAIRN_KIND_MESSAGE) {
        say_message(w, field->type, depth + 1);
    } else if (!begin_cell(w)) {
        return;
    } else if (field->kind == CAIRN_KIND_STRING) {
        size_t size = 0;
        const char *text = cairn_cdr_take_string(&w->in, field, &size);
        if (text != NULL) { put_text(w, text, size); }
    } else {
        const size_t each = cairn_kind_bytes(field->kind);
        const uint8_t *from = cairn_cdr_take(&w->in, each, each);
        if (from != NULL) { put_value(w, field->kind, from); }
    }
}

// Columns that an array has for its elements, in every row.
static uint32_t shown_count(const walk *w, const cairn_field *field)
{
    const uint32_t asked = w->elements_max;
    if (field->shape == CAIRN_SHAPE_FIXED && asked == 0) { return field->bound; }
    return field->bound > 0 && field->bound < asked ? field->bound : asked;
}

static void say_elements(walk *w, const cairn_field *field, uint32_t count, uint32_t depth)
{
    const uint32_t shown = shown_count(w, field), absent = w->absent, muted = w->out.muted;
    const uint32_t steps = count > shown ? count : shown;
    for (uint32_t i = 0; i < steps && goes_on(w); i++) {
        // Plain values lie side by side: those that have no column are stepped over.
        const size_t each = cairn_kind_bytes(field->kind);
        if (i == shown && each > 0) {
            (void)cairn_cdr_take(&w->in, (uint64_t)(count - i) * each, each);
            break;
        }
        w->absent = absent + (i >= count);
        w->out.muted = muted + (i >= shown);
        const size_t before = enter(w, "[%u]", i);
        say_element(w, field, depth);
        w->path_used = before;
    }
    w->absent = absent;
    w->out.muted = muted;
}

static void say_array(walk *w, const cairn_field *field, uint32_t depth)
{
    const bool fixed = field->shape == CAIRN_SHAPE_FIXED;
    uint32_t count = w->names ? shown_count(w, field) : 0;
    if (has_bytes(w)) { count = cairn_cdr_take_count(&w->in, field); }
    if (!fixed) {
        const size_t before = enter(w, ".count");
        if (begin_cell(w)) { cairn_json_uint(&w->out, count); }
        w->path_used = before;
    }
    say_elements(w, field, count, depth);
}

static void say_message(walk *w, const cairn_ros_type *type, uint32_t depth)
{
    CAIRN_ASSERT(depth < CAIRN_CDR_DEPTH_MAX);
    if (type->field_count == 0 && has_bytes(w)) { (void)cairn_cdr_take(&w->in, 1, 1); }
    for (uint32_t i = 0; i < type->field_count && goes_on(w); i++) {
        const cairn_field *field = &type->fields[i];
        const size_t before = enter(w, "%s%s", w->path_used > 0 ? "." : "", field->name);
        if (field->shape == CAIRN_SHAPE_ONE) {
            say_element(w, field, depth);
        } else {
            say_array(w, field, depth);
        }
        w->path_used = before;
    }
}

static cairn_err conclude(const walk *w, size_t *ret_size)
{
    if (w->wide) { return CAIRN_ERR_TOO_LARGE; }
    if (w->in.bad) { return CAIRN_ERR_CORRUPT; }
    if (w->out.full) { return CAIRN_ERR_FULL; }
    *ret_size = w->out.used;
    return CAIRN_OK;
}

cairn_err cairn_cdr_csv_head(const cairn_ros_type *type, uint32_t elements_max, char *ret_text, size_t max,
                             size_t *ret_size)
{
    walk w = {.elements_max = elements_max, .names = true, .out = {.text = ret_text, .max = max}};
    say_message(&w, type, 0);
    return conclude(&w, ret_size);
}

cairn_err cairn_cdr_csv_row(const cairn_ros_type *type, const uint8_t *bytes, size_t size, uint32_t elements_max,
                            char *ret_text, size_t max, size_t *ret_size)
{
    walk w = {.elements_max = elements_max, .out = {.text = ret_text, .max = max}};
    const cairn_err err = cairn_cdr_walk_over(bytes, size, &w.in);
    if (err != CAIRN_OK) { return err; }
    say_message(&w, type, 0);
    return conclude(&w, ret_size);
}
