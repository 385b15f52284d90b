// One function for each kind of field. A complaint never stops the reading of the neighbours, so that one run
// shows all that is wrong; only a flood (COMPLAINTS_MAX) does.
#include "base/config/config_tree.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERSION_KEY "version"

enum {
    COMPLAINTS_MAX = 100, // more tell a person nothing, and bound the work on a hostile file
    PATH_BYTES_MAX = 256,
    SAY_BYTES_MAX = 256
};

typedef struct reader {
    const cairn_config_tree *tree;
    const char *file;
    cairn_arena *memory;
    cairn_complaints *complaints;
    uint32_t complaints_at_start;
    bool full;
    char path[PATH_BYTES_MAX]; // of the field that is being read: "robots[1].mode"
} reader;

static void fill_field(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *record);
static void fill_record(reader *read, const cairn_config_schema *schema, const cairn_config_node *node,
                        const char *key_to_skip, uint8_t *record);

static const cairn_config_node *node_at(const reader *read, uint32_t index)
{
    return index == 0 ? NULL : &read->tree->nodes[index];
}

static size_t CAIRN_PRINTF(2, 3) path_push(reader *read, const char *format, ...)
{
    const size_t mark = strlen(read->path);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(read->path + mark, sizeof read->path - mark, format, args);
    va_end(args);
    return mark;
}

static void path_pop(reader *read, size_t mark) { read->path[mark] = '\0'; }

static bool flooded(const reader *read)
{
    return read->complaints->count - read->complaints_at_start >= COMPLAINTS_MAX;
}

// "file:line: path: found …; expected …".
static void mismatch(reader *read, const cairn_config_field *field, const cairn_config_node *node)
{
    char found[SAY_BYTES_MAX], expected[SAY_BYTES_MAX];
    cairn_config_say_found(node, found, sizeof found);
    cairn_config_say_expected(field, expected, sizeof expected);
    cairn_complain(read->complaints, read->file, node->line, "%s: found %s; expected %s", read->path, found, expected);
}

static bool plain_number(const cairn_config_node *node, double *ret_value)
{
    return node->kind == CAIRN_CONFIG_NODE_SCALAR && !node->quoted && cairn_config_number(node->text, ret_value);
}

static double factor_of(const cairn_config_field *field) { return field->factor == 0.0 ? 1.0 : field->factor; }

static bool in_range(const cairn_config_field *field, double value)
{
    return value >= field->min && value <= field->max;
}

static void fill_bool(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *member)
{
    CAIRN_ASSERT(field->size_bytes == sizeof(bool));
    const bool scalar = node->kind == CAIRN_CONFIG_NODE_SCALAR && !node->quoted;
    const bool yes = scalar && strcmp(node->text, "true") == 0;
    const bool no = scalar && strcmp(node->text, "false") == 0;
    if (!yes && !no) {
        mismatch(read, field, node);
        return;
    }
    memcpy(member, &yes, sizeof yes);
}

static void fill_integer(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *member)
{
    CAIRN_ASSERT(field->size_bytes == sizeof(uint32_t) || field->size_bytes == sizeof(int64_t));
    double value;
    if (!plain_number(node, &value) || value != floor(value) || !in_range(field, value)) {
        mismatch(read, field, node);
        return;
    }
    const double stored = value * factor_of(field);
    if (field->size_bytes == sizeof(uint32_t)) {
        CAIRN_ASSERT(stored >= 0.0 && stored <= UINT32_MAX);
        memcpy(member, &(uint32_t){(uint32_t)stored}, sizeof(uint32_t));
    } else {
        CAIRN_ASSERT(fabs(stored) < 9.2e18);
        memcpy(member, &(int64_t){(int64_t)stored}, sizeof(int64_t));
    }
}

static void fill_real(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *member)
{
    CAIRN_ASSERT(field->size_bytes == sizeof(double));
    double value;
    if (!plain_number(node, &value) || !in_range(field, value)) {
        mismatch(read, field, node);
        return;
    }
    memcpy(member, &(double){value * factor_of(field)}, sizeof(double));
}

static bool is_clean_text(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) { return false; }
    }
    return text[0] != '\0';
}

static void fill_text(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *member)
{
    if (node->kind != CAIRN_CONFIG_NODE_SCALAR || !is_clean_text(node->text) ||
        strlen(node->text) >= field->size_bytes) {
        mismatch(read, field, node);
        return;
    }
    memcpy(member, node->text, strlen(node->text) + 1);
}

static void say_nearest(char *text, size_t text_bytes_max, const char *word)
{
    text[0] = '\0';
    if (word != NULL) { (void)snprintf(text, text_bytes_max, "; did you mean \"%s\"?", word); }
}

static void fill_choice(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *member)
{
    CAIRN_ASSERT(field->size_bytes == sizeof(uint32_t));
    if (node->kind != CAIRN_CONFIG_NODE_SCALAR) {
        mismatch(read, field, node);
        return;
    }
    uint32_t count = 0;
    for (; field->choices[count] != NULL; count++) {
        if (strcmp(field->choices[count], node->text) != 0) { continue; }
        memcpy(member, &count, sizeof count);
        return;
    }
    char found[SAY_BYTES_MAX], expected[SAY_BYTES_MAX], meant[96];
    cairn_config_say_found(node, found, sizeof found);
    cairn_config_say_expected(field, expected, sizeof expected);
    say_nearest(meant, sizeof meant, cairn_config_nearest(node->text, field->choices, count));
    cairn_complain(read->complaints, read->file, node->line, "%s: found %s; expected %s%s", read->path, found, expected,
                   meant);
}

static void fill_vector(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *member)
{
    const uint32_t count = (uint32_t)(field->size_bytes / sizeof(double));
    CAIRN_ASSERT(field->size_bytes == count * sizeof(double));
    if (node->kind != CAIRN_CONFIG_NODE_SEQUENCE || node->child_count != count) {
        mismatch(read, field, node);
        return;
    }
    const cairn_config_field element = {.kind = CAIRN_CONFIG_KIND_REAL,
                                        .size_bytes = sizeof(double),
                                        .unit = field->unit,
                                        .min = field->min,
                                        .max = field->max,
                                        .factor = field->factor};
    uint32_t i = 0;
    for (const cairn_config_node *at = node_at(read, node->first_child); at != NULL;
         at = node_at(read, at->next_sibling), i++) {
        const size_t mark = path_push(read, "[%u]", i);
        fill_real(read, &element, at, member + i * sizeof(double));
        path_pop(read, mark);
    }
}

static void fill_list(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *record)
{
    if (node->kind != CAIRN_CONFIG_NODE_SEQUENCE || node->child_count < field->item_min ||
        node->child_count > field->item_max) {
        mismatch(read, field, node);
        return;
    }
    CAIRN_ASSERT(read->memory != NULL && field->item != NULL);
    memcpy(record + field->count_offset_bytes, &node->child_count, sizeof(uint32_t));
    if (node->child_count == 0) { return; }
    uint8_t *items = (uint8_t *)cairn_arena_take(read->memory, node->child_count, field->item->size_bytes);
    if (items == NULL) {
        read->full = true;
        cairn_complain(read->complaints, read->file, node->line, "%s: no memory left for %u items", read->path,
                       node->child_count);
        return;
    }
    memcpy(record + field->offset_bytes, &items, sizeof items);
    uint32_t i = 0;
    for (const cairn_config_node *at = node_at(read, node->first_child); at != NULL && !flooded(read);
         at = node_at(read, at->next_sibling), i++) {
        const size_t mark = path_push(read, "[%u]", i);
        fill_field(read, field->item, at, items + i * field->item->size_bytes);
        path_pop(read, mark);
    }
}

static const cairn_config_node *find_value(const reader *read, const cairn_config_node *mapping, const char *key)
{
    const cairn_config_node *at = node_at(read, mapping->first_child);
    while (at != NULL) {
        const cairn_config_node *value = node_at(read, at->next_sibling);
        if (strcmp(at->text, key) == 0) { return value; }
        at = node_at(read, value->next_sibling);
    }
    return NULL;
}

enum { VARIANTS_MAX = 16 };

static void fill_variant(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *member)
{
    if (node->kind != CAIRN_CONFIG_NODE_MAPPING) {
        mismatch(read, field, node);
        return;
    }
    uint32_t chosen = 0;
    const cairn_config_node *kind = find_value(read, node, "kind");
    if (kind != NULL) {
        const char *names[VARIANTS_MAX + 1] = {NULL};
        for (uint32_t i = 0; field->variants[i].name != NULL; i++) {
            CAIRN_ASSERT(i < VARIANTS_MAX);
            names[i] = field->variants[i].name;
        }
        const cairn_config_field choice = {
            .kind = CAIRN_CONFIG_KIND_CHOICE, .size_bytes = sizeof chosen, .choices = names};
        const uint32_t complaint_count = read->complaints->count;
        const size_t mark = path_push(read, ".kind");
        fill_choice(read, &choice, kind, (uint8_t *)&chosen);
        path_pop(read, mark);
        if (read->complaints->count > complaint_count) { return; } // which keys to expect is not known
    }
    memcpy(member + field->variant_offset_bytes, &chosen, sizeof chosen);
    fill_record(read, field->variants[chosen].schema, node, "kind", member);
}

static void fill_field(reader *read, const cairn_config_field *field, const cairn_config_node *node, uint8_t *record)
{
    uint8_t *member = record + field->offset_bytes;
    switch (field->kind) {
    case CAIRN_CONFIG_KIND_BOOL: fill_bool(read, field, node, member); break;
    case CAIRN_CONFIG_KIND_INTEGER: fill_integer(read, field, node, member); break;
    case CAIRN_CONFIG_KIND_REAL: fill_real(read, field, node, member); break;
    case CAIRN_CONFIG_KIND_TEXT: fill_text(read, field, node, member); break;
    case CAIRN_CONFIG_KIND_CHOICE: fill_choice(read, field, node, member); break;
    case CAIRN_CONFIG_KIND_VECTOR: fill_vector(read, field, node, member); break;
    case CAIRN_CONFIG_KIND_LIST: fill_list(read, field, node, record); break;
    case CAIRN_CONFIG_KIND_VARIANT: fill_variant(read, field, node, member); break;
    case CAIRN_CONFIG_KIND_RECORD:
        if (node->kind != CAIRN_CONFIG_NODE_MAPPING) {
            mismatch(read, field, node);
        } else {
            CAIRN_ASSERT(field->record->size_bytes == field->size_bytes);
            fill_record(read, field->record, node, NULL, member);
        }
        break;
    case CAIRN_CONFIG_KIND_LINE:
    case CAIRN_CONFIG_KIND_PRESENT: CAIRN_ASSERT(!"not a key"); break;
    }
}

static void missing(reader *read, const cairn_config_field *field, uint32_t line)
{
    char expected[SAY_BYTES_MAX];
    cairn_config_say_expected(field, expected, sizeof expected);
    cairn_complain(read->complaints, read->file, line, "%s: missing; expected %s%s%s%s", read->path, expected,
                   field->help != NULL ? " (" : "", field->help != NULL ? field->help : "",
                   field->help != NULL ? ")" : "");
}

// Reads the numbers of a vector's fallback, "0 0 1". Whoever wrote the schema got them right.
static void fall_back_vector(const cairn_config_field *field, uint8_t *member)
{
    const char *at = field->fallback;
    for (size_t i = 0; i < field->size_bytes / sizeof(double); i++) {
        double value;
        int used = 0;
        CAIRN_ASSERT(sscanf(at, "%lf%n", &value, &used) == 1 && in_range(field, value));
        memcpy(member + i * sizeof value, &(double){value * factor_of(field)}, sizeof value);
        at += used;
    }
}

static void fall_back(reader *read, const cairn_config_field *field, uint32_t line, uint8_t *record)
{
    if (field->kind == CAIRN_CONFIG_KIND_LIST) {
        CAIRN_ASSERT(strcmp(field->fallback, "[]") == 0 && field->item_min == 0);
    } else if (field->kind == CAIRN_CONFIG_KIND_RECORD) {
        if (strcmp(field->fallback, "none") == 0) { return; }
        CAIRN_ASSERT(strcmp(field->fallback, "{}") == 0);
        const cairn_config_node empty = {.kind = CAIRN_CONFIG_NODE_MAPPING, .line = line};
        fill_field(read, field, &empty, record);
    } else if (field->kind == CAIRN_CONFIG_KIND_VECTOR) {
        fall_back_vector(field, record + field->offset_bytes);
    } else {
        CAIRN_ASSERT(field->kind != CAIRN_CONFIG_KIND_VARIANT);
        if (field->kind == CAIRN_CONFIG_KIND_TEXT && field->fallback[0] == '\0') { return; }
        const cairn_config_node written = {.kind = CAIRN_CONFIG_NODE_SCALAR, .line = line, .text = field->fallback};
        fill_field(read, field, &written, record);
    }
}

static void unknown_key(reader *read, const cairn_config_schema *schema, const cairn_config_node *key)
{
    const char *known[CAIRN_CONFIG_FIELDS_MAX];
    uint32_t known_count = 0;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        if (schema->fields[i].key != NULL) { known[known_count++] = schema->fields[i].key; }
    }
    char found[SAY_BYTES_MAX], meant[96];
    cairn_config_say_found(key, found, sizeof found);
    say_nearest(meant, sizeof meant, cairn_config_nearest(key->text, known, known_count));
    cairn_complain(read->complaints, read->file, key->line, "%s%sunknown key: %s%s", read->path,
                   read->path[0] != '\0' ? ": " : "", found, meant);
}

static const cairn_config_field *find_field(const cairn_config_schema *schema, const char *key)
{
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const cairn_config_field *field = &schema->fields[i];
        if (field->key != NULL && strcmp(field->key, key) == 0) { return field; }
    }
    return NULL;
}

// Reads the keys that are there, in file order, and marks them in `seen`.
static void fill_given(reader *read, const cairn_config_schema *schema, const cairn_config_node *node,
                       const char *key_to_skip, uint8_t *record, bool *seen)
{
    bool skipped = false;
    const cairn_config_node *key = node_at(read, node->first_child);
    while (key != NULL && !flooded(read)) {
        const cairn_config_node *value = node_at(read, key->next_sibling);
        const cairn_config_field *field = find_field(schema, key->text);
        const bool skip = key_to_skip != NULL && strcmp(key->text, key_to_skip) == 0;
        bool *mark_of_key = skip ? &skipped : field != NULL ? &seen[field - schema->fields] : NULL;
        if (mark_of_key == NULL) {
            unknown_key(read, schema, key);
        } else if (*mark_of_key) {
            cairn_complain(read->complaints, read->file, key->line, "%s%s%s: given twice; remove one", read->path,
                           read->path[0] != '\0' ? "." : "", key->text);
        } else {
            *mark_of_key = true;
            const size_t mark = path_push(read, "%s%s", read->path[0] != '\0' ? "." : "", key->text);
            if (!skip) { fill_field(read, field, value, record); }
            path_pop(read, mark);
        }
        key = node_at(read, value->next_sibling);
    }
}

static void fill_record(reader *read, const cairn_config_schema *schema, const cairn_config_node *node,
                        const char *key_to_skip, uint8_t *record)
{
    CAIRN_ASSERT(schema->field_count <= CAIRN_CONFIG_FIELDS_MAX);
    bool seen[CAIRN_CONFIG_FIELDS_MAX] = {false};
    fill_given(read, schema, node, key_to_skip, record, seen);
    for (uint32_t i = 0; i < schema->field_count && !flooded(read); i++) {
        const cairn_config_field *field = &schema->fields[i];
        if (field->kind == CAIRN_CONFIG_KIND_LINE) {
            memcpy(record + field->offset_bytes, &node->line, sizeof node->line);
        } else if (field->kind == CAIRN_CONFIG_KIND_PRESENT) {
            memcpy(record + field->offset_bytes, &(bool){true}, sizeof(bool));
        } else if (!seen[i]) {
            const size_t mark = path_push(read, "%s%s", read->path[0] != '\0' ? "." : "", field->key);
            if (field->fallback != NULL) {
                fall_back(read, field, node->line, record);
            } else {
                missing(read, field, node->line);
            }
            path_pop(read, mark);
        }
    }
}

// A file of a later version may mean something else by what it has in common with ours: nothing of it is read.
static bool is_readable_version(reader *read, const cairn_config_node *top)
{
    const cairn_config_node *value = find_value(read, top, VERSION_KEY);
    double version = 1;
    if (value == NULL || (plain_number(value, &version) && version == floor(version) && version >= 1 &&
                          version <= CAIRN_CONFIG_VERSION)) {
        return true;
    }
    char found[SAY_BYTES_MAX];
    cairn_config_say_found(value, found, sizeof found);
    if (version > CAIRN_CONFIG_VERSION) {
        cairn_complain(read->complaints, read->file, value->line,
                       VERSION_KEY ": found %s, but this cairn reads files up to version %d; take a newer cairn", found,
                       CAIRN_CONFIG_VERSION);
    } else {
        cairn_complain(read->complaints, read->file, value->line, VERSION_KEY ": found %s; expected %d", found,
                       CAIRN_CONFIG_VERSION);
    }
    return false;
}

cairn_err cairn_config_fill(const cairn_config_tree *tree, const char *file, const cairn_config_schema *schema,
                            cairn_arena *memory, cairn_complaints *complaints, void *record)
{
    reader read = {.tree = tree,
                   .file = file,
                   .memory = memory,
                   .complaints = complaints,
                   .complaints_at_start = complaints->count};
    const cairn_config_node *top = &tree->nodes[0];
    if (top->kind != CAIRN_CONFIG_NODE_MAPPING) {
        cairn_complain(complaints, file, top->line, "expected lines of key: value");
        return CAIRN_ERR_INVALID;
    }
    if (!is_readable_version(&read, top)) { return CAIRN_ERR_INVALID; }
    fill_record(&read, schema, top, VERSION_KEY, (uint8_t *)record);
    if (flooded(&read)) { cairn_complain(complaints, file, 0, "more is wrong; mend this first"); }
    if (read.full) { return CAIRN_ERR_FULL; }
    return complaints->count > read.complaints_at_start ? CAIRN_ERR_INVALID : CAIRN_OK;
}
