// steps.c - what follows from a record of inputs. Nothing here looks at links, boxes or clocks: only at the record and
// at the state, so that a replay comes to the same result.
#include "robot/guard_names.h"
#include "station/station_parts.h"
#include <stdio.h>
#include <string.h>

#define LOOK_NS_MAX CAIRN_MS(1200) // between two words of a robot: in longer gaps nobody knows where it looked
#define LATE_NS CAIRN_S(4)         // a node that comes later than this was kept while nobody heard the robot
#define NODES_NS_MAX CAIRN_S(2)    // between two neighbours of a trail

typedef cairn_station_state station_state;

// A robot that does not see warmth, or not where it is, has looked at nothing.
static bool looks_nowhere(const cairn_fleet_robot *robot)
{
    return robot->unplaced || (cairn_fleet_guards(robot) & (1u << CAIRN_LACK_THERMAL | 1u << CAIRN_LACK_PLACE)) != 0;
}

// What the camera looks at, now and half a second ago, counts as searched.
static void mark_searched(cairn_station *station, uint32_t robot_at, cairn_mono now)
{
    station_state *state = &station->state;
    const cairn_thermal_description *thermal = &station->def.robots[robot_at].description->thermal;
    if (!thermal->offered) { return; }
    if (looks_nowhere(&state->fleet.robots[robot_at])) {
        state->looks[robot_at].known = false;
        return;
    }
    const cairn_pose2 base_T_camera = cairn_pose3_to_pose2(thermal->base_T_camera);
    const cairn_pose2 map_T_camera = cairn_pose2_compose(state->fleet.robots[robot_at].map_T_base, base_T_camera);
    cairn_station_look_at *before = &state->looks[robot_at];
    if (before->known && cairn_mono_since(now, before->at) <= LOOK_NS_MAX) {
        const uint32_t place = cairn_places_last(state->atlas.places, state->fleet.robots[robot_at].id);
        cairn_atlas_mark_searched(&state->atlas, place, before->map_T_camera, map_T_camera,
                                  &station->def.tasking.thermal);
    }
    *before = (cairn_station_look_at){.known = true, .at = now, .map_T_camera = map_T_camera};
}

static void tell_of_presence(station_state *state, const cairn_fleet_robot *robot, cairn_mono now)
{
    if (!robot->heard) {
        cairn_events_add(&state->events, now, CAIRN_LOG_INFO, robot->id, "%s has joined", robot->name);
    } else if (robot->lost) {
        cairn_events_add(&state->events, now, CAIRN_LOG_INFO, robot->id, "%s is heard again after %.0f s", robot->name,
                         cairn_seconds(cairn_mono_since(now, robot->heard_at)));
    }
}

// What a robot looked at while nobody heard it: told by the nodes of its trail, when they come. Of what comes in time
// telemetry has told.
static void mark_searched_late(cairn_station *station, uint32_t robot_at, uint32_t number)
{
    station_state *state = &station->state;
    const cairn_fleet_robot *robot = &state->fleet.robots[robot_at];
    const cairn_thermal_description *thermal = &station->def.robots[robot_at].description->thermal;
    const cairn_node_entry *node = cairn_atlas_node(&state->atlas, robot->id, number);
    const cairn_node_entry *before = cairn_atlas_node(&state->atlas, robot->id, number - 1);
    if (!thermal->offered || node == NULL || before == NULL || !node->voted || !before->voted) { return; }
    if (looks_nowhere(robot)) { return; }
    const int64_t late_ns = robot->telemetry.mono_ns - node->said.mono_ns;
    const int64_t apart_ns = node->said.mono_ns - before->said.mono_ns;
    if (!robot->heard || late_ns < LATE_NS || apart_ns < 0 || apart_ns > NODES_NS_MAX) { return; }
    const cairn_pose2 base_T_camera = cairn_pose3_to_pose2(thermal->base_T_camera);
    cairn_atlas_mark_searched(&state->atlas, node->place, cairn_pose2_compose(before->map_T_node, base_T_camera),
                              cairn_pose2_compose(node->map_T_node, base_T_camera), &station->def.tasking.thermal);
}

// Told once: a robot that goes on so would push all other events out.
static void disbelieve(station_state *state, cairn_fleet_robot *robot, const char *what, cairn_mono now)
{
    if (robot->strange_count < UINT32_MAX) { robot->strange_count++; }
    if (robot->strange_count > 1) { return; }
    cairn_events_add(
        &state->events, now, CAIRN_LOG_WARN, robot->id,
        "%s names %s with an impossible number: that is not believed; if it takes no orders, start it again",
        robot->name, what);
}

static void hear_telemetry(cairn_station *station, uint32_t robot_at, const cairn_msg_telemetry *telemetry,
                           cairn_mono now)
{
    station_state *state = &station->state;
    cairn_fleet_robot *robot = &state->fleet.robots[robot_at];
    const bool first = !robot->heard;
    tell_of_presence(state, robot, now);
    const char *strange = cairn_fleet_hear_telemetry(&state->fleet, telemetry, now);
    if (strange != NULL) { disbelieve(state, robot, strange, now); }
    cairn_command_hear(&state->command, robot, first, station->def.robots[robot_at].mode, now);
    mark_searched(station, robot_at, now);
    cairn_teammates_tell(&state->teammates, &station->voice, robot_at, now);
}

void cairn_station_take_sighting(station_state *state, const cairn_fleet_robot *robot,
                                 const cairn_msg_victim_seen *seen, cairn_seen_from from, cairn_mono now)
{
    if (seen->confidence_pct == 0) {
        const uint32_t none = cairn_victims_take_back(&state->victims, robot->id, seen->sighting);
        if (none != 0) {
            cairn_events_add(&state->events, now, CAIRN_LOG_WARN, robot->id,
                             "victim %u walks, %s has seen: not a victim", none, robot->name);
        }
        return;
    }
    if (!cairn_victims_add(&state->victims, seen, from, now)) { // a better look may have moved one that is known
        cairn_station_join_victims(state, now);
        return;
    }
    const uint32_t number = state->victims.victim_count;
    const cairn_victim *victim = &state->victims.victims[number - 1];
    char floor[24] = "";
    if (victim->floor != 0) { (void)snprintf(floor, sizeof floor, " on floor %d", victim->floor); }
    cairn_events_add(&state->events, now, CAIRN_LOG_WARN, robot->id, "victim %u found by %s at (%.1f, %.1f)%s", number,
                     robot->name, victim->at_m.x, victim->at_m.y, floor);
}

static void hear_victim(station_state *state, const cairn_fleet_robot *robot, const cairn_msg_victim_seen *seen,
                        cairn_mono now)
{
    const cairn_seen_from from = {robot->map_T_private, cairn_places_last(state->atlas.places, robot->id)};
    if (robot->unplaced) {
        cairn_station_keep_sighting(state, robot, seen, now);
    } else {
        cairn_station_take_sighting(state, robot, seen, from, now);
    }
}

static void add_to_atlas(cairn_station *station, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    station_state *state = &station->state;
    const cairn_fleet_robot *robot = &state->fleet.robots[robot_at];
    switch (message->id) {
    case CAIRN_MSG_NODE:
        cairn_atlas_add_node(&state->atlas, &state->fleet, robot, &message->node);
        cairn_station_follow_frame(station, robot_at, now); // a robot that lost its frame starts again, or is apart
        break;
    case CAIRN_MSG_TERRAIN_CODE:
        cairn_atlas_add_terrain_code(&state->atlas, &state->fleet, robot, &message->terrain_code);
        break;
    default: cairn_atlas_add_terrain(&state->atlas, &state->fleet, robot, &message->terrain_grid); break;
    }
}

// A node or its map; robots count their nodes up from 1. They come in any order: a pair is complete with either.
static void hear_survey(cairn_station *station, uint32_t robot_at, uint32_t number, const cairn_radio_message *message,
                        cairn_mono now)
{
    if (number > CAIRN_NUMBER_MAX) {
        disbelieve(&station->state, &station->state.fleet.robots[robot_at], "a node", now);
        return;
    }
    add_to_atlas(station, robot_at, message, now);
    mark_searched_late(station, robot_at, number);
    mark_searched_late(station, robot_at, number + 1);
}

static void hear(cairn_station *station, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    station_state *state = &station->state;
    const cairn_fleet_robot *robot = &state->fleet.robots[robot_at];
    switch (message->id) {
    case CAIRN_MSG_TELEMETRY: hear_telemetry(station, robot_at, &message->telemetry, now); break;
    case CAIRN_MSG_NODE: hear_survey(station, robot_at, message->node.node, message, now); break;
    case CAIRN_MSG_TERRAIN_CODE: hear_survey(station, robot_at, message->terrain_code.node, message, now); break;
    case CAIRN_MSG_TERRAIN_GRID: hear_survey(station, robot_at, message->terrain_grid.node, message, now); break;
    case CAIRN_MSG_VICTIM_SEEN: hear_victim(state, robot, &message->victim_seen, now); break;
    case CAIRN_MSG_EVENT:
        cairn_events_add(&state->events, now, (cairn_log_level)message->event.level, robot->id, "%s: %.*s", robot->name,
                         (int)message->event.text_count, (const char *)message->event.text);
        break;
    default: state->refused_count++; break;
    }
}

static void take_facts(station_state *state, uint32_t robot_at, const cairn_link_facts *facts, cairn_mono now)
{
    cairn_fleet_robot *robot = &state->fleet.robots[robot_at];
    const cairn_link_facts before = robot->facts;
    robot->facts = *facts;
    if (before.peer_session != 0 && facts->peer_session != before.peer_session) {
        cairn_events_add(&state->events, now, CAIRN_LOG_WARN, robot->id, "%s has started again", robot->name);
    }
    if (facts->other_version != before.other_version) {
        cairn_events_add(&state->events, now, CAIRN_LOG_WARN, robot->id,
                         "something in %s's name, unproven, speaks version %u of the radio protocol, this station "
                         "version %u: if %s does not join, update the older one",
                         robot->name, facts->other_version, CAIRN_LINK_VERSION, robot->name);
    }
    if (facts->unknown_id != before.unknown_id) {
        cairn_events_add(&state->events, now, CAIRN_LOG_WARN, robot->id,
                         "%s says things that this station does not understand (message %u): update the station",
                         robot->name, facts->unknown_id);
    }
}

static void take_input(cairn_station *station, const cairn_input *input, cairn_mono now)
{
    station_state *state = &station->state;
    switch (input->kind) {
    case CAIRN_INPUT_FACTS: take_facts(state, input->robot_at, &input->facts, now); break;
    case CAIRN_INPUT_HEARD: {
        const cairn_err err = cairn_radio_decode(input->heard.bytes, input->heard.size_bytes, &station->message);
        CAIRN_ASSERT(err == CAIRN_OK);
        hear(station, input->robot_at, &station->message, now);
        break;
    }
    case CAIRN_INPUT_TOLD:
        cairn_events_add(&state->events, now, input->told.level, 0, "%.*s", (int)input->told.size_bytes,
                         input->told.text);
        break;
    case CAIRN_INPUT_AREAS: cairn_areas_set(&state->areas, &input->areas, &state->events, now); break;
    case CAIRN_INPUT_ACTION: cairn_asked_take(&state->asked, &input->action, &state->actions, now); break;
    }
}

static void notice_silence(station_state *state, cairn_mono now)
{
    for (uint32_t i = 0; i < state->fleet.count; i++) {
        cairn_fleet_robot *robot = &state->fleet.robots[i];
        if (robot->lost || !cairn_fleet_is_silent(robot, now)) { continue; }
        robot->lost = true;
        cairn_events_add(&state->events, now, CAIRN_LOG_WARN, robot->id, "%s is silent", robot->name);
    }
}

static void end_step(cairn_station *station, const cairn_inputs_head *head)
{
    station_state *state = &station->state;
    if (head->kind == CAIRN_STEP_TASKING) {
        cairn_station_align(station, head->at);
        cairn_tasking_step(&state->tasking, &station->team, head->at);
    } else {
        notice_silence(state, head->at);
        cairn_asked_step(&state->asked, &state->actions, head->at);
        cairn_actions_step(&state->actions, head->at);
        cairn_command_step(&state->command, head->at);
        cairn_areas_step(&state->areas, &station->voice, &state->events, head->at);
    }
    state->step = head->step;
}

void cairn_station_take(cairn_station *station, const uint8_t *record, size_t size_bytes)
{
    cairn_inputs_reader reader;
    cairn_inputs_head head;
    cairn_input input;
    cairn_err err = cairn_inputs_open(&reader, record, size_bytes, &head);
    CAIRN_ASSERT(err == CAIRN_OK && head.at.ns >= station->state.at.ns && head.step == station->state.step + 1);
    station->state.at = head.at;
    while ((err = cairn_inputs_next(&reader, &input)) == CAIRN_OK) { take_input(station, &input, head.at); }
    CAIRN_ASSERT(err == CAIRN_ERR_EMPTY);
    if (head.kind != CAIRN_STEP_PART) { end_step(station, &head); }
}

cairn_err cairn_station_replay(cairn_station *station, const uint8_t *record, size_t size_bytes)
{
    cairn_station_state *state = &station->state;
    cairn_inputs_head head;
    const cairn_err err = cairn_inputs_check(record, size_bytes, state->fleet.count, &head);
    if (err != CAIRN_OK) { return err; }
    if (head.step != state->step + 1 || head.at.ns < state->at.ns) { return CAIRN_ERR_INVALID; }
    const cairn_log log = state->events.log;
    station->voice.post = NULL;
    state->events.log = (cairn_log){0}; // whoever reads the log has read this
    cairn_station_take(station, record, size_bytes);
    state->events.log = log;
    station->voice.post = station->post;
    return CAIRN_OK;
}
