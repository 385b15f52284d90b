// align.c - keeps the map true as robots come to where they or others have been: finds closures, solves the graph of
// places, and lets all follow that hangs on them.
#include "station/station_parts.h"
#include <string.h>

#define SOLVE_STEPS 5 // of tasking, between two solves: each moves robots and maps a little
#define TOLD_NS CAIRN_S(300)
#define REDRAWN_MAX 96 // maps that are drawn again in one step, about 60 us each

static bool is_accepted(const cairn_closure_story *story)
{
    return story->state == CAIRN_CLOSURE_ACCEPTED_BY_CLIQUE || story->state == CAIRN_CLOSURE_ACCEPTED_BY_MAP ||
           story->state == CAIRN_CLOSURE_ACCEPTED_BY_PERSON;
}

static bool are_same_robots(const cairn_places *places, const cairn_closure_story *a, const cairn_closure_story *b)
{
    const uint8_t a0 = places->places[a->proposal.from].robot, a1 = places->places[a->proposal.to].robot;
    const uint8_t b0 = places->places[b->proposal.from].robot, b1 = places->places[b->proposal.to].robot;
    return (a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0);
}

// Whether nothing was accepted before between the two robots of a story: not in an earlier step, nor above it in the
// list in this one.
static bool is_first_between(const cairn_places *places, uint32_t at)
{
    const cairn_closure_story *story = cairn_candidates_story(places->candidates, at);
    for (uint32_t i = 0; i < cairn_candidates_count(places->candidates); i++) {
        const cairn_closure_story *other = cairn_candidates_story(places->candidates, i);
        const bool is_earlier =
            other->decided_at.ns < story->decided_at.ns || (other->decided_at.ns == story->decided_at.ns && i < at);
        if (i != at && is_earlier && other->factor != CAIRN_GRAPH_NONE && are_same_robots(places, story, other)) {
            return false;
        }
    }
    return true;
}

static void tell_of_meetings(cairn_station_state *state, cairn_mono now)
{
    const cairn_places *places = state->atlas.places;
    for (uint32_t i = 0; i < cairn_candidates_count(places->candidates); i++) {
        const cairn_closure_story *story = cairn_candidates_story(places->candidates, i);
        if (!is_accepted(story) || story->decided_at.ns != now.ns) { continue; }
        const cairn_fleet_robot *one = cairn_fleet_find(&state->fleet, places->places[story->proposal.from].robot);
        const cairn_fleet_robot *other = cairn_fleet_find(&state->fleet, places->places[story->proposal.to].robot);
        if (one == NULL || other == NULL || one == other || !is_first_between(places, i)) { continue; }
        const double *at_m = places->graph->nodes[story->proposal.to].pose.v;
        cairn_events_add(&state->events, now, CAIRN_LOG_INFO, other->id,
                         "the maps of %s and %s are tied to each other at (%.1f, %.1f)", one->name, other->name,
                         at_m[0], at_m[1]);
    }
}

void cairn_station_follow_frame(cairn_station *station, uint32_t robot_at, cairn_mono now)
{
    cairn_station_state *state = &station->state;
    cairn_fleet_robot *robot = &state->fleet.robots[robot_at];
    const cairn_pose2 before = robot->map_T_private;
    const bool was_unplaced = robot->unplaced;
    robot->unplaced = cairn_places_is_apart(state->atlas.places, robot->id);
    robot->is_cut = cairn_places_is_cut(state->atlas.places, robot->id);
    if (robot->unplaced && !was_unplaced) { cairn_station_begin_apart(station, robot_at, now); }
    const cairn_pose2 frame = cairn_places_frame(state->atlas.places, robot->id, before);
    if (frame.x_m == before.x_m && frame.y_m == before.y_m && frame.yaw_rad == before.yaw_rad) { return; }
    cairn_station_look_at *look = &state->looks[robot_at];
    look->map_T_camera =
        cairn_pose2_compose(cairn_pose2_compose(frame, cairn_pose2_inverse(before)), look->map_T_camera);
    cairn_fleet_place(robot, frame);
    cairn_errand_follow(robot, now, station->team.send, station->team.context);
}

// Whether an event that begins like this is one of the last minutes.
static bool was_told_lately(const cairn_events *events, const char *text, cairn_mono now)
{
    for (uint64_t number = events->count; number > 0; number--) {
        const cairn_event *event = cairn_events_get(events, number);
        if (event == NULL || cairn_mono_since(now, event->at) > TOLD_NS) { return false; }
        if (strncmp(event->text, text, strlen(text)) == 0) { return true; }
    }
    return false;
}

void cairn_station_join_victims(cairn_station_state *state, cairn_mono now)
{
    cairn_victims_joined joined;
    while (cairn_victims_join(&state->victims, &joined)) {
        const cairn_vec2 at_m = state->victims.victims[joined.stays - 1].at_m;
        cairn_events_add(&state->events, now, CAIRN_LOG_WARN, 0,
                         "victim %u is the same as victim %u, at (%.1f, %.1f): look for one person there", joined.gone,
                         joined.stays, at_m.x, at_m.y);
    }
}

static void solve(cairn_station *station, cairn_mono now)
{
    cairn_station_state *state = &station->state;
    cairn_places_solved solved;
    cairn_arena_reset(&state->tasking.scratch, 0);
    const cairn_err err =
        cairn_places_solve(state->atlas.places, &state->tasking.scratch, (cairn_mission){now.ns}, &solved);
    if (err != CAIRN_OK) { // the next closure is another chance
        static const char *const told = "the map cannot be solved: it stays as it was";
        if (!was_told_lately(&state->events, told, now)) {
            cairn_events_add(&state->events, now, CAIRN_LOG_WARN, 0, "%s (%s)", told, cairn_err_name(err));
        }
        return;
    }
    if (solved.withdrawn_count > 0) {
        cairn_events_add(&state->events, now, CAIRN_LOG_WARN, 0,
                         "%u match%s of maps withdrawn: the others contradict %s", solved.withdrawn_count,
                         solved.withdrawn_count == 1 ? "" : "es", solved.withdrawn_count == 1 ? "it" : "them");
    }
    for (uint32_t i = 0; i < state->fleet.count; i++) { cairn_station_follow_frame(station, i, now); }
    cairn_victims_follow(&state->victims, state->atlas.places);
    cairn_station_join_victims(state, now);
    cairn_atlas_places_moved(&state->atlas);
    const cairn_err searched_err = cairn_atlas_follow_searched(&state->atlas, &state->tasking.scratch);
    CAIRN_ASSERT(searched_err == CAIRN_OK || searched_err == CAIRN_ERR_FULL); // then what was searched lags behind
}

void cairn_station_align(cairn_station *station, cairn_mono now)
{
    cairn_station_state *state = &station->state;
    cairn_places *places = state->atlas.places;
    const cairn_mission at = {now.ns};
    places->unsolved_steps += places->unsolved_steps < SOLVE_STEPS;
    const uint32_t story_count = cairn_candidates_count(places->candidates);
    const uint32_t proposed_count = cairn_revisits_step(station->revisits, &state->atlas, at);
    const bool is_full = cairn_candidates_count(places->candidates) == CAIRN_CLOSURE_STORIES_MAX;
    if (is_full && story_count < CAIRN_CLOSURE_STORIES_MAX) {
        cairn_events_add(&state->events, now, CAIRN_LOG_WARN, 0,
                         "%u matches of maps are all that can be kept: no more are looked for, and robots' drift is no "
                         "longer put right where they come back",
                         CAIRN_CLOSURE_STORIES_MAX);
    }
    // Without new ones nothing changes for those that wait, but that they expire: which no new one would bring about.
    if (proposed_count > 0 || is_full) {
        const uint32_t accepted_count = cairn_candidates_step(places->candidates, at);
        places->unsolved_count += accepted_count;
        if (accepted_count > 0) { tell_of_meetings(state, now); }
    }
    cairn_station_seek(station, now);
    if (places->unsolved_count > 0 && places->unsolved_steps >= SOLVE_STEPS) { solve(station, now); }
    (void)cairn_atlas_follow(&state->atlas, REDRAWN_MAX);
}
