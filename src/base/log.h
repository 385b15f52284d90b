// log.h - lines for people and for the journal. A log is passed down, never global.
//
// In loops count occurrences instead (STYLE: trouble comes in three kinds); cairn_log_often prints at
// most once a second of the given clock and tells how many it swallowed.
#pragma once
#include "base/clock.h"

typedef enum cairn_log_level { // ROS 2's numbers
    CAIRN_LOG_DEBUG = 10,
    CAIRN_LOG_INFO = 20,
    CAIRN_LOG_WARN = 30,
    CAIRN_LOG_ERROR = 40,
    CAIRN_LOG_FATAL = 50
} cairn_log_level;

// A longer text is cut, and then ends in "...".
#define CAIRN_LOG_TEXT_BYTES 512

// Writes a text for people, cut in the same way. size_bytes > 3.
void cairn_text_print(char *ret_text, size_t size_bytes, const char *format, ...) CAIRN_PRINTF(3, 4);

typedef void (*cairn_log_sink_fn)(void *context, cairn_mono now, cairn_log_level level, const char *source,
                                  const char *text);

// All-zero swallows everything. Threads: as the sink allows.
typedef struct cairn_log {
    cairn_log_sink_fn sink; // NULL: nobody listens
    void *context;          // borrowed
    const char *source;     // borrowed: "emu1/mind"
    cairn_log_level level;  // less important lines are dropped
} cairn_log;

void cairn_log_line(const cairn_log *log, cairn_mono now, cairn_log_level level, const char *format, ...)
    CAIRN_PRINTF(4, 5);

typedef struct cairn_log_often_state {
    cairn_mono last;
    uint64_t swallowed_count;
    bool said;
} cairn_log_often_state;
// After a pause the line begins with "(12 not shown) ".
void cairn_log_often(const cairn_log *log, cairn_log_often_state *state, cairn_mono now, cairn_log_level level,
                     const char *format, ...) CAIRN_PRINTF(5, 6);

// A sink that writes "12.345 WARN emu1/mind: text" to stderr.
void cairn_log_to_stderr(void *context, cairn_mono now, cairn_log_level level, const char *source, const char *text);
