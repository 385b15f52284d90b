// config_tree.h - private to config: the values of a YAML file as a tree of nodes with their lines.
#pragma once
#include "base/config/config.h"

typedef enum cairn_config_node_kind {
    CAIRN_CONFIG_NODE_SCALAR,
    CAIRN_CONFIG_NODE_SEQUENCE,
    CAIRN_CONFIG_NODE_MAPPING
} cairn_config_node_kind;

// Children hang in file order; those of a mapping alternate key, value. Index 0 is the top of the file, so that
// 0 as a link means "none".
typedef struct cairn_config_node {
    cairn_config_node_kind kind;
    uint32_t line; // from 1
    uint32_t first_child, next_sibling;
    uint32_t child_count;
    bool quoted;      // SCALAR: written in quotes or as a block, so it is text
    const char *text; // SCALAR: NUL-terminated
} cairn_config_node;

typedef struct cairn_config_tree {
    cairn_config_node *nodes;
    uint32_t node_count;
} cairn_config_tree;

// Parses one document into a tree in `scratch`, which holds at least cairn_config_tree_bytes(size_bytes).
// CAIRN_ERR_INVALID with a complaint for bad YAML, more than one document, anchors, aliases, tags, keys that are
// not plain words, and trees that are too large or too deep.
CAIRN_CHECKED cairn_err cairn_config_tree_parse(const char *bytes, size_t size_bytes, const char *file,
                                                cairn_arena *scratch, cairn_complaints *complaints,
                                                cairn_config_tree *ret_tree);
size_t cairn_config_tree_bytes(size_t size_bytes);

// config_words.c: numbers and words.

// Reads a plain decimal number ("-1.5e3") that fills the whole text. False for anything else: hexadecimal, inf,
// nan, blanks, overflow.
bool cairn_config_number(const char *text, double *ret_value);
// The word that was probably meant: smallest number of edits, at most a third of the letters; NULL if none is near.
const char *cairn_config_nearest(const char *text, const char *const *words, uint32_t word_count);

// config_fill.c: fills a struct from the top of a tree. CAIRN_ERR_INVALID or CAIRN_ERR_FULL with complaints; the
// record may then be half filled, and memory may have been taken.
CAIRN_CHECKED cairn_err cairn_config_fill(const cairn_config_tree *tree, const char *file,
                                          const cairn_config_schema *schema, cairn_arena *memory,
                                          cairn_complaints *complaints, void *record);

// config_say.c: what was expected of a field and what was found at a node, in words, for complaints.
void cairn_config_say_expected(const cairn_config_field *field, char *ret_text, size_t text_bytes_max);
void cairn_config_say_found(const cairn_config_node *node, char *ret_text, size_t text_bytes_max);
