// events.h - what happened, in words, for the operator's list and the journal. The oldest make room.
#pragma once
#include "base/log.h"

#define CAIRN_EVENTS_MAX 512
#define CAIRN_EVENT_TEXT_BYTES 208

typedef struct cairn_event {
    uint64_t number; // counts up from 1
    cairn_mono at;
    cairn_log_level level; // INFO: for the record; WARN: look at it; ERROR: do something
    uint8_t robot;         // id; 0: the team or the station
    char text[CAIRN_EVENT_TEXT_BYTES];
} cairn_event;

typedef struct cairn_events {
    cairn_log log;  // each event is also a line there; all-zero: nobody listens
    uint64_t count; // the number of the newest
    cairn_event ring[CAIRN_EVENTS_MAX];
} cairn_events;

// Takes a text as long as there is room; what is not UTF-8, and control characters, become question marks.
void cairn_events_add(cairn_events *events, cairn_mono now, cairn_log_level level, uint8_t robot, const char *format,
                      ...) CAIRN_PRINTF(5, 6);
void cairn_events_make_readable(char *text); // what add does with a text, whoever wrote it
// NULL: not yet, or no longer.
const cairn_event *cairn_events_get(const cairn_events *events, uint64_t number);
