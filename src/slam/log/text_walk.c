// Logs are millions of short decimals. One with at most 15 digits is a whole number divided by a power of ten, both
// exact in a double, so that one division rounds it as strtod would, ten times faster; the others go to strtod.
#include "slam/log/text_walk.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_EXACT 15u
#define NUMBER_BYTES_MAX 64u
#define NS_MAX INT64_C(9000000000) // seconds, within an int64_t of nanoseconds

static const double powers_of_ten[DIGITS_EXACT + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

cairn_text_walk cairn_text_walk_of(const void *bytes, size_t size_bytes)
{
    const char *text = bytes;
    return (cairn_text_walk){.at = text, .end = text + size_bytes, .line_at = text, .line_end = text};
}

bool cairn_text_next_line(cairn_text_walk *walk)
{
    if (walk->at == walk->end) { return false; }
    const char *newline = memchr(walk->at, '\n', (size_t)(walk->end - walk->at));
    walk->line_at = walk->at;
    walk->line_end = newline != NULL ? newline : walk->end;
    walk->at = newline != NULL ? newline + 1 : walk->end;
    walk->line++;
    return true;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool cairn_text_word(cairn_text_walk *walk, const char **ret_word, size_t *ret_length)
{
    const char *at = walk->line_at;
    while (at < walk->line_end && is_blank(*at)) { at++; }
    const char *word = at;
    while (at < walk->line_end && !is_blank(*at)) { at++; }
    walk->line_at = at;
    if (at == word) { return false; }
    *ret_word = word;
    *ret_length = (size_t)(at - word);
    return true;
}

bool cairn_text_has_words(const cairn_text_walk *walk)
{
    cairn_text_walk look = *walk;
    const char *word;
    size_t length;
    return cairn_text_word(&look, &word, &length) && word[0] != '#';
}

bool cairn_text_is(const char *word, size_t length, const char *literal)
{
    return strlen(literal) == length && memcmp(word, literal, length) == 0;
}

// A plain decimal with few digits: its sign, digits as one number, and how many follow the point.
typedef struct decimal {
    bool negative;
    uint64_t digits;
    uint32_t digit_count, after_point;
} decimal;

static bool read_decimal(const char *word, size_t length, decimal *ret_decimal)
{
    decimal d = {0};
    size_t i = 0;
    bool point = false;
    if (word[0] == '-' || word[0] == '+') { d.negative = word[i++] == '-'; }
    for (; i < length; i++) {
        const unsigned digit = (unsigned)(word[i] - '0');
        if (digit <= 9) {
            d.digits = 10 * d.digits + digit;
            d.digit_count += d.digits != 0; // zeros in front do not count
            d.after_point += point;
        } else if (word[i] == '.' && !point) {
            point = true;
        } else {
            return false;
        }
        if (d.digit_count > 18 || d.after_point > DIGITS_EXACT) { return false; }
    }
    *ret_decimal = d;
    return i > (size_t)point + (word[0] == '-' || word[0] == '+');
}

static bool read_by_strtod(const char *word, size_t length, double *ret_value)
{
    char copy[NUMBER_BYTES_MAX + 1];
    if (length > NUMBER_BYTES_MAX) { return false; }
    memcpy(copy, word, length);
    copy[length] = '\0';
    char *end;
    const double value = strtod(copy, &end);
    if (end != copy + length || !isfinite(value)) { return false; }
    *ret_value = value;
    return true;
}

bool cairn_text_real(cairn_text_walk *walk, double *ret_value)
{
    const char *word;
    size_t length;
    if (!cairn_text_word(walk, &word, &length)) { return false; }
    decimal d;
    if (!read_decimal(word, length, &d) || d.digit_count > DIGITS_EXACT) {
        return read_by_strtod(word, length, ret_value);
    }
    const double value = (double)d.digits / powers_of_ten[d.after_point];
    *ret_value = d.negative ? -value : value;
    return true;
}

bool cairn_text_count(cairn_text_walk *walk, uint32_t *ret_value)
{
    const char *word;
    size_t length;
    decimal d;
    if (!cairn_text_word(walk, &word, &length) || !read_decimal(word, length, &d)) { return false; }
    if (d.negative || d.after_point > 0 || word[length - 1] == '.' || d.digits > UINT32_MAX) { return false; }
    *ret_value = (uint32_t)d.digits;
    return true;
}

bool cairn_text_seconds(cairn_text_walk *walk, int64_t *ret_ns)
{
    const char *word;
    size_t length;
    if (!cairn_text_word(walk, &word, &length)) { return false; }
    decimal d;
    int64_t ns;
    if (read_decimal(word, length, &d) && d.after_point <= 9) {
        uint64_t scale = 1;
        for (uint32_t i = d.after_point; i < 9; i++) { scale *= 10; }
        if (d.digits > (uint64_t)NS_MAX * UINT64_C(1000000000) / scale) { return false; }
        ns = (int64_t)(d.digits * scale);
        ns = d.negative ? -ns : ns;
    } else {
        double seconds;
        if (!read_by_strtod(word, length, &seconds) || !(fabs(seconds) <= (double)NS_MAX)) { return false; }
        ns = (int64_t)llround(seconds * 1e9);
    }
    *ret_ns = ns;
    return true;
}
