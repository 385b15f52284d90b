#include "base/config/config_tree.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_LETTERS_MAX = 48 }; // longer words are never "probably meant"

static const char *skip_digits(const char *at)
{
    while (isdigit((unsigned char)*at)) { at++; }
    return at;
}

// [+-] digits [. digits] [e [+-] digits], with digits on at least one side of the point.
static bool looks_like_number(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    const char *whole = at;
    at = skip_digits(at);
    bool any = at > whole;
    if (*at == '.') {
        const char *part = at + 1;
        at = skip_digits(part);
        any = any || at > part;
    }
    if (!any) { return false; }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '-' || *at == '+';
        const char *exponent = at;
        at = skip_digits(at);
        if (at == exponent) { return false; }
    }
    return *at == '\0';
}

bool cairn_config_number(const char *text, double *ret_value)
{
    if (!looks_like_number(text)) { return false; }
    const double value = strtod(text, NULL);
    if (!isfinite(value)) { return false; }
    *ret_value = value;
    return true;
}

static uint32_t min3(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t least = a < b ? a : b;
    return least < c ? least : c;
}

// Levenshtein's distance, row by row.
static uint32_t edits_between(const char *a, const char *b)
{
    const size_t a_length = strlen(a), b_length = strlen(b);
    CAIRN_ASSERT(a_length <= WORD_LETTERS_MAX && b_length <= WORD_LETTERS_MAX);
    uint32_t row[WORD_LETTERS_MAX + 1];
    for (size_t j = 0; j <= b_length; j++) { row[j] = (uint32_t)j; }
    for (size_t i = 1; i <= a_length; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b_length; j++) {
            const uint32_t above = row[j];
            const uint32_t changed = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + changed);
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *cairn_config_nearest(const char *text, const char *const *words, uint32_t word_count)
{
    const size_t length = strlen(text);
    if (length == 0 || length > WORD_LETTERS_MAX) { return NULL; }
    const char *nearest = NULL;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < word_count; i++) {
        const size_t word_length = strlen(words[i]);
        if (word_length > WORD_LETTERS_MAX) { continue; }
        const uint32_t edits = edits_between(text, words[i]);
        // A key without its unit is the commonest slip: "height" for "height_m".
        const bool unit_missing = length >= 2 && strncmp(text, words[i], length) == 0 && words[i][length] == '_';
        const uint32_t allowed = (uint32_t)(word_length > length ? word_length : length) / 3;
        const uint32_t counted = unit_missing ? 1 : edits;
        if (counted < fewest && (unit_missing || edits <= allowed)) {
            fewest = counted;
            nearest = words[i];
        }
    }
    return nearest;
}
