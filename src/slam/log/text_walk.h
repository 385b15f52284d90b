// text_walk.h - walks over numbers and words in a text in memory, line by line, without copying it.
//
// Threads  A walk belongs to one thread.
#pragma once
#include "base/status.h"

typedef struct cairn_text_walk {
    const char *at, *end;           // what is left of the text
    const char *line_at, *line_end; // what is left of the line
    uint32_t line;                  // its number, from 1
} cairn_text_walk;

cairn_text_walk cairn_text_walk_of(const void *bytes, size_t size_bytes);
bool cairn_text_next_line(cairn_text_walk *walk);       // false at the end
bool cairn_text_has_words(const cairn_text_walk *walk); // the rest of the line, and they are no remark (#)
// The next word of the line; false if there is none. Words are what stands between blanks.
bool cairn_text_word(cairn_text_walk *walk, const char **ret_word, size_t *ret_length);
bool cairn_text_is(const char *word, size_t length, const char *literal);
// The next word as a finite number, rounded as strtod does; false if it is none.
bool cairn_text_real(cairn_text_walk *walk, double *ret_value);
bool cairn_text_count(cairn_text_walk *walk, uint32_t *ret_value); // a whole number, 0..4e9
// The next word as seconds, kept to the nanosecond; false if it is none, or beyond 292 years.
bool cairn_text_seconds(cairn_text_walk *walk, int64_t *ret_ns);
