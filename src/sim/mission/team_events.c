// What befalls a team: events of the mission file, each at the first step at or after its time, and hazards.
#include "sim/mission/team_parts.h"
#include <stdarg.h>
#include <stdio.h>

static void note(cairn_team *team, cairn_mono now, const char *kind, const char *format, ...) CAIRN_PRINTF(4, 5);

static void note(cairn_team *team, cairn_mono now, const char *kind, const char *format, ...)
{
    cairn_event_score event = {.at_s = cairn_seconds(now.ns)};
    (void)snprintf(event.kind, sizeof event.kind, "%s", kind);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(event.words, sizeof event.words, format, arguments);
    va_end(arguments);
    cairn_lock_take(&team->lock);
    CAIRN_ASSERT(team->event_count < CAIRN_SCORE_EVENTS_MAX);
    team->events[team->event_count++] = event;
    cairn_lock_give(&team->lock);
    if (team->recorder != NULL) { cairn_recorder_add_mission_event(team->recorder, event.kind, event.words, now); }
}

// By insertion: those of one moment stay in the file's order, ends before beginnings that were written later.
static void plan(cairn_team_deeds *deeds, const cairn_mission_event *event, double at_s, bool ends)
{
    const cairn_mono at = {cairn_ns_from_seconds(at_s)};
    uint32_t to = deeds->count++;
    for (; to > 0 && deeds->deeds[to - 1].at.ns > at.ns; to--) { deeds->deeds[to] = deeds->deeds[to - 1]; }
    deeds->deeds[to] = (cairn_team_deed){.at = at, .event = event, .ends = ends};
}

void cairn_team_plan_events(cairn_team *team)
{
    CAIRN_ASSERT(team->def.event_count <= CAIRN_MISSION_EVENTS_MAX);
    for (uint32_t i = 0; i < team->def.event_count; i++) {
        const cairn_mission_event *event = &team->def.events[i];
        CAIRN_ASSERT(event->robot < team->def.robot_count);
        cairn_team_deeds *deeds = event->kind == CAIRN_EVENT_REBOOT ? &team->station_deeds : &team->world_deeds;
        plan(deeds, event, event->at_s, false);
        if (event->for_s > 0) { plan(deeds, event, event->at_s + event->for_s, true); }
    }
}

static void begin_failure(cairn_team *team, const cairn_mission_event *event, cairn_mono now)
{
    const char *robot = team->names[event->robot], *sensor = cairn_sensor_names[event->sensor];
    cairn_world_fail(team->world, event->robot, event->sensor, true);
    if (event->for_s > 0) {
        note(team, now, "fail", "%s of %s fails for %g s", sensor, robot, event->for_s);
    } else {
        note(team, now, "fail", "%s of %s fails for good", sensor, robot);
    }
}

static void befall_world(cairn_team *team, const cairn_team_deed *deed, cairn_mono now)
{
    const cairn_mission_event *event = deed->event;
    const bool of_robot = event->kind == CAIRN_EVENT_KILL || event->kind == CAIRN_EVENT_FAIL;
    if (of_robot && cairn_world_is_dead(team->world, event->robot)) { return; } // nothing else can befall it
    switch (event->kind) {
    case CAIRN_EVENT_OPEN:
    case CAIRN_EVENT_CLOSE: {
        const bool opens = event->kind == CAIRN_EVENT_OPEN;
        cairn_world_set_door(team->world, event->door, opens);
        note(team, now, cairn_event_words[event->kind], "door %s %s", event->door_name, opens ? "opens" : "closes");
        break;
    }
    case CAIRN_EVENT_AFTERSHOCK:
        cairn_world_shake(team->world, event->strength_mps);
        note(team, now, "aftershock", "aftershock of %g m/s", event->strength_mps);
        break;
    case CAIRN_EVENT_KILL:
        team->robots[event->robot].killed = true;
        cairn_world_kill(team->world, event->robot);
        note(team, now, "kill", "%s is dead", team->names[event->robot]);
        break;
    case CAIRN_EVENT_FAIL:
        if (!deed->ends) {
            begin_failure(team, event, now);
        } else {
            cairn_world_fail(team->world, event->robot, event->sensor, false);
            note(team, now, "repair", "%s of %s works again", cairn_sensor_names[event->sensor],
                 team->names[event->robot]);
        }
        break;
    default: CAIRN_ASSERT(false);
    }
}

void cairn_team_world_events_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    cairn_team_deeds *deeds = &team->world_deeds;
    for (; deeds->next < deeds->count && deeds->deeds[deeds->next].at.ns <= now.ns; deeds->next++) {
        befall_world(team, &deeds->deeds[deeds->next], now);
    }
}

void cairn_team_station_events_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    cairn_team_deeds *deeds = &team->station_deeds;
    for (; deeds->next < deeds->count && deeds->deeds[deeds->next].at.ns <= now.ns; deeds->next++) {
        const cairn_team_deed *deed = &deeds->deeds[deeds->next];
        if (!deed->ends) {
            cairn_team_station_down(team);
            note(team, now, "reboot", "the station goes down for %g s", deed->event->for_s);
        } else if (cairn_team_station_up(team, now) == CAIRN_OK) {
            note(team, now, "up", "the station is up again and goes on from what it had kept");
        } else {
            note(team, now, "up", "no memory for another station: the old one goes on");
        }
    }
}

void cairn_team_notice_death(cairn_team *team, uint32_t at, cairn_mono now)
{
    cairn_team_robot *robot = &team->robots[at];
    // In real time its link is another thread's.
    if (!team->def.realtime) { robot->last_link = cairn_robot_link_info(robot->robot, now); }
    cairn_lock_take(&team->lock);
    robot->dead = true;
    robot->dead_at = now;
    robot->seen.state = CAIRN_SERIES_DEAD;
    robot->seen.speed_mps = 0;
    team->dead_count++;
    team->air.silent[at] = true;
    cairn_lock_give(&team->lock);
    if (!robot->killed) { note(team, now, "hazard", "%s is destroyed by a hazard", team->names[at]); }
}
