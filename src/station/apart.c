// apart.c - robots of which nobody knows where they are: what they say is kept apart until the finder has them again.
#include "station/station_parts.h"
#include <string.h>

// Whoever gets no task does not go where an old one led; what a camera saw before was seen elsewhere.
void cairn_station_begin_apart(cairn_station *station, uint32_t robot_at, cairn_mono now)
{
    cairn_station_state *state = &station->state;
    cairn_fleet_robot *robot = &state->fleet.robots[robot_at];
    CAIRN_ASSERT(robot->unplaced);
    state->looks[robot_at].known = false;
    if (robot->assignment.task != 0) { cairn_errand_drop(robot, now, station->team.send, station->team.context); }
    cairn_events_add(&state->events, now, CAIRN_LOG_WARN, robot->id,
                     "place of %s unknown: what it sees is kept apart, and looked for on the map; until it is found it "
                     "gets no tasks, and can be driven by hand",
                     robot->name);
}

static void drop_waiting(cairn_station_waiting *waiting, uint32_t at)
{
    CAIRN_ASSERT(at < waiting->count);
    waiting->count--;
    memmove(&waiting->sightings[at], &waiting->sightings[at + 1], (waiting->count - at) * sizeof waiting->sightings[0]);
}

void cairn_station_keep_sighting(cairn_station_state *state, const cairn_fleet_robot *robot,
                                 const cairn_msg_victim_seen *seen, cairn_mono now)
{
    cairn_station_waiting *waiting = &state->waiting;
    bool is_new = true;
    for (uint32_t i = waiting->count; i > 0; i--) {
        const cairn_msg_victim_seen *before = &waiting->sightings[i - 1].seen;
        if (before->robot != seen->robot || before->sighting != seen->sighting) { continue; }
        is_new = false;
        drop_waiting(waiting, i - 1);
    }
    if (seen->confidence_pct == 0) { return; } // taken back
    if (waiting->count == CAIRN_WAITING_SIGHTINGS_MAX) { drop_waiting(waiting, 0); }
    waiting->sightings[waiting->count++] =
        (cairn_waiting_sighting){*seen, cairn_places_last(state->atlas.places, robot->id)};
    if (!is_new) { return; }
    cairn_events_add(&state->events, now, CAIRN_LOG_WARN, robot->id,
                     "%s has seen somebody, and nobody knows where it is: on the map once it is found", robot->name);
}

// Sightings from where somebody knows now.
static void take_waiting(cairn_station_state *state, cairn_mono now)
{
    cairn_station_waiting *waiting = &state->waiting;
    for (uint32_t i = 0; i < waiting->count;) {
        const cairn_waiting_sighting sighting = waiting->sightings[i];
        const cairn_place *place = &state->atlas.places->places[sighting.place];
        if (place->is_apart) {
            i++;
            continue;
        }
        drop_waiting(waiting, i);
        cairn_fleet_robot *robot = cairn_fleet_find(&state->fleet, sighting.seen.robot);
        const cairn_seen_from from = {place->map_T_private, sighting.place};
        if (robot != NULL) { cairn_station_take_sighting(state, robot, &sighting.seen, from, now); }
    }
}

static void take_found(cairn_station *station, const cairn_search_result *result, cairn_mono now)
{
    cairn_station_state *state = &station->state;
    const uint8_t id = state->atlas.places->places[result->head].robot;
    cairn_atlas_settle(&state->atlas, result->head, &result->found);
    for (uint32_t i = 0; i < state->fleet.count; i++) {
        cairn_fleet_robot *robot = &state->fleet.robots[i];
        if (robot->id != id) { continue; }
        const bool was_unplaced = robot->unplaced;
        cairn_station_follow_frame(station, i, now);
        const bool is_there = was_unplaced && !robot->unplaced;
        const cairn_pose2 at = is_there ? robot->map_T_base : result->map_T_last;
        cairn_events_add(&state->events, now, CAIRN_LOG_INFO, id, "%s %s at (%.1f, %.1f): its map joins the others'",
                         robot->name, is_there ? "is found again" : "was for a while", at.x_m, at.y_m);
    }
    take_waiting(state, now);
}

static void tell_alike(cairn_station_state *state, const cairn_search_result *result, cairn_mono now)
{
    if (state->search.told_head == result->head) { return; }
    state->search.told_head = result->head;
    const cairn_fleet_robot *robot = cairn_fleet_find(&state->fleet, state->atlas.places->places[result->head].robot);
    if (robot == NULL) { return; }
    cairn_events_add(&state->events, now, CAIRN_LOG_WARN, robot->id,
                     "where %s is looks like %u places of the map: drive it on by hand until it sees what tells them "
                     "apart",
                     robot->name, result->alike_count);
}

void cairn_station_seek(cairn_station *station, cairn_mono now)
{
    cairn_station_state *state = &station->state;
    cairn_search_result result;
    switch (cairn_finder_step(station->finder, &state->search, &state->atlas, now, &result)) {
    case CAIRN_SEARCH_FOUND: take_found(station, &result, now); break;
    case CAIRN_SEARCH_ALIKE: tell_alike(state, &result, now); break;
    case CAIRN_SEARCH_NOWHERE:
    case CAIRN_SEARCH_GOES_ON: break;
    }
}

void cairn_station_walk_waiting(cairn_archive *archive, cairn_station_state *state)
{
    cairn_station_waiting *waiting = &state->waiting;
    cairn_archive_section(archive, "waiting");
    cairn_archive_count(archive, &waiting->count, CAIRN_WAITING_SIGHTINGS_MAX);
    for (uint32_t i = 0; i < waiting->count; i++) {
        cairn_waiting_sighting *sighting = &waiting->sightings[i];
        cairn_radio_message message = {.id = CAIRN_MSG_VICTIM_SEEN, .victim_seen = sighting->seen};
        cairn_archive_message(archive, CAIRN_MSG_VICTIM_SEEN, &message);
        cairn_archive_u32(archive, &sighting->place);
        if (!cairn_archive_loads(archive)) { continue; }
        sighting->seen = message.victim_seen;
        const cairn_places *places = state->atlas.places;
        if (sighting->place == CAIRN_PLACE_NONE || sighting->place >= places->graph->node_count) {
            cairn_archive_fail(archive);
            sighting->place = CAIRN_PLACE_NONE;
        }
    }
}
