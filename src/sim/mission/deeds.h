// deeds.h - the events of a mission in the order in which they happen, and what they do to a world.
//
// An event that lasts is two deeds: its beginning and its end. Used by whole missions and by `cairn sim`, which runs a
// world alone.
#pragma once
#include "sim/mission/mission_event.h"
#include "sim/world.h"

typedef struct cairn_deed {
    cairn_mono at;
    const cairn_mission_event *event; // borrowed
    bool ends;
} cairn_deed;

typedef struct cairn_deeds {
    uint32_t count, next;
    cairn_deed deeds[2 * CAIRN_MISSION_EVENTS_MAX];
} cairn_deeds;

// Adds an event: in order of time, and of one moment in the order in which they were added, ends before beginnings.
void cairn_deeds_add(cairn_deeds *deeds, const cairn_mission_event *event);
// The next deed that is due; NULL if there is none.
const cairn_deed *cairn_deeds_take(cairn_deeds *deeds, cairn_mono now);

// Does it, unless it befalls a robot that is dead: then nothing happens, and the answer is false. Not for a reboot.
bool cairn_deed_do(const cairn_deed *deed, cairn_world *world);
// What happened, for people: "laser of emu1 fails for 30 s: frozen". kind: one word. robots: their names. Not for a
// reboot.
void cairn_deed_say(const cairn_deed *deed, const char *const *robots, const char **ret_kind, char *ret_words,
                    size_t words_bytes);
// How late the events will make a sensor at most: cairn_world_def.late_ns_max.
int64_t cairn_events_late_ns_max(const cairn_mission_event *events, uint32_t count);
