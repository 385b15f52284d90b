// config.h - reads YAML files that people write, under a schema, and reports all that is wrong at once.
//
// A schema is a constant table of fields: key, kind, where it goes in the caller's struct, unit, range, default
// and help. Nothing is defaulted that the schema does not default, and nothing is ignored: an unknown key, a key
// given twice, a wrong type, a number out of range or not finite, too many items, anchors, aliases and tags are
// errors. Every error names file, line, path of the field ("robots[1].mode"), what was found and what was
// expected; for a misspelt key or choice also the word that was probably meant.
//
//     typedef struct lamp { char name[32]; double angle_rad; bool on; } lamp;
//     static const cairn_config_field lamp_fields[] = {
//         CAIRN_CONFIG_TEXT(lamp, name, "name", .help = "shown to people"),
//         CAIRN_CONFIG_REAL(lamp, angle_rad, "angle_deg", "degrees", -180, 180, .factor = CAIRN_CONFIG_DEG),
//         CAIRN_CONFIG_BOOL(lamp, on, "on", .fallback = "true"),
//     };
//     static const cairn_config_schema lamp_schema = CAIRN_CONFIG_SCHEMA(lamp, lamp_fields);
//
// Version  Every file may say `version: 1` at its top. A greater one than CAIRN_CONFIG_VERSION is refused: what it
//          means is not known here.
// Limits   Files up to 2 MiB, 250,000 values, 16 levels: an arena of 16,384 boxes.
// Memory   Lists go into the caller's arena, exactly as long as they are in the file; working memory is taken from the
//          heap and given back before return.
// Threads  No state of its own. Schemas are constant.
// Cost     O(file bytes + values x fields of their record).
#pragma once
#include "base/memory.h"

#define CAIRN_CONFIG_VERSION 1
#define CAIRN_CONFIG_BYTES_MAX ((size_t)2 << 20)
#define CAIRN_CONFIG_VALUES_MAX 250000u
#define CAIRN_CONFIG_DEPTH_MAX 16u
#define CAIRN_CONFIG_FIELDS_MAX 64u // of one record
#define CAIRN_CONFIG_DEG (3.14159265358979323846 / 180.0)

typedef enum cairn_config_kind {
    CAIRN_CONFIG_KIND_BOOL,    // bool: true or false
    CAIRN_CONFIG_KIND_INTEGER, // uint32_t or int64_t (size_bytes says which)
    CAIRN_CONFIG_KIND_REAL,    // double
    CAIRN_CONFIG_KIND_TEXT,    // char[size_bytes], NUL-terminated, not empty, no control characters
    CAIRN_CONFIG_KIND_CHOICE,  // an enum: the index of the word in choices
    CAIRN_CONFIG_KIND_VECTOR,  // a fixed number of doubles in a row (cairn_vec2, cairn_vec3, double[n])
    CAIRN_CONFIG_KIND_RECORD,  // a struct inside the struct
    CAIRN_CONFIG_KIND_LIST,    // a pointer to items in the arena, and a uint32_t count beside it
    CAIRN_CONFIG_KIND_VARIANT, // a struct inside the struct, read by the schema that its key `kind` chooses
    CAIRN_CONFIG_KIND_LINE,    // not a key: uint32_t that receives the line at which the record starts
    CAIRN_CONFIG_KIND_PRESENT  // not a key: bool that becomes true when the record is there at all
} cairn_config_kind;

typedef struct cairn_config_schema cairn_config_schema;
typedef struct cairn_config_variant cairn_config_variant;
typedef struct cairn_config_field cairn_config_field;

struct cairn_config_field {
    const char *key; // with its unit as suffix: "angle_deg"
    cairn_config_kind kind;
    size_t offset_bytes, size_bytes; // of the member
    const char *unit;                // for people: "degrees"; NULL none
    double min, max;                 // inclusive, in the file's unit: numbers, each element of a vector
    double factor;                   // stored = written * factor; 0 stands for 1
    // What to take when the key is missing, written as in a file (a vector as "0 0 1"). NULL: the key is
    // required. A text may have "": it stays empty. A list may have "[]": empty. A record may have "{}": all of its
    // fields fall back; or "none": it stays all-zero.
    const char *fallback;
    const char *help;                     // what it is; said when it is missing
    const char *const *choices;           // CHOICE: words, ended by NULL
    const cairn_config_schema *record;    // RECORD
    const cairn_config_variant *variants; // VARIANT: ended by a NULL name
    size_t variant_offset_bytes;          // VARIANT: uint32_t inside the struct: index of the chosen one
    const cairn_config_field *item;       // LIST: how to read one item (its offset is 0)
    size_t count_offset_bytes;            // LIST: the uint32_t count
    uint32_t item_min, item_max;          // LIST
};

struct cairn_config_schema {
    const cairn_config_field *fields;
    uint32_t field_count; // <= CAIRN_CONFIG_FIELDS_MAX
    size_t size_bytes;    // of the caller's struct
};

// One shape of a variant record. The first one is taken when the key `kind` is missing.
struct cairn_config_variant {
    const char *name;
    const cairn_config_schema *schema;
};

// The rows of a schema; further members follow by name (.fallback = "0", .help = "…").
#define CAIRN_CONFIG_MEMBER(type, member)                                                                              \
    .offset_bytes = offsetof(type, member), .size_bytes = sizeof(((type *)0)->member)
#define CAIRN_CONFIG_BOOL(type, member, key_, ...)                                                                     \
    {                                                                                                                  \
        .key = (key_), .kind = CAIRN_CONFIG_KIND_BOOL, CAIRN_CONFIG_MEMBER(type, member), __VA_ARGS__                  \
    }
#define CAIRN_CONFIG_INTEGER(type, member, key_, unit_, min_, max_, ...)                                               \
    {                                                                                                                  \
        .key = (key_), .kind = CAIRN_CONFIG_KIND_INTEGER, CAIRN_CONFIG_MEMBER(type, member), .unit = (unit_),          \
        .min = (min_), .max = (max_), __VA_ARGS__                                                                      \
    }
#define CAIRN_CONFIG_REAL(type, member, key_, unit_, min_, max_, ...)                                                  \
    {                                                                                                                  \
        .key = (key_), .kind = CAIRN_CONFIG_KIND_REAL, CAIRN_CONFIG_MEMBER(type, member), .unit = (unit_),             \
        .min = (min_), .max = (max_), __VA_ARGS__                                                                      \
    }
#define CAIRN_CONFIG_TEXT(type, member, key_, ...)                                                                     \
    {                                                                                                                  \
        .key = (key_), .kind = CAIRN_CONFIG_KIND_TEXT, CAIRN_CONFIG_MEMBER(type, member), __VA_ARGS__                  \
    }
#define CAIRN_CONFIG_CHOICE(type, member, key_, words, ...)                                                            \
    {                                                                                                                  \
        .key = (key_), .kind = CAIRN_CONFIG_KIND_CHOICE, CAIRN_CONFIG_MEMBER(type, member), .choices = (words),        \
        __VA_ARGS__                                                                                                    \
    }
#define CAIRN_CONFIG_VECTOR(type, member, key_, unit_, min_, max_, ...)                                                \
    {                                                                                                                  \
        .key = (key_), .kind = CAIRN_CONFIG_KIND_VECTOR, CAIRN_CONFIG_MEMBER(type, member), .unit = (unit_),           \
        .min = (min_), .max = (max_), __VA_ARGS__                                                                      \
    }
#define CAIRN_CONFIG_RECORD(type, member, key_, schema, ...)                                                           \
    {                                                                                                                  \
        .key = (key_), .kind = CAIRN_CONFIG_KIND_RECORD, CAIRN_CONFIG_MEMBER(type, member), .record = (schema),        \
        __VA_ARGS__                                                                                                    \
    }
#define CAIRN_CONFIG_LIST(type, member, count_member, key_, item_field, item_max_, ...)                                \
    {                                                                                                                  \
        .key = (key_), .kind = CAIRN_CONFIG_KIND_LIST, .offset_bytes = offsetof(type, member),                         \
        .size_bytes = sizeof(void *), .item = (item_field), .count_offset_bytes = offsetof(type, count_member),        \
        .item_max = (item_max_), __VA_ARGS__                                                                           \
    }
#define CAIRN_CONFIG_LINE(type, member)                                                                                \
    {                                                                                                                  \
        .kind = CAIRN_CONFIG_KIND_LINE, CAIRN_CONFIG_MEMBER(type, member)                                              \
    }
#define CAIRN_CONFIG_PRESENT(type, member)                                                                             \
    {                                                                                                                  \
        .kind = CAIRN_CONFIG_KIND_PRESENT, CAIRN_CONFIG_MEMBER(type, member)                                           \
    }

// Items of a list: records, variant records (index of the variant in a uint32_t member), vectors.
#define CAIRN_CONFIG_ITEM_RECORD(type, schema)                                                                         \
    {                                                                                                                  \
        .kind = CAIRN_CONFIG_KIND_RECORD, .size_bytes = sizeof(type), .record = (schema)                               \
    }
#define CAIRN_CONFIG_ITEM_VARIANT(type, member, variants_)                                                             \
    {                                                                                                                  \
        .kind = CAIRN_CONFIG_KIND_VARIANT, .size_bytes = sizeof(type), .variants = (variants_),                        \
        .variant_offset_bytes = offsetof(type, member)                                                                 \
    }
#define CAIRN_CONFIG_ITEM_VECTOR(type, unit_, min_, max_)                                                              \
    {                                                                                                                  \
        .kind = CAIRN_CONFIG_KIND_VECTOR, .size_bytes = sizeof(type), .unit = (unit_), .min = (min_), .max = (max_)    \
    }

#define CAIRN_CONFIG_SCHEMA(type, table)                                                                               \
    {                                                                                                                  \
        .fields = (table), .field_count = sizeof(table) / sizeof((table)[0]), .size_bytes = sizeof(type)               \
    }

// Reads a file into *ret_record, a struct of schema->size_bytes; members that the schema does not name become
// zero. `memory` takes the lists and may be NULL if the schema has none. On failure *ret_record is untouched,
// memory is as before, and *complaints has every reason:
//   CAIRN_ERR_IO         cannot be read
//   CAIRN_ERR_TOO_LARGE  more than CAIRN_CONFIG_BYTES_MAX
//   CAIRN_ERR_FULL       memory is too small for the lists
//   CAIRN_ERR_INVALID    anything else
CAIRN_CHECKED cairn_err cairn_config_read(const char *path, const cairn_config_schema *schema, cairn_arena *memory,
                                          cairn_complaints *complaints, void *ret_record);

// The same from bytes in memory; `name_for_errors` stands in for the file's name. The bytes may hold anything.
CAIRN_CHECKED cairn_err cairn_config_parse(const char *bytes, size_t size_bytes, const char *name_for_errors,
                                           const cairn_config_schema *schema, cairn_arena *memory,
                                           cairn_complaints *complaints, void *ret_record);

// A path named inside a file is relative to that file: "missions/maze.yaml" and "../arenas/maze.yaml" make
// "missions/../arenas/maze.yaml"; an absolute one stays. CAIRN_ERR_TOO_LARGE if it does not fit.
CAIRN_CHECKED cairn_err cairn_config_resolve(const char *file_path, const char *named_path, char *ret_path,
                                             size_t path_bytes_max);
