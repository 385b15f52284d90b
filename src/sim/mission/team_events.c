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

void cairn_team_plan_events(cairn_team *team)
{
    CAIRN_ASSERT(team->def.event_count <= CAIRN_MISSION_EVENTS_MAX);
    for (uint32_t i = 0; i < team->def.event_count; i++) {
        const cairn_mission_event *event = &team->def.events[i];
        CAIRN_ASSERT(event->robot < team->def.robot_count);
        cairn_deeds *deeds = event->kind == CAIRN_EVENT_REBOOT ? &team->station_deeds : &team->world_deeds;
        cairn_deeds_add(deeds, event);
    }
}

void cairn_team_world_events_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    for (const cairn_deed *deed; (deed = cairn_deeds_take(&team->world_deeds, now)) != NULL;) {
        if (!cairn_deed_do(deed, team->world)) { continue; }
        if (deed->event->kind == CAIRN_EVENT_KILL) { team->robots[deed->event->robot].killed = true; }
        const char *kind;
        char words[sizeof team->events[0].words];
        cairn_deed_say(deed, team->names, &kind, words, sizeof words);
        note(team, now, kind, "%s", words);
    }
}

void cairn_team_station_events_step(void *context, cairn_mono now)
{
    cairn_team *team = context;
    for (const cairn_deed *deed; (deed = cairn_deeds_take(&team->station_deeds, now)) != NULL;) {
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
