#include "station/station.h"
#include "station/command.h"
#include "station/operator/asked.h"
#include "station/post.h"
#include "station/teammates.h"
#include <string.h>

#define OPERATORS_BYTES (64u << 10) // some 700 actions: more than come in a step, whoever drives
#define POST_PERIOD_NS CAIRN_MS(20)
#define LINK_LOOK_STEPS 25         // of the post, between two looks at the links
#define LOOK_NS_MAX CAIRN_MS(1200) // between two words of a robot: in longer gaps nobody knows where it looked

// Where a robot's camera was when it was last heard.
typedef struct station_look {
    bool known;
    cairn_mono at;
    cairn_pose2 map_T_camera;
} station_look;

struct cairn_station {
    cairn_station_def def;
    cairn_fleet fleet;
    cairn_atlas atlas;
    station_look looks[CAIRN_FLEET_MAX];
    cairn_victims victims;
    cairn_tasking tasking;
    cairn_events events;
    cairn_command command;
    cairn_actions actions;
    cairn_asked asked;
    cairn_tasking_team team; // what tasking and actions work with
    cairn_teammates teammates;
    cairn_post *post;
    cairn_inbox *operators;
    uint32_t post_step_count;
    uint32_t refused_count;
    cairn_radio_message message; // room for one
};

cairn_station_def cairn_station_def_default(void)
{
    return (cairn_station_def){
        .link = cairn_link_def_default(), .raster = cairn_raster_def_default(), .tasking = cairn_tasking_def_default()};
}

static cairn_err create_post(cairn_station *station, cairn_arena *arena)
{
    const cairn_station_def *def = &station->def;
    cairn_post_def post = {.robot_count = def->robot_count,
                           .link = def->link,
                           .seed = def->seed,
                           .tap = def->tap,
                           .tap_context = def->tap_context};
    for (uint32_t i = 0; i < def->robot_count; i++) {
        post.robots[i].id = def->robots[i].id;
        memcpy(post.robots[i].key, def->robots[i].key, sizeof post.robots[i].key);
    }
    return cairn_post_create(&post, arena, &station->post);
}

static void send_task(void *context, cairn_fleet_robot *robot, const cairn_msg_task *task, cairn_mono now)
{
    cairn_station *station = context;
    station->message = (cairn_radio_message){.id = CAIRN_MSG_TASK};
    station->message.task = *task;
    (void)cairn_post_send(station->post, (uint32_t)(robot - station->fleet.robots), &station->message, now);
}

static void tie_parts(cairn_station *station)
{
    station->command = (cairn_command){.fleet = &station->fleet, .post = station->post, .events = &station->events};
    station->team = (cairn_tasking_team){.fleet = &station->fleet,
                                         .atlas = &station->atlas,
                                         .victims = &station->victims,
                                         .events = &station->events,
                                         .send = send_task,
                                         .context = station};
    station->actions = (cairn_actions){
        .command = &station->command, .tasking = &station->tasking, .team = &station->team, .post = station->post};
}

static cairn_err create_parts(cairn_station *station, cairn_arena *arena)
{
    const cairn_station_def *def = &station->def;
    cairn_err err = cairn_atlas_init(&station->atlas, &def->raster, arena);
    if (err == CAIRN_OK) { err = cairn_tasking_init(&station->tasking, &def->tasking, arena); }
    if (err == CAIRN_OK) { err = create_post(station, arena); }
    if (err == CAIRN_OK) {
        err = cairn_inbox_create(arena, OPERATORS_BYTES, sizeof(cairn_operator_action), CAIRN_INBOX_REFUSE,
                                 &station->operators);
    }
    if (err == CAIRN_OK) { tie_parts(station); }
    return err;
}

cairn_err cairn_station_create(const cairn_station_def *def, cairn_arena *arena, cairn_station **ret_station)
{
    CAIRN_ASSERT(def->robot_count <= CAIRN_FLEET_MAX);
    cairn_station *station = CAIRN_TAKE(arena, cairn_station, 1);
    if (station == NULL) { return CAIRN_ERR_FULL; }
    station->def = *def;
    station->events.log = def->log;
    station->fleet.count = def->robot_count;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        station->fleet.robots[i] = (cairn_fleet_robot){.id = def->robots[i].id,
                                                       .name = def->robots[i].name,
                                                       .map_T_private = def->robots[i].map_T_start,
                                                       .map_T_base = def->robots[i].map_T_start,
                                                       .stop = {.acknowledged = true}};
    }
    const cairn_err err = create_parts(station, arena);
    if (err != CAIRN_OK) {
        cairn_station_finish(station);
        return err;
    }
    *ret_station = station;
    return CAIRN_OK;
}

void cairn_station_finish(cairn_station *station)
{
    if (station == NULL) { return; }
    cairn_post_finish(station->post);
    cairn_inbox_finish(station->operators);
}

cairn_inbox *cairn_station_from_air(cairn_station *station) { return cairn_post_from_air(station->post); }
cairn_inbox *cairn_station_to_air(cairn_station *station, uint32_t robot_at)
{
    return cairn_post_to_air(station->post, robot_at);
}
cairn_inbox *cairn_station_operators(cairn_station *station) { return station->operators; }

// What the camera looks at, now and half a second ago, counts as searched.
static void mark_searched(cairn_station *station, uint32_t robot_at, cairn_mono now)
{
    const cairn_thermal_description *thermal = &station->def.robots[robot_at].description->thermal;
    if (!thermal->offered) { return; }
    const cairn_pose2 base_T_camera = cairn_pose3_to_pose2(thermal->base_T_camera);
    const cairn_pose2 map_T_camera = cairn_pose2_compose(station->fleet.robots[robot_at].map_T_base, base_T_camera);
    station_look *before = &station->looks[robot_at];
    if (before->known && cairn_mono_since(now, before->at) <= LOOK_NS_MAX) {
        cairn_atlas_mark_searched(&station->atlas, before->map_T_camera, map_T_camera, &station->def.tasking.thermal);
    }
    *before = (station_look){.known = true, .at = now, .map_T_camera = map_T_camera};
}

static void tell_of_presence(cairn_station *station, const cairn_fleet_robot *robot, cairn_mono now)
{
    if (!robot->heard) {
        cairn_events_add(&station->events, now, CAIRN_LOG_INFO, robot->id, "%s has joined", robot->name);
    } else if (robot->lost) {
        cairn_events_add(&station->events, now, CAIRN_LOG_INFO, robot->id, "%s is heard again after %.0f s",
                         robot->name, cairn_seconds(cairn_mono_since(now, robot->heard_at)));
    }
}

static void hear_telemetry(cairn_station *station, uint32_t robot_at, const cairn_msg_telemetry *telemetry,
                           cairn_mono now)
{
    cairn_fleet_robot *robot = &station->fleet.robots[robot_at];
    const bool first = !robot->heard;
    tell_of_presence(station, robot, now);
    cairn_fleet_hear_telemetry(&station->fleet, telemetry, now);
    cairn_command_hear(&station->command, robot, first, station->def.robots[robot_at].mode, now);
    mark_searched(station, robot_at, now);
    cairn_teammates_tell(&station->teammates, &station->fleet, robot_at, station->post, now);
}

static void hear_victim(cairn_station *station, const cairn_fleet_robot *robot, const cairn_msg_victim_seen *seen,
                        cairn_mono now)
{
    if (!cairn_victims_add(&station->victims, seen, robot->map_T_private, now)) { return; }
    const uint32_t number = station->victims.victim_count;
    const cairn_vec2 at_m = station->victims.victims[number - 1].at_m;
    cairn_events_add(&station->events, now, CAIRN_LOG_WARN, robot->id, "victim %u found by %s at (%.1f, %.1f)", number,
                     robot->name, at_m.x, at_m.y);
}

static void hear(void *context, uint32_t robot_at, const cairn_radio_message *message, cairn_mono now)
{
    cairn_station *station = context;
    const cairn_fleet_robot *robot = &station->fleet.robots[robot_at];
    switch (message->id) {
    case CAIRN_MSG_TELEMETRY: hear_telemetry(station, robot_at, &message->telemetry, now); break;
    case CAIRN_MSG_NODE: cairn_atlas_add_node(&station->atlas, &station->fleet, robot, &message->node); break;
    case CAIRN_MSG_TERRAIN_CODE:
        cairn_atlas_add_terrain(&station->atlas, &station->fleet, robot, &message->terrain_code);
        break;
    case CAIRN_MSG_VICTIM_SEEN: hear_victim(station, robot, &message->victim_seen, now); break;
    case CAIRN_MSG_EVENT:
        cairn_events_add(&station->events, now, (cairn_log_level)message->event.level, robot->id, "%s: %.*s",
                         robot->name, (int)message->event.text_count, (const char *)message->event.text);
        break;
    default: station->refused_count++; break;
    }
}

static void notice_silence(cairn_station *station, cairn_mono now)
{
    for (uint32_t i = 0; i < station->fleet.count; i++) {
        cairn_fleet_robot *robot = &station->fleet.robots[i];
        if (robot->lost || !cairn_fleet_is_silent(robot, now)) { continue; }
        robot->lost = true;
        cairn_events_add(&station->events, now, CAIRN_LOG_WARN, robot->id, "%s is silent", robot->name);
    }
}

static void look_at_links(cairn_station *station, cairn_mono now)
{
    if (station->post_step_count++ % LINK_LOOK_STEPS != 0) { return; }
    for (uint32_t i = 0; i < station->fleet.count; i++) {
        cairn_fleet_robot *robot = &station->fleet.robots[i];
        const uint64_t session_before = robot->link.peer_session;
        robot->link = cairn_post_link(station->post, i, now);
        if (session_before != 0 && robot->link.peer_session != session_before) {
            cairn_events_add(&station->events, now, CAIRN_LOG_WARN, robot->id, "%s has started again", robot->name);
        }
    }
}

static void hear_operators(cairn_station *station, cairn_mono now)
{
    cairn_operator_action action;
    size_t size_bytes = 0;
    while (cairn_inbox_take(station->operators, &action, sizeof action, &size_bytes) == CAIRN_OK) {
        if (size_bytes == sizeof action) {
            cairn_asked_take(&station->asked, &action, &station->actions, now);
        } else {
            station->refused_count++;
        }
    }
    cairn_asked_step(&station->asked, &station->actions, now);
}

static void post_step(void *context, cairn_mono now)
{
    cairn_station *station = context;
    cairn_post_receive(station->post, now, hear, station);
    notice_silence(station, now);
    hear_operators(station, now);
    cairn_actions_step(&station->actions, now);
    cairn_command_step(&station->command, now);
    look_at_links(station, now);
    cairn_post_flush(station->post, now);
}

static void tasking_step(void *context, cairn_mono now)
{
    cairn_station *station = context;
    cairn_tasking_step(&station->tasking, &station->team, now);
}

void cairn_station_register(cairn_station *station, cairn_executor *executor, uint32_t lane)
{
    const cairn_task_def post = {
        .name = "station/post", .lane = lane, .period_ns = POST_PERIOD_NS, .step = post_step, .state = station};
    const cairn_task_def tasking = {.name = "station/tasking",
                                    .lane = lane,
                                    .period_ns = CAIRN_MS(200),
                                    .offset_ns = CAIRN_MS(100),
                                    .step = tasking_step,
                                    .state = station};
    cairn_executor_add_task(executor, &post);
    cairn_executor_add_task(executor, &tasking);
}

void cairn_station_look(const cairn_station *station, cairn_station_view *ret_view)
{
    const cairn_post_info post = cairn_post_look(station->post);
    *ret_view = (cairn_station_view){.raster = station->atlas.raster,
                                     .atlas = &station->atlas,
                                     .fleet = &station->fleet,
                                     .victims = &station->victims,
                                     .events = &station->events,
                                     .done = station->tasking.done,
                                     .stop_all = station->command.stop_all,
                                     .refused_count = station->refused_count + post.refused_count + post.stranger_count,
                                     .action_count = station->actions.taken_count};
}
