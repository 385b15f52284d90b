// json.c - JSON text, value by value.
#include "messages/json.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(cairn_json *json, const char *text, size_t size)
{
    if (json->muted > 0 || json->full) { return; }
    if (size > json->max - json->used) {
        json->full = true;
        return;
    }
    memcpy(json->text + json->used, text, size);
    json->used += size;
}

void cairn_json_raw(cairn_json *json, const char *text) { put(json, text, strlen(text)); }

// Length of the UTF-8 character at the start, 0 when it is not one (overlong, surrogate or cut ones included).
static size_t utf8_length(const uint8_t *at, size_t size)
{
    if (at[0] < 0x80) { return 1; }
    const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > size) { return 0; }
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) { return 0; }
    }
    const bool bad = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                     (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : length;
}

static void put_escaped(cairn_json *json, uint8_t c)
{
    char text[8];
    const char *names = "\"\\\b\f\n\r\t", *letters = "\"\\bfnrt", *found = strchr(names, c);
    if (c != 0 && found != NULL) {
        (void)snprintf(text, sizeof text, "\\%c", letters[found - names]);
    } else {
        (void)snprintf(text, sizeof text, "\\u%04x", c);
    }
    cairn_json_raw(json, text);
}

void cairn_json_string(cairn_json *json, const char *text, size_t size)
{
    const uint8_t *at = (const uint8_t *)text, *end = at + size;
    put(json, "\"", 1);
    while (at < end) {
        const size_t length = utf8_length(at, (size_t)(end - at));
        if (length == 0) {
            cairn_json_raw(json, "\xef\xbf\xbd");
        } else if (*at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f) {
            put_escaped(json, *at);
        } else {
            put(json, (const char *)at, length);
        }
        at += length == 0 ? 1 : length;
    }
    put(json, "\"", 1);
}

void cairn_json_int(cairn_json *json, int64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    cairn_json_raw(json, text);
}

void cairn_json_uint(cairn_json *json, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    cairn_json_raw(json, text);
}

static bool put_special(cairn_json *json, double value)
{
    if (isfinite(value)) { return false; }
    cairn_json_raw(json, isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    return true;
}

void cairn_json_float(cairn_json *json, float value)
{
    char text[40];
    if (put_special(json, (double)value)) { return; }
    for (int digits = 6; digits <= 9; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) { break; }
    }
    cairn_json_raw(json, text);
}

void cairn_json_double(cairn_json *json, double value)
{
    char text[40];
    if (put_special(json, value)) { return; }
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) { break; }
    }
    cairn_json_raw(json, text);
}

void cairn_json_base64(cairn_json *json, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    put(json, "\"", 1);
    for (size_t i = 0; i < size; i += 3) {
        const size_t here = size - i < 3 ? size - i : 3;
        const uint32_t word = (uint32_t)bytes[i] << 16 | (here > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (here > 2 ? (uint32_t)bytes[i + 2] : 0);
        const char four[4] = {digits[word >> 18], digits[word >> 12 & 63], here > 1 ? digits[word >> 6 & 63] : '=',
                              here > 2 ? digits[word & 63] : '='};
        put(json, four, sizeof four);
    }
    put(json, "\"", 1);
}
