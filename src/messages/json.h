// json.h - JSON text put into the caller's block, value by value.
//
// What does not fit sets full and is dropped, so that one look at the end is enough. Commas are the caller's.
// NaN and infinities, which JSON does not have, become the strings "NaN", "Infinity" and "-Infinity". Bytes
// that are not UTF-8 become U+FFFD. Numbers are the shortest that read back to the same value.
// Threads  One owner.
#pragma once
#include "base/status.h"

typedef struct cairn_json {
    char *text; // not NUL-terminated
    size_t used, max;
    uint32_t muted; // > 0: nothing is put
    bool full;
} cairn_json;

void cairn_json_raw(cairn_json *json, const char *text);
void cairn_json_string(cairn_json *json, const char *text, size_t size);
void cairn_json_int(cairn_json *json, int64_t value);
void cairn_json_uint(cairn_json *json, uint64_t value);
void cairn_json_float(cairn_json *json, float value);
void cairn_json_double(cairn_json *json, double value);
void cairn_json_base64(cairn_json *json, const uint8_t *bytes, size_t size); // a string
