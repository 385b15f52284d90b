// Any bytes as a YAML file under a schema that has a field of every kind: read, or refused with a reason.
#include "base/config/config.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

typedef struct part {
    uint32_t kind; // 0 plain, 1 pair
    uint32_t line;
    char name[8];
    double turn_rad;
    double pair[2];
} part;

typedef struct thing {
    bool flag, offered;
    uint32_t count32;
    int64_t count64;
    double real;
    char text[16];
    uint32_t choice;
    double vector[3];
    part inner;
    part *parts;
    uint32_t part_count;
    part *pairs;
    uint32_t pair_count;
    double (*points)[2];
    uint32_t point_count;
} thing;

static const cairn_config_field part_fields[] = {
    CAIRN_CONFIG_LINE(part, line),
    CAIRN_CONFIG_TEXT(part, name, "name", .help = "short"),
    CAIRN_CONFIG_REAL(part, turn_rad, "turn_deg", "degrees", -180, 180, .factor = CAIRN_CONFIG_DEG, .fallback = "0"),
};
static const cairn_config_schema part_schema = CAIRN_CONFIG_SCHEMA(part, part_fields);
static const cairn_config_field pair_fields[] = {
    CAIRN_CONFIG_VECTOR(part, pair, "pair", NULL, -1, 1, .fallback = "0 0"),
};
static const cairn_config_schema pair_schema = CAIRN_CONFIG_SCHEMA(part, pair_fields);
static const cairn_config_variant variants[] = {{"plain", &part_schema}, {"pair", &pair_schema}, {NULL, NULL}};
static const cairn_config_field part_item = CAIRN_CONFIG_ITEM_RECORD(part, &part_schema);
static const cairn_config_field variant_item = CAIRN_CONFIG_ITEM_VARIANT(part, kind, variants);
static const cairn_config_field point_item = CAIRN_CONFIG_ITEM_VECTOR(double[2], "m", -5, 5);
static const char *const words[] = {"stop", "go", "wait", NULL};

static const cairn_config_field thing_fields[] = {
    CAIRN_CONFIG_BOOL(thing, flag, "flag", .fallback = "true"),
    CAIRN_CONFIG_PRESENT(thing, offered),
    CAIRN_CONFIG_INTEGER(thing, count32, "count32", NULL, 0, 4294967295.0, .fallback = "1"),
    CAIRN_CONFIG_INTEGER(thing, count64, "count_ms", "ms", -1000000, 1000000, .factor = 1e6, .fallback = "1"),
    CAIRN_CONFIG_REAL(thing, real, "real", NULL, -1e300, 1e300, .fallback = "0"),
    CAIRN_CONFIG_TEXT(thing, text, "text", .fallback = ""),
    CAIRN_CONFIG_CHOICE(thing, choice, "choice", words, .fallback = "go"),
    CAIRN_CONFIG_VECTOR(thing, vector, "vector", "m", -10, 10, .fallback = "1 2 3"),
    CAIRN_CONFIG_RECORD(thing, inner, "inner", &part_schema, .fallback = "none"),
    CAIRN_CONFIG_LIST(thing, parts, part_count, "parts", &part_item, 8, .fallback = "[]"),
    CAIRN_CONFIG_LIST(thing, pairs, pair_count, "pairs", &variant_item, 8, .fallback = "[]"),
    CAIRN_CONFIG_LIST(thing, points, point_count, "points_m", &point_item, 100, .fallback = "[]"),
};
static const cairn_config_schema thing_schema = CAIRN_CONFIG_SCHEMA(thing, thing_fields);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    cairn_arena memory;
    if (cairn_arena_create(&memory, 4096) != CAIRN_OK) { return 0; }
    cairn_complaints told = {0};
    thing read;
    const cairn_err err =
        cairn_config_parse((const char *)bytes, size_bytes, "fuzz", &thing_schema, &memory, &told, &read);
    CAIRN_ASSERT((err == CAIRN_OK) == (told.count == 0));
    CAIRN_ASSERT(strlen(told.text) == told.used_bytes);
    if (err == CAIRN_OK) {
        CAIRN_ASSERT(read.part_count <= 8 && read.pair_count <= 8 && read.point_count <= 100);
        CAIRN_ASSERT(strlen(read.text) < sizeof read.text && read.choice < 3);
        for (int i = 0; i < 3; i++) { CAIRN_ASSERT(read.vector[i] >= -10 && read.vector[i] <= 10); }
        for (uint32_t i = 0; i < read.pair_count; i++) { CAIRN_ASSERT(read.pairs[i].kind < 2); }
    } else {
        CAIRN_ASSERT(memory.used_bytes == 0);
    }
    cairn_arena_destroy(&memory);
    return 0;
}
