#include "station/events.h"
#include <stdio.h>

// How many bytes the UTF-8 character at text has; 0 if there is none, or a control character.
static size_t character_bytes(const uint8_t *text)
{
    if (text[0] < 0x80) { return text[0] >= 0x20 && text[0] != 0x7f ? 1 : 0; }
    const size_t bytes = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4) { return 0; }
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) { return 0; } // the end of the text as well
    }
    const bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    const bool surrogate = text[0] == 0xed && text[1] >= 0xa0;
    const bool beyond = text[0] == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : bytes;
}

// Words may come from a robot: what no page could show becomes a question mark.
void cairn_events_make_readable(char *text)
{
    for (uint8_t *at = (uint8_t *)text; *at != 0;) {
        const size_t bytes = character_bytes(at);
        if (bytes == 0) { *at = '?'; }
        at += bytes == 0 ? 1 : bytes;
    }
}

void cairn_events_add(cairn_events *events, cairn_mono now, cairn_log_level level, uint8_t robot, const char *format,
                      ...)
{
    cairn_event *event = &events->ring[events->count % CAIRN_EVENTS_MAX];
    *event = (cairn_event){.number = ++events->count, .at = now, .level = level, .robot = robot};
    va_list args;
    va_start(args, format);
    vsnprintf(event->text, sizeof event->text, format, args);
    va_end(args);
    cairn_events_make_readable(event->text);
    cairn_log_line(&events->log, now, level, "%s", event->text);
}

const cairn_event *cairn_events_get(const cairn_events *events, uint64_t number)
{
    if (number == 0 || number > events->count) { return NULL; }
    const cairn_event *event = &events->ring[(number - 1) % CAIRN_EVENTS_MAX];
    return event->number == number ? event : NULL;
}
