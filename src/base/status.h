// status.h - how things go wrong: returned errors, contract breaches, and text for people.
//
// Three kinds, never mixed: a breach of contract ends the program (CAIRN_ASSERT); a field condition is
// a returned cairn_err that must be looked at; poor data is a quality figure or a "not known" value.
// Threads  cairn_complaints belongs to one thread at a time; everything else is free of state.
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_CHECKED __attribute__((warn_unused_result))
#define CAIRN_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

// Field conditions. Outputs are untouched unless the call returns CAIRN_OK.
typedef enum cairn_err {
    CAIRN_OK = 0,
    CAIRN_ERR_FULL,        // no room left in a pool, arena, inbox, map or disk
    CAIRN_ERR_EMPTY,       // nothing there to take
    CAIRN_ERR_OUTSIDE,     // entirely outside the map, range or window
    CAIRN_ERR_STALE,       // too old to be used
    CAIRN_ERR_CORRUPT,     // bytes from outside that break their format
    CAIRN_ERR_TOO_LARGE,   // bigger than the stated limit
    CAIRN_ERR_NOT_FOUND,   // no such file, id, name or path
    CAIRN_ERR_INVALID,     // a person's input that cannot be accepted; the complaints say why
    CAIRN_ERR_IO,          // the operating system said no; the complaints say what
    CAIRN_ERR_UNSUPPORTED, // this build, body or version cannot do that
    CAIRN_ERR_COUNT
} cairn_err;

// "full", "corrupt", ... Never NULL.
const char *cairn_err_name(cairn_err err);

// Contract breaches: on in every build, O(1), not in inner loops.
#define CAIRN_ASSERT(condition) ((condition) ? (void)0 : cairn_breach(#condition, __FILE__, __LINE__))

// Dearer checks, on in tests and sanitizer builds (-DCAIRN_AUDITS).
#ifdef CAIRN_AUDITS
#define CAIRN_AUDIT(condition) CAIRN_ASSERT(condition)
#else
#define CAIRN_AUDIT(condition) ((void)sizeof(condition))
#endif

// Prints one line to stderr and aborts.
__attribute__((noreturn)) void cairn_breach(const char *condition, const char *file, int line);

// What a person is told about an input that cannot be accepted: all of it at once, a line each, in the
// form "file:line: what is wrong; what to do". Bounded: later complaints are counted, not kept.
typedef struct cairn_complaints {
    uint32_t count; // all complaints, kept or not
    size_t used_bytes;
    char text[16384]; // kept lines, each ended by '\n', NUL-terminated
} cairn_complaints;

// An all-zero struct is an empty list. Adds a line; line 0 leaves the number out, file NULL the name too.
void cairn_complain(cairn_complaints *complaints, const char *file, uint32_t line, const char *format, ...)
    CAIRN_PRINTF(4, 5);
