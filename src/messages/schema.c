// schema.c - ros2msg text to tables, in three passes: find the types, read their fields, check their depth.
#include "messages/schema.h"
#include <stdio.h>
#include <string.h>

typedef struct slice {
    const char *at, *end;
} slice;

typedef enum visit { VISIT_NEW, VISIT_OPEN, VISIT_DONE } visit;

// A type while it is read. The public part comes first and is what fields point to.
typedef struct definition {
    cairn_ros_type type;
    slice text;
    uint32_t line;   // of its first line
    uint32_t height; // messages within it, at the deepest
    visit state;
} definition;

typedef struct parser {
    const char *name; // of the whole, for complaints
    cairn_complaints *complaints;
    cairn_err err; // the first trouble
    uint32_t line;
    definition *definitions;
    uint32_t definition_count, definition_max;
    cairn_field *fields;
    uint32_t field_count, field_max;
    char *names; // next free byte
    char *names_end;
} parser;

static CAIRN_PRINTF(3, 4) void refuse(parser *in, cairn_err err, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (in->err == CAIRN_OK) {
        in->err = err;
        cairn_complain(in->complaints, in->name, in->line, "%s", text);
    }
}

static size_t length_of(slice text) { return (size_t)(text.end - text.at); }
static bool is(slice text, const char *word)
{
    return length_of(text) == strlen(word) && memcmp(text.at, word, strlen(word)) == 0;
}
// For "%.*s" in complaints, which need not be long.
static int shown(slice text) { return length_of(text) > 60 ? 60 : (int)length_of(text); }

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static slice trim(slice text)
{
    while (text.at < text.end && is_space(text.at[0])) { text.at++; }
    while (text.at < text.end && is_space(text.end[-1])) { text.end--; }
    return text;
}

static slice take_line(slice *text)
{
    const char *newline = memchr(text->at, '\n', length_of(*text));
    const slice line = {text->at, newline == NULL ? text->end : newline};
    text->at = newline == NULL ? text->end : newline + 1;
    return line;
}

// Without comment and surrounding space. A '#' inside quotes is not a comment.
static slice strip(slice line)
{
    char quote = 0;
    for (const char *c = line.at; c < line.end; c++) {
        if (quote != 0) {
            quote = *c == quote ? 0 : quote;
        } else if (*c == '"' || *c == '\'') {
            quote = *c;
        } else if (*c == '#') {
            line.end = c;
        }
    }
    return trim(line);
}

static bool is_separator(slice line)
{
    line = trim(line);
    for (const char *c = line.at; c < line.end; c++) {
        if (*c != '=') { return false; }
    }
    return length_of(line) >= 10;
}

static slice take_word(slice *text, bool slashes)
{
    slice word = {text->at, text->at};
    while (word.end < text->end && (is_word(*word.end) || (slashes && *word.end == '/'))) { word.end++; }
    text->at = word.end;
    return word;
}

// Digits at the start of a text, at most UINT32_MAX.
static bool take_number(slice *text, uint32_t *ret_number)
{
    uint64_t number = 0;
    const char *start = text->at;
    while (text->at < text->end && is_digit(*text->at) && number <= UINT32_MAX) {
        number = number * 10 + (uint64_t)(*text->at++ - '0');
    }
    *ret_number = (uint32_t)number;
    return text->at > start && number <= UINT32_MAX;
}

static bool take_mark(slice *text, const char *mark)
{
    const size_t length = strlen(mark);
    if (length_of(*text) < length || memcmp(text->at, mark, length) != 0) { return false; }
    text->at += length;
    return true;
}

static const char *keep_name(parser *in, slice name)
{
    const size_t length = length_of(name);
    CAIRN_ASSERT((size_t)(in->names_end - in->names) > length); // cairn_schema_parse took enough for all
    char *kept = in->names;
    memcpy(kept, name.at, length);
    kept[length] = '\0';
    in->names += length + 1;
    return kept;
}

// "package/msg/Type" or "package/Type" into its two parts.
static bool split_name(slice full, slice *ret_package, slice *ret_type)
{
    const char *first = memchr(full.at, '/', length_of(full));
    if (first == NULL) { return false; }
    *ret_package = (slice){full.at, first};
    *ret_type = (slice){first + 1, full.end};
    (void)take_mark(ret_type, "msg/");
    const size_t size = length_of(*ret_type);
    return size > 0 && length_of(*ret_package) > 0 && memchr(ret_type->at, '/', size) == NULL;
}

static bool same(slice a, slice b) { return length_of(a) == length_of(b) && memcmp(a.at, b.at, length_of(a)) == 0; }

static definition *find_definition(parser *in, slice package, slice type)
{
    for (uint32_t i = 0; i < in->definition_count; i++) {
        const char *name = in->definitions[i].type.name;
        slice its_package, its_type;
        if (split_name((slice){name, name + strlen(name)}, &its_package, &its_type) && same(package, its_package) &&
            same(type, its_type)) {
            return &in->definitions[i];
        }
    }
    return NULL;
}

static void add_definition(parser *in, slice name, slice text, uint32_t line)
{
    slice package, type;
    if (length_of(name) > 2 * CAIRN_SCHEMA_NAME_MAX || !split_name(name, &package, &type)) {
        refuse(in, CAIRN_ERR_INVALID, "'%.*s' is not the name of a type: expected package/Type", shown(name), name.at);
    } else if (in->definition_count == in->definition_max) {
        refuse(in, CAIRN_ERR_TOO_LARGE, "more than %d types", CAIRN_SCHEMA_TYPES_MAX);
    } else if (find_definition(in, package, type) == NULL) { // a type given twice: the first counts
        in->definitions[in->definition_count++] =
            (definition){.type = {.name = keep_name(in, name)}, .text = text, .line = line};
    }
}

// Pass 1: where each type's text starts and ends.
static void find_types(parser *in, slice text)
{
    slice name = {in->name, in->name + strlen(in->name)};
    uint32_t line = 0, first = 1;
    const char *start = text.at;
    while (in->err == CAIRN_OK) {
        const bool more = text.at < text.end;
        const slice here = more ? take_line(&text) : (slice){text.end, text.end};
        in->line = ++line;
        if (more && !is_separator(here)) { continue; }
        add_definition(in, name, (slice){start, here.at}, first);
        if (!more) { return; }
        slice head = strip(take_line(&text));
        in->line = ++line;
        if (!take_mark(&head, "MSG:")) { refuse(in, CAIRN_ERR_INVALID, "expected 'MSG: package/Type' after '==='"); }
        name = trim(head);
        start = text.at;
        first = line + 1;
    }
}

static const cairn_ros_type *builtin_time(slice package, slice type)
{
    static const cairn_field fields[] = {{.name = "sec", .kind = CAIRN_KIND_INT32, .shape = CAIRN_SHAPE_ONE},
                                         {.name = "nanosec", .kind = CAIRN_KIND_UINT32, .shape = CAIRN_SHAPE_ONE}};
    static const cairn_ros_type time = {.name = "builtin_interfaces/msg/Time", .fields = fields, .field_count = 2};
    if (!is(package, "builtin_interfaces")) { return NULL; }
    return is(type, "Time") || is(type, "Duration") ? &time : NULL;
}

static void resolve_type(parser *in, const definition *owner, slice base, cairn_field *field)
{
    slice package, type = base;
    if (memchr(base.at, '/', length_of(base)) == NULL) {
        const char *name = owner->type.name;
        package = (slice){name, strchr(name, '/')};
    } else if (!split_name(base, &package, &type)) {
        refuse(in, CAIRN_ERR_INVALID, "'%.*s' is not the name of a type", shown(base), base.at);
        return;
    }
    definition *found = find_definition(in, package, type);
    field->kind = CAIRN_KIND_MESSAGE;
    field->type = found != NULL ? &found->type : builtin_time(package, type);
    if (field->type == NULL) { refuse(in, CAIRN_ERR_INVALID, "type '%.*s' is not defined", shown(base), base.at); }
}

static bool plain_kind(slice base, uint8_t *ret_kind)
{
    static const struct {
        const char *word;
        cairn_kind kind;
    } words[] = {{"bool", CAIRN_KIND_BOOL},       {"byte", CAIRN_KIND_UINT8},    {"char", CAIRN_KIND_UINT8},
                 {"int8", CAIRN_KIND_INT8},       {"uint8", CAIRN_KIND_UINT8},   {"int16", CAIRN_KIND_INT16},
                 {"uint16", CAIRN_KIND_UINT16},   {"int32", CAIRN_KIND_INT32},   {"uint32", CAIRN_KIND_UINT32},
                 {"int64", CAIRN_KIND_INT64},     {"uint64", CAIRN_KIND_UINT64}, {"float32", CAIRN_KIND_FLOAT32},
                 {"float64", CAIRN_KIND_FLOAT64}, {"string", CAIRN_KIND_STRING}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (is(base, words[i].word)) {
            *ret_kind = (uint8_t)words[i].kind;
            return true;
        }
    }
    return false;
}

// "<=N" of a string, "[N]", "[<=N]" or "[]" of an array.
static void read_bounds(parser *in, slice *text, cairn_field *field)
{
    if (field->kind == CAIRN_KIND_STRING && take_mark(text, "<=") && !take_number(text, &field->string_bound)) {
        refuse(in, CAIRN_ERR_INVALID, "expected the bound of the string after '<='");
    }
    if (!take_mark(text, "[")) { return; }
    field->shape = CAIRN_SHAPE_SEQUENCE;
    if (take_mark(text, "]")) { return; }
    if (!take_mark(text, "<=")) { field->shape = CAIRN_SHAPE_FIXED; }
    if (!take_number(text, &field->bound) || field->bound == 0 || !take_mark(text, "]")) {
        refuse(in, CAIRN_ERR_INVALID, "expected [], [N] or [<=N] with N > 0");
    }
}

static void read_line(parser *in, const definition *owner, slice line)
{
    cairn_field field = {.shape = CAIRN_SHAPE_ONE};
    slice rest = line;
    const slice base = take_word(&rest, true);
    if (is(base, "wstring")) {
        refuse(in, CAIRN_ERR_UNSUPPORTED, "wstring is not supported");
        return;
    }
    const bool plain = plain_kind(base, &field.kind);
    read_bounds(in, &rest, &field);
    const char *gap = rest.at;
    rest = trim(rest);
    const bool apart = rest.at > gap;
    const slice name = take_word(&rest, false);
    if (!apart || length_of(base) == 0 || length_of(name) == 0 || length_of(name) > CAIRN_SCHEMA_NAME_MAX) {
        refuse(in, CAIRN_ERR_INVALID, "'%.*s': expected TYPE NAME", shown(line), line.at);
        return;
    }
    const bool followed = rest.at < rest.end && !is_space(*rest.at) && *rest.at != '=';
    rest = trim(rest);
    if (followed) { refuse(in, CAIRN_ERR_INVALID, "'%.*s' is not a name", shown(name), name.at); }
    if (take_mark(&rest, "=")) { return; } // a constant: nothing of it is in the bytes
    if (!plain) { resolve_type(in, owner, base, &field); }
    if (in->err != CAIRN_OK) { return; }
    CAIRN_ASSERT(in->field_count < in->field_max); // a field a line
    field.name = keep_name(in, name);
    in->fields[in->field_count++] = field;
}

// Pass 2: the fields of one type, side by side.
static void read_fields(parser *in, definition *owner)
{
    slice text = owner->text;
    const uint32_t first = in->field_count;
    for (in->line = owner->line; text.at < text.end && in->err == CAIRN_OK; in->line++) {
        const slice line = strip(take_line(&text));
        if (length_of(line) > 0) { read_line(in, owner, line); }
    }
    owner->type.fields = in->fields + first;
    owner->type.field_count = in->field_count - first;
}

// The definition behind a field's type, NULL for a plain or built-in one.
static definition *definition_of(parser *in, const cairn_ros_type *type)
{
    for (uint32_t i = 0; type != NULL && i < in->definition_count; i++) {
        if (&in->definitions[i].type == type) { return &in->definitions[i]; }
    }
    return NULL;
}

// Pass 3: no type within itself, and none too deep. The recursion ends at CAIRN_SCHEMA_DEPTH_MAX.
static void measure(parser *in, definition *at, uint32_t depth)
{
    if (at->state == VISIT_DONE || in->err != CAIRN_OK) { return; }
    in->line = at->line;
    if (at->state == VISIT_OPEN) {
        refuse(in, CAIRN_ERR_INVALID, "'%s' contains itself", at->type.name);
        return;
    }
    at->state = VISIT_OPEN;
    for (uint32_t i = 0; i < at->type.field_count && in->err == CAIRN_OK; i++) {
        if (at->type.fields[i].kind != CAIRN_KIND_MESSAGE) { continue; }
        definition *inner = definition_of(in, at->type.fields[i].type);
        uint32_t height = 1; // of a built-in one
        if (inner != NULL && depth < CAIRN_SCHEMA_DEPTH_MAX) { measure(in, inner, depth + 1); }
        if (inner != NULL) { height = inner->height + 1; }
        if (height > at->height) { at->height = height; }
        if (depth >= CAIRN_SCHEMA_DEPTH_MAX || at->height > CAIRN_SCHEMA_DEPTH_MAX) {
            refuse(in, CAIRN_ERR_TOO_LARGE, "messages within messages, more than %d deep", CAIRN_SCHEMA_DEPTH_MAX);
        }
    }
    at->state = VISIT_DONE;
}

static void count_lines(slice text, uint32_t *ret_lines, uint32_t *ret_separators)
{
    *ret_lines = *ret_separators = 0;
    while (text.at < text.end) {
        *ret_separators += is_separator(take_line(&text));
        (*ret_lines)++;
    }
}

size_t cairn_schema_arena_bytes(size_t text_bytes)
{
    const size_t lines = text_bytes + 1, types = text_bytes / 10 + 2; // a separator has at least 10 bytes
    const size_t fields_max = (lines < CAIRN_SCHEMA_FIELDS_MAX ? lines : CAIRN_SCHEMA_FIELDS_MAX) + 1;
    const size_t types_max = types < CAIRN_SCHEMA_TYPES_MAX ? types : CAIRN_SCHEMA_TYPES_MAX;
    return fields_max * sizeof(cairn_field) + types_max * sizeof(definition) + text_bytes + 1024;
}

static cairn_err take_memory(parser *in, cairn_arena *arena, slice text)
{
    uint32_t lines = 0, separators = 0;
    count_lines(text, &lines, &separators);
    if (lines - separators > CAIRN_SCHEMA_FIELDS_MAX) {
        refuse(in, CAIRN_ERR_TOO_LARGE, "more than %d lines", CAIRN_SCHEMA_FIELDS_MAX);
        return in->err;
    }
    in->field_max = lines - separators + 1;
    in->definition_max = separators + 1 < CAIRN_SCHEMA_TYPES_MAX ? separators + 1 : CAIRN_SCHEMA_TYPES_MAX;
    // Every name stands in the text with at least one byte after it, but for that of the whole.
    const size_t names = length_of(text) + strlen(in->name) + 2;
    in->fields = CAIRN_TAKE(arena, cairn_field, in->field_max);
    in->definitions = CAIRN_TAKE(arena, definition, in->definition_max);
    in->names = CAIRN_TAKE(arena, char, names);
    in->names_end = in->names + names;
    return in->fields != NULL && in->definitions != NULL && in->names != NULL ? CAIRN_OK : CAIRN_ERR_FULL;
}

cairn_err cairn_schema_parse(const char *name, const char *text, size_t size, cairn_arena *arena,
                             cairn_complaints *complaints, const cairn_ros_type **ret_type)
{
    parser in = {.name = name, .complaints = complaints};
    const slice whole = {text, text + size};
    if (size > CAIRN_SCHEMA_BYTES_MAX || strlen(name) > 2 * CAIRN_SCHEMA_NAME_MAX) {
        refuse(&in, CAIRN_ERR_TOO_LARGE, "more than %d bytes of text", CAIRN_SCHEMA_BYTES_MAX);
        return in.err;
    }
    const cairn_err err = take_memory(&in, arena, whole);
    if (err != CAIRN_OK) { return err; }
    find_types(&in, whole);
    for (uint32_t i = 0; i < in.definition_count && in.err == CAIRN_OK; i++) { read_fields(&in, &in.definitions[i]); }
    if (in.err == CAIRN_OK) { measure(&in, &in.definitions[0], 0); }
    if (in.err != CAIRN_OK) { return in.err; }
    *ret_type = &in.definitions[0].type;
    return CAIRN_OK;
}
