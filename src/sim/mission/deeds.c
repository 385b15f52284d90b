#include "sim/mission/deeds.h"
#include <math.h>
#include <stdio.h>

#define WAY_BYTES 64

// By insertion: those of one moment stay in the file's order, ends before beginnings that were written later.
static void insert(cairn_deeds *deeds, const cairn_mission_event *event, double at_s, bool ends)
{
    CAIRN_ASSERT(isfinite(at_s) && at_s >= 0);
    CAIRN_ASSERT(deeds->count < 2 * CAIRN_MISSION_EVENTS_MAX);
    const cairn_mono at = {cairn_ns_from_seconds(at_s)};
    uint32_t to = deeds->count++;
    for (; to > 0 && deeds->deeds[to - 1].at.ns > at.ns; to--) { deeds->deeds[to] = deeds->deeds[to - 1]; }
    deeds->deeds[to] = (cairn_deed){.at = at, .event = event, .ends = ends};
}

void cairn_deeds_add(cairn_deeds *deeds, const cairn_mission_event *event)
{
    CAIRN_ASSERT(event != NULL && event->kind < CAIRN_EVENT_COUNT);
    CAIRN_ASSERT(deeds->next == 0);
    insert(deeds, event, event->at_s, false);
    if (event->for_s > 0) { insert(deeds, event, event->at_s + event->for_s, true); }
}

const cairn_deed *cairn_deeds_take(cairn_deeds *deeds, cairn_mono now)
{
    CAIRN_ASSERT(deeds->next <= deeds->count);
    if (deeds->next >= deeds->count || deeds->deeds[deeds->next].at.ns > now.ns) { return NULL; }
    return &deeds->deeds[deeds->next++];
}

bool cairn_deed_do(const cairn_deed *deed, cairn_world *world)
{
    CAIRN_ASSERT(deed != NULL && deed->event != NULL && world != NULL);
    const cairn_mission_event *event = deed->event;
    const bool of_robot = event->kind == CAIRN_EVENT_KILL || event->kind == CAIRN_EVENT_FAIL ||
                          event->kind == CAIRN_EVENT_PRESS || event->kind == CAIRN_EVENT_LIFT;
    if (of_robot && cairn_world_is_dead(world, event->robot)) { return false; } // nothing else can befall it
    switch (event->kind) {
    case CAIRN_EVENT_OPEN: cairn_world_set_door(world, event->door, true); return true;
    case CAIRN_EVENT_CLOSE: cairn_world_set_door(world, event->door, false); return true;
    case CAIRN_EVENT_AFTERSHOCK: cairn_world_shake(world, event->strength_mps); return true;
    case CAIRN_EVENT_KILL: cairn_world_kill(world, event->robot); return true;
    case CAIRN_EVENT_FAIL:
        cairn_world_fail(world, event->robot, event->sensor, deed->ends ? NULL : &event->failure);
        return true;
    case CAIRN_EVENT_PRESS: cairn_world_press(world, event->robot, !deed->ends); return true;
    case CAIRN_EVENT_LIFT:
        // Whoever lifted it knows himself when to set it down.
        if (!deed->ends) {
            cairn_world_lift(world, event->robot, &(cairn_lift){event->for_s, event->height_m, event->move_m});
        }
        return true;
    case CAIRN_EVENT_REBOOT:
    case CAIRN_EVENT_COUNT: break;
    }
    CAIRN_ASSERT(false);
    return false;
}

static void say_failure(const cairn_mission_event *event, const char *robot, char *ret_words, size_t words_bytes)
{
    char how_long[32] = "good", way[WAY_BYTES];
    if (event->for_s > 0) { (void)snprintf(how_long, sizeof how_long, "%g s", event->for_s); }
    cairn_failure_say(event->sensor, &event->failure, way, sizeof way);
    (void)snprintf(ret_words, words_bytes, "%s of %s fails for %s: %s", cairn_sensor_names[event->sensor], robot,
                   how_long, way);
}

void cairn_deed_say(const cairn_deed *deed, const char *const *robots, const char **ret_kind, char *ret_words,
                    size_t words_bytes)
{
    CAIRN_ASSERT(deed != NULL && ret_kind != NULL && ret_words != NULL && words_bytes > 0);
    const cairn_mission_event *event = deed->event;
    *ret_kind = cairn_event_words[event->kind];
    switch (event->kind) {
    case CAIRN_EVENT_OPEN: (void)snprintf(ret_words, words_bytes, "door %s opens", event->door_name); return;
    case CAIRN_EVENT_CLOSE: (void)snprintf(ret_words, words_bytes, "door %s closes", event->door_name); return;
    case CAIRN_EVENT_AFTERSHOCK:
        (void)snprintf(ret_words, words_bytes, "aftershock of %g m/s", event->strength_mps);
        return;
    case CAIRN_EVENT_KILL: (void)snprintf(ret_words, words_bytes, "%s is dead", robots[event->robot]); return;
    case CAIRN_EVENT_PRESS:
        (void)snprintf(ret_words, words_bytes, "the stop button of %s is %s", robots[event->robot],
                       deed->ends ? "let out" : "pressed");
        return;
    case CAIRN_EVENT_LIFT:
        (void)snprintf(ret_words, words_bytes, deed->ends ? "%s is set down" : "%s is lifted", robots[event->robot]);
        return;
    case CAIRN_EVENT_FAIL:
        if (!deed->ends) {
            say_failure(event, robots[event->robot], ret_words, words_bytes);
        } else {
            *ret_kind = "repair";
            (void)snprintf(ret_words, words_bytes, "%s of %s works again", cairn_sensor_names[event->sensor],
                           robots[event->robot]);
        }
        return;
    case CAIRN_EVENT_REBOOT:
    case CAIRN_EVENT_COUNT: break;
    }
    CAIRN_ASSERT(false);
}

int64_t cairn_events_late_ns_max(const cairn_mission_event *events, uint32_t count)
{
    double late_s = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool late = events[i].kind == CAIRN_EVENT_FAIL && events[i].failure.way == CAIRN_FAILURE_LATE;
        if (late && events[i].failure.amount > late_s) { late_s = events[i].failure.amount; }
    }
    return cairn_ns_from_seconds(late_s);
}
