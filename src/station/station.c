#include "station/station.h"
#include "messages/units.h"

#define INBOX_BYTES (4u << 20)
#define OUTBOX_BYTES (64u << 10)
#define TEAMMATES_WITHIN_M 5.0 // farther ones need not be told of

struct cairn_station {
    cairn_station_def def;
    cairn_fleet fleet;
    cairn_atlas atlas;
    cairn_victims victims;
    cairn_tasking tasking;
    cairn_inbox *inbox;
    cairn_inbox *outbox[CAIRN_FLEET_MAX];
    uint32_t order_count;
    uint32_t refused_count, unsent_count;
    cairn_radio_message message; // room for one
};

cairn_station_def cairn_station_def_default(void)
{
    return (cairn_station_def){.raster = cairn_raster_def_default(), .tasking = cairn_tasking_def_default()};
}

static cairn_err create_parts(cairn_station *station, cairn_arena *arena)
{
    const cairn_station_def *def = &station->def;
    cairn_err err = cairn_atlas_init(&station->atlas, &def->raster, arena);
    if (err == CAIRN_OK) { err = cairn_tasking_init(&station->tasking, &def->tasking, arena); }
    if (err == CAIRN_OK) {
        err = cairn_inbox_create(arena, INBOX_BYTES, CAIRN_RADIO_BYTES_MAX, CAIRN_INBOX_REFUSE, &station->inbox);
    }
    for (uint32_t i = 0; err == CAIRN_OK && i < def->robot_count; i++) {
        err = cairn_inbox_create(arena, OUTBOX_BYTES, CAIRN_RADIO_BYTES_MAX, CAIRN_INBOX_DROP_OLDEST,
                                 &station->outbox[i]);
    }
    return err;
}

cairn_err cairn_station_create(const cairn_station_def *def, cairn_arena *arena, cairn_station **ret_station)
{
    CAIRN_ASSERT(def->robot_count <= CAIRN_FLEET_MAX);
    cairn_station *station = CAIRN_TAKE(arena, cairn_station, 1);
    if (station == NULL) { return CAIRN_ERR_FULL; }
    station->def = *def;
    station->fleet.count = def->robot_count;
    for (uint32_t i = 0; i < def->robot_count; i++) {
        station->fleet.robots[i] = (cairn_fleet_robot){.id = def->robots[i].id,
                                                       .map_T_private = def->robots[i].map_T_start,
                                                       .map_T_base = def->robots[i].map_T_start};
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
    cairn_inbox_finish(station->inbox);
    for (uint32_t i = 0; i < station->def.robot_count; i++) { cairn_inbox_finish(station->outbox[i]); }
}

cairn_inbox *cairn_station_inbox(cairn_station *station) { return station->inbox; }
cairn_inbox *cairn_station_outbox(cairn_station *station, uint32_t robot_at)
{
    CAIRN_ASSERT(robot_at < station->def.robot_count);
    return station->outbox[robot_at];
}

static void send(cairn_station *station, uint32_t robot_at, const cairn_radio_message *message)
{
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    if (cairn_radio_encode(message, bytes, sizeof bytes, &size_bytes) != CAIRN_OK ||
        cairn_inbox_put(station->outbox[robot_at], bytes, size_bytes) != CAIRN_OK) {
        station->unsent_count++;
    }
}

static void order_mode(cairn_station *station, uint32_t robot_at, uint8_t mode)
{
    const cairn_radio_message message = {
        .id = CAIRN_MSG_MODE_ORDER,
        .mode_order = {.robot = station->fleet.robots[robot_at].id, .order = ++station->order_count, .mode = mode}};
    send(station, robot_at, &message);
}

// What the camera looks at from here counts as searched.
static void mark_searched(cairn_station *station, uint32_t robot_at)
{
    const cairn_thermal_description *thermal = &station->def.robots[robot_at].description->thermal;
    if (!thermal->offered) { return; }
    const cairn_pose2 base_T_camera = cairn_pose3_to_pose2(thermal->base_T_camera);
    const cairn_pose2 map_T_camera = cairn_pose2_compose(station->fleet.robots[robot_at].map_T_base, base_T_camera);
    cairn_atlas_mark_searched(&station->atlas, map_T_camera, &station->def.tasking.thermal);
}

// Where the others near it are, in its own frame.
static void tell_teammates(cairn_station *station, uint32_t robot_at, cairn_mono now)
{
    const cairn_fleet_robot *robot = &station->fleet.robots[robot_at];
    cairn_radio_message message = {.id = CAIRN_MSG_TEAMMATES};
    cairn_msg_teammates *told = &message.teammates;
    told->robot = robot->id;
    const cairn_pose2 private_T_map = cairn_pose2_inverse(robot->map_T_private);
    for (uint32_t i = 0; i < station->fleet.count; i++) {
        const cairn_fleet_robot *other = &station->fleet.robots[i];
        const cairn_vec2 at_m = cairn_pose2_at(other->map_T_base);
        if (i == robot_at || cairn_vec2_distance(at_m, cairn_pose2_at(robot->map_T_base)) > TEAMMATES_WITHIN_M) {
            continue;
        }
        const cairn_pose2 in_private = cairn_pose2_compose(private_T_map, other->map_T_base);
        const int64_t age_ms = other->heard ? cairn_mono_since(now, other->heard_at) / CAIRN_MS(1) : 0;
        const uint16_t n = told->other_count++;
        told->other[n] = other->id;
        told->x_mm[n] = cairn_to_milli(in_private.x_m);
        told->y_mm[n] = cairn_to_milli(in_private.y_m);
        told->yaw_mrad[n] = (int16_t)cairn_to_milli(in_private.yaw_rad);
        told->speed_mmps[n] = other->telemetry.speed_mmps;
        told->age_ms[n] = (uint16_t)(age_ms < 65535 ? age_ms : 65535);
    }
    told->x_mm_count = told->y_mm_count = told->yaw_mrad_count = told->speed_mmps_count = told->age_ms_count =
        told->other_count;
    send(station, robot_at, &message);
}

static void hear_telemetry(cairn_station *station, uint32_t robot_at, cairn_mono now)
{
    const bool first = !station->fleet.robots[robot_at].heard;
    cairn_fleet_hear_telemetry(&station->fleet, &station->message.telemetry, now);
    if (first) { order_mode(station, robot_at, station->def.robots[robot_at].mode); }
    mark_searched(station, robot_at);
    for (uint32_t i = 0; i < station->fleet.count; i++) {
        const cairn_fleet_robot *other = &station->fleet.robots[i];
        if (i != robot_at && other->heard &&
            cairn_vec2_distance(cairn_pose2_at(other->map_T_base),
                                cairn_pose2_at(station->fleet.robots[robot_at].map_T_base)) < TEAMMATES_WITHIN_M) {
            tell_teammates(station, i, now);
        }
    }
}

// The sender of a message is its first field, whatever its kind.
static bool sender_of(cairn_station *station, uint32_t *ret_robot_at)
{
    const cairn_radio_message *m = &station->message;
    const uint8_t id = m->id == CAIRN_MSG_TELEMETRY     ? m->telemetry.robot
                       : m->id == CAIRN_MSG_VICTIM_SEEN ? m->victim_seen.robot
                       : m->id == CAIRN_MSG_TERRAIN_MAP ? m->terrain_map.robot
                       : m->id == CAIRN_MSG_NODE        ? m->node.robot
                       : m->id == CAIRN_MSG_EVENT       ? m->event.robot
                                                        : 0;
    const cairn_fleet_robot *robot = cairn_fleet_find(&station->fleet, id);
    if (robot != NULL) { *ret_robot_at = (uint32_t)(robot - station->fleet.robots); }
    return robot != NULL;
}

static void hear(cairn_station *station, cairn_mono now)
{
    uint32_t robot_at = 0;
    if (!sender_of(station, &robot_at)) {
        station->refused_count++;
        return;
    }
    cairn_fleet_robot *robot = &station->fleet.robots[robot_at];
    const cairn_radio_message *message = &station->message;
    switch (message->id) {
    case CAIRN_MSG_TELEMETRY: hear_telemetry(station, robot_at, now); break;
    case CAIRN_MSG_NODE:
        robot->node = message->node;
        station->atlas.node_count++;
        break;
    case CAIRN_MSG_TERRAIN_MAP:
        cairn_atlas_add_terrain(&station->atlas, &station->fleet, robot, &message->terrain_map);
        break;
    case CAIRN_MSG_VICTIM_SEEN:
        if (cairn_victims_add(&station->victims, &message->victim_seen, robot->map_T_private, now)) {
            cairn_log_line(&station->def.log, now, CAIRN_LOG_INFO, "victim %u found by robot %u",
                           station->victims.victim_count, robot->id);
        }
        break;
    case CAIRN_MSG_EVENT:
        cairn_log_line(&station->def.log, now, (cairn_log_level)message->event.level, "robot %u: %.*s", robot->id,
                       (int)message->event.text_count, (const char *)message->event.text);
        break;
    default: station->refused_count++; break;
    }
}

static void post_step(void *context, cairn_mono now)
{
    cairn_station *station = context;
    uint8_t bytes[CAIRN_RADIO_BYTES_MAX];
    size_t size_bytes = 0;
    while (cairn_inbox_take(station->inbox, bytes, sizeof bytes, &size_bytes) == CAIRN_OK) {
        if (cairn_radio_decode(bytes, size_bytes, &station->message) == CAIRN_OK) {
            hear(station, now);
        } else {
            station->refused_count++;
        }
    }
}

static void send_task(void *context, cairn_fleet_robot *robot, const cairn_msg_task *task)
{
    cairn_station *station = context;
    station->message = (cairn_radio_message){.id = CAIRN_MSG_TASK};
    station->message.task = *task;
    send(station, (uint32_t)(robot - station->fleet.robots), &station->message);
}

static void tasking_step(void *context, cairn_mono now)
{
    cairn_station *station = context;
    cairn_tasking_step(&station->tasking, &station->fleet, &station->atlas, now, send_task, station);
}

void cairn_station_register(cairn_station *station, cairn_executor *executor, uint32_t lane)
{
    const cairn_task_def post = {
        .name = "station/post", .lane = lane, .period_ns = CAIRN_MS(20), .step = post_step, .state = station};
    const cairn_task_def tasking = {.name = "station/tasking",
                                    .lane = lane,
                                    .period_ns = CAIRN_MS(500),
                                    .offset_ns = CAIRN_MS(100),
                                    .step = tasking_step,
                                    .state = station};
    cairn_executor_add_task(executor, &post);
    cairn_executor_add_task(executor, &tasking);
}

void cairn_station_look(const cairn_station *station, cairn_station_view *ret_view)
{
    *ret_view = (cairn_station_view){.raster = station->atlas.raster,
                                     .atlas = &station->atlas,
                                     .fleet = &station->fleet,
                                     .victims = &station->victims,
                                     .done = station->tasking.done,
                                     .refused_count = station->refused_count};
}
