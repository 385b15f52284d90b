// The tree is built from libyaml's events, not its document loader: events keep line marks, and the limits on
// depth and number of values apply before any memory is spent.
#include "base/config/config_tree.h"
#include <string.h>
#include <yaml.h>

typedef struct builder {
    const char *file;
    cairn_complaints *complaints;
    cairn_config_tree tree;
    uint32_t node_max;
    char *text;
    size_t text_used, text_size;
    uint32_t depth;
    uint32_t open[CAIRN_CONFIG_DEPTH_MAX];       // the sequences and mappings that are not closed yet
    uint32_t last_child[CAIRN_CONFIG_DEPTH_MAX]; // of each of them
    bool done;
    bool failed;
} builder;

// A value takes at least two bytes of file (itself and a separator), with a few more that stand for nothing
// written at all ("a:" has an empty value).
static uint32_t node_max(size_t size_bytes)
{
    const size_t most = size_bytes + 16;
    return most < CAIRN_CONFIG_VALUES_MAX ? (uint32_t)most : CAIRN_CONFIG_VALUES_MAX;
}

// Escapes and UTF-16 make text longer than its bytes in the file, by at most a half; one NUL each.
static size_t text_max(size_t size_bytes) { return 2 * size_bytes + node_max(size_bytes) + 16; }

size_t cairn_config_tree_bytes(size_t size_bytes)
{
    return (node_max(size_bytes) + 1) * sizeof(cairn_config_node) + text_max(size_bytes) + 256;
}

static void fail(builder *build, uint32_t line, const char *what)
{
    build->failed = true;
    cairn_complain(build->complaints, build->file, line, "%s", what);
}

static uint32_t line_of(const yaml_event_t *event) { return (uint32_t)event->start_mark.line + 1; }

static cairn_config_node *add_node(builder *build, const yaml_event_t *event, cairn_config_node_kind kind)
{
    if (build->tree.node_count == build->node_max) {
        fail(build, line_of(event), "too many values in one file");
        return NULL;
    }
    const uint32_t index = build->tree.node_count++;
    cairn_config_node *node = &build->tree.nodes[index];
    *node = (cairn_config_node){.kind = kind, .line = line_of(event)};
    if (build->depth > 0) {
        cairn_config_node *parent = &build->tree.nodes[build->open[build->depth - 1]];
        uint32_t *last = &build->last_child[build->depth - 1];
        if (parent->child_count == 0) {
            parent->first_child = index;
        } else {
            build->tree.nodes[*last].next_sibling = index;
        }
        *last = index;
        parent->child_count++;
    }
    return node;
}

static bool stands_as_key(const builder *build)
{
    if (build->depth == 0) { return false; }
    const cairn_config_node *parent = &build->tree.nodes[build->open[build->depth - 1]];
    return parent->kind == CAIRN_CONFIG_NODE_MAPPING && parent->child_count % 2 == 0;
}

static void add_scalar(builder *build, const yaml_event_t *event)
{
    if (event->data.scalar.anchor != NULL) { fail(build, line_of(event), "anchors (&) are not allowed"); }
    if (event->data.scalar.tag != NULL) { fail(build, line_of(event), "tags (!) are not allowed"); }
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length) != NULL) { fail(build, line_of(event), "a NUL character in text"); }
    if (build->text_used + length + 1 > build->text_size) { fail(build, line_of(event), "too much text in one file"); }
    if (build->failed) { return; }

    cairn_config_node *node = add_node(build, event, CAIRN_CONFIG_NODE_SCALAR);
    if (node == NULL) { return; }
    char *text = build->text + build->text_used;
    memcpy(text, value, length);
    text[length] = '\0';
    build->text_used += length + 1;
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
}

static void open_node(builder *build, const yaml_event_t *event, cairn_config_node_kind kind)
{
    const bool sequence = kind == CAIRN_CONFIG_NODE_SEQUENCE;
    const void *anchor = sequence ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    const void *tag = sequence ? event->data.sequence_start.tag : event->data.mapping_start.tag;
    if (anchor != NULL) { fail(build, line_of(event), "anchors (&) are not allowed"); }
    if (tag != NULL) { fail(build, line_of(event), "tags (!) are not allowed"); }
    if (stands_as_key(build)) { fail(build, line_of(event), "a key must be a word, not a list or a record"); }
    if (build->depth == CAIRN_CONFIG_DEPTH_MAX) { fail(build, line_of(event), "nested too deeply"); }
    if (build->failed || add_node(build, event, kind) == NULL) { return; }
    build->open[build->depth++] = build->tree.node_count - 1;
}

static void close_node(builder *build)
{
    CAIRN_ASSERT(build->depth > 0);
    build->depth--;
}

static void take_event(builder *build, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT: add_scalar(build, event); break;
    case YAML_SEQUENCE_START_EVENT: open_node(build, event, CAIRN_CONFIG_NODE_SEQUENCE); break;
    case YAML_MAPPING_START_EVENT: open_node(build, event, CAIRN_CONFIG_NODE_MAPPING); break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: close_node(build); break;
    case YAML_ALIAS_EVENT: fail(build, line_of(event), "aliases (*) are not allowed"); break;
    case YAML_DOCUMENT_START_EVENT:
        if (build->tree.node_count > 0) { fail(build, line_of(event), "more than one document (---) in one file"); }
        break;
    case YAML_STREAM_END_EVENT: build->done = true; break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT: break;
    }
}

static void report_syntax(builder *build, const yaml_parser_t *parser)
{
    build->failed = true;
    const char *problem = parser->problem != NULL ? parser->problem : "unreadable";
    const uint32_t line = (uint32_t)parser->problem_mark.line + 1;
    if (parser->error == YAML_READER_ERROR) {
        cairn_complain(build->complaints, build->file, 0, "not UTF-8 text: %s at byte %zu", problem,
                       parser->problem_offset);
    } else if (parser->context != NULL) {
        cairn_complain(build->complaints, build->file, line, "not valid YAML: %s, %s", parser->context, problem);
    } else {
        cairn_complain(build->complaints, build->file, line, "not valid YAML: %s", problem);
    }
}

static void parse_events(builder *build, const char *bytes, size_t size_bytes)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        fail(build, 0, "out of memory");
        return;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, size_bytes);
    while (!build->done && !build->failed) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            report_syntax(build, &parser);
            break;
        }
        take_event(build, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

cairn_err cairn_config_tree_parse(const char *bytes, size_t size_bytes, const char *file, cairn_arena *scratch,
                                  cairn_complaints *complaints, cairn_config_tree *ret_tree)
{
    builder build = {.file = file, .complaints = complaints, .node_max = node_max(size_bytes)};
    build.tree.nodes = CAIRN_TAKE(scratch, cairn_config_node, build.node_max);
    build.text_size = text_max(size_bytes);
    build.text = CAIRN_TAKE(scratch, char, build.text_size);
    CAIRN_ASSERT(build.tree.nodes != NULL && build.text != NULL);
    parse_events(&build, bytes, size_bytes);
    if (build.failed) { return CAIRN_ERR_INVALID; }
    if (build.tree.node_count == 0) {
        cairn_complain(complaints, file, 0, "the file is empty");
        return CAIRN_ERR_INVALID;
    }
    *ret_tree = build.tree;
    return CAIRN_OK;
}
