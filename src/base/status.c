// status.c - names of errors, the end after a breach, and the list of complaints.
#include "base/status.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cairn_err_name(cairn_err err)
{
    static const char *const names[CAIRN_ERR_COUNT] = {
        [CAIRN_OK] = "ok",
        [CAIRN_ERR_FULL] = "full",
        [CAIRN_ERR_EMPTY] = "empty",
        [CAIRN_ERR_OUTSIDE] = "outside",
        [CAIRN_ERR_STALE] = "stale",
        [CAIRN_ERR_CORRUPT] = "corrupt",
        [CAIRN_ERR_TOO_LARGE] = "too large",
        [CAIRN_ERR_NOT_FOUND] = "not found",
        [CAIRN_ERR_INVALID] = "invalid",
        [CAIRN_ERR_IO] = "input/output",
        [CAIRN_ERR_UNSUPPORTED] = "unsupported",
    };
    return (unsigned)err < CAIRN_ERR_COUNT ? names[err] : "unknown error";
}

_Noreturn void cairn_breach(const char *condition, const char *file, int line)
{
    fprintf(stderr, "cairn: breach at %s:%d: %s\n", file, line, condition);
    fflush(stderr);
    abort();
}

// Moves *at past what snprintf wrote; past the end of the buffer means that the line did not fit.
static void advance(size_t *at, int written)
{
    CAIRN_ASSERT(written >= 0);
    *at += (size_t)written;
}

static size_t write_place(char *line, size_t size_bytes, const char *file, uint32_t number)
{
    size_t at = 0;
    if (file && number) {
        advance(&at, snprintf(line, size_bytes, "%s:%u: ", file, number));
    } else if (file) {
        advance(&at, snprintf(line, size_bytes, "%s: ", file));
    } else if (number) {
        advance(&at, snprintf(line, size_bytes, "line %u: ", number));
    }
    return at;
}

void cairn_complain(cairn_complaints *complaints, const char *file, uint32_t line, const char *format, ...)
{
    CAIRN_ASSERT(complaints && format);
    CAIRN_ASSERT(complaints->used_bytes < sizeof complaints->text);
    complaints->count++;
    char *const start = complaints->text + complaints->used_bytes;
    const size_t room_bytes = sizeof complaints->text - complaints->used_bytes;

    size_t at = write_place(start, room_bytes, file, line);
    if (at < room_bytes) {
        va_list args;
        va_start(args, format);
        advance(&at, vsnprintf(start + at, room_bytes - at, format, args));
        va_end(args);
    }

    // A line is kept whole, with its newline and the terminator, or not at all.
    if (at + 2 > room_bytes) {
        *start = '\0';
        return;
    }
    memcpy(start + at, "\n", 2);
    complaints->used_bytes += at + 1;
}
