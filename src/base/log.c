// log.c - formatting of log lines, and the sink for a terminal.
#include "base/log.h"
#include <stdio.h>
#include <string.h>

#define OFTEN_PERIOD_NS CAIRN_S(1)

static bool is_wanted(const cairn_log *log, cairn_log_level level) { return log && log->sink && level >= log->level; }

// Ends a text that snprintf had to cut so that its reader sees it.
static void mark_cut(char *text, size_t size_bytes, int length)
{
    if (length < 0) {
        snprintf(text, size_bytes, "(a line that cannot be formatted)");
    } else if ((size_t)length >= size_bytes) {
        memcpy(text + size_bytes - sizeof "...", "...", sizeof "...");
    }
}

void cairn_text_print(char *ret_text, size_t size_bytes, const char *format, ...)
{
    CAIRN_ASSERT(ret_text && format && size_bytes >= sizeof "...");
    va_list args;
    va_start(args, format);
    mark_cut(ret_text, size_bytes, vsnprintf(ret_text, size_bytes, format, args));
    va_end(args);
}

void cairn_log_line(const cairn_log *log, cairn_mono now, cairn_log_level level, const char *format, ...)
{
    CAIRN_ASSERT(format);
    if (!is_wanted(log, level)) { return; }
    char text[CAIRN_LOG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    mark_cut(text, sizeof text, vsnprintf(text, sizeof text, format, args));
    va_end(args);
    log->sink(log->context, now, level, log->source ? log->source : "", text);
}

void cairn_log_often(const cairn_log *log, cairn_log_often_state *state, cairn_mono now, cairn_log_level level,
                     const char *format, ...)
{
    CAIRN_ASSERT(state && format);
    if (!is_wanted(log, level)) { return; }
    if (state->said && cairn_mono_since(now, state->last) < OFTEN_PERIOD_NS) {
        state->swallowed_count++;
        return;
    }
    char text[CAIRN_LOG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    mark_cut(text, sizeof text, vsnprintf(text, sizeof text, format, args));
    va_end(args);
    if (state->swallowed_count) {
        cairn_log_line(log, now, level, "(%llu not shown) %s", (unsigned long long)state->swallowed_count, text);
    } else {
        cairn_log_line(log, now, level, "%s", text);
    }
    *state = (cairn_log_often_state){.last = now, .said = true};
}

static const char *level_name(cairn_log_level level)
{
    if (level < CAIRN_LOG_INFO) { return "DEBUG"; }
    if (level < CAIRN_LOG_WARN) { return "INFO"; }
    if (level < CAIRN_LOG_ERROR) { return "WARN"; }
    if (level < CAIRN_LOG_FATAL) { return "ERROR"; }
    return "FATAL";
}

void cairn_log_to_stderr(void *context, cairn_mono now, cairn_log_level level, const char *source, const char *text)
{
    (void)context;
    fprintf(stderr, "%.3f %s %s: %s\n", cairn_seconds(now.ns), level_name(level), source, text);
}
